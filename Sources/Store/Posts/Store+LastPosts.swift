public import Channels
internal import GRDB
public import Storage

// The newest posts of channels. A new post does not change its channel's row.
extension Store {
  /// The newest posts of these channels that are not reactions and were not deleted. Channels without one are left out, and so are channels
  /// whose posts cannot be found because of damage.
  public func lastPosts(of channels: Set<ChannelID>) throws -> [ChannelID: LastPost] {
    try reading { pool in try pool.read { db in try lastPosts(of: channels.sorted(), db) } }
  }

  func lastPosts(of channels: [ChannelID], _ db: Database) throws -> [ChannelID: LastPost] {
    let rows = try RowsOfID("SELECT * FROM posts WHERE id = ?", db)
    var posts: [ChannelID: LastPost] = [:]
    for channel in channels {
      do {
        guard let newest = try Row.fetchOne(db, cached: Self.newestPost, arguments: [channel.rawValue]) else { continue }
        // Lists are sorted by the time, so it does not depend on the rest of the row.
        posts[channel] = LastPost(createdAt: Timestamp(milliseconds: newest[1]), preview: nil)
        try rows.each(newest[0]) {
          let row = try PostRow(&$0)
          if row.forgottenAt == nil { posts[channel]?.preview = LastPost.preview(of: row.text) }
        }
      } catch {
        // Damage of posts must not end every list of channels.
        let error = noted(error)
        guard error.code == .corrupt else { throw error }
      }
    }
    return posts
  }

  private static let newestPost = """
    SELECT id, created_at FROM posts INDEXED BY posts_of_channel WHERE channel_id = ? AND deleted_at IS NULL AND request IS NULL
      AND is_aside = 0 ORDER BY id DESC LIMIT 1
    """

  /// SQL for the time of the newest post that is not a reaction and was not deleted, in a statement on `channels c`. NULL without one.
  static func lastPostTime(in dialect: ListDialect) -> String {
    """
    (SELECT p.created_at FROM \(dialect.table("posts p", through: "posts_of_channel")) WHERE p.channel_id = c.id AND p.deleted_at IS NULL
      AND p.request IS NULL AND p.is_aside = 0 ORDER BY p.id DESC LIMIT 1)
    """
  }
}
