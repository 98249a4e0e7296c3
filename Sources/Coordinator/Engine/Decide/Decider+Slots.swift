internal import Channels
internal import RelayNetwork
internal import Storage

// The channels for which the coordinator acts. These inputs are decided alone, after all earlier decisions are durable or have failed. The
// assignment of channels does not depend on the commit that follows.
extension Decider {
  /// Begins to act for channels that no other daemon has. Their waiting times follow from the store.
  mutating func gained(_ some: SlotSet, _ facts: Facts) {
    guard !some.isEmpty else { return }
    guard doubt == nil, let move = facts.move else {
      // It is unknown what was done for the channels, so nothing may be done for them yet, and decisions in doubt are dropped.
      recovery.owe(some)
      return alarms.set(.recovery, noLaterThan: now + Self.recoveryWait)
    }
    slots = slots.union(some)
    // The previous owner of these slots may have assigned ids in them.
    base.counters.channel = max(base.counters.channel, move.counters.channel)
    open.effects.carried = move.loads
    for relay in move.loads.keys where catalog.relays[relay] != nil && watched.add(relay) {
      open.effects.isWatchChanged = true
    }
    if let stored = move.catalog { takeOver(stored, move.counters) }
    // Reports of relays since then concern these channels too.
    sweepAgain(now)
    for start in stride(from: 0, to: move.unfinished.count, by: Self.sweepMax) {
      let some = move.unfinished[start..<min(start + Self.sweepMax, move.unfinished.count)]
      open.effects.inputs.append(.takeUp(Array(some)))
    }
    let words = "gained \(some.numbers.count) slots with \(move.unfinished.count) unfinished channels"
    open.effects.journal.append(JournalEntry(level: .info, message: words, isHeard: true))
  }

  /// Stops acting for channels. The session may hand them over only after the answer, when all earlier decisions about them are durable or
  /// have failed. While that is in doubt, the request is refused.
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
        // Its operations leave the queue. Networks are told to stop sending (`Coordinator.lose`).
        open.lanesToServe.insert(pairing.relay)
      }
      base.live[id] = nil
      alarms.set(.channel(id), at: nil)
    }
    // Without it the loads would be wrong, so the request is refused and repeated later.
    guard let move = facts.move else {
      return answer(.nothing(reply), .refused(.storageUnavailable(reason: facts.trouble ?? "storage was not asked")))
    }
    open.effects.carried = move.loads
    let words = "lost \(some.numbers.count) slots"
    open.effects.journal.append(JournalEntry(level: .info, message: words, isHeard: true))
    answer(.nothing(reply), .done)
  }
}
