/// Threads on which storage may block, so that it does not block the threads that everything else needs.
public protocol BlockingWork: Sendable {
  /// Does something that may block.
  /// - Parameter size: how much work it is; small work does not wait for large work.
  /// - Throws: what `body` throws; `CancellationError` when the task was cancelled before its turn, or the threads have stopped.
  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T
}

/// How much work something is for storage.
public enum WorkSize: Sendable {
  /// A few rows through an index.
  case little
  /// As many rows as there are, or as a client asks for.
  case much
}
