import Testing

@testable import Channels

/// The time that a delivery waits between two attempts, and between two repairs.
struct DeliveryBackOffTests {
  private static let start = Timestamp(milliseconds: 1_000_000_000)

  /// The waits of a delivery whose attempts meet the same trouble again and again, in seconds.
  private static func waits(_ count: Int, _ policy: DeliveryPolicy, _ trouble: Trouble, retryAfter: Duration? = nil) -> [Int64]
  {
    var (machine, now) = (DeliveryMachine(salt: 0, now: start), start)
    _ = machine.handle(.begun, now: now, policy: policy)
    var waits: [Int64] = []
    for _ in 1...count {
      _ = machine.handle(
        .troubled(operation: machine.operation, trouble, retryAfter: retryAfter), now: now, policy: policy)
      guard let next = machine.timer else { return waits }
      waits.append((next - now).wholeMilliseconds / 1_000)
      now = next
      _ = machine.handle(.timerFired, now: now, policy: policy)
    }
    return waits
  }

  private static func policy(jitter: Int = 0) -> DeliveryPolicy {
    var policy = DeliveryPolicy()
    policy.backOffJitterPercent = jitter
    return policy
  }

  @Test func attemptsBackOffAndRepairsGrowFromMinutesToADay() {
    let waits = Self.waits(18, Self.policy(), Trouble(.unreachable, "down"))
    #expect(waits.prefix(7) == [1, 2, 4, 8, 16, 32, 64])
    #expect(waits.dropFirst(7).prefix(7) == [900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600])
    #expect(waits.dropFirst(14) == [86_400, 86_400, 86_400, 86_400])
  }

  @Test func relayIsNeverAskedEarlierThanItWantsAndPatienceHasAnEnd() {
    let slow = Trouble(.rateLimited, "slow down")
    let asked = Self.waits(12, Self.policy(jitter: 20), slow, retryAfter: .seconds(3_000))
    #expect(asked.count == 12 && asked.allSatisfy { $0 >= 3_000 }, "\(asked)")
    let longest = Self.waits(12, Self.policy(jitter: 20), slow, retryAfter: .seconds(86_400 * 30))
    #expect(longest.count == 12 && longest.allSatisfy { (86_400...86_400 * 12 / 10).contains($0) }, "\(longest)")
  }

  @Test func refusalIsRepairedOnceADay() {
    let policy = Self.policy()
    var machine = DeliveryMachine(salt: 0, now: Self.start)
    _ = machine.handle(.begun, now: Self.start, policy: policy)
    _ = machine.handle(.handedOver(operation: 1), now: Self.start, policy: policy)
    _ = machine.handle(.refused(operation: 1, Trouble(.rejected, "no")), now: Self.start, policy: policy)
    #expect(machine.state.status == .failed && machine.timer == Self.start + policy.repairMax)
  }
}
