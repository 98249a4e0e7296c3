/// The times and limits with which Baton uses a chat core.
public struct SimpleXLimits: Hashable, Sendable {
  /// How long the first invitation of a channel waits for others: the core creates a channel on all of its relays together, or not at all.
  public var gatherTime: Duration = .milliseconds(100)
  /// How long a passed test of a relay counts when a channel is created on it.
  public var testCounts: Duration = .seconds(900)

  /// How long a relay that accepted the channel may take to show it before that counts as a failed attempt, which reports the progress.
  public var patience: Duration = .seconds(60)

  /// How long a channel that can be created on some relays waits for the tests of the other relays.
  public var testPatience: Duration = .seconds(10)
  /// How long a failed test of a relay counts.
  public var failedTestCounts: Duration = .seconds(120)
  /// How long the core may still be carrying out a command whose answer was lost. Nothing is searched for or created again within this
  /// time.
  public var doubtTime: Duration = .seconds(90)
  /// How long to wait before checking again whether the core's active user is the right one.
  public var recogniseAgain: Duration = .seconds(30)
  /// After how long a post that cannot be sent now is looked at again.
  public var lookAgain: Duration = .seconds(5)
  /// How long a post waits for relays that are just getting the channel: SimpleX sends it once, so they would never get it. A relay delays
  /// posts only for this long after the first post that waited for it.
  public var joinPatience: Duration = .seconds(30)
  /// After how long a channel is read again if the core could not give its messages.
  public var readAgain: Duration = .seconds(60)
  /// How many members a channel may have, as the core counts them, for its members to be listed: the core sends all of them together, with
  /// pictures of up to 14 kB each.
  public var membersMax: Int64 = 1_000
  /// How long news of members is gathered before they are listed again.
  public var membersAgain: Duration = .seconds(30)
  /// How long an unanswered operation is kept. This is longer than the coordinator waits for it.
  public var pendingMax: Duration = .seconds(1800)

  public init() {}
}
