public import Channels

/// A post as stored, without its deliveries.
public struct PostRow: Hashable, Sendable {
  public var id: PostID
  public var channel: ChannelID
  /// The post in the form that its network gave it. Empty while the post is scheduled and not published.
  public var document: PostDocument
  /// The text that was asked for, which the network may have added to.
  public var text: String
  /// The post of Baton that this one answers.
  public var replyTo: PostID?
  /// The posts of Baton that this one quotes.
  public var quotes: [PostID]
  /// The post that this one replaces, on a network where an edit is a new post.
  public var replaces: PostID?
  /// The post that replaces this one: it was edited.
  public var replacedBy: PostID?
  /// Number of the newest edition. The first has number 1.
  public var edition: Int
  /// When it was published, or, before that, scheduled.
  public var createdAt: Timestamp
  /// Baton's post to which this one is a reaction. `text` is the reaction.
  public var reactionTo: PostID?
  /// Someone else's message, or the person, that this one is about.
  public var about: AboutMessage?
  /// When its text and document were deleted, because the channel keeps posts only for a time. `nil` while they exist.
  public var forgottenAt: Timestamp?
  /// When deletion was requested.
  public var deletedAt: Timestamp?
  /// The request to delete the post that relays get. `nil` unless deletion was requested of a post that was published, or follows once
  /// readers find `replacedBy`.
  public var deletion: PostDocument?
  public var idempotencyKey: String?
  /// The digest of the request that published it, if that had an idempotency key.
  public var requestDigest: String?
  /// How many deliveries it has, so that a missing one is noticed.
  public var deliveryCount: Int
  /// When it is to be published, or `nil` for a post that was published immediately.
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

  /// Whether it is about another post or message, and not a separate post for readers.
  public var isAside: Bool { reactionTo != nil || about?.act.isAside == true }

  /// Whether its deletion waits until readers find the post that replaces it.
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

/// Several posts that were read together. Posts that do not exist are in neither list.
public struct StoredPosts: Sendable {
  public var found: [PostID: StoredPost]
  /// The damaged posts with their errors, whose code is `corrupt`.
  public var unreadable: [PostID: StoreError]

  public init(found: [PostID: StoredPost] = [:], unreadable: [PostID: StoreError] = [:]) {
    self.found = found
    self.unreadable = unreadable
  }
}

/// Where the posts of a channel go: one relay of a channel that has posts. It follows the channel's relays, with a delay: earlier posts get
/// a delivery for a relay that was added, and learn that the channel left a relay, one page after the other.
public struct PostRouteRow: Hashable, Sendable {
  public enum Status: String, Hashable, Sendable, CaseIterable {
    /// The channel got the relay, and earlier posts are being given a delivery for it. New ones have one.
    case joining
    /// Every post has a delivery for the relay.
    case joined
    /// The channel left the relay, and deliveries are being marked as departed.
    case leaving
    /// The channel left the relay, and every delivery is marked as departed.
    case left
  }
  public var channel: ChannelID
  public var relay: RelayID
  public var status: Status
  /// While `joining` or `leaving`: posts from this id on are done, and posts with lower ids are not.
  public var cursor: PostID
  /// When the relay is next compared with the posts that it should have. `nil` if that is not planned. It counts only while `joined`.
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

/// The numbers from which the ids and revisions of posts continue: the highest that were given out.
public struct PostCounters: Hashable, Sendable {
  public var post: Int64
  public var revision: Int64

  public init(post: Int64, revision: Int64) {
    self.post = post
    self.revision = revision
  }
}
