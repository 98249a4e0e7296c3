public import Channels
internal import GRDB
internal import Storage

// Posts that are to be published later.
extension Store {
  /// The condition for a scheduled post, as the index `posts_scheduled` has it.
  private static let isScheduled = "request IS NOT NULL AND schedule_trouble IS NULL AND deleted_at IS NULL"

  /// Posts that are scheduled and due at `now`, a time of day, the longest due first and then by id. Posts of frozen channels are left out
  /// until it is too late for them.
  /// - Returns: the posts, and when the first post is due that is not due yet, or is left out. `nil` without one.
  public func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet = .all) throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try reading { pool in
      try pool.read { db in
        let posts = try Int64.fetchAll(
          db,
          cached: """
            SELECT id FROM posts INDEXED BY posts_scheduled
            WHERE publish_at <= ?1 AND \(Self.isScheduled)
              AND (publish_at + 1000 * tolerance < ?1
                OR NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = posts.channel_id AND c.frozen = 1))\(slots.condition())
            ORDER BY publish_at, id LIMIT ?2
            """, arguments: [now.milliseconds, limit])
        let next = try Int64.fetchOne(
          db,
          cached: """
            SELECT publish_at FROM posts INDEXED BY posts_scheduled
            WHERE publish_at > ? AND \(Self.isScheduled)\(slots.condition()) ORDER BY publish_at LIMIT 1
            """, arguments: [now.milliseconds])
        // Posts that were left out are due once it is too late for them.
        let end = try Int64.fetchOne(
          db,
          cached: """
            SELECT min(publish_at + 1000 * tolerance) + 1 FROM posts INDEXED BY posts_scheduled
            WHERE publish_at <= ?1 AND \(Self.isScheduled) AND publish_at + 1000 * tolerance >= ?1
              AND EXISTS (SELECT 1 FROM channels c WHERE c.id = posts.channel_id AND c.frozen = 1)\(slots.condition())
            """, arguments: [now.milliseconds])
        return (posts.map(PostID.init(rawValue:)), [next, end].compactMap { $0 }.min().map(Timestamp.init(milliseconds:)))
      }
    }
  }
}
