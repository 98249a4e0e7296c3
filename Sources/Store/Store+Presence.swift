internal import Dispatch
internal import Foundation
internal import GRDB
internal import Glibc
internal import Storage
internal import Synchronization

// Whether the database in the state directory is the right one.
extension Store {
  /// Looks at the files before anything is opened, and creates an empty file, for its owner only, if nothing was ever stored.
  /// - Returns: also the trouble with the log, if that is accepted.
  static func begin(
    _ path: String, _ directory: String, _ acceptsOlder: Bool
  ) throws -> (mark: StateMark?, hasKey: Bool, trouble: String?) {
    let mark = try StateMark.read(in: directory)
    let hasKey = access(directory + "/identity.key", F_OK) == 0
    var status = stat()
    let isThere = stat(path, &status) == 0
    if mark != nil || hasKey {
      guard isThere else { throw lost(path, "is missing") }
      guard status.st_size > 0 else { throw lost(path, "is empty") }
    } else if !isThere {
      Glibc.close(try PrivateFile.make(path))
    }
    guard WriteAheadLog(path + "-wal")?.hasGap == true else { return (mark, hasKey, nil) }
    let trouble =
      "the log \(path)-wal is damaged in the middle, and the changes after that are unreadable: restore a backup with "
      + "'batond restore FILE'"
    guard acceptsOlder else { throw lost(trouble) }
    return (mark, hasKey, trouble)
  }

  private static func lost(_ trouble: String) -> StoreError {
    StoreError(.lost, "\(trouble), or run 'batond run --accept-older' once to continue without them")
  }

  static func lost(_ path: String, _ what: String) -> StoreError {
    StoreError(
      .lost,
      "the database \(path) \(what), although Baton has stored things there: restore a backup with 'batond restore FILE', or run "
        + "'batond run --start-empty' once to begin with nothing")
  }

  /// Compares the database with the mark, and stores the next number in both.
  /// - Parameter trouble: the trouble with the log, if it was accepted.
  static func goOn(
    _ db: Database, _ mark: StateMark?, _ path: String, _ acceptsOlder: Bool, _ trouble: String?
  ) throws -> StateMark {
    let id = try setting("database_id", db)
    let generation = try setting("generation", db).flatMap { Int64($0) } ?? 0
    if let trouble = trouble ?? mark.flatMap({ mismatch(id, generation, $0, path) }) {
      guard acceptsOlder else { throw lost(trouble) }
      try leaveNumbersOut(db)
    }
    let next = StateMark(database: id ?? newDatabaseID(), generation: max(generation, mark?.generation ?? 0) + 1)
    try put("database_id", next.database, db)
    try put("generation", String(next.generation), db)
    // If nothing is sealed yet, everything will be sealed in today's way.
    if try setting(sealingKey, db) == nil, try sealed(db).isEmpty { try put(sealingKey, sealingNow, db) }
    return next
  }

  /// Why a database is not the one that the mark describes, and the remedy. `nil` if it is.
  private static func mismatch(_ id: String?, _ generation: Int64, _ mark: StateMark, _ path: String) -> String? {
    if id != mark.database {
      return "another database took the place of \(path): restore a backup with 'batond restore FILE'"
    }
    guard generation < mark.generation else { return nil }
    return "the database \(path) lacks the latest changes: its log \(path)-wal is gone, or it was replaced by an older copy; "
      + "put the log back, restore a backup with 'batond restore FILE'"
  }

  /// Calls `tell` for all damage, including damage found earlier.
  public func tellDamage(_ tell: @escaping @Sendable (String) -> Void) { damage.tell(tell) }

  /// The damage found since the start, and the current trouble with the file, for people.
  public var damageFound: [String] { damage.found + [fileTrouble()].compactMap(\.self) }

  private static func newDatabaseID() -> String { UUID().uuidString.lowercased() }

  /// Keeps the remains of a lost database under another name.
  static func setAside(_ directory: String) throws {
    unlink(directory + "/" + StateMark.name)
    let path = directory + "/baton.db"
    let stamp = String(Int64(Date().timeIntervalSince1970))
    for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
      try PrivateFile.rename(path + suffix, to: "\(path).before-\(stamp)\(suffix)")
    }
    // An existing key is kept: it may open a copy that is found later.
    Glibc.close(try PrivateFile.make(path))
  }

  /// The number of rows after which the log is written back.
  private static let checkpointEvery = 4_000

  /// Counts written rows.
  /// - Returns: whether the log has grown so much that it should be written back.
  func isCheckpointDue(after rows: Int) -> Bool {
    rowsSinceCheckpoint.withLock { count in
      count += rows
      return count >= Self.checkpointEvery
    }
  }

  /// Why nothing may be written: the database file was moved away, replaced or cut off since it was opened. That counts as damage too,
  /// until the file is back.
  func fileTrouble() -> String? {
    let trouble = file.withLock { $0.trouble(open.path) }
    if let trouble { damage.note(trouble, lasts: false) }
    return trouble
  }

  /// Writes the log back on a thread that may block.
  func checkpointApart() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.checkpoint()
        continuation.resume()
      }
    }
  }

  /// Writes the log back into the database file if anything was written since the last time. Stored data must not be in the log alone for
  /// long. If this fails, the next call does it. It does nothing once the store is closed, or while the file is not the one that was
  /// opened.
  public func checkpoint() {
    guard fileTrouble() == nil else { return }
    let isDue = rowsSinceCheckpoint.withLock { count in
      defer { count = 0 }
      return count > 0
    }
    guard isDue else { return }
    do {
      // One at a time: the mark is written under one name.
      try mark.withLock { mark in
        var next = mark
        next.generation += 1
        try open.writeWithoutTransaction { [next] db in
          _ = try db.checkpoint(.passive)
          // No one else can write the log back before this is noted.
          file.withLock { $0.wasWritten(open.path) }
          // The change is now in the log alone: without the log the database is behind the mark.
          try db.inTransaction {
            try Self.put("generation", String(next.generation), db)
            return .commit
          }
        }
        mark = next
        try next.write(in: directory)
      }
    } catch {
      rowsSinceCheckpoint.withLock { $0 += 1 }
    }
  }
}
