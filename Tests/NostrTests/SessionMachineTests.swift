import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

private let key = SecretKey.random()

private func makeOperation(_ task: RelayOperation.Task, channel: Int64 = 1, number: Int = 1) -> SessionOperation {
  let content = PublicChannel.content(name: "c\(channel)", about: "", picture: "", relays: [])
  guard let event = NostrEvent(signedBy: key, createdAt: 1000 + channel, kind: 40, content: content) else {
    preconditionFailure("the event must be signable")
  }
  let operation = RelayOperation(
    task: task, channel: ChannelID(rawValue: channel), relay: RelayID(rawValue: 1), address: "ws://r", number: number,
    content: ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: event.id, author: event.publicKey, document: event.text))
  return SessionOperation(operation: operation, events: [OutgoingEvent(event)])
}

extension SessionOperation {
  fileprivate var eventID: String { operation.content.networkID }
}

private func outcomes(_ actions: [SessionAction]) -> [RelayOutcome] {
  actions.compactMap { if case .report(.outcome(_, _, _, let outcome)) = $0 { outcome } else { nil } }
}

private func sends(_ actions: [SessionAction]) -> Int {
  actions.filter { if case .send = $0 { true } else { false } }.count
}

extension PublisherMachine {
  /// The event in flight is not answered, and is not found at the relay either.
  fileprivate mutating func timeOut() -> [SessionAction] { handle(.timerFired(.answer)) + handle(.timerFired(.readBack)) }
}

struct PublisherMachineTests {
  private func opened(_ items: [SessionOperation]) -> PublisherMachine {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    return machine
  }

  @Test func oneEventIsInFlightAtATime() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 2))
    #expect(machine.handle(.submitted(first)).contains(.dial))
    #expect(!machine.handle(.submitted(second)).contains(.dial))
    let opening = machine.handle(.opened(roundTrip: .zero))
    #expect(sends(opening) == 1 && outcomes(opening) == [.handedOver])
    let answered = machine.handle(.received(.ok(id: first.eventID, accepted: true, text: "")))
    #expect(outcomes(answered) == [.accepted(link: "ws://r"), .handedOver])
    #expect(sends(answered) == 1)
  }

  @Test func okUnderAnEmptyIDMeansTheEventInFlight() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    #expect(
      outcomes(machine.handle(.received(.ok(id: "", accepted: false, text: "rejected: no")))) == [
        .refused(Trouble(.rejected, "rejected: no"))
      ])
  }

  @Test func okForAnotherEventIsIgnored() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    #expect(machine.handle(.received(.ok(id: String(repeating: "0", count: 64), accepted: true, text: ""))).isEmpty)
  }

  @Test func lateOKStillCounts() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    let timedOut = outcomes(machine.timeOut())
    guard case .troubled(let trouble, _)? = timedOut.first else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout)
    #expect(
      outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
    #expect(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: ""))).isEmpty)
  }

  /// What an earlier connection has not answered, the next one does not answer either: a refusal without an id is for what it was sent.
  @Test func refusalUnderAnEmptyIDCountsAgainAfterAReconnect() {
    let items = (1...3).map { makeOperation(.invite, channel: $0) }
    var machine = opened([items[0], items[1]])
    _ = machine.timeOut()
    let lost = outcomes(machine.handle(.closed(code: 1006, reason: "")))
    #expect(lost.count == 1 && lost.allSatisfy(\.isFinal))
    _ = machine.handle(.submitted(items[2]))
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
    #expect(sends(machine.handle(.opened(roundTrip: .zero))) == 1)
    #expect(
      outcomes(machine.handle(.received(.ok(id: "", accepted: false, text: "rejected: no")))) == [
        .refused(Trouble(.rejected, "rejected: no"))
      ])
  }

  @Test func lateOKCountsForTheLastOfTwoStepsOnly() {
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 2))
    let item = SessionOperation(operation: first.operation, events: first.events + second.events)
    func ok(_ item: SessionOperation) -> SessionEvent { .received(.ok(id: item.eventID, accepted: true, text: "")) }
    var machine = opened([item])
    _ = machine.timeOut()
    #expect(machine.handle(ok(first)).isEmpty, "the second event was never sent")
    machine = opened([item])
    #expect(sends(machine.handle(ok(first))) == 1)
    _ = machine.timeOut()
    #expect(machine.handle(ok(first)).isEmpty)
    #expect(outcomes(machine.handle(ok(second))) == [.accepted(link: "ws://r")])
  }

  private func event(_ item: SessionOperation) throws -> NostrEvent {
    try #require(NostrEvent(json: try JSONParser.parse(item.operation.content.document)))
  }

  /// A relay that stores and serves, and never says OK.
  @Test func whatTheRelayServesItHasTaken() throws {
    let items = [makeOperation(.invite), makeOperation(.invite, channel: 2)]
    var machine = opened(items)
    let name = "p-" + items[0].eventID.prefix(16)
    let asked = machine.handle(.timerFired(.answer))
    #expect(
      outcomes(asked).isEmpty && asked.contains(.send(ClientMessage.request(name, [["ids": [.string(items[0].eventID)]]]))))
    #expect(machine.handle(.received(.event(subscription: "p-other", try event(items[0])))).isEmpty)
    #expect(machine.handle(.received(.event(subscription: name, try event(items[1])))).isEmpty)
    let found = machine.handle(.received(.event(subscription: name, try event(items[0]))))
    #expect(outcomes(found) == [.accepted(link: "ws://r"), .handedOver])
    #expect(found.contains(.send(ClientMessage.close(name))) && found.contains(.cancelTimer(.readBack)))
    // The next one is not waited for for as long, until the relay speaks.
    #expect(found.contains(.setTimer(.answer, after: NostrLimits().mutePublishTimeout)))
    #expect(
      outcomes(machine.handle(.received(.ok(id: items[1].eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
    let next = machine.handle(.submitted(makeOperation(.invite, channel: 3)))
    #expect(next.contains(.setTimer(.answer, after: NostrLimits().publishTimeout)))
  }

  @Test func whatTheRelayDoesNotServeItHasNotTaken() throws {
    let item = makeOperation(.invite)
    let name = "p-" + item.eventID.prefix(16)
    let good = try event(item)
    let forged = NostrEvent(
      id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: good.kind, tags: [], content: "x",
      signature: good.signature)
    for end in [RelayMessage.endOfStored(subscription: name), .closed(subscription: name, text: "error: no")] {
      var machine = opened([item])
      _ = machine.handle(.timerFired(.answer))
      #expect(machine.handle(.received(.event(subscription: name, forged))).isEmpty)
      guard case .troubled(let trouble, _)? = outcomes(machine.handle(.received(end))).first else {
        return #expect(Bool(false))
      }
      #expect(trouble.cause == .timeout)
    }
    // An OK that comes while it is looked for is in time.
    var machine = opened([item])
    _ = machine.handle(.timerFired(.answer))
    let late = machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))
    #expect(outcomes(late) == [.accepted(link: "ws://r")] && late.contains(.send(ClientMessage.close(name))))
  }

  @Test func authIsDoneOnceAndTheEventSentAgain() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    _ = machine.handle(.received(.challenge("c1")))
    let demanded = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    #expect(demanded.contains(.authenticate(challenge: "c1")))
    _ = machine.handle(.authenticationSent(id: "auth"))
    #expect(sends(machine.handle(.received(.ok(id: "auth", accepted: true, text: "")))) == 1)
    #expect(
      outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
  }

  @Test func challengeThatComesAfterTheRefusalIsAnswered() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    let demanded = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    #expect(demanded.contains(.setTimer(.authentication, after: .seconds(5))))
    #expect(machine.handle(.received(.challenge("c2"))).contains(.authenticate(challenge: "c2")))
  }

  @Test func silenceAfterAuthMeansGoOn() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    _ = machine.handle(.received(.challenge("c1")))
    _ = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "restricted: permission denied")))
    _ = machine.handle(.authenticationSent(id: "auth"))
    #expect(sends(machine.handle(.timerFired(.authentication))) == 1)
    #expect(
      outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "restricted: permission denied"))))
        == [.refused(Trouble(.rejected, "restricted: permission denied"))])
  }

  @Test func demandWithoutChallengeIsARefusal() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    _ = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    guard case .refused(let trouble)? = outcomes(machine.handle(.timerFired(.authentication))).first else {
      return #expect(Bool(false))
    }
    #expect(trouble.cause == .authRequired)
  }

  @Test func everyOperationGetsExactlyOneFinalOutcome() {
    // Every way in which a connection can end, with one operation in flight and two waiting.
    let ends: [[SessionEvent]] = [
      [.dialFailed(.unreachable("refused"))], [.dialFailed(.status(403, retryAfter: nil))],
      [.opened(roundTrip: .zero), .closed(code: 1006, reason: ""), .timerFired(.reconnect), .dialFailed(.unreachable("x"))],
      [.opened(roundTrip: .zero), .violated("binary"), .timerFired(.reconnect), .dialFailed(.unreachable("x"))],
      [
        .opened(roundTrip: .zero), .timerFired(.answer), .timerFired(.readBack), .timerFired(.answer), .timerFired(.readBack),
        .timerFired(.reconnect), .dialFailed(.unreachable("x")),
      ],
      [
        .opened(roundTrip: .zero), .timerFired(.answer), .closed(code: nil, reason: ""), .timerFired(.readBack),
        .timerFired(.reconnect), .dialFailed(.unreachable("x")),
      ],
    ]
    for events in ends {
      var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
      var final: [ChannelID: Int] = [:]
      func note(_ actions: [SessionAction]) {
        for case .report(.outcome(let channel, _, _, let outcome)) in actions where outcome.isFinal {
          final[channel, default: 0] += 1
        }
      }
      for channel in 1...3 as ClosedRange<Int64> { note(machine.handle(.submitted(makeOperation(.invite, channel: channel)))) }
      for event in events { note(machine.handle(event)) }
      #expect(final.count == 3 && final.values.allSatisfy { $0 == 1 }, "\(events)")
    }
  }

  @Test func queueIsBounded() {
    var limits = NostrLimits()
    limits.queueMax = 2
    var machine = PublisherMachine(address: "ws://r", limits: limits, salt: 1)
    for channel in 1...2 as ClosedRange<Int64> {
      #expect(outcomes(machine.handle(.submitted(makeOperation(.invite, channel: channel)))).isEmpty)
    }
    #expect(outcomes(machine.handle(.submitted(makeOperation(.invite, channel: 3)))).count == 1)
  }
}

/// Channels with keys of their own: events that an operation does not depend on, and who authenticates.
struct OwnKeyPublisherTests {
  @Test func somethingNewerInTheWayOfAnEditionIsAnotherChannelsWhereTheyShareAKey() {
    for (item, cause) in [
      (makeOperation(.announce), Cause.onePerAuthor), (makeOperation(.invite), .rejected), (item, .rejected),
    ] {
      var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
      _ = machine.handle(.submitted(item))
      _ = machine.handle(.opened(roundTrip: .zero))
      let actions = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "replaced: have newer event")))
      #expect(outcomes(actions) == [.refused(Trouble(cause, "replaced: have newer event"))])
    }
  }

  private let item: SessionOperation = {
    let plain = makeOperation(.invite)
    let content = plain.operation.content
    let operation = RelayOperation(
      task: .invite, channel: plain.operation.channel, relay: plain.operation.relay, address: "ws://r", number: 1,
      content: ChannelContent(
        identity: content.identity, networkID: content.networkID, author: content.author, document: content.document,
        keySalt: [UInt8](repeating: 1, count: 32)))
    return SessionOperation(operation: operation, events: plain.events + [.extra(id: "extra", text: "{}")])
  }()

  private func opened() -> PublisherMachine {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(item))
    _ = machine.handle(.opened(roundTrip: .zero))
    return machine
  }

  /// A machine whose relay has taken the channel.
  private func halfDone() -> PublisherMachine {
    var machine = opened()
    let actions = machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))
    #expect(outcomes(actions).isEmpty && sends(actions) == 1 && actions.contains(.setTimer(.answer, after: .seconds(5))))
    return machine
  }

  @Test(arguments: [
    SessionEvent.received(.ok(id: "extra", accepted: true, text: "")),
    .received(.ok(id: "extra", accepted: false, text: "blocked: no profiles")),
    .received(.ok(id: "extra", accepted: false, text: "rate-limited: slow down")),
    .received(.ok(id: "", accepted: false, text: "error: unknown")), .timerFired(.answer), .closed(code: 1008, reason: ""),
    .violated("binary"),
  ])
  func whateverBecomesOfTheProfileTheChannelIsTaken(_ event: SessionEvent) {
    var machine = halfDone()
    #expect(outcomes(machine.handle(event)) == [.accepted(link: "ws://r")])
    #expect(outcomes(machine.handle(.received(.ok(id: "extra", accepted: true, text: "")))).isEmpty)
  }

  @Test func demandForAuthenticationThatDoesNotEndCostsTheProfileOnly() {
    var machine = halfDone()
    _ = machine.handle(.received(.challenge("c1")))
    for round in 1...2 {
      #expect(outcomes(machine.handle(.received(.ok(id: "extra", accepted: false, text: "auth-required: who?")))).isEmpty)
      _ = machine.handle(.authenticationSent(id: "auth\(round)"))
      _ = machine.handle(.received(.ok(id: "auth\(round)", accepted: true, text: "")))
    }
    let last = machine.handle(.received(.ok(id: "extra", accepted: false, text: "auth-required: who?")))
    #expect(outcomes(last) == [.accepted(link: "ws://r")])
  }

  @Test func channelThatIsNotTakenHasNoProfile() {
    var machine = opened()
    let refused = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "blocked: no")))
    #expect(outcomes(refused) == [.refused(Trouble(.rejected, "blocked: no"))] && sends(refused) == 0)
  }

  @Test func lateAnswerToTheChannelCounts() {
    var machine = opened()
    #expect(outcomes(machine.timeOut()).count == 1)
    #expect(
      outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
  }

  @Test(arguments: ["auth-required: only authors publish", "restricted: only authors publish"])
  func identityAuthenticatesFirstAndThenTheAuthor(_ words: String) {
    var machine = opened()
    _ = machine.handle(.received(.challenge("c1")))
    let first = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    #expect(first.contains(.authenticate(challenge: "c1")))
    _ = machine.handle(.authenticationSent(id: "one"))
    #expect(sends(machine.handle(.received(.ok(id: "one", accepted: true, text: "")))) == 1)
    let second = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: words)))
    #expect(second.contains(.authenticate(challenge: "c1", author: item.operation.content)))
    _ = machine.handle(.authenticationSent(id: "two"))
    #expect(sends(machine.handle(.received(.ok(id: "two", accepted: true, text: "")))) == 1)
    #expect(sends(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))) == 1, "and the profile")
  }

  @Test func channelThatTheIdentitySignsAuthenticatesAsTheIdentityOnly() {
    let item = makeOperation(.invite)
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(item))
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(.received(.challenge("c1")))
    _ = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    _ = machine.handle(.authenticationSent(id: "one"))
    _ = machine.handle(.received(.ok(id: "one", accepted: true, text: "")))
    let refused = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "restricted: not you")))
    #expect(outcomes(refused) == [.refused(Trouble(.rejected, "restricted: not you"))])
  }
}

struct ReaderMachineTests {
  private func opened(_ items: [SessionOperation]) -> ReaderMachine {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    return machine
  }

  private func event(_ item: SessionOperation) -> NostrEvent {
    let content = PublicChannel.content(name: "c\(item.operation.channel.rawValue)", about: "", picture: "", relays: [])
    guard
      let event = NostrEvent(
        signedBy: key, createdAt: 1000 + item.operation.channel.rawValue, kind: 40, content: content)
    else { preconditionFailure("the event must be signable") }
    return event
  }

  @Test func manyChannelsAreReadInOneRequest() {
    let items = (1...3).map { makeOperation(.verify, channel: $0) }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    #expect(sends(machine.handle(.opened(roundTrip: .zero))) == 1)
    #expect(outcomes(machine.handle(.received(.event(subscription: "b1", event(items[1]))))) == [.verified(edition: 1)])
    // Two did not come: each is asked for alone before it counts as missing.
    let first = machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(outcomes(first).isEmpty && first.contains(.send(request("b2", items[0]))))
    #expect(outcomes(machine.handle(.received(.event(subscription: "b2", event(items[0]))))) == [.verified(edition: 1)])
    let second = machine.handle(.received(.endOfStored(subscription: "b2")))
    #expect(outcomes(second).isEmpty && second.contains(.send(request("b3", items[2]))))
    let rest = machine.handle(.received(.endOfStored(subscription: "b3")))
    #expect(outcomes(rest) == [.missing] && sends(rest) == 1)
  }

  private func request(_ name: String, _ item: SessionOperation) -> String {
    ClientMessage.request(name, [["ids": [.string(item.eventID)]]])
  }

  @Test func editionThatDoesNotComeWithItsChannelIsAskedForAlone() throws {
    let item = makeOperation(.verify)
    let edited = try #require(NostrEvent(signedBy: key, createdAt: 2000, kind: 41, content: "{}"))
    let content = item.operation.content
    let operation = RelayOperation(
      task: .verify, channel: item.operation.channel, relay: item.operation.relay, address: "ws://r", number: 1,
      content: ChannelContent(
        identity: content.identity, networkID: content.networkID, author: content.author, document: content.document,
        edition: 2,
        notice: ChannelNotice(networkID: edited.id, document: edited.text, signedAt: 2000)))
    for isServed in [true, false] {
      var machine = opened([SessionOperation(operation: operation)])
      _ = machine.handle(.received(.event(subscription: "b1", event(item))))
      let alone = machine.handle(.received(.endOfStored(subscription: "b1")))
      #expect(outcomes(alone).isEmpty)
      #expect(alone.contains(.send(ClientMessage.request("b2", [["ids": [.string(edited.id)]]]))))
      if isServed {
        #expect(outcomes(machine.handle(.received(.event(subscription: "b2", edited)))) == [.verified(edition: 2)])
      } else {
        // Before it counts as not there, what else the relay has of this author.
        #expect(outcomes(machine.handle(.received(.endOfStored(subscription: "b2")))).isEmpty)
        #expect(
          outcomes(machine.handle(.received(.endOfStored(subscription: "b3")))) == [.verified(edition: 1, others: .none)])
      }
    }
  }

  @Test func refusalOfOneQuestionIsNotThatOfTheOthers() {
    let items = (1...2).map { makeOperation(.verify, channel: $0) }
    var machine = opened(items)
    _ = machine.handle(.received(.endOfStored(subscription: "b1")))
    let refused = machine.handle(.received(.closed(subscription: "b2", text: "restricted: members only")))
    #expect(outcomes(refused) == [.refused(Trouble(.rejected, "restricted: members only"))])
    #expect(refused.contains(.send(request("b3", items[1]))))
    #expect(outcomes(machine.handle(.received(.event(subscription: "b3", event(items[1]))))) == [.verified(edition: 1)])
    #expect(outcomes(machine.handle(.received(.endOfStored(subscription: "b3")))).isEmpty)
  }

  @Test func readingGathersUnderLoadAndALoneChannelDoesNotWait() {
    var machine = opened([makeOperation(.verify)])
    #expect(machine.handle(.received(.endOfStored(subscription: "b1"))).contains { if case .send = $0 { true } else { false } })
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 2)))) == 1)
    let items = (3...5).map { makeOperation(.verify, channel: $0) }
    for item in items { #expect(sends(machine.handle(.submitted(item))) == 0) }
    // The second REQ is over, three wait: they go at once, because the one before was alone.
    #expect(sends(machine.handle(.received(.endOfStored(subscription: "b2")))) == 2)
    _ = machine.handle(.submitted(makeOperation(.verify, channel: 6)))
    for item in items { _ = machine.handle(.received(.event(subscription: "b3", event(item)))) }
    let gathering = machine.handle(.received(.endOfStored(subscription: "b3")))
    #expect(sends(gathering) == 1 && gathering.contains(.setTimer(.gather, after: .milliseconds(50))))
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 7)))) == 0)
    #expect(sends(machine.handle(.timerFired(.gather))) == 1)
  }

  @Test func liesAreFound() {
    let item = makeOperation(.verify)
    let good = event(item)
    let forgedID = NostrEvent(
      id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: 40, tags: [], content: "x",
      signature: good.signature)
    let forgedSignature = NostrEvent(
      id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: 40, tags: [], content: good.content,
      signature: String(repeating: "0", count: 128))
    for forged in [forgedID, forgedSignature] {
      var machine = opened([item])
      guard case .misbehaved(let trouble)? = outcomes(machine.handle(.received(.event(subscription: "b1", forged)))).first
      else {
        #expect(Bool(false))
        continue
      }
      #expect(trouble.cause == .wrongIdentity)
    }
  }

  @Test func watchedRelayReportsUpAndDownOnceEach() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    #expect(machine.handle(.watched(true)).contains(.dial))
    let up = machine.handle(.opened(roundTrip: .milliseconds(3)))
    #expect(up.contains(.report(.relayUp(RelayID(rawValue: 1), roundTrip: .milliseconds(3)))))
    func downs(_ actions: [SessionAction]) -> Int {
      actions.filter { if case .report(.relayDown) = $0 { true } else { false } }.count
    }
    #expect(downs(machine.handle(.closed(code: nil, reason: ""))) == 1)
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
    #expect(downs(machine.handle(.dialFailed(.unreachable("refused")))) == 0)
    // For another reason than before: that is news.
    let expired = Trouble(.expired, "the certificate of r expired on 2026-11-21")
    #expect(machine.handle(.dialFailed(.insecure(expired))).contains(.report(.relayDown(RelayID(rawValue: 1), expired))))
    #expect(downs(machine.handle(.dialFailed(.insecure(expired)))) == 0)
    _ = machine.handle(.opened(roundTrip: .zero))
    #expect(downs(machine.handle(.dialFailed(.insecure(expired)))) == 1)
  }

  /// Only a relay that answers nothing at all is left.
  @Test(arguments: [
    RelayMessage.endOfStored(subscription: "b2"), .closed(subscription: "b2", text: "error: too busy"),
  ])
  func relayThatAnswersNowAndThenIsNotLeft(_ answer: RelayMessage) {
    var machine = opened([makeOperation(.verify)])
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp))
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 2)))) == 1)
    #expect(outcomes(machine.handle(.received(answer))).count == 1)
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 3)))) == 1)
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp), "one in a row")
    _ = machine.handle(.submitted(makeOperation(.verify, channel: 4)))
    #expect(machine.handle(.timerFired(.answer)).contains(.hangUp), "two in a row")
  }

  @Test func refusedReadersAreARefusal() {
    var machine = opened([makeOperation(.verify)])
    #expect(
      outcomes(machine.handle(.received(.closed(subscription: "b1", text: "auth-required: members only")))) == [
        .refused(Trouble(.authRequired, "auth-required: members only"))
      ])
  }

  @Test func emptyClosedAfterTheEndIsNoError() {
    let item = makeOperation(.verify)
    var machine = opened([item])
    _ = machine.handle(.received(.event(subscription: "b1", event(item))))
    _ = machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(machine.handle(.received(.closed(subscription: "b1", text: ""))).isEmpty)
  }
}

/// What a relay has of an author who signs several channels.
struct SharedKeyReaderTests {
  private static let salt = [UInt8](repeating: 1, count: 32)
  private static let other = String(repeating: "a", count: 64)

  private func edition(of channel: String, at time: Int64, name: String = "") throws -> NostrEvent {
    try #require(
      NostrEvent(
        signedBy: key, createdAt: time, kind: 41, tags: [["e", channel, "", "root"]], content: "{\"name\":\"\(name)\"}"))
  }

  private struct Look {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    let channel: NostrEvent
    let newest: NostrEvent
  }

  /// A look at a channel whose newest edition is of the time 2000; the relay is asked and has not answered yet.
  private func look(keySalt: [UInt8]? = nil) throws -> Look {
    let content = PublicChannel.content(name: "c1", about: "", picture: "", relays: [])
    let channel = try #require(NostrEvent(signedBy: key, createdAt: 1001, kind: 40, content: content))
    let newest = try edition(of: channel.id, at: 2000, name: "newest")
    let operation = RelayOperation(
      task: .verify, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r", number: 1,
      content: ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: channel.id, author: key.publicKey, document: channel.text, edition: 2,
        notice: ChannelNotice(networkID: newest.id, document: newest.text, signedAt: 2000), keySalt: keySalt))
    var seen = Look(channel: channel, newest: newest)
    _ = seen.machine.handle(.submitted(SessionOperation(operation: operation)))
    #expect(sends(seen.machine.handle(.opened(roundTrip: .zero))) == 1)
    return seen
  }

  /// The same, when the relay has served the channel without its newest edition and is asked what it has of the author.
  private func asking() throws -> Look {
    var seen = try look()
    _ = seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))
    #expect(outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b1")))).isEmpty)
    // First it is asked for the edition alone.
    let actions = seen.machine.handle(.received(.endOfStored(subscription: "b2")))
    #expect(outcomes(actions).isEmpty)
    let filter = "{\"authors\":[\"\(key.publicKey)\"],\"kinds\":[41],\"limit\":2}"
    #expect(actions.contains { if case .send(let text) = $0 { Self.isRequest(text, filter) } else { false } }, "\(actions)")
    return seen
  }

  private static func isRequest(_ text: String, _ filter: String) -> Bool {
    (try? JSONParser.parse(text)) == (try? JSONParser.parse("[\"REQ\",\"b3\",\(filter)]"))
  }

  /// What the look finds when the relay serves `events` of the author.
  private func found(_ events: (String) throws -> [NostrEvent]) throws -> [RelayOutcome] {
    var seen = try asking()
    for event in try events(seen.channel.id) {
      #expect(outcomes(seen.machine.handle(.received(.event(subscription: "b3", event)))).isEmpty)
    }
    return outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b3"))))
  }

  @Test func whatTheRelayHasOfOtherChannelsIsSaid() throws {
    #expect(try found { _ in [] } == [.verified(edition: 1, others: .none)])
    #expect(try found { _ in [try edition(of: Self.other, at: 3000)] } == [.verified(edition: 1, others: .newer)])
    #expect(try found { _ in [try edition(of: Self.other, at: 1500)] } == [.verified(edition: 1, others: .older)])
    #expect(try found { [try edition(of: $0, at: 1500)] } == [.verified(edition: 1, others: .none)], "an older one of its own")
    let two = try found { [try edition(of: Self.other, at: 3000), try edition(of: $0, at: 1500)] }
    #expect(two == [.verified(edition: 1, others: .several)])
    let one = try edition(of: Self.other, at: 3000)
    #expect(try found { _ in [one, one] } == [.verified(edition: 1, others: .newer)])
    let forged = NostrEvent(
      id: one.id, publicKey: one.publicKey, createdAt: one.createdAt, kind: 41, tags: one.tags, content: one.content,
      signature: String(repeating: "0", count: 128))
    #expect(try found { _ in [forged] } == [.verified(edition: 1, others: .none)])
  }

  @Test func ofTwoOfOneSecondTheLowerIDWins() throws {
    let newest = try look().newest
    for name in ["a", "b", "c", "d", "e", "f"] {
      let other = try edition(of: Self.other, at: 2000, name: name)
      let expected: OtherEditions = other.id < newest.id ? .newer : .older
      #expect(try found { _ in [other] } == [.verified(edition: 1, others: expected)])
    }
  }

  /// Nobody is told that a channel is not there because a relay does not like to be asked about authors.
  @Test(arguments: [
    SessionEvent.received(.closed(subscription: "b3", text: "blocked: no")), .timerFired(.answer),
    .closed(code: nil, reason: ""),
  ])
  func relayThatDoesNotAnswerThatShowsTheChannelAllTheSame(_ event: SessionEvent) throws {
    var seen = try asking()
    #expect(outcomes(seen.machine.handle(event)) == [.verified(edition: 1)])
  }

  @Test func channelWithAKeyOfItsOwnIsAloneUnderIt() throws {
    var seen = try look(keySalt: Self.salt)
    _ = seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))
    _ = seen.machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b2")))) == [.verified(edition: 1)])
  }

  @Test func newestEditionEndsTheLook() throws {
    var seen = try look()
    #expect(outcomes(seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))).isEmpty)
    #expect(outcomes(seen.machine.handle(.received(.event(subscription: "b1", seen.newest)))) == [.verified(edition: 2)])
    let end = seen.machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(outcomes(end).isEmpty && sends(end) == 1, "nothing more is asked for")
  }
}

struct EndingTests {
  /// A relay that is stopped (SIGSTOP) closes nothing: the connection is given up, and that is what must be said.
  @Test func howAConnectionEndedIsSaid() {
    let cases: [(code: Int?, reason: String, words: String)] = [
      (nil, "", "the relay closed the connection"),
      (nil, "the relay was silent for more than 90 s", "the relay was silent for more than 90 s"),
      (1001, "", "the relay closed the connection (1001)"), (1001, "bye", "the relay closed the connection (1001 bye)"),
    ]
    for (code, reason, words) in cases {
      let expected = RelayOutcome.troubled(Trouble(.unreachable, words), retryAfter: nil)
      var publisher = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
      _ = publisher.handle(.submitted(makeOperation(.invite)))
      _ = publisher.handle(.opened(roundTrip: .zero))
      #expect(outcomes(publisher.handle(.closed(code: code, reason: reason))) == [expected])
      var reader = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
      _ = reader.handle(.watched(true))
      _ = reader.handle(.submitted(makeOperation(.verify)))
      _ = reader.handle(.opened(roundTrip: .zero))
      let actions = reader.handle(.closed(code: code, reason: reason))
      #expect(outcomes(actions) == [expected])
      #expect(actions.contains(.report(.relayDown(RelayID(rawValue: 1), Trouble(.unreachable, words)))))
    }
  }
}

struct DialFailureTests {
  @Test func httpStatusesAreClassified() {
    func cause(_ status: Int) -> Cause { DialFailure.status(status, retryAfter: nil).trouble.cause }
    #expect(cause(401) == .rejected && cause(402) == .rejected && cause(403) == .rejected)
    #expect(cause(404) == .protocol && cause(426) == .protocol && cause(200) == .protocol)
    #expect(cause(429) == .rateLimited && cause(503) == .rateLimited)
    #expect(cause(500) == .unreachable && cause(502) == .unreachable)
    guard case .troubled(_, let wait) = DialFailure.status(429, retryAfter: .seconds(120)).outcome else {
      return #expect(Bool(false))
    }
    #expect(wait == .seconds(120))
  }

  @Test func whereTheRelayIsInsteadIsSaid() {
    for status in [301, 302, 307, 308] {
      let failure = DialFailure.status(status, retryAfter: nil, location: "wss://new.example/")
      guard case .misbehaved(let trouble) = failure.outcome else { return #expect(Bool(false)) }
      #expect(trouble.cause == .protocol)
      #expect(trouble.detail.contains("HTTP status \(status) and points to wss://new.example/;"))
    }
    #expect(DialFailure.status(302, retryAfter: nil).trouble.detail.hasSuffix("HTTP status 302"))
    #expect(DialFailure.status(402, retryAfter: nil).trouble.detail.contains("paid"))
  }

  @Test func retryAfterIsSecondsOrADate() {
    let now: Int64 = 784_111_777
    func wait(_ text: String, _ date: String? = nil) -> Duration? { RetryAfter.wait(text, date: date, now: now) }
    #expect(wait("120") == .seconds(120) && wait(" 3600 ") == .seconds(3_600))
    #expect(wait("99999999999999999999") == RetryAfter.longest && wait("604800") == RetryAfter.longest)
    // Sixty seconds after `now`, in the three forms of HTTP.
    for text in ["Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994"] {
      #expect(wait(text) == .seconds(60), "\(text)")
    }
    #expect(wait("Sun, 06 Nov 1994 08:00:00 GMT") == .zero)
    // By the server's clock, which is an hour ahead of ours.
    #expect(wait("Sun, 06 Nov 1994 10:00:00 GMT", "Sun, 06 Nov 1994 09:50:00 GMT") == .seconds(600))
    for text in ["", " ", "soon", "-5", "1.5", "Sun, 32 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:50 GMT", "١٢"] {
      #expect(wait(text) == nil, "\(text)")
    }
  }

  @Test func leapDaysCount() {
    #expect(RetryAfter.unixTime("Thu, 29 Feb 2024 00:00:00 GMT") == 1_709_164_800)
    #expect(RetryAfter.unixTime("Fri, 01 Mar 2024 00:00:00 GMT") == 1_709_251_200)
    #expect(RetryAfter.unixTime("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
  }
}

/// Relays that want to be left alone for long.
struct HoldTests {
  private static let busy = DialFailure.status(429, retryAfter: .seconds(7_200))

  @Test func relayIsLeftAloneAsLongAsItWants() {
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 2))
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(first))
    let failed = machine.handle(.dialFailed(Self.busy))
    #expect(outcomes(failed) == [.troubled(Self.busy.trouble, retryAfter: .seconds(7_200))])
    #expect(failed.contains(.setTimer(.reconnect, after: .seconds(7_200))))
    // What comes in the meantime must not wait here until it counts as timed out.
    #expect(machine.handle(.submitted(second)) == [.postpone(second, Self.busy.trouble)])
    _ = machine.handle(.timerFired(.reconnect))
    #expect(machine.handle(.submitted(second)).contains(.dial))
  }

  @Test func readersLeaveItAloneToo() {
    let item = makeOperation(.verify)
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.watched(true))
    #expect(machine.handle(.dialFailed(Self.busy)).contains(.setTimer(.reconnect, after: .seconds(7_200))))
    #expect(machine.handle(.submitted(item)) == [.postpone(item, Self.busy.trouble)])
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
  }

  @Test func relayThatFloodsIsLeftAloneForLongerAndLonger() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.watched(true))
    let flood = Trouble(.misbehaving, "too much")
    var waits: [Duration] = []
    let up = SessionAction.report(.relayUp(RelayID(rawValue: 1), roundTrip: .zero))
    for round in 0..<6 {
      _ = machine.handle(.submitted(makeOperation(.verify)))
      #expect(machine.handle(.opened(roundTrip: .zero)).contains(up) == (round == 0))
      // That it lasted makes no difference for the next wait.
      #expect(machine.handle(.timerFired(.stable)).contains(up) == (round > 0))
      let actions = machine.handle(.flooded("too much"))
      #expect(actions.contains(.hangUp))
      guard case .troubled(flood, let wait?)? = outcomes(actions).first else { return #expect(Bool(false)) }
      #expect(actions.contains(.setTimer(.reconnect, after: wait)))
      waits.append(wait)
      let item = makeOperation(.verify, channel: 2)
      #expect(machine.handle(.submitted(item)) == [.postpone(item, flood)])
      _ = machine.handle(.timerFired(.reconnect))
    }
    #expect(waits == [60, 120, 240, 480, 900, 900].map { .seconds($0) })
    var publisher = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for channel in 1...3 as ClosedRange<Int64> { _ = publisher.handle(.submitted(makeOperation(.invite, channel: channel))) }
    _ = publisher.handle(.opened(roundTrip: .zero))
    #expect(
      outcomes(publisher.handle(.flooded("too much")))
        == Array(repeating: .troubled(flood, retryAfter: .seconds(60)), count: 3))
  }

  @Test func shortWaitsAreSatOut() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makeOperation(.invite)))
    _ = machine.handle(.dialFailed(.status(429, retryAfter: .seconds(40))))
    #expect(machine.handle(.submitted(makeOperation(.invite, channel: 2))).isEmpty)
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
  }
}

/// Relays that make trouble with AUTH must not hold up what comes after.
struct AuthenticationTests {
  @Test func demandThatNeverEndsIsARefusal() {
    let item = makeOperation(.invite)
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(item))
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(.received(.challenge("c")))
    var final: [RelayOutcome] = []
    for _ in 0..<10 where final.isEmpty {
      final += outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: not listed"))))
      _ = machine.handle(.authenticationSent(id: "auth"))
      final += outcomes(machine.handle(.received(.ok(id: "auth", accepted: true, text: ""))))
      final += outcomes(machine.handle(.timerFired(.authentication)))
    }
    #expect(final == [.refused(Trouble(.authRequired, "auth-required: not listed"))])
  }

  @Test func floodOfChallengesIsAnsweredOnce() {
    let item = makeOperation(.invite)
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(item))
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    var signatures = 0
    for number in 0..<100 {
      let actions = machine.handle(.received(.challenge("c\(number)")))
      for action in actions {
        guard case .authenticate = action else { continue }
        signatures += 1
        _ = machine.handle(.authenticationSent(id: "auth\(number)"))
      }
    }
    #expect(signatures == 1)
  }

  @Test func lateEmptyOKIsNotGivenToTheNextEvent() {
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 2))
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in [first, second] { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.timeOut()
    #expect(outcomes(machine.handle(.received(.ok(id: "", accepted: false, text: "invalid: late")))).isEmpty)
    #expect(
      outcomes(machine.handle(.received(.ok(id: second.eventID, accepted: true, text: "")))) == [
        .accepted(link: "ws://r")
      ])
  }

  @Test func relayThatClosesAtOnceIsDialledLessAndLess() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    var waits: [Duration] = []
    _ = machine.handle(.watched(true))
    for _ in 0..<8 {
      _ = machine.handle(.opened(roundTrip: .zero))
      for case .setTimer(.reconnect, let wait) in machine.handle(.closed(code: 1008, reason: "")) { waits.append(wait) }
      _ = machine.handle(.timerFired(.reconnect))
    }
    #expect(waits.count == 8 && (waits.last ?? .zero) > .seconds(60))
  }

  /// A connection that lasted makes up for all failures before it; one that only came about does not.
  @Test(arguments: [(false, Duration.seconds(60)), (true, .milliseconds(800))])
  func backOffBeginsAnewAfterAConnectionThatLasted(_ hasLasted: Bool, _ least: Duration) {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.watched(true))
    var wait = Duration.zero
    for round in 0..<8 {
      _ = machine.handle(.opened(roundTrip: .zero))
      if round == 7, hasLasted { _ = machine.handle(.timerFired(.stable)) }
      for case .setTimer(.reconnect, let after) in machine.handle(.closed(code: 1006, reason: "")) { wait = after }
      _ = machine.handle(.timerFired(.reconnect))
    }
    // A fifth more or less than the pace.
    #expect(wait >= least && (!hasLasted || wait <= .milliseconds(1_200)), "\(wait)")
  }

  @Test func relayThatNobodyWatchesIsNotReported() {
    func reports(_ actions: [SessionAction]) -> Int {
      actions.filter { if case .report(.relayUp) = $0 { true } else if case .report(.relayDown) = $0 { true } else { false } }
        .count
    }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makeOperation(.verify)))
    #expect(reports(machine.handle(.opened(roundTrip: .zero)) + machine.handle(.closed(code: 1006, reason: ""))) == 0)
    // Nor one that was watched and is not any more.
    _ = machine.handle(.watched(true))
    _ = machine.handle(.timerFired(.reconnect))
    #expect(reports(machine.handle(.opened(roundTrip: .zero))) == 1)
    _ = machine.handle(.watched(false))
    #expect(reports(machine.handle(.closed(code: 1006, reason: ""))) == 0)
  }

  @Test func cancelledInvitationIsNotSent() {
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 2))
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in [first, second] { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    #expect(outcomes(machine.handle(.cancelled(ChannelID(rawValue: 2)))).count == 1)
    #expect(sends(machine.handle(.received(.ok(id: first.eventID, accepted: true, text: "")))) == 0)
  }
}
