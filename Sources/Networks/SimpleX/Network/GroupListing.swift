internal import Channels

/// How the relays of one channel stand in the core.
struct GroupListing {
  let group: CoreGroup
  let relays: [CoreGroupRelay]
  /// Those of the relays whose status does not say all.
  let members: [CoreMember.ID: CoreMember]

  /// Whether the core began to make it and did not get far: some relays were never invited, and none has taken it.
  var isTorso: Bool {
    let states = relays.map { $0.status.known }
    return states.contains(.new) && states.allSatisfy { $0 == .new || $0 == .invited }
  }

  /// How one relay stands.
  enum Standing: Hashable {
    /// The core does not have it in the channel.
    case absent
    /// The core is inviting it, or could not. It takes it again once the member is removed.
    case stuck(CoreMember.ID)
    case invited(CoreMember.ID)
    /// It took the channel; the link does not name it yet. The detail says how far it is.
    case accepted(CoreMember.ID, link: String, detail: String)
    case active(CoreMember.ID, link: String)
    /// It is over with this relay, for this reason.
    case lost(CoreMember.ID, Trouble)

    var member: CoreMember.ID? {
      switch self {
      case .absent: nil
      case .stuck(let member), .invited(let member), .accepted(let member, _, _), .active(let member, _), .lost(let member, _):
        member
      }
    }

    /// The member that stands in the way of another invitation; nil when the relay is on its way, or there is none.
    var spent: CoreMember.ID? {
      switch self {
      case .stuck(let member), .lost(let member, _): member
      case .absent, .invited, .accepted, .active: nil
      }
    }

    /// Why a relay that served the channel does not any more; nil while it does, or may.
    var loss: Trouble? {
      switch self {
      case .absent: Trouble(.missing, "the core does not have the relay in the channel any more")
      case .lost(_, let trouble): trouble
      case .stuck, .invited, .accepted, .active: nil
      }
    }
  }

  /// - Parameter address: of the relay, in any spelling.
  func standing(of address: String) -> Standing {
    guard let key = (try? SimpleXLink(address))?.comparisonKey,
      let relay = relays.last(where: { $0.relay.comparisonKey == key })
    else { return .absent }
    let member = members[relay.member]
    let status = relay.status.known
    // Its member counts as one that left, too.
    if status == .rejected { return .lost(relay.member, Trouble(.rejected, Self.rejection)) }
    switch member?.status.known {
    case .left: return .lost(relay.member, Trouble(.left, "the relay left the channel"))
    case .removed, .deleted: return .lost(relay.member, Trouble(.left, "the relay was removed from the channel in the core"))
    case .rejected: return .lost(relay.member, Trouble(.rejected, Self.rejection))
    default: break
    }
    // The only sign of an invitation that failed later.
    if case .failed(let reason)? = member?.connection, status != .active {
      return .lost(relay.member, Trouble(.unreachable, "the connection to the relay failed for good: \(reason)"))
    }
    let link = relay.link ?? member?.relayLink ?? relay.relay.address
    switch status {
    case .new: return .stuck(relay.member)
    case .invited, nil: return .invited(relay.member)
    case .accepted: return .accepted(relay.member, link: link, detail: "the relay took the channel and does not show it yet")
    case .acknowledgedRoster:
      return .accepted(
        relay.member, link: link, detail: "the relay has the channel and its members; the channel's link does not name it yet")
    case .active: return .active(relay.member, link: link)
    case .inactive: return .lost(relay.member, Trouble(.left, "the channel's link does not name the relay any more"))
    case .rejected: return .lost(relay.member, Trouble(.rejected, Self.rejection))
    }
  }

  private static let rejection = "the relay rejects the channel: it left it before, or finds fault with its members"
}

extension CoreWorker {
  /// How the relays of a channel stand. Of the members only those are looked at that say more than their relays: a list of all of them
  /// would name every subscriber, with pictures.
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
      // Gone since the list was made, and its row with it.
      case .failure(.refused(let error)) where error.tag == "groupMemberNotFound":
        relays.removeAll { $0.member == relay.member }
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success(GroupListing(group: group, relays: relays, members: members))
  }

  static func unexpected(_ reply: CoreReply) -> CoreFailure {
    .unreadable(tag: "\(reply)".prefix(40).description, CoreShapeError(path: [], reason: "is no answer to what was asked"))
  }
}

extension CoreGroupRelay {
  /// Whether only the relay as a member says how it really stands: that its connection failed for good, or that it left rather than got
  /// lost. One that the link names, or that said no, is what its status says.
  var isExplainedByMember: Bool {
    switch status.known {
    case .active, .rejected: false
    case .new, .invited, .accepted, .acknowledgedRoster, .inactive, nil: true
    }
  }
}
