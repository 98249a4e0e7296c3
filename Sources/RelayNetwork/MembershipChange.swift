public import Channels

/// The wish that someone belong to a channel with certain roles, or not belong to it any more, or be kept from writing in it.
public struct MembershipChange: Hashable, Sendable {
  /// What is wished of someone. The words are those of the interface, and are stored.
  public enum Wish: String, Hashable, Sendable, CaseIterable {
    case member, removed
    /// What they write is kept from everyone.
    case banned
    /// It is shown again.
    case unbanned
  }
  /// In the network's notation.
  public var person: String
  public var wish: Wish
  /// What they may do, in the words of whoever keeps the channel; none for a plain member.
  public var roles: [String]
  /// Why someone is to be removed, for whoever keeps the channel; may be empty.
  public var reason: String
  /// Whether someone is let in by it who does not belong to the channel. It is not stored.
  public var letsIn: Bool

  public static let rolesMax = ReadMembers.rolesMax
  public static let roleBytesMax = ReadMembers.roleBytesMax

  public init(person: String, _ wish: Wish, roles: [String] = [], reason: String = "", letsIn: Bool = false) {
    self.person = person
    self.wish = wish
    self.roles = roles
    self.reason = reason
    self.letsIn = letsIn
  }

  /// The wish as the text of a post.
  public var text: String {
    let details = wish == .member ? roles.joined(separator: ", ") : reason
    return details.isEmpty ? wish.rawValue : "\(wish.rawValue): \(details)"
  }

  /// Reads what `text` wrote; `nil` if it is anything else.
  public init?(text: String, person: String) {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    guard let wish = parts.first.flatMap(Wish.init(rawValue:)) else { return nil }
    let details = parts.count > 1 ? parts[1] : ""
    switch wish {
    case .member: self.init(person: person, wish, roles: details.split(separator: ", ").map(String.init))
    case .removed, .banned, .unbanned: self.init(person: person, wish, reason: details)
    }
  }
}

// Networks that do not say who belongs to their channels have nothing of this.
extension RelayNetwork {
  public func composeMembership(
    _ change: MembershipChange, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not change who belongs to channels on this network yet")
  }
}
