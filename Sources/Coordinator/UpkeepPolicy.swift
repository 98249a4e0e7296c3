/// The upkeep of channels that have nothing left to do.
public struct UpkeepPolicy: Hashable, Sendable {
  /// The time between two rounds.
  public var interval: Duration
  /// The number of channels that one relay is asked to show again per round, at most.
  public var verifiesPerRound: Int
  /// The time that a relay may stay inactive in a channel before another takes its place. Failed relays are replaced at once.
  public var replaceAfter: Duration
  /// The number of replacements in one channel within an hour, at most.
  public var replacementsPerChannel: Int
  /// The number of replacements in all channels within an hour, at most.
  public var replacementsPerHour: Int
  /// The number of channels per round that get a relay back that works again, at most.
  public var returnsPerRound: Int
  /// The time for which transitions are kept.
  public var keepHistory: Duration
  /// The number of transitions that are kept, however recent they are; there may be a few more until the next round.
  public var keepRows: Int

  public init(
    interval: Duration = .seconds(60), verifiesPerRound: Int = 60, replaceAfter: Duration = .seconds(3_600),
    replacementsPerChannel: Int = 3, replacementsPerHour: Int = 120, returnsPerRound: Int = 600,
    keepHistory: Duration = .seconds(365 * 86_400), keepRows: Int = 5_000_000
  ) {
    self.interval = interval
    self.verifiesPerRound = verifiesPerRound
    self.replaceAfter = replaceAfter
    self.replacementsPerChannel = replacementsPerChannel
    self.replacementsPerHour = replacementsPerHour
    self.returnsPerRound = returnsPerRound
    self.keepHistory = keepHistory
    self.keepRows = keepRows
  }
}
