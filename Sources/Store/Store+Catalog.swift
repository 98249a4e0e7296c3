internal import Channels
internal import GRDB
public import Storage

// Operators, servers and relays.
extension Store {
  /// Connections that are remembered for each relay and server.
  public static let roundTripsMax = 100

  public func operators() throws -> [OperatorRow] {
    try reading { pool in
      try pool.read { db in try Self.rows(.operators, db) { try OperatorRow(&$0) } }
    }
  }

  public func servers() throws -> [ServerRow] {
    try reading { pool in
      try pool.read { db in try Self.rows(.servers, db) { try ServerRow(&$0) } }
    }
  }

  public func relays() throws -> [RelayRow] {
    try reading { pool in
      try pool.read { db in try Self.rows(.relays, db) { try RelayRow(&$0) } }
    }
  }

  /// The latest connections to a relay or server, oldest first, at most `roundTripsMax`.
  public func roundTrips(of peer: Probed) throws -> [MeasuredConnection] {
    let (kind, id) = Self.key(peer)
    return try reading { pool in
      try pool.read { db in
        try Row.fetchAll(
          db, cached: "SELECT at, ms FROM round_trips WHERE peer = ? AND peer_id = ? ORDER BY number", arguments: [kind, id]
        ).map { MeasuredConnection(at: Timestamp(milliseconds: $0["at"]), milliseconds: $0["ms"]) }
      }
    }
  }

  /// All rows of a table, each of them checked, in the order of its key.
  static func rows<T>(_ table: SummedTable, _ db: Database, _ row: (inout RowReader) throws -> T) throws -> [T] {
    try read(db, cached: "\(table.selection) ORDER BY \(table.key.joined(separator: ", "))", arguments: [], row)
  }

  /// An intact row with an unknown word.
  static func unreadable(_ table: SummedTable, _ row: Row) -> StoreError {
    StoreError(.corrupt, "\(table.title(row)) is unreadable")
  }

  // MARK: - Writing

  static func record(_ peer: Probed, _ at: Timestamp, _ milliseconds: Int64, _ db: Database) throws {
    let (kind, id) = key(peer)
    let top = "SELECT coalesce(max(number), 0) FROM round_trips WHERE peer = ? AND peer_id = ?"
    let number = (try Int64.fetchOne(db.cachedStatement(sql: top), arguments: [kind, id]) ?? 0) + 1
    try run(
      db, "INSERT INTO round_trips (peer, peer_id, number, at, ms) VALUES (?, ?, ?, ?, ?)",
      [kind, id, number, at.milliseconds, milliseconds])
    try run(
      db, "DELETE FROM round_trips WHERE peer = ? AND peer_id = ? AND number <= ?", [kind, id, number - Int64(roundTripsMax)])
  }

  /// How the tables name a peer.
  package static func key(_ peer: Probed) -> (String, Int64) {
    switch peer {
    case .relay(let id): ("relay", id.rawValue)
    case .server(let id): ("server", id.rawValue)
    }
  }
}
