internal import Channels
internal import RelayNetwork

// Carries out operations on a channel in the core.
extension CoreWorker {
  /// Answers the operations that can be answered, and does the work that the others need.
  /// - Parameter suspect: where the channel is in the core, if it may have lost a relay.
  func serve(_ channel: ChannelID, suspect: Place?) async {
    expire(channel)
    guard user != nil else { return }
    guard let waiting = pending[channel] else {
      if let suspect { await lookForNews(channel, at: suspect) }
      return
    }
    let operations = waiting.values.map(\.operation).sorted { $0.relay < $1.relay }
    guard let content = operations.max(by: { $0.content.edition < $1.content.edition })?.content else { return }
    guard let document = content.latestDocument else {
      for operation in operations {
        finish(operation, .misbehaved(Trouble(.protocol, "the stored channel is not for SimpleX")))
      }
      return
    }
    guard let place = place(of: channel, content) else {
      return await serveUnmade(channel, operations, content, document)
    }
    // A failed commit may have lost the channel's number.
    if let bound = bound[channel], content.networkID != bound.name {
      report(.named(channel: channel, networkID: bound.name, trustAnchor: bound.link))
    }
    switch await listed(place.group) {
    case .success(let listing) where listing.group.isCalled(place.name):
      if suspect != nil { await tellNews(of: channel, at: place, listing) }
      await serve(channel, operations, listing, document)
    case .success:
      // The core has given the number to another channel, which must not be touched.
      await serveLost(channel, at: place, operations, content, document)
    case .failure(.refused(let error)) where error.isGroupMissing:
      await serveLost(channel, at: place, operations, content, document)
    case .failure(let failure):
      if suspect != nil { keepNews(of: channel, at: place) }
      fail(operations, failure)
    }
  }

  func place(of channel: ChannelID, _ content: ChannelContent) -> Place? {
    bound[channel]?.place ?? content.group.map { Place(name: content.networkID, group: $0) }
  }

  /// Drops operations that have waited longer than the coordinator waits for them.
  private func expire(_ channel: ChannelID) {
    for operation in pending[channel]?.values.map({ $0 }) ?? [] where now() - operation.since > limits.pendingMax {
      drop(channel, operation.operation.relay)
    }
  }

  /// Handles a channel that the core no longer has, because it dropped it or someone deleted it there.
  private func serveLost(
    _ channel: ChannelID, at place: Place, _ operations: [RelayOperation], _ content: ChannelContent,
    _ document: ChannelDocument
  ) async {
    // The operations wait with the news: once the channel is created again it has another name, and the old one means nothing any more.
    guard await tellNews(of: channel, at: place, nil) else { return }
    forget(channel)
    // A channel that is gone need not be withdrawn.
    for operation in operations where operation.task == .withdraw { finish(operation, .withdrawn) }
    // It may have been created again already, by an earlier run whose answer was lost.
    if doubtful[channel] == nil { doubtful[channel] = upSince }
    await serveUnmade(channel, operations.filter { $0.task != .withdraw }, content, document)
  }

  /// Handles operations on a channel that the core does not have.
  private func serveUnmade(
    _ channel: ChannelID, _ operations: [RelayOperation], _ content: ChannelContent, _ document: ChannelDocument
  ) async {
    for operation in operations {
      switch operation.task {
      case .verify, .announce: finish(operation, .missing)
      case .invite, .withdraw: break
      }
    }
    let invitations = operations.filter { $0.task == .invite }
    if !invitations.isEmpty, let first = pending[channel]?.values.map(\.since).min() {
      let rest = limits.gatherTime - max(now() - first, .zero)
      if rest > .zero { return look(at: channel, after: rest, atMost: limits.gatherTime) }
    }
    let withdrawals = operations.filter { $0.task == .withdraw }
    guard !invitations.isEmpty || !withdrawals.isEmpty else { return }
    let isNew = around.isNew(content.networkID) && doubtful[channel] == nil
    if !isNew {
      // The core may still be carrying out an earlier command.
      let rest = limits.doubtTime - max(now() - (doubtful[channel] ?? upSince), .zero)
      if rest > .zero { return look(at: channel, after: rest, atMost: limits.doubtTime) }
      switch await search(channel, content) {
      case .success(let listing?): return await serve(channel, operations, listing, document)
      case .success(nil): break
      case .failure(let failure): return fail(operations, failure)
      }
    }
    for operation in withdrawals { finish(operation, .withdrawn) }
    if !invitations.isEmpty { await create(channel, invitations, document) }
  }

  /// Handles operations on a channel that the core has.
  private func serve(
    _ channel: ChannelID, _ operations: [RelayOperation], _ listing: GroupListing, _ document: ChannelDocument
  ) async {
    if operations.contains(where: { $0.task == .withdraw && $0.isDeletion }) {
      return await delete(channel, operations, listing)
    }
    var strangers: [RelayOperation] = []
    var spent: [(RelayOperation, CoreMember.ID)] = []
    for operation in operations {
      let standing = listing.standing(of: operation.address)
      switch operation.task {
      case .invite:
        let isAnswer = pending[channel]?[operation.relay]?.isInvited == true
        if standing == .absent {
          strangers.append(operation)
        } else if !isAnswer, let member = standing.spent {
          if isOver(standing, in: channel) { spent.append((operation, member)) }
        } else {
          invited(operation, standing)
        }
      case .verify: verify(operation, standing, listing, document)
      case .withdraw: await withdraw(operation, standing, listing)
      case .announce: break
      }
    }
    for (operation, member) in spent {
      if await takeBack(operation, member, listing.group.id) { strangers.append(operation) }
    }
    if !strangers.isEmpty { await add(strangers, to: channel, listing) }
    let announcements = operations.filter { $0.task == .announce }
    if !announcements.isEmpty { await announce(announcements, listing, document) }
  }

  /// Whether an earlier invitation can no longer succeed. The core may still be working on an invitation whose answer was lost. Then the
  /// channel is looked at again later.
  private func isOver(_ standing: GroupListing.Standing, in channel: ChannelID) -> Bool {
    guard case .stuck = standing else { return true }
    let rest = limits.doubtTime - max(now() - (doubtful[channel] ?? upSince), .zero)
    guard rest > .zero else { return true }
    look(at: channel, after: rest, atMost: limits.doubtTime)
    return false
  }

  /// Removes a relay whose earlier invitation failed, or that left or rejected the channel. This makes the core forget it, so that it can
  /// be invited again.
  /// - Returns: whether it may be invited again.
  private func takeBack(_ operation: RelayOperation, _ member: CoreMember.ID, _ group: CoreGroup.ID) async -> Bool {
    guard isWanted(operation) else { return false }
    switch await ask(.removeMembers(group, CoreIDList(member))) {
    case .success: return true
    case .failure(.refused(let error)) where error.tag == "groupMemberNotFound": return true
    case .failure(let failure):
      fail([operation], failure)
      return false
    }
  }

  func invited(_ operation: RelayOperation, _ standing: GroupListing.Standing) {
    switch standing {
    case .absent: break
    // It was invited a moment ago, and the core may not have recorded that yet.
    case .stuck, .invited: handOver(operation)
    case .accepted(_, let link, _), .active(_, let link): finish(operation, .accepted(link: link))
    case .lost(_, let trouble): finish(operation, .refused(trouble))
    }
  }

  private func verify(
    _ operation: RelayOperation, _ standing: GroupListing.Standing, _ listing: GroupListing, _ document: ChannelDocument
  ) {
    switch standing {
    case .active:
      // The core never finds out that a relay is dead. Tests show it.
      if let key = (try? SimpleXLink(operation.address))?.comparisonKey, let failure = failing[key], failure.count > 1 {
        return finish(operation, .troubled(Trouble(.unreachable, failure.trouble.detail), retryAfter: nil))
      }
      let content = operation.content
      let isShown = content.newestEdition == nil || document.isShown(by: listing.group.profile)
      finish(operation, .verified(edition: isShown ? content.edition : max(1, content.edition - 1)))
    // The relay has accepted the channel, and the link will name it at some unknown time.
    case .accepted(_, _, let detail):
      guard let since = pending[operation.channel]?[operation.relay]?.since else { return }
      let rest = limits.patience - max(now() - since, .zero)
      guard rest <= .zero else { return look(at: operation.channel, after: rest, atMost: limits.patience) }
      finish(operation, .troubled(Trouble(.timeout, detail), retryAfter: nil))
    case .absent, .stuck, .invited, .lost: finish(operation, .missing)
    }
  }

  private func withdraw(_ operation: RelayOperation, _ standing: GroupListing.Standing, _ listing: GroupListing) async {
    if let member = standing.member, listing.members[member].map(\.isThere) ?? true,
      case .failure(let failure) = await ask(.removeMembers(listing.group.id, CoreIDList(member)))
    {
      return fail([operation], failure)
    }
    // The core may still invite the relay, by a command whose answer was lost. It is looked at again when that is over.
    if let since = doubtful[operation.channel] {
      let rest = limits.doubtTime - max(now() - since, .zero)
      if rest > .zero { return look(at: operation.channel, after: rest, atMost: limits.doubtTime) }
    }
    finish(operation, .withdrawn)
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
      if let trouble = Self.trouble(document) {
        for operation in operations { finish(operation, .refused(trouble)) }
        return
      }
      let result = await ask(.updateProfile(listing.group.id, document.put(into: listing.group.profile)))
      if case .failure(let failure) = result { return fail(operations, failure) }
    }
    for operation in operations { finish(operation, .announced) }
  }
}

extension CoreMember {
  /// Whether the member is still in the channel.
  var isThere: Bool {
    switch status.known {
    case .left, .removed, .deleted, .rejected: false
    default: true
    }
  }
}

extension CoreError {
  /// Whether the core does not have the group.
  var isGroupMissing: Bool { kind == .store("groupNotFound") }
}
