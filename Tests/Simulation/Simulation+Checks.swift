import Channels
import RelayNetwork
import Storage
import TestSupport

@testable import Coordinator

// What must hold after every step.
extension Simulation {
  /// Nothing that is durable waits forever, and no rule was broken.
  func check() throws {
    if let violation = world.read({ $0.violation }) { throw violation }
    guard let engine else { return }
    let (ledger, relays) = world.read { ($0.ledger, $0.relays) }
    // What is only decided may be what tries.
    let isResting = engine.flight == nil && engine.decider.open.isEmpty
    if isResting, !engine.decider.recovery.isOver, engine.decider.alarms[.recovery] == nil {
      throw Violation("storage does not work, and no one tries whether it does again")
    }
    let loads = engine.directory.read { $0.loads.carried }
    let carried = ledger.loads(among: engine.decider.slots)
    guard engine.decider.doubt != nil || world.read({ $0.elsewhere.isUncounted }) || loads == carried else {
      throw Violation("relays are chosen as if they carried \(loads), and they carry \(carried)")
    }
    try checkSlots()
    let others = coming
    // As long as it is not known what is durable, no one is told.
    for id in ledger.order where engine.decider.doubt == nil {
      for row in ledger.channels[id]?.relays ?? [] where followed[id]?[row.relay] != ChannelRelayView(row.record) {
        let known = String(describing: followed[id]?[row.relay])
        throw Violation("\(id) on \(row.relay) is \(row.record), and who follows the events knows of \(known)")
      }
    }
    for id in ledger.order where !engine.decider.recovery.channels.contains(id) && engine.decider.slots.contains(id) {
      let timer = ledger.channels[id]?.relays.compactMap(\.record.timer).min()
      let isBeingDecided = engine.decider.flight?.live[id] != nil || engine.decider.open.live[id] != nil
      // What comes to the daemon is asked for when it is taken up, though a report may have woken it.
      let isComing = others.contains(id)
      for row in ledger.channels[id]?.relays ?? [] where row.record.isUnderWay && !isBeingDecided && !isComing {
        guard relays.wasAsked(row.record.operation, of: Ledger.Pair(channel: id, relay: row.relay)) else {
          throw Violation("\(id) waits for operation \(row.record.operation) of \(row.relay), which no one asked for")
        }
      }
      guard let channel = engine.decider.base.live[id] else {
        if timer != nil, !isComing { throw Violation("\(id) has work, and no one does it") }
        continue
      }
      // What has been decided since sees to it later.
      if !isResting { continue }
      guard timer != nil else { throw Violation("\(id) has nothing left to do and costs memory") }
      guard channel.machine.timer == timer, engine.decider.alarms[.channel(id)] == timer else {
        throw Violation("\(id) waits until \(String(describing: timer)), and no alarm is set for then")
      }
    }
    let live = engine.decider.base.live
    for id in live.channels.keys where ledger.channels[id] == nil {
      throw Violation("\(id) is driven, but not durable")
    }
    guard live == AwakeChannels(live.channels) else { throw Violation("some channels wait for other relays than is noted") }
    guard engine.wakeAt == engine.decider.alarms.times.values.min() else {
      throw Violation("the engine sleeps until \(String(describing: engine.wakeAt)), and has an alarm before")
    }
  }

  // MARK: - What was gone through

  /// Notes which events meet which status. Only what is certain: the first event of a batch for each channel.
  func notePairs(_ inputs: [Engine.Input]) {
    world.write { state in
      var touched: Set<ChannelID> = []
      func meet(
        _ id: ChannelID, _ relay: RelayID?, _ event: String, where isMeant: (ChannelRelayRecord) -> Bool = { _ in true }
      ) {
        guard touched.insert(id).inserted, let channel = state.ledger.channels[id] else { return }
        for row in channel.relays where (relay ?? row.relay) == row.relay && isMeant(row.record) {
          state.tally.pairs.insert("\(row.record.status) \(event)")
        }
      }
      let now = world.clock.now
      for input in inputs {
        switch input {
        case .report(.outcome(let id, let relay, let number, let outcome)):
          let isCurrent = state.ledger.channels[id]?[relay].map { $0.operation == number && $0.isUnderWay } ?? false
          meet(id, relay, "\(Self.name(outcome))\(isCurrent ? "" : " late")")
        case .report(.lost(let id, let relay, _)): meet(id, relay, "relayLost")
        case .timersDue:
          for id in state.ledger.order { meet(id, nil, "timerFired") { $0.timer.map { $0 <= now } ?? false } }
        case .retry(let id, let relay, _): meet(id, relay, "retryRequested")
        case .verify(let id, _): meet(id, nil, "verifyRequested")
        case .delete(let id, _): meet(id, nil, "removalRequested")
        case .leaveRelay(let id, let relay, _): meet(id, relay, "removalRequested")
        case .sweep(let relay, let status, let event, _):
          let name = if case .relayReturned = event { "relayReturned" } else { "relayLost" }
          for id in state.ledger.order { meet(id, relay, name) { $0.status == status } }
        case .update(let id, _, _): meet(id, nil, "revised")
        case .verifyChannels, .lookForNeighbour, .forgetHistory, .takeUp, .gained, .gainedBefore, .catalogRead, .resumed, .lost,
          .alarm, .recover,
          .report, .create,
          .unfollow,
          .joinRelays,
          .change,
          .tested, .barrier, .heartbeat, .adopt,
          .addIdentity,
          .removeIdentity:
          break
        }
      }
    }
  }

  private static func name(_ outcome: RelayOutcome) -> String {
    switch outcome {
    case .handedOver: "handedOver"
    case .accepted: "accepted"
    case .verified(let edition, _): edition == 0 ? "verified without a profile" : "verified"
    case .announced: "announced"
    case .missing: "missing"
    case .withdrawn: "withdrawn"
    case .refused: "refused"
    case .misbehaved: "misbehaved"
    case .troubled: "troubled"
    }
  }

  static func words(_ input: Engine.Input) -> String {
    switch input {
    case .report(.outcome(let id, let relay, let number, let outcome)):
      "\(id.rawValue)@\(relay.rawValue) #\(number) \(name(outcome))"
    case .report(.named(let id, let name, _)): "\(id.rawValue) is \(name)"
    case .report(.stray(let id, let relay, let edition)): "\(id.rawValue)@\(relay.rawValue) strays, dated \(edition.signedAt)"
    case .report(.lost(let id, let relay, _)): "\(id.rawValue)@\(relay.rawValue) lost"
    case .report(.delivery(let id, let relay, let number, _, _)): "post \(id.rawValue)@\(relay.rawValue) #\(number)"
    case .report(.compared(let id, let relay, let number, _)): "compared \(id.rawValue)@\(relay.rawValue) #\(number)"
    case .report(.read(let batch)): "batch \(batch.id.number)"
    case .report(.served(let inventory)): "served \(inventory.channel.rawValue)@\(inventory.relay.rawValue)"
    case .report(.synced(let id, let relay, _)): "synced \(id.rawValue)@\(relay.rawValue)"
    case .report(.searched(let id, let relay, _, _)): "searched \(id.rawValue)@\(relay.rawValue)"
    case .report(.relayUp(let relay, _)): "relay \(relay.rawValue) up"
    case .report(.relayDown(let relay, _)): "relay \(relay.rawValue) down"
    case .report(.unreadable(let relay, let count)): "relay \(relay.rawValue) sent \(count) that cannot be read"
    case .report(.state(let network, let state)): "\(network) \(state.trouble?.kind.rawValue ?? "works")"
    case .timersDue: "timers"
    case .create(let new, _): "create '\(new.content.document)' on \(new.relays.map(\.rawValue))"
    case .retry(let id, let relay, _): "retry \(id.rawValue)@\(relay.map { "\($0.rawValue)" } ?? "all")"
    case .verify(let id, _): "verify \(id.rawValue)"
    case .delete(let id, _): "delete \(id.rawValue)"
    case .unfollow(let id, _): "unfollow \(id.rawValue)"
    case .joinRelays(let id, let relays, let pick, _): "join \(id.rawValue)@\(relays.map(\.rawValue)) and \(pick) more"
    case .update(let id, let edit, _): "update \(id.rawValue) \(edit.displayName ?? "-")"
    case .leaveRelay(let id, let relay, _): "leave \(id.rawValue)@\(relay.rawValue)"
    case .change(let change, let force, _): "\(change.title)\(force ? " by force" : "")"
    case .tested(let peer, _, let verdict, _): "test of \(peer) \(verdict.failure == nil ? "passed" : "failed")"
    case .sweep(let relay, let status, _, _): "sweep \(status) of \(relay.rawValue)"
    case .verifyChannels(let relay, let most): "read back \(relay.rawValue), at most \(most)"
    case .lookForNeighbour(let id, _, let relay): "look for a neighbour of \(id.rawValue)@\(relay.rawValue)"
    case .takeUp(let ids): "take up \(ids.map(\.rawValue))"
    case .gained(let slots): "gain \(Elsewhere.words(slots))"
    case .catalogRead: "the catalog was read"
    case .resumed: "networks may send again"
    case .gainedBefore: "gain what was gained before"
    case .lost(let slots, _): "lose \(Elsewhere.words(slots))"
    case .alarm(let alarm): "\(alarm)"
    case .recover(let ids, _): "recover \(ids.map(\.rawValue))"
    case .forgetHistory: "forget history"
    case .barrier: "barrier"
    case .heartbeat: "heartbeat"
    case .adopt: "other rules"
    case .addIdentity(let row, _, _): "add identity \(row.name)"
    case .removeIdentity(let id, _): "remove identity \(id.rawValue)"
    }
  }
}

extension Recovery {
  /// Whether storage works and nothing is left to store or read.
  var isOver: Bool { trouble == nil && channels.isEmpty && objects.isEmpty && roundTrips.isEmpty }
}
