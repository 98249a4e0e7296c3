internal import Channels
internal import RelayNetwork

// Making a channel in the core, and putting it on more relays (facts on SimpleX, §3.3).
extension CoreWorker {
  /// Makes the channel on those relays that work. The others are told why they do not, and join later.
  func create(_ channel: ChannelID, _ invitations: [RelayOperation], _ document: ChannelDocument) async {
    var invitations = await usable(invitations)
    while let user, !invitations.isEmpty {
      guard let relays = CoreIDList(invitations.map(\.id)) else { return }
      let profile = document.put(into: CoreGroupProfile(name: document.profile.displayName))
      switch await ask(.createChannel(user, relays: relays, profile)) {
      case .success(.channelCreated(let group, let link, let list)):
        adopt(group, link: link, for: channel, author: "")
        let listing = GroupListing(group: group, relays: list, members: [:])
        for (operation, _) in invitations { settle(operation, listing) }
        return look(at: channel)
      case .success(.channelNotCreated(let results)):
        // All or nothing: once more with those that could be invited.
        let before = invitations.count
        invitations = invitations.filter { operation, id in
          guard let error = results.first(where: { $0.relay.id == id })?.error else { return true }
          finish(operation, outcome(of: .refused(error)) ?? .troubled(error.trouble, retryAfter: nil))
          return false
        }
        if invitations.count == before {
          let trouble = Trouble(.protocol, "the core made no channel and does not say which relay is to blame")
          for (operation, _) in invitations { finish(operation, .troubled(trouble, retryAfter: nil)) }
          return
        }
      case .success(let reply): return fail(invitations.map(\.operation), Self.unexpected(reply))
      case .failure(let failure): return fail(invitations.map(\.operation), failure)
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
      for (operation, id) in invitations {
        guard let error = results.first(where: { $0.relay.id == id })?.error else { continue }
        finish(operation, outcome(of: .refused(error)) ?? .troubled(error.trouble, retryAfter: nil))
      }
      look(at: channel)
    case .success(let reply): fail(invitations.map(\.operation), Self.unexpected(reply))
    case .failure(let failure): fail(invitations.map(\.operation), failure)
    }
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
      case .success(let trouble?): finish(operation, trouble)
      case .failure(let failure): fail([operation], failure)
      }
    }
    return usable
  }
}
