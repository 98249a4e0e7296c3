public import Channels
internal import GRDB
public import Storage

// Which relays are compared with the posts that they should have.
extension Store {
  /// Joined routes whose comparison is due at `now`, the longest due first, but none of the relays in `except`. A damaged route is noted
  /// and left out.
  public func postRoutesToCompare(at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet = .all) throws
    -> [PostRouteRow]
  {
    try readableRoutes(
      """
      SELECT * FROM post_routes INDEXED BY post_routes_to_compare
      WHERE status = 'joined' AND compare_at IS NOT NULL AND compare_at <= ?
        AND relay_id NOT IN (SELECT value FROM json_each(?))\(slots.condition())
      ORDER BY compare_at, channel_id, relay_id LIMIT ?
      """, [now.milliseconds, "[\(except.map { String($0.rawValue) }.joined(separator: ","))]", limit])
  }

  /// Joined routes of `relay` that were not compared at `since` or later, by channel, from the first after `after` on. A damaged route is
  /// noted and left out.
  public func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet = .all
  ) throws -> [PostRouteRow] {
    try readableRoutes(
      """
      SELECT * FROM post_routes INDEXED BY post_routes_of_relay
      WHERE relay_id = ? AND channel_id > ? AND status = 'joined' AND (compared_at IS NULL OR compared_at < ?)\(slots.condition())
      ORDER BY channel_id LIMIT ?
      """, [relay.rawValue, after?.rawValue ?? 0, since.milliseconds, limit])
  }

  // MARK: - Inside a commit

  /// Makes comparisons due that were planned while the clock was ahead. The time of the latest one is not known then.
  static func clampComparisons(_ now: Timestamp, _ db: Database) throws {
    try db.execute(
      sql: """
        UPDATE post_routes INDEXED BY post_routes_to_compare SET \(setting("compare_at", of: .postRoutes))
        WHERE status = 'joined' AND compare_at IS NOT NULL AND compare_at > ?
        """, arguments: [now.milliseconds, now.milliseconds, now.milliseconds + longestWaitMilliseconds])
  }
}
