import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Relays that make trouble with AUTH must not delay later operations.
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
        guard case .own(.authenticate) = action else { continue }
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

  /// A connection that lasted resets the count of failures; one that was merely opened does not.
  @Test(arguments: [(false, Duration.seconds(60)), (true, .milliseconds(800))])
  func backOffStartsOverAfterAConnectionThatLasted(_ hasLasted: Bool, _ least: Duration) {
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
    func reports(_ actions: [ReaderMachine.Action]) -> Int {
      actions.filter { if case .report(.relayUp) = $0 { true } else if case .report(.relayDown) = $0 { true } else { false } }
        .count
    }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makeOperation(.verify)))
    #expect(reports(machine.handle(.opened(roundTrip: .zero)) + machine.handle(.closed(code: 1006, reason: ""))) == 0)
    // Nor is a relay that is no longer watched.
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
