/// Threads on which storage may block, so that it does not block those that everything else needs.
public protocol BlockingWork: Sendable {
  /// Does something that may block.
  /// - Parameter size: how much it is; what is little does not wait for what is much.
  /// - Throws: what `body` throws; `CancellationError` when the task was cancelled before its turn, or nothing is done any more.
  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T
}

/// How much something asks of storage.
public enum WorkSize: Sendable {
  /// A few rows through an index.
  case little
  /// As much as there is, or as a client asks for.
  case much
}
