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

  /// What another daemon sent before it lost the channel may arrive after the withdrawal, which is sent again then, and only once.
  @Test func withdrawalsAreRepeatedWhereSomethingMayArriveLate() {
    var policy = Self.policy()
    func told(_ machine: inout ChannelRelayMachine, _ now: Timestamp) {
      _ = machine.handle(.withdrawn(operation: machine.operation), now: now, policy: policy)
    }
    func removed(_ kind: ChannelKind = .channel) -> ChannelRelayMachine {
      var machine = ChannelRelayMachine(salt: 0, now: Self.start, kind: kind)
      _ = machine.handle(.begun, now: Self.start, policy: policy)
      _ = machine.handle(.removalRequested, now: Self.start, policy: policy)
      return machine
    }
    var alone = removed()
    told(&alone, Self.start)
    #expect(alone.isGone)
    policy.lateArrival = .seconds(10)
    var machine = removed()
    told(&machine, Self.start + .seconds(1))
    #expect(machine.state.status == .removed && !machine.isGone && machine.timer == Self.start + .seconds(10))
    let again = machine.handle(.timerFired, now: Self.start + .seconds(10), policy: policy)
    #expect(again == [.withdraw(operation: machine.operation)])
    told(&machine, Self.start + .seconds(11))
    #expect(machine.isGone)
    // A relay that is told late is told once.
    var late = removed()
    told(&late, Self.start + .seconds(10))
    #expect(late.isGone)
    // A clock that was set back repeats nothing for ever.
    var back = removed()
    let before = Self.start + .seconds(-1_000)
    told(&back, before)
    #expect(back.timer == before + .seconds(10))
    _ = back.handle(.timerFired, now: before + .seconds(10), policy: policy)
    told(&back, before + .seconds(10))
    #expect(back.isGone)
    // A group that is gone would refuse to be deleted.
    var group = removed(.group)
    told(&group, Self.start)
    #expect(group.isGone)
  }

  /// A relay of which nothing is heard is not asked to delete the channel after another has replaced it, however long that lasts.
  @Test func replacedRelayIsToldWhenItHasAnsweredAndNotBefore() {
    let policy = RelayPolicy()
    func replaced(_ policy: RelayPolicy) -> ChannelRelayMachine {
      var machine = ChannelRelayMachine(salt: 0, now: Self.start)
      let events: [ChannelRelayMachine.Event] = [
        .begun, .relayAccepted(operation: 1, link: "l"), .verified(operation: 2), .relayLost(Trouble(.unreachable, "down")),
        .replaced("words"),
      ]
      for event in events { _ = machine.handle(event, now: Self.start, policy: policy) }
      return machine
    }
    var silent = replaced(policy)
    var now = Self.start
    while let timer = silent.timer {
      now = max(now, timer)
      let actions = silent.handle(.timerFired, now: now, policy: policy)
      #expect(!actions.contains { if case .withdraw = $0 { true } else { false } })
    }
    #expect(silent.isGone && now > Self.start + .seconds(6 * 86_400))
    for answer: ChannelRelayMachine.Event in [
      .verified(operation: 3), .foundMissing(operation: 3), .refused(operation: 3, Trouble(.rejected, "no")),
    ] {
      var machine = replaced(policy)
      #expect(machine.handle(answer, now: Self.start, policy: policy) == [.withdraw(operation: 4)])
    }
    // The connection failed, and the question was not answered.
    var broken = replaced(policy)
    _ = broken.handle(.misbehaved(operation: 3, Trouble(.protocol, "not JSON")), now: Self.start, policy: policy)
    #expect(broken.isGone)
    // People need not wait.
    var deleted = replaced(policy)
    #expect(deleted.handle(.removalRequested, now: Self.start, policy: policy) == [.withdraw(operation: 4)])
    var inCore = policy
    inCore.readsReplaced = false
    #expect(replaced(inCore).underWay?.task == .withdraw)
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
