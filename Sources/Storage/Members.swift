public import Channels

/// Someone who belongs to a channel, did, or asks to; or who wrote in a channel whose network knows no members.
public struct StoredMember: Hashable, Sendable {
  /// How someone stands to a channel. The words are those of the interface.
  public enum Standing: String, Hashable, Sendable, CaseIterable {
    /// The network names them among those who belong to the channel.
    case member
    /// They ask to be let in.
    case asking
    /// They belonged to it.
    case former
    /// They asked to be let in, were declined, and never belonged to it.
    case declined
    /// They wrote in it, and the network does not say who belongs to it.
    case author
  }
  public var channel: ChannelID
  /// In the network's notation.
  public var author: String
  public var standing: Standing
  /// As the network calls them.
  public var roles: [String]
  /// Whether it is a key of ours.
  public var isOwn: Bool
  /// Whether what they write is kept from everyone.
  public var isBanned: Bool
  /// What they call themselves, as far as known. Anyone may take any name.
  public var name: String?
  /// Since when their messages are hidden; `nil` if they are not.
  public var mutedAt: Timestamp?
  /// When they asked, and what they said; `nil` for others.
  public var askedAt: Timestamp?
  public var askedText: String?
  /// Their last message in the channel that is stored, and when it was written as people are shown it; `nil` if there is none.
  public var last: MessageID?
  public var lastAt: Timestamp?
  /// Revision of the latest change of their membership, in the sequence of messages; 0 for those who only wrote.
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
    /// Those with roles first, each by name.
    case role
    case name
    /// Whoever wrote last first, by the minute.
    case lastMessage
  }
  public var channel: ChannelID
  /// Only those who stand like this; members if it is `nil`, or authors where the network does not say who belongs to the channel.
  public var standing: StoredMember.Standing?
  /// Only those with this role.
  public var role: String?
  /// Only those whose name holds this, whatever the case and the accents, or whose key begins with it.
  public var text: String?
  public var order: Order
  /// Who ended the page before.
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
  /// Whether the network says who belongs to the channel; otherwise they are those who wrote in it.
  public var isListed: Bool
  /// How many belong to it, as the network says; `nil` if it does not.
  public var count: Int?
  /// When the network was last asked; `nil` if it never was.
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
