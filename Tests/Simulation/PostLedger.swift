import Channels
import RelayNetwork
import Storage
import Store
import TestSupport

/// What is durable of posts, kept apart from the store and checked with every commit. It knows the rules of docs/design/posts.md, not the
/// code.
struct PostLedger {
  struct Pair: Hashable {
    let post: PostID
    let relay: RelayID
  }

  private(set) var posts: [PostID: PostRow] = [:]
  /// In the order of their ids.
  private(set) var order: [PostID] = []
  private var deliveries: [PostID: [RelayID: DeliveryRow]] = [:]
  private(set) var routes: [ChannelID: [RelayID: PostRouteRow]] = [:]
  /// The network's names of posts.
  private(set) var names: [String: PostID] = [:]
  private(set) var keys: [String: PostID] = [:]
  private(set) var transitions: [Int64: PostTransitionRow] = [:]
  /// Where the history of each delivery stands.
  private var ends: [Pair: DeliveryStatus] = [:]
  private(set) var revision: Int64 = 0
  /// Posts that someone wants to be deleted, wherever other posts take their place.
  var unwanted: Set<PostID> = []
  private(set) var retentions: [ChannelID: PostRetention] = [:]

  /// What the network of the simulation leaves of the document of a post that is forgotten.
  static let remnant = "what is left"

  /// The deliveries of a post, in the order of their relays.
  func deliveries(of post: PostID) -> [DeliveryRow] {
    (deliveries[post] ?? [:]).values.sorted { $0.relay < $1.relay }
  }

  subscript(_ pair: Pair) -> DeliveryRow? { deliveries[pair.post]?[pair.relay] }

  /// Takes a commit in.
  /// - Parameters:
  ///   - now: the time of day.
  ///   - latest: the time until which a delivery may wait.
  /// - Throws: `Violation` when it breaks a rule.
  mutating func apply(_ mutations: [StoreMutation], now: Timestamp, latest: Timestamp) throws {
    let before = revision
    let deleted = Set(order.filter { posts[$0]?.deletedAt != nil })
    var (touched, counted): (Set<Pair>, Set<PostID>) = ([], [])
    let known = posts
    for mutation in mutations {
      switch mutation {
      case .insertPost(let row):
        try insert(row, after: before)
        counted.insert(row.id)
      case .updatePost(let row), .rewritePost(let row):
        try update(row, now: now, after: before)
        counted.insert(row.id)
      case .saveDelivery(let id, let row):
        try save(id, row, latest)
        touched.insert(Pair(post: id, relay: row.relay))
      case .appendPostTransition(let row):
        try append(row, after: before)
        touched.insert(Pair(post: row.post, relay: row.relay))
      case .savePostRoute(let row): routes[row.channel, default: [:]][row.relay] = row
      case .savePostRetention(let retention): retentions[retention.channel] = retention
      case .forgetPostHistory: break
      default: throw Violation("the engine of posts writes something else: \(mutation)")
      }
    }
    for pair in touched {
      guard let record = self[pair]?.record, record.status == ends[pair] ?? .pending else {
        throw Violation("\(pair) is not what its history says: \(String(describing: ends[pair]))")
      }
    }
    for id in counted where posts[id]?.forgottenAt != nil && known[id]?.forgottenAt == nil { try checkRest(of: id) }
    for id in counted {
      let count = deliveries[id]?.count ?? 0
      guard posts[id]?.deliveryCount == count else { throw Violation("\(id) has \(count) deliveries and claims others") }
      if posts[id]?.deletedAt != nil, !deleted.contains(id) { try checkReason(toDelete: id) }
    }
  }

  /// A post that no one wants to be deleted makes place for one that readers find, and for no other.
  private func checkReason(toDelete id: PostID) throws {
    guard !unwanted.contains(id) else { return }
    var next = posts[id]?.replacedBy
    while let successor = next {
      if deliveries[successor]?.values.contains(where: { $0.record.shown > 0 }) == true { return }
      next = posts[successor]?.replacedBy
    }
    throw Violation("\(id) is deleted, and readers find nothing in its place")
  }

  private mutating func use(_ number: Int64, after before: Int64) throws {
    guard number > before else { throw Violation("revision \(number) is used again, the latest was \(before)") }
    revision = max(revision, number)
  }

  private mutating func insert(_ row: PostRow, after before: Int64) throws {
    guard posts[row.id] == nil, order.last.map({ $0 < row.id }) ?? true else { throw Violation("\(row.id) is used again") }
    try name(row)
    if let key = row.idempotencyKey, keys.updateValue(row.id, forKey: key) != nil {
      throw Violation("the key '\(key)' led to two posts")
    }
    try use(row.revision, after: before)
    posts[row.id] = row
    order.append(row.id)
  }

  /// Every post that is published has a name of its own.
  private mutating func name(_ row: PostRow) throws {
    guard row.isPublished != row.document.networkID.isEmpty else {
      throw Violation("\(row.id) is published and has no name, or the other way round")
    }
    if row.isPublished, names.updateValue(row.id, forKey: row.document.networkID) != nil {
      throw Violation("'\(row.document.networkID)' led to two posts")
    }
  }

  private mutating func update(_ row: PostRow, now: Timestamp, after before: Int64) throws {
    guard let known = posts[row.id] else { throw Violation("\(row.id) is changed before it is stored") }
    guard known.channel == row.channel else { throw Violation("\(row.id) becomes another post") }
    var expected = known
    if known.forgottenAt == nil, let time = row.forgottenAt {
      try checkLimit(of: known)
      expected.forget(at: time, keeping: Self.remnant)
    }
    guard expected.text == row.text, expected.forgottenAt == row.forgottenAt else {
      throw Violation("\(row.id) becomes another post")
    }
    if known.isPublished {
      guard expected.document == row.document, row.isPublished else { throw Violation("\(row.id) becomes another post") }
    } else if row.isPublished {
      try name(row)
      // It counts when that was decided; the commit may take its time.
      let date = row.createdAt
      guard let schedule = row.schedule, schedule.publishAt <= date, date <= schedule.deadline, date <= now else {
        throw Violation("\(row.id) is published at \(date), and that was not its time: \(known)")
      }
    }
    guard known.deletedAt == nil || known.deletedAt == row.deletedAt && known.deletion == row.deletion else {
      throw Violation("\(row.id) was deleted and comes back, or is deleted otherwise")
    }
    guard row.isPublished ? (row.deletedAt == nil && row.replacedBy == nil) == (row.deletion == nil) : row.deletion == nil
    else {
      throw Violation("\(row.id) is deleted by halves")
    }
    if row.revision != known.revision { try use(row.revision, after: before) }
    posts[row.id] = row
  }

  /// Whether a post is beyond what its channel keeps. How old it is depends on when someone asked.
  private func checkLimit(of row: PostRow) throws {
    guard let retention = retentions[row.channel], !retention.isUnlimited else {
      throw Violation("\(row.id) is forgotten, and its channel keeps all posts")
    }
    guard retention.days == nil, let count = retention.count else { return }
    let newer = posts.values.count {
      $0.channel == row.channel && $0.forgottenAt == nil && ($0.createdAt, $0.id) > (row.createdAt, row.id)
    }
    guard newer >= count else { throw Violation("\(row.id) is forgotten, and is among the newest \(count)") }
  }

  /// Whether no one can want to send a post any more. The request to delete it does not need what it says.
  private func checkRest(of id: PostID) throws {
    for row in deliveries(of: id) where !row.hasDeparted {
      let awaitsDeletion = [.deleting, .stillServed].contains(row.record.status) && !row.record.isUnderWay
      guard row.record.task == nil || awaitsDeletion else {
        throw Violation("\(id) is forgotten, and is on its way to \(row.relay): \(row.record)")
      }
    }
  }

  private mutating func save(_ id: PostID, _ row: DeliveryRow, _ latest: Timestamp) throws {
    let pair = Pair(post: id, relay: row.relay)
    guard let post = posts[id], post.isPublished else {
      throw Violation("a delivery of \(id) is stored, which is not published")
    }
    if let known = self[pair]?.record {
      guard known.operation <= row.record.operation else { throw Violation("\(pair) uses operation numbers again") }
      guard !known.isDeletionRequested || row.record.isDeletionRequested else {
        throw Violation("\(pair) forgets the deletion")
      }
    }
    guard row.record.machine(salt: 0, edition: post.edition) != nil else {
      throw Violation("\(pair) contradicts itself: \(row.record)")
    }
    if let timer = row.record.timer, timer > latest { throw Violation("\(pair) waits until \(timer), for too long") }
    if row.hasDeparted, row.record.task != nil { throw Violation("\(pair) departed and has work left") }
    deliveries[id, default: [:]][row.relay] = row
  }

  private mutating func append(_ row: PostTransitionRow, after before: Int64) throws {
    let pair = Pair(post: row.post, relay: row.relay)
    try use(row.revision, after: before)
    guard transitions.updateValue(row, forKey: row.revision) == nil else { throw Violation("\(row.revision) is used twice") }
    guard row.transition.from == ends[pair] ?? .pending else {
      throw Violation("\(pair): the history has a gap before \(row.transition)")
    }
    if [.failed, .skipped, .stillServed, .unsupported].contains(row.transition.to) {
      guard row.transition.cause != nil, !row.transition.detail.isEmpty else {
        throw Violation("\(pair): \(row.transition.to) without a reason")
      }
    }
    ends[pair] = row.transition.to
  }

  // MARK: - What the engine does outside

  /// Whether the network may be asked for an operation.
  func check(_ operation: DeliveryOperation) throws {
    let pair = Pair(post: operation.post, relay: operation.relay)
    guard let post = posts[operation.post], let row = self[pair] else {
      throw Violation("\(operation.task) of \(pair), which is not durable")
    }
    guard row.record.operation == operation.number, row.record.isUnderWay, !row.hasDeparted else {
      throw Violation("\(operation.task) #\(operation.number) of \(pair), and what is durable is \(row)")
    }
    let isExpected =
      switch operation.task {
      case .publish: row.record.task == .publish && post.deletedAt == nil && post.forgottenAt == nil
      case .verify: [.verify, .verifyWithdrawn, .verifyRefused].contains(row.record.task)
      case .withdraw: row.record.task == .withdraw && post.deletedAt != nil && operation.deletion == post.deletion
      }
    guard isExpected, operation.document == post.document else {
      throw Violation("\(operation.task) of \(pair), and what is durable is \(row)")
    }
  }

  /// Whether a post may leave now.
  /// - Parameter isDamaged: whether no one could tell it that its channel left a relay.
  func check(_ turn: DeliveryTurn, isDamaged: Bool) throws {
    guard turn.mayLeave else { return }
    let pair = Pair(post: turn.post, relay: turn.relay)
    guard let post = posts[turn.post], let row = self[pair] else { throw Violation("\(pair) leaves and is not durable") }
    let record = row.record
    guard record.status == .sent, record.task == .publish, record.isUnderWay, record.operation == turn.number, record.left > 0
    else { throw Violation("\(pair) leaves, and what is durable is \(record)") }
    guard post.deletedAt == nil, !record.isDeletionRequested else { throw Violation("\(pair) leaves after its deletion") }
    guard post.forgottenAt == nil else { throw Violation("\(pair) leaves after it was forgotten") }
    guard !row.hasDeparted, isDamaged || routes[post.channel]?[turn.relay]?.status != .left else {
      throw Violation("\(pair) leaves after the channel left the relay")
    }
  }

  /// Whether the store has all of this, and nothing else.
  func compare(with store: Store) throws {
    for id in order {
      guard let row = posts[id], let stored = try store.post(id) else { throw Violation("\(id) is gone") }
      guard stored.row == row, stored.deliveries == deliveries(of: id) else {
        throw Violation("\(id) is stored as \(stored), and should be \(row) with \(deliveries(of: id))")
      }
      let history = try store.postTransitions(of: id, limit: .max)
      guard history == transitions.values.filter({ $0.post == id }).sorted(by: { $0.revision < $1.revision }) else {
        throw Violation("the history of \(id) is stored otherwise")
      }
    }
    let counters = try store.postCounters()
    guard counters == PostCounters(post: order.last?.rawValue ?? 0, revision: revision) else {
      throw Violation("the store counts \(counters)")
    }
    for (channel, retention) in retentions where try store.postRetention(of: channel) != retention {
      throw Violation("the posts of \(channel) are kept otherwise than \(retention)")
    }
    let stored = try store.postRoutes(of: Set(routes.keys))
    let mine = routes.values.flatMap(\.values).sorted { ($0.channel, $0.relay) < ($1.channel, $1.relay) }
    guard stored == mine else { throw Violation("the routes are \(stored), and should be \(mine)") }
  }
}
