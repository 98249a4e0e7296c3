internal import Channels
internal import RelayNetwork
internal import Storage

// The reads that inputs need from storage.
extension Decider {
  /// Replaces `timersDue` by the alarms that are due.
  mutating func unfold(_ inputs: [Input], at now: Timestamp) -> [Input] {
    guard inputs.contains(where: \.isWaking) else { return inputs }
    return inputs.flatMap { input -> [Input] in
      guard input.isWaking else { return [input] }
      return alarms.take(at: now).map { alarm in
        guard alarm == .recovery else { return .alarm(alarm) }
        let some = recovery.takeChannels(Self.sweepMax)
        if !recovery.channels.isEmpty { alarms.set(.recovery, at: now) }
        return .recover(some, recovery.takeObjects())
      }
    }
  }

  /// Whether an input needs all earlier decisions to be durable, because it reads lists or counts of channels, which lack open decisions.
  func needsRest(_ input: Input) -> Bool {
    switch input {
    case .change(let change, let force, _): !counts(for: change, force).isEmpty
    case .sweep, .verifyChannels, .removeIdentity, .lookForNeighbour, .gained, .gainedBefore, .lost, .catalogRead, .resumed,
      .alarm(.upkeep):
      true
    case .report, .timersDue, .create, .retry, .verify, .delete, .unfollow, .joinRelays, .leaveRelay, .update, .tested,
      .forgetHistory,
      .addIdentity, .adopt, .heartbeat, .barrier, .takeUp, .alarm, .recover:
      false
    }
  }

  /// The reads that the inputs need.
  /// - Parameter inputs: as returned by `unfold`.
  func reads(for inputs: [Input], at now: Timestamp) -> Reads {
    var reads = Reads()
    reads.slots = slots
    for input in inputs {
      for id in input.channels where self[id] == nil && !quarantined.contains(id) && slots.contains(id) {
        reads.channels.insert(id)
      }
      switch input {
      case .create(let new, _):
        if !new.isOwned { reads.names.insert(new.name) }
        guard let key = new.request.idempotencyKey, known(key) == nil else { continue }
        reads.keys[Array(key.utf8)] = key
      case .change(let change, let force, _): reads.counts += counts(for: change, force)
      case .removeIdentity(let id, _): reads.counts.append(.owned(id))
      case .sweep(let relay, let status, _, let after):
        reads.pages.append(.inStatus(status, relay, after: after, limit: Self.sweepMax))
      case .verifyChannels(let relay, let most): askToVerify(relay, most, now, &reads)
      case .lookForNeighbour(let id, let identity, let relay):
        reads.neighbours.append(.init(channel: id, identity: identity, relay: relay))
      case .gained(let some): reads.move = .init(gained: some, slots: slots.union(some))
      case .gainedBefore: reads.move = .init(gained: recovery.slots, slots: slots.union(recovery.slots))
      case .lost(let some, _): reads.move = .init(gained: .none, slots: slots.subtracting(some))
      case .alarm(.upkeep): reads.lost = lostPage(at: now)
      case .report, .timersDue, .retry, .verify, .delete, .unfollow, .joinRelays, .leaveRelay, .update, .tested, .forgetHistory,
        .addIdentity, .adopt, .heartbeat, .barrier, .takeUp, .catalogRead, .resumed, .alarm, .recover:
        continue
      }
    }
    return reads
  }

  /// The channel that a request with this key has created, if it is not durable yet.
  func known(_ key: String) -> ChannelID? {
    let bytes = Array(key.utf8)
    return open.idempotencyKeys[bytes] ?? flight?.idempotencyKeys[bytes]
  }

  /// The followed channels with this name that are not durable yet.
  func followed(_ name: ChannelName) -> [ChannelID] { (flight?.followed[name] ?? []) + (open.followed[name] ?? []) }

  private func counts(for change: CatalogChange, _ force: Bool) -> [Reads.Count] {
    switch change {
    case .updateRelay(let id, _, .some, _): return [.dependents(id)]
    case .removeRelay(let id): return force ? [] : [.members(id)]
    case .addOperator, .updateOperator, .removeOperator, .addServer, .updateServer, .removeServer, .addRelay, .updateRelay,
      .declare, .importPresets:
      return []
    }
  }

  private func askToVerify(_ relay: RelayID, _ most: Int, _ now: Timestamp, _ reads: inout Reads) {
    guard let upkeep = rules.upkeep, recovery.trouble == nil else { return }
    let page = min(most, Self.sweepMax)
    reads.pages.append(.due(relay, at: now, limit: page))
    if let reading = watched.readings[relay], !reading.isOver {
      reads.pages.append(.inStatus(.active, relay, after: reading.after, limit: page))
    }
    guard mayTakeBack(relay), let row = relays[relay] else { return }
    // Operations that failed in the very millisecond of its return failed because it was away.
    let back = row.condition.healthSince.map { min($0, now) + .milliseconds(1) } ?? .init(milliseconds: 0)
    let before = max(back, now + (.zero - upkeep.replaceAfter))
    reads.failed.append(
      .init(relay: relay, before: before, after: healing.place(at: relay), returnsMax: upkeep.returnsPerRound))
  }

  private func lostPage(at now: Timestamp) -> Reads.Lost? {
    guard let upkeep = rules.upkeep, recovery.trouble == nil else { return nil }
    return Reads.Lost(
      before: now + (.zero - upkeep.replaceAfter), after: healing.cursor, since: now + (.zero - Healing.span))
  }
}
