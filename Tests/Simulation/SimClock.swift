import Channels
import Coordinator
import Synchronization

/// A clock that stands still until the simulation moves it. No one ever wakes up by it: the simulation looks at what the engine waits
/// for and wakes it itself, so that nothing depends on the scheduling of tasks.
final class SimClock: CoordinatorClock {
  static let start = Timestamp(milliseconds: 1_750_000_000_000)
  private let state = Mutex(SimClock.start)

  var now: Timestamp {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func sleep(until time: Timestamp) async throws { throw CancellationError() }
}
