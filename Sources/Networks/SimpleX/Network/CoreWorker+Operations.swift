internal import Channels
internal import RelayNetwork

// What operations on a channel become in the core.
extension CoreWorker {
  /// Answers what can be answered, and does what has to be done for the rest.
  /// - Parameter suspect: the channel's number in the core when it may have lost a relay meanwhile.
  func serve(_ channel: ChannelID, suspect: CoreGroup.ID?) async {
    guard let user else { return }
    guard let waiting = pending[channel] else {
      if let suspect, let listing = await listing(of: suspect) { tellLosses(of: channel, listing) }
      return
    }
    let operations = waiting.values.map(\.operation).sorted { $0.relay < $1.relay }
    guard let content = operations.max(by: { $0.content.edition < $1.content.edition })?.content else { return }
    guard let document = content.latestDocument else {
      for operation in operations {
        finish(operation, .misbehaved(Trouble(.protocol, "what is stored of the channel is none of SimpleX")))
      }
      return
    }
    let group: CoreGroup.ID?
    switch await find(channel, content, document, user) {
    case .success(let found): group = found
    case .failure(let failure): return fail(operations, failure)
    }
    guard let group else { return await serveUnmade(channel, operations, content, document) }
    switch await listed(group) {
    case .success(let listing):
      if suspect != nil { tellLosses(of: channel, listing) }
      await serve(channel, operations, listing, document)
    case .failure(.refused(let error)) where error.isGroupMissing:
      // Dropped by the core, or deleted in it by hand.
      forget(channel)
      await serveUnmade(channel, operations, content, document)
    case .failure(let failure): fail(operations, failure)
    }
  }

  /// The channel's number in the core; nil when it was not made yet. One that was made just before a crash is found by looking, never
  /// made a second time.
  private func find(
    _ channel: ChannelID, _ content: ChannelContent, _ document: ChannelDocument, _ user: CoreUser.ID
  ) async -> Result<CoreGroup.ID?, CoreFailure> {
    if let known = groups[channel] ?? content.group { return .success(known) }
    let all: [CoreGroup]
    switch await ask(.groups(user)) {
    case .success(.groups(let list)): all = list
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure): return .failure(failure)
    }
    let mine = all.filter { group in
      group.usesRelays && group.membership.role.known == .owner && document.isShown(by: group.profile)
        && (Timestamp(core: group.createdAt).map { $0.milliseconds >= document.preparedAt - Self.clockTolerance } ?? false)
        && owner(of: group.id).map { $0 == channel } ?? true
    }
    guard let group = mine.min(by: { $0.id < $1.id }) else { return .success(nil) }
    guard case .success(.link(_, let link)) = await ask(.link(group.id)) else {
      adopt(group, link: nil, for: channel, author: content.author)
      return .success(group.id)
    }
    adopt(group, link: link, for: channel, author: content.author)
    return .success(group.id)
  }

  /// The core may count the seconds a little differently, in milliseconds.
  private static let clockTolerance: Int64 = 1000

  /// The core does not have the channel.
  private func serveUnmade(
    _ channel: ChannelID, _ operations: [RelayOperation], _ content: ChannelContent, _ document: ChannelDocument
  ) async {
    for operation in operations {
      switch operation.task {
      case .withdraw: finish(operation, .withdrawn)
      case .verify: finish(operation, .missing)
      case .announce:
        finish(operation, .troubled(Trouble(.missing, "the chat core does not have the channel any more"), retryAfter: nil))
      case .invite: break
      }
    }
    let invitations = operations.filter { $0.task == .invite }
    guard let first = pending[channel]?.values.map(\.since).min(), !invitations.isEmpty else { return }
    let rest = limits.gatherTime - (now() - first)
    guard rest <= .zero else {
      return look(at: channel, after: rest)
    }
    await create(channel, invitations, document)
  }

  /// The core has the channel.
  private func serve(
    _ channel: ChannelID, _ operations: [RelayOperation], _ listing: GroupListing, _ document: ChannelDocument
  ) async {
    if operations.contains(where: { $0.task == .withdraw && $0.isDeletion }) {
      return await delete(channel, operations, listing)
    }
    var strangers: [RelayOperation] = []
    for operation in operations {
      let standing = listing.standing(of: operation.address)
      switch operation.task {
      case .invite:
        if standing == .absent { strangers.append(operation) } else { invited(operation, standing) }
      case .verify: verify(operation, standing, listing, document)
      case .withdraw: await withdraw(operation, standing, listing)
      case .announce: break
      }
    }
    if !strangers.isEmpty { await add(strangers, to: channel, listing) }
    let announcements = operations.filter { $0.task == .announce }
    if !announcements.isEmpty { await announce(announcements, listing, document) }
  }

  func invited(_ operation: RelayOperation, _ standing: GroupListing.Standing) {
    switch standing {
    case .absent: break
    case .stuck:
      finish(
        operation,
        .refused(
          Trouble(
            .rejected, "the core could not invite the relay and does not take it into this channel again; another relay can")))
    case .invited: handOver(operation)
    case .accepted(_, let link, _), .active(_, let link): finish(operation, .accepted(link: link))
    case .lost(_, let trouble): finish(operation, .refused(trouble))
    }
  }

  private func verify(
    _ operation: RelayOperation, _ standing: GroupListing.Standing, _ listing: GroupListing, _ document: ChannelDocument
  ) {
    switch standing {
    case .active:
      let content = operation.content
      let isShown = content.notice == nil || document.isShown(by: listing.group.profile)
      finish(operation, .verified(edition: isShown ? content.edition : max(1, content.edition - 1)))
    // The relay has taken it, and the link will name it; nobody knows when.
    case .accepted(_, _, let detail):
      guard let since = pending[operation.channel]?[operation.relay]?.since else { return }
      let rest = limits.patience - (now() - since)
      guard rest <= .zero else { return look(at: operation.channel, after: rest) }
      finish(operation, .troubled(Trouble(.timeout, detail), retryAfter: nil))
    case .absent, .stuck, .invited, .lost: finish(operation, .missing)
    }
  }

  private func withdraw(_ operation: RelayOperation, _ standing: GroupListing.Standing, _ listing: GroupListing) async {
    guard let member = standing.member, listing.members[member].map(\.isThere) ?? true else {
      return finish(operation, .withdrawn)
    }
    switch await ask(.removeMembers(listing.group.id, CoreIDList(member))) {
    case .success: finish(operation, .withdrawn)
    case .failure(let failure): fail([operation], failure)
    }
  }

  private func delete(_ channel: ChannelID, _ operations: [RelayOperation], _ listing: GroupListing) async {
    switch await ask(.deleteGroup(listing.group.id)) {
    case .success:
      forget(channel)
      for operation in operations where operation.task == .withdraw { finish(operation, .withdrawn) }
    case .failure(let failure): fail(operations.filter { $0.task == .withdraw }, failure)
    }
  }

  private func announce(_ operations: [RelayOperation], _ listing: GroupListing, _ document: ChannelDocument) async {
    if !document.isShown(by: listing.group.profile) {
      let result = await ask(.updateProfile(listing.group.id, document.put(into: listing.group.profile)))
      if case .failure(let failure) = result { return fail(operations, failure) }
    }
    for operation in operations { finish(operation, .announced) }
  }
}

extension CoreMember {
  /// Whether it still counts as one.
  var isThere: Bool {
    switch status.known {
    case .left, .removed, .deleted, .rejected: false
    default: true
    }
  }
}

extension CoreError {
  /// The core does not know the group.
  var isGroupMissing: Bool { kind == .store("groupNotFound") }
}
