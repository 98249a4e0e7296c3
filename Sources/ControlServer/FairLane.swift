internal import NIOPosix
internal import Storage
internal import Synchronization
internal import Varlink

/// The user who made the call that a task serves.
enum Caller {
  @TaskLocal static var user: UInt32 = 0
  /// 0 for a client of another daemon.
  @TaskLocal static var process: Int32 = 0
  /// The kernel's record of the client, or `nil` if another daemon passed the call on.
  @TaskLocal static var peer: VarlinkPeer?
  /// Whether replies may have other people's messages. Clients that only publish get replies without them.
  @TaskLocal static var mayRead = true

  /// The daemon that passed the call on, in words, or empty for this daemon's own clients.
  @TaskLocal static var origin = ""

  /// The caller, for the journal.
  static var words: String { origin.isEmpty ? "uid \(user), pid \(process)" : "uid \(user) through \(origin)" }
}

/// A few threads for long work, shared by users: no one gets all of them, and waiting users take turns, even if one of them asks for much
/// more.
final class FairLane: Sendable {
  private struct Job: Sendable {
    let id: Int
    /// Resumes the task that waits for the turn of the job.
    let turn: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var running: [UInt32: Int] = [:]
    var waiting: [UInt32: [Job]] = [:]
    /// The users who wait, the next one first.
    var turns: [UInt32] = []
    var lastID = 0
    var isOver = false

    /// Whether a user gets one more now. The last one goes to a user who has none.
    func mayBegin(_ user: UInt32, _ perUserMax: Int) -> Bool {
      let count = running[user, default: 0]
      return count == 0 || (count < perUserMax && free > 1)
    }
  }

  private let threads: NIOThreadPool
  private let perUserMax: Int
  private let state: Mutex<State>

  /// - Parameters:
  ///   - threads: a pool that runs already.
  ///   - count: how many of them are used.
  ///   - perUserMax: how many one user gets at most, even if no one else wants any, because a job that has begun cannot make room.
  init(_ threads: NIOThreadPool, count: Int, perUserMax: Int) {
    self.threads = threads
    self.perUserMax = perUserMax
    state = Mutex(State(free: count))
  }

  /// The jobs that wait or run.
  var count: Int {
    state.withLock { state in
      state.waiting.values.reduce(state.running.values.reduce(0, +)) { $0 + $1.count }
    }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  /// Does something that may block. Its reads from storage end early when its time is up, when the task is cancelled, and when the lane is
  /// shut down.
  /// - Parameter limit: how long it may take, once its turn has come, or `nil` if that is not limited.
  /// - Throws: the errors of `body`, or `CancellationError` when the task was cancelled, or the lane was shut down.
  func run<T: Sendable>(
    for user: UInt32, within limit: Duration? = nil, _ body: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try await turn(for: user) {
      let patience = Patience(limit)
      return try await withTaskCancellationHandler {
        try await threads.runIfActive { [self] in
          do {
            return try Reading.$current.withValue(Reading { [self] in isOver || patience.isOver }) { try body() }
          } catch {
            if let reason = patience.reason { throw reason }
            throw isOver ? CancellationError() : error
          }
        }
      } onCancel: {
        patience.cancel()
      }
    }
  }

  /// Does something in its turn that blocks no thread.
  /// - Throws: the errors of `body`, or `CancellationError` when the task was cancelled before its turn, or the lane was shut down.
  func turn<T: Sendable>(for user: UInt32, _ body: () async throws -> T) async throws -> T {
    try await begin(for: user)
    defer { ended(of: user) }
    return try await body()
  }

  /// Ends the jobs that wait or read, and returns when the threads are done.
  func shutDown() async {
    let jobs = state.withLock { state in
      state.isOver = true
      state.turns = []
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap { $0 }
    }
    for job in jobs { job.turn.resume(throwing: CancellationError()) }
    try? await threads.shutdownGracefully()
  }

  /// Waits for a turn.
  private func begin(for user: UInt32) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Job(id: id, turn: continuation), of: user)
        // If it was cancelled before it was added, it has not been removed yet.
        if Task.isCancelled { cancel(id, of: user) }
      }
    } onCancel: {
      cancel(id, of: user)
    }
  }

  private func add(_ job: Job, of user: UInt32) {
    let isTaken = state.withLock { state in
      guard !state.isOver else { return false }
      if state.waiting[user] == nil { state.turns.append(user) }
      state.waiting[user, default: []].append(job)
      return true
    }
    if isTaken { beginNext() } else { job.turn.resume(throwing: CancellationError()) }
  }

  private func cancel(_ id: Int, of user: UInt32) {
    let job = state.withLock { state -> Job? in
      guard let index = state.waiting[user]?.firstIndex(where: { $0.id == id }) else { return nil }
      let job = state.waiting[user]?.remove(at: index)
      if state.waiting[user]?.isEmpty == true {
        state.waiting[user] = nil
        state.turns.removeAll { $0 == user }
      }
      return job
    }
    job?.turn.resume(throwing: CancellationError())
  }

  /// Begins the jobs that may begin.
  private func beginNext() {
    let jobs = state.withLock { state in
      var jobs: [Job] = []
      while state.free > 0, let turn = state.turns.firstIndex(where: { state.mayBegin($0, perUserMax) }) {
        let user = state.turns.remove(at: turn)
        guard let job = state.waiting[user]?.removeFirst() else { continue }
        if state.waiting[user]?.isEmpty == true { state.waiting[user] = nil } else { state.turns.append(user) }
        state.running[user, default: 0] += 1
        state.free -= 1
        jobs.append(job)
      }
      return jobs
    }
    for job in jobs { job.turn.resume() }
  }

  private func ended(of user: UInt32) {
    state.withLock { state in
      state.free += 1
      let rest = state.running[user, default: 1] - 1
      state.running[user] = rest > 0 ? rest : nil
    }
    beginNext()
  }
}

/// The time limit of a job.
private final class Patience: Sendable {
  private enum Ending { case cancelled, timeIsUp }

  private let limit: Duration?
  private let begin = ContinuousClock.now
  private let ending = Mutex<Ending?>(nil)

  init(_ limit: Duration?) { self.limit = limit }

  func cancel() { ending.withLock { $0 = .cancelled } }

  var isOver: Bool {
    ending.withLock { ending in
      if ending == nil, let limit, begin.duration(to: .now) >= limit { ending = .timeIsUp }
      return ending != nil
    }
  }

  /// Why the job was ended, or `nil` if it was not.
  var reason: (any Error)? {
    switch ending.withLock({ $0 }) {
    case nil: nil
    case .cancelled: CancellationError()
    case .timeIsUp:
      StoreError(
        .inputOutput,
        "the answer would take longer than \(limit?.components.seconds ?? 0) seconds: ask for less, or try again later")
    }
  }
}
