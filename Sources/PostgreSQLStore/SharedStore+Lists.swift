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
    let answers = try await ask([list, CommitScript.end])
    let ids = answers[0].ints(order.keys.count).map(ChannelID.init(rawValue:))
    let channels = try await self.channels(Set(ids))
    let found = ids.compactMap { channels.found[$0] }
    return ChannelPart(
      channels: found, lastPosts: try await lastPosts(of: Set(found.map(\.row.id))), conversations: nil,
      unreadable: ids.filter { channels.unreadable[$0] != nil },
      last: ids.count == limit ? seek.values(of: answers[0], ids.count - 1) : nil, revision: answers[1].int(0, 0) ?? 0)
  }
}
