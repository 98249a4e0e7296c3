public import Channels

/// A message as stored: someone else's message, or a post of Baton.
public struct MessageRow: Hashable, Sendable {
  /// Grows in the order of arrival.
  public var id: MessageID
  public var channel: ChannelID
  /// The network's name of it. `nil` for a post of Baton that has no name there yet.
  public var networkID: String?
  public var author: String
  public var authorName: String?
  /// Empty once the message was deleted.
  public var text: String
  /// When it was written, by the author's own account.
  public var createdAt: Timestamp
  /// When it arrived here.
  public var receivedAt: Timestamp
  /// Its place among the messages of its channel, in milliseconds of Unix time. Of two messages with one place the message with the lower
  /// id comes first. A message that arrived live has the time of its arrival. A message that was read back has the time at which it was
  /// written, but never a time in the future.
  public var position: Int64
  /// The network's name of the message that it answers.
  public var replyTo: String?
  public var attachments: [ReadAttachment]
  /// The people who hear of answers to it, as far as it names them.
  public var participants: [String]
  public var isMention: Bool
  public var isOwn: Bool
  /// The post of Baton that it represents.
  public var post: PostID?
  /// Whether it counts as unread as long as its conversation was not read up to it.
  public var counts: Bool
  public var editedAt: Timestamp?
  public var deletedAt: Timestamp?
  /// Whether lists in Baton leave it out: someone has hidden it, or muted its author. False for a deleted message.
  public var isHidden: Bool
  /// Since when it is pinned in Baton, or `nil` if it is not.
  public var pinnedAt: Timestamp?
  /// Revision of its latest change, in the sequence of messages.
  public var revision: Int64

  public init(
    id: MessageID, channel: ChannelID, networkID: String?, author: String, authorName: String? = nil, text: String,
    createdAt: Timestamp, receivedAt: Timestamp, position: Int64, replyTo: String? = nil, attachments: [ReadAttachment] = [],
    participants: [String] = [], isMention: Bool = false, isOwn: Bool = false, post: PostID? = nil, counts: Bool = false,
    editedAt: Timestamp? = nil,
    deletedAt: Timestamp? = nil, isHidden: Bool = false, pinnedAt: Timestamp? = nil, revision: Int64
  ) {
    self.id = id
    self.channel = channel
    self.networkID = networkID
    self.author = author
    self.authorName = authorName
    self.text = text
    self.createdAt = createdAt
    self.receivedAt = receivedAt
    self.position = position
    self.replyTo = replyTo
    self.attachments = attachments
    self.participants = participants
    self.isMention = isMention
    self.isOwn = isOwn
    self.post = post
    self.counts = counts
    self.editedAt = editedAt
    self.deletedAt = deletedAt
    self.isHidden = isHidden
    self.pinnedAt = pinnedAt
    self.revision = revision
  }

  /// The time that people are shown. A date in the future does not count.
  public var shownAt: Timestamp { min(createdAt, receivedAt) }
}

/// A message with its relays, reactions and answered message.
public struct StoredMessage: Hashable, Sendable {
  /// A reaction to a message, with the number of people who sent it.
  public struct Reaction: Hashable, Sendable {
    public var text: String
    public var count: Int
    /// Whether one of them is Baton's.
    public var isOwn: Bool

    public init(text: String, count: Int, isOwn: Bool) {
      self.text = text
      self.count = count
      self.isOwn = isOwn
    }
  }
  public var row: MessageRow
  /// The relays from which it was read, by id.
  public var relays: [RelayID]
  /// The reactions to it, the most frequent first and then by text.
  public var reactions: [Reaction]
  /// The message of the channel that it answers, if it is stored.
  public var answers: MessageID?

  public init(row: MessageRow, relays: [RelayID] = [], reactions: [Reaction] = [], answers: MessageID? = nil) {
    self.row = row
    self.relays = relays
    self.reactions = reactions
    self.answers = answers
  }
}

/// Decisions about a channel, as far as they affect its messages. They are a copy of the channel's marks.
public struct ConversationMarks: Hashable, Sendable {
  /// Whether its unread messages need no attention.
  public var isMuted: Bool
  /// Whether lists put it in front.
  public var isPinned: Bool
  /// Messages that were written at that time or before are not stored any more.
  public var truncatedAt: Timestamp?
  /// How many of other people's messages are kept. `nil` for the setting for all channels.
  public var keep: Int?

  public init(isMuted: Bool = false, isPinned: Bool = false, truncatedAt: Timestamp? = nil, keep: Int? = nil) {
    self.keep = keep
    self.isMuted = isMuted
    self.isPinned = isPinned
    self.truncatedAt = truncatedAt
  }

  public init(_ marks: ChannelMarks) {
    self.init(isMuted: marks.isMuted, isPinned: marks.isPinned, truncatedAt: marks.truncatedAt, keep: marks.following.keep)
  }
}

/// The part of a conversation that lists of channels show.
public struct ConversationSummary: Hashable, Sendable {
  public var unread: Int
  public var unreadMentions: Int
  public var isHidden: Bool
  /// When the last message was written, as people are shown it, or `nil` without messages.
  public var lastAt: Timestamp?
  /// The beginning of its text.
  public var preview: String?
  /// How many people belong to the channel by its network's count, or `nil` without one.
  public var memberCount: Int?

  public init(
    unread: Int, unreadMentions: Int, isHidden: Bool, lastAt: Timestamp?, preview: String?, memberCount: Int? = nil
  ) {
    self.unread = unread
    self.unreadMentions = unreadMentions
    self.isHidden = isHidden
    self.lastAt = lastAt
    self.preview = preview
    self.memberCount = memberCount
  }
}

/// The conversation of a channel as a whole.
public struct ConversationRow: Hashable, Sendable {
  public var channel: ChannelID
  /// Since when its messages are read. Messages that were asked for and are older do not count as unread.
  public var since: Timestamp
  /// Everything up to this message was read. Later messages are unread if they count.
  public var readThrough: MessageID
  /// How many messages are unread, and how many of these are mentions.
  public var unread: Int
  public var unreadMentions: Int
  /// The message with the last place that was not deleted, or `nil` without one.
  public var last: MessageID?
  /// The place of that message.
  public var lastPosition: Int64?
  /// When that message was written, as people are shown it.
  public var lastAt: Timestamp?
  /// How many people belong to the channel by its network's count, or `nil` without one.
  public var memberCount: Int?
  /// Whether it is left out of the inbox, until it gets a new message.
  public var isHidden: Bool
  /// The marks of its channel.
  public var marks: ConversationMarks
  /// Revision of the latest change of these numbers, in the sequence of messages.
  public var revision: Int64

  public init(
    channel: ChannelID, since: Timestamp, readThrough: MessageID = MessageID(rawValue: 0), unread: Int = 0,
    unreadMentions: Int = 0, last: MessageID? = nil, lastPosition: Int64? = nil, lastAt: Timestamp? = nil,
    memberCount: Int? = nil, isHidden: Bool = false,
    marks: ConversationMarks = ConversationMarks(), revision: Int64
  ) {
    self.channel = channel
    self.since = since
    self.readThrough = readThrough
    self.unread = unread
    self.unreadMentions = unreadMentions
    self.last = last
    self.lastPosition = lastPosition
    self.lastAt = lastAt
    self.memberCount = memberCount
    self.isHidden = isHidden
    self.marks = marks
    self.revision = revision
  }
}

/// How fresh the messages of a channel from one relay are.
public struct MessageSyncRow: Hashable, Sendable {
  public var channel: ChannelID
  public var relay: RelayID
  /// When the relay was last asked for everything, and all of it was stored. `nil` if that has not succeeded yet.
  public var completeAt: Timestamp?
  /// When it was last asked.
  public var askedAt: Timestamp
  /// Why it failed the last time, or `nil` if it did not.
  public var trouble: Trouble?

  public init(channel: ChannelID, relay: RelayID, completeAt: Timestamp?, askedAt: Timestamp, trouble: Trouble? = nil) {
    self.channel = channel
    self.relay = relay
    self.completeAt = completeAt
    self.askedAt = askedAt
    self.trouble = trouble
  }
}

/// News that was read, and its source.
public struct ReadNews: Hashable, Sendable {
  /// `nil` if the network does not tell.
  public var relay: RelayID?
  public var news: MessageNews

  public init(relay: RelayID?, news: MessageNews) {
    self.relay = relay
    self.news = news
  }
}

/// A post of Baton as a message.
public struct MirroredPost: Hashable, Sendable {
  public var post: PostID
  public var channel: ChannelID
  /// `nil` until it has one.
  public var networkID: String?
  public var author: String
  public var text: String
  public var createdAt: Timestamp
  /// The network's name of the post that it answers.
  public var replyTo: String?
  /// When its deletion was requested, or the channel's retention removed its text.
  public var deletedAt: Timestamp?
  /// The post to which it is a reaction, by the network's name. `nil` for any other post.
  public var reactionTo: String?
  /// Someone else's message that it has removed, by the network's name. Readers do not find it any more.
  public var removed: String?

  public init(
    post: PostID, channel: ChannelID, networkID: String?, author: String, text: String, createdAt: Timestamp,
    replyTo: String? = nil, deletedAt: Timestamp? = nil, reactionTo: String? = nil,
    removed: String? = nil
  ) {
    self.post = post
    self.channel = channel
    self.networkID = networkID
    self.author = author
    self.text = text
    self.createdAt = createdAt
    self.replyTo = replyTo
    self.deletedAt = deletedAt
    self.reactionTo = reactionTo
    self.removed = removed
  }
}
