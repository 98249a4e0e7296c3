internal import Channels
internal import Logging
internal import RelayNetwork
internal import Store

extension Engine {
  func handle(_ input: Input, _ batch: Batch) {
    switch input {
    case .report(.outcome(let channel, let relay, let number, let outcome)):
      if outcome.isFinal { lanes[relay]?.finished(channel, number: number) }
      batch.lanesToServe.insert(relay)
      feed(.relay(relay, Self.event(outcome, number)), to: channel, batch)
    case .report(.relayUp(let relay, let roundTrip)): relayUp(relay, roundTrip, batch)
    case .report(.relayDown(let relay, let trouble)): relayDown(relay, trouble, batch)
    case .timersDue: fireTimers(batch)
    case .create(let channel, let reply): create(channel, reply, batch)
    case .retry(let id, let relay, let reply):
      batch.seen.insert(id)
      guard let channel = load(id), channel.row.deletedAt == nil else { return refuse(id, reply) }
      if let relay, !channel.machine.relays.contains(where: { $0.relay == relay }) {
        return reply.send(.failure(.noSuchRelay(relay)))
      }
      feed(.retryRequested(relay), to: id, batch)
      answer(reply, id, batch)
    case .verify(let id, let reply):
      batch.seen.insert(id)
      guard let channel = load(id), channel.row.deletedAt == nil else { return refuse(id, reply) }
      for pairing in channel.machine.relays { feed(.relay(pairing.relay, .verifyRequested), to: id, batch) }
      answer(reply, id, batch)
    case .delete(let id, let reply):
      guard load(id) != nil else { return refuse(id, reply) }
      feed(.deletionRequested, to: id, batch)
      answer(reply, id, batch)
    case .addRelay(let row, let reply): addRelay(row, reply, batch)
    case .removeRelay(let id, let force, let reply): removeRelay(id, force, reply, batch)
    case .recordTest(let id, let passed, let error, let reply):
      change(id, reply, batch) { row in
        row.tested = passed
        row.testedAt = batch.now
        row.lastError = error
      }
    case .sweep(let relay, let status, let event, let after): sweep(relay, status, event, after, batch)
    case .barrier(let reply): batch.replies.append { _ in reply.send(.success(())) }
    }
  }

  private static func event(_ outcome: RelayOutcome, _ number: Int) -> ChannelRelayMachine.Event {
    switch outcome {
    case .handedOver: .handedOver(operation: number)
    case .accepted(let link): .relayAccepted(operation: number, link: link)
    case .verified: .verified(operation: number)
    case .missing: .foundMissing(operation: number)
    case .withdrawn: .withdrawn(operation: number)
    case .refused(let trouble): .refused(operation: number, trouble)
    case .misbehaved(let trouble): .misbehaved(operation: number, trouble)
    case .troubled(let trouble, let retryAfter): .troubled(operation: number, trouble, retryAfter: retryAfter)
    }
  }

  private func fireTimers(_ batch: Batch) {
    timersCameDue()
    for alarm in dueAlarms(batch.now) {
      switch alarm {
      case .channel(let id): feed(.timersFired, to: id, batch)
      case .grace(let relay):
        guard let row = relays[relay], row.health == .down else { continue }
        let words = "the relay is down for longer than \(policy.inactiveGrace.wholeMilliseconds / 1000) s"
        let trouble = Trouble(.unreachable, row.lastError.map { "\(words): \($0)" } ?? words)
        post(.sweep(relay, .active, .relayLost(trouble), after: nil))
      case .recovery:
        let some = dirty.prefix(Self.sweepMax)
        dirty.subtract(some)
        for id in some { feed(.restarted, to: id, batch) }
        for id in unsaved { if let row = relays[id] { batch.save(row) } }
        unsaved = []
        batch.isRecovery = true
      }
    }
  }

  // MARK: - Channels

  private func create(_ new: NewChannel, _ reply: Reply<ChannelSnapshot>, _ batch: Batch) {
    if let key = new.request.idempotencyKey {
      if let id = batch.idempotencyKeys[Array(key.utf8)] { return answer(reply, id, batch) }
      do {
        if let id = try storage.channel(idempotencyKey: key) {
          guard load(id) != nil else { return refuse(id, reply) }
          batch.seen.insert(id)
          return answer(reply, id, batch)
        }
      } catch {
        return reply.send(.failure(.storageUnavailable(reason: "\(error)")))
      }
    }
    for relay in new.relays where relays[relay]?.isDeleted != false { return reply.send(.failure(.noSuchRelay(relay))) }
    counters.channel += 1
    let id = ChannelID(rawValue: counters.channel)
    let row = ChannelRow(
      id: id, kind: .channel, network: new.network, identity: new.content.identity, profile: new.profile,
      preferences: new.request.preferences, networkID: new.content.networkID, author: new.content.author,
      document: new.content.document, wantedRelays: new.relays.count, heal: new.request.heal, custom: new.request.custom,
      idempotencyKey: new.request.idempotencyKey, createdAt: batch.now, updatedAt: batch.now, revision: 0)
    live[id] = Live(
      row: row, machine: ChannelMachine(id: id, wantedRelays: new.relays.count, relays: new.relays, now: batch.now))
    batch.touch(id).isNew = true
    if let key = new.request.idempotencyKey { batch.idempotencyKeys[Array(key.utf8)] = id }
    feed(.begun, to: id, batch)
    answer(reply, id, batch)
  }

  private func refuse(_ id: ChannelID, _ reply: Reply<ChannelSnapshot>) {
    if dirty.contains(id), let storageTrouble {
      reply.send(.failure(.storageUnavailable(reason: storageTrouble)))
    } else {
      reply.send(.failure(.noSuchChannel(id)))
    }
  }

  /// Answers with the channel as it is once this batch is durable.
  private func answer(_ reply: Reply<ChannelSnapshot>, _ id: ChannelID, _ batch: Batch) {
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
  ) {
    if case .relayLost = event, relays[relay]?.health != .down { return }
    if case .relayReturned = event, relays[relay]?.health == .down { return }
    guard let channels = try? storage.channels(of: relay, in: status, after: after, limit: Self.sweepMax) else {
      return setAlarm(.grace(relay), at: batch.now + Self.recoveryWait)
    }
    for id in channels { feed(.relay(relay, event), to: id, batch) }
    if channels.count == Self.sweepMax { post(.sweep(relay, status, event, after: channels.last)) }
  }

  // MARK: - Relays

  private func relayUp(_ id: RelayID, _ roundTrip: Duration, _ batch: Batch) {
    guard var row = batch.relays[id] ?? relays[id], watched.contains(id) else { return }
    setAlarm(.grace(id), at: nil)
    // Channels may have turned inactive for other reasons, or before the last restart.
    post(.sweep(id, .inactive, .relayReturned, after: nil))
    guard row.health != .up else { return }
    let since = row.health == .down ? row.healthSince : nil
    row.health = .up
    row.healthSince = batch.now
    row.lastError = nil
    row.roundTripMilliseconds = roundTrip.wholeMilliseconds
    keep(row, batch)
    let words = since.map { ", after \((batch.now - $0).wholeMilliseconds / 1000) s" } ?? ""
    logger.event(
      .relayHealth, .notice, "relay '\(row.name)' is up\(words)",
      ["BATON_RELAY": "\(id.rawValue)", "BATON_HEALTH": "up"])
  }

  private func relayDown(_ id: RelayID, _ trouble: Trouble, _ batch: Batch) {
    guard var row = batch.relays[id] ?? relays[id], watched.contains(id) else { return }
    let isNews = row.health != .down
    if isNews { row.healthSince = batch.now }
    row.health = .down
    row.lastError = trouble.detail
    let since = min(row.healthSince ?? batch.now, batch.now)
    setAlarm(.grace(id), at: max(since + policy.inactiveGrace, batch.now))
    guard isNews else { return }
    keep(row, batch)
    logger.event(
      .relayHealth, .warning, "relay '\(row.name)' is down: \(trouble.detail)",
      ["BATON_RELAY": "\(id.rawValue)", "BATON_HEALTH": "down", "BATON_CAUSE": "\(trouble.cause.rawValue)"])
  }

  private func keep(_ row: RelayRow, _ batch: Batch) {
    relays[row.id] = row
    batch.save(row)
  }

  private func addRelay(_ new: RelayRow, _ reply: Reply<RelayRow>, _ batch: Batch) {
    let same = relays.values.first { $0.network == new.network && $0.address == new.address }
    if let same, !same.isDeleted { return reply.send(.failure(.duplicateAddress(same.id))) }
    if relays.values.contains(where: { $0.name == new.name && !$0.isDeleted && $0.id != same?.id }) {
      return reply.send(.failure(.duplicateName(new.name)))
    }
    var row = new
    if let same {
      // The address comes back: so does the relay, with its id, its channels and its history.
      row.id = same.id
      (row.health, row.healthSince, row.lastError) = (same.health, same.healthSince, same.lastError)
    } else {
      counters.relay += 1
      row.id = RelayID(rawValue: counters.relay)
    }
    keep(row, batch)
    answer(reply, row.id, batch)
    logger.event(
      .relayChanged, .info, "relay '\(row.name)' was added: \(row.address)", ["BATON_RELAY": "\(row.id.rawValue)"])
  }

  private func removeRelay(_ id: RelayID, _ force: Bool, _ reply: Reply<RelayRow>, _ batch: Batch) {
    // Channels of this very batch are not stored yet.
    var count = batch.order.filter { channel in
      batch.touches[channel]?.isNew == true && live[channel]?.machine.relays.contains { $0.relay == id } == true
    }.count
    do {
      count += try storage.channelCount(of: id)
    } catch {
      return reply.send(.failure(.storageUnavailable(reason: "\(error)")))
    }
    if count > 0, !force, relays[id]?.isDeleted == false { return reply.send(.failure(.relayInUse(channels: count))) }
    change(id, reply, batch) { row in
      row.isDeleted = true
      row.isEnabled = false
    }
  }

  private func change(_ id: RelayID, _ reply: Reply<RelayRow>, _ batch: Batch, _ body: (inout RelayRow) -> Void) {
    guard var row = relays[id], !row.isDeleted else { return reply.send(.failure(.noSuchRelay(id))) }
    body(&row)
    keep(row, batch)
    answer(reply, id, batch)
  }

  private func answer(_ reply: Reply<RelayRow>, _ id: RelayID, _ batch: Batch) {
    batch.replies.append { [unowned self] error in
      if let error { return reply.send(.failure(error)) }
      guard let row = relays[id] else { return reply.send(.failure(.noSuchRelay(id))) }
      reply.send(.success(row))
    }
  }
}
