internal import Channels
internal import RelayNetwork
internal import Storage

extension Decider {
  /// The writes of a batch. From here on it does not change any more.
  func writes(of batch: Batch) -> [StoreMutation] {
    nameRelays(batch)
    var mutations = assemble(batch)
    // Each write records its time, because waiting times go on from the last one after a restart.
    if batch.mustWrite || !mutations.isEmpty { mutations.append(.probe(batch.now)) }
    return mutations
  }

  /// Applies what was decided, now that it is durable.
  /// - Parameter hasWritten: whether there was anything to store.
  func committed(_ batch: Batch, hasWritten: Bool, at now: Timestamp) {
    committed = (counters, catalog, healing)
    if recovery.trouble != nil, hasWritten { storageRecovered(&batch.effects, at: now) }
    if !batch.moved.isEmpty { follow(batch.moved, &batch.effects, at: now) }
    queue(batch)
  }

  /// Lets go of channels that have nothing left to do, once all requests have an answer, so that an answer needs no further read.
  func letGo(_ batch: Batch) {
    for id in batch.seen { settle(id) }
    chores.compactIfDue(batch.effects.changes.count, through: counters.revision)
  }

  /// A channel that is awake, as clients see it.
  func snapshot(_ id: ChannelID) -> ChannelSnapshot? {
    guard let channel = live[id] else { return nil }
    return directory.snapshot(
      channel.row,
      channel.machine.relays.map { ChannelRelayRow(relay: $0.relay, record: ChannelRelayRecord($0.machine)) })
  }

  /// Gives revisions to what changed and turns it into writes, and into what holds once they are durable.
  private func assemble(_ batch: Batch) -> [StoreMutation] {
    // Identities first, because channels refer to them.
    var mutations = batch.others
    var changes: [Change] = []
    // Operators first, because servers and relays refer to them.
    for (reference, isTold) in batch.objects.filter({ $0.reference.isOperator })
      + batch.objects.filter({ !$0.reference.isOperator })
    {
      guard var object = catalog[reference] else { continue }
      if isTold {
        // What a person changed has its revision already, so that a second update within one batch sees that it is late.
        if object.revision <= committed.counters.revision {
          counters.revision += 1
          object.revision = counters.revision
          catalog.put(object)
        }
        mutations.append(.appendChange(ChangeRow(revision: object.revision, at: batch.now, object: reference.changed)))
        let before = committed.catalog[reference]
        changes.append(Change(revision: object.revision, at: batch.now, object: .catalog(object, before: before)))
      }
      mutations.append(object.save)
    }
    for (peer, milliseconds) in batch.roundTrips {
      mutations.append(.recordRoundTrip(peer, at: batch.now, milliseconds: milliseconds))
    }
    for id in batch.order {
      guard let touch = batch.touches[id], live[id] != nil else { continue }
      let first = counters.revision + 1
      counters.revision += Int64(touch.transitions.count)
      let isChanged = touch.isNew || touch.isChanged || !touch.transitions.isEmpty
      if isChanged {
        let relayCount = live[id]?.machine.relays.count
        live[id]?.row.relayCount = relayCount
        counters.revision += 1
        live[id]?.row.revision = counters.revision
        live[id]?.row.updatedAt = batch.now
      }
      guard let channel = live[id], let snapshot = snapshot(id) else { continue }
      if touch.isNew {
        batch.effects.created.insert(id)
        mutations.append(.insertChannel(channel.row))
        if touch.isRewritten { mutations.append(.rewriteChannel(channel.row)) }
      } else if isChanged {
        mutations.append(.touchChannel(channel.row))
        if touch.isRewritten { mutations.append(.rewriteChannel(channel.row)) }
      }
      for (position, pairing) in channel.machine.relays.enumerated() where touch.saves.contains(pairing.relay) {
        mutations.append(
          .saveChannelRelay(
            id, position: position, ChannelRelayRow(relay: pairing.relay, record: ChannelRelayRecord(pairing.machine))))
      }
      for (offset, (relay, transition)) in touch.transitions.enumerated() {
        let row = TransitionRow(revision: first + Int64(offset), channel: id, relay: relay, transition: transition)
        mutations.append(.appendTransition(row))
        if let member = snapshot.relays.first(where: { $0.id == relay }) {
          changes.append(Change(revision: row.revision, at: batch.now, object: .channelRelay(member, row)))
        }
      }
      if isChanged {
        let revision = channel.row.revision
        mutations.append(.appendChange(ChangeRow(revision: revision, at: batch.now, object: .channel(id))))
        changes.append(Change(revision: revision, at: batch.now, object: .channel(snapshot)))
        batch.snapshots[id] = snapshot
      }
    }
    changes.sort { $0.revision < $1.revision }
    batch.effects.changes = changes
    batch.effects.publication = .changes(through: counters.revision)
    batch.effects.loads = batch.loads
    batch.effects.identities = batch.identities
    return mutations
  }

  // MARK: - After the commit

  /// Puts the batch's actions into the lanes of their relays and lets the lanes go on.
  private func queue(_ batch: Batch) {
    for (id, action) in batch.actions {
      let task: RelayOperation.Task
      let relay: RelayID
      let number: Int
      switch action {
      case .invite(let to, let operation): (task, relay, number) = (.invite, to, operation)
      case .verify(let at, let operation): (task, relay, number) = (.verify, at, operation)
      case .withdraw(let from, let operation): (task, relay, number) = (.withdraw, from, operation)
      case .announce(let to, let operation): (task, relay, number) = (.announce, to, operation)
      case .reportUnexpected(let relay, let event):
        let words = "channel \(id.rawValue), relay \(relay.rawValue): unexpected \(event)"
        batch.effects.journal.append(JournalEntry(level: .debug, message: words))
        continue
      }
      guard let channel = live[id], let row = relays[relay] else { continue }
      if task == .withdraw {
        batch.effects.cancellations.append(.init(network: row.network, channel: id, relay: relay))
      }
      if watched.add(relay) { batch.effects.isWatchChanged = true }
      lanes.add(
        RelayOperation(
          task: task, channel: id, relay: relay, address: row.address, number: number, content: channel.row.content,
          isDeletion: channel.row.deletedAt != nil))
      batch.lanesToServe.insert(relay)
    }
    for relay in batch.lanesToServe.sorted() { serve(relay, &batch.effects) }
  }

  private func serve(_ relay: RelayID, _ effects: inout Effects) {
    guard let network = relays[relay]?.network, directory.networks[network] != nil else { return }
    let ready = lanes.next(at: relay) { channel, number in
      // A removed channel relay, for example, must not be invited from an old queue.
      live[channel]?.machine.relays.first { $0.relay == relay }?.machine.underWay?.operation == number
    }
    for operation in ready { effects.operations.append((network, operation)) }
  }

  /// Sets the channel's timer, or lets go of a channel that has nothing left to do.
  private func settle(_ id: ChannelID) {
    guard let channel = live[id] else { return }
    alarms.set(.channel(id), at: channel.machine.timer)
    if channel.machine.isSettled { live[id] = nil }
  }

  // MARK: - When storage fails

  /// Undoes a batch that did not happen. Small values are assigned back. Channels are forgotten and read again later: a copy would be
  /// one of all that are awake, since a dictionary that is kept and changed copies itself whole. What was learned from outside,
  /// such as connections, tests and the state of networks, is kept.
  /// - Parameter isInDoubt: whether it may be durable nevertheless.
  func failed(_ batch: Batch, _ reason: String, isInDoubt: Bool, at now: Timestamp) {
    let withheld = batch.effects.withhold()
    if isInDoubt { recovery.doubt = DoubtfulCommit(withheld: withheld) }
    storageFailed(reason, &batch.effects, at: now)
    for id in batch.order {
      live[id] = nil
      alarms.set(.channel(id), at: nil)
    }
    recovery.owe(batch.order)
    // Operations that the network has stay with it; those that it does not have follow when the channels are read again.
    let heard = catalog
    (counters, catalog, healing) = committed
    for reference in recovery.objects.union(batch.objects.map(\.reference)) {
      // What was learned about a relay or server is kept too; it is only stored later.
      switch reference {
      case .operator: continue
      case .server(let id):
        // Requested changes did not happen; that includes a new address.
        guard let row = heard.servers[id], catalog.servers[id]?.address == row.address else { continue }
        catalog.servers[id]?.condition = row.condition
      case .relay(let id):
        guard let row = heard.relays[id], catalog.relays[id]?.address == row.address else { continue }
        catalog.relays[id]?.condition = row.condition
      }
      recovery.owe(reference)
    }
    // The alarms were set for changes that did not happen.
    for (reference, _) in batch.objects { reschedule(reference, at: now) }
    for id in batch.seen where batch.touches[id] == nil { settle(id) }
    for relay in batch.lanesToServe.sorted() { serve(relay, &batch.effects) }
  }

  func storageFailed(_ reason: String, _ batch: Batch) { storageFailed(reason, &batch.effects, at: batch.now) }

  func storageFailed(_ reason: String, _ effects: inout Effects, at now: Timestamp) {
    if recovery.failed(reason) {
      let words = "storage does not work, changes are refused until it does: \(reason)"
      effects.journal.append(JournalEntry(event: .storageFailed, level: .error, message: words, isHeard: true))
    }
    alarms.set(.recovery, at: now + Self.recoveryWait)
  }

  private func storageRecovered(_ effects: inout Effects, at now: Timestamp) {
    if recovery.succeeded() {
      effects.journal.append(
        JournalEntry(event: .storageRecovered, level: .notice, message: "storage works again", isHeard: true))
      sweepAgain(&effects, now)
    } else if alarms[.recovery] == nil {
      alarms.set(.recovery, at: now)
    }
  }
}

extension Decider {
  /// Makes up for sweeps that were missed while storage did not work.
  private func sweepAgain(_ effects: inout Effects, _ now: Timestamp) {
    for id in watched.all.sorted() {
      guard let row = relays[id] else { continue }
      if row.condition.health == .down {
        let since = min(row.condition.healthSince ?? now, now)
        alarms.set(.grace(id), at: max(since + policy(of: row.network).inactiveGrace, now))
      } else {
        effects.inputs.append(.sweep(id, .inactive, .relayReturned, after: nil))
      }
    }
  }

  /// Goes on from what is durable, because a commit that seemed to fail is durable.
  func goOn(from stored: StoreCounters, _ found: Catalog, _ effects: inout Effects, at now: Timestamp) {
    let before = catalog
    (counters, catalog) = (stored, found)
    committed = (stored, found, healing)
    // What was learned about a relay or server is newer than what is stored.
    for (id, row) in before.relays where found.relays[id]?.address == row.address {
      catalog.relays[id]?.condition = row.condition
    }
    for (id, row) in before.servers where found.servers[id]?.address == row.address {
      catalog.servers[id]?.condition = row.condition
    }
    let moved = Set(found.relays.values.filter { before.relays[$0.id].map(\.address) != $0.address }.map(\.id))
    follow(moved, &effects, at: now)
    scheduleTests(at: now)
  }
}
