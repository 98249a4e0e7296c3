internal import Channels
internal import RelayNetwork
internal import Storage

/// A decision about posts that is not durable yet.
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
    /// The post that it is about, if the answer needs its part of the commit.
    var post: PostID?
    /// The refusal, if it is one.
    var error: BatonError?
  }

  /// The number of inputs that it decides.
  var inputCount = 0
  /// The posts that change, in the order of their decisions.
  private(set) var order: [PostID] = []
  private var place: [PostID: Int] = [:]
  /// The posts that are new.
  var created: Set<PostID> = []
  /// Posts that a new one replaces, by the new one. Both are stored, or neither.
  var companions: [PostID: PostID] = [:]
  /// Posts whose row changes in more than the revision.
  var revised: Set<PostID> = []
  /// Posts whose text or document changes.
  var rewritten: Set<PostID> = []
  /// Posts that change for clients.
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
  /// The new published posts by name.
  var names: [PostName: PostID] = [:]
  /// Inputs that no request waits for, and that must be decided again if this fails.
  var background: [PostInput] = []
  var answers: [Answer] = []
  /// Lanes that may start more operations.
  var touchedLanes: Set<RelayID> = []
  /// Relays whose comparison continued.
  var compared: Set<RelayID> = []
  /// All posts that were examined.
  var seen: Set<PostID> = []
  var effects = PostEffects()
  /// The posts whose turn has come, and which may leave once this is durable. If it fails, they must not leave.
  var turns: [PostEffects.Turn] = []
  /// The parts of the request with their posts. `nil` for the routes. The retentions follow, with one part for each.
  var parts: [PostID?] = []

  /// Whether there is nothing to store.
  var storesNothing: Bool { order.isEmpty && routes.isEmpty && retentions.isEmpty }

  mutating func change(_ post: PostID) {
    seen.insert(post)
    guard place.updateValue(order.count, forKey: post) == nil else { return }
    order.append(post)
  }

  /// Records that the post changes for clients.
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

/// The effects of a decision about posts, once it is durable, in this order: subscribers are informed, the journal is written, own inputs
/// come in, networks get turns, scheduled posts their form, and networks operations and comparisons. Requests are answered last.
///
/// If the commit fails, posts whose turn has come are kept from leaving, and only effects that do not depend on the commit happen: entries
/// and inputs.
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
  /// The newest revision. `nil` if nothing changes for clients.
  var revision: Int64?
  /// The posts that change for clients.
  var changed: Set<PostID> = []
  var journal: [JournalEntry] = []
  var inputs: [PostInput] = []
  var turns: [Turn] = []
  var operations: [Performance] = []
  /// Due scheduled posts that need their form.
  var compositions: [PostComposition] = []
  var comparisons: [Comparison] = []
  /// Channels that a relay may have lost, because it has lost posts of them.
  var doubted: Set<ChannelID> = []
}
