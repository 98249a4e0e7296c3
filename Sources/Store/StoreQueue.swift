internal import Dispatch

/// A thread for callers that ask the store one question after the other, because SQLite blocks its caller.
struct StoreQueue {
  private let store: Store
  private let queue: DispatchQueue

  /// - Parameter name: the thread's name, for debuggers.
  init(_ store: Store, _ name: String) {
    self.store = store
    queue = DispatchQueue(label: name)
  }

  /// Answers even if the task was cancelled: the caller continues until everything that was begun is done.
  func ask<T: Sendable>(_ question: @escaping @Sendable (Store) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [store] in continuation.resume(with: Result { try question(store) }) }
    }
  }
}
