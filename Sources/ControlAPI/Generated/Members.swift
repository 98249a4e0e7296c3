// Written by `make generate` from org.batond.Members.varlink.

/// Someone in a channel.
public struct Member: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person in the network's notation: on Nostr a public key, on SimpleX the name that all members use for this person.
  public var author: String
  /// The person's standing in the channel.
  public var standing: String
  /// Roles, whose meaning depends on the network. Empty for plain members.
  public var roles: [String]
  /// Whether Baton has the key.
  public var own: Bool
  /// Whether the network hides their messages from everyone.
  public var banned: Bool
  /// The name that they chose, absent if unknown. Anyone may choose any name.
  public var name: String?
  /// Whether their messages are hidden, see org.batond.People.
  public var muted: Bool
  /// Time of the request to be let in, RFC 3339 in UTC. Absent for people who have not asked.
  public var askedAt: String?
  /// Text of the request, at most 500 bytes.
  public var askedText: String?
  /// Date of their latest stored message in the channel, RFC 3339 in UTC: the author's date, at most the time of arrival.
  public var lastMessageAt: String?
  /// Identifier of that message, see org.batond.Messages. The message may have been deleted.
  public var lastMessageId: Int64?
  /// Revision of the latest change of their membership, in the sequence of messages. 0 for authors.
  public var revision: Int64

  public init(
    channelId: Int64,
    author: String,
    standing: String,
    roles: [String],
    own: Bool,
    banned: Bool,
    name: String? = nil,
    muted: Bool,
    askedAt: String? = nil,
    askedText: String? = nil,
    lastMessageAt: String? = nil,
    lastMessageId: Int64? = nil,
    revision: Int64
  ) {
    self.channelId = channelId
    self.author = author
    self.standing = standing
    self.roles = roles
    self.own = own
    self.banned = banned
    self.name = name
    self.muted = muted
    self.askedAt = askedAt
    self.askedText = askedText
    self.lastMessageAt = lastMessageAt
    self.lastMessageId = lastMessageId
    self.revision = revision
  }
}

/// A change of the members of a channel. A post carries it to the relay: org.batond.Posts has its history, and retries or cancels it. The
/// change is done when readers see it.
public struct MemberChange: Codable, Hashable, Sendable {
  /// The post.
  public var postId: Int64
  /// The channel.
  public var channelId: Int64
  /// The person in the network's notation.
  public var author: String
  /// The wanted standing.
  public var wish: String
  /// The wanted roles.
  public var roles: [String]
  /// Its progress: published when it is done, deleted when another change of the same person replaced it.
  public var phase: String
  /// Whether nothing more happens soon: the change is done, or Baton retries it only after a while.
  public var settled: Bool
  /// The progress in a sentence.
  public var summary: String
  /// The reason why it is not done, as a stable word, see org.batond.Posts. Absent if nothing is wrong.
  public var cause: String?
  /// The reason, as text for people.
  public var detail: String?

  public init(
    postId: Int64,
    channelId: Int64,
    author: String,
    wish: String,
    roles: [String],
    phase: String,
    settled: Bool,
    summary: String,
    cause: String? = nil,
    detail: String? = nil
  ) {
    self.postId = postId
    self.channelId = channelId
    self.author = author
    self.wish = wish
    self.roles = roles
    self.phase = phase
    self.settled = settled
    self.summary = summary
    self.cause = cause
    self.detail = detail
  }
}
