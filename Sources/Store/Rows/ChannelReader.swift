internal import Channels
internal import GRDB
internal import GRDBSQLite
internal import Storage

/// Reads channels by their ids. It is good for one access to the database, in which each statement is looked up once.
struct ChannelReader {
  private let channels: Statement
  private let relays: Statement

  init(_ db: Database) throws {
    channels = try db.cachedStatement(sql: "SELECT * FROM channels WHERE id = ?")
    relays = try db.cachedStatement(sql: "SELECT * FROM channel_relays WHERE channel_id = ? ORDER BY position")
    // GRDB binds nothing, and leaves alone what is bound beside it.
    channels.setUncheckedArguments(StatementArguments())
    relays.setUncheckedArguments(StatementArguments())
  }

  /// A channel with its relays; nil when there is none.
  /// - Throws: `StoreError.corrupt` when its rows are not what was written, or contradict themselves.
  func channel(_ id: ChannelID) throws -> StoredChannel? {
    var channel: ChannelRow?
    try each(channels, id) { values, row in channel = try ChannelRow(id, &values, row) }
    guard let channel else { return nil }
    var members: [ChannelRelayRow] = []
    var count = 0
    var fault: (any Error)?
    try each(relays, id) { values, row in
      count += 1
      // That some cannot be found is said first.
      do { members.append(try ChannelRelayRow(of: id, &values, row)) } catch { fault = fault ?? error }
    }
    guard count == channel.relayCount ?? count else {
      throw StoreError(
        .corrupt, "channel \(id.rawValue) has \(channel.relayCount ?? 0) relays, and \(count) of them can be found")
    }
    if let fault { throw fault }
    return StoredChannel(row: channel, relays: members)
  }

  private func each(_ statement: Statement, _ id: ChannelID, _ body: (inout RowReader, Row) throws -> Void) throws {
    let handle = statement.sqliteStatement
    // The result is that of the last run, of which its caller knows.
    sqlite3_reset(handle)
    let result = sqlite3_bind_int64(handle, 1, id.rawValue)
    guard result == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result), message: String(cString: sqlite3_errstr(result)))
    }
    try Row.fetchCursor(statement).forEach { row in
      var values = RowReader(handle)
      try body(&values, row)
    }
  }
}
