internal import NIOPosix
internal import Storage

/// The threads of the control plane for work that may block. They do not use all readers of the database, nor favour one user over
/// others.
struct ControlThreads: BlockingWork {
  /// For lists, counts, checks and copies.
  private let slow = Self.lane(4)
  /// For reads that are quick.
  private let quick = Self.lane(3)
  /// For the daemon's own status.
  private let vital = Self.lane(2)

  /// How long a client's question may take.
  private let limit: Duration
  /// How long it may take to count everything. The result is kept for all callers.
  private static let vitalLimit = Duration.seconds(60)

  init(limit: Duration = ListLimits().timeMax) { self.limit = limit }

  private static func lane(_ count: Int) -> FairLane {
    let threads = NIOThreadPool(numberOfThreads: count)
    threads.start()
    return FairLane(threads, count: count, perUserMax: min(2, count - 1))
  }

  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    switch size {
    case .little: try await quick.run(for: Caller.user, within: limit, body)
    case .much: try await slow.run(for: Caller.user, within: limit, body)
    case .vital: try await vital.run(for: Caller.user, within: Self.vitalLimit, body)
    case .whole: try await slow.run(for: Caller.user, body)
    }
  }

  func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T {
    let lane =
      switch size {
      case .little: quick
      case .much, .whole: slow
      case .vital: vital
      }
    return try await lane.turn(for: Caller.user, body)
  }

  /// Ends the jobs that wait or read, and returns when the threads are done.
  func shutDown() async {
    for lane in [quick, slow, vital] { await lane.shutDown() }
  }
}
