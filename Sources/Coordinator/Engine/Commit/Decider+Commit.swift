internal import Channels
internal import RelayNetwork
internal import Storage

// How decisions become requests to storage, and the consequences of their commits.
extension Decider {
  /// Ends the open decision, which is about to be committed.
  /// - Returns: the request to storage. `nil` if there is nothing to store.
  mutating func close() -> CommitRequest? {
    nameRelays()
    var parts: [CommitPart] = []
    var places = PlaceCounter()
    func add(_ part: Decision.Part, _ mutations: [StoreMutation], expected: CommitPart.Expectation? = nil) {
      guard !mutations.isEmpty else { return }
      parts.append(CommitPart(mutations, expected: expected))
      open.parts.append(part)
    }
    add(.catalog, catalogWrites(&places))
    for id in open.order {
      let known = base.live[id]?.row.revision
      add(.channel(id), channelWrites(id, &places), expected: known.map { .init(id, at: $0) })
    }
    add(.roundTrips, open.roundTrips.map { .recordRoundTrip($0.peer, at: $0.at, milliseconds: $0.milliseconds) })
    // Each write records its time, because waiting times continue from the last write after a restart.
    if open.mustWrite || !parts.isEmpty {
      open.number = random.next()
      add(.signOfLife, [.probe(now, commit: open.number)])
    }
    open.hasWritten = !parts.isEmpty
    flight = open
    open = Decision(now: now)
    return parts.isEmpty ? nil : CommitRequest(parts)
  }

  /// Hands out the places of revisions in a commit.
  private struct PlaceCounter {
    private(set) var last = 0

    mutating func next() -> Int {
      last += 1
      return last
    }
  }

  private mutating func catalogWrites(_ places: inout PlaceCounter) -> [StoreMutation] {
    // Identities first, because channels refer to them.
    var mutations = open.identityWrites
    // Operators first, because servers and relays refer to them.
    let order =
      open.objects.indices.filter { open.objects[$0].reference.isOperator }
      + open.objects.indices.filter { !open.objects[$0].reference.isOperator }
    for index in order {
      let touch = open.objects[index]
      guard var object = catalog[touch.reference] else { continue }
      // Health that could not be stored before is news, even if it is stored with routine figures.
      if touch.isTold || object.tested.map({ $0.condition.health != (base.healths[$0.peer]?.health ?? .unknown) }) == true {
        let place = places.next()
        open.place(object: index, at: place)
        object.revision = PendingRevision.at(place)
        mutations.append(
          .appendChange(ChangeRow(revision: object.revision, at: now, object: touch.reference.changed)))
        catalog.put(object)
        if let row = healthRow(object) { mutations.append(.appendHealth(row)) }
      }
      mutations.append(object.save)
    }
    return mutations
  }

  /// The new row in the history of a relay's or server's health. `nil` if its health has not changed.
  private func healthRow(_ object: CatalogObject) -> HealthRow? {
    guard let (peer, condition) = object.tested else { return nil }
    let before = base.healths[peer] ?? KnownHealth()
    guard condition.health != before.health else { return nil }
    // A fault that a test found beyond the connection outlasts trouble of connections.
    let isFault = condition.lastError != nil && condition.lastError == condition.fault
    let cause = isFault ? faults[peer] : troubles[peer]
    // A daemon that has taken over has its own time of the change, which may be earlier than the last one stored.
    let at = max(condition.healthSince ?? now, before.since ?? .init(milliseconds: 0))
    return HealthRow(
      revision: object.revision, peer: peer, from: before.health, to: condition.health,
      cause: [.down, .degraded].contains(condition.health) ? cause : nil, detail: condition.lastError ?? "", at: at)
  }

  private mutating func channelWrites(_ id: ChannelID, _ places: inout PlaceCounter) -> [StoreMutation] {
    var touch = open[id]
    guard var channel = open.live[id] else { return [] }
    var mutations: [StoreMutation] = []
    touch.place = places.last + 1
    let transitions = touch.transitions.map { step in
      TransitionRow(
        revision: PendingRevision.at(places.next()), channel: id, relay: step.relay, transition: step.transition)
    }
    let isChanged = open.changes(id)
    if isChanged {
      channel.row.relayCount = channel.machine.relays.count
      channel.row.revision = PendingRevision.at(places.next())
      channel.row.updatedAt = timeOfDay
      mutations.append(touch.isNew ? .insertChannel(channel.row) : .touchChannel(channel.row))
      if touch.isRewritten { mutations.append(.rewriteChannel(channel.row)) }
    }
    for (position, pairing) in channel.machine.relays.enumerated() where touch.saves.contains(pairing.relay) {
      mutations.append(
        .saveChannelRelay(
          id, position: position, ChannelRelayRow(relay: pairing.relay, record: ChannelRelayRecord(pairing.machine))))
    }
    mutations += transitions.map { .appendTransition($0) }
    if isChanged {
      mutations.append(.appendChange(ChangeRow(revision: channel.row.revision, at: now, object: .channel(id))))
    }
    open[id] = touch
    open.live[id] = channel
    return mutations
  }

  // MARK: - It is durable

  /// Merges the committed decision into the durable state.
  /// - Parameter receipt: the answer of storage. `nil` if there was nothing to store.
  /// - Returns: the effects, without the answers.
  mutating func landed(_ receipt: CommitReceipt?, at now: Timestamp) -> (decision: Decision, effects: Effects) {
    guard var decision = flight else { return (Decision(now: now), Effects()) }
    let receipt = receipt ?? CommitReceipt(base: base.counters.revision, revision: base.counters.revision)
    flight = nil
    takeOut(receipt.rejections, from: &decision, at: now)
    var effects = merge(decision, receipt, at: now)
    absence.settled(decision.seen)
    if recovery.trouble != nil, decision.hasWritten { storageRecovered(at: now) }
    queue(decision, &effects)
    return (decision, effects)
  }

  /// Makes a decision durable.
  /// - Returns: its effects, without operations for relays.
  mutating func merge(_ decision: Decision, _ receipt: CommitReceipt, at now: Timestamp) -> Effects {
    var effects = decision.effects
    effects.loads = decision.loads
    effects.identities = decision.identities
    base.counters.revision = max(base.counters.revision, receipt.revision)
    if let ids = decision.ids { take(ids) }
    if let healing = decision.healing { base.healing = healing }
    settleCatalog(decision, receipt, &effects)
    for id in decision.order { settleChannel(id, decision, receipt, &effects) }
    for (id, channel) in decision.live where decision.touches[id] == nil { base.live[id] = channel }
    effects.changes.sort { $0.revision < $1.revision }
    effects.publication = .changes(after: receipt.base, through: base.counters.revision)
    if !decision.moved.isEmpty { follow(decision.moved, at: now) }
    return effects
  }

  /// Lets go of channels that have nothing left to do. That follows the answers, so that these need no further read.
  mutating func letGo(_ decision: Decision, after effects: Effects) {
    for id in decision.seen { settle(id) }
    if slots.hasCatalog { chores.compactIfDue(through: base.counters.revision) }
  }

  /// A channel as it is stored, as clients see it.
  func snapshot(_ id: ChannelID) -> ChannelSnapshot? { base.live[id].map(snapshot) }

  private func snapshot(_ channel: Live) -> ChannelSnapshot {
    directory.snapshot(
      channel.row,
      channel.machine.relays.map { ChannelRelayRow(relay: $0.relay, record: ChannelRelayRecord($0.machine)) })
  }

  private mutating func take(_ ids: StoreCounters) {
    let revision = base.counters.revision
    base.counters = ids
    base.counters.revision = revision
  }

  private mutating func settleCatalog(_ decision: Decision, _ receipt: CommitReceipt, _ effects: inout Effects) {
    let before = base.catalog
    if let catalog = decision.catalog { base.catalog = catalog }
    for touch in decision.objects {
      if let (peer, condition) = base.catalog[touch.reference]?.tested { base.healths[peer] = KnownHealth(condition) }
    }
    for touch in decision.objects where touch.place > 0 {
      let revision = receipt.base + Int64(touch.place)
      guard var object = base.catalog[touch.reference] else { continue }
      object.revision = revision
      base.catalog.put(object)
      // Later decisions use this revision too, unless they change the object again.
      if open.catalog?[touch.reference]?.revision == PendingRevision.at(touch.place) {
        var newer = open.catalog?[touch.reference]
        newer?.revision = revision
        if let newer { open.catalog?.put(newer) }
      }
      effects.changes.append(
        Change(revision: revision, at: decision.now, object: .catalog(object, before: before[touch.reference])))
    }
  }

  private mutating func settleChannel(
    _ id: ChannelID, _ decision: Decision, _ receipt: CommitReceipt, _ effects: inout Effects
  ) {
    let touch = decision[id]
    guard var channel = decision.live[id] else { return }
    channel.row.revision = PendingRevision.settled(channel.row.revision, base: receipt.base)
    base.live[id] = channel
    open.live[id]?.row.revision = channel.row.revision
    guard decision.changes(id) else { return }
    let snapshot = snapshot(channel)
    for (offset, step) in touch.transitions.enumerated() {
      guard let member = snapshot.relays.first(where: { $0.id == step.relay }) else { continue }
      let row = TransitionRow(
        revision: receipt.base + Int64(touch.place + offset), channel: id, relay: step.relay, transition: step.transition)
      effects.changes.append(Change(revision: row.revision, at: decision.now, object: .channelRelay(member, row)))
    }
    if touch.isNew { effects.created.insert(id) }
    effects.changes.append(Change(revision: channel.row.revision, at: decision.now, object: .channel(snapshot)))
  }

  /// Puts the actions of a decision into the lanes of their relays, and serves the lanes.
  private mutating func queue(_ decision: Decision, _ effects: inout Effects) {
    var relays = decision.lanesToServe
    for step in decision.actions {
      let task: RelayOperation.Task
      let relay: RelayID
      let number: Int
      switch step.action {
      case .invite(let to, let operation): (task, relay, number) = (.invite, to, operation)
      case .verify(let at, let operation): (task, relay, number) = (.verify, at, operation)
      case .withdraw(let from, let operation): (task, relay, number) = (.withdraw, from, operation)
      case .announce(let to, let operation): (task, relay, number) = (.announce, to, operation)
      case .reportUnexpected(let relay, let event):
        let words = "channel \(step.channel.rawValue), relay \(relay.rawValue): unexpected \(event)"
        effects.journal.append(JournalEntry(level: .debug, message: words))
        continue
      }
      guard let channel = base.live[step.channel], let row = base.catalog.relays[relay] else { continue }
      if channel.machine(of: relay)?.state.status == .removed {
        effects.cancellations.append(.init(network: row.network, channel: step.channel, relay: relay))
      }
      if watched.add(relay) { effects.isWatchChanged = true }
      lanes.add(
        RelayOperation(
          task: task, channel: step.channel, relay: relay, address: row.address, number: number,
          content: channel.row.content, isDeletion: channel.row.deletedAt != nil))
      relays.insert(relay)
    }
    for relay in relays.sorted() { serve(relay, &effects) }
  }

  mutating func serve(_ relay: RelayID, _ effects: inout Effects) {
    guard let network = base.catalog.relays[relay]?.network, directory.networks[network] != nil else { return }
    // A removed channel relay, for example, must not be invited from an old queue.
    let live = base.live
    let ready = lanes.next(at: relay) { channel, number in
      live[channel]?.machine(of: relay)?.underWay?.operation == number
    }
    for operation in ready { effects.operations.append(.init(network: network, operation: operation)) }
  }

  /// Sets the channel's timer, or lets go of a channel that has nothing left to do.
  mutating func settle(_ id: ChannelID) {
    // Later decisions that concern the channel see to it.
    guard let channel = base.live[id], open.live[id] == nil, flight?.live[id] == nil else { return }
    alarms.set(.channel(id), at: channel.machine.timer)
    if channel.machine.isSettled, !open.seen.contains(id), flight?.seen.contains(id) != true { base.live[id] = nil }
  }
}
