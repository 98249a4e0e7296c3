public import Channels
internal import GRDB
public import Storage

// Posts, as the control plane asks for them.
extension Store {
  /// The size of the texts of one answer, in UTF-8 bytes. A post that is larger comes alone.
  package static let postBytesMax = 1 << 20

  /// A page of posts. A page of large posts may have fewer than `limit`, but has at least one if any exists.
  public func posts(_ question: PostQuestion) throws -> PostPage {
    try reading { pool in
      try pool.read { db in
        let search = try PostSearch(question, db)
        let limit = max(1, question.limit)
        var (older, newer): ([PostID], [PostID]) = ([], [])
        switch question.place {
        case .newest: older = try search.ids(.below, .max, limit)
        case .before(let post): older = try search.ids(.below, post.rawValue, limit)
        case .after(let post): newer = try search.ids(.above, post.rawValue, limit)
        case .around(let post):
          // The post itself is the first of the older ones.
          older = try search.ids(.below, post.rawValue.clampedSuccessor, limit / 2 + 1)
          newer = try search.ids(.above, post.rawValue, (limit - 1) / 2)
        }
        return try page(older, newer, question, search, db)
      }
    }
  }

  /// - Parameters:
  ///   - older: posts, highest id first, and all of them below `newer`.
  ///   - newer: posts, lowest id first.
  private func page(
    _ older: [PostID], _ newer: [PostID], _ question: PostQuestion, _ search: PostSearch, _ db: Database
  ) throws -> PostPage {
    let reader = try PostReader(db)
    let bytesMax = older.isEmpty || newer.isEmpty ? Self.postBytesMax : Self.postBytesMax / 2
    let (below, above) = (try read(older, bytesMax, reader), try read(newer, bytesMax, reader))
    // Other posts are above or below the ends of the page. With an empty page, they are on both sides of the requested place.
    let lowest = below.ids.last ?? above.ids.first
    let highest = above.ids.last ?? below.ids.first
    return PostPage(
      posts: above.posts.reversed() + below.posts, unreadable: above.unreadable.reversed() + below.unreadable,
      hasOlder: try !search.ids(.below, lowest?.rawValue ?? question.place.end.clampedSuccessor, 1).isEmpty,
      hasNewer: try !search.ids(.above, highest?.rawValue ?? question.place.end, 1).isEmpty,
      revision: try Self.postRevision(db))
  }

  /// Posts that were read, as many as fit.
  private struct Reading {
    /// The posts that were read, intact or damaged.
    var ids: [PostID] = []
    var posts: [StoredPost] = []
    var unreadable: [PostID] = []
    var bytes = 0
  }

  private func read(_ ids: [PostID], _ bytesMax: Int, _ reader: PostReader) throws -> Reading {
    var reading = Reading()
    for id in ids {
      // A post that is in an index alone is damaged too.
      if case .success(let post?) = try readable(id, reader) {
        guard reading.posts.isEmpty || reading.bytes + post.row.bytes <= bytesMax else { break }
        reading.bytes += post.row.bytes
        reading.posts.append(post)
      } else {
        reading.unreadable.append(id)
      }
      reading.ids.append(id)
    }
    return reading
  }

  // MARK: - Changes

  /// Posts that changed after `revision`, in the order of their latest change. A damaged post is noted and left out.
  /// - Parameter channels: only posts of these, or of all channels if `nil`.
  /// - Returns: the posts, and the revision through which they are complete.
  public func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) throws -> (posts: [StoredPost], through: Int64) {
    try reading { pool in
      try pool.read { db in
        var (changes, isComplete) = try Self.changes(after: revision, channels, limit: max(1, limit), db)
        let reader = try PostReader(db)
        var (posts, bytes, through): ([StoredPost], Int, Int64) = ([], 0, revision)
        for change in changes {
          if case .success(let post?) = try readable(change.post, reader) {
            // Posts that changed in one write share a revision, so they come together.
            guard posts.isEmpty || bytes + post.row.bytes <= Self.postBytesMax || change.revision == through else {
              isComplete = false
              break
            }
            bytes += post.row.bytes
            posts.append(post)
          }
          through = change.revision
        }
        return (posts, isComplete ? max(through, try Self.postRevision(db)) : through)
      }
    }
  }

  /// Which posts changed after a revision, in the order of their latest change.
  /// - Parameter limit: how many at most, unless several changed with the last revision.
  /// - Returns: the posts, and whether these are all.
  private static func changes(
    after revision: Int64, _ channels: Set<ChannelID>?, limit: Int, _ db: Database
  ) throws -> (posts: [(post: PostID, revision: Int64)], isComplete: Bool) {
    var sql = "SELECT id, revision FROM posts INDEXED BY posts_by_change WHERE revision > ?"
    var arguments: StatementArguments = [revision]
    if let channels {
      sql += " AND channel_id IN (SELECT value FROM json_each(?))"
      arguments += ["[\(channels.map { String($0.rawValue) }.joined(separator: ","))]"]
    }
    let rows = try Row.fetchCursor(db.cachedStatement(sql: sql + " ORDER BY revision"), arguments: arguments)
    var found: [(post: PostID, revision: Int64)] = []
    while let row = try rows.next() {
      let revision: Int64 = row[1]
      guard found.count < limit || revision == found.last?.revision else { return (found, false) }
      found.append((PostID(rawValue: row[0]), revision))
    }
    return (found, true)
  }
}

extension PostQuestion.Place {
  /// The highest id that is on the older side of the place.
  package var end: Int64 {
    switch self {
    case .newest: .max
    case .before(let post): post.rawValue == .min ? .min : post.rawValue - 1
    case .after(let post), .around(let post): post.rawValue
    }
  }
}

extension Int64 {
  /// The next number, or the same for the highest one.
  fileprivate var clampedSuccessor: Int64 { self == .max ? .max : self + 1 }
}
