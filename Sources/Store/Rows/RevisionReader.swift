internal import Channels
internal import GRDB
internal import GRDBSQLite

/// Reads the revisions of channels. It serves one transaction, in which the statement is looked up once.
struct RevisionReader {
  private let statement: Statement

  init(_ db: Database) throws {
    statement = try db.cachedStatement(sql: "SELECT revision FROM channels WHERE id = ?")
  }

  /// The revision of a channel, or `nil` if it does not exist.
  func revision(of id: ChannelID) throws -> Int64? {
    let handle = statement.sqliteStatement
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    let bound = sqlite3_bind_int64(handle, 1, id.rawValue)
    guard bound == SQLITE_OK else { throw DatabaseError(bound, of: handle) }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return sqlite3_column_int64(handle, 0)
    case SQLITE_DONE: return nil
    case let result: throw DatabaseError(result, of: handle)
    }
  }
}
