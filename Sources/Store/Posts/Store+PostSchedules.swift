public import Channels
internal import GRDB
internal import Storage

// Posts that are to be published later.
extension Store {
  /// What makes a post scheduled, as the index `posts_scheduled` has it.
  private static let isScheduled = "request IS NOT NULL AND schedule_trouble IS NULL AND deleted_at IS NULL"

  /// Posts that are scheduled and due at `now`, a time of day; the longest due first and then by id.
  /// - Returns: the posts, and when the first one that is not due yet will be; `nil` if there is none.
  public func dueSchedules(at now: Timestamp, limit: Int) throws -> (posts: [PostID], next: Timestamp?) {
    try reading { pool in
      try pool.read { db in
        let posts = try Int64.fetchAll(
          db,
          cached: """
            SELECT id FROM posts INDEXED BY posts_scheduled
            WHERE publish_at <= ? AND \(Self.isScheduled) ORDER BY publish_at, id LIMIT ?
            """, arguments: [now.milliseconds, limit])
        let next = try Int64.fetchOne(
          db,
          cached: """
            SELECT publish_at FROM posts INDEXED BY posts_scheduled
            WHERE publish_at > ? AND \(Self.isScheduled) ORDER BY publish_at LIMIT 1
            """, arguments: [now.milliseconds])
        return (posts.map(PostID.init(rawValue:)), next.map(Timestamp.init(milliseconds:)))
      }
    }
  }
}
