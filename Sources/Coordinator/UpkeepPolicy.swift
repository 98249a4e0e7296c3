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
  /// How long transitions are kept.
  public var keepHistory: Duration

  public init(
    interval: Duration = .seconds(60), checksPerRound: Int = 60, replaceAfter: Duration = .seconds(3_600),
    replacementsPerChannel: Int = 3, replacementsPerHour: Int = 120,
    keepHistory: Duration = .seconds(365 * 86_400)
  ) {
    self.interval = interval
    self.checksPerRound = checksPerRound
    self.replaceAfter = replaceAfter
    self.replacementsPerChannel = replacementsPerChannel
    self.replacementsPerHour = replacementsPerHour
    self.keepHistory = keepHistory
  }
}
