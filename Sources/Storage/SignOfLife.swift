public import Channels

/// The latest commit of a coordinator, as it recorded itself.
public struct SignOfLife: Hashable, Sendable {
  /// When it was decided, by the clock of that time.
  public var at: Timestamp
  /// The number that tells it from others; 0 if it has none.
  public var commit: UInt64

  public init(at: Timestamp, commit: UInt64 = 0) {
    self.at = at
    self.commit = commit
  }
}
