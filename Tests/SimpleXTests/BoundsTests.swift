import Channels
import Foundation
import Logging
import RelayNetwork
import Synchronization
import Testing

@testable import SimpleX

/// What is kept for a core that says much, and for people who try many addresses.
struct BoundsTests {
  /// A clock that goes on by seconds.
  private final class Clock: Sendable {
    private let seconds = Mutex<Int64>(1_750_000_000)
    var now: Timestamp { Timestamp(milliseconds: seconds.withLock { $0 } * 1_000) }
    func advance() { seconds.withLock { $0 += 1 } }
  }

  private static func watched(_ number: Int64) -> SimpleXNetwork.Input {
    .watched([RelayID(rawValue: number): "x"])
  }

  @Test func eventsBeyondTheLimitBecomeALookAtEverything() {
    var queue = InputQueue()
    queue.put(Self.watched(1))
    for number in 0..<5_000 { queue.put(.core(.event(.other(tag: "\(number)")))) }
    queue.put(Self.watched(2))
    let inputs = queue.take()
    #expect(inputs.count == InputQueue.eventsMax + 3)
    guard case .watched = inputs[0], case .core(.event(.other(tag: "0"))) = inputs[1], case .watched = inputs[inputs.count - 2],
      case .eventsMissed = inputs[inputs.count - 1]
    else {
      Issue.record("the order is another one")
      return
    }
    #expect(queue.take().isEmpty)
    queue.put(.core(.event(.other(tag: "later"))))
    #expect(queue.take().count == 1, "there is room again, and nothing was missed since")
  }

  @Test func manyWaitsAreFewNudgesAndNoneIsEarly() throws {
    var times = NudgeTimes()
    var given: Set<Duration> = []
    for number in 0..<10_000 {
      // Ten thousand channels within a second, each for a minute.
      let elapsed = Duration.microseconds(100 * number)
      if let time = times.add(.seconds(60), at: elapsed) {
        #expect(time > elapsed + .seconds(60) && time <= elapsed + .seconds(60) + NudgeTimes.grid)
        given.insert(time)
      }
    }
    #expect(times.count == given.count && (20...21).contains(given.count))
    let first = try #require(given.min())
    times.passed(first)
    #expect(times.count == given.count - 1)
    #expect(times.add(first - .seconds(1), at: .milliseconds(999)) == first, "it can be set again")
  }

  @Test func resultsOfTestsThatDoNotCountAnyMoreAreForgotten() throws {
    let clock = Clock()
    let worker = CoreWorker(
      limits: SimpleXLimits(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      around: .init(
        now: { clock.now }, known: { _ in nil }, served: { _, _ in [] },
        isNew: { _ in false }, ask: { _ in .failure(.notSent(.tooMany)) }, test: { _, _, _ in }, arrived: { [] },
        report: { _ in }, nudge: { _ in }))
    for number in 0..<3_000 {
      let address = try CoreRelayAddress(
        "https://smp\(number).example.com/r#\(AddressSamples.key)?c=\(AddressSamples.fingerprint)")
      worker.take(.tested(lane: 0, address, .success(.relayTest(CoreRelayTest(name: nil, failure: nil)))))
      clock.advance()
    }
    // They count for a quarter of an hour.
    #expect((900...1_001).contains(worker.passed.count))
  }

  @Test func relaysForWhichPostsWaitAreForgottenBeyondTheLimit() {
    var joining = JoiningRelays()
    let (first, later) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: 1))
    func member(_ number: Int) -> CoreMember.ID { CoreMember.ID(rawValue: Int64(number)) }
    for number in 0..<JoiningRelays.max { #expect(joining.wait(for: member(number), now: first) == first) }
    #expect(joining.wait(for: member(0), now: later) == first, "it is waited for since the first time")
    #expect(joining.wait(for: member(JoiningRelays.max), now: later) == later)
    #expect(joining.wait(for: member(0), now: later) == later, "nothing is kept for more than so many")
  }
}
