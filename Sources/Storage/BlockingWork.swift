/// Threads on which storage may block, so that it does not block the threads that everything else needs.
public protocol BlockingWork: Sendable {
  /// Does something that may block.
  /// - Parameter size: how much work it is. Small work does not wait for large work.
  /// - Throws: the error of `body`, or `CancellationError` when the task was cancelled, or the threads have stopped.
  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T
  /// Does something that waits for another machine, and so needs no thread, in the turn of work of this size.
  /// - Throws: the error of `body`, or `CancellationError` when the task was cancelled before its turn, or the threads have stopped.
  func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T
}

/// Whether a read from storage must end, because its time is up, no one waits for it any longer, or the daemon stops.
///
/// A structure, because a release build by Swift 6.3.1 crashes when it sets a task-local function outside a task (decision 53).
public struct Reading: Sendable {
  /// The limit for reads of this task or thread, or `nil` without one.
  @TaskLocal public static var current: Reading?

  /// Called repeatedly during a read.
  public let isOver: @Sendable () -> Bool

  public init(until isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }
}

/// How much work something is for storage.
public enum WorkSize: Sendable {
  /// A few rows through an index.
  case little
  /// As many rows as there are, or as a client asks for.
  case much
  /// Questions about the state of the daemon. Nothing else waits with them or in front of them.
  case vital
  /// All stored data, however long that takes.
  case whole
}
