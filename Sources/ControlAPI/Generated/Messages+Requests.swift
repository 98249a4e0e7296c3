// Written by `make generate` from org.batond.Messages.varlink.

/// Parameters of org.batond.Messages.List.
public struct MessagesListRequest: Codable, Hashable, Sendable {
  /// Only messages of this channel.
  public var channelId: Int64?
  /// Only messages of this author, in the network's notation.
  public var author: String?
  /// Only own messages, or only those of others.
  public var own: Bool?
  /// Only messages that speak to whoever runs the channel, or only others.
  public var mention: Bool?
  /// Only messages with files, or only those without.
  public var attachments: Bool?
  /// Whether messages are included that were deleted; false when absent.
  public var deleted: Bool?
  /// Whether only hidden messages are listed; otherwise only others are. False when absent.
  public var hidden: Bool?
  /// Whether only messages are listed that are pinned here; channelId must be given. False when absent.
  public var pinned: Bool?
  /// Only answers to this message, by identifier.
  public var answersTo: Int?
  /// Only messages before this one; the last of them. Only one of before, after and around can be given.
  public var before: Int?
  /// Only messages after this one; the first of them.
  public var after: Int?
  /// Messages on both sides of this one, and the message itself.
  public var around: Int?
  /// Most messages on the page, 1 to 100; 25 when absent. A page of large messages may hold fewer: only hasOlder and hasNewer say whether
  /// there are more.
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
  /// Whether the newest come first; otherwise those that fit best, of the newest 2,000 that hold the words.
  public var newestFirst: Bool?
  /// How many hits are passed over, 0 to 10,000; 0 when absent.
  public var offset: Int?
  /// Most hits, 1 to 100; 25 when absent. A page of large messages may hold fewer: only hasMore says whether there are more, and the next
  /// offset is this one and the number of hits.
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
  /// Only those with unread messages that are not muted; false when absent.
  public var unread: Bool?
  /// Only those that are hidden, see org.batond.Channels.SetHidden; otherwise only the others. False when absent.
  public var hidden: Bool?
  /// Where the page before ended: nextCursor of its reply.
  public var cursor: String?
  /// Most conversations on the page, 1 to 100; 25 when absent.
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
  /// Identifier of the last message that was read, one of this channel; all there are when absent.
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
  /// Identifier of the first message that is unread.
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
  /// For how many seconds to wait, 1 to 300; 30 when absent. The relays go on being read.
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
  /// For how many seconds to wait, 1 to 300; 30 when absent.
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
  /// Send everything that has changed after this revision first. A revision that lies ahead is refused with InvalidParameter: the
  /// messages were lost since, and are read again.
  public var since: Int64?

  public init(
    channelIds: [Int64]? = nil,
    since: Int64? = nil
  ) {
    self.channelIds = channelIds
    self.since = since
  }
}
