internal import NIOPosix
internal import Storage

/// The threads of the control plane for work that may block. They do not use all readers of the database, nor favour one user over
/// others.
struct ControlThreads: BlockingWork {
  private let slow: FairLane
  private let quick: FairLane

  /// - Parameters:
  ///   - slow: a pool that runs already, for lists, counts, checks and copies.
  ///   - quick: the same for reads that are quick.
  init(slow: NIOThreadPool, quick: NIOThreadPool) {
    self.slow = FairLane(slow, count: Self.slowCount, perUserMax: 2)
    self.quick = FairLane(quick, count: Self.quickCount, perUserMax: 2)
  }

  /// Creates threads of its own, which run.
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

  /// Cancels the jobs that wait, and returns when the running ones are done.
  func shutDown() async {
    await quick.shutDown()
    await slow.shutDown()
  }
}
