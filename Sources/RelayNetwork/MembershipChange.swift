public import Channels

/// The wish that someone belong to a channel with certain roles, stop belonging to it, or be kept from writing in it.
public struct MembershipChange: Hashable, Sendable {
  /// The wish about a person. The raw values are the interface's words, and are stored.
  public enum Wish: String, Hashable, Sendable, CaseIterable {
    case member, removed
    /// The person's messages are kept from everyone.
    case banned
    /// The person's messages are shown again.
    case unbanned
  }
  /// In the network's notation.
  public var person: String
  public var wish: Wish
  /// The person's rights, in the words of the channel's keeper. Empty for a plain member.
  public var roles: [String]
  /// Why the person is to be removed, for the channel's keeper. It may be empty.
  public var reason: String
  /// Whether the change lets in someone who does not belong to the channel. It is not stored.
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

  /// Reads a text that `text` wrote, and returns `nil` for any other text.
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

// Networks that do not list the members of their channels implement none of this.
extension RelayNetwork {
  public func composeMembership(
    _ change: MembershipChange, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    throw .unsupported("Baton does not change who belongs to channels on this network yet")
  }
}
