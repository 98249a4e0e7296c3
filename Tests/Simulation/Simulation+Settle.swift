import Channels
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

// When faults stop, everything ends well, and soon.
extension Simulation {
  /// From now on relays, network and storage do what they should.
  func settle() async throws {
    world.note("faults stop")
    hasFaults = false
    mendStorage()
    world.write { state in
      for address in state.relays.relays.keys.sorted() { state.relays.relays[address]?.isReachable = true }
    }
    if engine == nil { try await startAgain() }
    try await gainAll()
    try await rest()
    try await heal()
    if chance(300) { try await sufferOutage() }
    // Whatever was given up can be asked for again, and now it succeeds.
    for id in aliveChannels { ask(.verify(id, world.reply(requests))) }
    try await rest()
    for id in aliveChannels { ask(.retry(id, nil, world.reply(requests))) }
    try await rest()
    try checkGoals()
    let deleted = aliveChannels.filter { _ in chance(500) }
    for id in deleted { ask(.delete(id, world.reply(requests))) }
    try await rest()
    try checkGoals()
    try checkLoads()
    try await checkIdle()
    let ledger = world.read { $0.ledger }
    try ledger.compare(with: store)
  }

  /// Upkeep goes round a few times: then no channel that heals lacks a relay that works and that failed it for a reason which passes.
  private func heal() async throws {
    guard let upkeep = plan.upkeep else { return }
    let end = now + upkeep.replaceAfter + upkeep.interval * 4
    while let due = engine?.wakeAt, due <= end {
      world.clock.now = max(now, due)
      hearOfConnections()
      hearOfAll()
      wakeIfDue()
      try await drain()
    }
    try await rest()
    guard let catalog = engine?.decider.base.catalog else { throw Violation("the daemon does not run") }
    let ledger = world.read { $0.ledger }
    for id in ledger.order {
      guard let channel = ledger.channels[id], channel.row.deletedAt == nil, channel.row.heal else { continue }
      let had = Set(channel.relays.map(\.relay))
      let hasOthers = catalog.candidates(on: .nostr, at: now).contains { $0.isEligible && !had.contains($0.relay) }
      let active = channel.relays.count { $0.record.status == .active }
      guard !hasOthers, active < channel.row.wantedRelays else { continue }
      for row in channel.relays where row.record.status == .failed && row.record.trouble?.cause.mayPass == true {
        guard let relay = catalog.relays[row.relay], relay.isEnabled, !relay.isDeleted, relay.condition.health == .up else {
          continue
        }
        throw Violation("\(id) lacks \(row.relay), which works: \(row.record)")
      }
    }
  }

  /// One relay goes down for longer than the grace time: its channels say so. Then it comes back.
  private func sufferOutage() async throws {
    let address = SimRelays.address(Int.random(in: 1...plan.relays, using: &random))
    world.note("\(address) goes down")
    world.write { $0.relays.relays[address, default: SimRelays.Relay()].isReachable = false }
    hearOfConnections()
    try await drain()
    let end = now + plan.policy.inactiveGrace
    while let due = engine?.wakeAt, due <= end {
      world.clock.now = max(now, due)
      wakeIfDue()
      try await drain()
    }
    let ledger = world.read { $0.ledger }
    for id in ledger.order {
      for row in ledger.channels[id]?.relays ?? [] where row.record.status == .active {
        guard ledger.catalog[row.relay]?.address != address else {
          throw Violation("\(id) is active on \(row.relay), which is down for longer than the grace time")
        }
      }
    }
    world.write { $0.relays.relays[address]?.isReachable = true }
    try await rest()
  }

  private var aliveChannels: [ChannelID] {
    world.read { state in state.ledger.order.filter { state.ledger.channels[$0]?.row.deletedAt == nil } }
  }

  private func startAgain() async throws {
    await start()
    try check()
    guard engine != nil else { throw Violation("the daemon does not start, though storage works") }
  }

  /// Lets an honest network answer and time pass until nothing is left to do.
  private func rest() async throws {
    // What a relay refused, or lied about, is offered again after a day at the latest.
    let end = now + plan.policy.verifyInterval * 2 + .seconds(6 * 3_600)
    hearOfNames()
    while true {
      hearOfConnections()
      hearOfAll()
      guard try await isAtRest() else { continue }
      guard let engine else { throw Violation("the daemon died without a reason") }
      let isDone = world.read { state in
        state.ledger.channels.values.allSatisfy { $0.relays.allSatisfy { $0.record.timer == nil } }
      }
      if isDone, engine.decider.recovery.trouble == nil, engine.decider.alarms[.recovery] == nil { return }
      guard let due = engine.wakeAt else { throw Violation("something is left to do, and nothing is waited for") }
      // Looking after the channels for all of a day takes long: someone asks for what waits.
      if plan.upkeep != nil, let id = longWaiting { ask(.retry(id, nil, world.reply(requests))) }
      guard due <= end else { throw Violation("not done after hours of peace: \(unfinished)") }
      world.clock.now = max(now, due)
    }
  }

  /// A channel that does nothing for hours.
  private var longWaiting: ChannelID? {
    world.read { state in
      state.ledger.order.first { id in
        guard let channel = state.ledger.channels[id], channel.row.deletedAt == nil else { return false }
        return channel.relays.compactMap(\.record.timer).min().map { $0 - now > .seconds(7_200) } ?? false
      }
    }
  }

  private var unfinished: String {
    world.read { state in
      state.ledger.order.flatMap { id in
        (state.ledger.channels[id]?.relays ?? []).filter { $0.record.timer != nil }.map { "\(id) on \($0.relay): \($0.record)" }
      }.joined(separator: "; ")
    }
  }

  /// Every operation is carried out and answered.
  private func hearOfAll() {
    world.write { state in
      let pending = state.relays.pending
      state.relays.pending = []
      for waiting in pending {
        if waiting.isCancelled {
          state.say(.refused(Trouble(.cancelled, "taken back")), of: waiting.operation)
          continue
        }
        if waiting.operation.task == .invite, !waiting.isHandedOver { state.say(.handedOver, of: waiting.operation) }
        state.say(state.relays.carryOut(waiting.operation), of: waiting.operation)
      }
    }
  }

  /// Every channel relay is where it should be, and the relays have what they should have.
  private func checkGoals() throws {
    let (ledger, relays, names) = world.read { ($0.ledger, $0.relays, $0.names) }
    for id in ledger.order {
      guard let channel = ledger.channels[id] else { continue }
      if let name = names[id], name != Ledger.Name(channel.row) {
        throw Violation("\(id) is '\(channel.row.networkID)' in the end, and the network calls it '\(name.networkID)'")
      }
      let serving = channel.relays.filter { $0.record.status == .active }.map(\.relay)
      if channel.row.deletedAt == nil, !serving.isEmpty, Set(channel.row.namedRelays ?? []) != Set(serving) {
        throw Violation("readers of \(id) are sent to \(channel.row.namedRelays ?? []), and it is on \(serving)")
      }
      for row in channel.relays {
        let address = ledger.catalog[row.relay]?.address ?? ""
        let relay = relays.relays[address] ?? SimRelays.Relay()
        var words: String { "\(id) on \(row.relay) is \(row.record.status) in the end" }
        let shown = relay.channels[id]
        switch row.record.status {
        case .new, .invited, .accepted, .inactive: throw Violation(words)
        case .failed: if !relay.refuses { throw Violation("\(words), because of \(String(describing: row.record.trouble))") }
        case .active:
          if shown != channel.row.edition { throw Violation("\(words), and the relay shows edition \(shown ?? 0)") }
        case .removed:
          if shown != nil, !relays.lies.contains(SimRelays.Place(id, at: address)), !wasGivenUp(id, row.relay, ledger) {
            throw Violation("\(words), and the relay has it still")
          }
        }
        if channel.row.deletedAt != nil, row.record.status != .removed { throw Violation("\(words), and \(id) was deleted") }
      }
    }
  }

  /// Whether the farewell was given up, with words that say why.
  private func wasGivenUp(_ id: ChannelID, _ relay: RelayID, _ ledger: Ledger) -> Bool {
    let last = ledger.transitions.values.filter { $0.channel == id && $0.relay == relay }.max { $0.revision < $1.revision }
    return last.map { $0.transition.from == .removed && $0.transition.cause != nil && !$0.transition.detail.isEmpty } ?? false
  }

  /// Relays are chosen by what the store says that they carry.
  private func checkLoads() throws {
    let loads = engine?.directory.read { $0.loads }
    let stored = try store.channelCounts()
    guard let loads, loads.carried == stored, loads.chosen.isEmpty else {
      throw Violation("relays are chosen as if they carried \(String(describing: loads)), and they carry \(stored)")
    }
  }

  /// A daemon with nothing to do costs nothing, and says nothing when it starts.
  private func checkIdle() async throws {
    guard let idle = engine else { throw Violation("the daemon does not run") }
    guard !idle.decider.isAwake, idle.decider.recovery.isOver else {
      throw Violation("the engine has something left to do: \(idle.decider.base.live.channels.keys)")
    }
    for alarm in idle.decider.alarms.times.keys {
      switch alarm {
      case .upkeep, .digest: break
      case .channel, .grace, .test, .testOverdue, .recovery: throw Violation("\(alarm) is set with nothing left to do")
      }
    }
    let before = world.read { ($0.tally.commits, $0.tally.operations) }
    kill()
    try await startAgain()
    let after = world.read { ($0.tally.commits, $0.tally.operations) }
    guard before == after else { throw Violation("a start with nothing to do does something") }
  }
}
