internal import Channels
internal import RelayNetwork
internal import Storage

/// An input of the engine for posts.
enum PostInput: Sendable, Hashable {
  /// - form: the new form of the post. `nil` if it is unchanged.
  case outcome(PostID, RelayID, number: Int, DeliveryOutcome, form: PostDocument? = nil)
  /// A relay is reachable again.
  case relayUp(RelayID)
  case timersDue
  case publish(NewPost, Reply<PublishedPost>)
  /// - deletion: the request for relays. `nil` for a scheduled post. If that was published since, it is not deleted.
  case delete(PostID, PostDocument?, Reply<StoredPost>)
  /// Gives a post its next edition, on a network where posts are edited in place. If the post has changed since, it is unchanged.
  case edit(PostRevision, Reply<StoredPost>)
  case retry(PostID, RelayID?, Reply<StoredPost>)
  case cancel(PostID, Reply<StoredPost>)
  /// Publishes an unpublished post.
  case release(PostRelease, Reply<StoredPost>)
  /// Replaces the text of an unpublished post.
  case rewrite(PostID, PostRequest, Reply<StoredPost>)
  /// A channel got a relay, or left one.
  case membershipChanged(ChannelID)
  /// Continue to add deliveries of earlier posts for an added relay, or to inform their deliveries at a removed one.
  case walk(ChannelID, RelayID)
  /// Delete the first post if readers find the second, which replaces it. Keep the first if they never will.
  case replace(PostID, by: PostID)
  /// A relay may accept more.
  case serve(RelayID)
  /// Networks that were stopped from sending may send again: unfinished operations begin again.
  case resumed
  /// Act for the posts of channels in these slots, which belong to no other daemon any longer.
  case gained(SlotSet)
  /// Stop acting for the posts of channels in these slots. Answers once everything before is durable.
  case lost(SlotSet, Reply<Void>)
  /// Resume posts that were under way when the daemon last stopped, or when another daemon lost them.
  case takeUp([PostID])
  /// A scheduled post of this channel was due, and its form was created or not.
  case composed(PostID, in: ChannelID, Result<PostDocument, BatonError>)
  /// Check which scheduled posts are due.
  case lookAtSchedules
  /// A relay of a channel may have lost posts, or a client wants all relays checked.
  case doubted(ChannelID, RelayID?)
  /// Begin the due comparisons of relays.
  case compare
  /// The outcome of a comparison.
  case compared(ChannelID, RelayID, number: Int, PostComparisonOutcome)
  /// Continue to find differences between a relay and the posts that it should have.
  case reconcile(RelayID)
  /// Answers once everything before it is done.
  case barrier(Reply<Void>)
  case setRetention(PostRetention, Reply<PostRetention>)

  // `PostDecider.unfold` replaces `timersDue` by these.

  /// An operation under way has reached its time limit.
  case timeout(PostID, RelayID)
  /// Read posts again that could not be stored.
  case recover([PostID])
  case forgetHistory
  /// Forget posts beyond the retention of their channels.
  case forgetPosts

  /// Whether it is the alarm that the engine set.
  var isWaking: Bool { if case .timersDue = self { true } else { false } }

  /// Answers a request that is no longer decided.
  func refuse(_ error: BatonError) {
    switch self {
    case .publish(_, let reply): reply.send(.failure(error))
    case .delete(_, _, let reply), .edit(_, let reply), .retry(_, _, let reply), .cancel(_, let reply),
      .release(_, let reply), .rewrite(_, _, let reply):
      reply.send(.failure(error))
    case .barrier(let reply), .lost(_, let reply): reply.send(.failure(error))
    case .setRetention(_, let reply): reply.send(.failure(error))
    case .outcome, .relayUp, .timersDue, .membershipChanged, .walk, .replace, .serve, .gained, .resumed, .takeUp, .composed,
      .lookAtSchedules,
      .timeout, .recover, .forgetHistory, .doubted, .compare, .compared, .reconcile, .forgetPosts:
      break
    }
  }

  /// Whether it must be decided alone, because it changes which posts other inputs may concern.
  var standsAlone: Bool {
    switch self {
    case .gained, .lost: true
    default: false
    }
  }

  /// The posts that it concerns, and that must be awake for it.
  var posts: [PostID] {
    switch self {
    case .outcome(let id, _, _, _, _), .delete(let id, _, _), .retry(let id, _, _), .cancel(let id, _), .timeout(let id, _),
      .rewrite(let id, _, _), .composed(let id, _, _):
      [id]
    case .edit(let revision, _): [revision.post]
    case .release(let release, _): [release.post]
    case .takeUp(let ids), .recover(let ids): ids
    case .replace(let old, let new): [old, new]
    case .publish(let new, _): [new.request.replaces, new.request.reactionTo].compactMap { $0 }
    case .relayUp, .timersDue, .membershipChanged, .walk, .serve, .gained, .lost, .resumed, .lookAtSchedules, .barrier,
      .forgetHistory,
      .doubted, .compare,
      .compared, .reconcile, .setRetention, .forgetPosts:
      []
    }
  }
}

/// A post that is ready to be stored.
struct NewPost: Hashable, Sendable {
  let request: PostRequest
  var document: PostDocument
  /// Equal for equal requests.
  let digest: String
  /// When it is published. `nil` means immediately. A scheduled post has no document yet.
  var schedule: PostSchedule?
  /// The request to delete the post that it replaces, if there is one.
  var deletion: PostDocument?
  /// When it was signed, if that preceded the request. Then it may be known already.
  var signedAt: Timestamp?
  /// The request to delete another person's message, if it is one.
  var removal: PostDocument?

  /// The name by which it is found again.
  var name: PostName { PostName(channel: request.channel, networkID: document.networkID) }
}

/// The name of a channel's post on its network.
struct PostName: Hashable, Sendable {
  let channel: ChannelID
  let networkID: String
}

/// The time of publication of an unpublished post.
struct PostRelease: Hashable, Sendable {
  let post: PostID
  /// The time of day. `nil` means now.
  let at: Timestamp?
  /// How late it may still be published, in whole seconds.
  let tolerance: Int
}

/// The next edition of a post that is edited in place.
struct PostRevision: Hashable, Sendable {
  let post: PostID
  /// The number of this edition.
  let edition: Int
  let text: String
  let document: PostDocument
}

/// A due scheduled post that needs its form.
struct PostComposition: Hashable, Sendable {
  let post: PostID
  let channel: ChannelID
  let request: PostRequest
}

/// The answer to a request to publish.
struct PublishedPost: Hashable, Sendable {
  let post: StoredPost
  /// Whether this request published it, instead of an earlier one with the same key.
  let isNew: Bool
}
