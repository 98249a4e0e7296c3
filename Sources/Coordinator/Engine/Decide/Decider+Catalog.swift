internal import Channels
internal import RelayNetwork
internal import Storage

// Requested and declared changes of operators, servers and relays, and observations of relays.
extension Decider {
  mutating func apply(_ change: CatalogChange, _ force: Bool, _ reply: Reply<CatalogObject?>, _ facts: Facts) {
    guard slots.hasCatalog else { return answer(.object(reply), .refused(.elsewhere(nil))) }
    let before = catalog
    var next = before
    var nextIDs = ids
    let reference: CatalogReference?
    do throws(BatonError) {
      try checkUse(change, force, facts)
      reference = try next.apply(change, counters: &nextIDs)
    } catch {
      return answer(.object(reply), .refused(error))
    }
    if case .declare = change {
      // Changes from files are not refused for errors in the result, which are only reported.
    } else if !force {
      let errors = next.errors(since: before)
      guard errors.isEmpty else { return answer(.object(reply), .refused(.wouldBreak(errors))) }
    }
    let changes = next.changes(from: before)
    for var object in changes {
      // The pending revision makes a second change based on the old revision fail before this one is stored.
      object.revision = PendingRevision.unplaced
      next.put(object)
      open.save(object.reference)
    }
    (catalog, ids) = (next, nextIDs)
    for object in changes {
      noteMove(object, before[object.reference])
      reschedule(object.reference, at: now)
    }
    open.effects.journal += changes.map { Self.entry($0, change) }
    answer(.object(reply), .object(reference))
  }

  /// Refuses changes that would take something from channels, or the operator from its servers.
  private func checkUse(_ change: CatalogChange, _ force: Bool, _ facts: Facts) throws(BatonError) {
    switch change {
    case .updateRelay(let id, _, let address?, _):
      // Force does not allow this either, because the channels' data about the relay would then belong to another relay.
      guard let row = relays[id], row.address != address.text else { return }
      let count = try channelCount(of: id, isMove: true, facts)
      if count > 0 { throw .relayInUse(channels: count) }
    case _ where force: return
    case .removeOperator(let id):
      let belongings = catalog.belongings(of: id)
      guard belongings.servers.isEmpty, belongings.relays.isEmpty else {
        throw .operatorInUse(servers: belongings.servers.count, relays: belongings.relays.count)
      }
    case .removeRelay(let id):
      guard relays[id]?.isDeleted == false else { return }
      let count = try channelCount(of: id, facts)
      if count > 0 { throw .relayInUse(channels: count) }
    case .addOperator, .updateOperator, .addServer, .updateServer, .removeServer, .addRelay, .updateRelay, .declare,
      .importPresets:
      return
    }
  }

  /// The number of channels that have a relay, stored and decided.
  /// - Parameter isMove: whether to count channels that only have to withdraw from the relay.
  private func channelCount(of id: RelayID, isMove: Bool = false, _ facts: Facts) throws(BatonError) -> Int {
    guard let stored = facts.counts[isMove ? .dependents(id) : .members(id)] else {
      throw .storageUnavailable(reason: facts.trouble ?? "the channels of the relay were not counted")
    }
    func counts(_ channel: Live?) -> Bool {
      if let row = channel?.row, row.deletedAt == nil, row.readFrom.contains(id) { return true }
      guard let machine = channel?.machine(of: id) else { return false }
      return machine.state.status != .removed || isMove && !machine.isSettled
    }
    // Later decisions are not stored yet.
    return open.order.reduce(stored) { count, channel in
      count + (counts(self[channel]) ? 1 : 0) - (counts(base.live[channel]) ? 1 : 0)
    }
  }

  mutating func noteMove(_ object: CatalogObject, _ before: CatalogObject?) {
    guard case .relay(let row) = object, case .relay(let old)? = before, old.address != row.address else { return }
    open.moved.insert(row.id)
  }

  /// Observations of a relay's old address do not count for the new one.
  mutating func follow(_ moved: Set<RelayID>, at now: Timestamp) {
    for relay in moved.sorted() {
      abandonTest(.relay(relay), at: now)
      reschedule(.relay(relay), at: now)
      watched.moved(relay)
    }
    if !watched.all.isDisjoint(with: moved) { open.effects.isWatchChanged = true }
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
      fields: [field: "\(object.id)"], part: .catalog)
  }

  // MARK: - Reports of watched connections

  mutating func relayUp(_ id: RelayID, _ roundTrip: Duration) {
    guard let row = relays[id], watched.contains(id) else { return }
    // Nothing is assumed about a relay that was away, because it may have lost channels.
    if !watched.isConnected(id) { doubt(id) }
    watched.up(id)
    alarms.set(.grace(id), at: nil)
    // Channels may have turned inactive for other reasons, or before the last restart.
    open.effects.inputs.append(.sweep(id, .inactive, .relayReturned, after: nil))
    // Channels that still have to withdraw, or to announce an edition, are awake anyway.
    for channel in waiting(for: id) { feed(.relay(id, .relayReturned), to: channel) }
    let before = row.condition
    let now = now
    catalog.relays[id]?.condition.connected(roundTrip: roundTrip, at: now)
    noteHealth(.relay(id), before)
  }

  mutating func relayDown(_ id: RelayID, _ trouble: Trouble) {
    guard let row = relays[id], watched.contains(id) else { return }
    watched.down(id, trouble.cause)
    let (before, now) = (row.condition, now)
    troubles[.relay(id)] = trouble.cause
    catalog.relays[id]?.condition.disconnected(trouble.detail, at: now)
    let since = min(relays[id]?.condition.healthSince ?? now, now)
    alarms.set(.grace(id), at: max(since + policy(of: row.network).inactiveGrace, now))
    noteHealth(.relay(id), before)
  }

  /// Reports at most once an hour that a relay sends unreadable messages.
  mutating func unreadable(_ count: Int, from id: RelayID) {
    guard let row = relays[id], unreadableSaidAt[id].map({ now - $0 >= Self.unreadableSilence }) ?? true else { return }
    unreadableSaidAt[id] = now
    let words =
      "relay '\(CatalogObject.relay(row).title)' sends unreadable messages, \(count) so far. They are left out, and more are only counted"
    open.effects.journal.append(
      JournalEntry(
        event: .relayUnreadable, level: .warning, message: words,
        fields: ["BATON_RELAY": "\(id)", "BATON_COUNT": "\(count)"], isHeard: true))
  }

  private static let unreadableSilence = Duration.seconds(3_600)

  /// Records that a network as a whole became usable or unusable. That is not stored, because the network reports it again after every
  /// start.
  mutating func networkChanged(_ network: NetworkKind, _ state: NetworkState) {
    guard networkStates.updateValue(state, forKey: network) != state else { return }
    let level: JournalEntry.Level
    let words: String
    switch state {
    case .works(let detail): (level, words) = (.notice, "\(network.rawValue) works: \(detail)")
    case .down(let trouble):
      // A core that restarts is away for a moment. Other causes wait for a person.
      level = trouble.kind == .absent ? .warning : .error
      words = "\(network.rawValue) does not work: \(trouble.trouble.detail)"
    }
    open.effects.journal.append(
      JournalEntry(
        event: .networkState, level: level, message: words,
        fields: ["BATON_NETWORK": network.rawValue, "BATON_NETWORK_STATE": state.trouble?.kind.rawValue ?? "works"],
        isHeard: true))
  }

  /// Stores an observation about a relay or server. Subscribers get its health, the result of its test and its error. The journal gets its
  /// health.
  mutating func noteHealth(_ reference: CatalogReference, _ before: PeerCondition) {
    let object = catalog[reference]
    let after: PeerCondition
    let (event, word, field): (JournalEvent, String, String)
    switch object {
    case .relay(let row)?: (after, event, word, field) = (row.condition, .relayHealth, "relay", "BATON_RELAY")
    case .server(let row)?: (after, event, word, field) = (row.condition, .serverHealth, "server", "BATON_SERVER")
    case .operator?, nil: return
    }
    guard let object, after != before else { return }
    // Routine figures, such as the time of the latest test, are documented as not followed by events.
    let isSeen = after.health != before.health || after.tested != before.tested || after.lastError != before.lastError
    save(reference, isTold: isSeen)
    guard after.health != before.health else { return }
    var words = after.health.rawValue
    if after.health == .up, let since = before.healthSince, before.health == .down || before.health == .degraded {
      words += " again after \((now - since).wholeMilliseconds / 1000) s"
    }
    if let error = after.lastError { words += ": \(error)" }
    open.effects.journal.append(
      JournalEntry(
        event: event, level: after.health == .up ? .notice : .warning, message: "\(word) '\(object.title)' is \(words)",
        fields: [
          field: "\(object.id)", "BATON_HEALTH": after.health.rawValue, "BATON_HEALTH_BEFORE": before.health.rawValue,
        ], isHeard: true))
  }
}
