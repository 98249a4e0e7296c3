public import Channels
internal import GRDB
public import Storage

// Reactions of channels to their posts, and to messages in them.
extension Store {
  /// The posts that are these reactions and were neither deleted nor forgotten (which deletes the text), the first of each. Texts are
  /// compared byte by byte.
  public func posts(reacting reactions: Set<PostReaction>) throws -> [PostReaction: PostID] {
    try reading { pool in
      try pool.read { db in
        func wish(_ condition: String, _ channel: ChannelID, _ name: String) throws -> Int64? {
          try Int64.fetchOne(
            db,
            cached: """
              SELECT id FROM posts INDEXED BY posts_about_people
              WHERE channel_id = ? AND about_id = ? AND about_act = 'membership' AND \(condition) ORDER BY id DESC LIMIT 1
              """, arguments: [channel.rawValue, name])
        }
        var posts: [PostReaction: PostID] = [:]
        for reaction in reactions {
          let id: Int64?
          switch reaction.target {
          case .post(let target):
            id = try Int64.fetchOne(
              db,
              cached: """
                SELECT id FROM posts INDEXED BY posts_reacted
                WHERE reaction_to = ? AND reaction_to IS NOT NULL AND text = ? AND deleted_at IS NULL
                  AND forgotten_at IS NULL ORDER BY id LIMIT 1
                """, arguments: [target.rawValue, reaction.text])
          case .message(let channel, let networkID):
            id = try Int64.fetchOne(
              db,
              cached: """
                SELECT id FROM posts INDEXED BY posts_about
                WHERE channel_id = ? AND about_id = ? AND about_act = 'reaction' AND text = ?
                  AND deleted_at IS NULL AND forgotten_at IS NULL ORDER BY id LIMIT 1
                """, arguments: [channel.rawValue, networkID, reaction.text])
          case .person(let channel, let name):
            id = try wish("deleted_at IS NULL AND text NOT IN ('banned', 'unbanned')", channel, name)
          case .ban(let channel, let name):
            id = try wish("deleted_at IS NULL AND text IN ('banned', 'unbanned')", channel, name)
          case .anyWish(let channel, let name): id = try wish("TRUE", channel, name)
          }
          posts[reaction] = id.map(PostID.init(rawValue:))
        }
        return posts
      }
    }
  }
}
