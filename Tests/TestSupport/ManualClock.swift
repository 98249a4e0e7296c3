public import Channels
public import Coordinator
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: CoordinatorClock {
  private struct State {
    var now: Timestamp
    /// How far ahead of `now` the time of day is.
    var ahead = Duration.zero
    var nextID = 0
    var sleepers: [Int: (until: Timestamp, wake: CheckedContinuation<Bool, any Error>)] = [:]
    var cancelled: Set<Int> = []
    /// Sleepers whose time has come and who have not had their turn yet.
    var waking = 0
  }
  private let state: Mutex<State>

  public init(now: Timestamp = Timestamp(milliseconds: 1_750_000_000_000)) { state = Mutex(State(now: now)) }

  public var now: Timestamp { state.withLock { $0.now } }

  public var timeOfDay: Timestamp { state.withLock { $0.now + $0.ahead } }

  /// Someone sets the clock of the machine.
  /// - Parameter ahead: how far it is ahead afterwards of what it was at the start.
  public func set(ahead: Duration) { state.withLock { $0.ahead = ahead } }

  /// The earliest time that a sleeper waits for.
  public var nextWake: Timestamp? { state.withLock { $0.sleepers.values.map(\.until).min() } }

  /// Whether some sleeper's time has come and it has not had its turn yet.
  public var isWaking: Bool { state.withLock { $0.waking > 0 } }

  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now + duration
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      state.waking += due.count
      return due.values.map(\.wake)
    }
    for sleeper in due { sleeper.resume(returning: true) }
  }

  public func sleep(until time: Timestamp) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let wasWoken = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Bool, any Error>) in
        let isOver = state.withLock { state -> Bool? in
          if state.cancelled.remove(id) != nil { return nil }
          if time <= state.now { return true }
          state.sleepers[id] = (time, continuation)
          return false
        }
        switch isOver {
        case nil: continuation.resume(throwing: CancellationError())
        case true?: continuation.resume(returning: false)
        case false?: break
        }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
    if wasWoken { state.withLock { $0.waking -= 1 } }
  }
}
