import Cluster
import PostgreSQL
import PostgreSQLStore
import Synchronization
import TestSupport
import Testing

/// Several daemons' keepers, and what each of them has. It looks at every step whether two may act on one slot.
final class Keepers: Sendable {
  struct Daemon {
    var keeper: SessionKeeper
    var owned: Set<Int> = []
    var session: SessionMachine.ID?
    /// Everything that it was told.
    var news: [SessionNews] = []
    /// Slots that it was told to let go of, and has not.
    var isHeld = false

    var troubles: [String] { news.compactMap { if case .trouble(let words) = $0 { words } else { nil } } }
    var suspensions: Int { news.count { $0 == .suspended } }
    var endings: Int { news.count { if case .ended = $0 { true } else { false } } }
  }

  private struct Waiter {
    let isDone: @Sendable ([String: Daemon]) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var daemons: [String: Daemon] = [:]
    var tasks: [String: Task<Void, Never>] = [:]
    var violations: [String] = []
    /// Daemons that do not let go of slots.
    var holding: Set<String> = []
    var waiting: [Int: Waiter] = [:]
    var lastWaiter = 0
  }

  private let state = Mutex(State())
  let cluster: PostgreSQLCluster

  /// How long sessions live. Long enough for a busy machine, where none may end.
  private let lifetime: Duration
  private let grace: Duration

  init(_ cluster: PostgreSQLCluster, lifetime: Duration = .milliseconds(1_500), grace: Duration = .milliseconds(300)) {
    self.cluster = cluster
    self.lifetime = lifetime
    self.grace = grace
  }

  func settings(_ name: String) throws -> SessionKeeper.Settings {
    var settings = SessionKeeper.Settings(address: try PostgreSQLAddress(cluster.address()), name: name, version: "1")
    settings.session = .init(lifetime: lifetime, margin: .milliseconds(150), retry: .milliseconds(100))
    settings.balance = .init(calm: .milliseconds(800), grace: grace)
    settings.poll = .milliseconds(100)
    // A test machine may be slow; what is to be late is made late.
    settings.timeout = .milliseconds(1_200)
    return settings
  }

  /// - Parameter other: what the daemon is called in the database, if that is something else.
  func start(_ name: String, called other: String? = nil, hasCore: Bool = false) throws {
    var settings = try settings(other ?? name)
    settings.hasCore = hasCore
    let keeper = SessionKeeper(settings)
    state.withLock { $0.daemons[name] = Daemon(keeper: keeper) }
    let task = Task { [self] in await keeper.run { await self.take($0, name) } }
    state.withLock { $0.tasks[name] = task }
  }

  /// As if the process had been killed.
  func crash(_ name: String) async {
    let task = state.withLock { state in
      state.daemons[name] = nil
      return state.tasks.removeValue(forKey: name)
    }
    task?.cancel()
    await task?.value
  }

  func stop(_ name: String, beginsAgain: Bool) async {
    let (keeper, task) = state.withLock { state in
      (state.daemons.removeValue(forKey: name)?.keeper, state.tasks.removeValue(forKey: name))
    }
    keeper?.stop(beginsAgain: beginsAgain)
    await task?.value
  }

  func stopAll() async {
    for name in state.withLock({ Array($0.tasks.keys) }) { await stop(name, beginsAgain: false) }
    await cluster.stop()
    #expect(violations == [])
  }

  /// Whether a daemon keeps what it was told to let go of.
  func hold(_ name: String, _ isHeld: Bool) {
    state.withLock { if isHeld { $0.holding.insert(name) } else { $0.holding.remove(name) } }
    changed()
  }

  subscript(_ name: String) -> Daemon? { state.withLock { $0.daemons[name] } }
  var violations: [String] { state.withLock { $0.violations } }

  private func take(_ news: SessionNews, _ name: String) async {
    if case .lost = news, state.withLock({ $0.holding.contains(name) }) {
      state.withLock { $0.daemons[name]?.isHeld = true }
      changed()
      await wait { $0[name]?.isHeld != true }
    }
    state.withLock { state in
      state.daemons[name]?.news.append(news)
      switch news {
      case .began(let id): state.daemons[name]?.session = id
      case .gained(let slots): state.daemons[name]?.owned.formUnion(slots)
      case .lost(let slots): state.daemons[name]?.owned.subtract(slots)
      case .ended:
        state.daemons[name]?.session = nil
        state.daemons[name]?.owned = []
      case .connected, .pinned, .noSlotLeft, .suspended, .resumed, .trouble, .nameIsTaken, .nameIsFree: break
      }
    }
    changed()
  }

  private func changed() {
    let done = state.withLock { state in
      for name in state.daemons.keys where !state.holding.contains(name) { state.daemons[name]?.isHeld = false }
      for (one, a) in state.daemons where a.session != nil && a.keeper.trust.session == a.session {
        for (other, b) in state.daemons where other > one && b.session != nil && b.keeper.trust.session == b.session {
          if !a.owned.isDisjoint(with: b.owned) { state.violations.append("\(one) and \(other) act on the same slots") }
        }
      }
      let daemons = state.daemons
      let done = state.waiting.filter { $0.value.isDone(daemons) }
      for number in done.keys { state.waiting[number] = nil }
      return done.values
    }
    for one in done { one.continuation.resume() }
  }

  /// Waits until something is so, or the test is out of time.
  func wait(_ isDone: @escaping @Sendable ([String: Daemon]) -> Bool) async {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.waiting[number] = Waiter(isDone: isDone, continuation: continuation) }
        if Task.isCancelled { giveUp(number) }
        changed()
      }
    } onCancel: {
      giveUp(number)
    }
  }

  private func giveUp(_ number: Int) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
  }

  /// Waits until these daemons have equal shares of everything.
  func waitUntilShared(_ names: [String]) async {
    await wait { daemons in
      let counts = names.map { daemons[$0]?.owned.count ?? 0 }
      return counts.reduce(0, +) == 1_024 && (counts.max() ?? 0) - (counts.min() ?? 0) <= 1
    }
  }

  /// A connection as an administrator has it.
  func connection(_ name: String = "test") async throws -> PostgreSQLConnection {
    try await PostgreSQLConnection.open(
      try PostgreSQLAddress(cluster.address()), name: name, schema: DatabaseSchema.name, hostTimeout: .seconds(60))
  }
}
