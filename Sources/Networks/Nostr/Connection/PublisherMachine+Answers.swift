internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

// The meaning of the relay's messages for the events that are under way.
extension PublisherMachine {
  mutating func received(_ message: RelayMessage?) -> [Action] {
    switch message {
    case nil:
      rubbish += 1
      guard rubbish >= limits.rubbishMax else { return [] }
      return handle(.violated("the relay sends messages that are not JSON"))
    case .ok(let id, let accepted, let text): return answered(id, accepted, text)
    case .challenge(let text):
      challenge = text
      isChallengeAnswered = false
      // There is one AUTH at a time, so that a relay that floods challenges gets no flood of signatures.
      guard let current = inFlight.authenticating, authenticationID == nil else { return [] }
      return authenticate(current)
    case .notice(let text):
      lastNotice = text
      return []
    case .event(let name, let event) where name == pinReading?.name:
      pinReading?.served.take(event)
      return []
    case .endOfStored(let name, _) where name == pinReading?.name: return pinsServed()
    case .closed(let name, let text) where name == pinReading?.name: return pinsClosed(text)
    case .event(let name, let event):
      guard let wanted = readBack, name == wanted.name, event.id == wanted.event.eventID, (try? event.verify()) != nil else {
        return []
      }
      timeoutsInARow = 0
      isMute = true
      return taken(wanted.event, "")
    case .endOfStored(let name, _), .closed(let name, _):
      guard let wanted = readBack, name == wanted.name else { return [] }
      return timedOut(wanted.event)
    case .unreadable, .other: return []
    }
  }

  private mutating func answered(_ givenID: String, _ accepted: Bool, _ text: String) -> [Action] {
    var id = givenID
    if id.isEmpty {
      // Some relays leave the id out when they refuse. They mean the only event that is not answered yet, if there is just one.
      window.closeToOne()
      if unanswered > 0 {
        unanswered -= 1
        return []
      }
      let open = unansweredIDs
      guard open.count == 1 else {
        guard !open.isEmpty else { return [] }
        nameless.append(Nameless(isAccepted: accepted, text: text))
        return goOn()
      }
      id = open[0]
    } else if overdue[id] != nil, inFlight[id] == nil {
      unanswered = max(0, unanswered - 1)
    }
    if let authenticationID, id == authenticationID {
      self.authenticationID = nil
      guard let current = inFlight.authenticating else { return [] }
      return accepted
        ? resend(current) : finish(current, .refused(Trouble(.authRequired, "authentication failed: \(text)")))
    }
    guard let current = inFlight[id] else {
      // This answers an event that counted as timed out, and a late answer still counts.
      guard accepted || RelayAnswer.prefix(of: text) == "duplicate", let item = overdue.removeValue(forKey: id) else {
        return []
      }
      return [report(item, success(item))]
    }
    // It is already known that it wants AUTH for this one.
    guard accepted || !current.awaitsAuthentication else { return [] }
    timeoutsInARow = 0
    isMute = false
    return judged(current, accepted, text, isNamed: !givenID.isEmpty)
  }

  /// The ids of all that the relay has not answered.
  var unansweredIDs: [String] {
    inFlight.all.filter { !$0.awaitsAuthentication }.map(\.eventID) + (authenticationID.map { [$0] } ?? [])
  }

  /// Settles answers under empty ids: once there are at least as many such answers as unanswered events, they must mean all of these
  /// events. Several events are sent again, one by one, to find out which answer belongs to which.
  mutating func settleNameless() -> [Action] {
    let open = unansweredIDs
    guard let latest = nameless.last, open.count <= nameless.count else { return [] }
    nameless = []
    guard open.count == 1, let current = inFlight[open[0]] else { return takeBack() }
    return judged(current, latest.isAccepted, latest.text, isNamed: false)
  }

  /// Handles the OK to an event under way.
  /// - Parameter isNamed: whether the OK came under the event's id.
  private mutating func judged(
    _ current: EventInFlight, _ accepted: Bool, _ text: String, isNamed: Bool
  ) -> [Action] {
    let answer = RelayAnswer(accepted: accepted, text: text, mayAuthenticate: mayAuthenticate(current))
    let slower = heed(answer, to: current, isNamed: isNamed)
    if current.isExtra, answer != .authenticate { return slower + taken(current, text) }
    if current.isOption, answer != .authenticate, answer != .success { return slower + passedOver(current) }
    if answer.isRefusal, !current.isSecond, let refusal = DateRefusal(text) {
      let event = current.item.events[current.step]
      return leave(current) + [.own(.misdated(current.item, event, refusal, isDoubtful: current.wasSent))] + goOn()
    }
    switch answer {
    case .success: return taken(current, text)
    case .permanent where current.isSecond, .unknown where current.isSecond: return taken(current, text)
    case .authenticate: return demanded(current, text)
    case .transient(let isRateLimit):
      let trouble = Trouble(isRateLimit ? .rateLimited : .storage, text)
      let actions = finish(current, .troubled(trouble, retryAfter: isRateLimit ? .seconds(30) : .seconds(5)))
      return slower + actions + giveBackTheLate()
    case .permanent where current.item.isDeletionOfGroup && text.contains("doesn't exist"):
      // An earlier attempt, whose answer was lost, deleted it.
      return taken(current, text)
    case .permanent where current.item.membership != nil && text.contains("doesn't exist"):
      // The relay has not accepted the group yet, and is being asked for that.
      return finish(current, .troubled(Trouble(.rejected, text), retryAfter: .seconds(10)))
    case .permanent where mayBeEarly(current), .unknown where mayBeEarly(current): return early(current, text)
    case .outdated:
      guard current.item.channelTask == .announce else { return finish(current, .refused(Trouble(.rejected, text))) }
      // Kind 41 is not replaceable. Relays that treat it as replaceable keep one per author, for all channels together. If there is only
      // this channel, they keep one of its own editions, and reading back shows which.
      return current.content.sharesKey ? finish(current, .refused(Trouble(.onePerAuthor, text))) : taken(current, text)
    case .permanent:
      let words = explained(text, to: current)
      // The next effort to make a group may be early again.
      if current.item.channelTask != nil { creations[current.item.channel]?.refusals = 0 }
      return finish(current, .refused(Trouble(.rejected, words)))
    case .unknown:
      let trouble = Trouble(.rejected, text.isEmpty ? "the relay refused without a reason" : text)
      return finish(current, .troubled(trouble, retryAfter: .seconds(60)))
    }
  }

  // MARK: - New groups

  /// Notes that the relay accepted an event of an operation for a group: its creation, or a change, which shows that its owner may change
  /// it.
  mutating func noteGroup(_ current: EventInFlight, _ text: String) {
    guard current.content.kind == .group, current.item.channelTask != nil else { return }
    guard current.isCreation else { return creations[current.item.channel] = nil }
    var creation = creations[current.item.channel] ?? Creation()
    if RelayAnswer.prefix(of: text) != "duplicate" { creation.isOurs = true }
    creations.remember(creation, for: current.item.channel, max: Self.creationsMax)
  }

  /// Whether a refusal may mean that the relay still sets up a group that it was asked for a moment ago.
  private func mayBeEarly(_ current: EventInFlight) -> Bool {
    creations[current.item.channel].map { current.isCreation ? $0.isOurs : $0.refusals < Self.earlyRefusalsMax } ?? false
  }

  /// Handles such a refusal: the relay is asked again after 1, 2, 4, 8 and 16 s.
  private mutating func early(_ current: EventInFlight, _ text: String) -> [Action] {
    guard var creation = creations[current.item.channel] else { return [] }
    // The relay is asked a second time for a group that it accepted.
    if current.isCreation { return taken(current, "duplicate:") }
    let wait = Duration.seconds(1 << creation.refusals)
    creation.refusals += 1
    creations[current.item.channel] = creation
    return finish(current, .troubled(Trouble(.rejected, explained(text, to: current)), retryAfter: wait))
  }

  private func explained(_ text: String, to current: EventInFlight) -> String {
    guard let creation = creations[current.item.channel], current.item.channelTask != nil, !current.isCreation else {
      return text
    }
    let whose =
      creation.isOurs ? "took the group" : "has a group with this id already, from an earlier attempt or of someone else"
    return "the relay \(whose), and does not let this identity edit it: \(text)"
  }

  /// Handles the meaning of an answer for the events behind it.
  private mutating func heed(_ answer: RelayAnswer, to current: EventInFlight, isNamed: Bool) -> [Action] {
    guard case .transient(let isRateLimit) = answer else {
      if isNamed { window.answeredByID(whenFull: inFlight.count >= window.size) }
      return []
    }
    guard isRateLimit else {
      window.struggled()
      return []
    }
    // Refusals of events sent at the old rate have no meaning for the new one.
    guard current.serial > limitedThrough else { return [] }
    limitedThrough = serial
    window.limited()
    isPaced = true
    return [.setTimer(.pace, after: window.distance)]
  }

  // MARK: - Authentication

  mutating func demanded(_ current: EventInFlight, _ text: String) -> [Action] {
    guard current.authenticationRounds < Self.authenticationRoundsMax else {
      return finish(current, .refused(Trouble(.authRequired, text)))
    }
    // AUTH is done for one at a time, with nothing else under way: other events under way are sent again after it.
    if inFlight.count > 1 { window.closeToOne() }
    guard inFlight.authenticating == nil else {
      let left = leave(current)
      // The relay has not accepted it.
      putBack(current, wasSent: current.wasSent)
      return left + goOn()
    }
    inFlight.update(current) {
      $0.authenticationRounds += 1
      $0.awaitsAuthentication = true
    }
    guard let current = inFlight.authenticating else { return [] }
    let waiting = stopReadingBack(for: current) + waitForTheFirst()
    return waiting
      + (mayAuthenticate(current)
        ? authenticate(current) : [.setTimer(.authentication, after: limits.authenticationTimeout)])
  }

  /// Whether there is a challenge, and a key that has not answered it.
  func mayAuthenticate(_ current: EventInFlight) -> Bool {
    challenge != nil && (!isChallengeAnswered || isAuthorDue(current))
  }

  /// Whether AUTH must be done with the channel's own key, after the identity's. Most relays want a known user, some the author of the
  /// event. Several keys may authenticate on one connection (NIP-42).
  private func isAuthorDue(_ current: EventInFlight) -> Bool {
    current.content.keySalt != nil && isIdentityKnown && !current.isAuthorKnown
  }

  private mutating func authenticate(_ current: EventInFlight) -> [Action] {
    guard let challenge else { return [] }
    let isAuthor = isAuthorDue(current)
    if isAuthor { inFlight.update(current) { $0.isAuthorKnown = true } } else { isIdentityKnown = true }
    isChallengeAnswered = true
    return [
      .own(.authenticate(challenge: challenge, author: isAuthor ? current.content : nil)),
      .setTimer(.authentication, after: limits.authenticationTimeout),
    ]
  }

  /// Ends an operation for which the relay wants to know who publishes, on a connection over which other sessions read: they must find the
  /// same as anyone. The rest is sent over the next connection.
  mutating func unidentified() -> [Action] {
    guard let current = inFlight.authenticating else { return [] }
    let words = "the relay demands authentication to publish, and accepts no second connection next to the one for reading"
    return end(current, .troubled(Trouble(.authRequired, words), retryAfter: nil)) + takeBack() + [.hangUp] + reconnect()
  }

  mutating func resend(_ current: EventInFlight) -> [Action] {
    let left = leave(current)
    var again = EventInFlight(item: current.item, serial: nextSerial(), step: current.step)
    (again.isAuthorKnown, again.isSecond) = (current.isAuthorKnown, current.isSecond)
    (again.authenticationRounds, again.wasSent) = (current.authenticationRounds, current.wasSent)
    return left + send(again) + goOn()
  }
}
