public import Channels
public import RelayNetwork
internal import Synchronization

/// What the relays of a `FakeNetwork` do with posts, and what was asked of them that must never be asked.
public final class FakePosts: Sendable {
  /// What is peculiar about a relay, in addition to its `FakeNetwork.Behaviour`.
  public struct Manner: Sendable {
    /// It takes posts and deletions, and says nothing.
    public var isMute = false
    /// How many posts it takes before it says that the rate is limited.
    public var limit: Int?
    /// It confirms deletions, and serves the post all the same.
    public var keepsDeleted = false
    /// The turn of a post does not come before `giveTurns`.
    public var holdsTurns = false
    /// The channel has left it: no post may leave for it any more.
    public var isClosed = false
    /// It finds every post too old.
    public var wantsNewer = false
    /// A comparison finds none of its posts, though readers do.
    public var hidesFromComparisons = false

    public init() {}
  }

  /// A post at the address of a relay.
  private struct Place: Hashable {
    let post: PostID
    let address: String
  }

  private struct State {
    var manners: [String: Manner] = [:]
    var nextID = 0
    /// The network's names of the posts that relays have.
    var stored: [Place: String] = [:]
    /// The texts that relays have, where posts are edited in place.
    var texts: [Place: String] = [:]
    var editsInPlace = false
    var channelsHaveMembers = false
    var listsNothing = false
    /// How often each post left for each relay.
    var departures: [Place: Int] = [:]
    /// Posts that wait for their turn, or for `release`.
    var waiting: [Place: DeliveryOperation] = [:]
    /// Where a deletion was asked for.
    var withdrawn: Set<Place> = []
    /// Posts with an operation that is not over, by address.
    var underWay: [String: Set<PostID>] = [:]
    var mostUnderWay: [String: Int] = [:]
    var operations = 0
    var withheld = 0
    var comparisons: [PostComparison] = []
    var violations: [String] = []
  }
  private let state = Mutex(State())

  init() {}

  /// Whether an edit changes a post in place.
  /// Whether someone can belong to a channel that is no group.
  public var channelsHaveMembers: Bool {
    get { state.withLock { $0.channelsHaveMembers } }
    set { state.withLock { $0.channelsHaveMembers = newValue } }
  }

  public var editsInPlace: Bool {
    get { state.withLock { $0.editsInPlace } }
    set { state.withLock { $0.editsInPlace = newValue } }
  }
  /// Whether relays do not say what they hold.
  public var listsNothing: Bool {
    get { state.withLock { $0.listsNothing } }
    set { state.withLock { $0.listsNothing = newValue } }
  }
  /// The text that a relay has of a post that is edited in place.
  public func text(of post: PostID, at address: String) -> String? {
    state.withLock { $0.texts[Place(post: post, address: address)] }
  }

  public func change(at address: String, _ body: (inout Manner) -> Void) {
    state.withLock { body(&$0.manners[address, default: Manner()]) }
  }
  /// Takes over what the relays have.
  func adopt(_ earlier: FakePosts) {
    let old = earlier.state.withLock { $0 }
    state.withLock { state in
      (state.manners, state.nextID, state.stored) = (old.manners, old.nextID, old.stored)
      (state.texts, state.editsInPlace) = (old.texts, old.editsInPlace)
      (state.departures, state.withdrawn, state.violations) = (old.departures, old.withdrawn, old.violations)
    }
  }
  /// The relay loses a post.
  public func lose(_ post: PostID, at address: String) {
    state.withLock { $0.stored[Place(post: post, address: address)] = nil }
  }
  public func isStored(_ post: PostID, at address: String) -> Bool {
    state.withLock { $0.stored[Place(post: post, address: address)] != nil }
  }
  public func storedCount(at address: String) -> Int { state.withLock { $0.stored.keys.count { $0.address == address } } }
  /// The network's names of the posts that a relay has.
  public func names(at address: String) -> Set<String> {
    state.withLock { Set($0.stored.filter { $0.key.address == address }.values) }
  }
  /// How often a post left for a relay.
  public func departures(of post: PostID, for address: String) -> Int {
    state.withLock { $0.departures[Place(post: post, address: address)] ?? 0 }
  }
  /// The largest number of times that a post left for one relay.
  public var mostDepartures: Int { state.withLock { $0.departures.values.max() ?? 0 } }
  /// How many posts had an operation under way to a relay at once, at most.
  public func mostUnderWay(at address: String) -> Int { state.withLock { $0.mostUnderWay[address] ?? 0 } }
  public func underWay(at address: String) -> Int { state.withLock { $0.underWay[address]?.count ?? 0 } }
  /// The number of operations that were asked for.
  public var operations: Int { state.withLock { $0.operations } }
  /// How many posts whose turn had come were not allowed to leave.
  public var withheld: Int { state.withLock { $0.withheld } }
  /// The comparisons that were asked for.
  public var comparisons: [PostComparison] { state.withLock { $0.comparisons } }
  /// The relay serves a post that it does not have, or had deleted.
  public func serveAgain(_ post: PostID, named name: String, at address: String) {
    state.withLock { $0.stored[Place(post: post, address: address)] = name }
  }
  /// What must never happen.
  public var violations: [String] { state.withLock { $0.violations } }
}

extension FakePosts {
  func nextName() -> String {
    state.withLock { state in
      state.nextID += 1
      return "post\(state.nextID)"
    }
  }

  /// - Returns: what the network says of the operation at once.
  func begin(_ operation: DeliveryOperation, _ behaviour: FakeNetwork.Behaviour) -> DeliveryOutcome? {
    state.withLock { state in
      state.operations += 1
      state.underWay[operation.address, default: []].insert(operation.post)
      let count = state.underWay[operation.address]?.count ?? 0
      state.mostUnderWay[operation.address] = max(count, state.mostUnderWay[operation.address] ?? 0)
      let outcome = Self.answer(operation, behaviour, &state)
      if let outcome, outcome != .handedOver { state.underWay[operation.address]?.remove(operation.post) }
      return outcome
    }
  }

  private static func answer(
    _ operation: DeliveryOperation, _ behaviour: FakeNetwork.Behaviour, _ state: inout State
  ) -> DeliveryOutcome? {
    let place = Place(post: operation.post, address: operation.address)
    let manner = state.manners[operation.address] ?? Manner()
    if operation.task == .withdraw {
      if operation.deletion == nil { state.violations.append("\(place) is withdrawn without a deletion") }
      state.withdrawn.insert(place)
    }
    switch (behaviour, operation.task) {
    case (.silent, .publish):
      state.waiting[place] = operation
      return nil
    case (.silent, _): return nil
    case (.unreachable, _), (.away, _): return .troubled(Trouble(.unreachable, "connection refused"), retryAfter: nil)
    case (_, .publish):
      state.waiting[place] = operation
      return manner.holdsTurns ? nil : .handedOver
    case (_, .verify):
      if manner.isMute { return nil }
      if state.stored[place] == nil { return .missing }
      // Whoever reads sees whether that is what was asked for, and so the newest edition.
      let isNewest = state.editsInPlace && state.texts[place] == operation.document.text
      return .verified(edition: isNewest ? .max : 1)
    case (.refuses, .withdraw): return .refused(Trouble(.rejected, "blocked: no deletions"))
    case (_, .withdraw):
      if !manner.keepsDeleted { state.stored[place] = nil }
      return manner.isMute ? nil : .withdrawn
    }
  }

  /// A post whose turn has come leaves, or does not.
  /// - Returns: the operation with what the relay says.
  func leave(_ turn: DeliveryTurn, at addresses: (DeliveryOperation) -> FakeNetwork.Behaviour) -> (
    DeliveryOperation, DeliveryOutcome
  )? {
    let waiting = state.withLock { state in
      state.waiting.first { $0.key.post == turn.post && $0.value.relay == turn.relay && $0.value.number == turn.number }?.value
    }
    guard let waiting else { return nil }
    let behaviour = addresses(waiting)
    return state.withLock { state in
      let place = Place(post: waiting.post, address: waiting.address)
      state.waiting[place] = nil
      if turn.mayLeave, behaviour == .works { state.texts[place] = (turn.document ?? waiting.document).text }
      guard turn.mayLeave else {
        state.withheld += 1
        state.underWay[waiting.address]?.remove(waiting.post)
        return nil
      }
      guard let outcome = Self.arrive(waiting, place, behaviour, &state) else { return nil }
      state.underWay[waiting.address]?.remove(waiting.post)
      return (waiting, outcome)
    }
  }

  private static func arrive(
    _ operation: DeliveryOperation, _ place: Place, _ behaviour: FakeNetwork.Behaviour, _ state: inout State
  ) -> DeliveryOutcome? {
    var manner = state.manners[place.address] ?? Manner()
    if state.withdrawn.contains(place) { state.violations.append("\(place) left after its deletion") }
    if manner.isClosed { state.violations.append("\(place) left after the channel had left the relay") }
    if let limit = manner.limit {
      guard limit > 0 else { return .troubled(Trouble(.rateLimited, "rate-limited: slow down"), retryAfter: .seconds(60)) }
      manner.limit = limit - 1
      state.manners[place.address] = manner
    }
    state.departures[place, default: 0] += 1
    if manner.wantsNewer { return .skipped(Trouble(.tooOld, "invalid: created_at is too early")) }
    switch behaviour {
    case .refuses: return .refused(Trouble(.rejected, "blocked: no"))
    case .unreachable, .away: return .troubled(Trouble(.unreachable, "connection reset"), retryAfter: nil)
    case .loses: return .accepted
    case .silent: return nil
    case .works, .limited:
      let name = operation.document.networkID
      if let known = state.stored.updateValue(name, forKey: place), known != name {
        state.violations.append("\(place) is stored as \(known) and as \(name)")
      }
      return manner.isMute ? nil : .accepted
    }
  }

  /// The posts whose turn a relay has held back.
  func takeTurns(at address: String) -> [DeliveryOperation] {
    state.withLock { state in
      state.manners[address]?.holdsTurns = false
      return state.waiting.values.filter { $0.address == address }.sorted { $0.post < $1.post }
    }
  }

  /// - Returns: what a comparison finds; `nil` if the relay does not answer.
  func compare(_ comparison: PostComparison, _ behaviour: FakeNetwork.Behaviour) -> PostComparisonOutcome? {
    state.withLock { state in
      state.comparisons.append(comparison)
      if state.listsNothing { return .failed(Trouble(.notSupported, "relays do not say what they hold")) }
      switch behaviour {
      case .silent: return nil
      case .unreachable, .away: return .failed(Trouble(.unreachable, "connection refused"))
      case .limited: return .failed(Trouble(.rateLimited, "rate-limited: slow down"))
      case .works, .refuses, .loses:
        let isHidden = state.manners[comparison.address]?.hidesFromComparisons == true
        let names = isHidden ? [] : state.stored.filter { $0.key.address == comparison.address }.map(\.value)
        // A list of posts has no reactions.
        let ids = names.filter { !$0.hasPrefix("reaction") }
        return .served(
          ServedPosts(ids: Set(ids), from: Timestamp(milliseconds: 0), until: Timestamp(milliseconds: .max)))
      }
    }
  }
}
