internal import Channels
public import Filters
internal import GRDB
public import Storage
public import StrictJSON
internal import Synchronization

extension Store {
  /// Channels in `order`. All channels that `filter` wants are among them. The caller checks each one, because some fields exist only in
  /// the daemon.
  /// - Parameters:
  ///   - withDeleted: whether deleted ones are included.
  ///   - after: the sort values of the last channel of the previous part.
  ///   - limit: how many channels are looked at, at most.
  public func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) throws -> ChannelPart {
    let indexes = keyIndexes.withLock { $0 }
    func part(_ pool: OpenPool) throws -> ChannelPart {
      try pool.read { db in
        let plan = try ChannelListPlan(
          matching: filter, in: order, withDeleted: withDeleted, after: after, indexes: indexes, db)
        let (ids, last) = try Self.find(plan, limit, db)
        let reader = try ChannelReader(db)
        var channels: [StoredChannel] = []
        channels.reserveCapacity(ids.count)
        var unreadable: [ChannelID] = []
        for id in ids {
          do {
            if let channel = try reader.channel(id) { channels.append(channel) }
          } catch let error as StoreError {
            // A damaged channel must not end every list.
            _ = noted(error)
            unreadable.append(id)
          }
        }
        return ChannelPart(
          channels: channels, lastPosts: try lastPosts(of: channels.map(\.row.id), db),
          conversations: try Self.conversations(of: channels.map(\.row.id), db), unreadable: unreadable,
          last: last.map(plan.seek.values), revision: try Self.revision(db))
      }
    }
    return try reading { pool in
      do {
        return try part(pool)
      } catch  where Self.isDamage(error) && messagesPath.value != nil {
        // It may be the file of messages, which is a copy: lists do without it. If it is not, the same happens again.
        read(nil)
        return try part(pool)
      }
    }
  }

  /// The channels that the statements of a plan find.
  /// - Returns: also the terms of the last one's row, if there may be more.
  private static func find(
    _ plan: ChannelListPlan, _ limit: Int, _ db: Database
  ) throws -> (ids: [ChannelID], last: [DatabaseValue]?) {
    var ids: [ChannelID] = []
    var last: [DatabaseValue]?
    for statement in plan.statements where ids.count < limit {
      let arguments = StatementArguments(statement.arguments + [(limit - ids.count).databaseValue])
      try Row.fetchCursor(db, sql: statement.sql, arguments: arguments).forEach { row in
        ids.append(ChannelID(rawValue: row[row.count - 1]))
        if ids.count == limit { last = Array(row.databaseValues) }
      }
    }
    return (ids, last)
  }
}
