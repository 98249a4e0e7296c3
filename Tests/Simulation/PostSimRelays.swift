import Channels
import RelayNetwork
import TestSupport

/// The relays of a run with posts: what they have, whether they can be reached, and what is on its way to them.
struct PostSimRelays {
  struct Pending {
    enum Stage {
      /// It waits in a queue of the network.
      case queued
      /// Its turn has come, and the network waits for `release`.
      case offered
      case left
    }
    let operation: DeliveryOperation
    var stage: Stage
    /// It was answered, and happens once more.
    var isRepeated = false
  }

  struct Relay {
    /// The network's names of the posts that it has.
    var posts: [PostID: String] = [:]
    var isReachable = true
    var refuses = false
  }

  var relays: [String: Relay] = [:]
  var pending: [Pending] = []
  /// What the daemon heard last.
  var reported: [String: Bool] = [:]
  /// Where the daemon was told what is not so, or not told what is.
  var lies: Set<PostLedger.Pair> = []
  private var withdrawn: Set<PostLedger.Pair> = []
  /// The latest operation that this run of the daemon asked for.
  private var begun: [PostLedger.Pair: Int] = [:]

  static func pair(_ operation: DeliveryOperation) -> PostLedger.Pair {
    PostLedger.Pair(post: operation.post, relay: operation.relay)
  }

  mutating func begin(_ operation: DeliveryOperation) throws {
    let pair = Self.pair(operation)
    if operation.task == .withdraw { withdrawn.insert(pair) }
    if operation.task == .publish, withdrawn.contains(pair) { throw Violation("\(pair) is published after its deletion") }
    if let latest = begun[pair], latest >= operation.number { throw Violation("\(pair) asks for #\(operation.number) again") }
    begun[pair] = operation.number
    pending.append(Pending(operation: operation, stage: operation.task == .publish ? .queued : .left))
  }

  /// Whether this run of the daemon asked for an operation.
  func wasAsked(_ number: Int, of pair: PostLedger.Pair) -> Bool { begun[pair] == number }

  mutating func release(_ turn: DeliveryTurn) {
    let index = pending.firstIndex { waiting in
      waiting.stage == .offered && waiting.operation.post == turn.post && waiting.operation.relay == turn.relay
        && waiting.operation.number == turn.number
    }
    guard let index else { return }
    if turn.mayLeave { pending[index].stage = .left } else { pending.remove(at: index) }
  }

  /// What an honest relay does and says.
  mutating func carryOut(_ waiting: Pending) throws -> DeliveryOutcome {
    let pair = Self.pair(waiting.operation)
    let isLate = waiting.isRepeated || begun[pair] != waiting.operation.number
    let outcome = try carryOut(waiting.operation)
    // By now the daemon may know that the relay does not have it.
    if waiting.operation.task == .publish, isLate, outcome == .accepted { lies.insert(pair) }
    return outcome
  }

  private mutating func carryOut(_ operation: DeliveryOperation) throws -> DeliveryOutcome {
    let relay = relays[operation.address] ?? Relay()
    guard relay.isReachable else { return .troubled(Trouble(.unreachable, "connection refused"), retryAfter: nil) }
    switch operation.task {
    case .publish:
      guard !relay.refuses else { return .refused(Trouble(.rejected, "blocked: no")) }
      let name = operation.document.networkID
      if let known = relay.posts[operation.post], known != name {
        throw Violation("\(Self.pair(operation)) is there as \(known) and as \(name)")
      }
      relays[operation.address, default: Relay()].posts[operation.post] = name
      return .accepted
    case .verify: return relay.posts[operation.post] == nil ? .missing : .verified(edition: 1)
    case .withdraw:
      relays[operation.address]?.posts[operation.post] = nil
      return .withdrawn
    }
  }

  /// What a relay does without the daemon hearing of it.
  mutating func carryOutUnheard(_ waiting: Pending) throws {
    _ = try carryOut(waiting)
    if waiting.operation.task == .publish { missed(waiting.operation.post, waiting.operation.relay) }
  }

  /// The daemon does not learn that a relay took a post. If that was after its deletion, no one asks again.
  mutating func missed(_ post: PostID, _ relay: RelayID) {
    let pair = PostLedger.Pair(post: post, relay: relay)
    if withdrawn.contains(pair) { lies.insert(pair) }
  }

  /// The daemon sends nothing more for these posts: some of what had left reaches the relays all the same.
  mutating func abandon(_ posts: Set<PostID>) throws {
    let (gone, rest) = (
      pending.filter { posts.contains($0.operation.post) }, pending.filter { !posts.contains($0.operation.post) }
    )
    // Which of them does not matter, as long as the seed decides it.
    for (place, waiting) in gone.enumerated() where waiting.stage == .left && (place + waiting.operation.number) % 2 == 0 {
      try carryOutUnheard(waiting)
    }
    pending = rest
    begun = begun.filter { !posts.contains($0.key.post) }
  }

  /// The daemon died: some of what had left reaches the relays all the same.
  mutating func loseContact(_ random: inout SplitMix64) throws {
    for waiting in pending where waiting.stage == .left && Bool.random(using: &random) {
      try carryOutUnheard(waiting)
    }
    pending = []
    begun = [:]
    reported = [:]
  }
}
