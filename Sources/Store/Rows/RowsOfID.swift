internal import GRDB
internal import GRDBSQLite

/// A query on one summed table for the rows that belong to an id. It serves one access to the database, in which the statement is looked up
/// once.
struct RowsOfID {
  private let statement: Statement

  /// - Parameter sql: selects all columns. Its one argument is the id.
  init(_ sql: String, _ db: Database) throws {
    statement = try db.cachedStatement(sql: sql)
    // GRDB binds nothing itself, and does not touch directly bound values.
    statement.setUncheckedArguments(StatementArguments())
  }

  /// Reads each row of an id. The statement is stepped without GRDB, which looks up the names of all columns at each start.
  func each(_ id: Int64, _ body: (inout RowReader) throws -> Void) throws {
    let handle = statement.sqliteStatement
    // The result is the last run's, which its caller got.
    sqlite3_reset(handle)
    let bound = sqlite3_bind_int64(handle, 1, id)
    guard bound == SQLITE_OK else { throw DatabaseError(bound, of: handle) }
    defer { sqlite3_reset(handle) }
    while true {
      let result = sqlite3_step(handle)
      guard result != SQLITE_DONE else { return }
      guard result == SQLITE_ROW else { throw DatabaseError(result, of: handle) }
      var values = RowReader(handle)
      try body(&values)
    }
  }
}
