internal import Channels
internal import GRDB
public import Storage
internal import StrictJSON

// The history of the health of relays and servers.
extension Store {
  /// Lines of the history, the latest first.
  /// - Parameters:
  ///   - peers: only lines about these, or `nil` for all.
  ///   - revision: only lines before this one.
  ///   - limit: how many at most, at least 1.
  public func health(of peers: Set<Probed>?, before revision: Int64, limit: Int) throws -> HealthPart {
    var (condition, values) = ("revision < ?", [revision.databaseValue])
    if let peers {
      // One text for all numbers of values.
      condition += """
         AND (relay_id IN (SELECT value FROM json_each(?)) OR server_id IN (SELECT value FROM json_each(?)))
        """
      let (relays, servers) = peers.ids
      for ids in [relays, servers] { values.append(JSONValue.array(ids.map(JSONValue.integer)).text.databaseValue) }
    }
    values.append(limit.databaseValue)
    return try reading { pool in
      try pool.read { db in
        let (rows, last) = try readIntact(
          db, cached: "\(SummedTable.health.selection) WHERE \(condition) ORDER BY revision DESC LIMIT ?",
          arguments: values, limit: limit
        ) { try HealthRow(&$0) }
        return HealthPart(rows, next: last)
      }
    }
  }

  /// Forgets the oldest lines of a peer in excess of the limit.
  static func trimHealth(of peer: Probed, _ db: Database) throws {
    let (column, id) = column(of: peer)
    try run(
      db,
      """
      DELETE FROM health_changes WHERE \(column) = ? AND revision <=
        (SELECT revision FROM health_changes WHERE \(column) = ? ORDER BY revision DESC LIMIT 1 OFFSET \(HealthRow.keptMax))
      """, [id, id])
  }

  /// The column of a peer in the history, and its id there.
  package static func column(of peer: Probed) -> (String, Int64) {
    switch peer {
    case .relay(let id): ("relay_id", id.rawValue)
    case .server(let id): ("server_id", id.rawValue)
    }
  }
}

extension Set<Probed> {
  /// The ids of the relays and of the servers, in order.
  package var ids: (relays: [Int64], servers: [Int64]) {
    var (relays, servers): ([Int64], [Int64]) = ([], [])
    for peer in self {
      switch peer {
      case .relay(let id): relays.append(id.rawValue)
      case .server(let id): servers.append(id.rawValue)
      }
    }
    return (relays.sorted(), servers.sorted())
  }
}
