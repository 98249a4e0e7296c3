internal import Channels
internal import Logging
internal import RelayNetwork
internal import Storage

extension Engine {
  /// Commits a batch; then, and only then, tells subscribers, writes the journal, performs the batch's actions and answers requests, in
  /// this order. What nobody waits for is stored last.
  func finish(_ batch: Batch) async {
    if doubt != nil { return rollBack(batch, storageTrouble ?? "it is not known what is stored") }
    nameRelays(batch)
    var (mutations, changes) = assemble(batch)
    // Identities first, because channels refer to them.
    mutations = batch.others + mutations
    // Each write says when it was made: waiting times go on from the last one after a restart.
    if batch.mustWrite || !mutations.isEmpty { mutations.append(.probe(batch.now)) }
    if !mutations.isEmpty {
      do {
        try await storage.commit(mutations)
      } catch {
        doubt = Doubt(batch: batch, changes: changes)
        rollBack(batch, "\(error)")
        return
      }
    }
    if storageTrouble != nil, !mutations.isEmpty { storageRecovered() }
    committed = (counters, catalog, healing)
    directory.carry(batch.loads)
    if let identities = batch.identities { directory.write { $0.identities = identities } }
    publishDirectory()
    hub.publish(changes, revision: counters.revision)
    for entry in batch.journal { logger.write(entry) }
    log(changes, batch)
    if !batch.moved.isEmpty { follow(batch.moved) }
    queue(batch)
    // Before channels are let go, so that an answer needs no more of storage.
    batch.answer(nil)
    for id in batch.seen { settle(id) }
    compactIfDue(changes.count)
    await doChores()
  }

  /// A channel that is awake, as clients see it.
  func snapshot(_ id: ChannelID) -> ChannelSnapshot? {
    guard let channel = live[id] else { return nil }
    return directory.snapshot(
      channel.row,
      channel.machine.relays.map { ChannelRelayRow(relay: $0.relay, record: ChannelRelayRecord($0.machine)) })
  }

  /// Gives revisions to what changed and turns it into writes.
  private func assemble(_ batch: Batch) -> ([StoreMutation], [Change]) {
    var mutations: [StoreMutation] = []
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
        mutations.append(.insertChannel(channel.row))
        if touch.isRevised { mutations.append(.reviseChannel(channel.row)) }
      } else if isChanged {
        mutations.append(.touchChannel(channel.row))
        if touch.isRevised { mutations.append(.reviseChannel(channel.row)) }
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
    return (mutations, changes)
  }

  // MARK: - After the commit

  /// Puts the batch's actions into the lanes of their relays and lets the lanes go on.
  private func queue(_ batch: Batch) {
    var newlyWatched = false
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
        logger.debug("channel \(id.rawValue), relay \(relay.rawValue): unexpected \(event)")
        continue
      }
      guard let channel = live[id], let row = relays[relay] else { continue }
      if task == .withdraw { directory.networks[row.network]?.cancel(id, at: relay) }
      newlyWatched = watched.insert(relay).inserted || newlyWatched
      lanes[relay, default: RelayLane()].add(
        RelayOperation(
          task: task, channel: id, relay: relay, address: row.address, number: number, content: channel.row.content,
          isDeletion: channel.row.deletedAt != nil))
      batch.lanesToServe.insert(relay)
    }
    if newlyWatched { updateWatch() }
    for relay in batch.lanesToServe.sorted() { serve(relay) }
  }

  private func serve(_ relay: RelayID) {
    guard let kind = relays[relay]?.network, let network = directory.networks[kind] else { return }
    // In its place: a lane that is taken out copies its whole queue.
    let ready = lanes[relay]?.next { channel, number in
      // A removed channel relay, for example, must not be invited from an old queue.
      live[channel]?.machine.relays.first { $0.relay == relay }?.machine.underWay?.operation == number
    }
    guard let ready else { return }
    if lanes[relay]?.isEmpty == true { lanes[relay] = nil }
    for operation in ready { network.perform(operation) }
  }

  /// Sets the channel's timer, or lets go of a channel that has nothing left to do.
  private func settle(_ id: ChannelID) {
    guard let channel = live[id] else { return }
    setAlarm(.channel(id), at: channel.machine.timer)
    if channel.machine.isSettled { live[id] = nil }
  }

  // MARK: - When storage fails

  /// Nothing of the batch happened: forget the machines, read them again later, refuse the requests.
  private func rollBack(_ batch: Batch, _ reason: String) {
    storageFailed(reason)
    for entry in batch.journal where entry.isHeard { logger.write(entry) }
    for id in batch.order {
      live[id] = nil
      alarmTimes[.channel(id)] = nil
      dirty.insert(id)
    }
    // What the network was told stands; what it was not told is told again when the channels are read.
    let heard = catalog
    (counters, catalog, healing) = committed
    for reference in unsaved.union(batch.objects.map(\.reference)) {
      // What was heard of a relay or server stands too, only its storing is late.
      switch reference {
      case .operator: continue
      case .server(let id):
        // What was changed by request did not happen, a new address neither.
        guard let row = heard.servers[id], catalog.servers[id]?.address == row.address else { continue }
        catalog.servers[id]?.condition = row.condition
      case .relay(let id):
        guard let row = heard.relays[id], catalog.relays[id]?.address == row.address else { continue }
        catalog.relays[id]?.condition = row.condition
      }
      unsaved.insert(reference)
    }
    // Alarms were set for what did not happen.
    for (reference, _) in batch.objects { reschedule(reference) }
    publishDirectory()
    for id in batch.seen where batch.touches[id] == nil { settle(id) }
    for relay in batch.lanesToServe.sorted() { serve(relay) }
    batch.answer(.storageUnavailable(reason: reason))
  }

  func storageFailed(_ reason: String) {
    if storageTrouble == nil {
      logger.event(
        .storageFailed, .error, "storage does not work, changes are refused until it does: \(reason)", [:])
    }
    storageTrouble = reason
    setAlarm(.recovery, at: clock.now + Self.recoveryWait)
  }

  private func storageRecovered() {
    if dirty.isEmpty {
      storageTrouble = nil
      logger.event(.storageRecovered, .notice, "storage works again", [:])
      sweepAgain()
    } else if alarmTimes[.recovery] == nil {
      setAlarm(.recovery, at: clock.now)
    }
  }
}

extension Engine {
  /// Sweeps that fell into the time without storage are made up for.
  private func sweepAgain() {
    for id in watched.sorted() {
      guard let row = relays[id] else { continue }
      if row.condition.health == .down {
        let since = min(row.condition.healthSince ?? clock.now, clock.now)
        setAlarm(.grace(id), at: max(since + policy(of: row.network).inactiveGrace, clock.now))
      } else {
        post(.sweep(id, .inactive, .relayReturned, after: nil))
      }
    }
  }
}
