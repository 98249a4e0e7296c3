public import Channels
internal import GRDB
public import Storage

// Posts, as their coordinator asks for them.
extension Store {
  /// The highest id and the newest revision of posts that were given out, including those left out by a restore.
  public func postCounters() throws -> PostCounters {
    try reading { pool in
      try pool.read { db in
        PostCounters(post: try Self.lastID(.posts, db), revision: try Self.postRevision(db))
      }
    }
  }

  /// A post with its deliveries, or `nil` if it does not exist. Throws `corrupt` when its rows are damaged or contradict each other.
  public func post(_ id: PostID) throws -> StoredPost? {
    try reading { pool in try pool.read { db in try PostReader(db).post(id) } }
  }

  /// These posts with their deliveries, all from one moment. A damaged post does not fail the others.
  public func posts(_ ids: Set<PostID>) throws -> StoredPosts {
    try reading { pool in
      try pool.read { db in
        let reader = try PostReader(db)
        var posts = StoredPosts()
        for id in ids.sorted() {
          switch try readable(id, reader) {
          case .success(let post): posts.found[id] = post
          case .failure(let error): posts.unreadable[id] = error
          }
        }
        return posts
      }
    }
  }

  /// A post, `nil` if it does not exist, or the error about its damage, which is noted.
  /// - Throws: errors that are not due to damage of this post.
  func readable(_ id: PostID, _ reader: PostReader) throws -> Result<StoredPost?, StoreError> {
    do { return .success(try reader.post(id)) } catch {
      let error = noted(error)
      guard error.code == .corrupt else { throw error }
      return .failure(error)
    }
  }

  /// The posts that were published with these idempotency keys, deleted ones included.
  public func posts(idempotencyKeys: Set<String>) throws -> [String: PostID] {
    try reading { pool in
      try pool.read { db in
        var posts: [String: PostID] = [:]
        for key in idempotencyKeys {
          let id = try Int64.fetchOne(db, cached: "SELECT id FROM posts WHERE idempotency_key = ?", arguments: [key])
          posts[key] = id.map(PostID.init(rawValue:))
        }
        return posts
      }
    }
  }

  /// The posts that have these names on their network, deleted ones included. If several have one name, the post with the lowest id.
  /// - Parameter channel: only posts of this channel, or of all channels if `nil`.
  public func posts(networkIDs: Set<String>, of channel: ChannelID?) throws -> [String: PostID] {
    try reading { pool in
      try pool.read { db in
        var posts: [String: PostID] = [:]
        for name in networkIDs {
          var sql = "SELECT min(id) FROM posts INDEXED BY posts_by_name WHERE network_id = ?"
          var arguments: StatementArguments = [name]
          if let channel {
            sql += " AND channel_id = ?"
            arguments += [channel.rawValue]
          }
          let id = try Int64.fetchOne(db, cached: sql, arguments: arguments)
          posts[name] = id.map(PostID.init(rawValue:))
        }
        return posts
      }
    }
  }

  /// The ids of a channel's posts below `before`, deleted ones included, highest first.
  public func posts(of channel: ChannelID, before: PostID, limit: Int) throws -> [PostID] {
    try postIDs(
      "SELECT id FROM posts INDEXED BY posts_of_channel WHERE channel_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
      [channel.rawValue, before.rawValue, limit])
  }

  /// The latest lines of a post's history, oldest first.
  public func postTransitions(of post: PostID, limit: Int) throws -> [PostTransitionRow] {
    try reading { pool in
      try pool.read { db in
        try Self.read(
          db,
          cached:
            "SELECT * FROM (SELECT * FROM post_transitions WHERE post_id = ? ORDER BY revision DESC LIMIT ?) ORDER BY revision",
          arguments: [post.rawValue, limit]
        ) { try PostTransitionRow(&$0) }
      }
    }
  }

  // MARK: - Unfinished work

  /// The condition for a waiting delivery, as the index `deliveries_waiting` has it.
  private static let waits = "task IS NOT NULL AND under_way = 0 AND departed = 0"

  /// Posts with a delivery under way, by id, from the first after `after` on.
  public func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet = .all) throws -> [PostID] {
    try postIDs(
      """
      SELECT DISTINCT post_id FROM deliveries INDEXED BY deliveries_under_way
      WHERE under_way = 1 AND post_id > ?\(slots.condition(ofPost: "post_id")) ORDER BY post_id LIMIT ?
      """, [after?.rawValue ?? 0, limit])
  }

  /// When the next waiting delivery of each relay is due. Relays without one are left out.
  public func nextDeliveries(among slots: SlotSet = .all) throws -> [RelayID: Timestamp] {
    try reading { pool in
      try pool.read { db in
        let rows = try Row.fetchAll(
          db,
          cached: """
            SELECT id, (SELECT min(timer_at) FROM deliveries WHERE relay_id = relays.id AND \(Self.waits)\(slots.condition(ofPost: "post_id"))) FROM relays
            """)
        return rows.reduce(into: [:]) { next, row in
          next[RelayID(rawValue: row[0])] = (row[1] as Int64?).map(Timestamp.init(milliseconds:))
        }
      }
    }
  }

  /// Posts whose delivery on `relay` waits and is due at `now`, the longest due first and then by id, without departed deliveries.
  /// - Returns: the posts, and when the first delivery of that relay is due that is not due yet, or `nil` without one.
  public func dueDeliveries(on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet = .all) throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    try reading { pool in
      try pool.read { db in
        let posts = try Int64.fetchAll(
          db,
          cached: """
            SELECT post_id FROM deliveries INDEXED BY deliveries_waiting
            WHERE relay_id = ? AND timer_at <= ? AND \(Self.waits)\(slots.condition(ofPost: "post_id"))
            ORDER BY timer_at, post_id LIMIT ?
            """, arguments: [relay.rawValue, now.milliseconds, limit])
        let next = try Int64.fetchOne(
          db,
          cached: """
            SELECT min(timer_at) FROM deliveries WHERE relay_id = ? AND timer_at > ? AND \(Self.waits)\(slots.condition(ofPost: "post_id"))
            """,
          arguments: [relay.rawValue, now.milliseconds])
        return (posts.map(PostID.init(rawValue:)), next.map(Timestamp.init(milliseconds:)))
      }
    }
  }

  /// Posts whose delivery on `relay` waits after one of these causes, by id, from the first after `after` on, without departed deliveries.
  public func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet = .all)
    throws -> [PostID]
  {
    try reading { pool in
      try pool.read { db in
        // A delivery has one cause. SQLite would sort all results for several causes, however many.
        let found = try Set(causes).map { cause in
          try Int64.fetchAll(
            db,
            cached: """
              SELECT post_id FROM deliveries INDEXED BY deliveries_troubled
              WHERE relay_id = ? AND cause = ? AND cause IS NOT NULL AND post_id > ? AND \(Self.waits)\(slots.condition(ofPost: "post_id"))
              ORDER BY post_id LIMIT ?
              """, arguments: [relay.rawValue, cause.rawValue, after?.rawValue ?? 0, limit])
        }
        return found.joined().sorted().prefix(limit).map(PostID.init(rawValue:))
      }
    }
  }

  /// Posts whose deletion waits until readers find their replacement, each with that replacement, by id, from the first after `after` on.
  public func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet = .all) throws -> [(
    old: PostID, new: PostID
  )] {
    try reading { pool in
      try pool.read { db in
        let rows = try Row.fetchAll(
          db,
          cached: """
            SELECT id, replaced_by FROM posts INDEXED BY posts_awaiting
            WHERE replaced_by IS NOT NULL AND deletion_id IS NOT NULL AND deleted_at IS NULL AND id > ?\(slots.condition())
            ORDER BY id LIMIT ?
            """, arguments: [after?.rawValue ?? 0, limit])
        return rows.map { (PostID(rawValue: $0[0]), PostID(rawValue: $0[1])) }
      }
    }
  }

  private func postIDs(_ sql: String, _ arguments: StatementArguments) throws -> [PostID] {
    try reading { pool in
      try pool.read { db in try Int64.fetchAll(db, cached: sql, arguments: arguments).map(PostID.init(rawValue:)) }
    }
  }

  // MARK: - Inside a commit

  /// No delivery waits for so long, and no comparison is planned so far ahead: `DeliveryPolicy.repairMax`, `patienceMax` and the time
  /// between comparisons are a day, and a wait deviates by a fifth.
  package static let longestWaitMilliseconds: Int64 = 2 * 86_400_000

  /// Makes deliveries due that wait for times written while the clock was ahead.
  static func clampDeliveries(_ now: Timestamp, _ db: Database) throws {
    // Relay by relay, through the index, which has the time behind the relay.
    for relay in try Int64.fetchAll(db, cached: "SELECT id FROM relays") {
      try db.execute(
        sql: """
          UPDATE deliveries INDEXED BY deliveries_waiting SET \(setting("timer_at", of: .deliveries))
          WHERE relay_id = ? AND \(waits) AND timer_at > ?
          """, arguments: [now.milliseconds, now.milliseconds, relay, now.milliseconds + longestWaitMilliseconds])
    }
  }
}
