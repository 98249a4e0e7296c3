internal import Dispatch
internal import GRDB
internal import Storage
internal import Synchronization

/// The connections to the database, until they are closed. GRDB allows neither use after the end nor closing during use.
final class OpenPool: Sendable {
  private let pool: DatabasePool
  private let isClosed = Mutex(false)
  private let uses = DispatchGroup()

  init(_ pool: DatabasePool) { self.pool = pool }

  var path: String { pool.path }

  // All of these throw the errors of their namesakes in GRDB, and a `StoreError` once the store is closed.

  /// The time limit for a read of the daemon itself. Reads for clients are limited by `Reading.current`.
  private static let longest = Duration.seconds(300)

  /// A read is ended early if it takes too long, `Reading.current` is over, or once the store is to be closed. Then it throws a
  /// `StoreError` with the code `inputOutput`.
  func read<T>(_ body: (Database) throws -> T) throws -> T {
    let end = ContinuousClock.now + Self.longest
    let isOver = Reading.current?.isOver ?? { @Sendable in ContinuousClock.now > end }
    return try using {
      do {
        return try pool.read { db in try db.whileWanted(isOver) { try body(db) } }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
        throw StoreError(.inputOutput, "\(path): a read was ended early")
      }
    }
  }

  func write<T>(_ body: (Database) throws -> T) throws -> T { try using { try pool.write(body) } }

  func writeWithoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
    try using { try pool.writeWithoutTransaction(body) }
  }

  /// A copy is ended early if `Reading.current` is over. Then this throws a `StoreError` with the code `inputOutput`.
  func backup(to copy: DatabaseQueue) throws {
    let isOver = Reading.current?.isOver
    try using {
      try pool.backup(to: copy, pagesPerStep: 1_000) { _ in
        guard isOver?() != true else { throw StoreError(.inputOutput, "\(self.path): a copy was ended early") }
      }
    }
  }
  func vacuum() throws { try using { try pool.vacuum() } }

  /// Closes connections that only read, once no one uses them. New ones are opened on demand.
  func renewReaders() { try? using { pool.invalidateReadOnlyConnections() } }

  /// Has the writer do something later.
  /// - Throws: `StoreError` once the store is closed. Then nothing is done.
  func asyncWriteWithoutTransaction(_ body: @escaping @Sendable (Database) -> Void) throws {
    try begin()
    pool.asyncWriteWithoutTransaction { [uses] db in
      body(db)
      uses.leave()
    }
  }

  /// Closes the connections, once no one uses them any more. Only the first call does anything.
  /// - Parameters:
  ///   - patience: how long uses may continue. A longer one, such as a check of a large file, is interrupted and fails.
  ///   - last: is called before the connections close.
  /// - Returns: whether this was the first call.
  func close(patience: DispatchTimeInterval = .seconds(10), _ last: (Database) throws -> Void) -> Bool {
    let isFirst = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return !isClosed
    }
    guard isFirst else { return false }
    var wait = patience
    while uses.wait(timeout: .now() + wait) == .timedOut {
      pool.interrupt()
      // A use with several statements is interrupted at each of them.
      wait = .milliseconds(100)
    }
    try? pool.writeWithoutTransaction(last)
    // The last connection to close tidies the database up, and connections that only read cannot.
    pool.invalidateReadOnlyConnections()
    try? pool.close()
    return true
  }

  private func using<T>(_ body: () throws -> T) throws -> T {
    try begin()
    defer { uses.leave() }
    return try body()
  }

  private func begin() throws {
    try isClosed.withLock { isClosed in
      guard !isClosed else { throw StoreError(.inputOutput, "the database \(path) is closed, nothing can be read or written") }
      uses.enter()
    }
  }
}
