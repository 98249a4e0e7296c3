internal import Channels
internal import RelayNetwork

/// Reads the messages of channels at one relay, as an anonymous reader would: new ones as they come, and earlier or missed ones page by
/// page. It stops asking while the messages that it has read are not processed.
struct FollowerMachine: SessionMachine {
  static let tickTime = Duration.seconds(5)
  private static let tickSeconds = 5
  /// The time after which a channel is read as a whole again, and after which that is tried again if it failed, in ticks.
  static let wholeTicks = 86_400 / tickSeconds
  static let retryTicks = 3_600 / tickSeconds

  let relay: RelayID
  private let limits: NostrLimits
  var keeper: ConnectionKeeper<FollowerMachine>
  var followed = FollowedChannels()
  var live: LiveReader
  var pages: PageReader
  var marks: MarkReader
  var profiles: ProfileReader
  var members: MemberReader
  var searches: SearchReader
  var outbox: MessageOutbox
  var seen = SeenEvents()
  /// The names of channels that are no longer followed, and of which events may have been seen.
  private var left: [String: ChannelID] = [:]
  /// The number of such names that are kept.
  private static let leftMax = 1_000
  /// Whether this connection is being used: before, the time of day must be known.
  private var isBegun = false
  /// The time of day at the latest tick, in Unix seconds.
  var now: Int64 = 0
  private var tickCount = 0
  private var isTicking = false
  /// The tick at which a channel is to be read as a whole again.
  private var nextWhole: [ChannelID: Int] = [:]
  /// The channels that cannot be heard, and since when, in Unix seconds.
  private var deaf: [ChannelID: Int64] = [:]
  /// The channels for whose reading someone waits.
  private var owed: Set<ChannelID> = []
  private var rubbish = 0
  var timeoutsInARow = 0
  private var lastNotice: String?

  /// - Parameters:
  ///   - batch: the number before the first batch's number.
  ///   - prefix: the beginning of the names of requests, because sessions may share a connection.
  init(relay: RelayID, limits: NostrLimits, salt: UInt64, batch: Int, prefix: String = "f") {
    self.relay = relay
    self.limits = limits
    live = LiveReader(limits: limits, prefix: prefix)
    pages = PageReader(limits: limits, prefix: prefix)
    marks = MarkReader(limits: limits, prefix: prefix)
    profiles = ProfileReader(limits: limits, prefix: prefix)
    members = MemberReader(limits: limits, prefix: prefix)
    searches = SearchReader(limits: limits, prefix: prefix)
    outbox = MessageOutbox(relay: relay, before: batch)
    keeper = ConnectionKeeper(limits: limits, salt: salt)
  }

  mutating func handle(_ event: Event) -> [Action] {
    let actions = answer(event)
    return actions + goOn()
  }

  private mutating func answer(_ event: Event) -> [Action] {
    switch event {
    case .follow(let channel): return follow(channel)
    case .unfollow(let id): return unfollow(id)
    case .took(let number):
      outbox.took(number)
      return []
    case .sync(let id):
      guard followed[id] != nil else { return [] }
      pages.read(id, again: true)
      members.want(id)
      owed.insert(id)
      guard let hold = keeper.hold else { return keeper.need() }
      fail(hold)
      return []
    case .heard(let news):
      for item in news { hear(item) }
      return []
    case .search(let search): return ask(search)
    case .members(let id):
      members.want(id, atOnce: true)
      return []
    case .lacks(let missing, let channel, let number):
      if let turn = pages.lacks(missing, in: channel, number: number) { take(turn) }
      return []
    case .time(let seconds): return told(seconds)
    case .opened:
      (rubbish, lastNotice, timeoutsInARow, isBegun) = (0, nil, 0, false)
      return keeper.opened() + [.expect(frames: max(0, limits.followedMax - limits.unaskedMax), bytes: 0), .own(.tellTime)]
    case .dialFailed(let failure):
      fail(failure.trouble)
      return keeper.lost(isBusy: false, atLeast: failure.retryAfter, because: failure.trouble)
    case .received(let message): return received(message)
    case .violated(let text):
      let trouble = Trouble(.protocol, text)
      fail(trouble)
      return lost() + [.hangUp] + keeper.lost(isBusy: false)
    case .flooded(let text):
      guard keeper.state == .open else { return [] }
      let trouble = Trouble(.misbehaving, text)
      fail(trouble)
      return lost() + [.hangUp] + keeper.flooded(because: trouble)
    case .closed(let code, let reason):
      guard keeper.state == .open else { return [] }
      let ended = lost() + keeper.lost(isBusy: true)
      // After a connection that held, another follows soon.
      if keeper.failures > 1 { fail(Trouble(.unreachable, Self.ending(code, reason))) }
      return ended
    case .timerFired(let timer): return fired(timer)
    }
  }

  /// Asks for the next data, and reports the data that was read.
  private mutating func goOn() -> [Action] {
    var actions = outbox.flush(isPartial: !pages.isUnderWay)
    guard keeper.state == .open, isBegun else { return actions }
    actions += live.askNext(followed)
    if live.isSettled { actions += marks.askNext() }
    guard outbox.isEmpty else { return actions }
    actions += searches.askNext(followed)
    if live.isSettled { actions += members.askNext(followed) }
    if let turn = pages.goOn() { take(turn) }
    actions +=
      outbox.flush(isPartial: true)
      + pages.askNext(followed, seen, mayBegin: live.isSettled, most: live.size.most, now: now)
    guard live.isSettled, !pages.isUnderWay || profiles.isFull else { return actions }
    return actions + profiles.askNext { followed[$0] != nil }
  }

  // MARK: - The followed channels

  private mutating func follow(_ channel: ChannelReading) -> [Action] {
    let known = followed[channel.id]
    guard known != channel else { return [] }
    followed.insert(channel)
    guard known?.networkID != channel.networkID || known?.window != channel.window else { return [] }
    // If a channel was left and comes back under another id, its earlier messages have been forgotten, so they are reported again.
    let earlier = left.removeValue(forKey: channel.networkID)
    pages.read(channel.id, again: earlier.map { $0 != channel.id } ?? false)
    members.want(channel.id)
    owed.insert(channel.id)
    let ticking: [Action] = isTicking ? [] : [.setTimer(.tick, after: Self.tickTime)]
    isTicking = true
    return ticking + [.cancelTimer(.idle)] + (isBegun ? live.add(channel.id) : keeper.need())
  }

  private mutating func unfollow(_ id: ChannelID) -> [Action] {
    guard let channel = followed[id] else { return [] }
    if left.count >= Self.leftMax { (left, seen) = ([:], SeenEvents()) }
    left[channel.networkID] = id
    followed.remove(id)
    (nextWhole[id], deaf[id]) = (nil, nil)
    owed.remove(id)
    marks.remove(id)
    profiles.forget(id)
    let actions = searches.remove(id) + pages.remove(id) + (isBegun ? live.changed() : [])
    return actions + (followed.isEmpty && keeper.state == .open ? [.setTimer(.idle, after: limits.idleTimeout)] : [])
  }

  // MARK: - Time and connection

  private mutating func told(_ seconds: Int64) -> [Action] {
    now = max(0, seconds)
    guard keeper.state == .open, !isBegun else { return [] }
    isBegun = true
    live.begin(followed.all.keys.sorted())
    marks.reset()
    profiles.reset()
    members.reset()
    for id in followed.all.keys.sorted() { members.want(id) }
    return followed.isEmpty ? [.setTimer(.idle, after: limits.idleTimeout)] : []
  }

  private mutating func fired(_ timer: Timer) -> [Action] {
    switch timer {
    case .tick: return ticked()
    case .gather: return isBegun ? live.gathered(followed) : []
    case .answer:
      let (actions, channels) = live.timedOut()
      notHeard(channels)
      return actions + silent(channels)
    // Some relays ignore requests for deletions and reactions, and answer all others.
    case .answerMarks: return marks.timedOut()
    case .answerProfiles: return profiles.timedOut()
    case .answerMembers: return members.timedOut()
    case .answerSearch: return searchTimedOut(silence)
    case .answerHistory:
      let (actions, turn) = pages.timedOut(silence)
      if let turn { take(turn) }
      return actions + silent([])
    case .reconnect:
      keeper.waited()
      return followed.isEmpty ? [] : keeper.need()
    case .idle:
      guard keeper.state == .open, followed.isEmpty else { return [] }
      keeper.closedOnPurpose()
      return lost() + [.hangUp]
    case .stable:
      keeper.lasted()
      return []
    }
  }

  private mutating func ticked() -> [Action] {
    isTicking = !followed.isEmpty
    guard isTicking else { return [] }
    tickCount += 1
    live.tick()
    marks.tick()
    profiles.tick()
    members.tick()
    // Once a minute is often enough.
    if tickCount % (60 / Self.tickSeconds) == 0 {
      let due = nextWhole.filter { $0.value <= tickCount }.keys.sorted { $0.rawValue < $1.rawValue }
      for id in due {
        nextWhole[id] = nil
        pages.read(id, again: false)
        members.want(id)
      }
    }
    let next = Action.setTimer(.tick, after: Self.tickTime)
    guard keeper.state == .open else { return [next] }
    let more = max(0, limits.followedPerSecond - limits.unaskedPerSecond) * Self.tickSeconds
    return [next, .expect(frames: more, bytes: 0), .own(.tellTime)]
  }

  private var silence: Trouble {
    let words = lastNotice.map { ". The relay said: \($0)" } ?? ""
    return Trouble(.timeout, "no answer to a request within \(limits.readTimeout.wholeMilliseconds) ms\(words)")
  }

  /// Notes that a request was not answered. A relay that answers nothing is left.
  private mutating func silent(_ channels: [ChannelID]) -> [Action] {
    guard keeper.state == .open else { return [] }
    timeoutsInARow += 1
    let isMute = timeoutsInARow > 1
    fail(silence, isMute ? nil : channels)
    guard isMute else { return [] }
    return lost() + [.hangUp] + keeper.lost(isBusy: false)
  }

  /// Forgets the requests under way, because the connection is gone.
  private mutating func lost() -> [Action] {
    guard isBegun else { return [] }
    isBegun = false
    notHeard(Array(followed.all.keys))
    live.end()
    marks.reset()
    profiles.reset()
    members.reset()
    pages.interrupt()
    searchLost()
    let timers: [Timer] = [
      .answer, .answerMarks, .answerHistory, .answerProfiles, .answerMembers, .answerSearch, .gather,
    ]
    return timers.map(Action.cancelTimer)
  }

  private mutating func notHeard(_ channels: [ChannelID]) {
    for id in channels where followed[id] != nil { deaf[id] = min(deaf[id] ?? now, now) }
  }

  /// Reports to everyone who waits that the relay could not be asked. Their requests are still carried out later.
  private mutating func fail(_ trouble: Trouble, _ channels: [ChannelID]? = nil) {
    for id in (channels ?? Array(owed)).sorted(by: { $0.rawValue < $1.rawValue }) where owed.remove(id) != nil {
      outbox.end(.synced(channel: id, relay: relay, .failed(trouble)))
    }
    if channels == nil { failSearches(trouble) }
  }

  private mutating func take(_ turn: PageReader.Turn) {
    switch turn {
    case .ended(let id, let outcome): finish(id, outcome)
    case .compares(let id, let number, let served):
      let inventory = MessageInventory(network: .nostr, channel: id, relay: relay, number: number, served: served)
      outbox.end(.served(inventory))
    case .unheard(let channels):
      // A reading of the whole channel asks for them too.
      for id in channels where followed[id] != nil {
        nextWhole[id] = min(nextWhole[id] ?? .max, tickCount + Self.retryTicks)
      }
    }
  }

  /// Reports the outcome of reading a whole channel.
  private mutating func finish(_ id: ChannelID, _ outcome: MessageSync) {
    // If the channel was requested again during this reading, the next reading has the answer: this one may have begun before the request.
    guard followed[id] != nil, !pages.waits(for: id) else { return }
    owed.remove(id)
    var ticks = Self.wholeTicks
    if case .failed(let trouble) = outcome, trouble.cause.mayPass { ticks = Self.retryTicks }
    nextWhole[id] = tickCount + ticks
    outbox.end(.synced(channel: id, relay: relay, outcome))
  }

  // MARK: - Messages from the relay

  private mutating func received(_ message: RelayMessage?) -> [Action] {
    switch message {
    case nil:
      rubbish += 1
      guard rubbish >= limits.rubbishMax else { return [] }
      return answer(.violated("the relay sends messages that are not JSON"))
    case .event(let name, let event): return take(event, name)
    case .endOfStored(let name, let hint):
      if pages.asks(name) {
        timeoutsInARow = 0
        return pages.served(hint)
      }
      if marks.asks(name) {
        timeoutsInARow = 0
        return marks.served(name)
      }
      if profiles.asks(name) {
        let (news, actions) = profiles.served()
        outbox.add(news)
        return actions
      }
      if members.asks(name) { return membersServed() }
      if searches.asks(name) { return searchServed() }
      guard live.asks(name) else { return [] }
      timeoutsInARow = 0
      let (actions, channels) = live.served(name, followed)
      for id in channels {
        if let since = deaf.removeValue(forKey: id) { pages.read(id, since: since) }
      }
      return actions
    case .closed(let name, let text):
      if pages.asks(name) {
        timeoutsInARow = 0
        if let turn = pages.closed(text) { take(turn) }
        return [.cancelTimer(.answerHistory)]
      }
      if marks.asks(name) {
        timeoutsInARow = 0
        return marks.closed(name, text)
      }
      if profiles.asks(name) { return profiles.closed() }
      if members.asks(name) { return members.closed() }
      if searches.asks(name) { return searchClosed(text) }
      guard live.asks(name) else { return [] }
      timeoutsInARow = 0
      let (actions, channels) = live.closed(name, text)
      notHeard(channels)
      for id in channels where followed[id] != nil {
        owed.remove(id)
        outbox.end(.synced(channel: id, relay: relay, .failed(ClosedRequest(text).trouble)))
      }
      return actions
    case .notice(let text):
      lastNotice = text
      return []
    case .unreadable(let name?, let createdAt, let bytes) where pages.asks(name):
      return pages.takeUnreadable(createdAt: createdAt, bytes: bytes)
    case .ok, .challenge, .unreadable, .other: return []
    }
  }

  private mutating func take(_ event: NostrEvent, _ name: String) -> [Action] {
    if pages.asks(name) {
      let (found, actions) = pages.take(event, seen)
      switch found {
      case .said(let event, let isAgain):
        if event.kind == NostrPost.channelMessageKind, let channel = followed.channel(of: event) {
          pages.wantMarks(of: event.id, in: channel.id)
        }
        tell(event, isLive: false, isAgain: isAgain)
      case .mark(let event, let about, let isAgain):
        if event.kind == NostrPost.reactionKind, let id = event.reactionTarget.flatMap({ about[$0] }) {
          pages.wantMarks(of: event.id, in: id, isReaction: true)
        }
        tell(event, about: about, isLive: false, isAgain: isAgain)
      case nil: break
      }
      return actions
    }
    if profiles.asks(name) {
      profiles.take(event)
      return []
    }
    if members.asks(name) {
      members.take(event)
      return []
    }
    if searches.asks(name) {
      takeFound(event)
      return []
    }
    hearLive(event, name)
    return []
  }
}
