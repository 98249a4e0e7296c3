import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Pins are read back from the list that the relay shows.
struct PinReaderTests {
  private func machine(_ items: SessionOperation...) -> (ReaderMachine, [ReaderMachine.Action]) {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    let actions = machine.handle(.opened(roundTrip: .zero))
    return (machine, actions)
  }

  private func served(_ event: NostrEvent, _ name: String = "bl1") -> ReaderMachine.Event {
    .received(.event(subscription: name, event))
  }

  private func end(_ name: String = "bl1") -> ReaderMachine.Event { .received(.endOfStored(subscription: name)) }

  @Test func oneRequestAnswersAllPinsOfAGroup() {
    var (machine, opened) = machine(makePinDelivery(.verify, 1), makePinDelivery(.verify, 2))
    #expect(pinRequests(opened) == ["bl1"])
    #expect(machine.handle(served(makePins([entry(9), entry(2)]))).isEmpty, "a newer one may follow")
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .missing), DeliveryWord(2, .verified(edition: 1))] && pinForms(ended).isEmpty)
    #expect(texts(ended) == [ClientMessage.close("bl1")])
  }

  /// What was asked before it was sent does not say whether it came.
  @Test func pinThatComesLaterIsAskedForAnew() {
    var (machine, _) = machine(makePinDelivery(.verify, 1))
    #expect(machine.handle(.submitted(makePinDelivery(.verify, 2))).isEmpty)
    _ = machine.handle(served(makePins([entry(1), entry(2)])))
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .verified(edition: 1))] && pinRequests(ended) == ["bl2"])
    #expect(words(machine.handle(end("bl2"))) == [DeliveryWord(2, .missing)])
  }

  @Test func groupsAreAskedForOneAfterTheOther() {
    var (machine, opened) = machine(makePinDelivery(.verify, 1), makePinDelivery(.verify, 2, group: "other"))
    #expect(pinRequests(opened) == ["bl1"] && pinRequests(opened, of: "other").isEmpty)
    _ = machine.handle(served(makePins([entry(1), entry(2)])))
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .verified(edition: 1))] && pinRequests(ended, of: "other") == ["bl2"])
    _ = machine.handle(served(makePins([entry(2)]), "bl2"))
    #expect(words(machine.handle(end("bl2"))) == [DeliveryWord(2, .missing)], "that is the list of the first group")
  }

  /// What the relay says about its groups is asked for alone, beside posts.
  @Test func pinsDoNotWaitForPosts() {
    let (_, opened) = machine(makeGroupDelivery(.verify, 1, makeGroupPost(1, datedAt: 100)), makePinDelivery(.verify, 2))
    #expect(texts(opened).count == 2 && pinRequests(opened) == ["bl1"])
  }

  @Test func relayThatTookAListAndNeverShowsOneHasNone() throws {
    var pin = makePin(1).taken
    for look in 1...PinForm.vainLooksMax {
      var (machine, _) = machine(makePinDelivery(.verify, 1, pin))
      let ended = machine.handle(end())
      pin = try #require(pinForms(ended).first)
      #expect(PinForm(pin.document) == pin)
      switch words(ended).first?.outcome {
      case .missing: #expect(look < PinForm.vainLooksMax && pin.vainLooks == look)
      case .skipped(let trouble):
        #expect(look == PinForm.vainLooksMax && trouble.cause == .notSupported && trouble.detail.contains("39005"))
      case let other: #expect(Bool(false), "\(String(describing: other))")
      }
    }
    // Whoever tries again publishes it again.
    #expect(pin == makePin(1))
    var (machine, _) = machine(makePinDelivery(.verify, 1, pin))
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .missing)] && pinForms(ended).isEmpty)
  }

  @Test func pinThatWasTakenAwayIsGoneWithoutAList() {
    var (machine, _) = machine(makePinDelivery(.verify, 1, makePin(1).taken, isDeleted: true))
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .missing)] && pinForms(ended).isEmpty)
  }

  @Test func listThatIsNotTheRelaysIsRefused() {
    var (machine, _) = machine(makePinDelivery(.verify, 1))
    _ = machine.handle(served(makePins([entry(1)], by: .random())))
    guard case .refused(let trouble)? = words(machine.handle(end())).first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .wrongIdentity)
  }

  @Test func silenceAndRefusalsEndTheRequestAndNotTheNext() {
    var (machine, _) = machine(makePinDelivery(.verify, 1), makePinDelivery(.verify, 2, group: "other"))
    let silent = machine.handle(.timerFired(.answerPins))
    guard case .troubled(let trouble, _)? = words(silent).first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout && pinRequests(silent, of: "other") == ["bl2"])
    let closed = machine.handle(.received(.closed(subscription: "bl2", text: "auth-required: members only")))
    guard case .refused(let refusal)? = words(closed).first?.outcome else { return #expect(Bool(false)) }
    #expect(refusal.cause == .authRequired && closed.contains(.setTimer(.idle, after: NostrLimits().idleTimeout)))
  }

  @Test func lostConnectionEndsWhatIsUnderWayAndKeepsWhatWaits() {
    var (machine, _) = machine(makePinDelivery(.verify, 1))
    _ = machine.handle(.submitted(makePinDelivery(.verify, 2)))
    let lost = machine.handle(.closed(code: 1006, reason: ""))
    #expect(words(lost).map(\.post) == [1])
    _ = machine.handle(.timerFired(.reconnect))
    #expect(pinRequests(machine.handle(.opened(roundTrip: .zero))) == ["bl2"])
    #expect(machine.handle(end()).isEmpty, "that is the answer to the earlier request")
    let flooded = machine.handle(.flooded("too much"))
    #expect(words(flooded).map(\.post) == [2])
  }
}
