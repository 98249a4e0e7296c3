public import Filters

/// The limits on a client's questions about lists.
public struct ListLimits: Hashable, Sendable {
  /// The number of objects on one page, at most.
  public var pageMax = 1000
  /// The limits on the size of filters.
  public var filter = Filter.Limits()

  public init() {}
}
