public import Channels

/// A post as stored, without its deliveries.
public struct PostRow: Hashable, Sendable {
  public var id: PostID
  public var channel: ChannelID
  /// The post in the form that its network gave it; empty as long as the post is scheduled and was not published.
  public var document: PostDocument
  /// The text that was asked for, which the network may have added to.
  public var text: String
  /// The post of ours that this one answers.
  public var replyTo: PostID?
  /// The posts of ours that this one quotes.
  public var quotes: [PostID]
  /// The post that this one takes the place of, on a network where an edit is a new post.
  public var replaces: PostID?
  /// The post that takes the place of this one: it was edited.
  public var replacedBy: PostID?
  /// Number of the newest edition; the first has number 1.
  public var edition: Int
  /// When it was published, or, before that, scheduled.
  public var createdAt: Timestamp
  /// The post of ours that this one is a reaction to; `text` is the reaction.
  public var reactionTo: PostID?
  /// The message of others that this one is about.
  public var about: AboutMessage?
  /// When its text and document were given up, because the channel keeps posts only for a time; `nil` as long as they are there.
  public var forgottenAt: Timestamp?
  /// When deletion was requested.
  public var deletedAt: Timestamp?
  /// The request to delete the post that relays get; `nil` unless deletion was requested of a post that was published, or follows once
  /// readers find `replacedBy`.
  public var deletion: PostDocument?
  public var idempotencyKey: String?
  /// The digest of the request that published it, if that had an idempotency key.
  public var requestDigest: String?
  /// How many deliveries it has, so that a missing one is noticed.
  public var deliveryCount: Int
  /// When it is to be published; `nil` for one that was published at once.
  public var schedule: PostSchedule?
  /// Revision of the latest change to the post or one of its deliveries, in the sequence of posts.
  public var revision: Int64

  public init(
    id: PostID, channel: ChannelID, document: PostDocument, text: String, replyTo: PostID? = nil, quotes: [PostID] = [],
    replaces: PostID? = nil, replacedBy: PostID? = nil, reactionTo: PostID? = nil, about: AboutMessage? = nil,
    edition: Int = 1, createdAt: Timestamp,
    forgottenAt: Timestamp? = nil, deletedAt: Timestamp? = nil, deletion: PostDocument? = nil, idempotencyKey: String? = nil,
    requestDigest: String? = nil, deliveryCount: Int,
    schedule: PostSchedule? = nil, revision: Int64
  ) {
    self.id = id
    self.channel = channel
    self.document = document
    self.text = text
    self.replyTo = replyTo
    self.quotes = quotes
    self.replaces = replaces
    self.replacedBy = replacedBy
    self.reactionTo = reactionTo
    self.about = about
    self.edition = edition
    self.createdAt = createdAt
    self.forgottenAt = forgottenAt
    self.deletedAt = deletedAt
    self.deletion = deletion
    self.idempotencyKey = idempotencyKey
    self.requestDigest = requestDigest
    self.deliveryCount = deliveryCount
    self.schedule = schedule
    self.revision = revision
  }

  /// Whether it says something about another post or message, and is none by itself.
  public var isAside: Bool { reactionTo != nil || about?.act.isAside == true }

  /// Whether its deletion waits until readers find the post that takes its place.
  public var awaitsReplacement: Bool { replacedBy != nil && deletion != nil && deletedAt == nil }
}

/// One delivery of a post as stored.
public struct DeliveryRow: Hashable, Sendable {
  public var relay: RelayID
  public var record: DeliveryRecord
  /// Whether the channel has left the relay. Nothing is asked of the delivery any more, and it does not count.
  public var hasDeparted: Bool

  public init(relay: RelayID, record: DeliveryRecord, hasDeparted: Bool = false) {
    self.relay = relay
    self.record = record
    self.hasDeparted = hasDeparted
  }
}

/// A post with its deliveries, in the order of their relays' ids.
public struct StoredPost: Hashable, Sendable {
  public var row: PostRow
  public var deliveries: [DeliveryRow]

  public init(row: PostRow, deliveries: [DeliveryRow]) {
    self.row = row
    self.deliveries = deliveries
  }
}

/// Several posts that were read at once. Posts that do not exist are in neither list.
public struct StoredPosts: Sendable {
  public var found: [PostID: StoredPost]
  /// The damaged posts, with what is wrong; their code is `corrupt`.
  public var unreadable: [PostID: StoreError]

  public init(found: [PostID: StoredPost] = [:], unreadable: [PostID: StoreError] = [:]) {
    self.found = found
    self.unreadable = unreadable
  }
}

/// Where the posts of a channel go: one relay of a channel that has posts. It follows the channel's relays, with a delay: earlier posts
/// are given a delivery for a relay that was added, and told that the channel left one that was removed, one page after the other.
public struct PostRouteRow: Hashable, Sendable {
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// The channel got the relay; earlier posts are being given a delivery for it. New ones have one.
    case joining
    /// Every post has a delivery for the relay.
    case joined
    /// The channel left the relay; deliveries are being told.
    case leaving
    /// The channel left the relay; every delivery was told.
    case left
  }
  public var channel: ChannelID
  public var relay: RelayID
  public var status: Status
  /// While `joining` or `leaving`: the posts from this one on were seen to, and those with lower ids were not.
  public var cursor: PostID
  /// When the relay is next compared with what it should hold; `nil` if that is not planned. It counts only while `joined`.
  public var compareAt: Timestamp?
  /// When the latest comparison began that succeeded, whether it saw everything or the newest posts.
  public var comparedAt: Timestamp?

  public init(
    channel: ChannelID, relay: RelayID, status: Status, cursor: PostID, compareAt: Timestamp? = nil,
    comparedAt: Timestamp? = nil
  ) {
    self.channel = channel
    self.relay = relay
    self.status = status
    self.cursor = cursor
    self.compareAt = compareAt
    self.comparedAt = comparedAt
  }
}

/// One line of a post's history.
public struct PostTransitionRow: Hashable, Sendable {
  /// In the sequence of posts.
  public var revision: Int64
  public var post: PostID
  public var relay: RelayID
  public var transition: DeliveryMachine.Transition

  public init(revision: Int64, post: PostID, relay: RelayID, transition: DeliveryMachine.Transition) {
    self.revision = revision
    self.post = post
    self.relay = relay
    self.transition = transition
  }
}

/// The numbers from which the ids and revisions of posts go on: the highest that were given out.
public struct PostCounters: Hashable, Sendable {
  public var post: Int64
  public var revision: Int64

  public init(post: Int64, revision: Int64) {
    self.post = post
    self.revision = revision
  }
}
