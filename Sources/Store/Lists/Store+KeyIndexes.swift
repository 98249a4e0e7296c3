internal import Channels
internal import GRDB
internal import Storage
internal import Synchronization

/// A change of the index on a key of custom data.
public enum KeyIndexChange: Hashable, Sendable {
  /// It is being created, which needs seconds if there are many channels.
  case begun
  case made
  case removed
  /// It could not be created. Lists work without it.
  case failed(reason: String)
}

extension Store {
  /// Creates the indexes on these keys of channels' custom data, and removes indexes on other keys. Existing ones are kept. After a crash
  /// each of them is there completely or not at all.
  /// - Parameters:
  ///   - keys: names with dots between them, as in a filter after `custom.`. Keys that no filter can name are left out.
  ///   - tell: is called with each change.
  /// - Throws: `StoreError` if reading or writing the database fails.
  public func keepKeyIndexes(_ keys: [String], tell: (String, KeyIndexChange) -> Void = { _, _ in }) throws {
    let wanted = keys.compactMap(KeyIndex.init)
    keyIndexes.withLock { $0 = [:] }
    let present = try reading { pool in try pool.read { db in try Self.presentKeyIndexes(db) } }
    for name in present.keys.sorted() where !wanted.contains(where: { $0.creation == present[name] }) {
      let key = KeyIndex.key(ofIndex: name) ?? name
      guard try change("DROP INDEX \"\(name)\"", { tell(key, .failed(reason: $0)) }) else { continue }
      if !wanted.contains(where: { $0.name == name }) { tell(key, .removed) }
    }
    for index in wanted {
      if present[index.name] != index.creation {
        tell(index.key, .begun)
        let statement = "DROP INDEX IF EXISTS \(index.quotedName); \(index.creation)"
        guard try change(statement, { tell(index.key, .failed(reason: $0)) }) else { continue }
        tell(index.key, .made)
      }
      keyIndexes.withLock { $0[["custom"] + index.names] = index }
    }
  }

  /// Changes an index together with the sum of the tables' descriptions in the file.
  /// - Parameter failed: is called when the file is damaged, which must not keep the daemon from starting.
  /// - Returns: whether it was changed.
  private func change(_ sql: String, _ failed: (String) -> Void) throws -> Bool {
    do {
      try reading { pool in
        try pool.write { db in
          try db.execute(sql: sql)
          try Schema.storeSum(db)
        }
      }
      return true
    } catch let error as StoreError {
      guard error.code == .corrupt else { throw error }
      failed(error.description)
      return false
    }
  }

  /// The statements of the indexes on keys of custom data, by the name of the index.
  private static func presentKeyIndexes(_ db: Database) throws -> [String: String] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'channels' AND sql IS NOT NULL")
    let all = rows.compactMap { row -> (String, String)? in
      guard let name = String.fromDatabaseValue(row[0]), KeyIndex.key(ofIndex: name) != nil else { return nil }
      return (name, String.fromDatabaseValue(row[1]) ?? "")
    }
    return Dictionary(all) { first, _ in first }
  }
}
