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
      let copy = try DatabaseQueue(path: path)
      try pool.backup(to: copy)
      // One file that needs no others beside it.
      try copy.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
      try copy.close()
    }
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
      try pool.read { db in
        problems += try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.problemsMax))").filter { $0 != "ok" }
          .map { "the file is damaged: \($0)" }
        problems += try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(Self.problemsMax).map {
          "a row of \($0[0] as String) refers to something that is not there"
        }
        problems += try Row.fetchAll(
          db, sql: "SELECT channel_id, reason FROM quarantine ORDER BY channel_id LIMIT ?", arguments: [Self.problemsMax]
        )
        .map { "channel \($0[0] as Int64) is left alone: \($0[1] as String)" }
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
            do { _ = try Self.channel(ChannelID(rawValue: id), db) } catch let error as StoreError {
              problems.append(error.description)
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
      try queue.close()
    } catch let error as StoreError {
      throw error
    } catch {
      throw wrap(error, copy)
    }
    let path = directory + "/baton.db"
    let kept = path + ".before-" + stamp
    let manager = FileManager.default
    do {
      try manager.copyItem(atPath: copy, toPath: path + ".new")
      try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + ".new")
      var before: String?
      if manager.fileExists(atPath: path) {
        for suffix in ["", "-wal", "-shm"] where manager.fileExists(atPath: path + suffix) {
          try manager.moveItem(atPath: path + suffix, toPath: kept + suffix)
        }
        before = kept
      }
      try manager.moveItem(atPath: path + ".new", toPath: path)
      return before
    } catch {
      throw StoreError(.notAccessible, "cannot put the copy in place: \(error.localizedDescription)")
    }
  }
}
