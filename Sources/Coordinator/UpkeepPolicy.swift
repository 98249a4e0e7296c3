/// The upkeep of channels that have nothing left to do.
public struct UpkeepPolicy: Hashable, Sendable {
  /// The time between two rounds.
  public var interval: Duration
  /// The maximum number of channels that are read back from one relay per round.
  public var verifiesPerRound: Int
  /// The time that a relay may be inactive in a channel before another replaces it. Failed relays are replaced immediately.
  public var replaceAfter: Duration
  /// The maximum number of replacements in one channel within an hour.
  public var replacementsPerChannel: Int
  /// The maximum number of replacements in all channels within an hour.
  public var replacementsPerHour: Int
  /// The maximum number of channels per round that get a relay back that works again.
  public var returnsPerRound: Int
  /// The time for which transitions are kept.
  public var keepHistory: Duration
  /// The number of transitions that are kept, however recent they are. There may be a few more until the next round.
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
