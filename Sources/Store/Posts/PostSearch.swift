internal import Channels
internal import GRDB
internal import Storage

/// Finds the posts that a question wants, by their ids.
///
/// Questions about a relay, a status or a cause use an index of deliveries, which gives the order for each relay. Posts of one channel are
/// found through that channel instead, unless there are few such deliveries.
struct PostSearch {
  /// A side of a place.
  enum Side { case below, above }

  /// The source of the order.
  private enum Source {
    case posts
    /// Deliveries at each of the relays, through an index that begins with the relay.
    /// - isListed: whether the ids of the channel's posts are listed before, because they are fewer than the deliveries.
    case deliveries(index: String, relays: [Int64], isListed: Bool)
  }

  private let question: PostQuestion
  private let source: Source
  private let db: Database

  /// - Parameter fewMax: more deliveries than these are not few.
  init(_ question: PostQuestion, fewMax: Int = 10_000, _ db: Database) throws {
    self.question = question
    self.db = db
    // A post has few reactions, so that all other conditions can be checked on them.
    guard question.reactionTo == nil, !question.onlyDrafts, let index = Self.index(question) else {
      source = .posts
      return
    }
    let relays = try question.relay.map { [$0.rawValue] } ?? Int64.fetchAll(db, cached: "SELECT id FROM relays")
    guard let channel = question.channel else {
      source = .deliveries(index: index, relays: relays, isListed: false)
      return
    }
    guard let count = try Self.count(upTo: fewMax, question, index, relays, db) else {
      source = .posts
      return
    }
    let isListed = try Self.has(channel, atMost: count, db)
    source = .deliveries(index: index, relays: relays, isListed: isListed)
  }

  /// Whether the ids of a channel's posts are listed before, or `nil` if no deliveries give the order.
  var isListed: Bool? { if case .deliveries(_, _, let isListed) = source { isListed } else { nil } }

  /// Posts on one side of a place, the nearest first.
  /// - Parameter place: an id that is not included.
  func ids(_ side: Side, _ place: Int64, _ limit: Int) throws -> [PostID] {
    guard limit > 0 else { return [] }
    switch source {
    case .posts: return try throughPosts(side, place, limit).map(PostID.init(rawValue:))
    case .deliveries(let index, let relays, let isListed):
      // A post may have several such deliveries.
      let found = Set(try throughDeliveries(side, place, limit, index, relays, isListed: isListed))
      let ordered = found.sorted { side == .below ? $0 > $1 : $0 < $1 }
      return ordered.prefix(limit).map(PostID.init(rawValue:))
    }
  }

  // MARK: - Through posts

  private func throughPosts(_ side: Side, _ place: Int64, _ limit: Int) throws -> [Int64] {
    var parts = ["p.id \(Self.comparison(side)) ?"]
    var arguments: StatementArguments = [place]
    if let channel = question.channel {
      parts.append("p.channel_id = ?")
      arguments += [channel.rawValue]
    }
    if !question.withDeleted { parts.append("p.deleted_at IS NULL") }
    if let target = question.reactionTo {
      parts.append("p.reaction_to = ? AND p.reaction_to IS NOT NULL")
      arguments += [target.rawValue]
    } else if !question.withReactions {
      parts.append("p.is_aside = 0")
    }
    if question.onlyDrafts { parts.append("p.request IS NOT NULL AND p.schedule_trouble = '' AND p.deleted_at IS NULL") }
    if question.relay != nil || question.status != nil || question.cause != nil {
      let condition = Self.condition(question)
      parts.append("EXISTS (SELECT 1 FROM deliveries d WHERE d.post_id = p.id AND \(condition.sql))")
      arguments += condition.arguments
    }
    arguments += [limit]
    return try Int64.fetchAll(
      db,
      sql: """
        SELECT p.id FROM posts p \(indexOfPosts) WHERE \(parts.joined(separator: " AND "))
        ORDER BY p.id \(side == .below ? "DESC" : "ASC") LIMIT ?
        """, arguments: arguments)
  }

  private var indexOfPosts: String {
    if question.reactionTo != nil { return "INDEXED BY posts_reactions" }
    if question.onlyDrafts { return "INDEXED BY posts_drafts" }
    if question.channel != nil { return "INDEXED BY posts_of_channel" }
    return question.withDeleted ? "NOT INDEXED" : "INDEXED BY posts_alive"
  }

  private static func comparison(_ side: Side) -> String { side == .below ? "<" : ">" }

  // MARK: - Through deliveries

  /// The index of deliveries that narrows the question most, or `nil` without one.
  private static func index(_ question: PostQuestion) -> String? {
    if question.cause != nil { return "deliveries_troubled" }
    if let status = question.status, status != .verified { return "deliveries_by_status" }
    return question.relay == nil ? nil : "deliveries_of_relay"
  }

  /// The condition on one delivery `d`.
  /// - Parameter relay: the relay, if the question does not name it.
  private static func condition(
    _ question: PostQuestion, index: String? = nil, relay: Int64? = nil
  ) -> (sql: String, arguments: StatementArguments) {
    var parts = ["d.departed = 0"]
    var arguments: StatementArguments = []
    func add(_ part: String, _ value: some DatabaseValueConvertible) {
      parts.append(part)
      arguments += [value]
    }
    if let relay = relay ?? question.relay?.rawValue { add("d.relay_id = ?", relay) }
    if let status = question.status { add("d.status = ?", status.rawValue) }
    if let cause = question.cause { add("d.cause = ?", cause.rawValue) }
    // SQLite does not conclude from the values that an index has the delivery.
    if index == "deliveries_troubled" { parts.append("d.cause IS NOT NULL") }
    if index == "deliveries_by_status" { parts.append("d.status <> 'verified'") }
    return (parts.joined(separator: " AND "), arguments)
  }

  /// The number of matching deliveries, or `nil` if there are too many to look at all of them.
  private static func count(
    upTo fewMax: Int, _ question: PostQuestion, _ index: String, _ relays: [Int64], _ db: Database
  ) throws -> Int? {
    var rest = fewMax
    for relay in relays where rest >= 0 {
      let condition = condition(question, index: index, relay: relay)
      rest -=
        try Int.fetchOne(
          db,
          cached: """
            SELECT count(*) FROM (SELECT 1 FROM deliveries d INDEXED BY \(index) WHERE \(condition.sql) LIMIT ?)
            """, arguments: condition.arguments + [rest + 1]) ?? 0
    }
    return rest >= 0 ? fewMax - rest : nil
  }

  /// Whether a channel has at most this many posts, deleted ones and reactions included.
  private static func has(_ channel: ChannelID, atMost count: Int, _ db: Database) throws -> Bool {
    let found = try Int.fetchOne(
      db,
      cached: """
        SELECT count(*) FROM (SELECT 1 FROM posts INDEXED BY posts_of_channel WHERE channel_id = ? LIMIT ?)
        """, arguments: [channel.rawValue, count + 1])
    return (found ?? 0) <= count
  }

  private func throughDeliveries(
    _ side: Side, _ place: Int64, _ limit: Int, _ index: String, _ relays: [Int64], isListed: Bool
  ) throws -> [Int64] {
    var posts = isListed ? [] : ["p.id = d.post_id"]
    // The index of a channel's posts has all these columns, so that no post has to be read.
    let source = question.channel == nil ? "posts p" : "posts p INDEXED BY posts_of_channel"
    if question.channel != nil { posts.append("p.channel_id = ?") }
    if !question.withDeleted { posts.append("p.deleted_at IS NULL") }
    if !question.withReactions { posts.append("p.is_aside = 0") }
    let isWanted =
      isListed
      ? "d.post_id IN (SELECT p.id FROM \(source) WHERE \(posts.joined(separator: " AND ")))"
      : "EXISTS (SELECT 1 FROM \(source) WHERE \(posts.joined(separator: " AND ")))"
    return try relays.flatMap { relay in
      let condition = Self.condition(question, index: index, relay: relay)
      var arguments = condition.arguments
      arguments += [place]
      if let channel = question.channel { arguments += [channel.rawValue] }
      arguments += [limit]
      return try Int64.fetchAll(
        db,
        cached: """
          SELECT d.post_id FROM deliveries d INDEXED BY \(index) WHERE \(condition.sql) AND d.post_id \(Self.comparison(side)) ?
            AND \(isWanted)
          ORDER BY d.post_id \(side == .below ? "DESC" : "ASC") LIMIT ?
          """, arguments: arguments)
    }
  }
}
