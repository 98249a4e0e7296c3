internal import Channels
internal import RelayNetwork
internal import Storage

extension Decider {
  /// - Parameter input: as returned by `unfold`.
  mutating func handle(_ input: Input, _ facts: Facts) {
    switch input {
    case .report(.outcome(let channel, let relay, let number, let outcome)):
      if outcome.isFinal { lanes.finished(channel, at: relay, number: number) }
      open.lanesToServe.insert(relay)
      heard(outcome, Self.event(outcome, number), of: channel, at: relay)
    case .report(.named(let channel, let networkID, let trustAnchor)): named(channel, networkID, trustAnchor)
    case .report(.lost(let channel, let relay, let trouble)): feed(.relay(relay, .relayLost(trouble)), to: channel)
    case .report(.stray(let channel, let relay, let edition)): strayed(edition, of: channel, at: relay)
    case .report(.relayUp(let relay, let roundTrip)): relayUp(relay, roundTrip)
    case .report(.relayDown(let relay, let trouble)): relayDown(relay, trouble)
    case .report(.unreadable(let relay, let count)): unreadable(count, from: relay)
    case .report(.state(let network, let state)): networkChanged(network, state)
    case .timersDue, .report(.delivery), .report(.compared), .report(.read), .report(.served), .report(.synced),
      .report(.searched):
      break
    case .alarm(let alarm): fire(alarm, facts)
    case .recover(let channels, let objects):
      for id in channels { recover(id) }
      for reference in objects { save(reference) }
      open.roundTrips = recovery.takeRoundTrips() + open.roundTrips
      open.mustWrite = true
      if !recovery.slots.isEmpty { open.effects.inputs.append(.gainedBefore) }
    case .takeUp(let channels): for id in channels { feed(.restarted, to: id) }
    case .gained(let some): gained(some, facts)
    case .catalogRead(let stored): catalogRead(stored)
    case .resumed: for id in base.live.channels.keys.sorted() { feed(.restarted, to: id) }
    case .gainedBefore: gained(recovery.takeSlots(), facts)
    case .lost(let some, let reply): lost(some, reply, facts)
    case .create(let channel, let reply): create(channel, reply, facts)
    case .retry(let id, let relay, let reply):
      guard let channel = own(id, reply) else { return }
      if let relay, !channel.machine.relays.contains(where: { $0.relay == relay }) {
        return refuse(reply, relays[relay] == nil ? .noSuchRelay(relay) : .notInChannel(relay))
      }
      feed(.retryRequested(relay), to: id)
      answer(reply, id)
    case .verify(let id, let reply):
      guard let channel = own(id, reply) else { return }
      for pairing in channel.machine.relays { feed(.relay(pairing.relay, .verifyRequested), to: id) }
      answer(reply, id)
    case .delete(let id, let reply):
      guard own(id, orDeleted: true, reply) != nil else { return }
      feed(.deletionRequested, to: id)
      answer(reply, id)
    case .unfollow(let id, let reply):
      open.seen.insert(id)
      guard let channel = self[id] else { return refuse(id, reply) }
      guard !channel.row.isOwned else { return refuse(reply, .following(.owned(id))) }
      feed(.deletionRequested, to: id)
      answer(reply, id)
    case .joinRelays(let id, let relays, let pick, let reply): join(id, relays, pick, reply)
    case .update(let id, let edit, let reply): update(id, edit, reply)
    case .leaveRelay(let id, let relay, let reply): leave(id, relay, reply)
    case .change(let change, let force, let reply): apply(change, force, reply, facts)
    case .tested(let peer, let address, let verdict, let reply): tested(peer, address, verdict, reply)
    case .sweep(let relay, let status, let event, let after): sweep(relay, status, event, after, facts)
    case .verifyChannels(let relay, let most): verifyChannels(on: relay, atMost: most, facts)
    case .lookForNeighbour(let id, let identity, let relay):
      let question = Reads.Neighbour(channel: id, identity: identity, relay: relay)
      guard let other = facts.neighbours[question] ?? nil else { return }
      // If another daemon has the channel, its own upkeep reads the channel back.
      feed(.relay(relay, .verifyRequested), to: other)
    case .forgetHistory: forgetHistory(now)
    case .addIdentity(let row, let key, let reply): addIdentity(row, key, reply)
    case .removeIdentity(let id, let reply): removeIdentity(id, reply, facts)
    case .adopt(let rules, let reply):
      adopt(rules)
      answer(.nothing(reply), .doneAnyway)
    case .heartbeat(let reply):
      open.mustWrite = true
      answer(.nothing(reply), .done)
    case .barrier(let reply): answer(.nothing(reply), .doneAnyway)
    }
  }

  /// The network has created the channel, or created it again.
  private mutating func named(_ id: ChannelID, _ networkID: String, _ trustAnchor: String) {
    // This is done even for a known name, so that a settled channel is let go again.
    open.seen.insert(id)
    guard !isOvertaken(ReportedName(networkID: networkID, trustAnchor: trustAnchor), of: id) else { return }
    guard let row = self[id]?.row, row.networkID != networkID || row.trustAnchor != trustAnchor else { return }
    let hadLink = !row.trustAnchor.isEmpty
    self[id]?.row.networkID = networkID
    self[id]?.row.trustAnchor = trustAnchor
    open[id].isChanged = true
    open[id].isRewritten = true
    guard hadLink, row.trustAnchor != trustAnchor else { return }
    open.effects.journal.append(
      JournalEntry(
        event: .linkChanged, level: .warning,
        message: "channel \(id.rawValue) was created again on \(row.network.rawValue): readers need its new link",
        fields: ["BATON_CHANNEL": "\(id.rawValue)"], part: .channel(id)))
  }

  /// Whether a later name has already replaced a name that is decided again.
  private mutating func isOvertaken(_ name: ReportedName, of id: ChannelID) -> Bool {
    guard let replay = replayedNames[id] else { return false }
    replayedNames[id] = replay.name == name ? nil : (replay.name, true)
    return replay.name == name && replay.isOvertaken
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

  private mutating func fire(_ alarm: Alarm, _ facts: Facts) {
    switch alarm {
    case .channel(let id): feed(.timersFired, to: id)
    case .grace(let relay):
      guard let row = relays[relay], row.condition.health == .down else { return }
      let words = "the relay is down for longer than \(policy(of: row.network).inactiveGrace.wholeMilliseconds / 1000) s"
      let cause = watched.cause(of: relay)
      let trouble = Trouble(cause, row.condition.lastError.map { "\(words): \($0)" } ?? words)
      open.effects.inputs.append(.sweep(relay, .active, .relayLost(trouble), after: nil))
    case .test(let peer):
      tests.add(peer)
      startTests(at: now)
    case .testOverdue(let peer):
      open.effects.tests.append(.cancel(peer))
      if let address = address(of: peer) { tested(peer, address, .overdue, nil) }
    case .upkeep: lookAfterChannels(facts)
    // The journal sums up its entries whenever effects are carried out. Recovery has separate inputs.
    case .digest, .recovery: break
    }
  }

  /// Continues with a channel that was read again.
  private mutating func recover(_ id: ChannelID) {
    // A channel that is still unreadable is owed again.
    guard !recovery.channels.contains(id) else { return }
    feed(.restarted, to: id)
  }

  // MARK: - Channels

  private mutating func create(_ new: NewChannel, _ reply: Reply<ChannelSnapshot>, _ facts: Facts) {
    if let key = new.request.idempotencyKey {
      guard let stored = facts.keys[Array(key.utf8)] ?? known(key).map(Optional.some) else {
        return refuse(reply, .storageUnavailable(reason: facts.trouble ?? ""))
      }
      if let id = known(key) ?? stored {
        guard let known = self[id]?.row else { return refuse(id, reply) }
        open.seen.insert(id)
        if let conflict = known.conflict(with: new.request.digest(new.profile)) {
          return answer(.channel(reply), .refused(conflict), about: id)
        }
        return answer(reply, id)
      }
    }
    if !new.isOwned, answerIfKnown(new, reply, facts) { return }
    for relay in new.relays where relays[relay]?.isDeleted != false {
      return refuse(reply, new.isPicked ? .choiceChanged : .noSuchRelay(relay))
    }
    if new.isPicked {
      // A picked relay may have been disabled since.
      let isStill = new.relays.allSatisfy { id in
        relays[id].map { $0.isEnabled && catalog.isOperatorEnabled($0.relayOperator) } ?? false
      }
      guard isStill else { return refuse(reply, .choiceChanged) }
    }
    // The identity may have been removed since the request came.
    guard identities.contains(where: { $0.id == new.content.identity }) else {
      return refuse(reply, .noSuchIdentity(new.request.identity ?? Coordinator.mainIdentity))
    }
    guard let number = slots.next(after: ids.channel, isInCore: new.network.isInCore) else {
      // A daemon without slots has no ids to assign. Channels of a core cannot belong to another daemon.
      guard new.network.isInCore else { return refuse(reply, .elsewhere(nil)) }
      let reason = "the database has not given this daemon the slot for its chat core yet. Try again in a few seconds"
      return refuse(reply, .networkUnavailable(new.network, reason: reason))
    }
    ids.channel = number
    let id = ChannelID(rawValue: number)
    let row = ChannelRow(
      id: id, kind: new.content.kind, network: new.network, identity: new.content.identity, profile: new.profile,
      preferences: new.preferences, networkID: new.content.networkID, trustAnchor: new.content.trustAnchor,
      document: new.content.document, namedRelays: new.relays, wantedRelays: new.isOwned ? new.relays.count : 0,
      heal: new.isOwned && new.request.heal && new.content.kind == .channel, custom: new.request.custom,
      idempotencyKey: new.request.idempotencyKey, createdAt: timeOfDay, updatedAt: timeOfDay, revision: 0,
      requestDigest: new.request.idempotencyKey == nil ? nil : new.request.digest(new.profile),
      keySalt: new.content.keySalt)
    let members = new.isOwned ? new.relays : []
    open.live[id] = Live(
      row: row,
      machine: ChannelMachine(id: id, kind: row.kind, wantedRelays: members.count, relays: members, now: now))
    open[id].isNew = true
    for relay in members { open[id].loads[relay, default: 0] += 1 }
    if !new.isOwned { open.followed[new.name, default: []].append(id) }
    if let key = new.request.idempotencyKey { open.idempotencyKeys[Array(key.utf8)] = id }
    feed(.begun, to: id)
    answer(reply, id)
  }

  /// The channel, if Baton owns it and it was not deleted. Otherwise the request is refused.
  /// - Parameter orDeleted: whether it may have been deleted.
  mutating func own(_ id: ChannelID, orDeleted: Bool = false, _ reply: Reply<ChannelSnapshot>) -> Live? {
    open.seen.insert(id)
    guard let channel = self[id], orDeleted || channel.row.deletedAt == nil else {
      refuse(id, reply)
      return nil
    }
    guard channel.row.isOwned else {
      refuse(reply, .following(.notOwned(id)))
      return nil
    }
    return channel
  }

  /// The maximum number of channels of one name that are examined.
  static let namesakesMax = 20

  /// Answers a request to follow a channel that exists already, or cannot be distinguished from an existing one.
  /// - Returns: whether it is answered.
  private mutating func answerIfKnown(_ new: NewChannel, _ reply: Reply<ChannelSnapshot>, _ facts: Facts) -> Bool {
    guard let stored = facts.names[new.name] else {
      refuse(reply, .storageUnavailable(reason: facts.trouble ?? ""))
      return true
    }
    // The same name in another core means another channel, or another membership in it.
    for id in stored + followed(new.name) where directory.canReach(id, on: new.network) {
      open.seen.insert(id)
      guard let known = self[id] else {
        refuse(id, reply)
        return true
      }
      // It may have been left or deleted since.
      guard known.row.deletedAt == nil else { continue }
      let relays = known.machine.relays.filter { $0.machine.state.status != .removed }.map(\.relay) + known.row.readFrom
      let isElsewhere = Set(relays).isDisjoint(with: new.relays)
      if known.row.isSame(new.content.kind, new.content.networkID, new.content.trustAnchor),
        known.row.kind == .channel || !isElsewhere
      {
        answer(reply, id)
        return true
      }
      // Messages of one channel would be mistaken for the other's.
      guard isElsewhere else {
        let reason = "channel \(id.rawValue) has the same name at the same relay, and another key"
        refuse(reply, .following(.notFollowable(reason: reason)))
        return true
      }
    }
    return false
  }

  private mutating func join(
    _ id: ChannelID, _ named: [RelayID], _ pick: Int, _ reply: Reply<ChannelSnapshot>
  ) {
    guard let channel = own(id, reply) else { return }
    guard channel.row.kind == .channel else { return refuse(reply, .groupNeedsOneRelay) }
    let picked = pick > 0 ? successors(in: channel, beside: named, limit: pick) : []
    guard picked.count == pick else {
      return refuse(reply, .notEnoughRelays(wanted: pick, available: picked.count))
    }
    let added = named + picked
    var returning: [RelayID] = []
    for relay in added {
      guard let row = relays[relay], !row.isDeleted else { return refuse(reply, .noSuchRelay(relay)) }
      guard row.network == channel.row.network else { return refuse(reply, .networkMismatch(relay)) }
      if let member = channel.machine.relays.first(where: { $0.relay == relay }) {
        // A relay that is asked to delete the channel does not accept it again, and must not be invited.
        guard member.machine.isGone, directory.networks[channel.row.network]?.takesRemovedRelaysAgain == true else {
          return refuse(reply, .alreadyInChannel(relay, member.machine.state.status))
        }
        returning.append(relay)
      }
    }
    let members = channel.machine.relays.count { $0.machine.state.status != .removed }
    guard members + Set(added).count <= ChannelRequest.relaysMax else {
      return refuse(reply, .tooManyRelays(wanted: members + Set(added).count, max: ChannelRequest.relaysMax))
    }
    feed(.relaysAdded(added), to: id)
    if !returning.isEmpty { feed(.relaysRejoined(returning), to: id) }
    answer(reply, id)
  }

  private mutating func leave(_ id: ChannelID, _ relay: RelayID, _ reply: Reply<ChannelSnapshot>) {
    guard let channel = own(id, reply) else { return }
    let members = channel.machine.relays.filter { $0.machine.state.status != .removed }
    guard members.contains(where: { $0.relay == relay }) else {
      return refuse(reply, relays[relay] == nil ? .noSuchRelay(relay) : .notInChannel(relay))
    }
    guard members.count > 1 else { return refuse(reply, .lastRelay(id)) }
    feed(.relayRemoved(relay), to: id)
    answer(reply, id)
  }

  // MARK: - Answers

  mutating func refuse(_ id: ChannelID, _ reply: Reply<ChannelSnapshot>) {
    if !slots.contains(id) {
      refuse(reply, .elsewhere(id))
    } else if recovery.channels.contains(id), let trouble = recovery.trouble {
      refuse(reply, .storageUnavailable(reason: trouble))
    } else {
      refuse(reply, .noSuchChannel(id))
    }
  }

  mutating func refuse(_ reply: Reply<ChannelSnapshot>, _ error: BatonError) { answer(.channel(reply), .refused(error)) }

  /// Answers with the channel once this is durable.
  mutating func answer(_ reply: Reply<ChannelSnapshot>, _ id: ChannelID) { answer(.channel(reply), .channel(id), about: id) }

  /// Answers a request once this is durable. Refusals wait too, because their reason may be another request, which does not take effect if
  /// the commit fails.
  mutating func answer(_ asker: Answer.Asker, _ outcome: Answer.Outcome, about id: ChannelID? = nil) {
    open.answers.append(
      Answer(asker: asker, outcome: outcome, channel: id ?? request.channels.first, request: request))
  }

  private mutating func sweep(
    _ relay: RelayID, _ status: RelayStatus, _ event: ChannelRelayMachine.Event, _ after: ChannelID?, _ facts: Facts
  ) {
    if case .relayLost = event, relays[relay]?.condition.health != .down { return }
    if case .relayReturned = event, relays[relay]?.condition.health == .down { return }
    // A sweep whose channels could not be read is repeated once storage works.
    guard let channels = facts.pages[.inStatus(status, relay, after: after, limit: Self.sweepMax)] else { return }
    for id in channels { feed(.relay(relay, event), to: id) }
    if channels.count == Self.sweepMax {
      open.effects.inputs.append(.sweep(relay, status, event, after: channels.last))
    }
  }
}

/// The name of a channel on its network.
struct ReportedName: Hashable, Sendable {
  let networkID: String
  let trustAnchor: String
}
