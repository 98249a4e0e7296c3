import Channels
import RelayNetwork
import Testing

@testable import Nostr

struct PublishingWindowTests {
  @Test func windowDoublesWithEachRoundTripUpToItsEnd() {
    var window = PublishingWindow()
    var sizes: [Int] = []
    for _ in 1...8 {
      sizes.append(window.size)
      for _ in 1...window.size { window.answeredByID(whenFull: true) }
    }
    #expect(sizes == [1, 2, 4, 8, 16, 32, 64, 64])
  }

  @Test func windowDoesNotOpenBeyondTheDemand() {
    var window = PublishingWindow()
    for _ in 1...100 { window.answeredByID(whenFull: false) }
    #expect(window.size == 1)
  }

  @Test func troubleHalvesTheWindow() {
    var window = PublishingWindow()
    for _ in 1...31 { window.answeredByID(whenFull: true) }
    #expect(window.size == 32)
    window.struggled()
    #expect(window.size == 16)
    // From there it grows by one per round trip.
    for _ in 1...16 { window.answeredByID(whenFull: true) }
    #expect(window.size == 17)
    window.failed()
    #expect(window.size == 1)
    for _ in 1...7 { window.answeredByID(whenFull: true) }
    #expect(window.size == 8, "half of where it failed is reached fast")
    window.answeredByID(whenFull: true)
    #expect(window.size == 8, "and what is above slowly")
  }

  @Test func closedToOneItStaysThereAsLongAsTheConnectionHolds() {
    var window = PublishingWindow()
    for _ in 1...10 { window.answeredByID(whenFull: true) }
    window.closeToOne()
    for _ in 1...10 { window.answeredByID(whenFull: true) }
    #expect(window.size == 1)
    window.connected()
    window.answeredByID(whenFull: true)
    #expect(window.size == 2)
  }

  @Test func rateIsLearnedByRefusals() {
    var window = PublishingWindow()
    #expect(window.distance == .zero && window.capacity(within: .seconds(45)) == nil)
    window.limited()
    #expect(window.distance == .milliseconds(100) && window.capacity(within: .seconds(45)) == 450)
    window.limited()
    #expect(window.distance == .milliseconds(200))
    for _ in 1..<PublishingWindow.eventsPerSpeedUp { window.answeredByID(whenFull: false) }
    #expect(window.distance == .milliseconds(200))
    window.answeredByID(whenFull: false)
    #expect(window.distance == .milliseconds(150))
    for _ in 1...20 { window.limited() }
    #expect(window.distance == PublishingWindow.distanceMax)
    for _ in 1...2_000 { window.answeredByID(whenFull: false) }
    #expect(window.distance == .zero, "a limit that is gone is forgotten")
  }

  @Test func newConnectionDoesNotForgetTheRate() {
    var window = PublishingWindow()
    window.limited()
    window.connected()
    #expect(window.distance == .milliseconds(100) && window.size == 1)
  }
}

/// Several events under way to one relay.
struct PublisherWindowTests {
  /// A machine with `count` operations, and two of them under way.
  private func twoUnderWay(_ count: Int64 = 5) -> (PublisherMachine, [SessionOperation]) {
    let items = (1...count).map { makeOperation(.invite, channel: $0) }
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    #expect(sends(machine.handle(.opened(roundTrip: .zero))) == 1, "one, until it is known how the relay answers")
    #expect(sends(machine.handle(ok(items[0]))) == 2)
    return (machine, items)
  }

  private func ok(_ item: SessionOperation, _ text: String = "", accepted: Bool = true) -> PublisherMachine.Event {
    .received(.ok(id: item.eventID, accepted: accepted, text: text))
  }

  private func nameless(_ text: String) -> PublisherMachine.Event { .received(.ok(id: "", accepted: false, text: text)) }

  private func sent(_ actions: [PublisherMachine.Action]) -> [String] {
    actions.compactMap { if case .send(let text) = $0 { text } else { nil } }
  }

  private func event(_ item: SessionOperation) -> String {
    guard case .signed(_, let text)? = item.events.first else { return "" }
    return ClientMessage.event(text)
  }

  @Test func answersMayComeInAnyOrder() {
    var (machine, items) = twoUnderWay()
    let second = machine.handle(ok(items[2]))
    #expect(outcomes(second) == [.accepted(link: "ws://r"), .handedOver, .handedOver], "the window opens")
    #expect(outcomes(machine.handle(ok(items[1]))).first == .accepted(link: "ws://r"))
  }

  @Test func refusalOfOneEventDoesNotRefuseTheOthers() {
    var (machine, items) = twoUnderWay()
    let refused = machine.handle(ok(items[1], "blocked: no", accepted: false))
    #expect(outcomes(refused).first == .refused(Trouble(.rejected, "blocked: no")))
    #expect(outcomes(machine.handle(ok(items[2]))).first == .accepted(link: "ws://r"))
  }

  @Test func refusalUnderAnEmptyIDIsTheOneThatIsLeft() {
    var (machine, items) = twoUnderWay()
    #expect(machine.handle(nameless("rejected: no")).isEmpty, "it may be either")
    let answered = machine.handle(ok(items[2]))
    #expect(outcomes(answered) == [.accepted(link: "ws://r"), .refused(Trouble(.rejected, "rejected: no")), .handedOver])
    // From now on, one at a time.
    #expect(sends(answered) == 1)
    #expect(sends(machine.handle(ok(items[3]))) == 1)
  }

  @Test func refusalsUnderEmptyIDsAreToldApartOneByOne() {
    var (machine, items) = twoUnderWay()
    _ = machine.handle(nameless("rejected: one"))
    let both = machine.handle(nameless("rejected: two"))
    #expect(outcomes(both) == [.handedOver] && sent(both) == [event(items[1])], "sent again, alone")
    let first = machine.handle(nameless("rejected: one"))
    #expect(outcomes(first) == [.refused(Trouble(.rejected, "rejected: one")), .handedOver])
    #expect(sent(first) == [event(items[2])])
    #expect(outcomes(machine.handle(nameless("rejected: two"))).first == .refused(Trouble(.rejected, "rejected: two")))
  }

  @Test func silenceClosesTheWindowAndConcernsTheFirstOnly() {
    var (machine, items) = twoUnderWay()
    _ = machine.handle(.timerFired(.answer))
    let given = machine.handle(.timerFired(.readBack))
    guard case .troubled(let trouble, _)? = outcomes(given).first else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout && outcomes(given).count == 1 && sends(given) == 1, "CLOSE; nothing new is sent")
    #expect(given.contains(.setTimer(.answer, after: NostrLimits().publishTimeout)), "the second has its whole time")
    #expect(outcomes(machine.handle(ok(items[2]))).first == .accepted(link: "ws://r"))
  }

  @Test func nobodyIsBlamedForAConnectionThatEndsWithSeveralUnderWay() {
    for end in [PublisherMachine.Event.closed(code: 1009, reason: ""), .violated("binary")] {
      var (machine, items) = twoUnderWay()
      #expect(outcomes(machine.handle(end)).isEmpty)
      _ = machine.handle(.timerFired(.reconnect))
      #expect(sent(machine.handle(.opened(roundTrip: .zero))) == [event(items[1])], "in order, alone")
      let blamed = outcomes(machine.handle(end))
      #expect(blamed.count == 1 && blamed[0].isFinal)
    }
  }

  @Test func connectionThatEndsWithNothingUnderWayIsNoTrouble() {
    var (machine, items) = twoUnderWay(3)
    for item in items[1...] { _ = machine.handle(ok(item)) }
    _ = machine.handle(.closed(code: 1001, reason: "nothing to do"))
    let more = (4...8 as ClosedRange<Int64>).map { makeOperation(.invite, channel: $0) }
    for item in more { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.timerFired(.reconnect))
    #expect(sends(machine.handle(.opened(roundTrip: .zero))) == 1)
    #expect(sends(machine.handle(ok(more[0]))) == 2)
    #expect(sends(machine.handle(ok(more[1]))) == 2, "the window opens as fast as before")
  }

  @Test func editionsOfOneChannelFollowEachOther() {
    let items = [
      makeOperation(.invite), makeOperation(.invite, channel: 2), makeOperation(.announce, channel: 2, number: 2),
      makeOperation(.invite, channel: 3),
    ]
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    #expect(sends(machine.handle(ok(items[0]))) == 1, "the edition waits for its channel, and what follows keeps its place")
    #expect(sends(machine.handle(ok(items[1]))) == 2)
  }

  @Test func groupsAreAlone() {
    func group(_ channel: Int64) -> SessionOperation {
      SessionOperation(
        operation: makeOperation(.invite, channel: channel).operation,
        events: [.draft(kind: 9007, tags: [["h", "x"]], content: "")])
    }
    let (first, second) = (makeOperation(.invite), makeOperation(.invite, channel: 4))
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in [first, group(2), group(3), second] { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    func publishes(_ actions: [PublisherMachine.Action]) -> Int {
      actions.filter { if case .own(.publish) = $0 { true } else { false } }.count
    }
    #expect(publishes(machine.handle(ok(first))) == 1)
    _ = machine.handle(.published(id: "g2"))
    #expect(publishes(machine.handle(.received(.ok(id: "g2", accepted: true, text: "")))) == 1)
    _ = machine.handle(.published(id: "g3"))
    #expect(sends(machine.handle(.received(.ok(id: "g3", accepted: true, text: "")))) == 1)
  }

  @Test func rateIsKeptOnceTheRelayLimitsIt() {
    var (machine, items) = twoUnderWay()
    let limited = machine.handle(ok(items[1], "rate-limited: slow down", accepted: false))
    #expect(
      outcomes(limited) == [.troubled(Trouble(.rateLimited, "rate-limited: slow down"), retryAfter: .seconds(30))])
    #expect(sends(limited) == 0 && limited.contains(.setTimer(.pace, after: .milliseconds(100))))
    // Events sent before that was known say nothing about the new rate.
    let again = machine.handle(ok(items[2], "rate-limited: slow down", accepted: false))
    #expect(sends(again) == 0 && !again.contains(.setTimer(.pace, after: .milliseconds(200))))
    let next = machine.handle(.timerFired(.pace))
    #expect(sends(next) == 1 && next.contains(.setTimer(.pace, after: .milliseconds(100))))
    // The answer alone does not send the next one.
    #expect(sends(machine.handle(ok(items[3]))) == 0)
    #expect(sends(machine.handle(.timerFired(.pace))) == 1)
    let slower = machine.handle(ok(items[4], "rate-limited: slow down", accepted: false))
    #expect(slower.contains(.setTimer(.pace, after: .milliseconds(200))))
  }

  @Test func refusalsOfOneBurstOpenNothing() {
    var (machine, items) = twoUnderWay(130)
    for item in items[1..<63] { _ = machine.handle(ok(item)) }
    let burst = items[63..<127]
    #expect(burst.count == PublishingWindow.sizeMax)
    for item in burst {
      let refused = machine.handle(ok(item, "rate-limited: slow down", accepted: false))
      #expect(sends(refused) == 0 && outcomes(refused).count == 1)
    }
    let next = machine.handle(.timerFired(.pace))
    #expect(sends(next) == 1 && next.contains(.setTimer(.pace, after: .milliseconds(100))), "no faster than after the first")
    #expect(sends(machine.handle(.timerFired(.pace))) == 0, "one at a time")
  }

  /// The second event of an operation is not held up, and counts.
  @Test func eventsOutOfTurnKeepTheNextOperationAway() {
    let items = (1...3).map { number in
      let plain = makeOperation(.invite, channel: Int64(number))
      return SessionOperation(
        operation: plain.operation, events: plain.events + [.extra(id: "extra \(number)", text: "{}")])
    }
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(ok(items[0], "rate-limited: slow down", accepted: false))
    #expect(sends(machine.handle(.timerFired(.pace))) == 1)
    let second = machine.handle(ok(items[1]))
    #expect(sends(second) == 1 && second.contains(.setTimer(.pace, after: .milliseconds(200))))
    #expect(sends(machine.handle(.received(.ok(id: "extra 2", accepted: true, text: "")))) == 0)
    #expect(sends(machine.handle(.timerFired(.pace))) == 1)
  }

  @Test func operationsThatWaitTooLongAreGivenBack() {
    var (machine, items) = twoUnderWay(3)
    _ = machine.handle(ok(items[2]))
    _ = machine.handle(ok(items[1], "rate-limited: slow down", accepted: false))
    var channel: Int64 = 10
    for _ in 1...9 {
      let item = makeOperation(.invite, channel: channel)
      channel += 1
      _ = machine.handle(.submitted(item))
      _ = machine.handle(.timerFired(.pace))
      _ = machine.handle(ok(item, "rate-limited: slow down", accepted: false))
    }
    // One every 51.2 s by now.
    #expect(outcomes(machine.handle(.submitted(makeOperation(.invite, channel: channel)))).isEmpty)
    let late = outcomes(machine.handle(.submitted(makeOperation(.invite, channel: channel + 1))))
    let words = "the relay limits the rate of events, so Baton sends one every 51200 ms"
    #expect(late == [.troubled(Trouble(.rateLimited, words), retryAfter: .milliseconds(102_400))])
  }

  @Test func demandForTheAuthorsOfSeveralIsMetOneByOne() {
    var (machine, items) = twoUnderWay()
    _ = machine.handle(.received(.challenge("c1")))
    let first = machine.handle(ok(items[1], "auth-required: who?", accepted: false))
    #expect(first.contains(.own(.authenticate(challenge: "c1"))))
    _ = machine.handle(.authenticationSent(id: "auth"))
    #expect(outcomes(machine.handle(ok(items[2], "auth-required: who?", accepted: false))).isEmpty)
    let known = machine.handle(.received(.ok(id: "auth", accepted: true, text: "")))
    #expect(sent(known) == [event(items[1])])
    #expect(sent(machine.handle(ok(items[1]))) == [event(items[2])], "one at a time from now on")
  }
}
