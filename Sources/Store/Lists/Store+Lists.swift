internal import Channels
public import Filters
internal import GRDB
public import Storage
public import StrictJSON

extension Store {
  /// Channels in `order`. All that `filter` wants are among them; whether one really is wanted is for the caller to say, who knows
  /// what only the daemon can tell.
  /// - Parameters:
  ///   - withDeleted: whether deleted ones are among them.
  ///   - after: what the last channel of the part before was sorted by.
  ///   - limit: how many channels are looked at, at most.
  public func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) throws -> ChannelPart {
    guard let seek = ChannelSeek(order) else { throw StoreError(.inputOutput, "channels have no order \(order.text)") }
    let condition = ChannelCondition(filter)
    var conditions = [condition.sql]
    var arguments = seek.terms.flatMap(\.arguments) + condition.arguments
    if !withDeleted { conditions.append("c.deleted_at IS NULL") }
    if let after {
      let rest = seek.condition(after: after)
      conditions.append(rest.sql)
      arguments += rest.arguments
    }
    let ordering = seek.ordering
    let sql = """
      SELECT \(seek.terms.map(\.sql).joined(separator: ", ")), c.id FROM channels c WHERE \(conditions.joined(separator: " AND "))
      ORDER BY \(ordering.sql) LIMIT ?
      """
    arguments += ordering.arguments + [limit.databaseValue]
    return try reading { pool in
      try pool.read { db in
        let rows = try Row.fetchAll(db, sql: sql, arguments: StatementArguments(arguments))
        let reader = try ChannelReader(db)
        var channels: [StoredChannel] = []
        var unreadable: [ChannelID] = []
        for row in rows {
          do {
            let id = ChannelID(rawValue: row[row.count - 1])
            if let channel = try reader.channel(id) { channels.append(channel) }
          } catch let error as StoreError {
            // One that cannot be read must not end every list.
            _ = noted(error)
            if let id = Int64.fromDatabaseValue(row[row.count - 1] as DatabaseValue) {
              unreadable.append(ChannelID(rawValue: id))
            }
          }
        }
        let last = rows.count == limit ? rows.last.map { seek.values(of: Array($0.databaseValues)) } : nil
        return ChannelPart(channels: channels, unreadable: unreadable, last: last, revision: try Self.revision(db))
      }
    }
  }
}
