public import Channels

/// How long Baton keeps the posts of a channel. A post that is beyond one of the two limits is forgotten: its text and document are
/// deleted, and everything else is kept.
public struct PostRetention: Hashable, Sendable {
  public var channel: ChannelID
  /// Posts are kept for this many days after their creation, or without limit if it is `nil`.
  public var days: Int?
  /// This many of the newest posts are kept, or all if it is `nil`. Posts that were deleted, or are not published yet, count, and so do
  /// reactions.
  public var count: Int?

  public init(channel: ChannelID, days: Int? = nil, count: Int? = nil) {
    self.channel = channel
    self.days = days
    self.count = count
  }

  /// Whether posts are kept forever.
  public var isUnlimited: Bool { days == nil && count == nil }

  /// The least time for which `days` keeps a post, or `nil` without that limit.
  public var span: Duration? { days.map { .seconds(86_400 * Int64($0)) } }

  public static let daysRange = 1...36_500
  public static let countRange = 1...1_000_000
}

/// A place in the walk along the posts that are beyond the retention of their channels: by channel, and in each by date and id.
public struct PostRetentionPlace: Hashable, Sendable {
  public var channel: ChannelID
  /// The post behind which the walk continues, with its date, or `nil` at the beginning of the channel.
  public var last: Post?

  public struct Post: Hashable, Sendable {
    public let createdAt: Timestamp
    public let id: PostID

    public init(createdAt: Timestamp, id: PostID) {
      self.createdAt = createdAt
      self.id = id
    }
  }

  public init(channel: ChannelID, last: Post? = nil) {
    self.channel = channel
    self.last = last
  }

  public static let start = PostRetentionPlace(channel: ChannelID(rawValue: 0))
}

/// Posts that are beyond the retention of their channels, as far as one question found them.
public struct PostsToForget: Hashable, Sendable {
  public var posts: [PostID]
  /// The retentions of their channels.
  public var retentions: [ChannelID: PostRetention]
  /// Channels whose posts all fit the limit, each with its newest post. While that is the newest, nothing has to be counted.
  public var counted: [ChannelID: PostID]
  /// Where to continue, or `nil` at the end.
  public var next: PostRetentionPlace?

  public init(
    posts: [PostID] = [], retentions: [ChannelID: PostRetention] = [:], counted: [ChannelID: PostID] = [:],
    next: PostRetentionPlace? = nil
  ) {
    self.posts = posts
    self.retentions = retentions
    self.counted = counted
    self.next = next
  }
}

extension PostRow {
  /// Deletes its text, its document except for the remnant, and its request, for good.
  /// - Parameter remnant: the part of the document that its network needs to name the post and to delete it.
  public mutating func forget(at now: Timestamp, keeping remnant: String) {
    forgottenAt = now
    text = ""
    document = PostDocument(networkID: document.networkID, author: document.author, text: remnant)
    // A request shows that it was not published.
    if schedule?.request != nil { schedule?.request = "" }
  }
}
