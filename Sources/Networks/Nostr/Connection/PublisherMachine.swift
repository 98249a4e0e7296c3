internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Publishes for one identity on one relay, events of its channels' own keys too. As many events are under way simultaneously as the relay
/// has proved to accept (`PublishingWindow`): just one where it answers under empty ids, is silent or limits the rate.
struct PublisherMachine: SessionMachine {
  private let address: String
  let limits: NostrLimits
  var keeper: ConnectionKeeper<PublisherMachine>
  /// The operations for channels that wait. They go before posts.
  var queue: Deque<SessionOperation> = []
  var posts = PostQueue()
  var inFlight = EventsInFlight()
  var window = PublishingWindow()
  /// The serial number of the latest event.
  var serial = 0
  /// The event for which the timer for answers runs.
  var awaited: Int?
  /// Whether the next event must keep its distance from the one before.
  var isPaced = false
  /// Whether an event is being signed. Later events wait, so that they do not overtake it.
  var isSigning = false
  /// The last event that was sent before it was known that the relay limits the rate.
  var limitedThrough = 0
  /// Answers under empty ids that came while several events were under way.
  var nameless: [Nameless] = []
  /// The REQ that checks whether the relay has an event that it did not acknowledge.
  var readBack: (name: String, event: EventInFlight)?
  /// The REQ for the list of pinned posts that is to be changed.
  var pinReading: PinReading?
  /// Operations whose OK did not come in time. A late one still counts.
  var overdue: [String: SessionOperation] = [:]
  private static let overdueMax = 64
  static let authenticationRoundsMax = 2
  /// The date of the latest post of a group: the next one is dated after it, so that readers see them in order.
  private var latestDate: Int64 = .min
  /// The number of seconds by which posts of groups are dated ahead at most for that.
  private static let groupAheadMax: Int64 = 10
  /// The groups that the relay was asked for, until it lets their owner change them.
  var creations: [ChannelID: Creation] = [:]
  static let creationsMax = 1_000
  /// The number of refusals that may mean that the relay still sets up a new group. The waits after them add up to 31 s.
  static let earlyRefusalsMax = 5
  var challenge: String?
  var isChallengeAnswered = false
  /// Whether AUTH was done with the identity's key on this connection.
  var isIdentityKnown = false
  var authenticationID: String?
  var rubbish = 0
  var timeoutsInARow = 0
  var lastNotice: String?
  /// Whether the relay accepted the latest event without an answer, so that the next answer is not awaited for long.
  var isMute = false
  /// Events of this connection that timed out: an OK under an empty id may still be theirs.
  var unanswered = 0

  struct Creation {
    /// Whether the relay accepted the event that creates the group, and did not report that there is one already.
    var isOurs = false
    var refusals = 0
  }

  struct Nameless {
    let isAccepted: Bool
    let text: String
  }

  init(address: String, limits: NostrLimits, salt: UInt64) {
    self.address = address
    self.limits = limits
    keeper = ConnectionKeeper(limits: limits, salt: salt)
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .submitted(let item): return submitted(item)
    case .cancelled(let channel): return cancelled(channel)
    case .abandoned(let slots): return abandoned(slots)
    case .released(let turn):
      posts.release(turn)
      return sendNext()
    case .opened:
      let opened = keeper.opened()
      window.connected()
      (unanswered, isIdentityKnown) = (0, false)
      (challenge, isChallengeAnswered, authenticationID, rubbish, lastNotice) = (nil, false, nil, 0, nil)
      isSigning = false
      return opened + sendNext()
    case .dialFailed(let failure): return failAll(failure)
    case .received(let message): return received(message)
    case .violated(let text): return broken(.misbehaved(Trouble(.protocol, text))) + [.hangUp] + reconnect()
    case .flooded(let text): return flooded(Trouble(.misbehaving, text))
    case .closed(let code, let reason): return closed(code, reason)
    case .timerFired(let timer): return fired(timer)
    case .published(let id):
      if let id {
        inFlight.signed(as: id)
        return []
      }
      guard let unsigned = inFlight.all.first(where: \.eventID.isEmpty) else { return [] }
      return finish(unsigned, .refused(Trouble(.authRequired, NostrNetwork.noKey)))
    case .authenticationSent(let id?):
      authenticationID = id
      return []
    case .authenticationSent(nil): return unidentified()
    case .dated(let post, let number, let now, let ahead):
      // A date from further ahead was given before the clock was set back.
      let next = latestDate > now + Self.groupAheadMax ? now : latestDate + 1
      let date = max(now, min(next, now + min(ahead, Self.groupAheadMax)))
      guard let item = posts.date(post, number, at: date) else { return [] }
      latestDate = date
      return [report(item, .handedOver)]
    case .signed(let id, let text, let seconds): return signed(id, text, at: seconds)
    }
  }

  // MARK: - Sending

  /// Sends as many events as the window has room for.
  mutating func sendNext() -> [Action] {
    guard keeper.state == .open else { return [] }
    guard !inFlight.isEmpty || hasWaiting else { return [.setTimer(.idle, after: limits.idleTimeout)] }
    var actions: [Action] = []
    while mayAnother, let item = queue.first, inFlight.mayBeJoined(by: item) {
      queue.removeFirst()
      let handedOver = item.channelTask == .invite ? [report(item, .handedOver)] : []
      actions += [.cancelTimer(.idle)] + handedOver + send(EventInFlight(item: item, serial: nextSerial()))
    }
    return actions + sendPosts()
  }

  var mayAnother: Bool {
    inFlight.count < window.size && !isPaced && !isSigning && readBack == nil && nameless.isEmpty
      && inFlight.authenticating == nil
  }

  mutating func nextSerial() -> Int {
    serial += 1
    return serial
  }

  /// Sends the event whose turn it is in its operation.
  mutating func send(_ event: EventInFlight) -> [Action] {
    guard event.item.events.indices.contains(event.step) else { return [] }
    inFlight.append(event)
    switch event.item.events[event.step] {
    case .signed(let id, let text), .extra(let id, let text):
      inFlight.update(event) { $0.eventID = id }
      return pace() + waitForTheFirst() + [.send(ClientMessage.event(text))]
    case .draft(let kind, let tags, let content), .option(let kind, let tags, let content):
      return pace() + waitForTheFirst() + [.own(.publish(kind: kind, tags: tags, content: content))]
    case .pins: return readPins(for: event)
    case .dated(let dated):
      inFlight.update(event) { $0.eventID = dated.id }
      isSigning = true
      return pace() + waitForTheFirst() + [.own(.sign(dated, author: event.content))]
    }
  }

  /// Sends an event that was dated when its turn came and is signed now, unless it has become too old for relays since, or the clock was
  /// set.
  private mutating func signed(_ id: String, _ text: String?, at now: Int64) -> [Action] {
    let wasSigning = isSigning
    isSigning = false
    guard let current = inFlight[id], case .dated(let event) = current.item.events[current.step] else {
      return wasSigning ? sendNext() : []
    }
    guard let text else { return finish(current, .refused(Trouble(.authRequired, NostrNetwork.noKey))) }
    let (age, isFar) = now.subtractingReportingOverflow(event.createdAt)
    guard !isFar, (-limits.staleSeconds...limits.staleSeconds).contains(age) else {
      let words = "\(age) s passed between its date and its turn to be sent, and relays of groups accept only fresh events"
      return finish(current, .troubled(Trouble(.timeout, words), retryAfter: nil))
    }
    return [.send(ClientMessage.event(text))] + sendNext()
  }

  /// Makes the next operation wait after an event that is sent now. An event out of turn, such as the second event of an operation, makes
  /// it wait twice as long.
  mutating func pace() -> [Action] {
    guard window.distance > .zero else { return [] }
    defer { isPaced = true }
    return [.setTimer(.pace, after: window.distance * (isPaced ? 2 : 1))]
  }

  /// Makes sure that the timer for answers runs for the event that was sent first. Each gets its full time once it is the first.
  mutating func waitForTheFirst() -> [Action] {
    let first = inFlight.first
    guard first?.serial != awaited else { return [] }
    awaited = first?.serial
    guard let first else { return [.cancelTimer(.answer)] }
    guard pinReading?.event.serial != first.serial else { return [.setTimer(.answer, after: limits.readBackTimeout)] }
    let wait = first.isExtra || first.isOption ? limits.extraTimeout : limits.publishTimeout
    return [.setTimer(.answer, after: isMute ? min(wait, limits.mutePublishTimeout) : wait)]
  }

  // MARK: - Ends of operations

  /// Continues after the relay accepted an event: sends the next one of its operation, or ends the operation.
  mutating func taken(_ current: EventInFlight, _ text: String) -> [Action] {
    noteGroup(current, text)
    guard var next = current.next(serial: nextSerial()) else { return finish(current, success(current.item)) }
    next.isSecond = current.isOption
    return leave(current) + send(next) + goOn()
  }

  /// Continues after the relay did not accept an event for which the next one stands in.
  mutating func passedOver(_ current: EventInFlight) -> [Action] {
    guard let next = current.next(serial: nextSerial()) else {
      return finish(current, .refused(Trouble(.rejected, "the relay did not take it")))
    }
    return leave(current) + send(next) + goOn()
  }

  /// Ends an operation.
  mutating func finish(_ current: EventInFlight, _ outcome: RelayOutcome) -> [Action] {
    end(current, outcome) + goOn()
  }

  mutating func end(_ current: EventInFlight, _ outcome: RelayOutcome) -> [Action] {
    // The relay has accepted all the events that it must.
    leave(current) + [report(current.item, current.isExtra ? success(current.item) : outcome, isDoubtful: current.wasSent)]
  }

  /// Removes an event that is no longer under way.
  mutating func leave(_ current: EventInFlight) -> [Action] {
    inFlight.remove(current)
    var actions = stopReadingBack(for: current) + stopReadingPins(for: current)
    if current.awaitsAuthentication {
      authenticationID = nil
      actions.append(.cancelTimer(.authentication))
    }
    return actions
  }

  mutating func goOn() -> [Action] { settleNameless() + waitForTheFirst() + sendNext() }

  // MARK: - Silence

  /// Handles an event that the relay did not acknowledge. Some relays never do, but they have the events that they serve.
  private mutating func startReadingBack(for current: EventInFlight) -> [Action] {
    let name = "p-" + current.eventID.prefix(16)
    readBack = (name, current)
    return [
      .send(ClientMessage.request(name, [["ids": [.string(current.eventID)]]])),
      .setTimer(.readBack, after: limits.readBackTimeout),
    ]
  }

  /// Stops reading an event back, if that is under way.
  mutating func stopReadingBack(for current: EventInFlight) -> [Action] {
    readBack?.event.serial == current.serial ? stopReadingBack() : []
  }

  mutating func stopReadingBack() -> [Action] {
    guard let name = readBack?.name else { return [] }
    readBack = nil
    return [.cancelTimer(.readBack), .send(ClientMessage.close(name))]
  }

  /// Handles an event that was not answered and is not found either.
  mutating func timedOut(_ current: EventInFlight) -> [Action] {
    if overdue.count >= Self.overdueMax { overdue.removeAll() }
    // If there are several events, only the last one needed ends the operation. A list of pinned posts is read back, and a late answer to
    // it proves nothing about the list that is there by then.
    if current.item.pin == nil, current.step + 1 == current.item.neededCount { overdue[current.eventID] = current.item }
    unanswered += 1
    return endUnanswered(current, "no OK within \(limits.publishTimeout.wholeMilliseconds) ms")
  }

  /// Ends an operation because the relay was silent, and leaves a relay that is that twice in a row.
  /// - Parameter words: what did not come, and within which time.
  mutating func endUnanswered(_ current: EventInFlight, _ words: String) -> [Action] {
    timeoutsInARow += 1
    let notice = lastNotice.map { ". The relay said: \($0)" } ?? ""
    let actions = end(current, .troubled(Trouble(.timeout, words + notice), retryAfter: nil))
    guard timeoutsInARow < 2 else { return actions + takeBack() + [.hangUp] + reconnect() }
    return actions + goOn()
  }

  private mutating func fired(_ timer: Timer) -> [Action] {
    switch timer {
    case .answer:
      guard let current = inFlight.first, readBack == nil else { return [] }
      if pinReading != nil { return pinsUnread() }
      window.failed()
      guard nameless.isEmpty else {
        // The answers that have come were for some of these.
        unanswered += unansweredIDs.count - nameless.count
        return takeBack() + goOn()
      }
      if current.isExtra {
        unanswered += 1
        return taken(current, "")
      }
      if current.isOption {
        unanswered += 1
        return passedOver(current)
      }
      return current.eventID.isEmpty ? timedOut(current) : startReadingBack(for: current)
    case .readBack:
      guard let wanted = readBack else { return [] }
      return timedOut(wanted.event)
    case .authentication:
      guard let current = inFlight.authenticating else { return [] }
      // Some relays answer a good AUTH with silence.
      if challenge != nil { return resend(current) }
      let trouble = Trouble(.authRequired, "the relay demands authentication but sent no challenge")
      return finish(current, .refused(trouble))
    case .pace:
      isPaced = false
      return sendNext()
    case .reconnect:
      keeper.waited()
      return hasWaiting ? keeper.need() : []
    case .stable:
      keeper.lasted()
      return []
    case .idle:
      guard keeper.state == .open, !hasWaiting, inFlight.isEmpty else { return [] }
      keeper.closedOnPurpose()
      return [.hangUp]
    }
  }

  // MARK: - Ends of connections

  private mutating func closed(_ code: Int?, _ reason: String) -> [Action] {
    guard keeper.state == .open else { return [] }
    let words = Self.ending(code, reason)
    let outcome: RelayOutcome =
      switch code {
      case 1008: .refused(Trouble(.rejected, words))
      case 1009: .refused(Trouble(.rejected, "the relay finds the event too big"))
      default: .troubled(Trouble(.unreachable, words), retryAfter: nil)
      }
    return broken(outcome) + reconnect()
  }

  /// Handles the loss of the connection. It is the outcome of an event that was alone. If there were several, the cause is unknown: they
  /// are sent again, one by one.
  mutating func broken(_ outcome: RelayOutcome) -> [Action] {
    (readBack, pinReading) = (nil, nil)
    guard let only = inFlight.all.first else { return [] }
    guard inFlight.count == 1 else {
      window.failed()
      return takeBack()
    }
    return [.cancelTimer(.readBack)] + end(only, outcome) + waitForTheFirst()
  }

  private mutating func flooded(_ trouble: Trouble) -> [Action] {
    guard keeper.state == .open else { return [] }
    window.failed()
    (readBack, pinReading) = (nil, nil)
    let taken = takeBack()
    challenge = nil
    let actions = keeper.flooded(because: trouble)
    return taken + endWaiting(.troubled(trouble, retryAfter: keeper.floodWait)) + [.hangUp] + actions
  }

  /// Cleans up after the connection broke.
  mutating func reconnect() -> [Action] {
    (challenge, authenticationID, nameless) = (nil, nil, [])
    return keeper.lost(isBusy: hasWaiting)
  }

  private mutating func failAll(_ failure: DialFailure) -> [Action] {
    endWaiting(failure.outcome)
      + keeper.lost(isBusy: true, atLeast: failure.retryAfter, because: failure.trouble)
  }

  // MARK: - Reports

  func success(_ item: SessionOperation) -> RelayOutcome {
    switch item.subject {
    case .channel(let operation):
      switch operation.task {
      case .invite, .verify: .accepted(link: address)
      case .withdraw: .withdrawn
      case .announce: .announced
      }
    case .post(let operation): operation.task == .withdraw ? .withdrawn : .accepted(link: address)
    }
  }

  func report(_ item: SessionOperation, _ outcome: RelayOutcome, isDoubtful: Bool = false) -> Action {
    .report(item.report(outcome, isDoubtful: isDoubtful))
  }
}
