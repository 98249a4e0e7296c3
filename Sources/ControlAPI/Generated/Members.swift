// Written by `make generate` from org.batond.Members.varlink.

/// Someone in a channel.
public struct Member: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// Who it is, in the network's notation: on Nostr a public key, on SimpleX the name that all members have for this one.
  public var author: String
  /// How they stand to the channel.
  public var standing: String
  /// What they may do, in words whose meaning is the network's. Members without any are plain members.
  public var roles: [String]
  /// Whether it is a key of Baton's.
  public var own: Bool
  /// Whether what they write is kept from everyone.
  public var banned: Bool
  /// What they call themselves, as far as that is known. Anyone may take any name, and write anything there.
  public var name: String?
  /// Whether their messages are hidden, see org.batond.People.
  public var muted: Bool
  /// When they asked to be let in, RFC 3339 in UTC; absent for others.
  public var askedAt: String?
  /// What they said when they asked, at most 500 bytes.
  public var askedText: String?
  /// When they wrote last in the channel, RFC 3339 in UTC, as far as that is stored here: by their own account, but not later than it arrived.
  public var lastMessageAt: String?
  /// That message, see org.batond.Messages. It may have been deleted.
  public var lastMessageId: Int64?
  /// The revision of the latest change of their membership, in the sequence of messages; 0 for authors.
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

/// A change of who belongs to a channel. A post carries it to the relay: org.batond.Posts has its history, tries it again and cancels it. It is
/// done when readers see it.
public struct MemberChange: Codable, Hashable, Sendable {
  /// The post.
  public var postId: Int64
  /// The channel.
  public var channelId: Int64
  /// Whom it is about, in the network's notation.
  public var author: String
  /// What is wanted.
  public var wish: String
  /// The roles that they are to have.
  public var roles: [String]
  /// How far it is: published when it is done, deleted when another change of the same person took its place.
  public var phase: String
  /// Whether nothing more happens soon: it is done, or is tried again only after a while.
  public var settled: Bool
  /// The same in a sentence.
  public var summary: String
  /// Why it is not done, see org.batond.Posts; absent where nothing is wrong.
  public var cause: String?
  /// The same in words.
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
