/// How Baton deals with a chat core.
public struct SimpleXLimits: Hashable, Sendable {
  /// How long the first invitation of a channel waits for others: the core makes a channel on all of its relays at once, or not at all.
  public var gatherTime: Duration = .milliseconds(100)
  /// How long a test of a relay that passed counts before a channel is made on it.
  public var testCounts: Duration = .seconds(900)

  /// How long a relay that took the channel may take to show it before that counts as a failed attempt, which says how far it is.
  public var patience: Duration = .seconds(60)

  /// How long a channel that can be made on some relays waits for the tests of others.
  public var testPatience: Duration = .seconds(10)
  /// How long a test of a relay that failed counts.
  public var failedTestCounts: Duration = .seconds(120)
  /// How long the core may still be at a command whose answer was lost: nothing is searched for or made again before.
  public var doubtTime: Duration = .seconds(90)
  /// How long to wait before it is seen again whether the core's active user is the right one.
  public var recogniseAgain: Duration = .seconds(30)
  /// How long an operation is kept that nobody answers; longer than anybody waits for it.
  public var pendingMax: Duration = .seconds(1800)

  public init() {}
}
