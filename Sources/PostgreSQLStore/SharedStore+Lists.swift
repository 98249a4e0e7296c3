internal import Channels
public import Filters
internal import PostgreSQL
public import Storage
internal import Store
public import StrictJSON

extension SharedStore {
  /// Channels in `order`. All channels that `filter` wants are among them. The caller checks each one.
  /// - Parameters:
  ///   - withDeleted: whether deleted ones are included.
  ///   - after: the sort values of the last channel of the previous part.
  ///   - limit: how many channels are looked at, at most.
  public func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) async throws -> ChannelPart {
    let summaries = Self.asksAboutMessages(filter, order) ? try await summaries() : nil
    let (list, seek) = try Self.list(
      matching: filter, in: order, withDeleted: withDeleted, after: after, limit: limit, summaries)
    let answers = try await ask([Self.plannedForItself, list, CommitScript.end])
    let ids = answers[1].ints(order.keys.count).map(ChannelID.init(rawValue:))
    let channels = try await self.channels(Set(ids))
    let found = ids.compactMap { channels.found[$0] }
    let shown = Set(found.map(\.row.id))
    return ChannelPart(
      channels: found, lastPosts: try await lastPosts(of: shown),
      conversations: summaries.map { $0.filter { shown.contains($0.key) } },
      unreadable: ids.filter { channels.unreadable[$0] != nil },
      last: ids.count == limit ? seek.values(of: answers[1], ids.count - 1) : nil, revision: answers[2].int(0, 0) ?? 0)
  }

  /// A list has a plan for its own values: how many channels a relay has, and how few are wanted, decides which index is the right one.
  private static let plannedForItself = SQLStatement("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)")

  private static func asksAboutMessages(_ filter: Filter, _ order: ListOrder) -> Bool {
    (filter.fields.map { [$0] } + order.keys.map(\.path)).contains { ChannelField($0)?.isOfMessages == true }
  }

  /// The conversations that this daemon has read. As with a store in a file, there are none where that database is damaged.
  private func summaries() async throws -> [ChannelID: ConversationSummary] {
    do { return try await messages?.summaries() ?? [:] } catch let error as StoreError where error.code == .corrupt {
      return [:]
    }
  }

  /// The statement that finds channels: their sort values, and the id.
  /// - Parameter summaries: the conversations of channels, or `nil` if neither `filter` nor `order` asks about them.
  static func list(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int,
    _ summaries: [ChannelID: ConversationSummary]?
  ) throws(StoreError) -> (SQLStatement, ListSeek) {
    guard let seek = ListSeek(order) else { throw StoreError(.inputOutput, "channels have no order \(order.text)") }
    var parameters = PostgreSQLConditions()
    var conditions = [ChannelCondition(filter, &parameters).sql, seek.condition(after: after, &parameters)]
    if !withDeleted { conditions.append("c.deleted_at IS NULL") }
    let most = parameters.add(.int(Int64(limit)))
    let join = summaries.map { " LEFT JOIN \(Self.table($0, &parameters)) ON v.channel_id = c.id" } ?? ""
    // Requests of clients may have any form, so the statement is not kept prepared.
    let list = SQLStatement(
      """
      SELECT \(seek.selection), c.id FROM channels c\(join) WHERE \(conditions.joined(separator: " AND "))
      ORDER BY \(seek.ordering) LIMIT \(most)
      """, parameters.values, isKept: false)
    return (list, seek)
  }

  /// The conversations of channels, as a table `v`.
  private static func table(
    _ summaries: [ChannelID: ConversationSummary], _ parameters: inout PostgreSQLConditions
  ) -> String {
    let rows = summaries.sorted { $0.key < $1.key }
    let columns: [(String, [Int64?])] = [
      ("channel_id", rows.map(\.key.rawValue)), ("unread", rows.map { Int64($0.value.unread) }),
      ("unread_mentions", rows.map { Int64($0.value.unreadMentions) }), ("is_hidden", rows.map { $0.value.isHidden ? 1 : 0 }),
      ("member_count", rows.map { $0.value.memberCount.map(Int64.init) }),
      ("last_at", rows.map { $0.value.lastAt?.milliseconds }),
    ]
    let arrays = columns.map { parameters.add(.ints($0.1)) }.joined(separator: ", ")
    return "unnest(\(arrays)) AS v (\(columns.map(\.0).joined(separator: ", ")))"
  }
}
