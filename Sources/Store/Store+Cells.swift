package import Channels
internal import Foundation
internal import GRDB
internal import Glibc
internal import Storage

/// One value of a row, as all stores have it.
package enum Cell: Hashable, Sendable {
  case null
  case int(Int64)
  case text(String)
  case bytes([UInt8])
}

// Rows as they are carried from one store to another, without interpreting them.
extension Store {
  /// The carried tables, each after the tables that its rows refer to.
  package static let carriedTables: [SummedTable] = SummedTable.all.filter { $0.name != SummedTable.settings.name }

  /// The settings that count in another store too: numbers that were given out, and may not be given out again.
  package static let carriedSettings = ["oldest_revision", lastPostRevision] + numbered.map(lastIDSetting)

  /// Unchanged rows of a table in the order of its key.
  /// - Parameters:
  ///   - key: the key of the last row before, or `nil` to begin with the first.
  ///   - limit: how many at most.
  /// - Throws: `StoreError.corrupt` that names a row which is damaged.
  package func cells(of table: SummedTable, after key: [Cell]?, limit: Int) throws -> [[Cell]] {
    try reading { pool in
      try pool.read { db in
        let names = table.key.joined(separator: ", ")
        let condition = key.map { " WHERE (\(names)) > (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        let values = (key ?? []).map(Self.value) + [limit.databaseValue]
        return try Row.fetchAll(
          db, sql: "\(table.selection)\(condition) ORDER BY \(names) LIMIT ?", arguments: StatementArguments(values)
        ).map { row in
          try table.verify(row)
          return row.databaseValues.dropLast().map(Self.cell)
        }
      }
    }
  }

  /// Adds rows to a table. The rows that they refer to may come later: `complete` checks that they exist.
  package func add(_ rows: [[Cell]], to table: SummedTable) throws {
    try reading { pool in
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        try db.inTransaction {
          for row in rows { try Self.upsert(table, row.map(Self.value), db) }
          return .commit
        }
      }
    }
  }

  /// Writes the log back into the file, so that it does not grow with all the added rows.
  package func writeBack() throws {
    try reading { pool in _ = try pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) } }
  }

  /// Makes sure that added rows refer only to existing rows, and are in the file itself.
  private func complete() throws {
    try reading { pool in
      try pool.writeWithoutTransaction { db in
        guard try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") == nil else {
          throw StoreError(.corrupt, "rows that were copied name others that are not there")
        }
      }
    }
    try writeBack()
  }

  /// Channels whose rows could not be read, why, and when that was noticed.
  package func quarantine() throws -> [(channel: Int64, reason: String, at: Int64)] {
    try reading { pool in
      try pool.read { db in
        try Row.fetchAll(db, sql: "SELECT channel_id, reason, at FROM quarantine ORDER BY channel_id").map {
          ($0["channel_id"], $0["reason"], $0["at"])
        }
      }
    }
  }

  /// Takes over the other facts of another store: channels that could not be read, and its last sign of life.
  package func carry(
    quarantine: [(channel: Int64, reason: String, at: Int64)], sign: (at: Timestamp, commit: UInt64)?
  ) throws {
    try reading { pool in
      try pool.write { db in
        for (channel, reason, at) in quarantine {
          try db.execute(
            sql: "INSERT INTO quarantine (channel_id, reason, at) VALUES (?, ?, ?)", arguments: [channel, reason, at])
        }
        if let sign { try Self.put("probe", "\(sign.at.milliseconds) \(sign.commit)", db) }
      }
    }
  }

  /// - Returns: the existing settings among `carriedSettings`.
  package func settingsToCarry() throws -> [String: String] {
    try reading { pool in
      try pool.read { db in
        try Self.carriedSettings.reduce(into: [:]) { found, key in found[key] = try Self.setting(key, db) }
      }
    }
  }

  /// Continues from the settings and the numbers of another store, whose secrets were sealed in today's way.
  /// - Parameters:
  ///   - revision: the newest revision of channels that was given out. `postRevision` is the same for posts.
  package func carryOn(from settings: [String: String], revision: Int64, postRevision: Int64) throws {
    try reading { pool in
      try pool.write { db in
        for (key, value) in settings where Self.carriedSettings.contains(key) { try Self.put(key, value, db) }
        try Self.put(Self.sealingKey, Self.sealingNow, db)
        if try Self.revision(db) < revision { try Self.raiseOldestRevision(to: revision, db) }
        if try Self.postRevision(db) < postRevision { try Self.put(Self.lastPostRevision, String(postRevision), db) }
      }
    }
  }

  /// The newest revisions that were given out.
  package func revisions() throws -> (channels: Int64, posts: Int64) {
    try reading { pool in try pool.read { db in (try Self.revision(db), try Self.postRevision(db)) } }
  }

  /// How many channels that are not deleted are on a network.
  package func livingChannels(on network: String) throws -> Int {
    try reading { pool in
      try pool.read { db in
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM channels WHERE deleted_at IS NULL AND network = ?", arguments: [network]) ?? 0
      }
    }
  }

  private static func cell(_ value: DatabaseValue) -> Cell {
    switch value.storage {
    case .null: .null
    case .int64(let number): .int(number)
    // No table has any.
    case .double(let number): .text("\(number)")
    case .string(let text): .text(text)
    case .blob(let data): .bytes(Array(data))
    }
  }

  private static func value(_ cell: Cell) -> DatabaseValue {
    switch cell {
    case .null: .null
    case .int(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .bytes(let bytes): Data(bytes).databaseValue
    }
  }

  /// Does something while no one else uses a state directory, in which a crash may have left copies.
  /// - Throws: `StoreError.inUse` if someone does, or the error of `body`.
  package static func alone<T>(in directory: String, _ body: () async throws -> T) async throws -> T {
    let lock = try lock(directory)
    defer { flock(lock.fileDescriptor, LOCK_UN) }
    removeCopies(in: directory)
    return try await body()
  }

  /// Makes the database of a state directory that has none, and puts it there only when it is complete.
  /// - Parameter fill: puts everything into the new store.
  /// - Throws: `StoreError`: `inUse` if there is a database, or a part of one, or someone uses the directory. Then nothing has changed.
  package static func make(in directory: String, _ fill: (Store) async throws -> Void) async throws {
    try await alone(in: directory) { try await makeAlone(in: directory, fill) }
  }

  private static func makeAlone(in directory: String, _ fill: (Store) async throws -> Void) async throws {
    let names = ["baton.db", "baton.db-wal", "baton.db-shm", "baton.db-journal", StateMark.name]
    if let name = names.first(where: { access("\(directory)/\($0)", F_OK) == 0 }) {
      throw StoreError(
        .inUse,
        "there is a \(directory)/\(name) already. Move away everything that is called baton.db or \(StateMark.name) first")
    }
    // After a crash, the next attempt or the next start removes this folder.
    let folder = pathOfCopy(in: directory)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try Store(directory: folder)
    do {
      try await fill(store)
      try store.complete()
    } catch {
      store.close()
      throw error
    }
    store.close()
    var status = stat()
    if stat(folder + "/baton.db-wal", &status) == 0, status.st_size > 0 {
      throw StoreError(.inputOutput, "the copy could not be written into one file")
    }
    // The mark demands the database, so it comes second.
    try PrivateFile.rename(folder + "/baton.db", to: directory + "/baton.db")
    try PrivateFile.rename(folder + "/" + StateMark.name, to: directory + "/" + StateMark.name)
  }
}

/// Sums up rows, to compare the rows of two stores.
package struct CellSum: Hashable, Sendable {
  package private(set) var rows = 0
  private var sum: Int64 = 0

  package init() {}

  package mutating func add(_ row: [Cell]) {
    rows += 1
    var next = RowSum()
    next.add(sum)
    for cell in row {
      switch cell {
      case .null: next.addNull()
      case .int(let number): next.add(number)
      case .text(var text): text.withUTF8 { next.add(text: UnsafeRawBufferPointer($0)) }
      case .bytes(let bytes): bytes.withUnsafeBytes { next.add(blob: $0) }
      }
    }
    sum = next.value
  }
}
