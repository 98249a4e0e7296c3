public import Channels
internal import PostgreSQL
public import Storage
internal import Store

// For how long posts are kept, and which are beyond that.
extension SharedStore {
  public func postRetention(of channel: ChannelID) async throws -> PostRetention {
    try await ask("\(TableStatements.postRetention.selection) WHERE channel_id = $1", [.int(channel.rawValue)])
      .map { try PostRetention(&$0) }.first ?? PostRetention(channel: channel)
  }

  /// How many channels one question looks at, and how many posts it counts before it ends.
  private static let retentionsPerQuestion = 64
  private static let countedPerQuestion = 100_000

  public func postsToForget(
    at now: Timestamp, from place: PostRetentionPlace, counted: [ChannelID: PostID], limit: Int
  ) async throws -> PostsToForget {
    var (found, steps) = (PostsToForget(), 0)
    let retentions = try await ask(
      "\(TableStatements.postRetention.selection) WHERE channel_id >= $1 ORDER BY channel_id LIMIT $2",
      [.int(place.channel.rawValue), .int(Int64(Self.retentionsPerQuestion))]
    ).map { try PostRetention(&$0) }
    for retention in retentions {
      let channel = retention.channel
      var last = channel == place.channel ? place.last : nil
      if !retention.isUnlimited {
        let end = try await end(of: retention, at: now, counted[channel], &found, &steps)
        let room = limit - found.posts.count
        var some: [PostRetentionPlace.Post] = []
        if let end { some = try await posts(of: channel, after: last, through: end, room) }
        found.posts += some.map(\.id)
        if !some.isEmpty { found.retentions[channel] = retention }
        last = some.last ?? last
        if some.count == room {
          found.next = PostRetentionPlace(channel: channel, last: last)
          return found
        }
      }
      if steps >= Self.countedPerQuestion || retentions.count == Self.retentionsPerQuestion {
        found.next = PostRetentionPlace(channel: ChannelID(rawValue: channel.rawValue + 1))
      }
      if steps >= Self.countedPerQuestion { return found }
    }
    return found
  }

  /// The newest post that is not kept any more; `nil` if all are.
  /// - Parameter newest: the newest post of the channel when it had no more than it keeps.
  private func end(
    of retention: PostRetention, at now: Timestamp, _ newest: PostID?, _ found: inout PostsToForget, _ steps: inout Int
  ) async throws -> PostRetentionPlace.Post? {
    var end = retention.span.map { PostRetentionPlace.Post(createdAt: now + (.zero - $0), id: PostID(rawValue: .max)) }
    guard let count = retention.count else { return end }
    let rows = try await ask([
      SQLStatement("SELECT max(id) FROM posts WHERE channel_id = $1", [.int(retention.channel.rawValue)]),
      SQLStatement(
        """
        SELECT created_at, id FROM posts WHERE channel_id = $1 AND forgotten_at IS NULL
        ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $2
        """, [.int(retention.channel.rawValue), .int(Int64(count))]),
    ])
    guard let highest = rows[0].int(0, 0).map(PostID.init(rawValue:)), highest != newest else { return end }
    steps += count
    guard let createdAt = rows[1].int(0, 0), let id = rows[1].int(0, 1) else {
      found.counted[retention.channel] = highest
      return end
    }
    let post = PostRetentionPlace.Post(createdAt: Timestamp(milliseconds: createdAt), id: PostID(rawValue: id))
    if end.map({ ($0.createdAt, $0.id) < (post.createdAt, post.id) }) ?? true { end = post }
    return end
  }

  /// Posts that were not forgotten, the oldest first.
  private func posts(
    of channel: ChannelID, after last: PostRetentionPlace.Post?, through end: PostRetentionPlace.Post, _ limit: Int
  ) async throws -> [PostRetentionPlace.Post] {
    let rows = try await ask(
      """
      SELECT created_at, id FROM posts WHERE channel_id = $1 AND forgotten_at IS NULL
        AND (created_at, id) > ($2, $3) AND (created_at, id) <= ($4, $5)
      ORDER BY created_at, id LIMIT $6
      """,
      [
        .int(channel.rawValue), .int(last?.createdAt.milliseconds ?? .min), .int(last?.id.rawValue ?? 0),
        .int(end.createdAt.milliseconds), .int(end.id.rawValue), .int(Int64(limit)),
      ])
    return (0..<rows.count).map {
      PostRetentionPlace.Post(
        createdAt: Timestamp(milliseconds: rows.int($0, 0) ?? 0), id: PostID(rawValue: rows.int($0, 1) ?? 0))
    }
  }
}
