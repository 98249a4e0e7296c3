/// Threads on which storage may block, so that it does not block the threads that everything else needs.
public protocol BlockingWork: Sendable {
  /// Does something that may block.
  /// - Parameter size: how much work it is; small work does not wait for large work.
  /// - Throws: what `body` throws; `CancellationError` when the task was cancelled, or the threads have stopped.
  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T
  /// Does something in the turn of such work, which waits for another machine and so needs no thread.
  /// - Throws: what `body` throws; `CancellationError` when the task was cancelled before its turn, or the threads have stopped.
  func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T
}

/// Whether a read from storage must end, because its time is up, no one waits for it any longer, or the daemon stops.
///
/// A structure, because a release build by Swift 6.3.1 crashes when it sets a task-local function outside a task (decision 53).
public struct Reading: Sendable {
  /// What limits the reads of this task or thread; `nil` if nothing does.
  @TaskLocal public static var current: Reading?

  /// It is asked again and again while something is read.
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
  /// All that is stored, which may take as long as it does.
  case whole
}
