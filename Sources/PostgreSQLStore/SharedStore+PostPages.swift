public import Channels
internal import PostgreSQL
public import Storage
internal import Store

// Posts, as the control plane asks for them.
extension SharedStore: PostReading {
  public func post(_ id: PostID) async throws -> StoredPost? {
    let posts = try await asking(.little).posts([id])
    if let error = posts.unreadable[id] { throw error }
    return posts.found[id]
  }

  public func postTransitions(of post: PostID, limit: Int) async throws -> [PostTransitionRow] {
    try await asking(.little).ask(
      """
      SELECT * FROM (\(TableStatements.postTransitions.selection) WHERE post_id = $1 ORDER BY revision DESC LIMIT $2) t
      ORDER BY revision
      """, [.int(post.rawValue), .int(Int64(limit))]
    ).map { try PostTransitionRow(&$0) }
  }

  public func posts(_ question: PostQuestion) async throws -> PostPage {
    let limit = max(1, question.limit)
    let search = PostSearchText(question)
    // How many posts the page has on its older side, the place included, and on the other.
    let (older, newer): (Int, Int) =
      switch question.place {
      case .newest, .before: (limit, 0)
      case .after: (0, limit)
      case .around: (limit / 2 + 1, (limit - 1) / 2)
      }
    let place = question.place.end
    // One more of each side shows whether there are more.
    let answers = try await ask([
      search.statement("<=", place, older + 1), search.statement(">", place, newer + 1), CommitScript.end,
    ])
    let isAlone = min(answers[0].count, older) == 0 || min(answers[1].count, newer) == 0
    let below = Self.fitting(answers[0], older, isAlone)
    let above = Self.fitting(answers[1], newer, isAlone)
    let found = try await posts(Set((below + above).map(PostID.init(rawValue:))))
    let ids = (above.reversed() + below).map(PostID.init(rawValue:))
    return PostPage(
      posts: ids.compactMap { found.found[$0] }, unreadable: ids.filter { found.unreadable[$0] != nil },
      hasOlder: answers[0].count > below.count, hasNewer: answers[1].count > above.count, revision: answers[2].int(0, 2) ?? 0)
  }

  /// The ids of an answer that fit on a page, and at least one.
  /// - Parameter isAlone: whether the page has no other side.
  private static func fitting(_ rows: SQLRows, _ limit: Int, _ isAlone: Bool) -> [Int64] {
    let bytesMax = Int64(isAlone ? Store.postBytesMax : Store.postBytesMax / 2)
    var (ids, bytes): ([Int64], Int64) = ([], 0)
    for row in 0..<min(rows.count, limit) {
      guard let id = rows.int(row, 0), let size = rows.int(row, 1) else { continue }
      guard ids.isEmpty || bytes + size <= bytesMax else { break }
      bytes += size
      ids.append(id)
    }
    return ids
  }
}

/// A question for posts as SQL.
private struct PostSearchText {
  private var parts: [String] = []
  private var values: [SQLValue] = []

  init(_ question: PostQuestion) {
    if let channel = question.channel { add("p.channel_id = ", .int(channel.rawValue)) }
    if !question.withDeleted { parts.append("p.deleted_at IS NULL") }
    if let target = question.reactionTo {
      add("p.reaction_to = ", .int(target.rawValue))
    } else if !question.withReactions {
      parts.append("p.is_aside = 0")
    }
    if question.onlyDrafts { parts.append("p.request IS NOT NULL AND p.schedule_trouble = '' AND p.deleted_at IS NULL") }
    var delivery = ["d.departed = 0"]
    func match(_ word: String, _ value: String?) {
      guard let value else { return }
      values.append(.text(value))
      delivery.append("d.\(word) = $\(values.count)")
    }
    if let relay = question.relay {
      values.append(.int(relay.rawValue))
      delivery.append("d.relay_id = $\(values.count)")
    }
    match("status", question.status?.rawValue)
    match("cause", question.cause?.rawValue)
    guard delivery.count > 1 else { return }
    // The words of the index.
    if question.cause != nil { delivery.append("d.cause IS NOT NULL") }
    if let status = question.status, status != .verified { delivery.append("d.status <> 'verified'") }
    parts.append("p.id IN (SELECT d.post_id FROM deliveries d WHERE \(delivery.joined(separator: " AND ")))")
  }

  private mutating func add(_ words: String, _ value: SQLValue) {
    values.append(value)
    parts.append("\(words)$\(values.count)")
  }

  /// Posts on one side of a place, the nearest first, each with the size of its texts.
  func statement(_ sign: String, _ place: Int64, _ limit: Int) -> SQLStatement {
    let conditions = parts + ["p.id \(sign) $\(values.count + 1)"]
    return SQLStatement(
      """
      SELECT p.id, octet_length(p.text)::int8 + octet_length(p.document) + coalesce(octet_length(p.deletion), 0)
        + coalesce(octet_length(p.request), 0)
      FROM posts p WHERE \(conditions.joined(separator: " AND ")) ORDER BY p.id \(sign == ">" ? "ASC" : "DESC")
      LIMIT $\(values.count + 2)
      """, values + [.int(place), .int(Int64(limit))])
  }
}
