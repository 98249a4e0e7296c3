public import Channels

/// The wish that somebody belong to a channel with certain roles, or not belong to it any more.
public struct MembershipChange: Hashable, Sendable {
  /// In the network's notation.
  public var person: String
  public var isMember: Bool
  /// What they may do, in the words of whoever keeps the channel; none for a plain member.
  public var roles: [String]
  /// Why somebody is to be removed, for whoever keeps the channel; may be empty.
  public var reason: String

  public static let rolesMax = ReadMembers.rolesMax
  public static let roleBytesMax = ReadMembers.roleBytesMax

  public init(person: String, isMember: Bool, roles: [String] = [], reason: String = "") {
    self.person = person
    self.isMember = isMember
    self.roles = roles
    self.reason = reason
  }

  /// The wish as the text of a post.
  public var text: String {
    guard isMember else { return reason.isEmpty ? Self.removed : "\(Self.removed): \(reason)" }
    return roles.isEmpty ? Self.member : "\(Self.member): \(roles.joined(separator: ", "))"
  }

  /// Reads what `text` wrote; `nil` if it is anything else.
  public init?(text: String, person: String) {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    switch parts.first {
    case Self.member:
      let roles = parts.count > 1 ? parts[1].split(separator: ", ").map(String.init) : []
      self.init(person: person, isMember: true, roles: roles)
    case Self.removed: self.init(person: person, isMember: false, reason: parts.count > 1 ? parts[1] : "")
    default: return nil
    }
  }

  private static let member = "member"
  private static let removed = "removed"
}

// Networks that do not say who belongs to their channels have nothing of this.
extension RelayNetwork {
  public func composeMembership(
    _ change: MembershipChange, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not change who belongs to channels on this network yet")
  }
}
