internal import Channels
internal import RelayNetwork
internal import Storage

/// What was decided about posts and is not durable yet.
struct PostDecision: Answering {
  /// The answer to a request.
  struct Answer: Equatable {
    enum Asker: Equatable {
      case published(Reply<PublishedPost>, isNew: Bool)
      case post(Reply<StoredPost>)
      case nothing(Reply<Void>)
      case retention(Reply<PostRetention>, PostRetention)
    }
    let asker: Asker
    /// The post that it is about; its part of the commit must be stored.
    var post: PostID?
    /// The refusal, if it is one.
    var error: BatonError?
  }

  /// How many inputs it decides.
  var inputCount = 0
  /// The posts that change, in the order in which that was decided.
  private(set) var order: [PostID] = []
  private var place: [PostID: Int] = [:]
  /// The posts that are new.
  var created: Set<PostID> = []
  /// Posts that a new one takes the place of, by that one: both are stored, or neither.
  var companions: [PostID: PostID] = [:]
  /// Posts whose row changes, beside their revision.
  var revised: Set<PostID> = []
  /// Posts whose text or document changes.
  var rewritten: Set<PostID> = []
  /// Posts that clients see differently from now on.
  private(set) var visible: Set<PostID> = []
  /// The deliveries to store.
  private(set) var deliveries: [PostID: Set<RelayID>] = [:]
  var transitions: [PostID: [PostTransitionRow]] = [:]
  /// The routes to store, in the order of channel and relay.
  private(set) var routes: [ChannelID: [RelayID: PostRouteRow]] = [:]
  /// The retentions to store.
  var retentions: [PostRetention] = []
  /// The posts that were published with these idempotency keys.
  var keys: [String: PostID] = [:]
  /// The posts that are these reactions.
  var reactions: [PostReaction: PostID] = [:]
  /// The posts that are new, as far as they are published.
  var names: [PostName: PostID] = [:]
  /// What no one asks for, and must be decided again if this fails.
  var background: [PostInput] = []
  var answers: [Answer] = []
  /// Lanes that may take more.
  var touchedLanes: Set<RelayID> = []
  /// Relays whose comparison went on.
  var compared: Set<RelayID> = []
  /// All posts that were looked at.
  var seen: Set<PostID> = []
  var effects = PostEffects()
  /// The posts whose turn has come and that were let go once this is durable; if it fails, they must not leave.
  var turns: [PostEffects.Turn] = []
  /// The parts of the request, each with its post; `nil` for the routes. The retentions follow, a part for each.
  var parts: [PostID?] = []

  /// Whether nothing has to be stored.
  var storesNothing: Bool { order.isEmpty && routes.isEmpty && retentions.isEmpty }

  mutating func change(_ post: PostID) {
    seen.insert(post)
    guard place.updateValue(order.count, forKey: post) == nil else { return }
    order.append(post)
  }

  /// Notes that clients see the post differently.
  mutating func show(_ post: PostID) {
    change(post)
    visible.insert(post)
  }

  mutating func save(_ post: PostID, _ relay: RelayID) {
    change(post)
    deliveries[post, default: []].insert(relay)
  }

  mutating func append(_ transition: DeliveryMachine.Transition, of post: PostID, at relay: RelayID) {
    show(post)
    transitions[post, default: []].append(
      PostTransitionRow(revision: PendingRevision.unplaced, post: post, relay: relay, transition: transition))
  }

  mutating func save(_ route: PostRouteRow) { routes[route.channel, default: [:]][route.relay] = route }
}

/// What follows from a decision about posts, once it is durable, in this order: subscribers are told, the journal is written, inputs of the
/// engine's own come in, networks get turns, scheduled posts their form, and networks operations and comparisons. Requests are answered
/// last.
///
/// If the commit fails, posts whose turn has come are kept from leaving, and what does not depend on the commit happens: entries and
/// inputs.
struct PostEffects {
  struct Turn: Equatable {
    let network: NetworkKind
    let turn: DeliveryTurn
  }
  struct Performance: Equatable {
    let network: NetworkKind
    let operation: DeliveryOperation
  }
  struct Comparison: Equatable {
    let network: NetworkKind
    let comparison: PostComparison
  }
  /// The newest revision; `nil` if clients see nothing new.
  var revision: Int64?
  /// The posts that clients see differently.
  var changed: Set<PostID> = []
  var journal: [JournalEntry] = []
  var inputs: [PostInput] = []
  var turns: [Turn] = []
  var operations: [Performance] = []
  /// Scheduled posts that are due and are to be given their form.
  var compositions: [PostComposition] = []
  var comparisons: [Comparison] = []
  /// Channels that a relay may have lost, because it has lost posts of theirs.
  var doubted: Set<ChannelID> = []
}
