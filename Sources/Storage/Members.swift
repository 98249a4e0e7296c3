public import Channels

/// Someone who belongs to a channel, did, or asks to. On a network without members, someone who wrote in the channel.
public struct StoredMember: Hashable, Sendable {
  /// How someone stands to a channel. The words are the interface's.
  public enum Standing: String, Hashable, Sendable, CaseIterable {
    /// The network lists them as belonging to the channel.
    case member
    /// They ask to be let in.
    case asking
    /// They belonged to it.
    case former
    /// They asked to be let in, were declined, and never belonged to it.
    case declined
    /// They wrote in it, and the network does not list members.
    case author
  }
  public var channel: ChannelID
  /// In the network's notation.
  public var author: String
  public var standing: Standing
  /// As the network calls them.
  public var roles: [String]
  /// Whether it is a key of Baton.
  public var isOwn: Bool
  /// Whether their messages are kept from everyone.
  public var isBanned: Bool
  /// The name that they use, as far as known. Anyone may use any name.
  public var name: String?
  /// Since when their messages are hidden, or `nil` if they are not.
  public var mutedAt: Timestamp?
  /// The time and the words of their request to join. `nil` for others.
  public var askedAt: Timestamp?
  public var askedText: String?
  /// Their last stored message in the channel, and the time of it that people are shown. `nil` without messages.
  public var last: MessageID?
  public var lastAt: Timestamp?
  /// Revision of the latest change of their membership, in the sequence of messages. 0 for someone who only wrote.
  public var revision: Int64

  public init(
    channel: ChannelID, author: String, standing: Standing, roles: [String] = [], isOwn: Bool = false,
    isBanned: Bool = false, name: String? = nil, mutedAt: Timestamp? = nil, askedAt: Timestamp? = nil, askedText: String? = nil,
    last: MessageID? = nil,
    lastAt: Timestamp? = nil, revision: Int64 = 0
  ) {
    self.channel = channel
    self.author = author
    self.standing = standing
    self.roles = roles
    self.isOwn = isOwn
    self.isBanned = isBanned
    self.name = name
    self.mutedAt = mutedAt
    self.askedAt = askedAt
    self.askedText = askedText
    self.last = last
    self.lastAt = lastAt
    self.revision = revision
  }
}

/// A question for the members of a channel.
public struct MemberQuestion: Hashable, Sendable {
  public enum Order: Hashable, Sendable {
    /// Members with roles first, each group by name.
    case role
    case name
    /// The latest author first, by the minute.
    case lastMessage
  }
  public var channel: ChannelID
  /// Only people in this standing. If `nil`, members, or authors where the network does not list members.
  public var standing: StoredMember.Standing?
  /// Only members with this role.
  public var role: String?
  /// Only people whose name contains this, in any case and with any accents, or whose key begins with it.
  public var text: String?
  public var order: Order
  /// The last member of the previous page.
  public var after: String?
  public var limit: Int

  public init(
    channel: ChannelID, standing: StoredMember.Standing? = nil, role: String? = nil, text: String? = nil, order: Order = .role,
    after: String? = nil, limit: Int
  ) {
    self.channel = channel
    self.standing = standing
    self.role = role
    self.text = text
    self.order = order
    self.after = after
    self.limit = limit
  }
}

public struct MemberPage: Hashable, Sendable {
  public var members: [StoredMember]
  public var hasMore: Bool
  /// Whether the network lists the channel's members. Otherwise they are the people who wrote in it.
  public var isListed: Bool
  /// How many belong to it by the network's count, or `nil` without one.
  public var count: Int?
  /// When the network was last asked, or `nil` if it never was.
  public var readAt: Timestamp?
  /// The revision of messages at which this is true.
  public var revision: Int64

  public init(
    members: [StoredMember], hasMore: Bool = false, isListed: Bool = false, count: Int? = nil, readAt: Timestamp? = nil,
    revision: Int64 = 0
  ) {
    self.members = members
    self.hasMore = hasMore
    self.isListed = isListed
    self.count = count
    self.readAt = readAt
    self.revision = revision
  }
}
