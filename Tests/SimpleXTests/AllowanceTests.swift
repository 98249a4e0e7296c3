import Dialing
import NIOCore
import Testing

/// How much a peer may send before it is left.
struct AllowanceTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

  private func count(_ allowance: inout WebSocketAllowance, bytes: Int = 10, at now: NIODeadline) -> Int {
    var count = 0
    while allowance.came(bytes: bytes, now: now) { count += 1 }
    return count
  }

  @Test func floodEndsAtOnceAndATrickleNever() {
    var allowance = WebSocketAllowance(most: 100, perSecond: 5, now: start)
    #expect(count(&allowance, at: start) == 100)
    allowance = WebSocketAllowance(most: 100, perSecond: 5, now: start)
    for second in 0..<10_000 as Range<Int64> {
      for _ in 0..<5 {
        guard allowance.came(bytes: 10, now: start + .seconds(second)) else { return #expect(Bool(false), "second \(second)") }
      }
    }
  }

  @Test func silenceSavesUpNoMoreThanTheMost() {
    var allowance = WebSocketAllowance(most: 100, perSecond: 5, now: start)
    #expect(count(&allowance, at: start + .hours(24 * 365)) == 100)
  }

  /// A REQ for 64 channels with their editions, answered by all of them, again and again within one second.
  @Test func whatIsAskedForIsFree() {
    var allowance = WebSocketAllowance(most: 100, perSecond: 5, now: start)
    for _ in 0..<1_000 {
      allowance.sent(bytes: 30 + 128 * 67)
      for _ in 0..<130 { if !allowance.came(bytes: 2_000, now: start) { return #expect(Bool(false)) } }
    }
    // A publisher: an event of 600 bytes, its OK, a notice, and the event itself.
    for _ in 0..<1_000 {
      allowance.sent(bytes: 600)
      for _ in 0..<3 { if !allowance.came(bytes: 700, now: start) { return #expect(Bool(false)) } }
    }
    #expect(count(&allowance, at: start) <= 800, "no one saves up for a flood")
  }

  /// A page of 500 events with 32 MiB, a thousand times.
  @Test func whatIsExpectedIsFree() {
    var allowance = WebSocketAllowance(most: 1_000, perSecond: 5, now: start)
    for _ in 0..<1_000 {
      allowance.expects(frames: 500, bytes: 32 << 20)
      for _ in 0..<500 { if !allowance.came(bytes: 64 << 10, now: start) { return #expect(Bool(false)) } }
    }
    #expect(count(&allowance, at: start) <= 8_000, "no one saves up for a flood")
  }

  @Test func largeFramesCostMore() {
    var allowance = WebSocketAllowance(most: 100, perSecond: 5, now: start)
    #expect(count(&allowance, bytes: 1 << 20, at: start) == 1)
  }
}
