internal import Dispatch
internal import GRDB
internal import Synchronization

/// Writes the log of a database back into its file, over its own connection. SQLite would have the writer do it, after the commit that
/// makes the log too long. That needs milliseconds, and all new messages would wait for it.
final class LogWriteback: Sendable {
  /// When the log is written back, in pages.
  struct Limits {
    /// From this length on it is, in parallel with the writer.
    var due = 4_000
    /// It is tried again whenever the log has grown by this much: during other reads and writes, the log does not begin again.
    var step = 400
    /// From this length on the writer does it, because no one else has finished.
    var most = 40_000
  }

  private struct State {
    var dueAt: Int
    var isUnderWay = false
    var isClosed = false
    var last = 0
  }

  private let path: String
  private let limits: Limits
  private let queue = DispatchQueue(label: "messages-log")
  private let state: Mutex<State>
  private let connection = Mutex<DatabaseQueue?>(nil)

  init(_ path: String, _ limits: Limits = Limits()) {
    self.path = path
    self.limits = limits
    state = Mutex(State(dueAt: limits.due))
  }

  /// The log has this many pages, after a commit of the writer (`Database.tellLength`).
  /// - Returns: whether the writer must write it back itself.
  func committed(_ pages: Int) -> Bool {
    let (isDue, isTooLong) = state.withLock { state in
      // It began again.
      if pages < state.last { state.dueAt = limits.due }
      state.last = pages
      guard !state.isClosed else { return (false, false) }
      if pages >= limits.most { return (false, true) }
      guard pages >= state.dueAt, !state.isUnderWay else { return (false, false) }
      state.isUnderWay = true
      state.dueAt = pages + limits.step
      return (true, false)
    }
    if isDue { queue.async { self.writeBack() } }
    return isTooLong
  }

  /// If it fails, a later commit tries again.
  private func writeBack() {
    defer { state.withLock { $0.isUnderWay = false } }
    connection.withLock { connection in
      if connection == nil {
        var configuration = Configuration()
        configuration.qos = .default
        connection = try? DatabaseQueue(path: path, configuration: configuration)
      }
      _ = try? connection?.writeWithoutTransaction { db in try db.checkpoint(.passive) }
    }
  }

  /// Waits until running work is done.
  func settle() { queue.sync {} }

  /// Closes the connection. The log is not written back any more.
  func close() {
    state.withLock { $0.isClosed = true }
    settle()
    connection.withLock { connection in
      try? connection?.close()
      connection = nil
    }
  }
}
