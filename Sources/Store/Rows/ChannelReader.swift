internal import Channels
internal import GRDB
internal import Storage

/// Reads channels by their ids. It serves one access to the database, in which each statement is looked up once.
struct ChannelReader {
  private let channels: RowsOfID
  private let relays: RowsOfID

  init(_ db: Database) throws {
    channels = try RowsOfID("SELECT * FROM channels WHERE id = ?", db)
    relays = try RowsOfID("SELECT * FROM channel_relays WHERE channel_id = ?", db)
  }

  /// A channel with its relays; `nil` if there is none.
  /// - Throws: `StoreError.corrupt` when its rows are not what was written, or contradict each other.
  func channel(_ id: ChannelID) throws -> StoredChannel? {
    var channel: ChannelRow?
    try channels.each(id.rawValue) { channel = try ChannelRow(id, &$0) }
    guard let channel else { return nil }
    var members: [(position: Int64, row: Result<ChannelRelayRow, any Error>)] = []
    try relays.each(id.rawValue) { values in
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
}
