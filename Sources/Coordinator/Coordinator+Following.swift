public import Channels
internal import RelayNetwork
internal import Storage

// Followed channels. Other people own them, and Baton only reads them.
extension Coordinator {
  /// Follows a channel. Returns once that is durable.
  /// - Returns: the channel, or the existing one if it is followed already or is Baton's own.
  /// - Throws: `invalidLink`, `noKnownRelay`, `notFollowable` and `notSupported`, among others.
  public func follow(_ request: FollowRequest) async throws(BatonError) -> ChannelSnapshot {
    guard readsMessages else {
      throw .following(.notFollowable(reason: "this daemon reads no messages. Turn messages on in its configuration"))
    }
    let given = try request.displayName.map(ProfileRules.name)
    let (network, reference) = try channel(fromLink: request.link)
    if let known = try await known(reference, on: network.kind, at: request.relays) { return snapshot(known) }
    let name = request.identity ?? Self.mainIdentity
    guard let identity = directory.read({ $0.identities }).first(where: { $0.network == network.kind && $0.name == name })
    else { throw .noSuchIdentity(name) }
    let (found, relays) =
      network.readsAsMember
      ? (try await join(reference, request, as: identity.id, on: network), [])
      : try await look(for: reference, request, as: identity.id, on: network)
    var profile = ProfileRules.closest(
      name: found.name, about: found.about, or: "\(reference.kind.rawValue) \(found.content.networkID.prefix(8))")
    if let given { profile.displayName = given }
    let new = NewChannel(
      request: ChannelRequest(kind: reference.kind, profile: profile, identity: name, heal: false), profile: profile,
      network: network.kind, relays: relays, isPicked: false, content: found.content, isOwned: false)
    return try await answer { .create(new, $0) }.get()
  }

  /// Stops following a channel, and forgets its messages.
  /// - Parameter keepMembership: whether the network remains a member of it, where readers are members.
  /// - Throws: `owned` if it is Baton's own, and `networkUnavailable` if it cannot be left now.
  public func unfollow(_ channel: ChannelID, keepMembership: Bool = false) async throws(BatonError) -> ChannelSnapshot {
    // It is left first. Once it is forgotten, the membership would be unknown.
    if !keepMembership { try await leave(channel) }
    return try await ask { .unfollow(channel, $0) }
  }

  /// The existing channel that a link names.
  /// - Parameter relays: the requested relays.
  private func known(
    _ reference: ChannelReference, on network: NetworkKind, at relays: [RelayID]? = nil
  ) async throws(BatonError) -> StoredChannel? {
    guard !reference.networkID.isEmpty else { return nil }
    do {
      let name = ChannelName(network: network, networkID: reference.networkID)
      // The same name in another core means another channel, or another membership in it.
      let ids = try await storage.livingChannels(named: name, limit: Decider.namesakesMax).filter {
        directory.canReach($0, on: network)
      }
      guard !ids.isEmpty else { return nil }
      let stored = try await storage.channels(Set(ids))
      if let damage = ids.lazy.compactMap({ stored.unreadable[$0] }).first { throw damage }
      let known = ids.compactMap { stored.found[$0] }.filter {
        $0.row.isSame(reference.kind, reference.networkID, reference.trustAnchor)
      }
      guard reference.kind == .group else { return known.first }
      // Relays with the same key have separate groups, which may have the same name.
      let asked = relays ?? []
      let places = Set(asked.isEmpty ? knownRelays(of: reference, on: network).map(\.id) : asked)
      let isThere = { (channel: StoredChannel) in
        !places.isDisjoint(with: channel.relays.map(\.relay) + channel.row.readFrom)
      }
      return known.first(where: isThere) ?? (places.isEmpty && known.count == 1 ? known.first : nil)
    } catch {
      throw BatonError(reading: error)
    }
  }

  private func channel(fromLink link: String) throws(BatonError) -> (any RelayNetwork, ChannelReference) {
    for (_, network) in directory.networks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      do throws(NetworkFailure) {
        guard let reference = try network.channel(fromLink: link) else { continue }
        return (network, reference)
      } catch {
        guard error.isUnsupported else { throw .following(.invalidLink(reason: error.description)) }
        throw .post(.notSupported(network.kind, reason: error.description))
      }
    }
    guard NetworkKind.lookingLike(link) != .simplex else {
      throw unserved(.simplex)
    }
    throw .following(
      .invalidLink(
        reason:
          "on nostr a link begins with nostr:nevent1 or nostr:naddr1, and on simplex it has /c# after the host"
      ))
  }

  // MARK: - Membership of readers

  /// Joins a channel. If that cannot be stored, or the daemon ends before, the network is a member without Baton's knowledge until the same
  /// link is followed again.
  private func join(
    _ channel: ChannelReference, _ request: FollowRequest, as identity: IdentityID, on network: any RelayNetwork
  ) async throws(BatonError) -> FoundChannel {
    guard request.relays == nil else {
      throw .following(.notFollowable(reason: "on \(network.kind.rawValue) the channel decides from which relays it is read"))
    }
    guard request.join else {
      throw .following(
        .notFollowable(
          reason:
            "reading a channel on \(network.kind.rawValue) means joining it: its relays count one more reader, and the link "
            + "decides which servers are asked. Agree to that (join, or --join), even if Baton already has the channel"))
    }
    let found: FoundChannel
    do throws(NetworkFailure) { found = try await network.join(channel, as: identity) } catch {
      guard !error.isUnavailable else { throw .networkUnavailable(network.kind, reason: error.description) }
      throw .following(.notFollowable(reason: error.description))
    }
    guard found.isOwn else { return found }
    let named = ChannelReference(kind: channel.kind, networkID: found.content.networkID, trustAnchor: nil, relays: [])
    guard let known = try await known(named, on: network.kind), known.row.isOwned else {
      throw .following(
        .notFollowable(
          reason: "it belongs to the user who runs channels on \(network.kind.rawValue), and Baton did not create it"))
    }
    return found
  }

  /// Leaves a followed channel before it is forgotten.
  private func leave(_ channel: ChannelID) async throws(BatonError) {
    let row: ChannelRow?
    do {
      let stored = try await storage.channels([channel])
      if let damage = stored.unreadable[channel] { throw damage }
      row = stored.found[channel]?.row
    } catch {
      throw BatonError(reading: error)
    }
    // The decider refuses channels that cannot be left.
    guard let row, !row.isOwned, row.deletedAt == nil else { return }
    guard directory.canReach(channel, on: row.network) else { throw .elsewhere(channel) }
    guard let network = directory.networks[row.network] else {
      // Only channels that are read as a member have no relays to read from. Other channels need not be left.
      guard row.readFrom.isEmpty else { return }
      throw .networkUnavailable(
        row.network, reason: "this daemon does not serve it, so the channel cannot be left; \(Self.keeping)")
    }
    do throws(NetworkFailure) { try await network.leave(row.content) } catch {
      throw .networkUnavailable(
        row.network, reason: "the channel could not be left: \(error). Try again, or \(Self.keeping)")
    }
  }

  private static let keeping = "unfollow it and keep the membership (keepMembership, or --keep-membership)"

  /// The relays from which a channel is read.
  private func relays(
    for request: FollowRequest, _ channel: ChannelReference, on network: NetworkKind
  ) throws(BatonError) -> [RelayRow] {
    let known = directory.relays
    if let named = try directory.named(request.relays) {
      let rows = try named.map { id throws(BatonError) in
        guard let row = known[id], !row.isDeleted else { throw .noSuchRelay(id) }
        guard row.network == network else { throw .networkMismatch(id) }
        return row
      }
      if channel.kind == .group, rows.count != 1 { throw .groupNeedsOneRelay }
      return rows
    }
    let there = knownRelays(of: channel, on: network)
    // A link alone must not make Baton connect to unknown relays.
    guard !there.isEmpty else {
      throw .following(.noKnownRelay(addresses: Array(channel.relays.prefix(Self.addressesShownMax))))
    }
    return Array(there.prefix(ChannelRequest.relaysMax))
  }

  /// The maximum number of a link's addresses in the error that none of them is known.
  private static let addressesShownMax = 20

  /// The relays in a link that Baton has, by id.
  private func knownRelays(of channel: ChannelReference, on network: NetworkKind) -> [RelayRow] {
    let addresses = Set(channel.relays)
    let there = directory.relays.values.filter { !$0.isDeleted && $0.network == network && addresses.contains($0.address) }
    return there.sorted { $0.id < $1.id }
  }

  /// Reads the description of a channel from relays.
  /// - Returns: the channel, and the relays to read it from.
  private func look(
    for channel: ChannelReference, _ request: FollowRequest, as identity: IdentityID, on network: any RelayNetwork
  ) async throws(BatonError) -> (FoundChannel, [RelayID]) {
    let candidates = try relays(for: request, channel, on: network.kind)
    let (found, place) = try await look(for: channel, as: identity, at: candidates, on: network)
    // A group uses one relay, even if the link names more.
    return (found, channel.kind == .group ? [place] : candidates.map(\.id))
  }

  /// Asks all relays simultaneously, and uses the first that shows the channel.
  private func look(
    for channel: ChannelReference, as identity: IdentityID, at relays: [RelayRow], on network: any RelayNetwork
  ) async throws(BatonError) -> (FoundChannel, RelayID) {
    typealias Answer = (RelayID, Result<FoundChannel, NetworkFailure>)
    let (found, failures) = await withTaskGroup(of: Answer.self) { group in
      for relay in relays {
        group.addTask {
          do throws(NetworkFailure) {
            return (relay.id, .success(try await network.look(for: channel, as: identity, at: relay.address)))
          } catch { return (relay.id, .failure(error)) }
        }
      }
      var failures: [RelayID: NetworkFailure] = [:]
      var found: (FoundChannel, RelayID)?
      for await (relay, answer) in group {
        switch answer {
        case .success(let channel): found = found ?? (channel, relay)
        case .failure(let failure): failures[relay] = failure
        }
        if found != nil { break }
      }
      group.cancelAll()
      return (found, failures)
    }
    if let found { return found }
    let reasons = relays.compactMap { relay in
      failures[relay.id].map { "'\(relay.name)': \(Trouble(.protocol, $0.description).detail)" }
    }
    throw .following(.notFollowable(reason: "no relay shows the channel; " + reasons.joined(separator: "; ")))
  }
}

extension ChannelRow {
  /// Whether it is the channel with this name. The name of a public channel is the hash of its first event. Groups are distinguished by the
  /// keys of their relays, and if these share a key, by the relays.
  func isSame(_ kind: ChannelKind, _ networkID: String, _ trustAnchor: String?) -> Bool {
    self.kind == kind && self.networkID == networkID && (kind == .channel || self.trustAnchor == trustAnchor)
  }
}
