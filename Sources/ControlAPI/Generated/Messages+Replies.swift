// Written by `make generate` from org.batond.Messages.varlink.

/// A reply of org.batond.Messages.List.
public struct MessagesListReply: Codable, Hashable, Sendable {
  /// The messages.
  public var messages: [Message]
  /// Whether there are others before them.
  public var hasOlder: Bool
  /// Whether there are others after them.
  public var hasNewer: Bool
  /// The conversation, if a channel was named that has one.
  public var conversation: Conversation?
  /// The revision at which this is true.
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
  /// Whether there are others.
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
  /// Where the next page begins; absent on the last.
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
  /// What became of it at each relay from which the channel is read, by identifier.
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
  /// A message that is new or has changed; one that was deleted has deletedAt, and one that is left out from now on is hidden.
  public var message: Message?
  /// A conversation whose numbers have changed.
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
