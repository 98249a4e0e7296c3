internal import Channels
internal import Dispatch
internal import Foundation
internal import GRDB
internal import Glibc
internal import Storage
internal import Synchronization

/// Baton's memory: one SQLite database, one writer, many readers.
public final class Store: Sendable {
  /// The action if the database that belongs in the state directory is gone, or was set back.
  public enum WhenLost: Sendable {
    /// Throws `StoreError.lost`.
    case refuse
    /// Begins with nothing, and keeps the remains under another name.
    case startEmpty
    /// Continues with an older state of the database, or a different one.
    case acceptOlder
  }

  /// For tests alone: the store itself goes through `open`.
  let pool: DatabasePool
  let open: OpenPool
  private let lock: FileHandle
  let directory: String
  /// The damage that was found in the stored data.
  let damage = DamageList()
  /// The content of the state mark.
  let mark: Mutex<StateMark>
  /// The file `baton.db`.
  let file: Mutex<OpenFile>
  /// Distinguishes this database from all others.
  package var databaseID: String { mark.withLock { $0.database } }
  /// The sizes of the histories of channels and posts, as far as they were counted.
  let history = Mutex(HistorySizes())
  let commits = CommitQueue()
  /// Rows written since the log was last written back.
  let rowsSinceCheckpoint = Mutex(0)
  /// The indexes on keys of custom data that lists may use, by the path of their field.
  let keyIndexes = Mutex<[[String]: KeyIndex]>([:])
  /// The file of messages.
  let messagesPath: MessagesPath

  /// Opens or creates the database `baton.db` in `directory` and brings its schema up to date.
  /// - Parameter acceptDamage: accepts damaged rows with their current values, before any of them is read, and is called with each, for
  ///   people. If `nil`, they are not used.
  /// - Throws: `StoreError` that names the file and the remedy.
  public convenience init(
    directory: String, whenLost: WhenLost = .refuse, acceptDamage: ((String) -> Void)? = nil
  ) throws {
    try PrivateFile.makeFolder(directory)
    let lock = try Self.lock(directory)
    Self.removeCopies(in: directory)
    do {
      do {
        try self.init(
          directory: directory, lock: lock, acceptsOlder: whenLost == .acceptOlder, isNew: false, acceptDamage: acceptDamage)
      } catch let error as StoreError where error.code == .lost && whenLost == .startEmpty {
        try Self.setAside(directory)
        try self.init(directory: directory, lock: lock, acceptsOlder: true, isNew: true, acceptDamage: nil)
      }
    } catch {
      // The lock is released immediately: a program that is being started at this moment may hold the same open file for a while.
      flock(lock.fileDescriptor, LOCK_UN)
      throw error
    }
  }

  /// Reserves the state directory for this process.
  static func lock(_ directory: String) throws -> FileHandle {
    let lockPath = directory + "/lock"
    let descriptor = Glibc.open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError("cannot write to the state directory \(directory)", errno: errno) }
    let lock = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError(.inUse, "the state directory \(directory) is in use by another batond")
    }
    return lock
  }

  /// - Parameter isNew: whether it is known that nothing is stored.
  private init(
    directory: String, lock: FileHandle, acceptsOlder: Bool, isNew: Bool, acceptDamage: ((String) -> Void)?
  ) throws {
    self.lock = lock
    self.directory = directory
    let messagesPath = MessagesPath()
    self.messagesPath = messagesPath
    let path = directory + "/baton.db"
    let known = isNew ? (mark: nil, hasKey: false, trouble: nil) : try Self.begin(path, directory, acceptsOlder)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    // As many as may read for clients at the same time (`ControlThreads`), and four for the daemon itself. They are opened on demand.
    configuration.maximumReaderCount = 13
    // The priority is not raised: that requires a right that the daemon does not have, and leaves a complaint in the journal.
    configuration.qos = .default
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { db in
      try Self.showConversations(in: db, messagesPath.value)
      db.add(function: RowSum.function)
      for function in SQLiteConditions.functions { db.add(function: function) }
    }
    do {
      pool = try DatabasePool(path: path, configuration: configuration)
      if known.mark != nil || known.hasKey {
        let isEmpty = try pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0 }
        guard !isEmpty else { throw Self.lost(path, "has nothing in it") }
      }
      try pool.read { db in try Schema.refuseForeign(db, path) }
      if let acceptDamage {
        for row in try pool.write({ db in try Self.acceptDamage(db) }) { acceptDamage(row) }
      }
      try Schema.migrate(pool)
      // GRDB chooses NORMAL when it turns WAL on. A commit would then survive a crash of the program, but not of the machine.
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // SQLite must not write the log back by itself, because the state mark advances each time.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        // Remains of an interrupted transaction in the log must not pass for a gap the next time.
        _ = try? db.checkpoint(.truncate)
      }
      open = OpenPool(pool)
      file = Mutex(OpenFile(path))
      mark = Mutex(try pool.write { [acceptsOlder] db in try Self.goOn(db, known.mark, path, acceptsOlder, known.trouble) })
    } catch let error as StoreError {
      throw error
    } catch {
      throw Self.wrap(error, path)
    }
    for suffix in ["", "-wal", "-shm"] { PrivateFile.close(path + suffix) }
    try mark.withLock { $0 }.write(in: directory)
  }

  /// Writes the log back into the database file, closes it and releases the state directory. Running operations end first, unless they need
  /// longer than ten seconds. Later questions fail with a `StoreError`, and commits with `unavailable`. A second call does nothing.
  public func close() {
    guard open.close({ db in _ = try db.checkpoint(.truncate) }) else { return }
    // A mark that is being written still belongs to this process.
    mark.withLock { _ in _ = flock(lock.fileDescriptor, LOCK_UN) }
  }

  /// The value of SQLite's `synchronous` setting on the writer. 2 is FULL.
  public func synchronousSetting() throws -> Int {
    try reading { pool in
      try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1 }
    }
  }

  func reading<T>(_ body: (OpenPool) throws -> T) throws -> T {
    do {
      return try body(open)
    } catch {
      throw noted(error)
    }
  }

  /// The error for a caller. Damage is recorded too, for the operator.
  func noted(_ error: any Error) -> StoreError {
    let error = error as? StoreError ?? Self.wrap(error, open.path)
    if error.code == .corrupt { damage.note(error.description) }
    return error
  }

  static func wrap(_ error: any Error, _ path: String) -> StoreError {
    guard let error = error as? DatabaseError else { return StoreError(.inputOutput, "\(path): \(error)") }
    // The errors of a copy are on the other connection, and this text is not about it.
    let words = error.message.flatMap { $0 == "not an error" ? nil : $0 } ?? "\(error.resultCode)"
    let text = "\(path): \(words)"
    return switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: StoreError(.corrupt, "\(text): the file is damaged, restore a backup")
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_READONLY: StoreError(.ofUnusable(path), text)
    default: StoreError(.inputOutput, text)
    }
  }
}
