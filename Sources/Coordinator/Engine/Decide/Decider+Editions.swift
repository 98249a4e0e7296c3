internal import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

// New editions of channels: people change the profile, and the relays that it lists come and go. Each edition is signed and stored before a
// relay gets it.
extension Decider {
  mutating func update(_ id: ChannelID, _ edit: ChannelEdit, _ reply: Reply<ChannelSnapshot>) {
    open.seen.insert(id)
    guard let channel = self[id], channel.row.deletedAt == nil else { return refuse(id, reply) }
    if let revision = edit.revision, revision != channel.row.revision || isChanging(id) {
      return answer(.channel(reply), .stale(id), about: id)
    }
    guard channel.row.isOwned || edit.isForOurselves else { return refuse(reply, .following(.notOwned(id))) }
    do throws(BatonError) {
      var row = try edit.applied(to: channel.row)
      let isSeen = channel.row.isOwned && row.profile != channel.row.profile
      guard isSeen || row != channel.row else { return answer(reply, id) }
      if isSeen {
        try directory.check(row.profile, on: row.network)
        do {
          row.newestEdition = try revised(row, naming: channel.machine.namesNow)
        } catch {
          throw .networkUnavailable(row.network, reason: error.description)
        }
      }
      self[id]?.row = row
      open[id].isChanged = true
      open[id].isRewritten = true
      if isSeen { feed(.revised(naming: channel.machine.namesNow), to: id) }
    } catch {
      return refuse(reply, error)
    }
    answer(reply, id)
  }

  /// Whether the channel is about to get a revision, which is still unknown.
  private func isChanging(_ id: ChannelID) -> Bool { open.changes(id) || flight?.changes(id) == true }

  /// Creates new editions of channels whose newest edition lists other relays than the ones that serve them.
  mutating func nameRelays() {
    for id in open.order {
      guard let channel = self[id], let names = channel.machine.namesDue else { continue }
      // If channels share a key and the relay keeps one edition for the key, this edition would replace another channel's.
      let spared = Set(channel.row.sharesKey ? channel.machine.activeRelays.filter(keepsOnePerAuthor) : [])
      // An edition that no relay would get is not needed.
      guard spared.count < channel.machine.activeRelays.count else { continue }
      do {
        let edition = try revised(channel.row, naming: names)
        self[id]?.row.newestEdition = edition
      } catch {
        // The old edition remains valid while one of its relays serves the channel. The next change tries again.
        open.effects.journal.append(
          JournalEntry(
            level: .error, message: "the profile of channel \(id.rawValue) could not be signed again: \(error.description)",
            part: .channel(id), isHeard: true))
        continue
      }
      feed(.revised(naming: names, sparing: spared), to: id)
    }
  }

  /// The last second that can be written as a date, at the end of the year 9999.
  private static let lastSecond: Int64 = 253_402_300_799

  /// Signs the newest edition again with a later date, because a relay shows readers an edition with a later date than its own.
  mutating func strayed(_ stray: StrayEdition, of id: ChannelID, at relay: RelayID) {
    // This is done even without effects, so that a settled channel is let go again.
    open.seen.insert(id)
    guard let channel = self[id], channel.row.deletedAt == nil, let newest = channel.row.newestEdition,
      stray.signedAt > newest.signedAt
    else { return }
    let names = channel.machine.namesNow
    let date = RFC3339.text(milliseconds: min(stray.signedAt, Self.lastSecond) * 1000)
    let what = "channel \(id.rawValue): '\(relays[relay]?.name ?? "")' shows readers a profile dated \(date)"
    let consequence: String
    do {
      let edition = try revised(channel.row, naming: names, after: stray)
      self[id]?.row.newestEdition = edition
      feed(.revised(naming: names), to: id)
      consequence = "after the newest one, which now gets a later date"
    } catch {
      consequence =
        "not the newest one, which cannot get a later date: \(error.description). This is tried again when the relay is read back"
    }
    open.effects.journal.append(
      JournalEntry(
        event: .strayEdition, level: .warning, message: "\(what), \(consequence)",
        fields: ["BATON_CHANNEL": "\(id.rawValue)", "BATON_RELAY": "\(relay.rawValue)", "BATON_DATED": date], part: .channel(id)
      ))
  }

  // MARK: - Relays that keep one edition per author

  private func keepsOnePerAuthor(_ relay: RelayID) -> Bool {
    relays[relay]?.capabilities.contains(PeerDescription.onePerAuthor) == true
  }

  /// Handles the outcome of an operation, and what it shows about the relay beyond this channel.
  mutating func heard(_ outcome: RelayOutcome, _ event: ChannelRelayMachine.Event, of id: ChannelID, at relay: RelayID) {
    let before = self[id]?.machine(of: relay)
    feed(.relay(relay, event), to: id)
    guard let row = self[id]?.row, let before, let after = self[id]?.machine(of: relay) else { return }
    // If channels share a key, another channel's edition may have replaced this one. And members with the right to do so may change a
    // group.
    let hasLostEdition = row.kind == .channel && !row.sharesKey && after.shown < before.shown
    if before.state.status == .active, after.isMissing || hasLostEdition { foundForgetful(relay) }
    guard row.sharesKey else { return }
    if case .verified(_, .several) = outcome { learn(relay, keepsOne: false) }
    if after.complaint?.cause == .onePerAuthor, before.complaint != after.complaint { learn(relay, keepsOne: true) }
    // An edition that got through may have replaced another channel's. At most one of them can have been there.
    guard after.shown > max(1, before.shown) else { return }
    open.effects.inputs.append(.lookForNeighbour(of: id, row.identity, relay))
  }

  private mutating func learn(_ relay: RelayID, keepsOne: Bool) {
    guard var row = relays[relay], keepsOnePerAuthor(relay) != keepsOne else { return }
    row.capabilities.removeAll { $0 == PeerDescription.onePerAuthor }
    if keepsOne { row.capabilities = (row.capabilities + [PeerDescription.onePerAuthor]).sorted() }
    catalog.relays[relay] = row
    save(.relay(relay))
  }

  private func revised(
    _ row: ChannelRow, naming names: [RelayID], after stray: StrayEdition? = nil
  ) throws(NetworkFailure) -> ChannelEdition {
    guard let network = directory.networks[row.network] else {
      throw NetworkFailure("this daemon does not serve the network '\(row.network.rawValue)'")
    }
    let draft = ChannelDraft(
      kind: row.kind, identity: row.identity, profile: row.profile, relays: names.compactMap { relays[$0]?.address },
      stray: stray)
    return try network.revise(row.content, as: draft)
  }
}
