public import Channels

/// How many of other people's messages are kept. Baton's own posts are never dropped for a limit.
public struct MessageLimits: Hashable, Sendable {
  /// How many messages of a channel are kept, the last ones by place. Baton's own do not count.
  public var keepMax: Int
  /// How many messages of one author in one channel are kept of each minute, by the time that people are shown.
  public var perAuthorAndMinute: Int
  /// How many reactions to one message are kept.
  public var reactionsMax: Int
  /// How many requests to delete messages that have not arrived yet are kept for a channel, the latest ones. The same number of reactions
  /// to such messages is kept.
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

/// The numbers from which messages continue.
public struct MessageCounters: Hashable, Sendable {
  /// The highest id that was given out.
  public var message: Int64
  /// The newest revision of messages.
  public var revision: Int64
  /// The revision of posts up to which they exist as messages.
  public var mirrored: Int64

  public init(message: Int64 = 0, revision: Int64 = 0, mirrored: Int64 = 0) {
    self.message = message
    self.revision = revision
    self.mirrored = mirrored
  }
}

/// The result of storing something.
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

/// The questions and writes of the task that follows channels, for messages. Messages are a copy of data on relays and in the storage for
/// posts: lost ones are read again, and storing something twice does no harm.
///
/// Each method that writes is one transaction: it is stored as a whole or not at all, and survives the end of the program. No method
/// blocks the thread of its caller. All throw `StoreError`.
public protocol MessageStorage: Sendable {
  func messageCounters() async throws -> MessageCounters

  /// Begins a conversation, unless the channel has one. Earlier decisions about it apply.
  /// - Parameter since: messages that are asked for later and are older do not count as unread, unless the channel was read up to an
  ///   earlier time.
  func begin(_ channel: ChannelID, since: Timestamp) async throws

  /// Stores news of channels that have a conversation, in this order, and skips news of other channels. A message that is known gains the
  /// relay. An edit or a deletion of something unknown waits for it, within the limits, if its author is known.
  /// - Parameter now: when it arrived.
  func take(_ read: [ReadNews], at now: Timestamp, within limits: MessageLimits) async throws -> MessageReceipt

  /// Stores Baton's own posts as messages, or their changes. A message that was read under the same name is that post. Posts of channels
  /// without a conversation are left out. The message of each of these posts gets a new revision even if nothing in its row changes:
  /// clients see with it how far the post is.
  /// - Parameter revision: of posts. All posts that changed up to it are in `posts`.
  func mirror(_ posts: [MirroredPost], through revision: Int64) async throws -> MessageReceipt

  /// The names of messages of a channel that were not deleted, own ones too, and of other people's reactions, whichever relay they were
  /// read from.
  /// - Parameters:
  ///   - served: messages that are left out.
  ///   - limit: how many messages there are at most, the last ones by place, and how many reactions.
  func names(in channel: ChannelID, except served: Set<String>, limit: Int) async throws -> StoredNames

  /// Notes how relays were asked. A success clears the trouble, and a failure keeps the time of the last success.
  func note(_ syncs: [MessageSyncRow]) async throws

  /// Marks everything up to a message as read, in the order of arrival, or everything if it is `nil`. It never makes a read message unread.
  /// - Returns: the conversation, or `nil` without one.
  func markRead(_ channel: ChannelID, through message: MessageID?) async throws -> ConversationRow?

  /// Marks a message and everything that arrived after it as unread, as far as it counts.
  /// - Returns: the conversation, or `nil` without one.
  func markUnread(_ channel: ChannelID, from message: MessageID) async throws -> ConversationRow?

  /// Stores the marks of a channel. If it was truncated since, its messages from before are removed, own ones too. Those dated later are
  /// kept as deleted ones, so that they are known when they are read again.
  func mark(_ channel: ChannelID, _ marks: ConversationMarks) async throws -> MessageReceipt

  /// Leaves a conversation out of the inbox, until it gets a message that is not older, or shows it again.
  /// - Parameter at: since when, or `nil` to show it.
  /// - Returns: the conversation, or `nil` without one.
  func hide(_ channel: ChannelID, at: Timestamp?) async throws -> ConversationRow?

  /// Hides a message, or shows it again. A deleted message does not change, and a message by a muted author remains hidden.
  /// - Parameter at: since when, or `nil` to show it.
  /// - Returns: `nil` if the message does not exist.
  func hideMessage(_ message: MessageID, at: Timestamp?) async throws -> MessageReceipt?

  /// Pins a message in Baton, or unpins it. A deleted message does not change.
  /// - Parameter at: since when, or `nil` to unpin it.
  /// - Returns: `nil` if the message does not exist.
  func pinMessage(_ message: MessageID, at: Timestamp?) async throws -> MessagePinning?

  /// Mutes an author: their messages are hidden, stored ones and later ones. Or shows them again, except messages that someone hid one by
  /// one.
  /// - Parameter at: since when, or `nil` to show them.
  func mute(_ author: String, at: Timestamp?) async throws -> MessageReceipt

  /// Notes that a request to join a channel was declined. Nothing shows that request any more.
  /// - Returns: `nil` if no one with that name asks.
  func decline(_ author: String, in channel: ChannelID, at now: Timestamp) async throws -> MessageReceipt?

  /// The decision with the latest revision that was applied, or `nil` without one.
  func lastDecision() async throws -> PersonalDecision?

  /// Decisions that the store of channels does not have, at most `limit`.
  /// - Parameter isLeftOver: decisions from before it kept decisions, or that it has lost. Otherwise decisions made here since.
  func newDecisions(isLeftOver: Bool, limit: Int) async throws -> [PersonalDecision]

  /// Carries out decisions of the store of channels, in their order. A decision made here gets its revision. A decision about a message
  /// that has not arrived applies once it arrives.
  func carryOut(_ decisions: [PersonalDecision]) async throws -> MessageReceipt

  /// Notes that the store of channels was set back: all decisions are left over, unless they are carried out again.
  func forgetRevisionsOfDecisions() async throws

  /// Ends conversations and deletes all data of these channels.
  func end(_ channels: Set<ChannelID>) async throws -> MessageReceipt

  /// The channels that have a conversation, with their stored marks.
  func channelsWithConversation() async throws -> [ChannelID: ConversationMarks]
}

/// The result of pinning a message.
public enum MessagePinning: Hashable, Sendable {
  case done(MessageReceipt)
  /// The channel has as many pinned messages as allowed.
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
  /// Messages of this channel, or of all channels if `nil`.
  public var channel: ChannelID?
  /// Conditions that hold for all messages on the page, except `nil` ones.
  public var author: String?
  public var isOwn: Bool?
  public var isMention: Bool?
  public var hasAttachments: Bool?
  /// Whether messages are included that were deleted.
  public var withDeleted: Bool
  /// Whether to return only hidden messages. Otherwise only messages that are not hidden.
  public var isHidden: Bool
  /// Only messages of `channel` that are pinned in Baton.
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

/// A search for messages by their words.
public struct MessageSearch: Hashable, Sendable {
  /// Words that a message must contain, in any case and with any accents. A word that ends in `*` matches longer words too. Words between
  /// quotation marks must follow each other.
  public var text: String
  /// Messages of this channel, or of all channels if `nil`.
  public var channel: ChannelID?
  /// Whether the newest come first. Otherwise the best matches among the newest `rankedMax`.
  public var isNewestFirst: Bool
  /// How many hits to skip.
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

/// A message that contains the searched words.
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
  /// Only conversations with unread messages, without muted ones.
  public var isUnread: Bool
  /// Only hidden conversations, or only conversations that are not hidden.
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

/// A change of messages: an object in its current form.
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

/// The questions of the control plane about messages. The rules of `ControlStorage` hold.
public protocol MessageReading: Sendable {
  func message(_ id: MessageID) async throws -> StoredMessage?
  /// These messages, by id, without ids that do not exist.
  func messages(_ ids: Set<MessageID>) async throws -> [StoredMessage]
  /// A page of messages. A page of large messages may have fewer than `limit`, but has at least one if any exists. If the place is a
  /// message that does not exist, the page is empty.
  func messages(_ question: MessageQuestion) async throws -> MessagePage
  /// Hits. Where messages are large, they may be fewer than `limit`. The next page begins after as many hits as were returned.
  /// - Returns: the hits, and whether there are more.
  func messages(holding search: MessageSearch) async throws -> (hits: [MessageHit], hasMore: Bool)
  /// Conversations that have a message.
  func conversations(_ question: ConversationQuestion) async throws -> [StoredConversation]
  func conversation(of channel: ChannelID) async throws -> StoredConversation?
  /// The summaries that lists of channels show. Channels without a conversation are left out.
  func summaries(of channels: Set<ChannelID>) async throws -> [ChannelID: ConversationSummary]
  /// The summaries by which lists of channels filter and sort, without previews.
  func summaries() async throws -> [ChannelID: ConversationSummary]
  /// Messages and conversations that changed after `revision`, in the order of their latest change, without messages that were dropped for
  /// a limit.
  /// - Parameter channels: only changes of these, or of all channels if `nil`.
  /// - Returns: the objects, and the revision through which they are complete.
  func changedMessages(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (changes: [ChangedMessage], through: Int64)
  /// People who wrote stored messages, or are muted.
  func people(_ question: PeopleQuestion) async throws -> PeoplePage
  func person(_ author: String) async throws -> StoredPerson?
  /// A page of a channel's members.
  /// - Returns: `nil` if the last member of the previous page is not known any more.
  func members(_ question: MemberQuestion) async throws -> MemberPage?
  /// - Returns: `nil` if the network never named them there, and they never asked to be let in.
  func member(_ author: String, in channel: ChannelID) async throws -> StoredMember?
  /// Members that changed after `revision`, in the order of their latest change. Of people who have left a channel only the last ones are
  /// among them.
  /// - Parameter channels: only members of these, or of all channels if `nil`.
  /// - Returns: the members, and the revision through which they are complete.
  func changedMembers(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (members: [StoredMember], through: Int64)
  func messageCounters() async throws -> MessageCounters
}
