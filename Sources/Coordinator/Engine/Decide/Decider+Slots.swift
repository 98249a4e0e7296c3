internal import Channels
internal import RelayNetwork
internal import Storage

// Which channels the coordinator acts for. These inputs are decided alone, when all that was decided before is durable or has failed.
// Which channels are whose does not depend on the commit that follows.
extension Decider {
  /// Begins to act for channels for which no one else acts any more. What they wait for follows from what is stored.
  mutating func gained(_ some: SlotSet, _ facts: Facts) {
    guard !some.isEmpty else { return }
    guard doubt == nil, let move = facts.move else {
      // Nothing is known of what was done for them, so nothing is done before it is; and what is decided in doubt is dropped.
      recovery.owe(some)
      return alarms.set(.recovery, noLaterThan: now + Self.recoveryWait)
    }
    slots = slots.union(some)
    // Whoever had these slots has given ids in them.
    base.counters.channel = max(base.counters.channel, move.counters.channel)
    open.effects.carried = move.loads
    for relay in move.loads.keys where catalog.relays[relay] != nil && watched.add(relay) {
      open.effects.isWatchChanged = true
    }
    if let stored = move.catalog { takeOver(stored, move.counters) }
    // What relays have reported since concerns these channels too.
    sweepAgain(now)
    for start in stride(from: 0, to: move.unfinished.count, by: Self.sweepMax) {
      let some = move.unfinished[start..<min(start + Self.sweepMax, move.unfinished.count)]
      open.effects.inputs.append(.takeUp(Array(some)))
    }
    let words = "gained \(some.numbers.count) slots with \(move.unfinished.count) unfinished channels"
    open.effects.journal.append(JournalEntry(level: .info, message: words, isHeard: true))
  }

  /// Stops acting for channels. Whoever asked may give them away only when this is answered: what was decided for them before is durable
  /// then, or never will be; as long as that is in doubt, it is refused.
  mutating func lost(_ some: SlotSet, _ reply: Reply<Void>, _ facts: Facts) {
    slots = slots.subtracting(some)
    recovery.forget(some)
    chores.forget(some)
    absence.forget(some)
    quarantined = quarantined.filter { slots.contains($0) }
    replayedNames = replayedNames.filter { slots.contains($0.key) }
    if some.hasCatalog { loseCatalog() }
    for (id, channel) in base.live.channels.sorted(by: { $0.key < $1.key }) where some.contains(id) {
      for pairing in channel.machine.relays where pairing.machine.underWay != nil {
        // Its operations leave the queue; networks are told to send nothing more (`Coordinator.lose`).
        open.lanesToServe.insert(pairing.relay)
      }
      base.live[id] = nil
      alarms.set(.channel(id), at: nil)
    }
    // Without it the loads would be wrong, so the request is refused and made again.
    guard let move = facts.move else {
      return answer(.nothing(reply), .refused(.storageUnavailable(reason: facts.trouble ?? "storage was not asked")))
    }
    open.effects.carried = move.loads
    let words = "lost \(some.numbers.count) slots"
    open.effects.journal.append(JournalEntry(level: .info, message: words, isHeard: true))
    answer(.nothing(reply), .done)
  }
}
