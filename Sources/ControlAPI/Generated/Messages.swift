// Written by `make generate` from org.batond.Messages.varlink.

/// A file that a message shows. All fields are the author's claims. Baton does not fetch the file.
public struct MessageAttachment: Codable, Hashable, Sendable {
  /// The http or https address, or the file's name on SimpleX.
  public var url: String
  /// Media type, for example image/jpeg.
  public var mimeType: String?
  /// Size of the file in bytes.
  public var sizeBytes: Int?
  /// Description of the file for people who cannot see it.
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

/// The number of times that people gave a message the same reaction.
public struct MessageReaction: Codable, Hashable, Sendable {
  /// The reaction, such as '+', an emoji or :shortcode:.
  public var reaction: String
  /// Number of people who gave it.
  public var count: Int
  /// Whether the channel itself, or the person who runs it, is among them.
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

/// The post behind a message, and its progress.
public struct OwnPost: Codable, Hashable, Sendable {
  /// Identifier of the post, see org.batond.Posts.
  public var id: Int64
  /// State of the post as a whole.
  public var phase: String
  /// The state in plain words, for example "Post is on 3 of 4 relays. 1 is on the way."
  public var summary: String
  /// Number of relays to which the post goes.
  public var relayCount: Int
  /// Number of these relays on which readers find the post.
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

/// A message. Text from other people may contain anything, including characters that control a terminal.
public struct Message: Codable, Hashable, Sendable {
  /// Identifier, never reused. Messages that arrive later have higher identifiers.
  public var id: Int64
  /// Identifier of the message's channel.
  public var channelId: Int64
  /// Name of the message's channel. A new name comes with an event of the channel, not of its messages.
  public var channelName: String
  /// The protocol of the channel.
  public var network: String
  /// The network's identifier for the message, absent for a post that has none yet.
  public var networkId: String?
  /// The author in the network's notation. On Nostr this is a public key, and the message's signature was verified.
  public var author: String
  /// The author's own name, if it is known.
  public var authorName: String?
  /// The text, empty after the message was deleted.
  public var text: String
  /// Whether Baton, or another program with the same key, published the message.
  public var own: Bool
  /// Whether the message mentions the person who runs the channel: it names one of their keys, as answers to posts do.
  public var mention: Bool
  /// The post behind the message, absent for other people's messages, and while the post is unreadable. When the post changes, the message
  /// gets a new revision.
  public var post: OwnPost?
  /// Identifier of the message that this one answers, if Baton has it.
  public var replyTo: Int?
  /// The network's identifier for the message that this one answers.
  public var replyToNetworkId: String?
  /// The files that the message shows.
  public var attachments: [MessageAttachment]
  /// The reactions to the message, the most frequent first: the first 50, and own reactions.
  public var reactions: [MessageReaction]
  /// Identifiers of the relays from which the message was read. Empty on networks that do not report this.
  public var relayIds: [Int64]
  /// Position in the order of the channel's messages, in milliseconds of Unix time. Of two messages at the same position, the one with the
  /// lower identifier comes first. The position never changes.
  public var place: Int
  /// Time of writing, RFC 3339 in UTC: the author's claim, but not later than the arrival.
  public var time: String
  /// Time of writing that the author claims, which may be in the future.
  public var createdAt: String
  /// Time of arrival at Baton.
  public var receivedAt: String
  /// Time of the last edit, on networks that allow edits.
  public var editedAt: String?
  /// Time of deletion.
  public var deletedAt: String?
  /// Whether Baton leaves the message out, because someone hid it with SetHidden, or muted its author with org.batond.People.SetMuted.
  public var hidden: Bool
  /// Whether the message is pinned in Baton, see SetPinned. org.batond.Posts has the pins that readers see.
  public var pinned: Bool
  /// Revision of the message's latest change. Messages and conversations have their own revisions.
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

/// Freshness of the data from one relay.
public struct Freshness: Codable, Hashable, Sendable {
  /// Identifier of the relay. 0 is the network as a whole, through which Baton reads a followed channel that only members can read.
  public var relayId: Int64
  /// Time at which Baton last read everything that the relay serves, absent if it never did. Newer messages arrive automatically while the
  /// relay can be reached.
  public var syncedAt: String?
  /// Cause of the failure of the last read, as a stable word, absent if it succeeded.
  public var cause: String?
  /// The cause in words for people.
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

/// A channel's messages as a whole.
public struct Conversation: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Name of the channel. A new name comes with an event of the channel.
  public var channelName: String
  /// Whether the channel is Baton's own, see org.batond.Channels.Follow.
  public var owned: Bool
  /// Number of unread messages. Own messages, and messages from before Baton began to read the channel, are never unread.
  public var unread: Int
  /// Number of unread messages that mention the person who runs the channel.
  public var unreadMentions: Int
  /// Identifier of the last message up to which everything was read, 0 if nothing was.
  public var readThrough: Int
  /// Time of writing of the last message, RFC 3339 in UTC, absent if there is none.
  public var lastMessageAt: String?
  /// Beginning of the last message's text on one line, at most 100 characters. The last character is an ellipsis if the text is longer.
  public var lastMessage: String?
  /// Identifier of the last message.
  public var lastMessageId: Int64?
  /// Number of people in the channel that the network reports, absent if it reports none. See org.batond.Members.
  public var memberCount: Int?
  /// Freshness of the messages from each relay.
  public var relays: [Freshness]
  /// Whether the channel is muted: its unread messages do not call for attention.
  public var muted: Bool
  /// Whether the conversation belongs in front of the others.
  public var pinned: Bool
  /// Whether the inbox leaves the conversation out, until a new message arrives.
  public var hidden: Bool
  /// Messages written at or before this time are no longer shown, RFC 3339 in UTC. Absent if all are shown. When it changes, the messages up to
  /// this time are gone, and Watch does not send them again.
  public var truncatedAt: String?
  /// Revision of the latest change of the fields above. Changes of freshness have no revision.
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
  /// Whether this part is one of the searched words.
  public var hit: Bool

  public init(
    text: String,
    hit: Bool
  ) {
    self.text = text
    self.hit = hit
  }
}

/// A message that contains the searched words.
public struct SearchHit: Codable, Hashable, Sendable {
  /// The message.
  public var message: Message
  /// The part of the text around the words.
  public var excerpt: [ExcerptPiece]

  public init(
    message: Message,
    excerpt: [ExcerptPiece]
  ) {
    self.message = message
    self.excerpt = excerpt
  }
}

/// The result of a search at one relay.
public struct SearchedRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// Whether the relay was asked and has answered. A relay that does not announce search is not asked.
  public var outcome: String
  /// Cause of the failure, as a stable word, absent if the search did not fail.
  public var cause: String?
  /// The cause in words for people.
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
