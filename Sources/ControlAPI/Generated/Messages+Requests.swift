// Written by `make generate` from org.batond.Messages.varlink.

/// Parameters of org.batond.Messages.List.
public struct MessagesListRequest: Codable, Hashable, Sendable {
  /// Only messages of this channel.
  public var channelId: Int64?
  /// Only messages of this author, in the network's notation.
  public var author: String?
  /// Only own messages, or only other people's.
  public var own: Bool?
  /// Only messages that mention the person who runs the channel, or only other messages.
  public var mention: Bool?
  /// Only messages with files, or only messages without.
  public var attachments: Bool?
  /// Whether deleted messages are included, false when absent.
  public var deleted: Bool?
  /// Whether the page has only hidden messages, or only messages that are not hidden. False when absent.
  public var hidden: Bool?
  /// Whether the page has only messages that are pinned in Baton, which requires channelId. False when absent.
  public var pinned: Bool?
  /// Only answers to this message, by identifier.
  public var answersTo: Int?
  /// The last messages before this one. Only one of before, after and around can be given.
  public var before: Int?
  /// The first messages after this one.
  public var after: Int?
  /// Messages on both sides of this one, and the message itself.
  public var around: Int?
  /// Maximum number of messages on the page, 1 to 100, 25 when absent. A page of large messages may have fewer. Only hasOlder and hasNewer show
  /// whether there are more.
  public var limit: Int?

  public init(
    channelId: Int64? = nil,
    author: String? = nil,
    own: Bool? = nil,
    mention: Bool? = nil,
    attachments: Bool? = nil,
    deleted: Bool? = nil,
    hidden: Bool? = nil,
    pinned: Bool? = nil,
    answersTo: Int? = nil,
    before: Int? = nil,
    after: Int? = nil,
    around: Int? = nil,
    limit: Int? = nil
  ) {
    self.channelId = channelId
    self.author = author
    self.own = own
    self.mention = mention
    self.attachments = attachments
    self.deleted = deleted
    self.hidden = hidden
    self.pinned = pinned
    self.answersTo = answersTo
    self.before = before
    self.after = after
    self.around = around
    self.limit = limit
  }
}

/// Parameters of org.batond.Messages.Get.
public struct MessagesGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the message.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Messages.Search.
public struct MessagesSearchRequest: Codable, Hashable, Sendable {
  /// The words, 1 to 1,000 bytes, with a letter or a digit among them.
  public var text: String
  /// Only messages of this channel.
  public var channelId: Int64?
  /// Whether the newest messages come first. Otherwise the best matches come first, among the newest 2,000 that contain the words.
  public var newestFirst: Bool?
  /// Number of hits to skip, 0 to 10,000, 0 when absent.
  public var offset: Int?
  /// Maximum number of hits, 1 to 100, 25 when absent. A page of large messages may have fewer. Only hasMore shows whether there are more. The
  /// next offset is this offset plus the number of hits.
  public var limit: Int?

  public init(
    text: String,
    channelId: Int64? = nil,
    newestFirst: Bool? = nil,
    offset: Int? = nil,
    limit: Int? = nil
  ) {
    self.text = text
    self.channelId = channelId
    self.newestFirst = newestFirst
    self.offset = offset
    self.limit = limit
  }
}

/// Parameters of org.batond.Messages.Inbox.
public struct MessagesInboxRequest: Codable, Hashable, Sendable {
  /// Only conversations with unread messages that are not muted, false when absent.
  public var unread: Bool?
  /// Only hidden conversations, see org.batond.Channels.SetHidden, or only the others. False when absent.
  public var hidden: Bool?
  /// End of the previous page: nextCursor of its reply.
  public var cursor: String?
  /// Maximum number of conversations on the page, 1 to 100, 25 when absent.
  public var limit: Int?

  public init(
    unread: Bool? = nil,
    hidden: Bool? = nil,
    cursor: String? = nil,
    limit: Int? = nil
  ) {
    self.unread = unread
    self.hidden = hidden
    self.cursor = cursor
    self.limit = limit
  }
}

/// Parameters of org.batond.Messages.MarkRead.
public struct MessagesMarkReadRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Identifier of the last message that was read, which must be in this channel. Absent marks all of them.
  public var through: Int?

  public init(
    channelId: Int64,
    through: Int? = nil
  ) {
    self.channelId = channelId
    self.through = through
  }
}

/// Parameters of org.batond.Messages.MarkUnread.
public struct MessagesMarkUnreadRequest: Codable, Hashable, Sendable {
  /// Identifier of the first unread message.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Messages.SetHidden.
public struct MessagesSetHiddenRequest: Codable, Hashable, Sendable {
  /// Identifier of the message.
  public var id: Int64
  /// Whether it is hidden.
  public var hidden: Bool

  public init(
    id: Int64,
    hidden: Bool
  ) {
    self.id = id
    self.hidden = hidden
  }
}

/// Parameters of org.batond.Messages.SetPinned.
public struct MessagesSetPinnedRequest: Codable, Hashable, Sendable {
  /// Identifier of the message.
  public var id: Int64
  /// Whether it is pinned.
  public var pinned: Bool

  public init(
    id: Int64,
    pinned: Bool
  ) {
    self.id = id
    self.pinned = pinned
  }
}

/// Parameters of org.batond.Messages.Sync.
public struct MessagesSyncRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Maximum wait in seconds, 1 to 300, 30 when absent. Baton continues to read the relays afterwards.
  public var timeout: Int?

  public init(
    channelId: Int64,
    timeout: Int? = nil
  ) {
    self.channelId = channelId
    self.timeout = timeout
  }
}

/// Parameters of org.batond.Messages.SearchRelays.
public struct MessagesSearchRelaysRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// The words, as for Search.
  public var text: String
  /// Maximum wait in seconds, 1 to 300, 30 when absent.
  public var timeout: Int?

  public init(
    channelId: Int64,
    text: String,
    timeout: Int? = nil
  ) {
    self.channelId = channelId
    self.text = text
    self.timeout = timeout
  }
}

/// Parameters of org.batond.Messages.Watch.
public struct MessagesWatchRequest: Codable, Hashable, Sendable {
  /// Only these channels.
  public var channelIds: [Int64]?
  /// Send everything that changed after this revision first. A revision that lies ahead is refused with InvalidParameter: the messages have
  /// been lost since, and Baton reads them again.
  public var since: Int64?

  public init(
    channelIds: [Int64]? = nil,
    since: Int64? = nil
  ) {
    self.channelIds = channelIds
    self.since = since
  }
}
