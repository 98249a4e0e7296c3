internal import Channels
internal import RelayNetwork
internal import Storage

/// An input of the engine for posts.
enum PostInput: Sendable, Hashable {
  /// - form: the form that the post has from now on; `nil` if it keeps the one that it has.
  case outcome(PostID, RelayID, number: Int, DeliveryOutcome, form: PostDocument? = nil)
  /// A relay can be reached again.
  case relayUp(RelayID)
  case timersDue
  case publish(NewPost, Reply<PublishedPost>)
  /// - deletion: what relays get; `nil` for a post that is scheduled. If it was published meanwhile, it is not deleted.
  case delete(PostID, PostDocument?, Reply<StoredPost>)
  /// Gives a post its next edition, on a network where posts are edited in place. If the post has changed meanwhile, it stays as it is.
  case edit(PostRevision, Reply<StoredPost>)
  case retry(PostID, RelayID?, Reply<StoredPost>)
  case cancel(PostID, Reply<StoredPost>)
  /// Publishes a post that is not published yet.
  case release(PostRelease, Reply<StoredPost>)
  /// Gives a post that is not published yet another text.
  case rewrite(PostID, PostRequest, Reply<StoredPost>)
  /// A channel got a relay, or left one.
  case membershipChanged(ChannelID)
  /// Go on to give earlier posts a delivery for a relay that was added, or to tell those of one that was removed.
  case walk(ChannelID, RelayID)
  /// The first post is to be deleted if readers find the second, which takes its place, and to stay if they never will.
  case replace(PostID, by: PostID)
  /// A relay may take more.
  case serve(RelayID)
  /// Networks were told to send nothing more, and may send again: what is under way begins again.
  case resumed
  /// Act for the posts of channels in these slots from now on; no one else does any more.
  case gained(SlotSet)
  /// Act for the posts of channels in these slots no more. It answers once everything before is durable.
  case lost(SlotSet, Reply<Void>)
  /// Take up posts that were under way when the daemon last stopped, or when the daemon that had them lost them.
  case takeUp([PostID])
  /// A scheduled post of this channel was due and got its form, or did not.
  case composed(PostID, in: ChannelID, Result<PostDocument, BatonError>)
  /// See which scheduled posts are due.
  case lookAtSchedules
  /// A relay of a channel may have lost what it had, or someone wants to know whether any has.
  case doubted(ChannelID, RelayID?)
  /// Compare relays with what they should hold, as far as that is due.
  case compare
  /// The outcome of a comparison.
  case compared(ChannelID, RelayID, number: Int, PostComparisonOutcome)
  /// Go on to see what differs between a relay and what it should hold.
  case reconcile(RelayID)
  /// Answers once everything before it is done.
  case barrier(Reply<Void>)
  case setRetention(PostRetention, Reply<PostRetention>)

  // What `timersDue` stands for (`PostDecider.unfold`).

  /// An operation under way has taken as long as it may.
  case timeout(PostID, RelayID)
  /// Read posts again that could not be stored.
  case recover([PostID])
  case forgetHistory
  /// Forget posts that are beyond the retention of their channels.
  case forgetPosts

  /// Whether it is the alarm that the engine set.
  var isWaking: Bool { if case .timersDue = self { true } else { false } }

  /// Answers a request that is not decided any more.
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

  /// The posts that it names, and that must be awake for it.
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
  /// When it is published; `nil` if that is at once. A post with a schedule has no document yet.
  var schedule: PostSchedule?
  /// The request to delete the post that it takes the place of, if it does.
  var deletion: PostDocument?
  /// When it was signed, if that was before it was asked for; then it may be known already.
  var signedAt: Timestamp?
  /// The request to delete a message of others, if it is one.
  var removal: PostDocument?

  /// How it is found again.
  var name: PostName { PostName(channel: request.channel, networkID: document.networkID) }
}

/// What the network calls a post of a channel.
struct PostName: Hashable, Sendable {
  let channel: ChannelID
  let networkID: String
}

/// When a post is published that is not published yet.
struct PostRelease: Hashable, Sendable {
  let post: PostID
  /// By the time of day; `nil` for now.
  let at: Timestamp?
  /// For how long after that it is still published, in whole seconds.
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

/// A scheduled post that is due, and is given its form.
struct PostComposition: Hashable, Sendable {
  let post: PostID
  let channel: ChannelID
  let request: PostRequest
}

/// The answer to a request to publish.
struct PublishedPost: Hashable, Sendable {
  let post: StoredPost
  /// Whether this request published it, and not an earlier one with the same key.
  let isNew: Bool
}
