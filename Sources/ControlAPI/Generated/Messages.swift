// Written by `make generate` from org.batond.Messages.varlink.

/// A file that a message shows. Its author may have written anything there; nothing was fetched.
public struct MessageAttachment: Codable, Hashable, Sendable {
  /// The http or https address; on SimpleX the name of the file.
  public var url: String
  /// The type, for example image/jpeg.
  public var mimeType: String?
  /// The size of the file in bytes.
  public var sizeBytes: Int?
  /// What the file shows, for those who cannot see it.
  public var altText: String?

  public init(
    url: String,
    mimeType: String? = nil,
    sizeBytes: Int? = nil,
    altText: String? = nil
  ) {
    self.url = url
    self.mimeType = mimeType
    self.sizeBytes = sizeBytes
    self.altText = altText
  }
}

/// How often something was said about a message without words.
public struct MessageReaction: Codable, Hashable, Sendable {
  /// The reaction, such as '+', an emoji or :shortcode:.
  public var reaction: String
  /// How many have said so.
  public var count: Int
  /// Whether one of them is the channel itself, or whoever runs it.
  public var own: Bool

  public init(
    reaction: String,
    count: Int,
    own: Bool
  ) {
    self.reaction = reaction
    self.count = count
    self.own = own
  }
}

/// The post that a message is, and how far it is.
public struct OwnPost: Codable, Hashable, Sendable {
  /// Identifier of the post, see org.batond.Posts.
  public var id: Int64
  /// The state of the post as a whole.
  public var phase: String
  /// The same in plain words, for example "Post is on 3 of 4 relays. 1 is on the way."
  public var summary: String
  /// How many relays it goes to.
  public var relayCount: Int
  /// On how many of them readers find it.
  public var shownCount: Int

  public init(
    id: Int64,
    phase: String,
    summary: String,
    relayCount: Int,
    shownCount: Int
  ) {
    self.id = id
    self.phase = phase
    self.summary = summary
    self.relayCount = relayCount
    self.shownCount = shownCount
  }
}

/// A message. Whatever others wrote may hold anything, also characters that control a terminal.
public struct Message: Codable, Hashable, Sendable {
  /// Identifier, never reused. Messages that arrive later have higher ones.
  public var id: Int64
  /// Identifier of its channel.
  public var channelId: Int64
  /// Name of its channel. A new name comes with an event of the channel, not of its messages.
  public var channelName: String
  /// The protocol that its channel lives on.
  public var network: String
  /// What the network calls it; absent for a post that has no name there yet.
  public var networkId: String?
  /// Who wrote it, in the network's notation; on Nostr a public key, whose signature was verified.
  public var author: String
  /// What the author calls itself, where that is known.
  public var authorName: String?
  /// The text; empty once it was deleted.
  public var text: String
  /// Whether Baton published it, or the same key did elsewhere.
  public var own: Bool
  /// Whether it speaks to whoever runs the channel: it names a key of theirs, as answers to posts do.
  public var mention: Bool
  /// The post that it is; absent for what others wrote, and while the post cannot be read. The message gets a new revision whenever the
  /// post has changed.
  public var post: OwnPost?
  /// The message that it answers, if that is known here.
  public var replyTo: Int?
  /// The network's name of the message that it answers.
  public var replyToNetworkId: String?
  /// The files that it shows.
  public var attachments: [MessageAttachment]
  /// The reactions to it, the most frequent first: the first 50, and own ones.
  public var reactions: [MessageReaction]
  /// The relays from which it was read, by identifier. Empty on networks that do not say.
  public var relayIds: [Int64]
  /// Its place in the order of its channel's messages, in milliseconds of Unix time; of two with one place, the one with the lower identifier
  /// comes first. It never changes.
  public var place: Int
  /// When it was written, RFC 3339 in UTC: by its author's account, but not later than it arrived.
  public var time: String
  /// When it was written by its author's own account, which may be in the future.
  public var createdAt: String
  /// When it arrived here.
  public var receivedAt: String
  /// When it was changed last, where messages can be changed.
  public var editedAt: String?
  /// When it was deleted.
  public var deletedAt: String?
  /// Whether it is left out here, because someone has hidden it with SetHidden, or muted its author with org.batond.People.SetMuted.
  public var hidden: Bool
  /// Whether it is pinned here, see SetPinned. Pins that readers see are those of org.batond.Posts.
  public var pinned: Bool
  /// Revision of its latest change. Messages and conversations have revisions of their own.
  public var revision: Int64

  public init(
    id: Int64,
    channelId: Int64,
    channelName: String,
    network: String,
    networkId: String? = nil,
    author: String,
    authorName: String? = nil,
    text: String,
    own: Bool,
    mention: Bool,
    post: OwnPost? = nil,
    replyTo: Int? = nil,
    replyToNetworkId: String? = nil,
    attachments: [MessageAttachment],
    reactions: [MessageReaction],
    relayIds: [Int64],
    place: Int,
    time: String,
    createdAt: String,
    receivedAt: String,
    editedAt: String? = nil,
    deletedAt: String? = nil,
    hidden: Bool,
    pinned: Bool,
    revision: Int64
  ) {
    self.id = id
    self.channelId = channelId
    self.channelName = channelName
    self.network = network
    self.networkId = networkId
    self.author = author
    self.authorName = authorName
    self.text = text
    self.own = own
    self.mention = mention
    self.post = post
    self.replyTo = replyTo
    self.replyToNetworkId = replyToNetworkId
    self.attachments = attachments
    self.reactions = reactions
    self.relayIds = relayIds
    self.place = place
    self.time = time
    self.createdAt = createdAt
    self.receivedAt = receivedAt
    self.editedAt = editedAt
    self.deletedAt = deletedAt
    self.hidden = hidden
    self.pinned = pinned
    self.revision = revision
  }
}

/// How fresh what is known from one relay is.
public struct Freshness: Codable, Hashable, Sendable {
  /// Identifier of the relay; 0 for the network as a whole, through which a channel of others is read where only members read.
  public var relayId: Int64
  /// When everything that the relay serves was last read; absent if it never was. What was said since arrives by itself while the relay
  /// can be reached.
  public var syncedAt: String?
  /// Why it could not be read the last time, as a stable word; absent if it could.
  public var cause: String?
  /// The same for people.
  public var detail: String?

  public init(
    relayId: Int64,
    syncedAt: String? = nil,
    cause: String? = nil,
    detail: String? = nil
  ) {
    self.relayId = relayId
    self.syncedAt = syncedAt
    self.cause = cause
    self.detail = detail
  }
}

/// What is known of a channel's messages as a whole.
public struct Conversation: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Name of the channel. A new name comes with an event of the channel.
  public var channelName: String
  /// Whether the channel is Baton's own; see org.batond.Channels.Follow.
  public var owned: Bool
  /// How many messages are unread. Own ones, and those from before Baton began to read the channel, never are.
  public var unread: Int
  /// How many of these speak to whoever runs the channel.
  public var unreadMentions: Int
  /// The identifier up to which everything was read; 0 if nothing was.
  public var readThrough: Int
  /// When the last message was written, RFC 3339 in UTC; absent if there is none.
  public var lastMessageAt: String?
  /// The beginning of its text on one line, at most 100 characters, the last of them an ellipsis if something is left out.
  public var lastMessage: String?
  /// Identifier of the last message.
  public var lastMessageId: Int64?
  /// How many people belong to the channel, as its network says; absent if it does not. See org.batond.Members.
  public var memberCount: Int?
  /// How fresh this is, by relay.
  public var relays: [Freshness]
  /// Whether its unread messages are no reason to look.
  public var muted: Bool
  /// Whether it is to be in front of others.
  public var pinned: Bool
  /// Whether it is left out of the inbox, until something new is said.
  public var hidden: Bool
  /// Messages that were written then or before are not shown any more, RFC 3339 in UTC; absent if all are shown. When it changes, messages
  /// up to there are gone: they are not sent again.
  public var truncatedAt: String?
  /// Revision of the latest change of the above. Freshness has none.
  public var revision: Int64

  public init(
    channelId: Int64,
    channelName: String,
    owned: Bool,
    unread: Int,
    unreadMentions: Int,
    readThrough: Int,
    lastMessageAt: String? = nil,
    lastMessage: String? = nil,
    lastMessageId: Int64? = nil,
    memberCount: Int? = nil,
    relays: [Freshness],
    muted: Bool,
    pinned: Bool,
    hidden: Bool,
    truncatedAt: String? = nil,
    revision: Int64
  ) {
    self.channelId = channelId
    self.channelName = channelName
    self.owned = owned
    self.unread = unread
    self.unreadMentions = unreadMentions
    self.readThrough = readThrough
    self.lastMessageAt = lastMessageAt
    self.lastMessage = lastMessage
    self.lastMessageId = lastMessageId
    self.memberCount = memberCount
    self.relays = relays
    self.muted = muted
    self.pinned = pinned
    self.hidden = hidden
    self.truncatedAt = truncatedAt
    self.revision = revision
  }
}

/// A part of a text.
public struct ExcerptPiece: Codable, Hashable, Sendable {
  /// The text.
  public var text: String
  /// Whether it is one of the words that were searched.
  public var hit: Bool

  public init(
    text: String,
    hit: Bool
  ) {
    self.text = text
    self.hit = hit
  }
}

/// A message that holds the words that were searched.
public struct SearchHit: Codable, Hashable, Sendable {
  /// The message.
  public var message: Message
  /// The part of its text around the words.
  public var excerpt: [ExcerptPiece]

  public init(
    message: Message,
    excerpt: [ExcerptPiece]
  ) {
    self.message = message
    self.excerpt = excerpt
  }
}

/// A relay that was to search.
public struct SearchedRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// Whether it was asked and has answered; it is not asked if it does not say that it searches.
  public var outcome: String
  /// Why it failed, as a stable word; absent if it did not.
  public var cause: String?
  /// The same for people.
  public var detail: String?

  public init(
    relayId: Int64,
    relayName: String,
    outcome: String,
    cause: String? = nil,
    detail: String? = nil
  ) {
    self.relayId = relayId
    self.relayName = relayName
    self.outcome = outcome
    self.cause = cause
    self.detail = detail
  }
}
