internal import Channels

/// How the relays of one channel stand in the core (facts on SimpleX, §3.2 and §3.3).
struct GroupListing {
  let group: CoreGroup
  let relays: [CoreGroupRelay]
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
    /// The core tried to invite it and could not, and will not take it again.
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
    // The only sign of an invitation that failed later (facts on SimpleX, §3.3).
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
  func listed(_ id: CoreGroup.ID) async -> Result<GroupListing, CoreFailure> {
    var group: CoreGroup
    let relays: [CoreGroupRelay]
    switch await ask(.relays(id)) {
    case .success(.relays(let found, let list)): (group, relays) = (found, list)
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure): return .failure(failure)
    }
    var members: [CoreMember.ID: CoreMember] = [:]
    switch await ask(.members(id)) {
    case .success(.members(let found, let list)):
      group = found
      for member in list { members[member.id] = member }
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure): return .failure(failure)
    }
    return .success(GroupListing(group: group, relays: relays, members: members))
  }

  static func unexpected(_ reply: CoreReply) -> CoreFailure {
    .unreadable(tag: "\(reply)".prefix(40).description, CoreShapeError(path: [], reason: "is no answer to what was asked"))
  }
}
