import Testing

@testable import Channels

/// The time that a channel relay waits between two attempts.
struct BackOffTests {
  private static let start = Timestamp(milliseconds: 1_000_000_000)

  private static func policy(jitter: Int = 0) -> RelayPolicy {
    var policy = RelayPolicy()
    (policy.backOffJitterPercent, policy.attemptsMax, policy.effortMax) = (jitter, 40, .seconds(1_000_000))
    return policy
  }

  /// The waits of one channel relay whose invitation meets the same trouble again and again, in milliseconds.
  private static func waits(_ count: Int, _ policy: RelayPolicy, salt: UInt64 = 0, retryAfter: Duration? = nil) -> [Int64] {
    var (machine, now) = (ChannelRelayMachine(salt: salt, now: start), start)
    _ = machine.handle(.begun, now: now, policy: policy)
    var waits: [Int64] = []
    for _ in 1...count {
      let operation = machine.operation
      _ = machine.handle(
        .troubled(operation: operation, Trouble(.storage, "full"), retryAfter: retryAfter), now: now, policy: policy)
      guard let next = machine.timer else { return waits }
      waits.append(next.milliseconds - now.milliseconds)
      now = next
      _ = machine.handle(.timerFired, now: now, policy: policy)
    }
    return waits
  }

  @Test func waitsDoubleUpToTheirBound() {
    let policy = Self.policy()
    let waits = Self.waits(20, policy)
    #expect(waits.prefix(9) == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000])
    #expect(waits.dropFirst(9).allSatisfy { $0 == 300_000 } && waits.count == 20)
    // Also where the bound is not the first wait times a power of two, and where it is below the first wait.
    var short = policy
    (short.backOffFirst, short.backOffMax) = (.seconds(10), .seconds(3))
    #expect(Self.waits(3, short) == [3_000, 3_000, 3_000])
  }

  @Test func daemonsDoNotAllTryAgainAtTheSameMoment() {
    var seen: Set<Int64> = []
    for salt in 1...50 as ClosedRange<UInt64> {
      let wait = Self.waits(1, Self.policy(jitter: 20), salt: salt * 0x9E37_79B9)[0]
      #expect((800...1_200).contains(wait))
      seen.insert(wait)
    }
    #expect(seen.count > 10, "\(seen)")
  }

  @Test func relayIsNeverAskedEarlierThanItWants() {
    for salt in 1...50 as ClosedRange<UInt64> {
      let wait = Self.waits(1, Self.policy(jitter: 20), salt: salt * 0x9E37_79B9, retryAfter: .seconds(30))[0]
      #expect(wait >= 30_000)
    }
  }
}
