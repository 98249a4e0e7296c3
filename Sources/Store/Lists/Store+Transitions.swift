internal import Channels
internal import GRDB
public import Storage
internal import StrictJSON

extension Store {
  /// Lines of the history of all channels, the latest first.
  /// - Parameters:
  ///   - revision: only lines before this one.
  ///   - limit: how many at most, at least 1.
  public func transitions(matching seek: TransitionSeek, before revision: Int64, limit: Int) throws -> TransitionPart {
    let floor = TransitionPart.floor(before: revision, seek)
    var (conditions, values) = (["revision < ?", "revision >= ?"], [revision.databaseValue, floor.databaseValue])
    func add(_ column: String, _ wanted: [JSONValue]?) {
      guard let wanted else { return }
      // One text for all numbers of values.
      conditions.append("\(column) IN (SELECT value FROM json_each(?))")
      values.append(JSONValue.array(wanted).text.databaseValue)
    }
    if let channels = seek.channels {
      if channels.count == 1 {
        conditions.append("channel_id = ?")
        values += channels.map(\.rawValue.databaseValue)
      } else {
        add("channel_id", channels.map { .integer($0.rawValue) })
      }
    }
    add("relay_id", seek.relays?.map { .integer($0.rawValue) })
    add("cause", seek.causes?.map { .string($0) })
    add("to_status", seek.statuses?.map { .string($0) })
    values.append(limit.databaseValue)
    let sql =
      "SELECT * FROM transitions WHERE \(conditions.joined(separator: " AND ")) ORDER BY revision DESC LIMIT ?"
    return try reading { pool in
      try pool.read { db in
        let (rows, last) = try readIntact(db, cached: sql, arguments: values, limit: limit) { try TransitionRow(&$0) }
        let below = try Int64.fetchOne(
          db, cached: "SELECT max(revision) FROM transitions WHERE revision < ?", arguments: [floor])
        return TransitionPart(rows, last: last, below: below)
      }
    }
  }
}
