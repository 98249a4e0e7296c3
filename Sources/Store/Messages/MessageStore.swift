internal import Foundation
internal import GRDB
internal import Glibc
internal import Storage

/// The messages of channels: a separate SQLite database, which is a copy. If it is unusable, it is renamed and begun again.
public final class MessageStore: Sendable {
  /// For tests alone: the store itself goes through `open`.
  let pool: DatabasePool
  let open: OpenPool
  let log: LogWriteback
  /// For people: why the earlier messages are gone, and where they are kept. `nil` if no file was renamed.
  public let setAside: String?

  /// Opens or creates the database `messages.db` in `directory` and brings its schema up to date. A file that is damaged, that is another
  /// program's, or that a newer program has written is renamed to `messages.db.damaged`, in place of an earlier one.
  /// - Parameter firstID: the id of the first message of a new file.
  /// - Throws: `StoreError` that names the file and the remedy.
  public convenience init(directory: String, firstID: Int64 = 1) throws {
    try self.init(directory: directory, firstID: firstID, log: LogWriteback.Limits())
  }

  init(directory: String, firstID: Int64 = 1, log limits: LogWriteback.Limits) throws {
    let path = directory + "/messages.db"
    try PrivateFile.makeFolder(directory)
    (pool, setAside) = try Self.open(path, firstID: firstID)
    open = OpenPool(pool)
    log = LogWriteback(path, limits)
    do {
      try pool.writeWithoutTransaction { [log] db in try db.tellLength(to: log) }
    } catch {
      throw Self.wrap(error, path)
    }
    for suffix in ["", "-wal", "-shm"] { PrivateFile.close(path + suffix) }
  }

  private static func open(_ path: String, firstID: Int64) throws -> (pool: DatabasePool, setAside: String?) {
    do {
      do {
        return (try usable(path, firstID), nil)
      } catch let unusable as MessageSchema.Unusable {
        try putAside(path)
        let words =
          "the database of messages \(path) is unusable: \(unusable.reason). The file is kept as \(path).damaged, and messages are "
          + "read from their relays again"
        return (try usable(path, firstID), words)
      }
    } catch let unusable as MessageSchema.Unusable {
      throw StoreError(.notAccessible, "a new file \(path) is unusable: \(unusable.reason)")
    } catch {
      throw wrap(error, path)
    }
  }

  /// - Throws: `MessageSchema.Unusable` when an existing file is unusable, and `DatabaseError` or `StoreError` when no file can be used at
  ///   all.
  private static func usable(_ path: String, _ firstID: Int64) throws -> DatabasePool {
    if access(path, F_OK) != 0 { Glibc.close(try PrivateFile.make(path)) }
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    // As many as may read for clients at the same time (`ControlThreads`), and one for the task that keeps messages. They are opened on
    // demand.
    configuration.maximumReaderCount = 8
    // The priority is not raised: that requires a right that the daemon does not have, and leaves a complaint in the journal.
    configuration.qos = .default
    configuration.busyMode = .timeout(5)
    do {
      let pool = try DatabasePool(path: path, configuration: configuration)
      do {
        try pool.write { db in try MessageSchema.migrate(db, firstID: firstID) }
        // Messages are read again if the machine loses the last of them, so no commit waits for the disk.
        try pool.writeWithoutTransaction { db in
          try db.execute(sql: "PRAGMA synchronous = NORMAL")
        }
      } catch {
        // A file must not be renamed while it is open.
        try? pool.close()
        throw error
      }
      return pool
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: throw MessageSchema.Unusable(reason: "the file is damaged")
      case .SQLITE_ERROR: throw MessageSchema.Unusable(reason: "the file is damaged: \(error.message ?? "SQLite error 1")")
      default: throw error
      }
    } catch let error as StoreError where error.code == .corrupt {
      throw MessageSchema.Unusable(reason: "the file is damaged")
    }
  }

  private static func putAside(_ path: String) throws {
    let target = path + ".damaged"
    // The log of an earlier file must not pass for this one's log.
    for suffix in ["", "-wal", "-shm"] { unlink(target + suffix) }
    for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
      PrivateFile.close(path + suffix)
      try PrivateFile.rename(path + suffix, to: target + suffix)
    }
  }

  /// Writes the log back into the database file and closes it. Running operations end first, unless they need longer than ten seconds.
  /// Later questions fail with a `StoreError`. A second call does nothing.
  public func close() {
    _ = open.close { [log] db in
      log.close()
      _ = try db.checkpoint(.truncate)
    }
  }

  // MARK: - Access

  func read<T>(_ body: (Database) throws -> T) throws -> T {
    do {
      return try open.read(body)
    } catch {
      throw Self.wrap(error, open.path)
    }
  }

  /// Does everything in one transaction.
  /// - Parameter result: the answer, from the new stored state.
  func write<T>(_ body: (inout MessageWriting) throws -> Void, result: (inout MessageWriting) throws -> T) throws -> T {
    do {
      return try open.write { db in
        var writing = try MessageWriting(db)
        try body(&writing)
        try writing.finish()
        return try result(&writing)
      }
    } catch {
      throw Self.wrap(error, open.path)
    }
  }

  static func counters(_ db: Database) throws -> MessageCounters {
    guard
      let row = try Row.fetchOne(db, cached: "SELECT message, revision, mirrored FROM counters WHERE id = 1")
    else { throw MessageValues.damaged }
    var values = MessageValues(row)
    return MessageCounters(
      message: try values.number(), revision: try values.number(), mirrored: try values.number())
  }

  private static func wrap(_ error: any Error, _ path: String) -> StoreError {
    switch error {
    case let error as StoreError where error.code == .corrupt: return damaged(path, error.description)
    case let error as StoreError: return error
    case let error as DatabaseError:
      let words = error.message ?? "SQLite error \(error.resultCode.rawValue)"
      return switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: damaged(path, words)
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_READONLY: StoreError(.ofUnusable(path), "\(path): \(words)")
      default: StoreError(.inputOutput, "\(path): \(words)")
      }
    default: return StoreError(.inputOutput, "\(path): \(error)")
    }
  }

  private static func damaged(_ path: String, _ words: String) -> StoreError {
    StoreError(
      .corrupt,
      "\(path): \(words): the file is damaged. Stop the daemon, remove the file and start the daemon again: messages are read from "
        + "their relays again")
  }
}
