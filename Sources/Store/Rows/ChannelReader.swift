internal import Channels
internal import GRDB
internal import GRDBSQLite
internal import Storage

/// Reads channels by their ids. It serves one access to the database, in which each statement is looked up once.
struct ChannelReader {
  private let channels: Statement
  private let relays: Statement

  init(_ db: Database) throws {
    channels = try db.cachedStatement(sql: "SELECT * FROM channels WHERE id = ?")
    relays = try db.cachedStatement(sql: "SELECT * FROM channel_relays WHERE channel_id = ?")
    // GRDB binds nothing itself, and leaves alone what is bound directly.
    channels.setUncheckedArguments(StatementArguments())
    relays.setUncheckedArguments(StatementArguments())
  }

  /// A channel with its relays; `nil` if there is none.
  /// - Throws: `StoreError.corrupt` when its rows are not what was written, or contradict each other.
  func channel(_ id: ChannelID) throws -> StoredChannel? {
    var channel: ChannelRow?
    try each(channels, id) { channel = try ChannelRow(id, &$0) }
    guard let channel else { return nil }
    var members: [(position: Int64, row: Result<ChannelRelayRow, any Error>)] = []
    try each(relays, id) { values in
      var position: Int64 = 0
      let member = Result { try ChannelRelayRow(of: id, at: &position, &values) }
      members.append((position, member))
    }
    // Channels that cannot be found are reported first.
    guard members.count == channel.relayCount ?? members.count else {
      throw StoreError(
        .corrupt, "channel \(id.rawValue) has \(channel.relayCount ?? 0) relays, and \(members.count) of them can be found")
    }
    // SQLite would copy each row to sort them.
    members.sort { $0.position < $1.position }
    return StoredChannel(row: channel, relays: try members.map { try $0.row.get() })
  }

  /// Reads what a statement finds for a channel. It is stepped without GRDB, which looks up the names of all columns at each start.
  private func each(_ statement: Statement, _ id: ChannelID, _ body: (inout RowReader) throws -> Void) throws {
    let handle = statement.sqliteStatement
    // The result is that of the last run, which its caller knows.
    sqlite3_reset(handle)
    let bound = sqlite3_bind_int64(handle, 1, id.rawValue)
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
