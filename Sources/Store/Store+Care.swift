internal import Channels
internal import Foundation
internal import GRDB
internal import Glibc
public import Storage

// Copies of the database, and whether it is sound.
extension Store {
  /// Makes a consistent copy while others read and write.
  /// - Parameter path: a file that does not exist yet. Only its owner can read it.
  public func backUp(to path: String) throws {
    try reading { pool in
      Glibc.close(try PrivateFile.make(path))
      do {
        try Self.fill(path) { try pool.backup(to: $0) }
        // A copy of a damaged database is useless, and its owner would rely on it.
        let problems = try Self.problems(ofCopy: path)
        if let first = problems.first {
          throw StoreError(
            .corrupt,
            "the database is damaged, and a copy would be too: \(first)"
              + (problems.count > 1 ? ", and \(problems.count - 1) more. batonctl check lists them" : ""))
        }
      } catch {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        // Damage is found in the source, and other errors are most often about the target.
        let wrapped = Self.wrap(error, path)
        throw error is DatabaseError && wrapped.code != .corrupt ? wrapped : error
      }
    }
  }

  /// Writes a database into one file that needs no other files, and waits until it is on the disk.
  private static func fill(_ path: String, _ copy: (DatabaseQueue) throws -> Void) throws {
    let target = try DatabaseQueue(path: path)
    try copy(target)
    try target.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
    try target.close()
    PrivateFile.sync(path)
  }

  /// A consistent copy in the state directory, which the caller removes. A forgotten copy is removed at the next start.
  /// - Returns: its path.
  public func makeCopy() throws -> String {
    let path = Self.pathOfCopy(in: directory)
    try backUp(to: path)
    return path
  }

  private static let copyPrefix = "copy-"

  /// A path in the state directory for a copy. The next start removes a forgotten copy.
  package static func pathOfCopy(in directory: String) -> String { "\(directory)/\(copyPrefix)\(UUID().uuidString)" }

  /// Removes copies that a crash has left behind.
  static func removeCopies(in directory: String) {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: directory)) ?? [] where name.hasPrefix(copyPrefix) {
      try? manager.removeItem(atPath: directory + "/" + name)
    }
  }

  /// Looks for damage: in the file, between tables, in each row, and in channels that cannot be read.
  /// - Returns: how many channels were looked at, and the damage, for people, at most `problemsMax` lines.
  public func check() throws -> (channels: Int, problems: [String]) {
    try reading { pool in
      let trouble = fileTrouble()
      var problems = [trouble].compactMap(\.self)
      // A damaged page ends one question, not the others.
      func note(_ questions: (Database) throws -> [String]) throws {
        do { problems += try pool.read(questions) } catch let error as DatabaseError {
          problems.append(Self.wrap(error, pool.path).description)
        }
      }
      try note { try Self.damageOfFile($0) }
      try note { db in
        try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(Self.problemsMax).map {
          "a row of \($0[0] as String) refers to something that is not there"
        }
      }
      try note { db in
        try Row.fetchAll(
          db, sql: "SELECT channel_id, reason FROM quarantine ORDER BY channel_id LIMIT ?", arguments: [Self.problemsMax]
        ).map { "channel \($0[0] as Int64) is skipped: \($0[1] as String)" }
      }
      var place: Scrub? = Scrub()
      while let now = place, problems.count < Self.problemsMax {
        // A few at a time, so that the copy that readers see does not grow old.
        let (found, next) = scrub(now, rows: 5_000)
        problems += found
        place = next
      }
      let count = try Self.readEach("channel", pool, &problems) { db in
        let reader = try ChannelReader(db)
        return { _ = try reader.channel(ChannelID(rawValue: $0)) }
      }
      _ = try Self.readEach("post", pool, &problems) { db in
        let reader = try PostReader(db)
        return { _ = try reader.post(PostID(rawValue: $0)) }
      }
      var seen: Set<String> = []
      let each = problems.filter { seen.insert($0).inserted }.prefix(Self.problemsMax)
      for problem in each where problem != trouble { damage.note(problem) }
      return (count, Array(each))
    }
  }

  /// Reads each object of a table, a thousand at a time, and notes the damaged ones. It ends when there are too many of them.
  /// - Parameters:
  ///   - noun: the kind of object. The table has its plural as its name.
  ///   - begin: returns a function that reads an object by its id.
  /// - Returns: how many were looked at.
  private static func readEach(
    _ noun: String, _ pool: OpenPool, _ problems: inout [String], _ begin: (Database) throws -> (Int64) throws -> Void
  ) throws -> Int {
    var count = 0
    var last: Int64 = 0
    while problems.count < problemsMax {
      let ids = try pool.read { db in
        try Int64.fetchAll(db, sql: "SELECT id FROM \(noun)s WHERE id > ? ORDER BY id LIMIT 1000", arguments: [last])
      }
      guard let end = ids.last else { break }
      problems += try pool.read { db in
        let read = try begin(db)
        return try ids.compactMap { id in
          do { try read(id) } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT { throw error } catch
          {
            return (error as? StoreError)?.description ?? "\(noun) \(id): \(error)"
          }
          return nil
        }
      }
      count += ids.count
      last = end
    }
    return count
  }

  static var problemsMax: Int { 100 }

  /// The damage in a copy, at most `problemsMax` lines.
  private static func problems(ofCopy path: String) throws -> [String] {
    var configuration = Configuration()
    configuration.readonly = true
    let copy = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? copy.close() }
    let isOver = Reading.current?.isOver ?? { @Sendable in false }
    return try copy.read { db in try db.whileWanted(isOver) { try problems(db) } }
  }

  private static func problems(_ db: Database) throws -> [String] {
    var problems = try damageOfFile(db)
    // Sums came with schema 9.
    guard try db.columns(in: "channels").contains(where: { $0.name == "sum" }) else { return problems }
    // Copies of earlier schemas have fewer tables, and these have fewer columns.
    let isEarlier = try Int32.fetchOne(db, sql: "PRAGMA user_version") != Schema.version
    for table in SummedTable.all where problems.count < problemsMax {
      guard try !isEarlier || db.tableExists(table.name) else { continue }
      let rows = try Row.fetchCursor(db, sql: table.selection)
      while let row = try rows.next(), problems.count < problemsMax {
        do { try table.verify(row, ofEarlierSchema: isEarlier) } catch let error as StoreError {
          problems.append(error.description)
        }
      }
    }
    return problems
  }

  /// SQLite's findings about its file.
  static func damageOfFile(_ db: Database, _ table: String? = nil) throws -> [String] {
    try String.fetchAll(db, sql: "PRAGMA main.integrity_check(\(table ?? String(problemsMax)))").filter { $0 != "ok" }
      .map { "the file is damaged: \($0.replacing("\n", with: " "))" }
  }

  /// Replaces the database in `directory` with a copy that `backUp` made. The old database is kept next to it.
  /// - Parameter key: opens the sealed data in the copy. `nil` for the key in the state directory, if there is one.
  /// - Returns: where the earlier database went, if any, and whether a key was there to compare with.
  /// - Throws: `StoreError`: `inUse` while a daemon runs, `incompatible` or `corrupt` when the copy is bad, `wrongKey` when the key does
  ///   not open its sealed data. Then nothing was changed.
  public static func restore(
    from copy: String, directory: String, key: SecretBox? = nil, stamp: String
  ) throws -> (before: String?, isKeyKnown: Bool) {
    guard FileManager.default.isReadableFile(atPath: copy) else {
      throw StoreError(.notAccessible, "cannot read \(copy)")
    }
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let lock = try lock(directory)
    defer {
      flock(lock.fileDescriptor, LOCK_UN)
      lock.closeFile()
    }
    let path = directory + "/baton.db"
    do {
      var configuration = Configuration()
      configuration.readonly = true
      let queue = try DatabaseQueue(path: copy, configuration: configuration)
      let sealed = try queue.read { db in
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard application == Schema.applicationID else {
          throw StoreError(.incompatible, "\(copy) is not a database of batond")
        }
        guard version <= Schema.version else {
          throw StoreError(
            .incompatible, "\(copy) has schema \(version), this program supports schemas up to \(Schema.version)")
        }
        try Schema.refuseForeign(db, copy)
        return try Self.sealed(db)
      }
      if let problem = try problems(ofCopy: copy).first {
        throw StoreError(.corrupt, "\(copy) is damaged, nothing was changed: \(problem)")
      }
      let file = KeyFile(directory + "/identity.key")
      let box = try key ?? (file.exists ? file.box() : nil)
      if let box, let locked = sealed.first(where: { (try? $0.open(with: box)) == nil }) {
        throw StoreError(
          .wrongKey,
          "\(copy) was made with another key than \(file.path): the secret of '\(locked.secret.title)' does not open. Put the key from when the "
            + "copy was made in its place first. Nothing was changed")
      }
      // The copy goes through SQLite, so that the content of its log is included, and a link is followed and not moved.
      let new = path + ".new"
      for suffix in ["", "-journal", "-wal", "-shm"] { unlink(new + suffix) }
      Glibc.close(try PrivateFile.make(new))
      let mark = try? StateMark.read(in: directory)
      try fill(new) { target in
        try queue.backup(to: target)
        try target.write { db in
          try Schema.migrate(db, path: new)
          try leaveNumbersOut(db)
          // The mark fits the old database and the new one.
          guard let mark else { return }
          try put("database_id", mark.database, db)
          try put("generation", String(mark.generation + 1), db)
        }
      }
      try queue.close()
      return (try replace(path, with: new, stamp: stamp), box != nil || sealed.isEmpty)
    } catch let error as StoreError {
      throw error
    } catch {
      throw wrap(error, copy)
    }
  }

  /// Replaces one database with another. At every moment there is a complete one at `path`.
  private static func replace(_ path: String, with new: String, stamp: String) throws -> String? {
    func failure(_ what: String) -> StoreError {
      StoreError(what, errno: errno)
    }
    var kept: String?
    if access(path, F_OK) == 0 {
      // The content of the old one's log goes into its file. A database too damaged for that keeps its log next to it.
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
    } else {
      // The log of a database that is gone must not pass for the new one's log.
      for suffix in ["-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
        guard rename(path + suffix, path + ".before-" + stamp + suffix) == 0 else {
          throw failure("cannot move \(path + suffix)")
        }
      }
    }
    guard rename(new, path) == 0 else { throw failure("cannot put \(new) in place") }
    PrivateFile.sync((path as NSString).deletingLastPathComponent)
    return kept
  }
}
