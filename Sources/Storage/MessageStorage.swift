public import Channels

/// What is kept of messages that others wrote. Posts of ours are never dropped for a limit.
public struct MessageLimits: Hashable, Sendable {
  /// How many messages of a channel are kept, those with the last places; our own do not count.
  public var keepMax: Int
  /// How many messages of one author in one channel are kept of each minute, by the time that people are shown.
  public var perAuthorAndMinute: Int
  /// How many reactions to one message are kept.
  public var reactionsMax: Int
  /// How many requests to delete messages that have not arrived yet are kept for a channel, the latest ones; and as many reactions to such
  /// messages.
  public var pendingDeletionsMax: Int

  public init(
    keepMax: Int = 10_000, perAuthorAndMinute: Int = 60, reactionsMax: Int = 1_000, pendingDeletionsMax: Int = 1_000
  ) {
    self.keepMax = keepMax
    self.perAuthorAndMinute = perAuthorAndMinute
    self.reactionsMax = reactionsMax
    self.pendingDeletionsMax = pendingDeletionsMax
  }
}

/// The numbers from which messages go on.
public struct MessageCounters: Hashable, Sendable {
  /// The highest id that was given out.
  public var message: Int64
  /// The newest revision of messages.
  public var revision: Int64
  /// The revision of posts up to which these are there as messages.
  public var mirrored: Int64

  public init(message: Int64 = 0, revision: Int64 = 0, mirrored: Int64 = 0) {
    self.message = message
    self.revision = revision
    self.mirrored = mirrored
  }
}

/// What became of something that was to be stored.
public struct MessageReceipt: Hashable, Sendable {
  /// The newest revision of messages after it.
  public var revision: Int64
  /// How many messages and reactions are new.
  public var new: Int
  /// How many were left out because of a limit.
  public var refused: Int

  public init(revision: Int64, new: Int = 0, refused: Int = 0) {
    self.revision = revision
    self.new = new
    self.refused = refused
  }
}

/// What the task that follows channels asks of the storage for messages. Messages are a copy of what relays and the storage for posts hold:
/// whatever is lost of them is read again, and storing something twice does no harm.
///
/// Each method that writes is one transaction: it is stored as a whole or not at all, and survives the end of the program. No method
/// blocks the thread of its caller. All throw `StoreError`.
public protocol MessageStorage: Sendable {
  func messageCounters() async throws -> MessageCounters

  /// Begins a conversation, if the channel has none. Earlier decisions about it apply.
  /// - Parameter since: messages that are asked for later and are older do not count as unread, unless the channel was read up to an
  ///   earlier time.
  func begin(_ channel: ChannelID, since: Timestamp) async throws

  /// Stores what was read in channels that have a conversation, in this order; what was read in others is left out. A message that is known
  /// gains the relay. An edit or a deletion of something unknown waits for it, within the limits, if its author is known.
  /// - Parameter now: when it arrived.
  func take(_ read: [ReadNews], at now: Timestamp, within limits: MessageLimits) async throws -> MessageReceipt

  /// Stores posts of ours as messages, or what has become of them. A message that was read under the same name is that post. Posts of
  /// channels without a conversation are left out. The message of each of these posts gets a new revision even if nothing in its row
  /// changes: clients see with it how far the post is.
  /// - Parameter revision: of posts, up to which these are all that have changed.
  func mirror(_ posts: [MirroredPost], through revision: Int64) async throws -> MessageReceipt

  /// The names of messages of a channel that were not deleted, own ones too, and of reactions of others, whichever relay they were read
  /// from.
  /// - Parameters:
  ///   - served: messages that are left out.
  ///   - limit: how many messages there are at most, those with the last places, and how many reactions.
  func names(in channel: ChannelID, except served: Set<String>, limit: Int) async throws -> StoredNames

  /// Notes how relays were asked. A success clears the trouble; a failure keeps the time of the last success.
  func note(_ syncs: [MessageSyncRow]) async throws

  /// Marks everything up to a message as read, in the order of arrival; everything there is if it is `nil`. What was read stays read.
  /// - Returns: the conversation; `nil` if there is none.
  func markRead(_ channel: ChannelID, through message: MessageID?) async throws -> ConversationRow?

  /// Marks a message and everything that arrived after it as unread, as far as it counts.
  /// - Returns: the conversation; `nil` if there is none.
  func markUnread(_ channel: ChannelID, from message: MessageID) async throws -> ConversationRow?

  /// Stores what was decided about a channel. If it was truncated since, its messages from before go, own ones too; those of them that are
  /// dated later stay as deleted ones, so that they are known when they are read again.
  func mark(_ channel: ChannelID, _ marks: ConversationMarks) async throws -> MessageReceipt

  /// Leaves a conversation out of the inbox, until something is said there that is not older, or shows it again.
  /// - Parameter at: since when; `nil` to show it.
  /// - Returns: the conversation; `nil` if there is none.
  func hide(_ channel: ChannelID, at: Timestamp?) async throws -> ConversationRow?

  /// Hides a message, or shows it again. One that was deleted stays as it is, and one whose author is muted stays hidden.
  /// - Parameter at: since when; `nil` to show it.
  /// - Returns: `nil` if there is no such message.
  func hideMessage(_ message: MessageID, at: Timestamp?) async throws -> MessageReceipt?

  /// Pins a message here, or takes that away. One that was deleted stays as it is.
  /// - Parameter at: since when; `nil` to take it away.
  /// - Returns: `nil` if there is no such message.
  func pinMessage(_ message: MessageID, at: Timestamp?) async throws -> MessagePinning?

  /// Mutes an author: the messages of others with that author are hidden, those that are there and those to come. Or shows them again,
  /// except those that someone has hidden one by one.
  /// - Parameter at: since when; `nil` to show them.
  func mute(_ author: String, at: Timestamp?) async throws -> MessageReceipt

  /// Takes note that someone who asked to be let into a channel is not: nothing shows their request any more.
  /// - Returns: `nil` if no one with that name asks.
  func decline(_ author: String, in channel: ChannelID, at now: Timestamp) async throws -> MessageReceipt?

  /// The decision with the latest revision that was applied; `nil` if none was.
  func lastDecision() async throws -> PersonalDecision?

  /// Decisions that the store of channels does not have, at most `limit`.
  /// - Parameter isLeftOver: those from before it kept decisions, or that it has lost. Otherwise those that were made here since.
  func newDecisions(isLeftOver: Bool, limit: Int) async throws -> [PersonalDecision]

  /// Carries out decisions of the store of channels, in their order. Those that were made here get their revision. What is decided about a
  /// message that is not there holds once it arrives.
  func carryOut(_ decisions: [PersonalDecision]) async throws -> MessageReceipt

  /// Takes note that the store of channels was set back: all decisions are left over, unless they are carried out again.
  func forgetRevisionsOfDecisions() async throws

  /// Ends conversations: everything that is known of these channels goes.
  func end(_ channels: Set<ChannelID>) async throws -> MessageReceipt

  /// The channels that have a conversation, and what is stored of the decisions about them.
  func channelsWithConversation() async throws -> [ChannelID: ConversationMarks]
}

/// What became of pinning a message.
public enum MessagePinning: Hashable, Sendable {
  case done(MessageReceipt)
  /// As many messages of the channel are pinned as can be.
  case tooMany

  /// How many messages of a channel can be pinned.
  public static let max = 100
}

/// A question for a page of messages.
public struct MessageQuestion: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    case newest
    /// The messages before this one, the last of them.
    case before(MessageID)
    /// The messages after this one, the first of them.
    case after(MessageID)
    /// Half of the page before the message and half after it, with the message itself.
    case around(MessageID)
  }
  /// Messages of this channel; of all channels if `nil`.
  public var channel: ChannelID?
  /// Conditions that hold for all messages on the page, as far as they are not `nil`.
  public var author: String?
  public var isOwn: Bool?
  public var isMention: Bool?
  public var hasAttachments: Bool?
  /// Whether messages are included that were deleted.
  public var withDeleted: Bool
  /// Whether only messages are wanted that are hidden; otherwise only others are.
  public var isHidden: Bool
  /// Only messages of `channel` that are pinned here.
  public var isPinned: Bool
  /// Only answers to this message.
  public var answersTo: MessageID?
  public var place: Place
  /// Upper bound of the messages on the page.
  public var limit: Int

  public init(
    channel: ChannelID? = nil, author: String? = nil, isOwn: Bool? = nil, isMention: Bool? = nil, hasAttachments: Bool? = nil,
    withDeleted: Bool = false, isHidden: Bool = false, isPinned: Bool = false, answersTo: MessageID? = nil,
    place: Place = .newest, limit: Int
  ) {
    self.isPinned = isPinned
    self.answersTo = answersTo
    self.channel = channel
    self.author = author
    self.isOwn = isOwn
    self.isMention = isMention
    self.hasAttachments = hasAttachments
    self.withDeleted = withDeleted
    self.isHidden = isHidden
    self.place = place
    self.limit = limit
  }
}

/// A page of messages, in the order of their places, the last one first.
public struct MessagePage: Hashable, Sendable {
  public var messages: [StoredMessage]
  /// Whether there are others before the page, and after it.
  public var hasOlder: Bool
  public var hasNewer: Bool
  /// The revision of messages at which this is true.
  public var revision: Int64

  public init(messages: [StoredMessage], hasOlder: Bool, hasNewer: Bool, revision: Int64) {
    self.messages = messages
    self.hasOlder = hasOlder
    self.hasNewer = hasNewer
    self.revision = revision
  }
}

/// A question for the messages that hold words.
public struct MessageSearch: Hashable, Sendable {
  /// Words, all of which a message holds, whatever their case and their accents. A word that ends in `*` may go on. What stands between
  /// quotation marks is next to each other.
  public var text: String
  /// Messages of this channel; of all channels if `nil`.
  public var channel: ChannelID?
  /// Whether the newest come first; otherwise those that fit best among the newest `rankedMax`.
  public var isNewestFirst: Bool
  /// How many hits are passed over.
  public var offset: Int
  public var limit: Int

  /// How many hits are compared with each other.
  public static let rankedMax = 2_000

  public init(text: String, channel: ChannelID? = nil, isNewestFirst: Bool = false, offset: Int = 0, limit: Int) {
    self.text = text
    self.channel = channel
    self.isNewestFirst = isNewestFirst
    self.offset = offset
    self.limit = limit
  }
}

/// A message that holds the words that were searched.
public struct MessageHit: Hashable, Sendable {
  /// A part of a text.
  public struct Piece: Hashable, Sendable {
    public var text: String
    /// Whether it is one of the words.
    public var isHit: Bool

    public init(text: String, isHit: Bool) {
      self.text = text
      self.isHit = isHit
    }
  }
  public var message: StoredMessage
  /// The part of the text around the words.
  public var excerpt: [Piece]

  public init(message: StoredMessage, excerpt: [Piece]) {
    self.message = message
    self.excerpt = excerpt
  }
}

/// A question for conversations, the one with the last message first.
public struct ConversationQuestion: Hashable, Sendable {
  /// Where a page ended.
  public struct Place: Hashable, Sendable {
    public var lastPosition: Int64
    public var channel: ChannelID

    public init(lastPosition: Int64, channel: ChannelID) {
      self.lastPosition = lastPosition
      self.channel = channel
    }
  }
  /// Only those with unread messages that are not muted.
  public var isUnread: Bool
  /// Only those that are hidden, or only the others.
  public var isHidden: Bool
  public var after: Place?
  public var limit: Int

  public init(isUnread: Bool = false, isHidden: Bool = false, after: Place? = nil, limit: Int) {
    self.isUnread = isUnread
    self.isHidden = isHidden
    self.after = after
    self.limit = limit
  }
}

/// A conversation with its last message.
public struct StoredConversation: Hashable, Sendable {
  public var row: ConversationRow
  public var last: StoredMessage?
  public var syncs: [MessageSyncRow]

  public init(row: ConversationRow, last: StoredMessage? = nil, syncs: [MessageSyncRow] = []) {
    self.row = row
    self.last = last
    self.syncs = syncs
  }
}

/// What has changed of messages: an object as it is now.
public enum ChangedMessage: Hashable, Sendable {
  case message(StoredMessage)
  case conversation(StoredConversation)

  public var revision: Int64 {
    switch self {
    case .message(let message): message.row.revision
    case .conversation(let conversation): conversation.row.revision
    }
  }
}

/// The questions of the control plane about messages; the rules of `ControlStorage` hold.
public protocol MessageReading: Sendable {
  func message(_ id: MessageID) async throws -> StoredMessage?
  /// These messages, by id; those that do not exist are left out.
  func messages(_ ids: Set<MessageID>) async throws -> [StoredMessage]
  /// A page of messages. A page of large messages may hold fewer than `limit`, but holds one if there is one. If the place is a message that
  /// does not exist, the page is empty.
  func messages(_ question: MessageQuestion) async throws -> MessagePage
  /// Hits. Where messages are large, they may be fewer than `limit`: the next ones are behind as many as there were.
  /// - Returns: the hits, and whether there are others.
  func messages(holding search: MessageSearch) async throws -> (hits: [MessageHit], hasMore: Bool)
  /// Conversations that have a message.
  func conversations(_ question: ConversationQuestion) async throws -> [StoredConversation]
  func conversation(of channel: ChannelID) async throws -> StoredConversation?
  /// What lists of channels show; channels without a conversation are left out.
  func summaries(of channels: Set<ChannelID>) async throws -> [ChannelID: ConversationSummary]
  /// What lists of channels filter and sort by, without previews.
  func summaries() async throws -> [ChannelID: ConversationSummary]
  /// Messages and conversations that changed after `revision`, in the order of their latest change. What was dropped for a limit is not
  /// among them.
  /// - Parameter channels: only those of these; of all channels if `nil`.
  /// - Returns: the objects, and the revision through which they are all there is.
  func changedMessages(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (changes: [ChangedMessage], through: Int64)
  /// People who wrote what is stored, or are muted.
  func people(_ question: PeopleQuestion) async throws -> PeoplePage
  func person(_ author: String) async throws -> StoredPerson?
  /// A page of those who belong to a channel.
  /// - Returns: `nil` if whoever ended the page before is not known any more.
  func members(_ question: MemberQuestion) async throws -> MemberPage?
  /// - Returns: `nil` if the network never named them there, and they never asked to be let in.
  func member(_ author: String, in channel: ChannelID) async throws -> StoredMember?
  /// Members that changed after `revision`, in the order of their latest change. Of those who have left a channel only the last ones are
  /// among them.
  /// - Parameter channels: only those of these; of all channels if `nil`.
  /// - Returns: the members, and the revision through which they are all there is.
  func changedMembers(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (members: [StoredMember], through: Int64)
  func messageCounters() async throws -> MessageCounters
}
