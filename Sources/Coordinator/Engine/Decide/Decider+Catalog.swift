internal import Channels
internal import RelayNetwork
internal import Storage

// Operators, servers and relays: changes that people and files ask for, and observations of relays.
extension Decider {
  func apply(_ change: CatalogChange, _ force: Bool, _ reply: Reply<CatalogObject?>, _ batch: Batch) async {
    var next = catalog
    var nextCounters = counters
    let reference: CatalogReference?
    do throws(BatonError) {
      try await checkUse(change, force, batch)
      reference = try next.apply(change, counters: &nextCounters)
    } catch {
      return refuse(reply, error, batch)
    }
    if case .declare = change {
      // A change from files is not refused for errors in the whole; these are only reported.
    } else if !force {
      let errors = next.errors(since: catalog)
      guard errors.isEmpty else { return refuse(reply, .wouldBreak(errors), batch) }
    }
    let changes = next.changes(from: catalog)
    for var object in changes {
      nextCounters.revision += 1
      object.revision = nextCounters.revision
      next.put(object)
      batch.save(object.reference)
    }
    let before = catalog
    (catalog, counters) = (next, nextCounters)
    for object in changes {
      noteMove(object, before[object.reference], batch)
      reschedule(object.reference, at: batch.now)
    }
    batch.effects.journal += changes.map { Self.entry($0, change) }
    batch.replies.append { [unowned self] error in
      if let error { return reply.send(.failure(error)) }
      reply.send(.success(reference.flatMap { catalog[$0] }))
    }
  }

  /// Refuses changes that would take something from channels, or the operator from its servers.
  private func checkUse(_ change: CatalogChange, _ force: Bool, _ batch: Batch) async throws(BatonError) {
    switch change {
    case .updateRelay(let id, _, let address?, _):
      // Force does not allow this either: what channels store about the relay would be about another one.
      guard let row = relays[id], row.address != address.text else { return }
      let count = try await channelCount(of: id, isMove: true, batch)
      if count > 0 { throw .relayInUse(channels: count) }
    case _ where force: return
    case .removeOperator(let id):
      let belongings = catalog.belongings(of: id)
      guard belongings.servers.isEmpty, belongings.relays.isEmpty else {
        throw .operatorInUse(servers: belongings.servers.count, relays: belongings.relays.count)
      }
    case .removeRelay(let id):
      guard relays[id]?.isDeleted == false else { return }
      let count = try await channelCount(of: id, batch)
      if count > 0 { throw .relayInUse(channels: count) }
    case .addOperator, .updateOperator, .addServer, .updateServer, .removeServer, .addRelay, .updateRelay, .declare,
      .importPresets:
      return
    }
  }

  /// - Parameter isMove: whether to count channels that only have to tell the relay that they left.
  private func channelCount(of id: RelayID, isMove: Bool = false, _ batch: Batch) async throws(BatonError) -> Int {
    // The relays of channels in this very batch are not stored yet.
    let new = batch.order.filter { channel in
      guard batch.touches[channel]?.saves.contains(id) == true,
        let machine = live[channel]?.machine.relays.first(where: { $0.relay == id })?.machine
      else { return false }
      return machine.state.status != .removed || isMove && !machine.isSettled
    }
    do {
      return try await new.count + (isMove ? storage.dependentCount(of: id) : storage.channelCount(of: id))
    } catch {
      throw .storageUnavailable(reason: "\(error)")
    }
  }

  private func noteMove(_ object: CatalogObject, _ before: CatalogObject?, _ batch: Batch) {
    guard case .relay(let row) = object, case .relay(let old)? = before, old.address != row.address else { return }
    batch.moved.insert(row.id)
  }

  /// What was known of a relay's old address does not count for the new one.
  func follow(_ moved: Set<RelayID>, _ effects: inout Effects, at now: Timestamp) {
    for relay in moved {
      abandonTest(.relay(relay), &effects, at: now)
      reschedule(.relay(relay), at: now)
      watched.moved(relay)
    }
    if !watched.all.isDisjoint(with: moved) { effects.isWatchChanged = true }
  }

  private static func entry(_ object: CatalogObject, _ change: CatalogChange) -> JournalEntry {
    let (event, field): (JournalEvent, String) =
      switch object {
      case .operator: (.operatorChanged, "BATON_OPERATOR")
      case .server: (.serverChanged, "BATON_SERVER")
      case .relay: (.relayChanged, "BATON_RELAY")
      }
    return JournalEntry(
      event: event, level: .info, message: "\(object.kind) \(object.id) '\(object.title)' \(change.title)",
      fields: [field: "\(object.id)"])
  }

  // MARK: - What the watched connections say

  func relayUp(_ id: RelayID, _ roundTrip: Duration, _ batch: Batch) {
    guard let row = relays[id], watched.contains(id) else { return }
    watched.up(id)
    alarms.set(.grace(id), at: nil)
    // Channels may have turned inactive for other reasons, or before the last restart.
    batch.effects.inputs.append(.sweep(id, .inactive, .relayReturned, after: nil))
    // Channels that still have to withdraw are awake anyway.
    let waiting = live.filter { _, known in
      known.machine.relays.contains {
        // So are channels that wait for a new edition to be announced.
        $0.relay == id && [.removed, .active].contains($0.machine.state.status) && !$0.machine.isSettled
          && $0.machine.underWay == nil
      }
    }
    for channel in waiting.keys.sorted() { feed(.relay(id, .relayReturned), to: channel, batch) }
    let before = row.condition
    catalog.relays[id]?.condition.connected(roundTrip: roundTrip, at: batch.now)
    noteHealth(.relay(id), before, batch)
  }

  func relayDown(_ id: RelayID, _ trouble: Trouble, _ batch: Batch) {
    guard let row = relays[id], watched.contains(id) else { return }
    watched.down(id, trouble.cause)
    let before = row.condition
    catalog.relays[id]?.condition.disconnected(trouble.detail, at: batch.now)
    let since = min(relays[id]?.condition.healthSince ?? batch.now, batch.now)
    alarms.set(.grace(id), at: max(since + policy(of: row.network).inactiveGrace, batch.now))
    noteHealth(.relay(id), before, batch)
  }

  /// Records that a network as a whole can be used, or no longer can. None of it is stored: the network reports it again after every start.
  func networkChanged(_ network: NetworkKind, _ state: NetworkState, _ batch: Batch) {
    guard networkStates.updateValue(state, forKey: network) != state else { return }
    let level: JournalEntry.Level
    let words: String
    switch state {
    case .works(let detail): (level, words) = (.notice, "\(network.rawValue) can be used: \(detail)")
    case .down(let trouble):
      // A core that is restarted is away for a moment; other causes wait for a person.
      level = trouble.kind == .absent ? .warning : .error
      words = "\(network.rawValue) cannot be used: \(trouble.trouble.detail)"
    }
    batch.effects.journal.append(
      JournalEntry(
        event: .networkState, level: level, message: words,
        fields: ["BATON_NETWORK": network.rawValue, "BATON_NETWORK_STATE": state.trouble?.kind.rawValue ?? "works"],
        isHeard: true))
  }

  /// Stores what was found about a relay or server. Subscribers get its health, the result of its test and its error; the journal
  /// gets its health.
  func noteHealth(_ reference: CatalogReference, _ before: PeerCondition, _ batch: Batch) {
    let object = catalog[reference]
    let now: PeerCondition
    let (event, word, field): (JournalEvent, String, String)
    switch object {
    case .relay(let row)?: (now, event, word, field) = (row.condition, .relayHealth, "relay", "BATON_RELAY")
    case .server(let row)?: (now, event, word, field) = (row.condition, .serverHealth, "server", "BATON_SERVER")
    case .operator?, nil: return
    }
    guard let object, now != before else { return }
    // Figures of routine, like the time of the latest test, are documented as not followed by events.
    let isSeen = now.health != before.health || now.tested != before.tested || now.lastError != before.lastError
    batch.save(reference, isTold: isSeen)
    guard now.health != before.health else { return }
    var words = now.health.rawValue
    if now.health == .up, let since = before.healthSince, before.health == .down || before.health == .degraded {
      words += ", after \((batch.now - since).wholeMilliseconds / 1000) s"
    }
    if let error = now.lastError { words += ": \(error)" }
    batch.effects.journal.append(
      JournalEntry(
        event: event, level: now.health == .up ? .notice : .warning, message: "\(word) '\(object.title)' is \(words)",
        fields: [
          field: "\(object.id)", "BATON_HEALTH": now.health.rawValue, "BATON_HEALTH_BEFORE": before.health.rawValue,
        ], isHeard: true))
  }
}
