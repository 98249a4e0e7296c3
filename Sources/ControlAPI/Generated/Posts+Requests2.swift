// Written by `make generate` from org.batond.Posts.varlink.

/// Parameters of org.batond.Posts.Unpin.
public struct PostsUnpinRequest: Codable, Hashable, Sendable {
  /// Identifier of the post. Refused if it is not pinned.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Posts.Export.
public struct PostsExportRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Only posts above this identifier.
  public var after: Int?

  public init(
    channelId: Int64,
    after: Int? = nil
  ) {
    self.channelId = channelId
    self.after = after
  }
}

/// Parameters of org.batond.Posts.Adopt.
public struct PostsAdoptRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// The signed document, at most 262,144 bytes, on Nostr an event as JSON, of kind 42 or 5.
  public var document: String

  public init(
    channelId: Int64,
    document: String
  ) {
    self.channelId = channelId
    self.document = document
  }
}

/// Parameters of org.batond.Posts.SetRetention.
public struct PostsSetRetentionRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Number of days after their creation, 1 to 36500, absent for no limit.
  public var keepDays: Int?
  /// Number of newest posts, 1 to 1000000, absent for no limit.
  public var keepCount: Int?

  public init(
    channelId: Int64,
    keepDays: Int? = nil,
    keepCount: Int? = nil
  ) {
    self.channelId = channelId
    self.keepDays = keepDays
    self.keepCount = keepCount
  }
}

/// Parameters of org.batond.Posts.GetRetention.
public struct PostsGetRetentionRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64

  public init(
    channelId: Int64
  ) {
    self.channelId = channelId
  }
}

/// Parameters of org.batond.Posts.AuthorizeUpload.
public struct PostsAuthorizeUploadRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel, whose key signs.
  public var channelId: Int64
  /// SHA-256 of the file, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// Size of the file in bytes, at least 1.
  public var sizeBytes: Int

  public init(
    channelId: Int64,
    sha256: String,
    sizeBytes: Int
  ) {
    self.channelId = channelId
    self.sha256 = sha256
    self.sizeBytes = sizeBytes
  }
}
