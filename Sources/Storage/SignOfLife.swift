public import Channels

/// The latest commit of a coordinator, as it recorded itself.
public struct SignOfLife: Hashable, Sendable {
  /// When it was decided, by the clock of that time.
  public var at: Timestamp
  /// The number that distinguishes it from others, or 0 without one.
  public var commit: UInt64

  public init(at: Timestamp, commit: UInt64 = 0) {
    self.at = at
    self.commit = commit
  }
}
