internal import Channels
internal import RelayNetwork
internal import Storage

extension Decider {
  func handle(_ input: Input, _ batch: Batch) async {
    switch input {
    case .report(.outcome(let channel, let relay, let number, let outcome)):
      if outcome.isFinal { lanes.finished(channel, at: relay, number: number) }
      batch.lanesToServe.insert(relay)
      await heard(outcome, Self.event(outcome, number), of: channel, at: relay, batch)
    case .report(.named(let channel, let networkID, let trustAnchor)): named(channel, networkID, trustAnchor, batch)
    case .report(.lost(let channel, let relay, let trouble)): feed(.relay(relay, .relayLost(trouble)), to: channel, batch)
    case .report(.stray(let channel, let relay, let edition)): strayed(edition, of: channel, at: relay, batch)
    case .report(.relayUp(let relay, let roundTrip)): relayUp(relay, roundTrip, batch)
    case .report(.relayDown(let relay, let trouble)): relayDown(relay, trouble, batch)
    case .report(.state(let network, let state)): networkChanged(network, state, batch)
    case .timersDue: await fireTimers(batch)
    case .create(let channel, let reply): await create(channel, reply, batch)
    case .retry(let id, let relay, let reply):
      batch.seen.insert(id)
      guard let channel = live[id], channel.row.deletedAt == nil else { return refuse(id, reply, batch) }
      if let relay, !channel.machine.relays.contains(where: { $0.relay == relay }) {
        return refuse(reply, relays[relay] == nil ? .noSuchRelay(relay) : .notInChannel(relay), batch)
      }
      feed(.retryRequested(relay), to: id, batch)
      answer(reply, id, batch)
    case .verify(let id, let reply):
      batch.seen.insert(id)
      guard let channel = live[id], channel.row.deletedAt == nil else { return refuse(id, reply, batch) }
      for pairing in channel.machine.relays { feed(.relay(pairing.relay, .verifyRequested), to: id, batch) }
      answer(reply, id, batch)
    case .delete(let id, let reply):
      guard live[id] != nil else { return refuse(id, reply, batch) }
      feed(.deletionRequested, to: id, batch)
      answer(reply, id, batch)
    case .joinRelays(let id, let relays, let pick, let reply): join(id, relays, pick, reply, batch)
    case .update(let id, let edit, let reply): update(id, edit, reply, batch)
    case .leaveRelay(let id, let relay, let reply): leave(id, relay, reply, batch)
    case .change(let change, let force, let reply): await apply(change, force, reply, batch)
    case .tested(let peer, let address, let verdict, let reply): tested(peer, address, verdict, reply, batch)
    case .sweep(let relay, let status, let event, let after): await sweep(relay, status, event, after, batch)
    case .verifyChannels(let relay, let most): await verifyChannels(on: relay, atMost: most, batch)
    case .forgetHistory: forgetHistory(batch.now)
    case .addIdentity(let row, let key, let reply): addIdentity(row, key, reply, batch)
    case .removeIdentity(let id, let reply): await removeIdentity(id, reply, batch)
    case .adopt(let rules, let reply):
      adopt(rules, batch)
      batch.replies.append { _ in reply.send(.success(())) }
    case .heartbeat(let reply):
      batch.mustWrite = true
      batch.replies.append { error in reply.send(error.map { .failure($0) } ?? .success(())) }
    case .barrier(let reply): batch.replies.append { _ in reply.send(.success(())) }
    }
  }

  /// The network has created the channel, or created it again.
  private func named(_ id: ChannelID, _ networkID: String, _ trustAnchor: String, _ batch: Batch) {
    // This is done even if it is known already: a channel that was settled is let go again.
    batch.seen.insert(id)
    guard let row = live[id]?.row, row.networkID != networkID || row.trustAnchor != trustAnchor else { return }
    let hadLink = !row.trustAnchor.isEmpty
    live[id]?.row.networkID = networkID
    live[id]?.row.trustAnchor = trustAnchor
    let touch = batch.touch(id)
    touch.isChanged = true
    touch.isRewritten = true
    guard hadLink, row.trustAnchor != trustAnchor else { return }
    batch.effects.journal.append(
      JournalEntry(
        event: .linkChanged, level: .warning,
        message: "channel \(id.rawValue) was created again on \(row.network.rawValue): readers need its new link",
        fields: ["BATON_CHANNEL": "\(id.rawValue)"]))
  }

  private static func event(_ outcome: RelayOutcome, _ number: Int) -> ChannelRelayMachine.Event {
    switch outcome {
    case .handedOver: .handedOver(operation: number)
    case .accepted(let link): .relayAccepted(operation: number, link: link)
    case .verified(let edition, let others): .verified(operation: number, edition: edition, others: others)
    case .missing: .foundMissing(operation: number)
    case .withdrawn: .withdrawn(operation: number)
    case .announced: .announced(operation: number)
    case .refused(let trouble): .refused(operation: number, trouble)
    case .misbehaved(let trouble): .misbehaved(operation: number, trouble)
    case .troubled(let trouble, let retryAfter): .troubled(operation: number, trouble, retryAfter: retryAfter)
    }
  }

  private func fireTimers(_ batch: Batch) async {
    for alarm in alarms.take(at: batch.now) {
      switch alarm {
      case .channel(let id):
        await wake([id], batch)
        feed(.timersFired, to: id, batch)
      case .grace(let relay):
        guard let row = relays[relay], row.condition.health == .down else { continue }
        let words = "the relay is down for longer than \(policy(of: row.network).inactiveGrace.wholeMilliseconds / 1000) s"
        let cause = watched.cause(of: relay)
        let trouble = Trouble(cause, row.condition.lastError.map { "\(words): \($0)" } ?? words)
        batch.effects.inputs.append(.sweep(relay, .active, .relayLost(trouble), after: nil))
      case .test(let peer):
        tests.add(peer)
        startTests(&batch.effects, at: batch.now)
      case .testOverdue(let peer):
        batch.effects.tests.append(.cancel(peer))
        if let address = address(of: peer) { tested(peer, address, .overdue, nil, batch) }
      case .upkeep: await lookAfterChannels(batch)
      // Each batch sums up what is due.
      case .digest: break
      case .recovery:
        let some = recovery.takeChannels(Self.sweepMax)
        await wake(some, batch)
        for id in some { feed(.restarted, to: id, batch) }
        for reference in recovery.takeObjects() { batch.save(reference) }
        batch.mustWrite = true
      }
    }
  }

  // MARK: - Channels

  /// The channel that a request with this key has created, in this batch or before.
  private func known(_ key: String, _ batch: Batch) async throws -> ChannelID? {
    if let id = batch.idempotencyKeys[Array(key.utf8)] { return id }
    return try await storage.channel(idempotencyKey: key)
  }

  private func create(_ new: NewChannel, _ reply: Reply<ChannelSnapshot>, _ batch: Batch) async {
    if let key = new.request.idempotencyKey {
      do {
        if let id = try await known(key, batch) {
          await wake([id], batch)
          guard let known = live[id]?.row else { return refuse(id, reply, batch) }
          batch.seen.insert(id)
          if let conflict = known.conflict(with: new.request.digest(new.profile)) { return refuse(reply, conflict, batch) }
          return answer(reply, id, batch)
        }
      } catch {
        return refuse(reply, .storageUnavailable(reason: "\(error)"), batch)
      }
    }
    for relay in new.relays where relays[relay]?.isDeleted != false {
      return refuse(reply, new.isPicked ? .choiceChanged : .noSuchRelay(relay), batch)
    }
    if new.isPicked {
      // A picked relay may have been disabled since.
      let isStill = new.relays.allSatisfy { id in
        relays[id].map { $0.isEnabled && catalog.isOperatorEnabled($0.relayOperator) } ?? false
      }
      guard isStill else { return refuse(reply, .choiceChanged, batch) }
    }
    // The identity may have been removed since the request came.
    guard (batch.identities ?? directory.read { $0.identities }).contains(where: { $0.id == new.content.identity }) else {
      return refuse(reply, .noSuchIdentity(new.request.identity ?? Coordinator.mainIdentity), batch)
    }
    counters.channel += 1
    let id = ChannelID(rawValue: counters.channel)
    let row = ChannelRow(
      id: id, kind: new.content.kind, network: new.network, identity: new.content.identity, profile: new.profile,
      preferences: new.request.completePreferences, networkID: new.content.networkID, trustAnchor: new.content.trustAnchor,
      document: new.content.document, namedRelays: new.relays, wantedRelays: new.relays.count,
      heal: new.request.heal && new.content.kind == .channel, custom: new.request.custom,
      idempotencyKey: new.request.idempotencyKey, createdAt: batch.now, updatedAt: batch.now, revision: 0,
      requestDigest: new.request.idempotencyKey == nil ? nil : new.request.digest(new.profile),
      keySalt: new.content.keySalt)
    live[id] = Live(
      row: row,
      machine: ChannelMachine(
        id: id, kind: row.kind, wantedRelays: new.relays.count, relays: new.relays, now: batch.now))
    batch.touch(id).isNew = true
    for relay in new.relays { batch.carry(relay, 1) }
    if let key = new.request.idempotencyKey { batch.idempotencyKeys[Array(key.utf8)] = id }
    feed(.begun, to: id, batch)
    answer(reply, id, batch)
  }

  private func join(
    _ id: ChannelID, _ named: [RelayID], _ pick: Int, _ reply: Reply<ChannelSnapshot>, _ batch: Batch
  ) {
    batch.seen.insert(id)
    guard let channel = live[id], channel.row.deletedAt == nil else { return refuse(id, reply, batch) }
    guard channel.row.kind == .channel else { return refuse(reply, .groupNeedsOneRelay, batch) }
    let picked = pick > 0 ? successors(in: channel, beside: named, limit: pick, batch) : []
    guard picked.count == pick else {
      return refuse(reply, .notEnoughRelays(wanted: pick, available: picked.count), batch)
    }
    let added = named + picked
    var returning: [RelayID] = []
    for relay in added {
      guard let row = relays[relay], !row.isDeleted else { return refuse(reply, .noSuchRelay(relay), batch) }
      guard row.network == channel.row.network else { return refuse(reply, .networkMismatch(relay), batch) }
      if let member = channel.machine.relays.first(where: { $0.relay == relay }) {
        // A relay that is told to delete the channel does not take it again, and must not be asked to.
        guard member.machine.isGone, directory.networks[channel.row.network]?.takesRemovedRelaysAgain == true else {
          return refuse(reply, .alreadyInChannel(relay, member.machine.state.status), batch)
        }
        returning.append(relay)
      }
    }
    let members = channel.machine.relays.count { $0.machine.state.status != .removed }
    guard members + Set(added).count <= ChannelRequest.relaysMax else {
      return refuse(reply, .tooManyRelays(wanted: members + Set(added).count, max: ChannelRequest.relaysMax), batch)
    }
    feed(.relaysAdded(added), to: id, batch)
    if !returning.isEmpty { feed(.relaysRejoined(returning), to: id, batch) }
    answer(reply, id, batch)
  }

  private func leave(_ id: ChannelID, _ relay: RelayID, _ reply: Reply<ChannelSnapshot>, _ batch: Batch) {
    batch.seen.insert(id)
    guard let channel = live[id], channel.row.deletedAt == nil else { return refuse(id, reply, batch) }
    let members = channel.machine.relays.filter { $0.machine.state.status != .removed }
    guard members.contains(where: { $0.relay == relay }) else {
      return refuse(reply, relays[relay] == nil ? .noSuchRelay(relay) : .notInChannel(relay), batch)
    }
    guard members.count > 1 else { return refuse(reply, .lastRelay(id), batch) }
    feed(.relayRemoved(relay), to: id, batch)
    answer(reply, id, batch)
  }

  func refuse(_ id: ChannelID, _ reply: Reply<ChannelSnapshot>, _ batch: Batch) {
    if recovery.channels.contains(id), let trouble = recovery.trouble {
      refuse(reply, .storageUnavailable(reason: trouble), batch)
    } else {
      refuse(reply, .noSuchChannel(id), batch)
    }
  }

  /// Refuses a request once this batch is durable: the reason may be another request of the same batch, which did not happen when
  /// the commit fails.
  func refuse<Value>(_ reply: Reply<Value>, _ error: BatonError, _ batch: Batch) {
    batch.replies.append { failure in reply.send(.failure(failure ?? error)) }
  }

  /// Answers with the channel as it is once this batch is durable.
  func answer(_ reply: Reply<ChannelSnapshot>, _ id: ChannelID, _ batch: Batch) {
    batch.replies.append { [unowned self] error in
      if let error { return reply.send(.failure(error)) }
      guard let snapshot = batch.snapshots[id] ?? self.snapshot(id) else {
        return reply.send(.failure(.noSuchChannel(id)))
      }
      reply.send(.success(snapshot))
    }
  }

  private func sweep(
    _ relay: RelayID, _ status: RelayStatus, _ event: ChannelRelayMachine.Event, _ after: ChannelID?, _ batch: Batch
  ) async {
    if case .relayLost = event, relays[relay]?.condition.health != .down { return }
    if case .relayReturned = event, relays[relay]?.condition.health == .down { return }
    let channels: [ChannelID]
    do {
      channels = try await storage.channels(of: relay, in: status, after: after, limit: Self.sweepMax)
    } catch {
      // The sweep is repeated once storage works.
      return storageFailed("\(error)", batch)
    }
    await wake(channels, batch)
    for id in channels { feed(.relay(relay, event), to: id, batch) }
    if channels.count == Self.sweepMax {
      batch.effects.inputs.append(.sweep(relay, status, event, after: channels.last))
    }
  }
}
