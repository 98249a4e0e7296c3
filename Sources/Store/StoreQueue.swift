internal import Dispatch

/// A thread for those who ask the store one question after the other, because SQLite blocks its caller.
struct StoreQueue {
  private let store: Store
  private let queue: DispatchQueue

  /// - Parameter name: the thread's name, for debuggers.
  init(_ store: Store, _ name: String) {
    self.store = store
    queue = DispatchQueue(label: name)
  }

  /// Answers even if the task was cancelled: who asks goes on until all that was begun is done.
  func ask<T: Sendable>(_ question: @escaping @Sendable (Store) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [store] in continuation.resume(with: Result { try question(store) }) }
    }
  }
}
