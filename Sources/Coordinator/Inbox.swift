internal import DequeModule
internal import Synchronization

/// The one way into the coordinator: many threads put in, one task takes out, in order.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: Deque<Element> = []
    var waiter: CheckedContinuation<Void, Never>?
    /// How many elements the one who waits wants at least.
    var wanted = 1
    var isClosed = false
    /// Whether whoever takes must not wait.
    var isPoked = false
    var isDone = false
  }
  private let state = Mutex(State())

  /// - Returns: false when the inbox is closed or, for elements that may be refused, full.
  @discardableResult
  func put(_ element: Element, limit: Int = .max) -> Bool {
    let (taken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      guard !state.isClosed, state.elements.count < limit else { return (false, nil) }
      state.elements.append(element)
      guard state.elements.count >= state.wanted else { return (true, nil) }
      defer { state.waiter = nil }
      return (true, state.waiter)
    }
    waiter?.resume()
    return taken
  }

  /// Lets the next `take` return, or the one that waits, even if there is nothing to take.
  func poke() {
    let waiter = state.withLock { state in
      state.isPoked = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Takes everything that waits, at most `max` elements.
  /// - Parameter atLeast: how many elements it waits for, unless `poke` is called.
  /// - Returns: `nil` once closed and drained.
  func take(max: Int, atLeast: Int = 1) async -> [Element]? {
    while true {
      let (batch, isClosed) = state.withLock { state -> ([Element]?, Bool) in
        guard state.elements.count >= atLeast || state.isPoked || state.isClosed else { return (nil, false) }
        let batch = Array(state.elements.prefix(max))
        state.elements.removeFirst(batch.count)
        defer { state.isPoked = false }
        return (batch.isEmpty && !state.isPoked ? nil : batch, state.isClosed)
      }
      if batch != nil || isClosed { return batch }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.elements.count < atLeast, !state.isClosed, !state.isPoked else { return true }
          state.wanted = atLeast
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// The number of elements that wait.
  var count: Int { state.withLock { $0.elements.count } }

  /// Whether no one takes out any more.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Notes that no one takes out any more.
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
