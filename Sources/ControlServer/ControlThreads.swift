internal import NIOPosix
internal import Storage

/// The threads that the control plane has for what may block: not all readers of the database, and not for one user at the expense of
/// others.
struct ControlThreads: BlockingWork {
  private let slow: FairLane
  private let quick: FairLane

  /// - Parameters:
  ///   - slow: runs already; for lists, counts, checks and copies.
  ///   - quick: the same for what is read at once.
  init(slow: NIOThreadPool, quick: NIOThreadPool) {
    self.slow = FairLane(slow, count: Self.slowCount, perUserMax: 2)
    self.quick = FairLane(quick, count: Self.quickCount, perUserMax: 2)
  }

  /// Threads of their own, which run.
  init() {
    let (slow, quick) = (NIOThreadPool(numberOfThreads: Self.slowCount), NIOThreadPool(numberOfThreads: Self.quickCount))
    slow.start()
    quick.start()
    self.init(slow: slow, quick: quick)
  }

  private static let slowCount = 3
  private static let quickCount = 2

  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    switch size {
    case .little: try await quick.run(for: Caller.user, body)
    case .much: try await slow.run(for: Caller.user, body)
    }
  }

  /// Cancels what waits, and returns when what runs is done.
  func shutDown() async {
    await quick.shutDown()
    await slow.shutDown()
  }
}
