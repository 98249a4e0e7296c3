internal import Channels
internal import RelayNetwork

// Creates a channel in the core, finds an existing channel, and puts it on more relays.
extension CoreWorker {
  /// How far the core's clock may differ, in milliseconds.
  private static let clockTolerance: Int64 = 1000
  private static let searchAgain = Duration.seconds(300)

  /// Finds the channel in the core: the user's own one with this profile or an earlier edition of it, created since it was requested, and
  /// not known as another channel. A channel that was left incomplete is deleted, because the core would not invite its relays again.
  /// - Returns: `nil` if the core does not have it.
  func search(_ channel: ChannelID, _ content: ChannelContent) async -> Result<GroupListing?, CoreFailure> {
    guard let user else { return .failure(.notSent(.noConnection("not connected"))) }
    let documents = [content.document, content.newestEdition?.document].compactMap { $0.flatMap(ChannelDocument.init(text:)) }
    let all: [CoreGroup]
    switch await groups(like: documents, of: user) {
    case .success(let list): all = list
    case .failure(let failure): return .failure(failure)
    }
    let since = documents.map(\.preparedAt).min() ?? 0
    for group in all where group.usesRelays && group.membership.role.known == .owner {
      guard documents.contains(where: { $0.isShown(by: group.profile) }), let made = Timestamp(core: group.createdAt),
        made.milliseconds >= since - Self.clockTolerance
      else { continue }
      switch await owner(of: group.name) {
      case .ours(let other) where other != channel: continue
      // While the store cannot be read, no channel is created, because it might be a second one.
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

  /// The core's groups with names or descriptions as in `documents`, by number. A list of all groups might not fit into a message.
  private func groups(like documents: [ChannelDocument], of user: CoreUser.ID) async -> Result<[CoreGroup], CoreFailure> {
    var found: [CoreGroup.ID: CoreGroup] = [:]
    var asked: Set<CoreSearchText?> = []
    searchesFailed = searchesFailed.filter { now() >= $0.value && now() - $0.value < Self.searchAgain }
    for document in documents {
      let texts = document.searchTexts
      // A list that is too long for the connection would break it again and again, for all channels.
      guard let search = (texts.isEmpty ? [nil] : texts).first(where: { searchesFailed[$0?.text ?? ""] == nil }) else {
        return .failure(
          .unreadable(tag: "groupsList", CoreShapeError(path: [], reason: "is too long, or takes too long")))
      }
      guard asked.insert(search).inserted else { continue }
      switch await ask(.groups(user, search: search)) {
      case .success(.groups(let list)): for group in list { found[group.id] = group }
      case .success(let reply): return .failure(Self.unexpected(reply))
      case .failure(let failure):
        if case .unknown = failure { searchesFailed[search?.text ?? ""] = now() }
        return .failure(failure)
      }
    }
    return .success(found.values.sorted { $0.id < $1.id })
  }

  /// Creates the channel on the relays that work. The operations of the others get the reason, and those relays join later.
  func create(_ channel: ChannelID, _ invitations: [RelayOperation], _ document: ChannelDocument) async {
    if let trouble = Self.trouble(document) {
      for operation in invitations { finish(operation, .refused(trouble)) }
      return
    }
    let (passed, isWaiting) = tested(invitations)
    if isWaiting {
      guard !passed.isEmpty else { return }
      // A slow test does not delay the channel for long: its relay joins later.
      let first = pending[channel]?.values.map(\.since).min() ?? now()
      let rest = limits.testPatience - max(now() - first, .zero)
      guard rest <= .zero else { return look(at: channel, after: rest, atMost: limits.testPatience) }
    }
    var invitations = await numbered(passed)
    while let user {
      // A relay whose operation was cancelled during the tests is not invited.
      takeArrived()
      invitations.removeAll { !isWanted($0.operation) }
      guard let relays = CoreIDList(invitations.map(\.id)) else { return }
      let profile = document.put(into: CoreGroupProfile(name: document.profile.displayName))
      switch await ask(.createChannel(user, relays: relays, profile)) {
      case .success(.channelCreated(let group, let link, let list)):
        adopt(group, link: link, for: channel)
        let listing = GroupListing(group: group, relays: list, members: [:])
        for (operation, _) in invitations { settle(operation, listing) }
        return look(at: channel)
      case .success(.channelNotCreated(let results)):
        // The core creates all or nothing: retry with the relays that could be invited.
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
        // The command may have been carried out.
        switch failure {
        case .unknown, .unreadable: doubtful[channel] = now()
        case .refused, .notSent: break
        }
        return fail(invitations.map(\.operation), failure)
      }
    }
  }

  /// Invites more relays into an existing channel.
  func add(_ operations: [RelayOperation], to channel: ChannelID, _ listing: GroupListing) async {
    var invitations = await numbered(tested(operations).passed)
    takeArrived()
    invitations.removeAll { !isWanted($0.operation) }
    guard user != nil, let relays = CoreIDList(invitations.map(\.id)) else { return }
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
    case .success(let reply):
      doubtful[channel] = now()
      fail(invitations.map(\.operation), Self.unexpected(reply))
    case .failure(let failure):
      // The command may have been carried out, or may still be under way.
      switch failure {
      case .unknown, .unreadable: doubtful[channel] = now()
      case .refused, .notSent: break
      }
      fail(invitations.map(\.operation), failure)
    }
  }

  private func blameNobody(_ operations: [RelayOperation]) {
    let trouble = Trouble(.protocol, "the core did not invite the relays and does not say which one is to blame")
    for operation in operations { finish(operation, .troubled(trouble, retryAfter: nil)) }
  }

  /// The core's status of a relay that was just invited. `new` may only mean that the core has not got to it yet.
  private func settle(_ operation: RelayOperation, _ listing: GroupListing) {
    if isWanted(operation) { pending[operation.channel]?[operation.relay]?.isInvited = true }
    let standing = listing.standing(of: operation.address)
    if case .stuck = standing { handOver(operation) } else { invited(operation, standing) }
  }

  /// The operations with the numbers of their relays in the core.
  private func numbered(_ operations: [RelayOperation]) async -> [(operation: RelayOperation, id: CoreRelay.ID)] {
    guard !operations.isEmpty else { return [] }
    let ids: [String: CoreRelay.ID]
    switch await relayIDs(of: operations.map(\.address)) {
    case .success(let found): ids = found
    case .failure(let failure):
      fail(operations, failure)
      return []
    }
    return operations.compactMap { operation in
      if let id = ids[operation.address] { return (operation, id) }
      finish(operation, .misbehaved(Trouble(.protocol, "the core does not take the relay's address into its list")))
      return nil
    }
  }
}
