import Foundation
import TestTools
import Testing

@testable import Channels

/// A seeded walk over one delivery: outcomes lost, late, doubled and false, restarts, requests, jumping clocks.
/// `BATON_SEED=n scripts/test ChannelsTests --filter DeliveryWalk` repeats a failure.
struct DeliveryWalkTests {
  private static var seed: UInt64 {
    Seeds.repeated ?? 20_261_123
  }

  /// - Parameter isTruthful: whether the relay says the truth, as far as it says anything. Then it never holds two copies.
  @Test(arguments: [true, false])
  func invariantsHoldOverManySteps(isTruthful: Bool) async throws {
    for seed in Self.seed..<Self.seed + 300 {
      // Other tests have timers that must not wait for all of this.
      await Task.yield()
      var walk = DeliveryWalk(seed: seed, isTruthful: isTruthful)
      do {
        for _ in 0..<300 { try walk.step() }
        try walk.settle()
      } catch {
        Issue.record("\(error); repeat with BATON_SEED=\(seed) scripts/test ChannelsTests --filter DeliveryWalk")
        return
      }
    }
  }

  /// A walk that never publishes, fails or deletes would prove nothing.
  @Test func walksVisitEveryStatus() throws {
    var visited: Set<DeliveryStatus> = []
    for seed in 0..<300 as Range<UInt64> {
      var walk = DeliveryWalk(seed: seed, isTruthful: false)
      for _ in 0..<300 {
        try walk.step()
        visited.insert(walk.machine.state.status)
      }
    }
    #expect(visited == Set(DeliveryStatus.allCases))
  }

  @Test func sameSeedGivesTheSameWalk() throws {
    var first = DeliveryWalk(seed: 7, isTruthful: false)
    var second = DeliveryWalk(seed: 7, isTruthful: false)
    for _ in 0..<2_000 {
      try first.step()
      try second.step()
    }
    #expect(first.machine == second.machine)
  }
}

private struct DeliveryWalk {
  private var random: SplitMix64
  private var world = PostWorld()
  private(set) var machine: DeliveryMachine
  private var now = Timestamp(milliseconds: 1_000_000_000)
  private let policy = DeliveryPolicy()
  private let isTruthful: Bool
  /// Whether the network loses and delays, and requests come.
  private var hasFaults = true

  init(seed: UInt64, isTruthful: Bool) {
    random = SplitMix64(seed: seed)
    self.isTruthful = isTruthful
    machine = DeliveryMachine(salt: seed, now: now)
    _ = try? feed(.begun)
  }

  private mutating func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<50: try deliver()
    case 50..<70: try passTime(.milliseconds(Int64.random(in: 0...60_000, using: &random)))
    case 70..<80: try passTime(.seconds(Int64.random(in: 0...7_200, using: &random)))
    case 80..<86: try restart()
    case 86..<89: try feed(.relayReturned)
    case 89..<92: try feed(.retryRequested)
    case 92..<95:
      let isTrue = isTruthful || !isOneOf(4)
      try feed(.reconciled(isServed: (world.serves > 0) == isTrue))
    case 95: if isOneOf(4) { world.forget() }
    case 96: if isOneOf(3) { try feed(.edited(edition: machine.edition + 1)) }
    case 97: if isOneOf(6) { try feed(.cancelRequested) }
    case 98: if isOneOf(5) { try feed(.deletionRequested) }
    default: if isOneOf(30) { try feed(.relayLeft) }
    }
  }

  /// When faults stop, every delivery is settled in bounded time, and what it says is true.
  mutating func settle() throws {
    hasFaults = false
    world.dropStale(except: machine.underWay?.operation)
    let wasSettled = machine.isSettled
    for _ in 0..<40 {
      while !world.pending.isEmpty { try deliver() }
      guard machine.isSettled else {
        try passTime(.seconds(40 * 3_600))
        continue
      }
      switch machine.state.status {
      case .verified:
        guard wasSettled || world.serves == machine.edition else {
          throw Violation("verified, but the relay serves edition \(world.serves) of \(machine.edition)")
        }
      case .deleted:
        guard wasSettled || world.serves == 0 else { throw Violation("deleted, but still served") }
      case .skipped, .unsupported: break
      case .pending, .sent, .accepted, .failed, .deleting, .stillServed:
        throw Violation("\(machine.state) is at rest")
      }
      return
    }
    throw Violation("the delivery does not settle: \(machine.state)")
  }

  private mutating func passTime(_ duration: Duration) throws {
    let end = now + duration
    while let due = machine.timer, due <= end {
      now = max(now, due)
      let before = machine
      try feed(.timerFired)
      guard machine != before else { throw Violation("a due timer changed nothing") }
      if !hasFaults { while !world.pending.isEmpty { try deliver() } }
    }
    now = max(now, end)
  }

  // MARK: - The network

  /// Delivers the outcome of some pending operation: the oldest, a later one, one twice, or none at all. A post leaves first.
  private mutating func deliver() throws {
    guard !world.pending.isEmpty else { return }
    let index = hasFaults ? Int.random(in: 0..<world.pending.count, using: &random) : 0
    let operation = world.pending[index]
    if operation.kind == .publish, operation.arrived == nil {
      guard hasFaults, isOneOf(6) else { return try handOver(operation) }
    }
    if !hasFaults || !isOneOf(10) { world.pending.remove(at: index) }
    if hasFaults, isOneOf(8) { return }  // lost
    try feed(outcome(operation))
  }

  private mutating func handOver(_ operation: PostWorld.Operation) throws {
    let event = DeliveryMachine.Event.handedOver(operation: operation.number)
    guard try !feed(event).contains(.reportUnexpected(event)) else {
      // It was cancelled, deleted or asked for again, so it does not leave.
      return world.pending.removeAll { $0 == operation }
    }
    try world.leave(operation, edition: machine.left, arrives: !hasFaults || !isOneOf(3))
  }

  private mutating func outcome(_ operation: PostWorld.Operation) -> DeliveryMachine.Event {
    let number = operation.number
    if !hasFaults || !isOneOf(3) { return honest(operation) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where operation.kind == .verify || operation.arrived != true || !isTruthful:
      return .refused(operation: number, Trouble(.rejected, "no"))
    case 1 where operation.kind == .verify || operation.arrived != true || !isTruthful:
      return .skipped(operation: number, Trouble(.tooOld, "too old"))
    case 2 where operation.arrived != true || !isTruthful:
      return .troubled(operation: number, Trouble(.rateLimited, "slow down"), retryAfter: .seconds(3_600))
    case 3 where !isTruthful: return .foundMissing(operation: number)
    case 4 where !isTruthful:
      return .verified(operation: number, edition: Int.random(in: 1...machine.edition, using: &random))
    case 5 where !isTruthful: return .accepted(operation: number)
    case 6: return .troubled(operation: number, Trouble(.unreachable, "gone"), retryAfter: nil)
    default: return .troubled(operation: number, Trouble(.timeout, "silent"), retryAfter: .seconds(30))
    }
  }

  private mutating func honest(_ operation: PostWorld.Operation) -> DeliveryMachine.Event {
    let number = operation.number
    switch operation.kind {
    case .publish:
      let down = Trouble(.unreachable, "down")
      return operation.arrived == true ? .accepted(operation: number) : .troubled(operation: number, down, retryAfter: nil)
    case .verify:
      return world.serves > 0 ? .verified(operation: number, edition: world.serves) : .foundMissing(operation: number)
    case .withdraw:
      // A relay may take a deletion and do nothing.
      if !hasFaults || !isOneOf(3) { world.forget() }
      return .withdrawn(operation: number)
    }
  }

  // MARK: - The delivery

  /// The process dies and comes back: only what was stored is left, and what was under way is lost.
  private mutating func restart() throws {
    guard
      let stored = DeliveryRecord(machine).machine(salt: machine.salt, edition: machine.edition), stored == machine
    else { throw Violation("\(machine) cannot be read") }
    machine = stored
    let distance = Duration.seconds(Int64.random(in: -86_400...200_000, using: &random))
    now = now + distance
    if isOneOf(2) { machine.clockMoved(by: distance, now: now, policy: policy) }
    try feed(.restarted)
  }

  @discardableResult
  private mutating func feed(_ event: DeliveryMachine.Event) throws -> [DeliveryMachine.Action] {
    let number: Int? =
      switch event {
      case .accepted(let number), .verified(let number, _), .foundMissing(let number), .withdrawn(let number): number
      case .refused(let number, _), .skipped(let number, _), .troubled(let number, _, _): number
      case .handedOver, .begun, .restarted, .timerFired, .reconciled, .relayReturned, .relayLeft, .edited, .retryRequested,
        .cancelRequested, .deletionRequested, .forgotten:
        nil
      }
    world.said(event, isCurrent: number != nil && number == machine.underWay?.operation, to: machine)
    let actions = machine.handle(event, now: now, policy: policy)
    try world.perform(actions)
    try check()
    return actions
  }

  private func check() throws {
    guard world.status == machine.state.status else {
      throw Violation("\(machine.state.status) without a recorded transition")
    }
    guard !isTruthful || world.copies <= 1 else { throw Violation("the relay has \(world.copies) copies") }
    let isSettled = [.verified, .skipped, .deleted, .unsupported].contains(machine.state.status)
    guard machine.isSettled == isSettled else { throw Violation("\(machine.state) has the wrong kind of work") }
    guard let timer = machine.timer else { return }
    guard timer <= now + policy.repairMax * 2 else { throw Violation("a timer is \(timer - now) away") }
  }
}
