internal import Channels
internal import RelayNetwork

// Making a channel in the core, finding one that was made, and putting it on more relays (facts on SimpleX, §3.3).
extension CoreWorker {
  /// The core may count the seconds a little differently, in milliseconds.
  private static let clockTolerance: Int64 = 1000
  private static let searchAgain = Duration.seconds(300)

  /// The channel among those of the core: the user's own, with this profile or an earlier edition of it, made since it was asked for, and
  /// nobody else's. One that was left half made is deleted, since the core would not take its relays again.
  /// - Returns: nil when there is none.
  func search(_ channel: ChannelID, _ content: ChannelContent) async -> Result<GroupListing?, CoreFailure> {
    guard let user else { return .failure(.notSent(.noConnection("there is no connection"))) }
    // A list that is too long for the connection would break it again and again, for everybody.
    if let at = searchFailed, now() >= at, now() - at < Self.searchAgain {
      return .failure(.unreadable(tag: "groupsList", CoreShapeError(path: [], reason: "is too long, or takes too long")))
    }
    let all: [CoreGroup]
    switch await ask(.groups(user)) {
    case .success(.groups(let list)): all = list
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure):
      if case .unknown = failure { searchFailed = now() }
      return .failure(failure)
    }
    let documents = [content.document, content.notice?.document].compactMap { $0.flatMap(ChannelDocument.init(text:)) }
    let since = documents.map(\.preparedAt).min() ?? 0
    for group in all.sorted(by: { $0.id < $1.id }) where group.usesRelays && group.membership.role.known == .owner {
      guard documents.contains(where: { $0.isShown(by: group.profile) }), let made = Timestamp(core: group.createdAt),
        made.milliseconds >= since - Self.clockTolerance
      else { continue }
      switch owner(of: group.name) {
      case .ours(let other) where other != channel: continue
      // Better nothing than a second one.
      case .unknown: return .failure(.notSent(.tooMany))
      case .ours, .nobodys: break
      }
      switch await listed(group.id) {
      case .failure(let failure): return .failure(failure)
      case .success(let listing) where listing.isTorso:
        if case .failure(let failure) = await ask(.deleteGroup(group.id)) { return .failure(failure) }
      case .success(let listing):
        var link: CoreGroupLink?
        if case .success(.link(_, let found)) = await ask(.link(group.id)) { link = found }
        adopt(group, link: link, for: channel)
        return .success(listing)
      }
    }
    doubtful[channel] = nil
    return .success(nil)
  }

  /// Makes the channel on those relays that work. The others are told why they do not, and join later.
  func create(_ channel: ChannelID, _ invitations: [RelayOperation], _ document: ChannelDocument) async {
    var invitations = await usable(invitations)
    while let user, !invitations.isEmpty {
      guard let relays = CoreIDList(invitations.map(\.id)) else { return }
      let profile = document.put(into: CoreGroupProfile(name: document.profile.displayName))
      switch await ask(.createChannel(user, relays: relays, profile)) {
      case .success(.channelCreated(let group, let link, let list)):
        adopt(group, link: link, for: channel)
        let listing = GroupListing(group: group, relays: list, members: [:])
        for (operation, _) in invitations { settle(operation, listing) }
        return look(at: channel)
      case .success(.channelNotCreated(let results)):
        // All or nothing: once more with those that could be invited.
        let before = invitations.count
        invitations = invitations.filter { operation, id in
          guard let error = results.first(where: { $0.relay.id == id })?.error else { return true }
          finish(operation, Self.outcome(of: error, for: .invite))
          return false
        }
        if invitations.count == before { return blameNobody(invitations.map(\.operation)) }
      case .success(let reply):
        doubtful[channel] = now()
        return fail(invitations.map(\.operation), Self.unexpected(reply))
      case .failure(let failure):
        // Carried out, perhaps.
        switch failure {
        case .unknown, .unreadable: doubtful[channel] = now()
        case .refused, .notSent: break
        }
        return fail(invitations.map(\.operation), failure)
      }
    }
  }

  /// Invites more relays into a channel that is there.
  func add(_ operations: [RelayOperation], to channel: ChannelID, _ listing: GroupListing) async {
    let invitations = await usable(operations)
    guard let relays = CoreIDList(invitations.map(\.id)) else { return }
    switch await ask(.addRelays(listing.group.id, relays)) {
    case .success(.relaysAdded(let group, _, let list)):
      let listing = GroupListing(group: group, relays: list, members: [:])
      for (operation, _) in invitations { settle(operation, listing) }
    case .success(.relaysNotAdded(let results)):
      var isAnybodyBlamed = false
      for (operation, id) in invitations {
        guard let error = results.first(where: { $0.relay.id == id })?.error else { continue }
        isAnybodyBlamed = true
        finish(operation, Self.outcome(of: error, for: .invite))
      }
      if isAnybodyBlamed { look(at: channel) } else { blameNobody(invitations.map(\.operation)) }
    case .success(let reply): fail(invitations.map(\.operation), Self.unexpected(reply))
    case .failure(let failure): fail(invitations.map(\.operation), failure)
    }
  }

  private func blameNobody(_ operations: [RelayOperation]) {
    let trouble = Trouble(.protocol, "the core did not invite the relays and does not say which one is to blame")
    for operation in operations { finish(operation, .troubled(trouble, retryAfter: nil)) }
  }

  /// What the core says of a relay that was just invited. `new` may only mean that it has not come to it.
  private func settle(_ operation: RelayOperation, _ listing: GroupListing) {
    let standing = listing.standing(of: operation.address)
    if case .stuck = standing { handOver(operation) } else { invited(operation, standing) }
  }

  /// The relays that passed a test, with their numbers in the core. The others are answered.
  private func usable(_ operations: [RelayOperation]) async -> [(operation: RelayOperation, id: CoreRelay.ID)] {
    var usable: [(RelayOperation, CoreRelay.ID)] = []
    let ids: [String: CoreRelay.ID]
    switch await relayIDs(of: operations.map(\.address)) {
    case .success(let found): ids = found
    case .failure(let failure):
      fail(operations, failure)
      return []
    }
    for operation in operations {
      guard let address = try? CoreRelayAddress(operation.address), let id = ids[operation.address] else {
        finish(operation, .misbehaved(Trouble(.protocol, "the relay's address is none of SimpleX")))
        continue
      }
      switch await isUsable(address) {
      case .success(nil): usable.append((operation, id))
      case .success(let outcome?): finish(operation, outcome)
      case .failure(let failure): fail([operation], failure)
      }
    }
    return usable
  }
}
