internal import GRDB
internal import GRDBSQLite

extension DatabaseError {
  /// The error of a statement that is used without GRDB.
  /// - Parameter result: SQLite's last result for it, which is not SQLITE_OK.
  init(_ result: CInt, of statement: SQLiteStatement) {
    self.init(
      resultCode: ResultCode(rawValue: result), message: String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))))
  }
}
