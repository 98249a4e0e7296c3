import Foundation
import TestTools
import Testing

@testable import Channels

/// A seeded walk over whole channels: outcomes lost, late, doubled and reordered, restarts, requests, jumping clocks.
/// `BATON_SEED=n scripts/test ChannelsTests --filter RandomWalk` repeats a failure.
struct RandomWalkTests {
  private static var seed: UInt64 {
    Seeds.repeated ?? 20_261_121
  }

  @Test func invariantsHoldOverManySteps() async throws {
    var steps = 0
    var seed = Self.seed
    while steps < 200_000 {
      // Other tests have timers that must not wait for all of this.
      await Task.yield()
      var walk = Walk(seed: seed)
      do {
        for _ in 0..<400 { try walk.step() }
        try walk.settle()
      } catch {
        Issue.record("\(error); repeat with BATON_SEED=\(seed) scripts/test ChannelsTests --filter RandomWalk")
        return
      }
      steps += 400
      seed += 1
    }
  }

  @Test func sameSeedGivesTheSameWalk() throws {
    var first = Walk(seed: 7)
    var second = Walk(seed: 7)
    for _ in 0..<2_000 {
      try first.step()
      try second.step()
    }
    #expect(first.machine == second.machine)
  }
}

private struct Walk {
  private static let relays = (1...3).map { RelayID(rawValue: $0) }
  /// Relays that may join later.
  private static let others = (4...6).map { RelayID(rawValue: $0) }
  private var random: SplitMix64
  private var world: FakeWorld
  private(set) var machine: ChannelMachine
  private var now = Timestamp(milliseconds: 1_000_000_000)
  private let policy = RelayPolicy()
  /// Whether the network loses, delays and lies.
  private var hasFaults = true

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    world = FakeWorld(relays: Self.relays)
    machine = ChannelMachine(id: ChannelID(rawValue: 1), wantedRelays: 3, relays: Self.relays, now: now)
    try? feed(.begun)
  }

  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<55: try deliver()
    case 55..<85: try passTime(.milliseconds(Int64.random(in: 0...60_000, using: &random)))
    case 85..<87:
      // The clock of a running daemon does not go back; between two runs it may.
      now = now + .seconds(-Int64.random(in: 0...86_400, using: &random))
      try restart()
    case 87..<92: try restart()
    case 92..<94: try feed(.relay(anyRelay(), .relayLost(Trouble(.unreachable, "down"))))
    case 94..<96: try feed(.relay(anyRelay(), .relayReturned))
    case 96..<97: try feed(.retryRequested(Bool.random(using: &random) ? anyRelay() : nil))
    case 97..<98: try feed(.relay(anyRelay(), .verifyRequested))
    case 98:
      switch Int.random(in: 0..<60, using: &random) {
      case 0: try feed(.relay(anyRelay(), .removalRequested))
      case 1..<3: try feed(.relayRemoved(anyRelay()))
      case 3..<6: try feed(.relaysAdded([anyRelay(), anyRelay()]))
      case 6..<20:
        let wanted = machine.wantedRelays
        try feed(.relayReplaced(anyRelay(), by: anyRelay(), words: "replaced"))
        guard machine.wantedRelays == wanted else { throw Violation("a replacement changed how many are wanted") }
      case 20..<30: try feed(.revised(naming: machine.namesNow))
      default: break
      }
    default: if Int.random(in: 0..<60, using: &random) == 0 { try feed(.deletionRequested) }
    }
  }

  /// When faults stop, every relay becomes active, failed or removed, in bounded time.
  mutating func settle() throws {
    hasFaults = false
    for _ in 0..<3_000 {
      while !world.pending.isEmpty { try deliver() }
      if machine.relays.allSatisfy({ [.active, .failed, .removed].contains($0.machine.state.status) }), machine.isSettled {
        return
      }
      try passTime(.seconds(120))
    }
    throw Violation("the channel does not settle: \(machine.relays.map(\.machine.state))")
  }

  private mutating func anyRelay() -> RelayID { (Self.relays + Self.others).randomElement(using: &random) ?? Self.relays[0] }

  private mutating func passTime(_ duration: Duration) throws {
    let end = now + duration
    while let due = machine.timer, due <= end {
      now = max(now, due)
      let before = machine
      try feed(.timersFired)
      guard machine != before else { throw Violation("a due timer changed nothing") }
    }
    now = max(now, end)
  }

  /// Delivers the outcome of some pending operation: the oldest, a later one, one twice, or none at all.
  private mutating func deliver() throws {
    guard !world.pending.isEmpty else { return }
    let index = hasFaults ? Int.random(in: 0..<world.pending.count, using: &random) : 0
    let operation = world.pending[index]
    let chance = Int.random(in: 0..<100, using: &random)
    if !hasFaults || chance >= 10 { world.pending.remove(at: index) }
    if hasFaults, chance >= 90 { return }  // lost
    try feed(.relay(operation.relay, outcome(operation)))
  }

  private mutating func outcome(_ operation: FakeWorld.Operation) -> ChannelRelayMachine.Event {
    let number = operation.number
    let relay = operation.relay
    let kind = hasFaults ? Int.random(in: 0..<100, using: &random) : 0
    switch (operation.task, kind) {
    case (.invite, 0..<40):
      world.learned(relay, hasChannel: true)
      world.acceptanceReached(relay)
      return .relayAccepted(operation: number, link: "wss://\(relay.rawValue)")
    case (.invite, 40..<60): return .handedOver(operation: number)
    case (.verify, 0..<60):
      guard world.relays[relay]?.hasChannel == true else { return .foundMissing(operation: number) }
      return .verified(operation: number, edition: world.shows[relay] ?? 1)
    case (.announce, 0..<55):
      world.shows[relay] = machine.edition
      return .announced(operation: number)
    case (.announce, 55..<60): return .announced(operation: number)  // a lie
    case (.withdraw, 0..<60):
      world.learned(relay, hasChannel: false)
      return .withdrawn(operation: number)
    case (_, 60..<65):
      world.learned(relay, hasChannel: false)
      return .foundMissing(operation: number)
    case (_, 65..<70): return .refused(operation: number, Trouble(.rejected, "no"))
    case (_, 70..<73): return .misbehaved(operation: number, Trouble(.wrongIdentity, "forged"))
    default:
      let wait: Duration? = Bool.random(using: &random) ? .seconds(30) : nil
      return .troubled(operation: number, Trouble(.timeout, "silent"), retryAfter: wait)
    }
  }

  /// The process dies and comes back: only what was stored is left, and what was under way is lost.
  private mutating func restart() throws {
    let stored = machine.relays.compactMap { pairing -> ChannelMachine.Pairing? in
      ChannelRelayRecord(pairing.machine).machine(salt: pairing.machine.salt, edition: machine.edition).map {
        ChannelMachine.Pairing(relay: pairing.relay, machine: $0)
      }
    }
    guard stored.count == machine.relays.count else { throw Violation("a stored relay cannot be read") }
    machine = ChannelMachine(
      id: machine.id, wantedRelays: machine.wantedRelays, isDeletionRequested: machine.isDeletionRequested,
      edition: machine.edition, namedRelays: machine.namedRelays, relays: stored)
    try feed(.restarted)
  }

  private mutating func feed(_ input: ChannelMachine.Input) throws {
    let before = machine
    var output = machine.handle(input, now: now, policy: policy)
    try world.perform(output)
    try check(before, output)
    // The driver signs the edition first.
    if let names = machine.namesDue {
      let before = machine
      output = machine.handle(.revised(naming: names), now: now, policy: policy)
      try world.perform(output)
      try check(before, output)
      guard machine.namesDue == nil else { throw Violation("an edition does not name whom it should") }
    }
  }

  private func check(_ before: ChannelMachine, _ output: ChannelMachine.Output) throws {
    for (old, new) in zip(before.relays, machine.relays) where old.machine != new.machine {
      guard output.mutations.contains(.saveRelay(new.relay)) else {
        throw Violation("a change of \(new.relay) is not stored")
      }
    }
    for new in machine.relays.dropFirst(before.relays.count) where !output.mutations.contains(.saveRelay(new.relay)) {
      throw Violation("\(new.relay) joined and is not stored")
    }
    guard Set(machine.relays.map(\.relay)).count == machine.relays.count else {
      throw Violation("a relay is in the channel twice")
    }
    if machine.wantedRelays != before.wantedRelays, !output.mutations.contains(.saveWanted(machine.wantedRelays)) {
      throw Violation("a new number of wanted relays is not stored")
    }
    guard machine.wantedRelays >= 1 else { throw Violation("no relay is wanted") }
    for pairing in machine.relays {
      let state = pairing.machine.state
      guard world.relays[pairing.relay]?.status == state.status else {
        throw Violation("\(pairing.relay) is \(state.status) without a recorded transition")
      }
      switch state.status {
      case .new, .invited, .accepted, .inactive:
        guard pairing.machine.timer != nil else { throw Violation("\(state.status) waits without a timer") }
      case .active
      where pairing.machine.shown < pairing.machine.edition && pairing.machine.isSettled && pairing.machine.complaint == nil:
        throw Violation("an active relay shows an old edition and nothing is done about it")
      case .active where pairing.machine.verifyDue == nil: throw Violation("an active relay is never read back")
      case .failed: guard state.trouble != nil else { throw Violation("failed without a reason") }
      case .active, .removed: break
      }
      if let timer = pairing.machine.timer, timer > now + policy.effortMax * 4 {
        throw Violation("a timer is \(timer - now) away")
      }
    }
    if machine.phase == .deleted, machine.relays.contains(where: { $0.machine.state.status != .removed }) {
      throw Violation("deleted with relays left")
    }
  }
}
