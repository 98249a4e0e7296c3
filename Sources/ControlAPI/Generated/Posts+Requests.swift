// Written by `make generate` from org.batond.Posts.varlink.

/// Parameters of org.batond.Posts.Publish.
public struct PostsPublishRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// The text, at most 32,768 bytes; its only control characters are line feed and tab. It may be blank if there are
  /// attachments or quotes.
  public var text: String
  /// The post of the same channel that this one answers.
  public var replyTo: Int?
  /// Posts of any channel here that this one quotes, at most 20.
  public var quotes: [Int]?
  /// The public names of people whom the post mentions, at most 50.
  public var mentions: [String]?
  /// Why readers may prefer not to look, at most 500 bytes; empty for a warning that gives no reason.
  public var contentWarning: String?
  /// Words under which the post is found, without #, at most 30.
  public var hashtags: [String]?
  /// Pictures for words in the text, at most 50.
  public var emoji: [Emoji]?
  /// Files that the post shows, at most 10.
  public var attachments: [Attachment]?
  /// The same key with the same parameters gives the same post, however often it is asked for; 1 to 200 bytes.
  public var idempotencyKey: String?
  /// When to publish it, RFC 3339, at most 366 days ahead; at once when absent, or over within the tolerance.
  public var at: String?
  /// For how many seconds after 'at' it is still published if the daemon could not do it before, 60 to 31622400; 3600 when absent.
  /// After that it is expired. Only together with at.
  public var tolerance: Int?
  /// The message of the same channel that this one answers, see org.batond.Messages; only one of replyTo and this can be given.
  public var replyToMessage: Int?
  /// Whether the post is stored as a draft, which no one gets before Release publishes it; it is refused now if it could not be published
  /// now, unless the channel is frozen. Without at and tolerance. False when absent.
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
  /// When to publish it, as for Publish; now when absent.
  public var at: String?
  /// For how many seconds after that it is still published, as for Publish. Only together with at.
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
  /// Identifier of the post. One that was deleted, or edited before, is refused.
  public var id: Int64
  /// The text, as for Publish.
  public var text: String
  /// The public names of people whom the post mentions, at most 50.
  public var mentions: [String]?
  /// Why readers may prefer not to look, at most 500 bytes; empty for a warning that gives no reason.
  public var contentWarning: String?
  /// Words under which the post is found, without #, at most 30.
  public var hashtags: [String]?
  /// Pictures for words in the text, at most 50.
  public var emoji: [Emoji]?
  /// Files that the post shows, at most 10.
  public var attachments: [Attachment]?
  /// The same key with the same parameters gives the same post, however often it is asked for; 1 to 200 bytes. Refused on SimpleX, where an
  /// edit may be repeated without one.
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
  /// Only posts that go to this relay. It is the same relay for which status and cause must hold; relays that the channel has left do not
  /// count.
  public var relayId: Int64?
  /// Only posts that have this status on a relay.
  public var status: String?
  /// Only posts that are not further on at a relay for this reason, a stable word.
  public var cause: String?
  /// Whether posts are listed whose deletion was requested. When absent they are if status is one that only they have.
  public var deleted: Bool?
  /// Only posts below this identifier, the highest of them. Only one of before, after and around may be given.
  public var before: Int?
  /// Only posts above this identifier, the lowest of them.
  public var after: Int?
  /// Posts on both sides of this identifier, with the post itself.
  public var around: Int?
  /// Most posts on the page, 1 to 100; 25 when absent. A page of large posts may hold fewer: only hasOlder and hasNewer say whether there
  /// are more.
  public var limit: Int?
  /// Only reactions to this post.
  public var reactionTo: Int?
  /// Whether reactions and reports are listed among other posts, and with deleted also removals; they are not when absent.
  public var reactions: Bool?
  /// Whether only drafts are listed; they are among other posts when absent.
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
  /// Send what changed after this revision of posts, for example that of a list.
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
  /// What readers are told, at most 500 bytes.
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
  /// Identifier of the post. One that is not published, was deleted, edited or forgotten, or is a reaction itself is refused, and so is one
  /// in a group on Nostr that no reader has found yet. Either this or messageId is needed.
  public var id: Int64?
  /// The reaction: '+', '-', one emoji, or :shortcode: for a picture. On SimpleX one of eight emoji, or '+' or '-' for two of them, and no
  /// picture; anything else is refused with InvalidPost and the list.
  public var reaction: String
  /// The picture, if the reaction is its shortcode between colons.
  public var emoji: Emoji?
  /// The same key with the same parameters gives the same post, however often it is asked for; 1 to 200 bytes. If the reaction is there
  /// already, the key is not used up.
  public var idempotencyKey: String?
  /// The message, see org.batond.Messages, in place of id. One that was deleted is refused.
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
  /// The message, see org.batond.Messages. One that was deleted is refused; of a post of Baton's it is the deletion.
  public var messageId: Int64
  /// What the relay and its readers are told, at most 500 bytes. Refused with NotSupported on SimpleX, which shows none.
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
  /// The message, see org.batond.Messages. One that was deleted is refused, and so are posts of Baton's.
  public var messageId: Int64
  /// The fault in it.
  public var category: String
  /// What is said besides, at most 500 bytes.
  public var text: String?
  /// The same key with the same parameters gives the same post, however often it is asked for; 1 to 200 bytes.
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
  /// Identifier of the post. One that is not published, that readers have not found yet, that was deleted, edited or forgotten, or that is
  /// a reaction is refused; and so is one whose earlier pin is still being taken away.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}
