internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Publishes for one identity on one relay, events of its channels' own keys too: one EVENT in flight until its OK or timeout, because
/// relays answer under empty ids.
struct PublisherMachine: SessionMachine {
  private struct InFlight: Hashable {
    let item: SessionOperation
    /// Which of the operation's events is on its way.
    var step = 0
    /// Its id; empty until it is signed.
    var eventID = ""
    /// An id that was to be new is taken at the relay, perhaps by ourselves.
    var isTaken = false
    /// How often the relay demanded AUTH for this event.
    var authenticationRounds = 0
    /// Refused with a demand for AUTH; sent again once that is done.
    var awaitsAuthentication = false
    /// The name of the REQ that looks whether the relay has the event, because it did not say so.
    var readBack: String?
    /// AUTH was done with the channel's own key for this event.
    var isAuthorKnown = false

    var content: ChannelContent { item.operation.content }
    /// Whether the operation does not depend on the event that is on its way.
    var isExtra: Bool { item.events.indices.contains(step) && item.events[step].isExtra }
  }

  private let address: String
  private let limits: NostrLimits
  private var keeper: ConnectionKeeper
  private var queue: [SessionOperation] = []
  private var inFlight: InFlight?
  /// Operations whose OK did not come in time; a late one still counts.
  private var overdue: [String: SessionOperation] = [:]
  private static let overdueMax = 64
  private static let authenticationRoundsMax = 2
  private var challenge: String?
  private var isChallengeAnswered = false
  /// AUTH was done with the identity's key on this connection.
  private var isIdentityKnown = false
  private var authenticationID: String?
  private var rubbish = 0
  private var timeoutsInARow = 0
  private var lastNotice: String?
  /// The relay took the latest event without a word: it is not waited for for long.
  private var isMute = false
  /// Events of this connection that timed out: an OK under an empty id may still be theirs.
  private var unanswered = 0

  init(address: String, limits: NostrLimits, salt: UInt64) {
    self.address = address
    self.limits = limits
    keeper = ConnectionKeeper(limits: limits, salt: salt)
  }

  mutating func handle(_ event: SessionEvent) -> [SessionAction] {
    switch event {
    case .submitted(let item): return submitted(item)
    case .cancelled(let channel): return cancelled(channel)
    case .watched: return []  // the reader watches
    case .opened:
      let opened = keeper.opened()
      (unanswered, isIdentityKnown) = (0, false)
      (challenge, isChallengeAnswered, authenticationID, rubbish, lastNotice) = (nil, false, nil, 0, nil)
      return opened + sendNext()
    case .dialFailed(let failure): return failAll(failure)
    case .received(let message): return received(message)
    case .violated(let text):
      return finish(.misbehaved(Trouble(.protocol, text))) + [.hangUp] + reconnect()
    case .flooded(let text): return flooded(Trouble(.misbehaving, text))
    case .closed(let code, let reason): return closed(code, reason)
    case .timerFired(let timer): return fired(timer)
    case .published(let id):
      guard let id else {
        return finish(.refused(Trouble(.authRequired, "the key of the channel's identity is not at hand")), next: true)
      }
      inFlight?.eventID = id
      return []
    case .authenticationSent(let id):
      authenticationID = id
      return []
    }
  }

  private mutating func submitted(_ item: SessionOperation) -> [SessionAction] {
    guard queue.count < limits.queueMax else {
      return [report(item, .troubled(Trouble(.timeout, "too many operations wait for this relay"), retryAfter: .seconds(30)))]
    }
    if let hold = keeper.hold { return [.postpone(item, hold)] }
    queue.append(item)
    return keeper.state == .open ? sendNext() : keeper.need()
  }

  private mutating func cancelled(_ channel: ChannelID) -> [SessionAction] {
    func isStale(_ item: SessionOperation) -> Bool {
      item.operation.channel == channel && item.operation.task == .invite
    }
    let stale = queue.filter(isStale)
    queue.removeAll(where: isStale)
    return stale.map { report($0, .troubled(Trouble(.cancelled, "taken back before it was sent"), retryAfter: nil)) }
  }

  private mutating func sendNext() -> [SessionAction] {
    guard keeper.state == .open, inFlight == nil else { return [] }
    guard !queue.isEmpty else { return [.setTimer(.idle, after: limits.idleTimeout)] }
    let item = queue.removeFirst()
    inFlight = InFlight(item: item)
    let handedOver = item.operation.task == .invite ? [report(item, .handedOver)] : []
    return [.cancelTimer(.idle), waitForOK] + handedOver + sendStep()
  }

  private var waitForOK: SessionAction {
    let wait = inFlight?.isExtra == true ? limits.extraTimeout : limits.publishTimeout
    return .setTimer(.answer, after: isMute ? min(wait, limits.mutePublishTimeout) : wait)
  }

  /// Sends the event whose turn it is.
  private mutating func sendStep() -> [SessionAction] {
    guard let current = inFlight, current.item.events.indices.contains(current.step) else { return [] }
    switch current.item.events[current.step] {
    case .signed(let id, let text), .extra(let id, let text):
      inFlight?.eventID = id
      return [.send(ClientMessage.event(text))]
    case .draft(let kind, let tags, let content): return [.publish(kind: kind, tags: tags, content: content)]
    }
  }

  /// The relay took an event: the next one goes, or the operation is done.
  private mutating func taken(_ current: InFlight, _ text: String) -> [SessionAction] {
    guard current.step + 1 < current.item.events.count else { return finish(success(current.item), next: true) }
    inFlight?.step += 1
    inFlight?.eventID = ""
    inFlight?.authenticationRounds = 0
    inFlight?.awaitsAuthentication = false
    inFlight?.isAuthorKnown = false
    authenticationID = nil
    inFlight?.isTaken = RelayAnswer.prefix(of: text) == "duplicate"
    return [.cancelTimer(.authentication), waitForOK] + sendStep()
  }

  private mutating func received(_ message: RelayMessage?) -> [SessionAction] {
    switch message {
    case nil:
      rubbish += 1
      guard rubbish >= limits.rubbishMax else { return [] }
      return handle(.violated("the relay sends messages that are not Nostr"))
    case .ok(let id, let accepted, let text): return answered(id, accepted, text)
    case .challenge(let text):
      challenge = text
      isChallengeAnswered = false
      // One AUTH at a time: a relay that floods challenges gets no flood of signatures.
      guard inFlight?.awaitsAuthentication == true, authenticationID == nil else { return [] }
      return authenticate()
    case .notice(let text):
      lastNotice = text
      return []
    case .event(let name, let event):
      guard let current = inFlight, name == current.readBack, event.id == current.eventID, (try? event.verify()) != nil else {
        return []
      }
      timeoutsInARow = 0
      isMute = true
      return stopReadingBack() + taken(current, "")
    case .endOfStored(let name), .closed(let name, _):
      guard let current = inFlight, name == current.readBack else { return [] }
      return timedOut(current)
    case .other: return []
    }
  }

  private mutating func answered(_ givenID: String, _ accepted: Bool, _ text: String) -> [SessionAction] {
    var id = givenID
    if id.isEmpty {
      // Relays leave the id out when they refuse. It means the one thing that is not answered yet, if there is just one.
      if unanswered > 0 {
        unanswered -= 1
        return []
      }
      guard let current = inFlight else { return [] }
      if current.awaitsAuthentication, authenticationID == nil { return [] }
      id = current.awaitsAuthentication ? authenticationID ?? "" : current.eventID
    } else if overdue[id] != nil, id != inFlight?.eventID {
      unanswered = max(0, unanswered - 1)
    }
    if let authenticationID, id == authenticationID {
      self.authenticationID = nil
      guard inFlight?.awaitsAuthentication == true else { return [] }
      return accepted ? resend() : finish(.refused(Trouble(.authRequired, "authentication failed: \(text)")), next: true)
    }
    guard let current = inFlight, id == current.eventID else {
      // The answer to an event that counted as timed out: late is not never.
      guard accepted || RelayAnswer.prefix(of: text) == "duplicate", let item = overdue.removeValue(forKey: id) else {
        return []
      }
      return [report(item, success(item))]
    }
    timeoutsInARow = 0
    isMute = false
    return stopReadingBack() + judged(current, accepted, text)
  }

  /// What the OK to the event in flight means.
  private mutating func judged(_ current: InFlight, _ accepted: Bool, _ text: String) -> [SessionAction] {
    let answer = RelayAnswer(accepted: accepted, text: text, mayAuthenticate: mayAuthenticate(current))
    if current.isExtra, answer != .authenticate { return taken(current, text) }
    switch answer {
    case .success: return taken(current, text)
    case .authenticate:
      guard current.authenticationRounds < Self.authenticationRoundsMax else {
        return finish(.refused(Trouble(.authRequired, text)), next: true)
      }
      inFlight?.authenticationRounds += 1
      inFlight?.awaitsAuthentication = true
      return mayAuthenticate(current)
        ? authenticate() : [.cancelTimer(.answer), .setTimer(.authentication, after: limits.authenticationTimeout)]
    case .transient(let isRateLimit):
      return finish(
        .troubled(
          Trouble(isRateLimit ? .rateLimited : .storage, text), retryAfter: isRateLimit ? .seconds(30) : .seconds(5)),
        next: true)
    case .permanent where current.item.isDeletionOfGroup && text.contains("doesn't exist"):
      // Of what an earlier attempt deleted whose answer was lost.
      return taken(current, text)
    case .outdated:
      guard current.item.operation.task == .announce else { return finish(.refused(Trouble(.rejected, text)), next: true) }
      // Kind 41 is not replaceable; relays that treat it so keep one per author, whichever channel it is of. If there is only this
      // channel, it is one of its own editions, and whoever looks finds which.
      return current.content.sharesKey
        ? finish(.refused(Trouble(.onePerAuthor, text)), next: true) : taken(current, text)
    case .permanent:
      let words = current.isTaken ? "the relay has a group with this id already, and does not let this identity edit it: " : ""
      return finish(.refused(Trouble(.rejected, words + text)), next: true)
    case .unknown:
      return finish(
        .troubled(Trouble(.rejected, text.isEmpty ? "the relay refused without a reason" : text), retryAfter: .seconds(60)),
        next: true)
    }
  }

  /// Whether there is a challenge, and somebody who has not answered it.
  private func mayAuthenticate(_ current: InFlight) -> Bool {
    challenge != nil && (!isChallengeAnswered || isAuthorDue(current))
  }

  /// Whether it is the channel's own key that AUTH is to be done with: after the identity's. Most relays want to know somebody whom they
  /// know, some the author of the event; several keys may authenticate on one connection (NIP-42).
  private func isAuthorDue(_ current: InFlight) -> Bool {
    current.content.keySalt != nil && isIdentityKnown && !current.isAuthorKnown
  }

  private mutating func authenticate() -> [SessionAction] {
    guard let challenge, let current = inFlight else { return [] }
    let isAuthor = isAuthorDue(current)
    if isAuthor { inFlight?.isAuthorKnown = true } else { isIdentityKnown = true }
    isChallengeAnswered = true
    return [
      .cancelTimer(.answer), .authenticate(challenge: challenge, author: isAuthor ? current.content : nil),
      .setTimer(.authentication, after: limits.authenticationTimeout),
    ]
  }

  private mutating func resend() -> [SessionAction] {
    guard inFlight != nil else { return [] }
    inFlight?.awaitsAuthentication = false
    authenticationID = nil
    return [.cancelTimer(.authentication), waitForOK] + sendStep()
  }

  /// The relay did not say that it took the event. Some never do: what they serve, they have.
  private mutating func readBack(_ current: InFlight) -> [SessionAction] {
    let name = "p-" + current.eventID.prefix(16)
    inFlight?.readBack = name
    return [
      .send(ClientMessage.request(name, [["ids": [.string(current.eventID)]]])),
      .setTimer(.readBack, after: limits.readBackTimeout),
    ]
  }

  private mutating func stopReadingBack() -> [SessionAction] {
    guard let name = inFlight?.readBack else { return [] }
    inFlight?.readBack = nil
    return [.cancelTimer(.readBack), .send(ClientMessage.close(name))]
  }

  /// The event in flight was not answered, and is not found either.
  private mutating func timedOut(_ current: InFlight) -> [SessionAction] {
    if overdue.count >= Self.overdueMax { overdue.removeAll() }
    // Of several events only the last one that is needed ends the operation.
    if current.step + 1 == current.item.neededCount { overdue[current.eventID] = current.item }
    timeoutsInARow += 1
    unanswered += 1
    let words = lastNotice.map { "; the relay said: \($0)" } ?? ""
    let trouble = Trouble(.timeout, "no OK within \(limits.publishTimeout.wholeMilliseconds) ms\(words)")
    let actions = stopReadingBack() + finish(.troubled(trouble, retryAfter: nil))
    guard timeoutsInARow < 2 else { return actions + [.hangUp] + reconnect() }
    return actions + sendNext()
  }

  private mutating func fired(_ timer: SessionTimer) -> [SessionAction] {
    switch timer {
    case .answer:
      guard let current = inFlight, current.readBack == nil else { return [] }
      if current.isExtra {
        unanswered += 1
        return taken(current, "")
      }
      return current.eventID.isEmpty ? timedOut(current) : readBack(current)
    case .readBack:
      guard let current = inFlight, current.readBack != nil else { return [] }
      return timedOut(current)
    case .authentication:
      guard inFlight?.awaitsAuthentication == true else { return [] }
      // Some relays answer a good AUTH with silence.
      if challenge != nil { return resend() }
      return finish(.refused(Trouble(.authRequired, "the relay demands authentication but sent no challenge")), next: true)
    case .reconnect:
      keeper.waited()
      return queue.isEmpty ? [] : keeper.need()
    case .stable:
      keeper.lasted()
      return []
    case .gather: return []  // readers gather
    case .idle:
      guard keeper.state == .open, queue.isEmpty, inFlight == nil else { return [] }
      keeper.closedOnPurpose()
      return [.hangUp]
    }
  }

  private mutating func closed(_ code: Int?, _ reason: String) -> [SessionAction] {
    guard keeper.state == .open else { return [] }
    let words = Self.ending(code, reason)
    let outcome: RelayOutcome =
      switch code {
      case 1008: .refused(Trouble(.rejected, words))
      case 1009: .refused(Trouble(.rejected, "the relay finds the event too big"))
      default: .troubled(Trouble(.unreachable, words), retryAfter: nil)
      }
    return finish(outcome) + reconnect()
  }

  private mutating func flooded(_ trouble: Trouble) -> [SessionAction] {
    guard keeper.state == .open else { return [] }
    (challenge, authenticationID) = (nil, nil)
    let waiting = queue
    queue = []
    let actions = keeper.flooded(because: trouble)
    let outcome = RelayOutcome.troubled(trouble, retryAfter: keeper.floodWait)
    return finish(outcome) + waiting.map { report($0, outcome) } + [.hangUp] + actions
  }

  /// After the connection broke.
  private mutating func reconnect() -> [SessionAction] {
    challenge = nil
    authenticationID = nil
    return keeper.lost(isBusy: !queue.isEmpty)
  }

  private mutating func failAll(_ failure: DialFailure) -> [SessionAction] {
    let failed = queue
    queue = []
    return failed.map { report($0, failure.outcome) }
      + keeper.lost(isBusy: true, atLeast: failure.retryAfter, because: failure.trouble)
  }

  /// Ends the operation in flight.
  private mutating func finish(_ outcome: RelayOutcome, next: Bool = false) -> [SessionAction] {
    guard let current = inFlight else { return next ? sendNext() : [] }
    inFlight = nil
    authenticationID = nil
    // The relay has taken all that it must.
    let outcome = current.isExtra ? success(current.item) : outcome
    return [.cancelTimer(.answer), .cancelTimer(.readBack), .cancelTimer(.authentication), report(current.item, outcome)]
      + (next ? sendNext() : [])
  }

  private func success(_ item: SessionOperation) -> RelayOutcome {
    switch item.operation.task {
    case .invite, .verify: .accepted(link: address)
    case .withdraw: .withdrawn
    case .announce: .announced
    }
  }

  private func report(_ item: SessionOperation, _ outcome: RelayOutcome) -> SessionAction {
    let operation = item.operation
    return .report(
      .outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome))
  }
}
