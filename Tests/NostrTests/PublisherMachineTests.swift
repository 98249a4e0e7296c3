import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

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

  /// Another daemon acts for some channels: nothing more is sent for them, and others get what they would have got.
  @Test func abandonedChannelsAreSentNothingMore() {
    let (first, second, third) = (
      makeOperation(.invite), makeOperation(.invite, channel: 2), makeOperation(.announce, channel: 3)
    )
    var machine = opened([first, second, third])
    // What only waits is dropped in silence.
    #expect(machine.handle(.abandoned(SlotSet([2]))).isEmpty)
    // What is under way ends with its connection, and no one waits for its outcome.
    let actions = machine.handle(.abandoned(SlotSet([1])))
    #expect(actions.first == .own(.cut) && outcomes(actions).isEmpty && sends(actions) == 0)
    #expect(sends(machine.handle(.received(.ok(id: first.eventID, accepted: true, text: "")))) == 0)
    let again = machine.handle(.opened(roundTrip: .zero))
    #expect(sends(again) == 1)
    #expect(outcomes(machine.handle(.received(.ok(id: third.eventID, accepted: true, text: "")))) == [.announced])
    #expect(outcomes(machine.handle(.received(.ok(id: second.eventID, accepted: true, text: "")))).isEmpty)
  }

  /// An event that was not answered in time counts no more once its channel is another daemon's.
  @Test func lateAnswersForAbandonedChannelsAreIgnored() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    _ = machine.timeOut()
    _ = machine.handle(.abandoned(.all))
    #expect(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: ""))).isEmpty)
  }

  /// A refusal without an id concerns what was sent over the same connection, not what an earlier one left unanswered.
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
    func ok(_ item: SessionOperation) -> PublisherMachine.Event { .received(.ok(id: item.eventID, accepted: true, text: "")) }
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
  @Test func servedEventCountsAsAccepted() throws {
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
    // The wait for the next one is shorter until the relay speaks.
    #expect(found.contains(.setTimer(.answer, after: NostrLimits().mutePublishTimeout)))
    #expect(
      outcomes(machine.handle(.received(.ok(id: items[1].eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
    let next = machine.handle(.submitted(makeOperation(.invite, channel: 3)))
    #expect(next.contains(.setTimer(.answer, after: NostrLimits().publishTimeout)))
  }

  @Test func eventThatIsNotServedDoesNotCountAsAccepted() throws {
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
    // An OK that comes while the event is looked for is in time.
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
    #expect(demanded.contains(.own(.authenticate(challenge: "c1"))))
    _ = machine.handle(.authenticationSent(id: "auth"))
    #expect(sends(machine.handle(.received(.ok(id: "auth", accepted: true, text: "")))) == 1)
    #expect(
      outcomes(machine.handle(.received(.ok(id: item.eventID, accepted: true, text: "")))) == [.accepted(link: "ws://r")])
  }

  /// Others read over the connection, so nothing is said over it; the next one may be another.
  @Test func demandThatMustNotBeMetEndsTheOperationAndTheConnection() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    _ = machine.handle(.received(.challenge("c1")))
    _ = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    let ended = machine.handle(.authenticationSent(id: nil))
    guard case .troubled(let trouble, nil)? = outcomes(ended).first else { return #expect(Bool(false)) }
    #expect(trouble.cause == .authRequired && ended.contains(.hangUp) && ended.contains(.cancelTimer(.authentication)))
    #expect(machine.handle(.authenticationSent(id: nil)).isEmpty)
  }

  /// The demand answers the event, so it is no longer looked for.
  @Test func demandThatComesWhileTheEventIsLookedForCounts() {
    let item = makeOperation(.invite)
    let name = "p-" + item.eventID.prefix(16)
    var machine = opened([item])
    _ = machine.handle(.received(.challenge("c1")))
    _ = machine.handle(.timerFired(.answer))
    let demanded = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    #expect(demanded.contains(.own(.authenticate(challenge: "c1"))))
    #expect(demanded.contains(.send(ClientMessage.close(name))) && demanded.contains(.cancelTimer(.readBack)))
    _ = machine.handle(.authenticationSent(id: "auth"))
    #expect(machine.handle(.received(.endOfStored(subscription: name))).isEmpty)
    #expect(sends(machine.handle(.received(.ok(id: "auth", accepted: true, text: "")))) == 1)
  }

  @Test func challengeThatComesAfterTheRefusalIsAnswered() {
    let item = makeOperation(.invite)
    var machine = opened([item])
    let demanded = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: "auth-required: who?")))
    #expect(demanded.contains(.setTimer(.authentication, after: .seconds(5))))
    #expect(machine.handle(.received(.challenge("c2"))).contains(.own(.authenticate(challenge: "c2"))))
  }

  @Test func silenceAfterAuthMeansConsent() {
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
    let ends: [[PublisherMachine.Event]] = [
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
      func note(_ actions: [PublisherMachine.Action]) {
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

/// Channels with their own keys: events that an operation does not depend on, and the key that authenticates.
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
        identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
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
    PublisherMachine.Event.received(.ok(id: "extra", accepted: true, text: "")),
    .received(.ok(id: "extra", accepted: false, text: "blocked: no profiles")),
    .received(.ok(id: "extra", accepted: false, text: "rate-limited: slow down")),
    .received(.ok(id: "", accepted: false, text: "error: unknown")), .timerFired(.answer), .closed(code: 1008, reason: ""),
    .violated("binary"),
  ])
  func channelIsAcceptedWhateverHappensToItsProfile(_ event: PublisherMachine.Event) {
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
    #expect(first.contains(.own(.authenticate(challenge: "c1"))))
    _ = machine.handle(.authenticationSent(id: "one"))
    #expect(sends(machine.handle(.received(.ok(id: "one", accepted: true, text: "")))) == 1)
    let second = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: words)))
    #expect(second.contains(.own(.authenticate(challenge: "c1", author: item.operation.content))))
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
