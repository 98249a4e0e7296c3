internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Reads channels and posts back from one relay as an anonymous reader would, and watches whether the relay can be reached. Posts have
/// their own REQ, in parallel with the one for channels, and so have comparisons with a channel's posts at the relay.
struct ReaderMachine: SessionMachine {
  private let relay: RelayID
  private let limits: NostrLimits
  /// The prefix of this session's request names, because sessions may share a connection.
  private let prefix: String
  private var keeper: ConnectionKeeper<ReaderMachine>
  private var isWatched = false
  /// Whether it was reported as up, or `nil` if nothing was reported yet.
  private var reportedUp: Bool?
  /// The time that it took to open the present connection.
  private var roundTrip = Duration.zero
  /// The cause with which the relay was reported as down.
  private var reportedCause: Cause?
  private var queue: [SessionOperation] = []
  /// The channels that the REQ under way asks for.
  private var batch = ReadBatch()
  private var subscription: String?
  private var subscriptionNumber = 0
  /// The filter of the REQ under way, and the number of events of the batch that it asks for.
  private var asking: (filter: JSONValue, count: Int)?
  /// The filters that follow it.
  private var filters: [JSONValue] = []
  /// The requests that were already sent for this batch.
  private var asked: Set<JSONValue> = []
  /// The number of events that one REQ may ask for.
  private var size: RequestSize
  /// Whether the relay is asked for editions later than the newest one. A relay that does not answer is not asked again.
  private var asksForLater = true
  /// The number of channels that the latest REQ asked for: with several, the next one waits for company.
  private var latestBatch = 0
  private var posts: PostReader
  private var history: HistoryReader
  private var groups: GroupStateReader
  private var isGathering = false
  private var rubbish = 0
  private var timeoutsInARow = 0
  private var lastNotice: String?

  init(relay: RelayID, limits: NostrLimits, salt: UInt64, prefix: String = "b") {
    self.relay = relay
    self.limits = limits
    self.prefix = prefix
    size = RequestSize(most: limits.readBatchMax)
    posts = PostReader(limits: limits, prefix: prefix)
    history = HistoryReader(limits: limits, prefix: prefix)
    groups = GroupStateReader(limits: limits, prefix: prefix)
    keeper = ConnectionKeeper(limits: limits, salt: salt)
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .submitted(let item): return submitted(item)
    case .compare(let question): return compare(question)
    case .watched(let isWatched): return watched(isWatched)
    case .opened(let roundTrip):
      self.roundTrip = roundTrip
      let opened = keeper.opened()
      (rubbish, lastNotice, timeoutsInARow, latestBatch, isGathering, asksForLater) = (0, nil, 0, 0, false, true)
      size.connected()
      posts.opened()
      // A relay that floods would go up and down all the time, so it is up only once the connection has held.
      return opened + (keeper.floods > 0 ? [] : up(roundTrip)) + askNext() + posts.askNext()
        + history.askNext() + groups.askNext()
    case .dialFailed(let failure):
      let failed = queue
      queue = []
      return failed.map { .report($0.report(failure.outcome)) } + posts.endAll(DeliveryOutcome(failure.outcome))
        + history.endAll(failure.trouble) + groups.endAll(DeliveryOutcome(failure.outcome)) + down(failure.trouble)
        + keeper.lost(isBusy: false, atLeast: failure.retryAfter, because: failure.trouble)
    case .received(let message): return received(message)
    case .violated(let text):
      let trouble = Trouble(.protocol, text)
      return endRequests(.misbehaved(trouble), trouble) + [.hangUp] + down(trouble) + keeper.lost(isBusy: hasWaiting)
    case .flooded(let text):
      guard keeper.state == .open else { return [] }
      let trouble = Trouble(.misbehaving, text)
      let waiting = queue
      queue = []
      let actions = keeper.flooded(because: trouble)
      let outcome = RelayOutcome.troubled(trouble, retryAfter: keeper.floodWait)
      let ended =
        endBatch(outcome) + waiting.map { .report($0.report(outcome)) } + posts.endAll(DeliveryOutcome(outcome))
        + history.endAll(trouble) + groups.endAll(DeliveryOutcome(outcome))
      return ended + [.hangUp] + down(trouble) + actions
    case .closed(let code, let reason):
      guard keeper.state == .open else { return [] }
      let trouble = Trouble(.unreachable, Self.ending(code, reason))
      return endRequests(.troubled(trouble, retryAfter: nil), trouble) + down(trouble) + keeper.lost(isBusy: hasWaiting)
    case .timerFired(let timer): return fired(timer)
    }
  }

  private mutating func submitted(_ item: SessionOperation) -> [Action] {
    guard (item.delivery == nil ? queue.count : posts.count + groups.count) < limits.queueMax else {
      let trouble = Trouble(.timeout, "too many operations wait for this relay")
      return [.report(item.report(.troubled(trouble, retryAfter: .seconds(30))))]
    }
    if let hold = keeper.hold { return [.postpone(item, hold)] }
    if item.pin != nil || item.membership != nil {
      groups.add(item)
      return keeper.state == .open ? groups.askNext() : keeper.need()
    }
    if item.delivery != nil {
      posts.add(item)
      return keeper.state == .open ? posts.askNext() : keeper.need()
    }
    queue.append(item)
    return keeper.state == .open ? askNext() : keeper.need()
  }

  private mutating func compare(_ question: HistoryQuestion) -> [Action] {
    if let hold = keeper.hold { return [.report(question.report(.failed(hold)))] }
    let refused = history.add(question)
    return refused + (keeper.state == .open ? history.askNext() : keeper.need())
  }

  private var hasWaiting: Bool {
    !queue.isEmpty || posts.hasWaiting || history.hasWaiting || groups.hasWaiting
  }

  private mutating func watched(_ isWatched: Bool) -> [Action] {
    guard isWatched != self.isWatched else { return [] }
    self.isWatched = isWatched
    (reportedUp, reportedCause) = (nil, nil)
    guard isWatched else {
      return keeper.state == .open ? rest() : []
    }
    return [.cancelTimer(.idle)] + (keeper.state == .open ? up(.zero) : keeper.need())
  }

  private mutating func askNext() -> [Action] {
    guard keeper.state == .open, subscription == nil else { return [] }
    guard !queue.isEmpty else { return isWatched ? [] : [.setTimer(.idle, after: limits.idleTimeout)] }
    if latestBatch > 1, queue.count < size.most {
      guard !isGathering else { return [] }
      isGathering = true
      return [.cancelTimer(.idle), .setTimer(.gather, after: limits.gatherTime)]
    }
    return ask()
  }

  /// Asks for waiting operations, as many as fit.
  private mutating func ask() -> [Action] {
    isGathering = false
    let count = min(queue.count, size.most)
    latestBatch = count
    var taken = 0
    // Relays serve only this many events for one request.
    while taken < count, batch.eventCount < size.most {
      batch.add(queue[taken])
      taken += 1
    }
    queue.removeFirst(taken)
    // If a relay accepts only one id in a REQ, each event is asked for alone.
    filters = size.most == 1 && batch.eventCount > 1 ? [] : batch.filters
    if asksForLater, let later = batch.laterEditions { filters.append(later) }
    return [.cancelTimer(.idle), .cancelTimer(.gather)] + goOn()
  }

  private mutating func request(_ filter: JSONValue, count: Int = 1) -> [Action] {
    subscriptionNumber += 1
    let name = "\(prefix)\(subscriptionNumber)"
    (subscription, asking) = (name, (filter, count))
    asked.insert(filter)
    return [.send(ClientMessage.request(name, [filter])), .setTimer(.answer, after: limits.readTimeout)]
  }

  /// Asks for the rest of the batch, or ends it.
  private mutating func goOn() -> [Action] {
    guard filters.isEmpty else {
      let next = filters.removeFirst()
      return request(next, count: next == batch.laterEditions ? 1 : batch.eventCount)
    }
    return askForTheRest() ?? askOn() ?? endBatch(nil) + askNext()
  }

  /// Some relays serve fewer events for a request than they are asked for, or refuse a request because of its form. An event that a REQ for
  /// several did not bring is asked for once more, alone, before anything counts.
  private mutating func askForTheRest() -> [Action]? {
    batch.questions.first { !asked.contains($0) }.map { request($0) }
  }

  /// Asks for an author's editions, which must be known before channels without their newest edition are decided.
  private mutating func askOn() -> [Action]? { batch.askOn().map { request($0) } }

  /// Whether the REQ under way is so plain that its refusal, or silence, is an answer about the events that it asks for.
  private var isPlain: Bool { batch.isAskingOn || asking.map { batch.questions.contains($0.filter) } ?? false }

  /// Continues after a REQ whose refusal, or silence, is not an answer about channels.
  private mutating func passOver() -> [Action] {
    if let asking { size.refused(asking.count) }
    return goOn()
  }

  private mutating func received(_ message: RelayMessage?) -> [Action] {
    switch message {
    case nil:
      rubbish += 1
      guard rubbish >= limits.rubbishMax else { return [] }
      return handle(.violated("the relay sends messages that are not JSON"))
    case .event(let name, let event) where posts.asks(name): return posts.take(event)
    case .endOfStored(let name, _) where posts.asks(name):
      heard()
      return posts.served() + askForPosts()
    case .closed(let name, let text) where posts.asks(name):
      heard()
      return posts.closed(text) + askForPosts()
    case .event(let name, let event) where history.asks(name): return history.take(event) + askForHistory()
    case .endOfStored(let name, let hint) where history.asks(name):
      heard()
      return history.served(hint) + askForHistory()
    case .closed(let name, let text) where history.asks(name):
      heard()
      return history.closed(text) + askForHistory()
    case .event(let name, let event) where groups.asks(name):
      groups.take(event)
      return []
    case .endOfStored(let name, _) where groups.asks(name):
      heard()
      return groups.served() + askForGroups()
    case .closed(let name, let text) where groups.asks(name):
      heard()
      return groups.closed(text) + askForGroups()
    case .event(let name, let event):
      guard name == subscription else { return [] }
      let stray = StrayEdition(networkID: event.id, signedAt: event.createdAt)
      let strays = batch.strays(event).map { Action.report(.stray(channel: $0.channel, relay: $0.relay, stray)) }
      return strays + batch.take(event).map(report)
    case .endOfStored(let name, _):
      guard name == subscription else { return [] }
      heard()
      if let asking { size.took(asking.count) }
      return [.send(ClientMessage.close(name))] + goOn()
    case .closed(let name, let text):
      guard name == subscription else { return [] }
      heard()
      let closed = ClosedRequest(text)
      // A relay that limits the rate gets no further requests. A demand for AUTH holds for all channels alike, except where the relay makes
      // it because of the form in which later editions are asked for.
      let isForAll = closed.trouble.cause == .authRequired && asking?.filter != batch.laterEditions
      guard isPlain || isForAll || closed.trouble.cause == .rateLimited else { return passOver() }
      guard case .refused = closed.outcome, !batch.isAskingOn, !isForAll, let asking else {
        return endBatch(closed.outcome) + askNext()
      }
      return batch.fail(asking.filter, closed.outcome).map(report) + goOn()
    case .notice(let text):
      lastNotice = text
      return []
    case .unreadable(let name?, let createdAt, let bytes) where history.asks(name):
      return history.takeUnreadable(createdAt: createdAt, bytes: bytes) + askForHistory()
    case .ok, .challenge, .unreadable, .other: return []
    }
  }

  private mutating func fired(_ timer: Timer) -> [Action] {
    switch timer {
    case .answer:
      guard let name = subscription else { return [] }
      timeoutsInARow += 1
      let trouble = silence
      let closing = [Action.send(ClientMessage.close(name))]
      guard timeoutsInARow < 2 else { return closing + leave(trouble) }
      guard !isPlain else { return closing + endBatch(.troubled(trouble, retryAfter: nil)) + askNext() }
      if asking?.filter == batch.laterEditions { asksForLater = false }
      // The plainest question comes next, to tell a relay that ignores long requests from a relay that answers nothing.
      filters = []
      return closing + passOver()
    case .answerPosts:
      guard keeper.state == .open else { return [] }
      let trouble = silence
      let actions = posts.timedOut(trouble)
      return posts.timeoutsInARow < 2 ? actions + askForPosts() : actions + leave(trouble)
    case .answerHistory: return keeper.state == .open ? history.timedOut(silence) + askForHistory() : []
    case .answerPins: return keeper.state == .open ? groups.timedOut(silence) + askForGroups() : []
    case .reconnect:
      keeper.waited()
      return isWatched || hasWaiting ? keeper.need() : []
    case .idle:
      guard keeper.state == .open, isDone else { return [] }
      keeper.closedOnPurpose()
      return [.hangUp]
    case .stable:
      keeper.lasted()
      return keeper.state == .open ? up(roundTrip) : []
    case .gather:
      isGathering = false
      guard keeper.state == .open, subscription == nil, !queue.isEmpty else { return [] }
      return ask()
    case .gatherPosts: return keeper.state == .open ? posts.gathered() : []
    }
  }

  private var silence: Trouble {
    let words = lastNotice.map { ". The relay said: \($0)" } ?? ""
    return Trouble(.timeout, "no answer to a request within \(limits.readTimeout.wholeMilliseconds) ms\(words)")
  }

  /// Notes that the relay answers requests: it is left only if it answers nothing at all. Channels and posts count the requests that were
  /// not answered each for themselves, so that two that are under way together do not count twice.
  private mutating func heard() {
    timeoutsInARow = 0
    posts.heard()
  }

  /// Leaves a relay that answers nothing.
  private mutating func leave(_ trouble: Trouble) -> [Action] {
    endRequests(.troubled(trouble, retryAfter: nil), trouble) + [.hangUp] + down(trouble) + keeper.lost(isBusy: hasWaiting)
  }

  /// Continues with posts, or lets the connection rest if nothing is left to read.
  private mutating func askForPosts() -> [Action] {
    let asked = posts.askNext()
    return asked + (posts.isIdle ? rest() : [])
  }

  /// The same for comparisons.
  private mutating func askForHistory() -> [Action] {
    guard history.isIdle || history.hasWaiting else { return [] }
    let asked = history.askNext()
    return asked + (history.isIdle ? rest() : [])
  }

  /// The same for pinned posts.
  private mutating func askForGroups() -> [Action] {
    let asked = groups.askNext()
    return asked + (groups.isIdle ? rest() : [])
  }

  /// Whether no one needs the connection.
  private var isDone: Bool {
    !isWatched && !hasWaiting && subscription == nil && posts.isIdle && history.isIdle && groups.isIdle
  }

  private func rest() -> [Action] { isDone ? [.setTimer(.idle, after: limits.idleTimeout)] : [] }

  /// Ends the requests under way, because the connection is gone.
  private mutating func endRequests(_ outcome: RelayOutcome, _ trouble: Trouble) -> [Action] {
    endBatch(outcome) + posts.end(DeliveryOutcome(outcome)) + history.end(trouble) + groups.end(DeliveryOutcome(outcome))
  }

  /// Ends the REQ under way. Operations that it did not decide get `outcome`, where `nil` means that the relay has served all it has.
  private mutating func endBatch(_ outcome: RelayOutcome?) -> [Action] {
    guard subscription != nil else { return [] }
    (subscription, asking, filters, asked) = (nil, nil, [], [])
    let open = outcome.map { batch.fail($0) } ?? batch.finish()
    return [.cancelTimer(.answer)] + open.map(report)
  }

  private mutating func up(_ roundTrip: Duration) -> [Action] {
    guard isWatched, reportedUp != true else { return [] }
    (reportedUp, reportedCause) = (true, nil)
    return [.report(.relayUp(relay, roundTrip: roundTrip))]
  }

  private mutating func down(_ trouble: Trouble) -> [Action] {
    // A relay that was stopped and started with an expired certificate is down for another reason now.
    guard isWatched, reportedUp != false || reportedCause != trouble.cause else { return [] }
    (reportedUp, reportedCause) = (false, trouble.cause)
    return [.report(.relayDown(relay, trouble))]
  }

  private func report(_ operation: RelayOperation, _ outcome: RelayOutcome) -> Action {
    .report(operation.report(outcome))
  }
}
