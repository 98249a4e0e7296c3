public import Channels
internal import GRDB
public import Storage

// How long posts are kept, and which posts are beyond that.
extension Store {
  /// How long the posts of a channel are kept: forever unless something was set.
  /// - Throws: `corrupt` when that is damaged.
  public func postRetention(of channel: ChannelID) throws -> PostRetention {
    try reading { pool in
      try pool.read { db in
        let found = try Self.read(
          db, cached: "SELECT * FROM post_retention WHERE channel_id = ?", arguments: [channel.rawValue]
        ) { try PostRetention(&$0) }
        return found.first ?? PostRetention(channel: channel)
      }
    }
  }

  /// Posts that are beyond the retention of their channels at `now`, a time of day, and were not forgotten, from a place on. A retention
  /// that is damaged is noted and left out: its channel keeps everything.
  /// - Parameter counted: findings of earlier answers about channels. Their posts are not counted again unless there are newer ones.
  public func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet = .all
  ) throws -> PostsToForget {
    try reading { pool in
      try pool.read { db in
        let retentions = try retentions(from: place.channel, slots, db)
        var walk = RetentionWalk(at: now, from: place, known: counted, limit: limit, channels: retentions.count)
        for (channel, retention) in retentions {
          guard let retention, !retention.isUnlimited else {
            if walk.goesOn(behind: channel) { continue }
            break
          }
          let count = try Self.count(of: retention, walk, db)
          let some = try walk.end(of: retention, count).map {
            try Self.posts(of: channel, after: walk.last(of: channel), through: $0, walk.room, db)
          }
          guard walk.take(some ?? [], of: retention) else { break }
        }
        return walk.found
      }
    }
  }

  /// The retentions of channels from this one on, by channel. `nil` for a damaged one.
  private func retentions(
    from channel: ChannelID, _ slots: SlotSet, _ db: Database
  ) throws -> [(channel: ChannelID, retention: PostRetention?)] {
    let ids = try Int64.fetchAll(
      db,
      cached: "SELECT channel_id FROM post_retention WHERE channel_id >= ?\(slots.condition()) ORDER BY channel_id LIMIT ?",
      arguments: [channel.rawValue, RetentionWalk.channelsMax])
    let rows = try RowsOfID("SELECT * FROM post_retention WHERE channel_id = ?", db)
    return try ids.map { id in
      var retention: PostRetention?
      do { try rows.each(id) { retention = try PostRetention(&$0) } } catch {
        let error = noted(error)
        guard error.code == .corrupt else { throw error }
      }
      return (ChannelID(rawValue: id), retention)
    }
  }

  /// Counts a channel's posts, if that has to be done.
  private static func count(
    of retention: PostRetention, _ walk: RetentionWalk, _ db: Database
  ) throws -> RetentionWalk.Count? {
    let channel = retention.channel
    guard let kept = retention.count else { return nil }
    let newest = try Int64.fetchOne(
      db, cached: "SELECT max(id) FROM posts INDEXED BY posts_of_channel WHERE channel_id = ?", arguments: [channel.rawValue]
    ).map(PostID.init(rawValue:))
    guard let newest, walk.mustCount(channel, newest: newest) else { return nil }
    let first = try Row.fetchOne(
      db,
      cached: """
        SELECT created_at, id FROM posts INDEXED BY posts_kept WHERE channel_id = ? AND forgotten_at IS NULL
        ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?
        """, arguments: [channel.rawValue, kept])
    return RetentionWalk.Count(
      newest: newest,
      first: first.map { PostRetentionPlace.Post(createdAt: Timestamp(milliseconds: $0[0]), id: PostID(rawValue: $0[1])) })
  }

  /// Posts that were not forgotten, the oldest first.
  private static func posts(
    of channel: ChannelID, after last: PostRetentionPlace.Post?, through end: PostRetentionPlace.Post, _ limit: Int,
    _ db: Database
  ) throws -> [PostRetentionPlace.Post] {
    try Row.fetchAll(
      db,
      cached: """
        SELECT created_at, id FROM posts INDEXED BY posts_kept WHERE channel_id = ? AND forgotten_at IS NULL
          AND (created_at, id) > (?, ?) AND (created_at, id) <= (?, ?)
        ORDER BY created_at, id LIMIT ?
        """,
      arguments: [
        channel.rawValue, last?.createdAt.milliseconds ?? .min, last?.id.rawValue ?? 0, end.createdAt.milliseconds,
        end.id.rawValue, limit,
      ]
    ).map { PostRetentionPlace.Post(createdAt: Timestamp(milliseconds: $0[0]), id: PostID(rawValue: $0[1])) }
  }
}

extension PostRetention {
  /// The values of all columns except the sum, in the order of `SummedTable.postRetention`.
  package func bind(to row: inout some RowSink) {
    row.bind(channel.rawValue)
    row.bind(days)
    row.bind(count)
  }

  /// The row that `values` reads, in the order of `SummedTable.postRetention`.
  /// - Throws: `StoreError.corrupt` when the row is damaged.
  package init(_ values: inout some RowSource) throws {
    let channel = ChannelID(rawValue: values.integer())
    let (days, count) = (values.integerIfAny(), values.integerIfAny())
    try values.end(.postRetention)
    self.init(channel: channel, days: days.map(Int.init), count: count.map(Int.init))
  }
}
