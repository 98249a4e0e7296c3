// Written by `make generate` from org.batond.Posts.varlink.

/// A reply of org.batond.Posts.Publish.
public struct PostsPublishReply: Codable, Hashable, Sendable {
  /// The post as stored.
  public var post: Post
  /// False if an earlier call with the same key published it.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply that is one `Post`.
public struct PostReply: Codable, Hashable, Sendable {
  /// The post as stored.
  public var post: Post

  public init(
    post: Post
  ) {
    self.post = post
  }
}

/// A reply of org.batond.Posts.Edit.
public struct PostsEditReply: Codable, Hashable, Sendable {
  /// The post as stored, the new one on Nostr.
  public var post: Post
  /// False if an earlier call with the same key made this edit.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply of org.batond.Posts.Get.
public struct PostsGetReply: Codable, Hashable, Sendable {
  /// The post.
  public var post: Post
  /// Forecasts for each relay, in the order of the post's relays.
  public var actions: [PostAction]

  public init(
    post: Post,
    actions: [PostAction]
  ) {
    self.post = post
    self.actions = actions
  }
}

/// A reply of org.batond.Posts.List.
public struct PostsListReply: Codable, Hashable, Sendable {
  /// The posts.
  public var posts: [Post]
  /// Whether other such posts have lower identifiers.
  public var hasOlder: Bool
  /// Whether other such posts have higher identifiers.
  public var hasNewer: Bool
  /// Posts that belong on this page, but are unreadable because the database is damaged. Absent if there are none.
  public var unreadable: [Int]?
  /// The revision of posts to which the reply corresponds.
  public var revision: Int64

  public init(
    posts: [Post],
    hasOlder: Bool,
    hasNewer: Bool,
    unreadable: [Int]? = nil,
    revision: Int64
  ) {
    self.posts = posts
    self.hasOlder = hasOlder
    self.hasNewer = hasNewer
    self.unreadable = unreadable
    self.revision = revision
  }
}

/// A reply of org.batond.Posts.Watch.
public struct PostsWatchReply: Codable, Hashable, Sendable {
  /// Everything up to this revision was sent. A new call with it as since misses and repeats nothing.
  public var revision: Int64
  /// The current post. Absent in the first reply without since, if only posts of other channels changed, and in the last reply, when the
  /// daemon stops.
  public var post: Post?

  public init(
    revision: Int64,
    post: Post? = nil
  ) {
    self.revision = revision
    self.post = post
  }
}

/// A reply of org.batond.Posts.Transitions.
public struct PostsTransitionsReply: Codable, Hashable, Sendable {
  /// The lines.
  public var transitions: [PostTransition]

  public init(
    transitions: [PostTransition]
  ) {
    self.transitions = transitions
  }
}

/// A reply of org.batond.Posts.React.
public struct PostsReactReply: Codable, Hashable, Sendable {
  /// The reaction as stored.
  public var post: Post
  /// False if the channel already had this reaction.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply of org.batond.Posts.Remove.
public struct PostsRemoveReply: Codable, Hashable, Sendable {
  /// The removal as stored.
  public var post: Post
  /// False if the message is Baton's own post, which is returned.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply of org.batond.Posts.Report.
public struct PostsReportReply: Codable, Hashable, Sendable {
  /// The report as stored.
  public var post: Post
  /// False if an earlier call with the same key made it.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply of org.batond.Posts.Pin.
public struct PostsPinReply: Codable, Hashable, Sendable {
  /// The pin as stored.
  public var post: Post
  /// False if the post was already pinned.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply of org.batond.Posts.Export.
public struct PostsExportReply: Codable, Hashable, Sendable {
  /// The next post. Absent in the last reply, which shows that the export is complete.
  public var post: ExportedPost?

  public init(
    post: ExportedPost? = nil
  ) {
    self.post = post
  }
}

/// A reply of org.batond.Posts.Adopt.
public struct PostsAdoptReply: Codable, Hashable, Sendable {
  /// The post as stored, deleted if the document is a request to delete it.
  public var post: Post
  /// False if the post was already known or deleted, and is unchanged.
  public var isNew: Bool

  public init(
    post: Post,
    isNew: Bool
  ) {
    self.post = post
    self.isNew = isNew
  }
}

/// A reply that is one `Retention`.
public struct RetentionReply: Codable, Hashable, Sendable {
  /// The retention as stored.
  public var retention: Retention

  public init(
    retention: Retention
  ) {
    self.retention = retention
  }
}

/// A reply of org.batond.Posts.AuthorizeUpload.
public struct PostsAuthorizeUploadReply: Codable, Hashable, Sendable {
  /// Addresses of the configured servers, best first.
  public var servers: [String]
  /// Value of the HTTP field Authorization, valid only for the upload of this file to these servers.
  public var authorization: String
  /// Time until which it is valid, RFC 3339 in UTC.
  public var expiresAt: String

  public init(
    servers: [String],
    authorization: String,
    expiresAt: String
  ) {
    self.servers = servers
    self.authorization = authorization
    self.expiresAt = expiresAt
  }
}
