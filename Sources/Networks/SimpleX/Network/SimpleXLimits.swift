/// How Baton deals with a chat core.
public struct SimpleXLimits: Hashable, Sendable {
  /// How long the first invitation of a channel waits for others: the core makes a channel on all of its relays at once, or not at all.
  public var gatherTime: Duration = .milliseconds(100)
  /// How long a test of a relay that passed counts before a channel is made on it.
  public var testCounts: Duration = .seconds(900)

  public init() {}
}
