internal import DequeModule
internal import Synchronization

/// Events that wait for one reader. If too many wait, fewer events with the same meaning replace them.
final class EventQueue<Event: Sendable>: Sendable {
  private struct State {
    var waiting: Deque<Event> = []
    var reader: CheckedContinuation<Event?, Never>?
    var isOver = false
  }
  private let state = Mutex(State())
  private let waitingMax: Int

  /// - Parameter waitingMax: how many events may wait.
  init(waitingMax: Int) { self.waitingMax = waitingMax }

  /// - Parameter summary: the events that replace `event` and all waiting events if there are too many.
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

  /// Ends the queue after the waiting events.
  func finish() {
    let reader = state.withLock { state in
      state.isOver = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// The next event, or `nil` after the last one. If the reader is cancelled, it gets `nil` and the queue ends.
  func next() async -> Event? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let event = state.withLock { state -> Event?? in
          if let event = state.waiting.popFirst() { return event }
          // Two concurrent readers are not supported: the second one gets `nil`.
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

  /// The waiting events and all later ones, as a stream.
  var stream: AsyncStream<Event> { AsyncStream { await self.next() } }
}
