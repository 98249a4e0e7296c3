internal import GRDB

// Revisions and ids that were given out after a copy was made. Clients may remember them, so they are not given out again.
extension Store {
  /// A gap far larger than the numbers given out between two copies, and small enough for two million restores: JSON keeps numbers up to
  /// 2^53.
  package static let leftOut: Int64 = 1 << 32

  /// Tables whose ids are given out one after the other.
  package static let numbered: [SummedTable] = [.operators, .servers, .relays, .identities, .channels, .posts]

  /// The setting with the last id of a table that was left out.
  package static func lastIDSetting(_ table: SummedTable) -> String { "last_id_\(table.name)" }

  /// Lets revisions and ids continue far behind any that may have been given out. A client that asks for changes after a revision left out
  /// here has to list again.
  static func leaveNumbersOut(_ db: Database) throws {
    try put(lastPostRevision, String(try postRevision(db) + leftOut), db)
    try raiseOldestRevision(to: try revision(db) + leftOut, db)
    for table in numbered { try put(lastIDSetting(table), String(try lastID(table, db) + leftOut), db) }
  }

  /// The setting with the last revision of posts that was left out.
  static let lastPostRevision = "last_post_revision"

  /// The newest revision of posts that was given out or left out, or 0 without one. Posts are never removed, so it is known even when their
  /// history is forgotten.
  static func postRevision(_ db: Database) throws -> Int64 {
    func top(_ sql: String) throws -> Int64 { try Int64.fetchOne(db, cached: sql) ?? 0 }
    return try max(
      top("SELECT max(revision) FROM posts"), top("SELECT max(revision) FROM post_transitions"),
      setting(lastPostRevision, db).flatMap { Int64($0) } ?? 0)
  }

  /// The highest id of a table that was given out or left out, or 0 without one.
  static func lastID(_ table: SummedTable, _ db: Database) throws -> Int64 {
    let highest = try Int64.fetchOne(db, cached: "SELECT max(id) FROM \(table.name)") ?? 0
    return max(highest, try setting(lastIDSetting(table), db).flatMap { Int64($0) } ?? 0)
  }
}
