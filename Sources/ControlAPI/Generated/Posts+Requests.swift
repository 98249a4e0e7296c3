// Written by `make generate` from org.batond.Posts.varlink.

/// Parameters of org.batond.Posts.Publish.
public struct PostsPublishRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// The text, at most 32,768 bytes, without control characters other than line feed and tab. May be blank with attachments or quotes.
  public var text: String
  /// Identifier of the post that it answers, in the same channel.
  public var replyTo: Int?
  /// Identifiers of posts that it quotes, in any channel, at most 20.
  public var quotes: [Int]?
  /// Public names of the people that it mentions, at most 50.
  public var mentions: [String]?
  /// Reason why readers may prefer not to look, at most 500 bytes, empty for a warning without a reason.
  public var contentWarning: String?
  /// Words under which readers find the post, without #, at most 30.
  public var hashtags: [String]?
  /// Pictures for words of the text, at most 50.
  public var emoji: [Emoji]?
  /// Files that the post shows, at most 10.
  public var attachments: [Attachment]?
  /// Key of 1 to 200 bytes. Every call with the same key and parameters returns the same post.
  public var idempotencyKey: String?
  /// Time of publication, RFC 3339, at most 366 days ahead. Immediately if absent, or past by no more than the tolerance.
  public var at: String?
  /// Number of seconds after 'at' within which the post is still published if the daemon could not do so earlier, 60 to 31622400, 3600 if
  /// absent. Then it expires. Only together with at.
  public var tolerance: Int?
  /// Identifier of the message that it answers, in the same channel, see org.batond.Messages. Do not combine it with replyTo.
  public var replyToMessage: Int?
  /// Whether it is stored as a draft, which no one receives before Release publishes it. It is refused now if it could not be published
  /// now, unless the channel is frozen. Do not combine it with at and tolerance. False if absent.
  public var draft: Bool?

  public init(
    channelId: Int64,
    text: String,
    replyTo: Int? = nil,
    quotes: [Int]? = nil,
    mentions: [String]? = nil,
    contentWarning: String? = nil,
    hashtags: [String]? = nil,
    emoji: [Emoji]? = nil,
    attachments: [Attachment]? = nil,
    idempotencyKey: String? = nil,
    at: String? = nil,
    tolerance: Int? = nil,
    replyToMessage: Int? = nil,
    draft: Bool? = nil
  ) {
    self.channelId = channelId
    self.text = text
    self.replyTo = replyTo
    self.quotes = quotes
    self.mentions = mentions
    self.contentWarning = contentWarning
    self.hashtags = hashtags
    self.emoji = emoji
    self.attachments = attachments
    self.idempotencyKey = idempotencyKey
    self.at = at
    self.tolerance = tolerance
    self.replyToMessage = replyToMessage
    self.draft = draft
  }
}

/// Parameters of org.batond.Posts.Release.
public struct PostsReleaseRequest: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64
  /// Time of publication, as for Publish, now if absent.
  public var at: String?
  /// The tolerance, as for Publish. Only together with at.
  public var tolerance: Int?

  public init(
    id: Int64,
    at: String? = nil,
    tolerance: Int? = nil
  ) {
    self.id = id
    self.at = at
    self.tolerance = tolerance
  }
}

/// Parameters of org.batond.Posts.Edit.
public struct PostsEditRequest: Codable, Hashable, Sendable {
  /// Identifier of the post. Deleted and already edited posts are refused.
  public var id: Int64
  /// The text, as for Publish.
  public var text: String
  /// Mentions, as for Publish.
  public var mentions: [String]?
  /// Content warning, as for Publish.
  public var contentWarning: String?
  /// Hashtags, as for Publish.
  public var hashtags: [String]?
  /// Pictures, as for Publish.
  public var emoji: [Emoji]?
  /// Files, as for Publish.
  public var attachments: [Attachment]?
  /// Key, as for Publish. Refused on SimpleX and for unpublished posts, where repeating an edit is harmless.
  public var idempotencyKey: String?

  public init(
    id: Int64,
    text: String,
    mentions: [String]? = nil,
    contentWarning: String? = nil,
    hashtags: [String]? = nil,
    emoji: [Emoji]? = nil,
    attachments: [Attachment]? = nil,
    idempotencyKey: String? = nil
  ) {
    self.id = id
    self.text = text
    self.mentions = mentions
    self.contentWarning = contentWarning
    self.hashtags = hashtags
    self.emoji = emoji
    self.attachments = attachments
    self.idempotencyKey = idempotencyKey
  }
}

/// Parameters of org.batond.Posts.Get.
public struct PostsGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Posts.List.
public struct PostsListRequest: Codable, Hashable, Sendable {
  /// Only posts of this channel.
  public var channelId: Int64?
  /// Only posts that go to this relay, to which status and cause then refer. Relays that the channel has left do not count.
  public var relayId: Int64?
  /// Only posts that have this status on a relay.
  public var status: String?
  /// Only posts that this cause holds up on a relay, as a stable word.
  public var cause: String?
  /// Whether deleted posts are included. If absent, only for a status that only deleted posts have.
  public var deleted: Bool?
  /// Only posts below this identifier, the highest of them. Only one of before, after and around can be given.
  public var before: Int?
  /// Only posts above this identifier, the lowest of them.
  public var after: Int?
  /// Posts on both sides of this identifier, and the post itself.
  public var around: Int?
  /// Maximum number of posts on the page, 1 to 100, 25 if absent. A page of large posts may have fewer: only hasOlder and hasNewer show the
  /// end.
  public var limit: Int?
  /// Only reactions to this post.
  public var reactionTo: Int?
  /// Whether reactions, reports and memberships are included, and with deleted also removals. False if absent.
  public var reactions: Bool?
  /// Whether only drafts are listed. If absent, they are listed with other posts.
  public var drafts: Bool?

  public init(
    channelId: Int64? = nil,
    relayId: Int64? = nil,
    status: String? = nil,
    cause: String? = nil,
    deleted: Bool? = nil,
    before: Int? = nil,
    after: Int? = nil,
    around: Int? = nil,
    limit: Int? = nil,
    reactionTo: Int? = nil,
    reactions: Bool? = nil,
    drafts: Bool? = nil
  ) {
    self.channelId = channelId
    self.relayId = relayId
    self.status = status
    self.cause = cause
    self.deleted = deleted
    self.before = before
    self.after = after
    self.around = around
    self.limit = limit
    self.reactionTo = reactionTo
    self.reactions = reactions
    self.drafts = drafts
  }
}

/// Parameters of org.batond.Posts.Watch.
public struct PostsWatchRequest: Codable, Hashable, Sendable {
  /// Only posts of these channels.
  public var channelIds: [Int64]?
  /// Send everything that changed after this revision of posts first, for example the revision of a list.
  public var since: Int64?

  public init(
    channelIds: [Int64]? = nil,
    since: Int64? = nil
  ) {
    self.channelIds = channelIds
    self.since = since
  }
}

/// Parameters of org.batond.Posts.Transitions.
public struct PostsTransitionsRequest: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64
  /// Maximum number of lines, 1 to 1000, 100 if absent. The latest lines are returned.
  public var limit: Int?

  public init(
    id: Int64,
    limit: Int? = nil
  ) {
    self.id = id
    self.limit = limit
  }
}

/// Parameters of org.batond.Posts.Delete.
public struct PostsDeleteRequest: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64
  /// Reason for readers, at most 500 bytes.
  public var reason: String?

  public init(
    id: Int64,
    reason: String? = nil
  ) {
    self.id = id
    self.reason = reason
  }
}

/// Parameters of org.batond.Posts.Retry.
public struct PostsRetryRequest: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64
  /// Identifier of the relay, all if absent.
  public var relayId: Int64?

  public init(
    id: Int64,
    relayId: Int64? = nil
  ) {
    self.id = id
    self.relayId = relayId
  }
}

/// Parameters of org.batond.Posts.Cancel.
public struct PostsCancelRequest: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Posts.React.
public struct PostsReactRequest: Codable, Hashable, Sendable {
  /// Identifier of the post. Give either this or messageId. A post that is unpublished, deleted, edited, forgotten or a reaction is
  /// refused, and in a group on Nostr a post that no reader has found yet.
  public var id: Int64?
  /// The reaction: '+', '-', one emoji, or :shortcode: for a picture. On SimpleX one of eight emoji, or '+' or '-' for two of them. Others
  /// are refused there with InvalidPost, which lists the eight.
  public var reaction: String
  /// The picture, if the reaction is its shortcode between colons.
  public var emoji: Emoji?
  /// Key, as for Publish. An existing reaction does not use it up.
  public var idempotencyKey: String?
  /// Identifier of the message, see org.batond.Messages. Deleted messages are refused.
  public var messageId: Int64?

  public init(
    id: Int64? = nil,
    reaction: String,
    emoji: Emoji? = nil,
    idempotencyKey: String? = nil,
    messageId: Int64? = nil
  ) {
    self.id = id
    self.reaction = reaction
    self.emoji = emoji
    self.idempotencyKey = idempotencyKey
    self.messageId = messageId
  }
}

/// Parameters of org.batond.Posts.Remove.
public struct PostsRemoveRequest: Codable, Hashable, Sendable {
  /// Identifier of the message, see org.batond.Messages. A deleted message is refused. Baton's own post is deleted.
  public var messageId: Int64
  /// Reason for the relay and its readers, at most 500 bytes. Refused with NotSupported on SimpleX, which shows none.
  public var reason: String?

  public init(
    messageId: Int64,
    reason: String? = nil
  ) {
    self.messageId = messageId
    self.reason = reason
  }
}

/// Parameters of org.batond.Posts.Report.
public struct PostsReportRequest: Codable, Hashable, Sendable {
  /// Identifier of the message, see org.batond.Messages. Deleted messages and Baton's own posts are refused.
  public var messageId: Int64
  /// Category of the fault in the message.
  public var category: String
  /// Further words, at most 500 bytes.
  public var text: String?
  /// Key, as for Publish.
  public var idempotencyKey: String?

  public init(
    messageId: Int64,
    category: String,
    text: String? = nil,
    idempotencyKey: String? = nil
  ) {
    self.messageId = messageId
    self.category = category
    self.text = text
    self.idempotencyKey = idempotencyKey
  }
}

/// Parameters of org.batond.Posts.Pin.
public struct PostsPinRequest: Codable, Hashable, Sendable {
  /// Identifier of the post. A post that is unpublished, not yet found by readers, deleted, edited, forgotten or a reaction is refused, and
  /// a post whose earlier pin is still being removed.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}
