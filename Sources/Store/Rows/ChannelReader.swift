internal import Channels
internal import GRDB
package import Storage

/// Reads channels by their ids. It serves one access to the database, in which each statement is looked up once.
struct ChannelReader {
  private let channels: RowsOfID
  private let relays: RowsOfID

  init(_ db: Database) throws {
    channels = try RowsOfID("SELECT * FROM channels WHERE id = ?", db)
    relays = try RowsOfID("SELECT * FROM channel_relays WHERE channel_id = ?", db)
  }

  /// A channel with its relays, or `nil` if it does not exist.
  /// - Throws: `StoreError.corrupt` when its rows are damaged, or contradict each other.
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
    // SQLite would copy each row to sort them.
    members.sort { $0.position < $1.position }
    return try StoredChannel(channel, members.map(\.row))
  }
}

extension StoredChannel {
  /// A channel from its row and its relays' rows, in their order.
  /// - Throws: `StoreError.corrupt` when one of them is damaged, or they contradict each other.
  package init(_ row: ChannelRow, _ relays: [Result<ChannelRelayRow, any Error>]) throws {
    // Relays that cannot be found are reported first.
    guard relays.count == row.relayCount ?? relays.count else {
      throw StoreError(
        .corrupt, "channel \(row.id.rawValue) has \(row.relayCount ?? 0) relays, and \(relays.count) of them can be found")
    }
    self.init(row: row, relays: try relays.map { try $0.get() })
  }
}
