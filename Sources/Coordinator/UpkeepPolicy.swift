/// How the daemon looks after channels that have nothing left to do.
public struct UpkeepPolicy: Hashable, Sendable {
  /// Between two rounds.
  public var interval: Duration
  /// Channels that one relay is asked to show again per round, at most.
  public var checksPerRound: Int
  /// How long a relay may stay inactive in a channel before another takes its place. Relays that failed give it up at once.
  public var replaceAfter: Duration
  /// Replacements in one channel within an hour, at most.
  public var replacementsPerChannel: Int
  /// Replacements in all channels within an hour, at most.
  public var replacementsPerHour: Int
  /// Channels that have one relay that is back again per round, at most.
  public var returnsPerRound: Int
  /// How long transitions are kept.
  public var keepHistory: Duration
  /// How many transitions are kept, however young they are; a few more until the next round.
  public var keepRows: Int

  public init(
    interval: Duration = .seconds(60), checksPerRound: Int = 60, replaceAfter: Duration = .seconds(3_600),
    replacementsPerChannel: Int = 3, replacementsPerHour: Int = 120, returnsPerRound: Int = 600,
    keepHistory: Duration = .seconds(365 * 86_400), keepRows: Int = 5_000_000
  ) {
    self.interval = interval
    self.checksPerRound = checksPerRound
    self.replaceAfter = replaceAfter
    self.replacementsPerChannel = replacementsPerChannel
    self.replacementsPerHour = replacementsPerHour
    self.returnsPerRound = returnsPerRound
    self.keepHistory = keepHistory
    self.keepRows = keepRows
  }
}
