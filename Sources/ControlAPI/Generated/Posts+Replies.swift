// Written by `make generate` from org.batond.Posts.varlink.

/// A reply of org.batond.Posts.Publish.
public struct PostsPublishReply: Codable, Hashable, Sendable {
  /// The post as stored.
  public var post: Post
  /// False: an earlier call with the same key published it.
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
  /// The post as stored; the new one where posts never change.
  public var post: Post
  /// False: an earlier call with the same key made this edit.
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
  /// What will happen on each of its relays if it is edited or deleted now, in the order of its relays.
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
  /// Whether there are such posts with lower identifiers than those of the page.
  public var hasOlder: Bool
  /// Whether there are such posts with higher identifiers than those of the page.
  public var hasNewer: Bool
  /// Posts that would be on this page, and cannot be read because the database is damaged; absent when there are none.
  public var unreadable: [Int]?
  /// The revision of posts at which this is true.
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
  /// Everything wanted up to this revision was sent: watching again with it as since misses nothing and repeats nothing.
  public var revision: Int64
  /// The post as it is now; absent at the beginning, when only posts of other channels changed, and in the last reply, when the daemon
  /// stops.
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
  /// False: the channel had said this before.
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
  /// False: the message is a post of Baton's, and this is that post.
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
  /// False: an earlier call with the same key made it.
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
  /// False: the post was pinned before.
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
  /// The next post; absent in the last reply, which says that nothing is missing.
  public var post: ExportedPost?

  public init(
    post: ExportedPost? = nil
  ) {
    self.post = post
  }
}

/// A reply of org.batond.Posts.Adopt.
public struct PostsAdoptReply: Codable, Hashable, Sendable {
  /// The post as stored, which a request to delete has deleted.
  public var post: Post
  /// False: the post was known, or deleted, before, and stays as it is.
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
  /// The addresses of the configured servers, best first.
  public var servers: [String]
  /// The value of the Authorization field of HTTP. It is good for the upload of this file to these servers and for nothing else.
  public var authorization: String
  /// Until when it is good, RFC 3339 in UTC.
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
