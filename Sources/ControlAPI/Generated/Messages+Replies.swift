// Written by `make generate` from org.batond.Messages.varlink.

/// A reply of org.batond.Messages.List.
public struct MessagesListReply: Codable, Hashable, Sendable {
  /// The messages.
  public var messages: [Message]
  /// Whether there are other messages before these.
  public var hasOlder: Bool
  /// Whether there are other messages after these.
  public var hasNewer: Bool
  /// The conversation of the requested channel, if it has one.
  public var conversation: Conversation?
  /// The revision that this reply reflects.
  public var revision: Int64

  public init(
    messages: [Message],
    hasOlder: Bool,
    hasNewer: Bool,
    conversation: Conversation? = nil,
    revision: Int64
  ) {
    self.messages = messages
    self.hasOlder = hasOlder
    self.hasNewer = hasNewer
    self.conversation = conversation
    self.revision = revision
  }
}

/// A reply that is one `Message`.
public struct MessageReply: Codable, Hashable, Sendable {
  /// The message.
  public var message: Message

  public init(
    message: Message
  ) {
    self.message = message
  }
}

/// A reply of org.batond.Messages.Search.
public struct MessagesSearchReply: Codable, Hashable, Sendable {
  /// The hits.
  public var hits: [SearchHit]
  /// Whether there are more hits.
  public var hasMore: Bool

  public init(
    hits: [SearchHit],
    hasMore: Bool
  ) {
    self.hits = hits
    self.hasMore = hasMore
  }
}

/// A reply of org.batond.Messages.Inbox.
public struct MessagesInboxReply: Codable, Hashable, Sendable {
  /// The conversations.
  public var conversations: [Conversation]
  /// Beginning of the next page, absent on the last.
  public var nextCursor: String?

  public init(
    conversations: [Conversation],
    nextCursor: String? = nil
  ) {
    self.conversations = conversations
    self.nextCursor = nextCursor
  }
}

/// A reply that is one `Conversation`.
public struct ConversationReply: Codable, Hashable, Sendable {
  /// The conversation as stored.
  public var conversation: Conversation

  public init(
    conversation: Conversation
  ) {
    self.conversation = conversation
  }
}

/// A reply of org.batond.Messages.Sync.
public struct MessagesSyncReply: Codable, Hashable, Sendable {
  /// The conversation with the freshness of each relay.
  public var conversation: Conversation
  /// Whether all relays were read.
  public var complete: Bool

  public init(
    conversation: Conversation,
    complete: Bool
  ) {
    self.conversation = conversation
    self.complete = complete
  }
}

/// A reply of org.batond.Messages.SearchRelays.
public struct MessagesSearchRelaysReply: Codable, Hashable, Sendable {
  /// Result at each relay from which Baton reads the channel, by identifier.
  public var relays: [SearchedRelay]

  public init(
    relays: [SearchedRelay]
  ) {
    self.relays = relays
  }
}

/// A reply of org.batond.Messages.Watch.
public struct MessagesWatchReply: Codable, Hashable, Sendable {
  /// Everything up to this revision was sent.
  public var revision: Int64
  /// A new or changed message. A deleted message has deletedAt. A message that is left out since this change has hidden set.
  public var message: Message?
  /// A conversation with changed numbers.
  public var conversation: Conversation?

  public init(
    revision: Int64,
    message: Message? = nil,
    conversation: Conversation? = nil
  ) {
    self.revision = revision
    self.message = message
    self.conversation = conversation
  }
}
