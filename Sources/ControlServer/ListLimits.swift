public import Filters

/// The limits on a client's questions about lists.
public struct ListLimits: Hashable, Sendable {
  /// The number of objects on one page, at most.
  public var pageMax = 1000
  /// The limits on the size of filters.
  public var filter = Filter.Limits()
  /// How long the database may take for an answer. Clients that wait for twenty seconds get theirs even after a wait for their turn.
  public var timeMax = Duration.seconds(10)

  public init() {}
}
