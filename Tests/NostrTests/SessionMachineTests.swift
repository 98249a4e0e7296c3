import Channels
import RelayNetwork
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
    let timedOut = outcomes(machine.handle(.timerFired(.answer)))
    guard case .troubled(let trouble, _)? = timedOut.first else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout)
    #expect(
      outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
    #expect(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: ""))).isEmpty)
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
        .opened(roundTrip: .zero), .timerFired(.answer), .timerFired(.answer), .timerFired(.reconnect),
        .dialFailed(.unreachable("x")),
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
    let rest = outcomes(machine.handle(.received(.endOfStored(subscription: "b1"))))
    #expect(rest == [.missing, .missing])
  }

  @Test func readingGathersUnderLoadAndALoneChannelDoesNotWait() {
    var machine = opened([makeOperation(.verify)])
    #expect(machine.handle(.received(.endOfStored(subscription: "b1"))).contains { if case .send = $0 { true } else { false } })
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 2)))) == 1)
    for channel in 3...5 as ClosedRange<Int64> {
      #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: channel)))) == 0)
    }
    // The second REQ is over, three wait: they go at once, because the one before was alone.
    #expect(sends(machine.handle(.received(.endOfStored(subscription: "b2")))) == 2)
    _ = machine.handle(.submitted(makeOperation(.verify, channel: 6)))
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

struct DialFailureTests {
  @Test func httpStatusesAreClassified() {
    func cause(_ status: Int) -> Cause { DialFailure.status(status, retryAfter: nil).trouble.cause }
    #expect(cause(401) == .rejected && cause(403) == .rejected)
    #expect(cause(404) == .protocol && cause(426) == .protocol && cause(200) == .protocol)
    #expect(cause(429) == .rateLimited && cause(503) == .rateLimited)
    #expect(cause(500) == .unreachable && cause(502) == .unreachable)
    guard case .troubled(_, let wait) = DialFailure.status(429, retryAfter: .seconds(120)).outcome else {
      return #expect(Bool(false))
    }
    #expect(wait == .seconds(120))
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
    _ = machine.handle(.timerFired(.answer))
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

  @Test func cancelledInvitationIsNotSent() {
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 2))
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in [first, second] { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    #expect(outcomes(machine.handle(.cancelled(ChannelID(rawValue: 2)))).count == 1)
    #expect(sends(machine.handle(.received(.ok(id: first.eventID, accepted: true, text: "")))) == 0)
  }
}
