internal import Channels
public import Filters
internal import GRDB
public import Storage
public import StrictJSON
internal import Synchronization

extension Store {
  /// Channels in `order`. All that `filter` wants are among them; the caller decides whether one is really wanted, because it knows
  /// the fields that only the daemon has.
  /// - Parameters:
  ///   - withDeleted: whether deleted ones are included.
  ///   - after: what the last channel of the part before was sorted by.
  ///   - limit: how many channels are looked at, at most.
  public func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) throws -> ChannelPart {
    let indexes = keyIndexes.withLock { $0 }
    return try reading { pool in
      try pool.read { db in
        let plan = try ChannelListPlan(
          matching: filter, in: order, withDeleted: withDeleted, after: after, indexes: indexes, db)
        let rows = try Self.rows(plan, limit, db)
        let reader = try ChannelReader(db)
        var channels: [StoredChannel] = []
        var unreadable: [ChannelID] = []
        for row in rows {
          do {
            let id = ChannelID(rawValue: row[row.count - 1])
            if let channel = try reader.channel(id) { channels.append(channel) }
          } catch let error as StoreError {
            // A channel that cannot be read must not end every list.
            _ = noted(error)
            if let id = Int64.fromDatabaseValue(row[row.count - 1] as DatabaseValue) {
              unreadable.append(ChannelID(rawValue: id))
            }
          }
        }
        let last = rows.count == limit ? rows.last.map { plan.seek.values(of: Array($0.databaseValues)) } : nil
        return ChannelPart(channels: channels, unreadable: unreadable, last: last, revision: try Self.revision(db))
      }
    }
  }

  private static func rows(_ plan: ChannelListPlan, _ limit: Int, _ db: Database) throws -> [Row] {
    var rows: [Row] = []
    for statement in plan.statements where rows.count < limit {
      rows += try Row.fetchAll(
        db, sql: statement.sql, arguments: StatementArguments(statement.arguments + [(limit - rows.count).databaseValue]))
    }
    return rows
  }
}
