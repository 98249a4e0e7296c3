internal import NIOPosix
internal import Synchronization
internal import Varlink

/// The user who made the call that a task serves.
enum Caller {
  @TaskLocal static var user: UInt32 = 0
  /// 0 for a client of another daemon.
  @TaskLocal static var process: Int32 = 0
  /// What the kernel says of the client; `nil` if another daemon passed the call on.
  @TaskLocal static var peer: VarlinkPeer?
  /// Whether replies may have what others say. Clients that only publish get them without.
  @TaskLocal static var mayRead = true

  /// The daemon that passed the call on, in words; empty for this daemon's own clients.
  @TaskLocal static var origin = ""

  /// Who calls, for the journal.
  static var words: String { origin.isEmpty ? "uid \(user), pid \(process)" : "uid \(user) through \(origin)" }
}

/// A few threads for long work, shared by users: nobody gets all of them, and waiting users take turns, however much each of
/// them asks for.
final class FairLane: Sendable {
  private struct Job: Sendable {
    let id: Int
    /// - Parameter isCancelled: whether the job must not run any more.
    let work: @Sendable (_ isCancelled: Bool) -> Void
  }

  private struct State {
    var free: Int
    var running: [UInt32: Int] = [:]
    var waiting: [UInt32: [Job]] = [:]
    /// The users who wait, the next one first.
    var turns: [UInt32] = []
    var lastID = 0
    var isOver = false
  }

  private let threads: NIOThreadPool
  private let perUserMax: Int
  private let state: Mutex<State>

  /// - Parameters:
  ///   - threads: a pool that runs already.
  ///   - count: how many of them are used.
  ///   - perUserMax: how many one user gets at most, even if nobody else wants any, because a job that has begun cannot make room.
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

  /// Does something that may block.
  /// - Throws: what `body` throws; `CancellationError` when the task was cancelled before its turn, or the lane was shut down.
  func run<T: Sendable>(for user: UInt32, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
        add(
          Job(id: id) { isCancelled in
            if isCancelled {
              continuation.resume(throwing: CancellationError())
            } else {
              continuation.resume(with: Result { try body() })
            }
          }, of: user)
        // If it was cancelled before it was added, it has not been removed yet.
        if Task.isCancelled { cancel(id, of: user) }
      }
    } onCancel: {
      cancel(id, of: user)
    }
  }

  /// Cancels the jobs that wait, and returns when the running ones are done.
  func shutDown() async {
    let jobs = state.withLock { state in
      state.isOver = true
      state.turns = []
      defer { state.waiting = [:] }
      return state.waiting.values.flatMap { $0 }
    }
    for job in jobs { job.work(true) }
    try? await threads.shutdownGracefully()
  }

  private func add(_ job: Job, of user: UInt32) {
    let isTaken = state.withLock { state in
      guard !state.isOver else { return false }
      if state.waiting[user] == nil { state.turns.append(user) }
      state.waiting[user, default: []].append(job)
      return true
    }
    if isTaken { begin() } else { job.work(true) }
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
    job?.work(true)
  }

  /// Begins the jobs that may begin.
  private func begin() {
    let jobs = state.withLock { state in
      var jobs: [(Job, UInt32)] = []
      while state.free > 0, let turn = state.turns.firstIndex(where: { state.running[$0, default: 0] < perUserMax }) {
        let user = state.turns.remove(at: turn)
        guard let job = state.waiting[user]?.removeFirst() else { continue }
        if state.waiting[user]?.isEmpty == true { state.waiting[user] = nil } else { state.turns.append(user) }
        state.running[user, default: 0] += 1
        state.free -= 1
        jobs.append((job, user))
      }
      return jobs
    }
    for (job, user) in jobs {
      threads.submit { [self] thread in
        job.work(thread == .cancelled)
        ended(of: user)
      }
    }
  }

  private func ended(of user: UInt32) {
    state.withLock { state in
      state.free += 1
      let rest = state.running[user, default: 1] - 1
      state.running[user] = rest > 0 ? rest : nil
    }
    begin()
  }
}
