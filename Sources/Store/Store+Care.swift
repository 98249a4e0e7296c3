internal import Channels
internal import Foundation
internal import GRDB
internal import Glibc

// Copies of the database, and whether it is sound.
extension Store {
  /// Makes a consistent copy while others read and write.
  /// - Parameter path: a file that is not there yet; it can be read by its owner only.
  public func backUp(to path: String) throws {
    try reading { pool in
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw StoreError(.notAccessible, "cannot make \(path): \(String(cString: strerror(errno)))")
      }
      Glibc.close(descriptor)
      do {
        try Self.fill(path) { try pool.backup(to: $0) }
      } catch {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        throw error
      }
    }
  }

  /// Writes a database into one file that needs no others beside it, and waits until it is on the disk.
  private static func fill(_ path: String, _ copy: (DatabaseQueue) throws -> Void) throws {
    let target = try DatabaseQueue(path: path)
    try copy(target)
    try target.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
    try target.close()
    sync(path)
  }

  /// Waits until a file or directory is on the disk.
  private static func sync(_ path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }

  /// A consistent copy in the state directory, for whoever removes it; what was left behind goes at the next start.
  /// - Returns: its path.
  public func makeCopy() throws -> String {
    let path = (pool.path as NSString).deletingLastPathComponent + "/\(Self.copyPrefix)\(UUID().uuidString)"
    try backUp(to: path)
    return path
  }

  static let copyPrefix = "copy-"

  /// Removes copies that a crash has left behind.
  static func removeCopies(in directory: String) {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: directory)) ?? [] where name.hasPrefix(copyPrefix) {
      try? manager.removeItem(atPath: directory + "/" + name)
    }
  }

  /// Looks for damage: in the file, between tables, and in channels that cannot be read.
  /// - Returns: how many channels were looked at, and what is wrong, for people; at most `problemsMax` lines.
  public func check() throws -> (channels: Int, problems: [String]) {
    try reading { pool in
      var problems: [String] = []
      // A damaged page ends one question, not the others.
      func note(_ questions: (Database) throws -> [String]) {
        do { problems += try pool.read(questions) } catch { problems.append("the file is damaged: \(error)") }
      }
      note { db in
        try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.problemsMax))").filter { $0 != "ok" }
          .map { "the file is damaged: \($0)" }
      }
      note { db in
        try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(Self.problemsMax).map {
          "a row of \($0[0] as String) refers to something that is not there"
        }
      }
      note { db in
        try Row.fetchAll(
          db, sql: "SELECT channel_id, reason FROM quarantine ORDER BY channel_id LIMIT ?", arguments: [Self.problemsMax]
        ).map { "channel \($0[0] as Int64) is left alone: \($0[1] as String)" }
      }
      var count = 0
      var last: Int64 = 0
      while problems.count < Self.problemsMax {
        // A few at a time, so that the copy that readers see does not grow old.
        let ids = try pool.read { db in
          try Int64.fetchAll(db, sql: "SELECT id FROM channels WHERE id > ? ORDER BY id LIMIT 1000", arguments: [last])
        }
        guard let end = ids.last else { break }
        try pool.read { db in
          for id in ids {
            count += 1
            do { _ = try Self.channel(ChannelID(rawValue: id), db) } catch {
              problems.append((error as? StoreError)?.description ?? "channel \(id): \(error)")
            }
          }
        }
        last = end
      }
      return (count, Array(problems.prefix(Self.problemsMax)))
    }
  }

  static var problemsMax: Int { 100 }

  /// Puts a copy that `backUp` made in the place of the database in `directory`. What was there stays beside it.
  /// - Returns: where the database went that was there before, if any.
  /// - Throws: `StoreError`: `inUse` while a daemon runs, `incompatible` or `corrupt` when the copy is none.
  public static func restore(from copy: String, directory: String, stamp: String) throws -> String? {
    guard FileManager.default.isReadableFile(atPath: copy) else {
      throw StoreError(.notAccessible, "cannot read \(copy)")
    }
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock = try lock(directory)
    defer { lock.closeFile() }
    takeOwner(of: directory, directory + "/lock")
    let path = directory + "/baton.db"
    do {
      var configuration = Configuration()
      configuration.readonly = true
      let queue = try DatabaseQueue(path: copy, configuration: configuration)
      try queue.read { db in
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard application == Schema.applicationID else { throw StoreError(.incompatible, "\(copy) is no database of batond") }
        guard version <= Schema.version else {
          throw StoreError(.incompatible, "\(copy) has schema \(version), this program knows schemas up to \(Schema.version)")
        }
        guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else {
          throw StoreError(.corrupt, "\(copy) is damaged: nothing was changed")
        }
      }
      // Through SQLite, so that what stands in the copy's log comes along, and a link is followed and not moved.
      let new = path + ".new"
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(new + suffix) }
      let descriptor = Glibc.open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw StoreError(.notAccessible, "cannot make \(new): \(String(cString: strerror(errno)))")
      }
      Glibc.close(descriptor)
      takeOwner(of: directory, new)
      try fill(new) { target in
        try queue.backup(to: target)
        try target.write(leaveRevisionsOut)
      }
      try queue.close()
      return try replace(path, with: new, stamp: stamp)
    } catch let error as StoreError {
      throw error
    } catch {
      throw wrap(error, copy)
    }
  }

  /// Far more changes than anybody makes between two copies.
  private static let revisionsLeftOut: Int64 = 1 << 32

  /// Revisions that were given out after the copy was made are not given out again, and who asks for what came after one of them is
  /// told to list again.
  private static func leaveRevisionsOut(_ db: Database) throws {
    try raiseOldestRevision(to: try revision(db) + revisionsLeftOut, db)
  }

  /// Whoever restores, the daemon must be able to use it.
  static func takeOwner(of directory: String, _ path: String) {
    var status = stat()
    if stat(directory, &status) == 0, geteuid() == 0 { _ = chown(path, status.st_uid, status.st_gid) }
  }

  /// Puts one database in the place of another. At every moment there is a whole one at `path`.
  private static func replace(_ path: String, with new: String, stamp: String) throws -> String? {
    func failure(_ what: String) -> StoreError {
      StoreError(.notAccessible, "\(what): \(String(cString: strerror(errno)))")
    }
    var kept: String?
    if access(path, F_OK) == 0 {
      // What stands in the old one's log goes into its file; one that is too damaged for that keeps its log beside it.
      if let old = try? DatabaseQueue(path: path) {
        _ = try? old.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        try? old.close()
      }
      let name = path + ".before-" + stamp
      guard link(path, name) == 0 else { throw failure("cannot keep the old database as \(name)") }
      for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
        guard rename(path + suffix, name + suffix) == 0 else { throw failure("cannot move \(path + suffix)") }
      }
      kept = name
    }
    guard rename(new, path) == 0 else { throw failure("cannot put \(new) in place") }
    sync((path as NSString).deletingLastPathComponent)
    return kept
  }
}
