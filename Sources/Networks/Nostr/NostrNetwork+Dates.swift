internal import Channels
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import RelayNetwork

/// The known limits of relays on dates, and the dates that were given lately.
struct KnownDates {
  /// The time for which a refusal of a date counts.
  private static let refusalLife = TimeAmount.hours(1)
  private static let relaysMax = 1_000
  private static let channelsMax = 10_000

  /// The number of seconds by which dates may be ahead at relays that refused one, by address.
  private var aheadLearned: [String: (seconds: Int64, at: NIODeadline)] = [:]
  /// When a relay refused a date that should be right, by address, and when the journal last reported such refusals.
  private var clockDoubts: [String: NIODeadline] = [:]
  private var clockWarnedAt: NIODeadline?
  /// The date of the latest edition that each identity has signed since the start.
  var editions: [IdentityID: Int64] = [:]
  /// The date of the latest post that was composed in a public channel, by the channel's id.
  private(set) var posts: [String: Int64] = [:]

  mutating func note(postAt date: Int64, in channel: String) { posts.remember(date, for: channel, max: Self.channelsMax) }

  /// The number of seconds by which dates may be ahead at a relay, as its refusals have shown, or `nil` if it refused nothing lately.
  func aheadMax(at address: String, _ now: NIODeadline) -> Int64? {
    aheadLearned[address].flatMap { now - $0.at < Self.refusalLife ? $0.seconds : nil }
  }

  /// Lowers a relay's limit after a refusal of a date that was ahead.
  mutating func refused(_ lead: Int64, at address: String, _ now: NIODeadline) {
    let seconds = min(aheadMax(at: address, now) ?? .max, max(0, lead / 2))
    aheadLearned.remember((seconds, now), for: address, max: Self.relaysMax)
  }

  /// Records that a relay refused a date that should be right.
  /// - Returns: the number of such relays, if that is more than one and the journal does not have it yet.
  mutating func clockDoubted(at address: String, _ now: NIODeadline) -> Int? {
    clockDoubts = clockDoubts.filter { now - $0.value < Self.refusalLife }
    clockDoubts[address] = now
    let isKnown = clockWarnedAt.map { now - $0 < Self.refusalLife } ?? false
    guard clockDoubts.count > 1, !isKnown else { return nil }
    clockWarnedAt = now
    return clockDoubts.count
  }
}

// The dates of events: in order, and acceptable to relays.
extension NostrNetwork {
  /// The number of seconds by which events are dated ahead at most for the sake of their order where nothing is known of the relays.
  static let aheadMaxUnknown: Int64 = 60
  /// The number of seconds that an edition is dated ahead at most for the sake of other channels.
  private static let editionAheadMax: Int64 = 10

  /// The number of seconds by which a date may be ahead without being refused by the strictest of these relays, as far as that is known.
  func aheadMax(at relays: [String]) -> Int64 {
    relays.compactMap { url(of: $0).flatMap(aheadMax) }.reduce(Self.aheadMaxUnknown, min)
  }

  /// The same for one relay, by its own account and by its refusals, or `nil` if neither is known.
  func aheadMax(at url: RelayURL) -> Int64? {
    let learned = dates.withLockedValue { $0.aheadMax(at: url.text, .now()) }
    return [knownEventLimits(of: url)?.aheadMax, learned].compactMap { $0 }.min()
  }

  /// The trouble with an event that a relay does not accept yet, and for how long, or `nil` if it may accept the event.
  /// - Parameter date: in Unix seconds.
  func prematurity(of date: @autoclosure () -> Int64?, at address: String) -> (trouble: Trouble, wait: Duration)? {
    guard let max = url(of: address).flatMap(aheadMax), let date = date() else { return nil }
    let now = now()
    guard date > now, date - now > max else { return nil }
    let lead = date - now
    let words = "the event is dated \(lead) s ahead, and the relay accepts \(max) s at most: it is sent later"
    return (Trouble(.rejected, words), .seconds(lead - max))
  }

  /// Records a refusal of a date, and warns of this machine's clock if several relays refuse dates that should be right.
  func learn(_ refusal: DateRefusal, _ lead: Int64, _ isFresh: Bool, of url: RelayURL) {
    let now = NIODeadline.now()
    let doubters = dates.withLockedValue { dates in
      if refusal.isAhead(by: lead) { dates.refused(lead, at: url.text, now) }
      return refusal.isMatterOfClocks(at: lead, isFresh: isFresh) ? dates.clockDoubted(at: url.text, now) : nil
    }
    guard let doubters else { return }
    let words = "\(doubters) relays refuse the dates of new events, so the clock of this machine is probably wrong"
    logger.warning("\(words). Check it")
  }

  /// The date of a new post in a public channel: now, but after the latest post there and after the message that it answers, as far as
  /// relays accept that.
  /// - Parameters:
  ///   - answered: the date of that message, in Unix seconds.
  ///   - relays: the addresses of the relays that get it.
  func postDate(in channel: String, after answered: Int64?, at relays: [String]) -> Int64 {
    let now = now()
    let end = now + aheadMax(at: relays)
    return dates.withLockedValue { dates in
      // A date from further ahead was given before the clock was set back.
      let latest = dates.posts[channel].map { $0 > now + Self.aheadMaxUnknown ? now : min($0, end - 1) + 1 } ?? now
      // A date that is still before the message's date gains nothing.
      let reply = answered.map { $0 < end ? $0 + 1 : now } ?? now
      let date = max(now, latest, reply)
      dates.note(postAt: date, in: channel)
      return date
    }
  }

  /// Returns the date of a new edition: now, but after the edition before. Where channels share a key, also after the latest edition of any
  /// of them, if that is not far ahead: relays that keep one of them keep the newest, and of two of one second either.
  /// - Parameter relays: the addresses of the relays that get it.
  func editionDate(of content: ChannelContent, after before: Int64, at relays: [String]) -> Int64 {
    let now = now()
    guard content.sharesKey else { return max(now, before + 1) }
    let end = now + min(Self.editionAheadMax, aheadMax(at: relays))
    return dates.withLockedValue { dates in
      let date = max(now, before + 1, min(dates.editions[content.identity] ?? 0, end - 1) + 1)
      dates.editions[content.identity] = date
      return date
    }
  }
}
