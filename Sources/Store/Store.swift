internal import Channels
internal import Foundation
internal import GRDB
internal import Glibc
internal import StrictJSON

/// Baton's memory: one SQLite database, one writer, many readers (DESIGN §7).
public final class Store: Sendable {
  let pool: DatabasePool
  private let lock: FileHandle

  /// Opens or makes the database `baton.db` in `directory` and brings its schema up to date.
  /// - Throws: `StoreError` that names the file and what to do.
  public convenience init(directory: String) throws {
    let manager = FileManager.default
    do {
      try manager.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError(.notAccessible, "cannot make the state directory \(directory): \(error.localizedDescription)")
    }
    let lock = try Self.lock(directory)
    Self.removeCopies(in: directory)
    try self.init(path: directory + "/baton.db", lock: lock)
  }

  /// Takes the state directory for this process.
  static func lock(_ directory: String) throws -> FileHandle {
    let lockPath = directory + "/lock"
    let descriptor = Glibc.open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(.notAccessible, "cannot write to the state directory \(directory): \(String(cString: strerror(errno)))")
    }
    let lock = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError(.inUse, "the state directory \(directory) is in use by another batond")
    }
    return lock
  }

  private init(path: String, lock: FileHandle) throws {
    self.lock = lock
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.maximumReaderCount = 4
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA trusted_schema = OFF")
      for function in ChannelCondition.functions { db.add(function: function) }
    }
    do {
      pool = try DatabasePool(path: path, configuration: configuration)
      try Schema.migrate(pool)
      // GRDB chooses NORMAL when it turns WAL on; a commit would then survive a crash of the program, but not of the machine.
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw Self.wrap(error, path)
    }
  }

  /// Writes the log back into the database file, closes it and lets the state directory go.
  public func close() {
    try? pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    try? pool.close()
    flock(lock.fileDescriptor, LOCK_UN)
  }

  /// The value of SQLite's `synchronous` setting on the writer; 2 is FULL.
  public func synchronousSetting() throws -> Int {
    try reading { pool in
      try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1 }
    }
  }

  func reading<T>(_ body: (DatabasePool) throws -> T) throws -> T {
    do {
      return try body(pool)
    } catch let error as StoreError {
      throw error
    } catch {
      throw Self.wrap(error, pool.path)
    }
  }

  static func wrap(_ error: any Error, _ path: String) -> StoreError {
    guard let error = error as? DatabaseError else { return StoreError(.inputOutput, "\(path): \(error)") }
    let text = "\(path): \(error.message ?? "SQLite error \(error.resultCode.rawValue)")"
    return switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: StoreError(.corrupt, text)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_READONLY: StoreError(.notAccessible, text)
    default: StoreError(.inputOutput, text)
    }
  }
}
