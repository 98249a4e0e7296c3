import Channels
import RelayNetwork
import Storage
import Synchronization
import TestSupport

@testable import Coordinator

/// Everything outside of the engine for posts. It outlives the crashes of the daemon.
final class PostWorld: SeededWorld {
  /// What happens to the next commit.
  enum CommitFate: SeededFate {
    case works
    /// Nothing was written.
    case fails
    /// It is durable, but no one learns of it.
    case isDurable
    /// It is not durable, and no one learns of that.
    case isLost
    /// One part cannot be stored.
    case refuses
    case crashesBefore
    case crashesAfter
  }

  struct Tally: RunCounts {
    var (seeds, steps, commits, crashes, storageFaults) = (0, 0, 0, 0, 0)
    var (operations, departures, transitions, posts, deletions) = (0, 0, 0, 0, 0)
    var (edits, schedules, comparisons, releases) = (0, 0, 0, 0)
    /// How often another daemon got channels.
    var moves = 0

    mutating func add(_ other: Tally) {
      seeds += other.seeds
      steps += other.steps
      commits += other.commits
      crashes += other.crashes
      storageFaults += other.storageFaults
      operations += other.operations
      departures += other.departures
      transitions += other.transitions
      posts += other.posts
      deletions += other.deletions
      edits += other.edits
      schedules += other.schedules
      releases += other.releases
      comparisons += other.comparisons
      moves += other.moves
    }
  }

  struct WaitingComparison {
    let comparison: PostComparison
    /// What the relay had when it was asked.
    let names: Set<String>
  }

  struct State: SeededState {
    var ledger = PostLedger()
    var inbox: [PostInput] = []
    var relays = PostSimRelays()
    /// Comparisons that are not answered yet.
    var comparisons: [WaitingComparison] = []
    /// Scheduled posts that are due and wait for their form.
    var compositions: [PostComposition] = []
    var isAlive = false
    var wordsLeft: Int?
    var fate = CommitFate.works
    var areReadsBroken = false
    var readsLeft: Int?
    /// Whether storage failed in the present step, and whether it is not known how.
    var (hasFailed, hasDoubt) = (false, false)
    /// Posts of which a part could not be stored. They miss what happened until the next start.
    var damaged: Set<PostID> = []
    /// Requests that the engine has.
    var unanswered = 0
    /// The post that each order led to, as the answers said.
    var acknowledged: [Int: PostID] = [:]
    var violation: Violation?
    var tally = Tally()
    var elsewhere = Elsewhere()

    /// Outcomes that were heard and are not durable are lost.
    mutating func forget(_ inputs: [PostInput]) {
      for case .outcome(let post, let relay, _, .accepted, _) in inputs { relays.missed(post, relay) }
    }
  }

  let clock = SimClock()
  private let longestWait: Duration
  private let state = Mutex(State())
  let trace: Trace

  init(plan: PostPlan, isTraced: Bool) {
    longestWait = plan.policy.repairMax * 2 + plan.policy.queueAllowance + .seconds(3_600)
    trace = Trace(isKept: isTraced)
    for number in plan.refusing { write { $0.relays.relays["ws://r\(number)", default: .init()].refuses = true } }
  }

  func read<T: Sendable>(_ body: (State) -> T) -> T { state.withLock { body($0) } }
  func write<T: Sendable>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }

  /// Does something; the first rule that it breaks is remembered.
  func attempt(_ body: (inout State) throws -> Void) {
    state.withLock { state in
      guard state.violation == nil else { return }
      do {
        try body(&state)
      } catch {
        state.violation = error as? Violation ?? Violation("\(error)")
      }
    }
  }

  /// Begins to give a scheduled post its form.
  func begin(_ composition: PostComposition) {
    guard speaks() else { return }
    note("  compose \(composition.post.rawValue)")
    attempt { state in
      guard state.ledger.posts[composition.post]?.isPublished == false else {
        throw Violation("\(composition.post) is given a form again, or is not durable")
      }
      state.compositions.append(composition)
    }
  }

  func die() {
    write { state in
      state.isAlive = false
      (state.hasFailed, state.hasDoubt) = (true, true)
    }
  }

  // MARK: - Answers

  /// Where the answer to an order goes.
  /// - Parameter name: the network's name of the post that was made for it; `nil` if it is scheduled.
  func reply(toOrder order: Int, text: String, name: String?) -> Reply<PublishedPost> {
    Reply { [self] result in
      guard speaks() else { return }
      attempt { state in
        state.unanswered -= 1
        switch result {
        case .success(let published):
          let id = published.post.row.id
          guard let row = state.ledger.posts[id], row.text == text || row.forgottenAt != nil else {
            throw Violation("order \(order) is answered with \(id), which is not durable or another post")
          }
          guard name == nil || published.isNew == (row.document.networkID == name) else {
            throw Violation("\(id) is new, or is not")
          }
          if let known = state.acknowledged.updateValue(id, forKey: order), known != id {
            throw Violation("order \(order) led to \(known) and to \(id)")
          }
        case .failure(let error):
          if !state.hasDoubt, let name, state.ledger.names[name] != nil {
            throw Violation("order \(order) is refused and stored: \(error)")
          }
        }
      }
      note("  order \(order): \(Self.words(result.map { "post \($0.post.row.id.rawValue)" }))")
    }
  }

  /// Where the answer to another request goes.
  func reply(about post: PostID) -> Reply<StoredPost> {
    Reply { [self] result in
      guard speaks() else { return }
      attempt { state in
        state.unanswered -= 1
        let known = state.ledger.posts[post]
        switch result {
        case .success(let stored):
          guard stored.row == known, stored.deliveries == state.ledger.deliveries(of: post) else {
            throw Violation("a client is told \(stored), which is not durable")
          }
        case .failure(.post(.noSuchPost(let id))):
          if known != nil { throw Violation("a client is told that there is no \(id)") }
        case .failure: break
        }
      }
      note("  answer about \(post.rawValue): \(Self.words(result.map { "post \($0.row.id.rawValue)" }))")
    }
  }

  /// Where the answer to a request to keep posts goes.
  func reply(toRetention wanted: PostRetention) -> Reply<PostRetention> {
    Reply { [self] result in
      guard speaks() else { return }
      attempt { state in
        state.unanswered -= 1
        guard case .success(let retention) = result else { return }
        guard retention == wanted, state.ledger.retentions[wanted.channel] != nil else {
          throw Violation("a client is told \(retention), which is not durable")
        }
      }
      note("  answer about the retention of \(wanted.channel.rawValue): \(Self.words(result.map { _ in "stored" }))")
    }
  }

  private static func words(_ result: Result<String, BatonError>) -> String {
    switch result {
    case .success(let words): words
    case .failure(let error): "\(error)"
    }
  }

  // MARK: - Storage

  /// Whether the store can be read.
  func canRead() -> Bool {
    state.withLock { state in
      let canRead = state.isAlive && !state.areReadsBroken && state.readsLeft != 0
      if let left = state.readsLeft, left > 0 { state.readsLeft = left - 1 }
      if !canRead { state.hasFailed = true }
      return canRead
    }
  }

  func becameDurable(_ mutations: [StoreMutation]) {
    let (now, latest) = (clock.now, clock.now + longestWait)
    attempt { state in
      if !mutations.allSatisfy(\.isUpkeep) { state.tally.commits += 1 }
      for mutation in mutations {
        switch mutation {
        case .appendPostTransition: state.tally.transitions += 1
        case .insertPost: state.tally.posts += 1
        default: break
        }
      }
      for mutation in mutations {
        switch mutation {
        case .saveDelivery(let id, _):
          try state.checkOwner(of: state.ledger.posts[id]?.channel, isWrite: true, "\(id) is written")
        case .appendPostTransition(let row):
          try state.checkOwner(of: state.ledger.posts[row.post]?.channel, isWrite: true, "\(row.post) is written")
        case .insertPost(let row), .updatePost(let row), .rewritePost(let row):
          try state.checkOwner(of: row.channel, isWrite: true, "\(row.id) is written")
        case .savePostRoute(let row):
          try state.checkOwner(of: row.channel, isWrite: true, "a route to \(row.relay) is written")
        case .savePostRetention(let row):
          try state.checkOwner(of: row.channel, isWrite: true, "the retention of \(row.channel) is written")
        default: break
        }
      }
      try state.ledger.apply(mutations, now: now, latest: latest)
    }
    note("  durable: \(mutations.map(Self.words).joined(separator: ", "))")
  }

  // MARK: - Trace

  private static func words(_ mutation: StoreMutation) -> String {
    switch mutation {
    case .insertPost(let row): "post \(row.id.rawValue) '\(row.text)'"
    case .updatePost(let row), .rewritePost(let row): "post \(row.id.rawValue)\(row.deletedAt == nil ? "" : " deleted")"
    case .saveDelivery(let id, let row):
      "\(id.rawValue)@\(row.relay.rawValue) \(row.record.status) \(row.record.task?.rawValue ?? "-") #\(row.record.operation)"
        + (row.hasDeparted ? " departed" : "")
    case .appendPostTransition(let row):
      "r\(row.revision) \(row.post.rawValue)@\(row.relay.rawValue) \(row.transition.from)→\(row.transition.to)"
        + " (\(row.transition.cause?.rawValue ?? "-") \(row.transition.detail))"
    case .savePostRoute(let row):
      "route \(row.channel.rawValue)@\(row.relay.rawValue) \(row.status) from \(row.cursor.rawValue)"
    default: "\(mutation)"
    }
  }
}
