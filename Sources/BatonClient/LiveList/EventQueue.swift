internal import DequeModule
internal import Synchronization

/// Events that wait for one reader. When too many wait, they give way to fewer that say the same.
final class EventQueue<Event: Sendable>: Sendable {
  private struct State {
    var waiting: Deque<Event> = []
    var reader: CheckedContinuation<Event?, Never>?
    var isOver = false
  }
  private let state = Mutex(State())
  private let waitingMax: Int

  /// - Parameter waitingMax: events that wait at most.
  init(waitingMax: Int) { self.waitingMax = waitingMax }

  /// - Parameter summary: what may stand for everything that waits and for `event`, when there is too much of it.
  func yield(_ event: Event, summary: @autoclosure () -> [Event]) {
    let reader = state.withLock { state -> CheckedContinuation<Event?, Never>? in
      guard !state.isOver else { return nil }
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      if state.waiting.count < waitingMax { state.waiting.append(event) } else { state.waiting = Deque(summary()) }
      return nil
    }
    reader?.resume(returning: event)
  }

  /// Nothing follows what waits.
  func finish() {
    let reader = state.withLock { state in
      state.isOver = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// The next event; nil after the last. A reader that is cancelled gets nil, and nobody else gets anything any more.
  func next() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let event = state.withLock { state -> Event?? in
          if let event = state.waiting.popFirst() { return event }
          // Two readers at once are none.
          guard !state.isOver, state.reader == nil else { return .some(nil) }
          state.reader = continuation
          return nil
        }
        if let event { continuation.resume(returning: event) }
      }
    } onCancel: {
      finish()
    }
  }

  /// What waits and what will come, as a stream.
  var stream: AsyncStream<Event> { AsyncStream { await self.next() } }
}
