internal import Channels

/// The states of the relays of one channel in the core.
struct GroupListing {
  let group: CoreGroup
  let relays: [CoreGroupRelay]
  /// The members of relays whose status is not sufficient.
  let members: [CoreMember.ID: CoreMember]

  /// Whether the core left the channel incomplete: some relays were never invited, and none has accepted it.
  var isTorso: Bool {
    let states = relays.map { $0.status.known }
    return states.contains(.new) && states.allSatisfy { $0 == .new || $0 == .invited }
  }

  /// The state of one relay.
  enum Standing: Hashable {
    /// The core does not have the relay in the channel.
    case absent
    /// The core is inviting the relay, or could not. It can invite it again once the member is removed.
    case stuck(CoreMember.ID)
    case invited(CoreMember.ID)
    /// The relay accepted the channel, but the link does not name it yet. The detail describes the progress.
    case accepted(CoreMember.ID, link: String, detail: String)
    case active(CoreMember.ID, link: String)
    /// The relay is lost, for this reason.
    case lost(CoreMember.ID, Trouble)

    var member: CoreMember.ID? {
      switch self {
      case .absent: nil
      case .stuck(let member), .invited(let member), .accepted(let member, _, _), .active(let member, _), .lost(let member, _):
        member
      }
    }

    /// The member that prevents another invitation. `nil` if the relay is on its way, or absent.
    var spent: CoreMember.ID? {
      switch self {
      case .stuck(let member), .lost(let member, _): member
      case .absent, .invited, .accepted, .active: nil
      }
    }

    /// The reason why a relay that served the channel no longer does. `nil` while it does, or may.
    var loss: Trouble? {
      switch self {
      case .absent: Trouble(.missing, "the core does not have the relay in the channel any more")
      case .lost(_, let trouble): trouble
      case .stuck, .invited, .accepted, .active: nil
      }
    }
  }

  /// - Parameter address: the address of the relay, in any spelling.
  func standing(of address: String) -> Standing {
    guard let key = (try? SimpleXLink(address))?.comparisonKey,
      let relay = relays.last(where: { $0.relay.comparisonKey == key })
    else { return .absent }
    return standing(of: relay)
  }

  /// - Parameter relay: one of `relays`.
  func standing(of relay: CoreGroupRelay) -> Standing {
    let member = members[relay.member]
    let status = relay.status.known
    // The member of such a relay also counts as left.
    if status == .rejected { return .lost(relay.member, Trouble(.rejected, Self.rejection)) }
    switch member?.status.known {
    case .left: return .lost(relay.member, Trouble(.left, "the relay left the channel"))
    case .removed, .deleted: return .lost(relay.member, Trouble(.left, "the relay was removed from the channel in the core"))
    case .rejected: return .lost(relay.member, Trouble(.rejected, Self.rejection))
    default: break
    }
    // This is the only sign of an invitation that failed later. The member of an active relay is not here.
    if case .failed(let reason)? = member?.connection {
      return .lost(relay.member, Trouble(.unreachable, "the connection to the relay failed for good: \(reason)"))
    }
    let link = relay.link ?? member?.relayLink ?? relay.relay.address
    switch status {
    case .new: return .stuck(relay.member)
    case .invited, nil: return .invited(relay.member)
    case .accepted: return .accepted(relay.member, link: link, detail: "the relay took the channel and does not show it yet")
    case .acknowledgedRoster:
      return .accepted(
        relay.member, link: link,
        detail: "the relay has the channel and its members, but the channel's link does not name it yet")
    case .active: return .active(relay.member, link: link)
    case .inactive: return .lost(relay.member, Trouble(.left, "the channel's link does not name the relay any more"))
    case .rejected: return .lost(relay.member, Trouble(.rejected, Self.rejection))
    }
  }

  private static let rejection = "the relay rejects the channel: it left it before, or does not accept its members"
}

extension CoreWorker {
  /// Reads the states of the relays of a channel. Members are read only if they are needed besides their relays: a list of all members
  /// would contain every subscriber, with pictures.
  func listed(_ id: CoreGroup.ID) async -> Result<GroupListing, CoreFailure> {
    let group: CoreGroup
    var relays: [CoreGroupRelay]
    switch await ask(.relays(id)) {
    case .success(.relays(let found, let list)): (group, relays) = (found, list)
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure): return .failure(failure)
    }
    var members: [CoreMember.ID: CoreMember] = [:]
    for relay in relays where relay.isExplainedByMember {
      switch await ask(.member(id, relay.member)) {
      case .success(.member(_, let member)): members[member.id] = member
      case .success(let reply): return .failure(Self.unexpected(reply))
      // The member is gone since the list was read, and its row with it.
      case .failure(.refused(let error)) where error.tag == "groupMemberNotFound":
        relays.removeAll { $0.member == relay.member }
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(GroupListing(group: group, relays: relays, members: members))
  }

  static func unexpected(_ reply: CoreReply) -> CoreFailure {
    .unreadable(tag: "\(reply)".prefix(40).description, CoreShapeError(path: [], reason: "is not an answer to the command"))
  }
}

extension CoreGroupRelay {
  /// Whether only the member shows the real state of a relay: that its connection failed for good, or that it left and was not lost. For a
  /// relay that the link names, or that rejected the channel, the status is sufficient.
  var isExplainedByMember: Bool {
    switch status.known {
    case .active, .rejected: false
    case .new, .invited, .accepted, .acknowledgedRoster, .inactive, nil: true
    }
  }
}
