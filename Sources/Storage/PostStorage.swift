public import Channels

/// The questions of the coordinator of posts. The rules of `CoordinatorStorage` hold: `commit` is the only method that writes, no method
/// blocks the thread of its caller, each of the others reads the durable data of that moment, and all throw `StoreError`.
///
/// Lists of unfinished work cover only the posts of channels in this coordinator's slots (`SlotSet`).
///
/// Posts have their own sequence of revisions, separate from the channels'. One commit may write both.
public protocol PostStorage: Sendable {
  /// Makes the parts of `request` durable together. See `CoordinatorStorage`.
  @discardableResult
  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt

  /// The highest id and the newest revision of posts.
  func postCounters() async throws -> PostCounters
  /// These posts with their deliveries, all from one moment. A damaged post does not fail the others.
  func posts(_ ids: Set<PostID>) async throws -> StoredPosts
  /// The posts that were published with these idempotency keys, deleted ones included. Keys are compared byte by byte.
  func posts(idempotencyKeys: Set<String>) async throws -> [String: PostID]
  /// The posts that are these reactions and were not deleted, the first of each. Texts are compared byte by byte.
  func posts(reacting: Set<PostReaction>) async throws -> [PostReaction: PostID]
  /// The posts that have these names on their network (`PostDocument.networkID`), deleted ones included. If several have one name, the post
  /// with the lowest id.
  /// - Parameter channel: only posts of this channel, or of all channels if `nil`.
  func posts(networkIDs: Set<String>, of channel: ChannelID?) async throws -> [String: PostID]
  /// The ids of a channel's posts below `before`, deleted ones included, highest first.
  func posts(of channel: ChannelID, before: PostID, limit: Int) async throws -> [PostID]

  // MARK: - Unfinished work

  /// Posts with a delivery under way, by id, from the first after `after` on.
  func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [PostID]
  /// When the next waiting delivery of each relay is due. Relays without one are left out. The time grows with the number of unfinished
  /// deliveries.
  func nextDeliveries(among slots: SlotSet) async throws -> [RelayID: Timestamp]
  /// Posts whose delivery on `relay` waits and is due at `now`, the longest due first and then by id, without departed deliveries.
  /// - Returns: the posts, and when the first delivery of that relay is due that is not due yet, or `nil` without one.
  func dueDeliveries(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (
    posts: [PostID], next: Timestamp?
  )
  /// Posts whose delivery on `relay` waits after one of these causes, by id, from the first after `after` on, without departed deliveries.
  func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet) async throws
    -> [PostID]
  /// Posts whose deletion waits until readers find their replacement (`PostRow.awaitsReplacement`), each with that replacement, by id, from
  /// the first after `after` on.
  func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [(old: PostID, new: PostID)]

  // MARK: - Schedules

  /// Posts that are scheduled and due at `now`, a time of day, the longest due first and then by id.
  /// - Returns: the posts, and when the first post is due that is not due yet, or `nil` without one.
  func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (posts: [PostID], next: Timestamp?)

  // MARK: - Routes

  /// All routes of these channels, in the order of channel and relay.
  func postRoutes(of channels: Set<ChannelID>) async throws -> [PostRouteRow]
  /// The channels that have routes.
  func channelsWithPosts(among slots: SlotSet) async throws -> Set<ChannelID>
  /// Routes that are joining or leaving, in the order of channel and relay.
  func postRoutesUnderWay(among slots: SlotSet) async throws -> [PostRouteRow]
  /// Joined routes whose comparison is due at `now`, the longest due first, but none of the relays in `except`.
  func postRoutesToCompare(at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet) async throws
    -> [PostRouteRow]
  /// Joined routes of `relay` that were not compared at `since` or later, by channel, from the first after `after` on.
  func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow]
  /// Channels with routes that do not fit their relays any more: a relay without a route, or with a route that is `leaving` or `left`. Or a
  /// route that is `joining` or `joined` of a relay that was removed. By id.
  func channelsToRoute(among slots: SlotSet) async throws -> [ChannelID]

  // MARK: - Retention

  /// Posts that are beyond the retention of their channels at `now`, a time of day, and were not forgotten, from a place on. A channel
  /// whose retention is damaged is left out. An empty result may come before the end.
  /// - Parameter counted: findings of earlier answers about channels. Their posts are not counted again unless there are newer ones.
  func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet
  ) async throws -> PostsToForget
}

/// A question for a page of posts.
public struct PostQuestion: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    case newest
    /// Posts with lower ids, the highest of them.
    case before(PostID)
    /// Posts with higher ids, the lowest of them.
    case after(PostID)
    /// Half of the page before the post and half after it, with the post itself.
    case around(PostID)
  }
  /// Posts of this channel, or of all channels if `nil`.
  public var channel: ChannelID?
  /// Only posts with a delivery that has not departed and meets all of these that are not `nil`.
  public var relay: RelayID?
  public var status: DeliveryStatus?
  public var cause: Cause?
  /// Whether posts are included whose deletion was requested.
  public var withDeleted: Bool
  /// Only reactions to this post.
  public var reactionTo: PostID?
  /// Whether reactions are included. Reactions to `reactionTo` always are.
  public var withReactions: Bool
  /// Whether only drafts are wanted.
  public var onlyDrafts: Bool
  public var place: Place
  /// Upper bound of the posts on the page.
  public var limit: Int

  public init(
    channel: ChannelID? = nil, relay: RelayID? = nil, status: DeliveryStatus? = nil, cause: Cause? = nil,
    withDeleted: Bool = false, reactionTo: PostID? = nil, withReactions: Bool = false, onlyDrafts: Bool = false,
    place: Place = .newest, limit: Int
  ) {
    self.onlyDrafts = onlyDrafts
    self.channel = channel
    self.relay = relay
    self.status = status
    self.cause = cause
    self.withDeleted = withDeleted
    self.reactionTo = reactionTo
    self.withReactions = withReactions
    self.place = place
    self.limit = limit
  }
}

/// A page of posts, highest id first.
public struct PostPage: Sendable {
  public var posts: [StoredPost]
  /// Posts that belong on the page, and are damaged.
  public var unreadable: [PostID]
  /// Whether more posts match below the lowest id of the page, and above the highest.
  public var hasOlder: Bool
  public var hasNewer: Bool
  /// The revision of posts at which this is true.
  public var revision: Int64

  public init(posts: [StoredPost], unreadable: [PostID], hasOlder: Bool, hasNewer: Bool, revision: Int64) {
    self.posts = posts
    self.unreadable = unreadable
    self.hasOlder = hasOlder
    self.hasNewer = hasNewer
    self.revision = revision
  }
}

/// Reads posts that have changed.
public protocol PostChangeReading: Sendable {
  /// Posts that changed after `revision`, in the order of their latest change.
  /// - Parameter channels: only posts of these, or of all channels if `nil`.
  /// - Returns: the posts, and the revision through which they are complete.
  func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (posts: [StoredPost], through: Int64)
  /// These posts with their deliveries, all from one moment. A damaged post does not fail the others.
  func posts(_ ids: Set<PostID>) async throws -> StoredPosts
  /// The highest id and the newest revision of posts.
  func postCounters() async throws -> PostCounters
}

/// The questions of the control plane about posts. The rules of `ControlStorage` hold.
public protocol PostReading: PostChangeReading {
  /// A post with its deliveries, or `nil` if it does not exist.
  func post(_ id: PostID) async throws -> StoredPost?
  /// A page of posts. A page of large posts may have fewer than `limit`, but has at least one if any exists.
  func posts(_ question: PostQuestion) async throws -> PostPage
  /// The latest lines of a post's history, oldest first. Empty for a post that does not exist.
  func postTransitions(of post: PostID, limit: Int) async throws -> [PostTransitionRow]
  /// For how long the posts of a channel are kept.
  func postRetention(of channel: ChannelID) async throws -> PostRetention
}
