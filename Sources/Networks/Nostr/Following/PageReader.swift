internal import Channels
internal import DequeModule
internal import RelayNetwork

/// Pages through channels' messages at one relay, one reading at a time, and asks for the deletions and reactions of the events that it
/// found. It is a part of `FollowerMachine`.
struct PageReader: Sendable {
  /// The bytes of one page for which a relay gets credit, in addition to the number of its events.
  static let pageBytesMax = 16 << 20
  /// The seconds before the connection was lost from which the relay is asked again.
  static let overlap: Int64 = 900
  /// The number of events of which one REQ asks for deletions and reactions.
  static let marksMax = 100
  /// The number of reactions of which one reading asks for deletions.
  static let reactionsMax = 2 * MessageInventory.missingMax
  /// The seconds ahead that differing clocks explain, and the number of later events that one reading accepts: strangers can date any
  /// number of events ahead, and these would be served first.
  static let aheadSeconds: Int64 = 3_600
  static let aheadMax = 500
  /// After so many events of a page the relay gets more time for the rest.
  private static let eventsPerTimer = 100
  private static let secondsPerDay: Int64 = 86_400

  private enum Subject: Hashable, Sendable {
    /// All of a channel within its window.
    /// - again: whether to report also events that were reported before.
    case whole(ChannelID, again: Bool)
    /// Messages in these channels from the time when they could not be heard, each since this Unix second.
    case missed([ChannelID: Int64])
    /// Deletions and reactions of messages that other relays have served.
    case heard(Set<ChannelID>)

    var isAgain: Bool { if case .whole(_, again: true) = self { true } else { false } }
  }

  /// The subject of the REQs under way.
  private enum Step: Hashable, Sendable {
    case messages
    /// Nothing: the served messages are being compared with the messages served before.
    case comparison(number: Int)
    /// Deletions and reactions of messages, or deletions of reactions.
    case marks([String: ChannelID], isOfReactions: Bool)
  }

  private struct Reading: Sendable {
    let subject: Subject
    /// Whether it is of channels, whose deletions do not name them.
    let isOfChannels: Bool
    var step = Step.messages
    var pager: HistoryPager
    /// The number of messages after which there are enough.
    let countMax: Int
    var count = 0
    /// The date, in Unix seconds, of which later events do not count among these, or `nil` once those are left out.
    var horizon: Int64?
    /// The number of events of any kind after it.
    var aheadCount = 0
    /// The messages that were found before those were left out.
    var served: Set<String> = []
    /// The messages and reactions whose deletions and reactions were not asked for yet. Only where these do not name their channel.
    var messages: Deque<(id: String, channel: ChannelID)> = []
    var reactions: Deque<(id: String, channel: ChannelID)> = []
    /// All reactions that were ever wanted: stored ones are found again.
    var reactionsWanted: Set<String> = []
  }

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  private var subscription: String?
  private var comparisonNumber = 0
  /// The number of events that the present page has brought.
  private var eventCount = 0
  private var reading: Reading?
  /// The number of events of which one REQ may ask for deletions and reactions.
  private var size = RequestSize(most: marksMax)
  /// Channels that wait to be read as a whole, oldest first, and whether to report events that were reported before.
  private var wholes: Deque<ChannelID> = []
  private var again: [ChannelID: Bool] = [:]
  /// The channels that could not be heard, and since when, in Unix seconds.
  private var missed: [ChannelID: Int64] = [:]
  /// The messages that other relays have served.
  private var heard: [ChannelID: StoredNames] = [:]
  private var heardCount = 0
  /// How much of that waits at most. The rest is asked for when its channel is read as a whole.
  static let heardMax = 20_000

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  /// Whether a page is being served.
  var isUnderWay: Bool { subscription != nil }

  /// Whether the REQ under way has this name.
  func asks(_ name: String) -> Bool { name == subscription }

  /// Wants all of a channel.
  /// - Parameter isAgain: whether to report also events that were reported before.
  mutating func read(_ channel: ChannelID, again isAgain: Bool) {
    if let known = again[channel] {
      again[channel] = known || isAgain
    } else {
      again[channel] = isAgain
      wholes.append(channel)
    }
  }

  /// Whether a channel waits to be read as a whole.
  func waits(for channel: ChannelID) -> Bool { again[channel] != nil }

  /// Wants the messages of a channel since it could not be heard, in Unix seconds.
  mutating func read(_ channel: ChannelID, since: Int64) {
    // A reading of the whole channel starts at the beginning.
    guard again[channel] == nil else { return }
    missed[channel] = min(missed[channel] ?? since, since)
  }

  /// Wants the deletions and reactions of a message that another relay has served.
  mutating func hear(_ id: String, in channel: ChannelID, isReaction: Bool = false) {
    guard heardCount < Self.heardMax else { return }
    heardCount += 1
    if isReaction {
      heard[channel, default: StoredNames()].reactions.append(id)
    } else {
      heard[channel, default: StoredNames()].messages.append(id)
    }
  }

  /// Forgets a channel that is no longer followed.
  mutating func remove(_ channel: ChannelID) -> [FollowerMachine.Action] {
    missed[channel] = nil
    if let names = heard.removeValue(forKey: channel) { heardCount -= names.messages.count + names.reactions.count }
    if again.removeValue(forKey: channel) != nil { wholes.removeAll { $0 == channel } }
    guard case .whole(channel, _)? = reading?.subject else { return [] }
    reading = nil
    return close()
  }

  /// Asks for the next page, unless one is asked for. The connection must be open.
  /// - Parameters:
  ///   - seen: the messages that the relay has served.
  ///   - mayBegin: whether another reading may begin.
  ///   - most: the number of channels that one REQ may ask for.
  ///   - now: Unix time in seconds.
  mutating func askNext(
    _ followed: FollowedChannels, _ seen: SeenEvents, mayBegin: Bool, most: Int, now: Int64
  ) -> [FollowerMachine.Action] {
    guard subscription == nil, !isComparing else { return [] }
    if reading == nil, mayBegin { reading = next(followed, most, now) }
    if reading == nil, mayBegin, !heard.isEmpty { readHeard(seen) }
    guard let query = reading?.pager.next(), let filter = reading?.pager.filter else { return [] }
    subscriptionNumber += 1
    let name = "\(prefix)h\(subscriptionNumber)"
    (subscription, eventCount) = (name, 0)
    return [
      .expect(frames: query.limit, bytes: Self.pageBytesMax), .send(ClientMessage.request(name, [filter.json(query)])),
      .setTimer(.answerHistory, after: limits.readTimeout),
    ]
  }

  /// Missed messages come first: they are news.
  private mutating func next(_ followed: FollowedChannels, _ most: Int, _ now: Int64) -> Reading? {
    // Authors may date their messages ahead.
    let horizon = now + Self.aheadSeconds
    let end = HistoryPager.endOfTime
    for kind in ChannelKind.allCases {
      let ids = missed.keys.filter { followed[$0]?.kind == kind }.sorted { $0.rawValue < $1.rawValue }
        .prefix(most)
      guard !ids.isEmpty else { continue }
      let subject = missed.filter { ids.contains($0.key) }
      for id in ids { missed[id] = nil }
      let since = min(max(0, (subject.values.min() ?? now) - Self.overlap), end)
      let pager = HistoryPager(
        filter: ChannelReading.filter(kind, ids.compactMap { followed[$0]?.networkID }), window: since...end,
        limits: Self.pageLimits(count: 10_000))
      return Reading(
        subject: .missed(subject), isOfChannels: kind == .channel, pager: pager, countMax: 10_000, horizon: horizon)
    }
    while let id = wholes.popFirst() {
      let isAgain = again.removeValue(forKey: id) ?? false
      guard let channel = followed[id] else { continue }
      let count = min(max(1, channel.window.count), 25_000)
      let span = channel.window.days.map { Int64(clamping: $0).multipliedReportingOverflow(by: Self.secondsPerDay) }
      let since = span.map { $0.overflow ? 0 : max(0, now - max(0, $0.partialValue)) } ?? 0
      let pager = HistoryPager(
        filter: ChannelReading.filter(channel.kind, [channel.networkID]), window: min(since, end)...end,
        limits: Self.pageLimits(count: count, in: channel.kind))
      return Reading(
        subject: .whole(id, again: isAgain), isOfChannels: channel.kind == .channel, pager: pager, countMax: count,
        horizon: horizon)
    }
    return nil
  }

  /// Messages that this relay has also served were asked for in their own reading, so this comes last.
  private mutating func readHeard(_ seen: SeenEvents) {
    let pager = HistoryPager(filter: HistoryFilter(kinds: [], tags: [:]), window: 0...0)
    reading = Reading(subject: .heard(Set(heard.keys)), isOfChannels: true, pager: pager, countMax: 0)
    for (channel, names) in heard.sorted(by: { $0.key < $1.key }) {
      for id in names.messages where !seen.contains(id) { wantMarks(of: id, in: channel) }
      for id in names.reactions where !seen.contains(id) { wantMarks(of: id, in: channel, isReaction: true) }
    }
    (heard, heardCount) = ([:], 0)
    _ = readMarks()
  }

  /// - Parameter count: the number of messages that are wanted. A second with half as many messages as a page is served four times, and
  ///   groups have reactions among their messages.
  private static func pageLimits(count: Int, in kind: ChannelKind = .channel) -> HistoryPager.Limits {
    var limits = HistoryPager.Limits()
    limits.pageSize = 200
    limits.queriesMax = 50 + count / (kind == .group ? 2 : 10)
    limits.eventsMax = min(50_000, (kind == .group ? 20 : 4) * count + 10_000)
    limits.bytesMax = 32 << 20
    return limits
  }

  // MARK: - Answers

  /// Handles an event that came under the name of the REQ.
  mutating func take(_ event: NostrEvent, _ seen: SeenEvents) -> (found: Found?, actions: [FollowerMachine.Action]) {
    guard let subject = reading?.subject, let step = reading?.step, let filter = reading?.pager.filter else { return (nil, []) }
    let isKnown = !subject.isAgain && seen.contains(event.id)
    let judgement = reading?.pager.take(id: event.id, createdAt: event.createdAt, bytes: event.roughBytes) {
      guard filter.matches(event) else { return .unasked }
      return isKnown || (try? event.verify()) != nil ? .new : .forged
    }
    let isAhead = countAhead(event.createdAt)
    var found: Found?
    if judgement == .new {
      switch step {
      case .messages:
        found = .said(event, again: subject.isAgain)
        let isMessage = event.kind == NostrPost.channelMessageKind || event.kind == NostrPost.groupMessageKind
        if isMessage, !isAhead { reading?.count += 1 }
      case .marks(let about, _): found = .mark(event, about, again: subject.isAgain)
      case .comparison: break
      }
    }
    return (found, taken())
  }

  /// Handles an unreadable event that came under the name of the REQ.
  mutating func takeUnreadable(createdAt: Int64?, bytes: Int) -> [FollowerMachine.Action] {
    reading?.pager.takeUnreadable(createdAt: createdAt, bytes: bytes)
    _ = countAhead(createdAt ?? 0)
    return taken()
  }

  /// Counts an event if it is further ahead than clocks differ.
  private mutating func countAhead(_ date: Int64) -> Bool {
    guard reading?.step == .messages, let horizon = reading?.horizon, date > horizon else { return false }
    reading?.aheadCount += 1
    return true
  }

  private mutating func taken() -> [FollowerMachine.Action] {
    eventCount += 1
    // A reading that has enough, or was served too much, does not wait for the rest of the page.
    if reading?.pager.ending != nil || isEnough || isCrowdedAhead { return close() }
    return eventCount % Self.eventsPerTimer == 0 ? [.setTimer(.answerHistory, after: limits.readTimeout)] : []
  }

  private var isComparing: Bool { if case .comparison? = reading?.step { true } else { false } }
  private var isEnough: Bool { reading.map { $0.step == .messages && $0.count >= $0.countMax } ?? false }

  private var isCrowdedAhead: Bool {
    reading.map { $0.step == .messages && $0.horizon != nil && $0.aheadCount >= Self.aheadMax } ?? false
  }

  /// Leaves out events that are dated far ahead, so that they use no room of the rest.
  /// - Returns: whether the reading continues with the rest.
  private mutating func passOverAhead() -> Bool {
    guard var passing = reading, let horizon = passing.horizon, passing.aheadCount > 0 else { return false }
    let pager = passing.pager
    passing.served = Set(pager.found.keys)
    (passing.horizon, passing.count) = (nil, 0)
    passing.pager = HistoryPager(
      filter: pager.filter, window: min(pager.window.lowerBound, horizon)...horizon, limits: pager.limits)
    reading = passing
    return true
  }

  /// Wants the deletions and reactions of a message that was found, or the deletion of a reaction.
  mutating func wantMarks(of id: String, in channel: ChannelID, isReaction: Bool = false) {
    guard isReaction else {
      reading?.messages.append((id, channel))
      return
    }
    guard let count = reading?.reactionsWanted.count, count < Self.reactionsMax else { return }
    if reading?.reactionsWanted.insert(id).inserted == true { reading?.reactions.append((id, channel)) }
  }

  /// Handles the end of a page.
  mutating func served(_ hint: StoredHint?) -> [FollowerMachine.Action] {
    reading?.pager.endPage(hint)
    if case .marks(let about, _)? = reading?.step { size.took(about.count) }
    return close()
  }

  /// Continues after a page: with missing messages, with the deletions and reactions of the messages found, or with the end.
  mutating func goOn() -> Turn? {
    guard subscription == nil, !isComparing, let step = reading?.step else { return nil }
    if isCrowdedAhead, !isEnough, passOverAhead() { return nil }
    guard isEnough || reading?.pager.ending != nil else { return nil }
    if case .gaveUp? = reading?.pager.ending, step == .messages, !isEnough {
      return passOverAhead() ? nil : end(.failed(Self.endless))
    }
    if step == .messages, let comparison = compare() { return comparison }
    return readMarks()
  }

  /// Asks which other messages are stored, if that can be known.
  private mutating func compare() -> Turn? {
    guard let reading, reading.isOfChannels, case .whole(let channel, _) = reading.subject else { return nil }
    comparisonNumber += 1
    self.reading?.step = .comparison(number: comparisonNumber)
    return .compares(channel, number: comparisonNumber, served: reading.served.union(reading.pager.found.keys))
  }

  /// Handles the answer to `Turn.compares`: this relay may have deletions and reactions of messages that it does not serve, too.
  mutating func lacks(_ missing: StoredNames, in channel: ChannelID, number: Int) -> Turn? {
    guard case .comparison(number)? = reading?.step, case .whole(channel, _)? = reading?.subject else { return nil }
    for id in missing.messages { wantMarks(of: id, in: channel) }
    for id in missing.reactions { wantMarks(of: id, in: channel, isReaction: true) }
    return readMarks()
  }

  private mutating func readMarks() -> Turn? {
    guard let marks = nextMarks() else { return end(.complete) }
    let kinds = marks.isOfReactions ? [NostrPost.deletionKind] : [NostrPost.deletionKind, NostrPost.reactionKind]
    var pageLimits = Self.pageLimits(count: 2_000)
    pageLimits.queriesMax = 50
    self.reading?.step = .marks(marks.about, isOfReactions: marks.isOfReactions)
    self.reading?.pager = HistoryPager(
      filter: HistoryFilter(kinds: Set(kinds), tags: ["e": Set(marks.about.keys)]), window: 0...HistoryPager.endOfTime,
      limits: pageLimits)
    return nil
  }

  private mutating func nextMarks() -> (about: [String: ChannelID], isOfReactions: Bool)? {
    guard let messages = reading?.messages, let reactions = reading?.reactions else { return nil }
    let isOfReactions = messages.isEmpty
    let batch = (isOfReactions ? reactions : messages).prefix(size.isInDoubt ? 1 : size.most)
    guard !batch.isEmpty else { return nil }
    if isOfReactions {
      reading?.reactions.removeFirst(batch.count)
    } else {
      reading?.messages.removeFirst(batch.count)
    }
    return (Dictionary(batch.map { ($0.id, $0.channel) }) { first, _ in first }, isOfReactions)
  }

  private static let endless = Trouble(.misbehaving, "the relay serves page after page of messages and comes to no end")

  /// Handles a REQ that the relay ended.
  /// - Returns: as of `goOn`.
  mutating func closed(_ text: String) -> Turn? {
    subscription = nil
    let trouble = ClosedRequest(text).trouble
    guard case .marks(let about, _)? = reading?.step, trouble.cause != .rateLimited else { return end(.failed(trouble)) }
    if asksForFewer() { return readMarks() }
    // The messages are there: a relay that shows no reactions to one of them never will.
    return end(trouble.cause.mayPass || about.count > 1 ? .failed(trouble) : .complete)
  }

  /// Puts back the events of a REQ for deletions and reactions, if it may have been too long. The next REQ is for a single event, to tell
  /// such a relay from a relay that shows no deletions and reactions.
  private mutating func asksForFewer() -> Bool {
    guard case .marks(let about, let isOfReactions)? = reading?.step else { return false }
    guard about.count > 1 else {
      size.connected()
      return false
    }
    size.refused(about.count)
    guard size.isInDoubt else { return false }
    for (id, channel) in about.sorted(by: { $0.key < $1.key }) {
      if isOfReactions { reading?.reactions.prepend((id, channel)) } else { reading?.messages.prepend((id, channel)) }
    }
    return true
  }

  /// Handles a REQ that was not answered in time.
  /// - Returns: the turn as of `goOn`.
  mutating func timedOut(_ trouble: Trouble) -> (actions: [FollowerMachine.Action], turn: Turn?) {
    let actions = close()
    return (actions, asksForFewer() ? readMarks() : end(.failed(trouble)))
  }

  /// The connection is gone: the present page is asked for again over the next one.
  mutating func interrupt() {
    subscription = nil
    size.connected()
  }

  private mutating func end(_ outcome: MessageSync) -> Turn? {
    guard let subject = reading?.subject else { return nil }
    reading = nil
    switch subject {
    case .whole(let id, _): return .ended(id, outcome)
    case .heard(let channels):
      if case .failed = outcome { return .unheard(channels) }
      return nil
    case .missed(let channels):
      // Each channel separately: the relay may refuse to show only one of them.
      if case .failed = outcome { for id in channels.keys.sorted(by: { $0.rawValue < $1.rawValue }) { read(id, again: false) } }
      return nil
    }
  }

  private mutating func close() -> [FollowerMachine.Action] {
    guard let name = subscription else { return [] }
    subscription = nil
    return [.send(ClientMessage.close(name)), .cancelTimer(.answerHistory)]
  }
}
