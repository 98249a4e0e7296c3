internal import GRDB
internal import GRDBSQLite

extension Database {
  /// Calls `log` after each commit of this connection with the number of pages in the log of the database, and writes the log back
  /// immediately if `log` demands it. `log` must live as long as the connection is used.
  func tellLength(to log: LogWriteback) throws {
    // SQLite's own way goes first: both use the same hook.
    try execute(sql: "PRAGMA wal_autocheckpoint = 0")
    sqlite3_wal_hook(
      sqliteConnection,
      { context, database, _, pages in
        guard let context else { return SQLITE_OK }
        if Unmanaged<LogWriteback>.fromOpaque(context).takeUnretainedValue().committed(Int(pages)) {
          sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(log).toOpaque())
  }
}
