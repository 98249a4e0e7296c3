internal import Channels
internal import Storage

// The posts for which it acts. These inputs are decided alone, after all earlier decisions are durable or have failed.
extension PostDecider {
  /// Begins to act for the posts of channels that no other daemon has.
  mutating func gained(_ some: SlotSet, _ facts: PostFacts) {
    // Postponed inputs may arrive together, and are read together.
    guard let work = facts.work, !some.subtracting(slots).isEmpty else { return }
    // Posts of other slots that could not be read or stored may have changed elsewhere. No other daemon has changed the ones in own slots.
    leftAlone = leftAlone.filter { _, channel in channel.map(slots.contains) ?? false }
    slots = slots.union(work.slots)
    // The previous owner of these slots may have assigned ids in them, whether or not the commit succeeds.
    counters.post = max(counters.post, work.post)
    durable.post = max(durable.post, work.post)
    expect(work, at: now)
    // Posts that had trouble with the connection elsewhere may have none here.
    for relay in work.nextDeliveries.keys where relays[relay]?.condition.health == .up {
      lanes[relay, default: PostLane()].returning = (true, nil)
    }
    open.touchedLanes.formUnion(work.nextDeliveries.keys)
    open.effects.inputs += work.steps + work.inputs
  }

  /// Prepares for work that is resumed.
  mutating func expect(_ work: PostWork, at now: Timestamp) {
    for (relay, due) in work.nextDeliveries {
      lanes[relay, default: PostLane()].sleeps(until: due)
      alarms.set(.lane(relay), noLaterThan: max(due, now))
    }
    if !work.channels.isEmpty { expectComparisons() }
  }

  /// Stops acting for the posts of channels.
  mutating func lost(_ some: SlotSet, _ reply: Reply<Void>) {
    slots = slots.subtracting(some)
    postponed = postponed.compactMap { input in
      guard case .gained(let others) = input else { return input }
      let rest = others.subtracting(some)
      return rest.isEmpty ? nil : .gained(rest)
    }
    for id in awake.filter({ some.contains($0.value.row.channel) }).keys.sorted() {
      let relays = awake[id]?.deliveries.map(\.relay) ?? []
      forget(id)
      open.touchedLanes.formUnion(relays)
    }
    let compared = comparisons.underWay.filter { some.contains($0.value.channel) }
    dropComparisons(Set(compared.keys))
    // Their names may change elsewhere.
    known = known.filter { !some.contains($0.key) }
    forgetting.counted = forgetting.counted.filter { !some.contains($0.key) }
    open.answers.append(PostDecision.Answer(asker: .nothing(reply)))
  }
}
