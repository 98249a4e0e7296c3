internal import DequeModule
internal import Synchronization

/// The one way into the coordinator: many threads put in, one task takes out, in order.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: Deque<Element> = []
    var waiter: CheckedContinuation<Void, Never>?
    var isClosed = false
    var isDone = false
  }
  private let state = Mutex(State())

  /// - Returns: false when the inbox is closed or, for elements that may be refused, full.
  @discardableResult
  func put(_ element: Element, limit: Int = .max) -> Bool {
    let (taken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      guard !state.isClosed, state.elements.count < limit else { return (false, nil) }
      state.elements.append(element)
      defer { state.waiter = nil }
      return (true, state.waiter)
    }
    waiter?.resume()
    return taken
  }

  /// Takes everything that waits, at most `max` elements; waits for the first. The result is empty once closed and drained.
  func take(max: Int) async -> [Element] {
    while true {
      let (batch, isClosed) = state.withLock { state -> ([Element], Bool) in
        let batch = Array(state.elements.prefix(max))
        state.elements.removeFirst(batch.count)
        return (batch, state.isClosed)
      }
      if !batch.isEmpty || isClosed { return batch }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.elements.isEmpty, !state.isClosed else { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// The number of elements that wait.
  var count: Int { state.withLock { $0.elements.count } }

  /// Whether nobody takes out any more.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Notes that nobody takes out any more.
  func finish() { state.withLock { $0.isDone = true } }

  /// Closes the inbox to new elements; what waits can still be taken out.
  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
