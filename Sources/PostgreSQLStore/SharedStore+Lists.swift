internal import Channels
public import Filters
internal import PostgreSQL
public import Storage
internal import Store
public import StrictJSON

extension SharedStore {
  /// Channels in `order`. All that `filter` wants are among them; the caller decides whether one is really wanted.
  /// - Parameters:
  ///   - withDeleted: whether deleted ones are included.
  ///   - after: what the last channel of the part before was sorted by.
  ///   - limit: how many channels are looked at, at most.
  public func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) async throws -> ChannelPart {
    let (list, seek) = try Self.list(matching: filter, in: order, withDeleted: withDeleted, after: after, limit: limit)
    let answers = try await ask([Self.plannedForItself, list, CommitScript.end])
    let ids = answers[1].ints(order.keys.count).map(ChannelID.init(rawValue:))
    let channels = try await self.channels(Set(ids))
    let found = ids.compactMap { channels.found[$0] }
    return ChannelPart(
      channels: found, lastPosts: try await lastPosts(of: Set(found.map(\.row.id))), conversations: nil,
      unreadable: ids.filter { channels.unreadable[$0] != nil },
      last: ids.count == limit ? seek.values(of: answers[1], ids.count - 1) : nil, revision: answers[2].int(0, 0) ?? 0)
  }

  /// A list has a plan for its own values: how many channels a relay has, and how few are wanted, decides which index is the right one.
  private static let plannedForItself = SQLStatement("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)")

  /// The statement that finds channels: what they are sorted by, and the id.
  static func list(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) throws(StoreError) -> (SQLStatement, ListSeek) {
    guard let seek = ListSeek(order) else { throw StoreError(.inputOutput, "channels have no order \(order.text)") }
    var parameters = PostgreSQLConditions()
    var conditions = [ChannelCondition(filter, &parameters).sql, seek.condition(after: after, &parameters)]
    if !withDeleted { conditions.append("c.deleted_at IS NULL") }
    let most = parameters.add(.int(Int64(limit)))
    // What clients ask for may have any form, so it is not kept prepared.
    let list = SQLStatement(
      """
      SELECT \(seek.selection), c.id FROM channels c WHERE \(conditions.joined(separator: " AND "))
      ORDER BY \(seek.ordering) LIMIT \(most)
      """, parameters.values, isKept: false)
    return (list, seek)
  }
}
