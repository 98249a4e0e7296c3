import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

struct EndingTests {
  /// A relay that is stopped (SIGSTOP) closes nothing: the connection is given up, and the reason says so.
  @Test func endOfAConnectionIsDescribed() {
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

  @Test func newAddressOfAMovedRelayIsNamed() {
    for status in [301, 302, 307, 308] {
      let failure = DialFailure.status(status, retryAfter: nil, location: "wss://new.example/")
      guard case .misbehaved(let trouble) = failure.outcome else { return #expect(Bool(false)) }
      #expect(trouble.cause == .protocol)
      #expect(trouble.detail.contains("HTTP status \(status) and points to wss://new.example/."))
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
    // Operations that arrive in the meantime must not wait here until they time out.
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
    let up = ReaderMachine.Action.report(.relayUp(RelayID(rawValue: 1), roundTrip: .zero))
    for round in 0..<6 {
      _ = machine.handle(.submitted(makeOperation(.verify)))
      #expect(machine.handle(.opened(roundTrip: .zero)).contains(up) == (round == 0))
      // A connection that lasted makes no difference for the next wait.
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
