internal import DequeModule
internal import Synchronization

/// The one way into the coordinator: many threads put elements in, and one task takes them out, in order.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: Deque<Element> = []
    var waiter: CheckedContinuation<Void, Never>?
    /// The minimum number of elements that the waiting `take` wants.
    var wanted = 1
    var isClosed = false
    /// Whether `take` must not wait.
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

  /// Makes the waiting or next `take` return, even if there is nothing to take.
  func poke() {
    let waiter = state.withLock { state in
      state.isPoked = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }

  /// Takes all waiting elements, up to `max`.
  /// - Parameter atLeast: the number of elements that it waits for, unless `poke` is called.
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

  /// Whether elements are no longer taken out.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Records that elements are no longer taken out.
  func finish() { state.withLock { $0.isDone = true } }

  /// Closes the inbox to new elements. Waiting elements can still be taken out.
  func close() {
    let waiter = state.withLock { state in
      state.isClosed = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
