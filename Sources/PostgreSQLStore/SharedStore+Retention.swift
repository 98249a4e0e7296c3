public import Channels
internal import PostgreSQL
public import Storage
internal import Store

// How long posts are kept, and which posts are beyond that.
extension SharedStore {
  public func postRetention(of channel: ChannelID) async throws -> PostRetention {
    try await asking(.little).ask("\(TableStatements.postRetention.selection) WHERE channel_id = $1", [.int(channel.rawValue)])
      .map { try PostRetention(&$0) }.first ?? PostRetention(channel: channel)
  }

  public func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int, among slots: SlotSet
  ) async throws -> PostsToForget {
    let retentions = try await ask(
      "\(TableStatements.postRetention.selection) WHERE channel_id >= $1\(slots.condition("channel_id", 3)) ORDER BY channel_id LIMIT $2",
      [.int(place.channel.rawValue), .int(Int64(RetentionWalk.channelsMax))] + slots.parameters
    ).map { try PostRetention(&$0) }
    var walk = RetentionWalk(at: now, from: place, known: counted, limit: limit, channels: retentions.count)
    for retention in retentions {
      guard !retention.isUnlimited else {
        if walk.goesOn(behind: retention.channel) { continue }
        break
      }
      let end = walk.end(of: retention, try await count(of: retention, walk))
      var some: [PostRetentionPlace.Post] = []
      if let end {
        some = try await posts(of: retention.channel, after: walk.last(of: retention.channel), through: end, walk.room)
      }
      guard walk.take(some, of: retention) else { break }
    }
    return walk.found
  }

  /// Counts a channel's posts, if that has to be done.
  private func count(of retention: PostRetention, _ walk: RetentionWalk) async throws -> RetentionWalk.Count? {
    guard let kept = retention.count else { return nil }
    let channel = SQLValue.int(retention.channel.rawValue)
    let newest = try await ask("SELECT max(id) FROM posts WHERE channel_id = $1", [channel]).int(0, 0)
      .map(PostID.init(rawValue:))
    guard let newest, walk.mustCount(retention.channel, newest: newest) else { return nil }
    let first = try await ask(
      """
      SELECT created_at, id FROM posts WHERE channel_id = $1 AND forgotten_at IS NULL
      ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $2
      """, [channel, .int(Int64(kept))])
    return RetentionWalk.Count(newest: newest, first: Self.posts(first).first)
  }

  private static func posts(_ rows: SQLRows) -> [PostRetentionPlace.Post] {
    (0..<rows.count).map {
      PostRetentionPlace.Post(
        createdAt: Timestamp(milliseconds: rows.int($0, 0) ?? 0), id: PostID(rawValue: rows.int($0, 1) ?? 0))
    }
  }

  /// Posts that were not forgotten, the oldest first.
  private func posts(
    of channel: ChannelID, after last: PostRetentionPlace.Post?, through end: PostRetentionPlace.Post, _ limit: Int
  ) async throws -> [PostRetentionPlace.Post] {
    Self.posts(
      try await ask(
        """
        SELECT created_at, id FROM posts WHERE channel_id = $1 AND forgotten_at IS NULL
          AND (created_at, id) > ($2, $3) AND (created_at, id) <= ($4, $5)
        ORDER BY created_at, id LIMIT $6
        """,
        [
          .int(channel.rawValue), .int(last?.createdAt.milliseconds ?? .min), .int(last?.id.rawValue ?? 0),
          .int(end.createdAt.milliseconds), .int(end.id.rawValue), .int(Int64(limit)),
        ]))
  }
}
