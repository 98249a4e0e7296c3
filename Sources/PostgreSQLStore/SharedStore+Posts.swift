public import Channels
internal import PostgreSQL
public import Storage
internal import Store

extension SharedStore: PostStorage {
  public func postCounters() async throws -> PostCounters {
    try await settle()
    let rows = try await asking(.little).ask([CommitScript.end, Self.lastID(.posts)])
    return PostCounters(post: rows[1].int(0, 0) ?? 0, revision: rows[0].int(0, 2) ?? 0)
  }

  public func posts(_ ids: Set<PostID>) async throws -> StoredPosts {
    guard !ids.isEmpty else { return StoredPosts() }
    let rows = try await ask(Self.reading(ids.map(\.rawValue)))
    return Self.posts(rows[0], rows[1])
  }

  /// The two statements that read posts, and the meaning of their answers.
  static func reading(_ ids: [Int64]) -> [SQLStatement] {
    let wanted = SQLValue.ints(ids.sorted())
    return [
      SQLStatement("\(TableStatements.posts.selection) WHERE id = ANY($1)", [wanted]),
      SQLStatement("\(TableStatements.deliveries.selection) WHERE post_id = ANY($1) ORDER BY post_id, relay_id", [wanted]),
    ]
  }

  static func posts(_ posts: SQLRows, _ deliveries: SQLRows) -> StoredPosts {
    var places: [PostID: [Int]] = [:]
    for place in 0..<deliveries.count {
      places[PostID(rawValue: deliveries.int(place, 0) ?? 0), default: []].append(place)
    }
    var found = StoredPosts()
    for place in 0..<posts.count {
      let id = PostID(rawValue: posts.int(place, 0) ?? 0)
      do {
        var values = AnswerRow(posts, place)
        let row = try PostRow(&values)
        found.found[id] = try StoredPost(
          row,
          (places[id] ?? []).map { place in
            Result {
              var values = AnswerRow(deliveries, place)
              return try DeliveryRow(of: row, &values)
            }
          })
      } catch {
        found.unreadable[id] = error as? StoreError ?? StoreError(.corrupt, "post \(id.rawValue): \(error)")
      }
    }
    return found
  }

  private func postIDs(_ sql: String, _ values: [SQLValue]) async throws -> [PostID] {
    try await ask(sql, values).ints().map(PostID.init(rawValue:))
  }

  public func posts(idempotencyKeys: Set<String>) async throws -> [String: PostID] {
    try await named("SELECT idempotency_key, id FROM posts WHERE idempotency_key = ANY($1)", [Self.wanted(idempotencyKeys)])
  }

  public func posts(networkIDs: Set<String>, of channel: ChannelID?) async throws -> [String: PostID] {
    let place = channel == nil ? "" : "AND channel_id = $2"
    return try await named(
      "SELECT network_id, min(id) FROM posts WHERE network_id = ANY($1) \(place) GROUP BY network_id",
      [Self.wanted(networkIDs)] + (channel.map { [.int($0.rawValue)] } ?? []))
  }

  private func named(_ sql: String, _ values: [SQLValue]) async throws -> [String: PostID] {
    let rows = try await ask(sql, values)
    var found: [String: PostID] = [:]
    for row in 0..<rows.count { found[rows.text(row, 0) ?? ""] = PostID(rawValue: rows.int(row, 1) ?? 0) }
    return found
  }

  public func posts(reacting reactions: Set<PostReaction>) async throws -> [PostReaction: PostID] {
    guard !reactions.isEmpty else { return [:] }
    let all = Array(reactions)
    let answers = try await ask(all.map(Self.search))
    var found: [PostReaction: PostID] = [:]
    for (reaction, rows) in zip(all, answers) { found[reaction] = rows.int(0, 0).map(PostID.init(rawValue:)) }
    return found
  }

  private static func search(_ reaction: PostReaction) -> SQLStatement {
    func wish(_ condition: String, _ channel: ChannelID, _ name: String) -> SQLStatement {
      SQLStatement(
        """
        SELECT id FROM posts WHERE channel_id = $1 AND about_id = $2 AND about_act = 'membership' AND \(condition)
        ORDER BY id DESC LIMIT 1
        """, [.int(channel.rawValue), wanted(name)])
    }
    switch reaction.target {
    case .post(let target):
      return SQLStatement(
        """
        SELECT id FROM posts WHERE reaction_to = $1 AND text = $2 AND deleted_at IS NULL AND forgotten_at IS NULL
        ORDER BY id LIMIT 1
        """, [.int(target.rawValue), wanted(reaction.text)])
    case .message(let channel, let networkID):
      return SQLStatement(
        """
        SELECT id FROM posts WHERE channel_id = $1 AND about_id = $2 AND about_act = 'reaction' AND text = $3
          AND deleted_at IS NULL AND forgotten_at IS NULL ORDER BY id LIMIT 1
        """, [.int(channel.rawValue), wanted(networkID), wanted(reaction.text)])
    case .person(let channel, let name):
      return wish("deleted_at IS NULL AND text NOT IN ('banned', 'unbanned')", channel, name)
    case .ban(let channel, let name): return wish("deleted_at IS NULL AND text IN ('banned', 'unbanned')", channel, name)
    case .anyWish(let channel, let name): return wish("TRUE", channel, name)
    }
  }

  public func posts(of channel: ChannelID, before: PostID, limit: Int) async throws -> [PostID] {
    try await postIDs(
      "SELECT id FROM posts WHERE channel_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
      [.int(channel.rawValue), .int(before.rawValue), .int(Int64(limit))])
  }

  // MARK: - Unfinished work

  private static let waits = "task IS NOT NULL AND under_way = 0 AND departed = 0"

  public func postsUnderWay(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [PostID] {
    try await postIDs(
      """
      SELECT DISTINCT post_id FROM deliveries WHERE under_way = 1 AND post_id > $1\(slots.condition(ofPost: "post_id", 3)) ORDER BY post_id LIMIT $2
      """, [.int(after?.rawValue ?? 0), .int(Int64(limit))] + slots.parameters)
  }

  public func nextDeliveries(among slots: SlotSet) async throws -> [RelayID: Timestamp] {
    let rows = try await ask(
      """
      SELECT id, (SELECT min(timer_at) FROM deliveries WHERE relay_id = relays.id AND \(Self.waits)\(slots.condition(ofPost: "post_id", 1))) FROM relays
      """, slots.parameters)
    var next: [RelayID: Timestamp] = [:]
    for row in 0..<rows.count {
      next[RelayID(rawValue: rows.int(row, 0) ?? 0)] = rows.int(row, 1).map(Timestamp.init(milliseconds:))
    }
    return next
  }

  public func dueDeliveries(
    on relay: RelayID, at now: Timestamp, limit: Int, among slots: SlotSet
  ) async throws -> (posts: [PostID], next: Timestamp?) {
    let values: [SQLValue] = [.int(relay.rawValue), .int(now.milliseconds)]
    let rows = try await ask([
      SQLStatement(
        """
        SELECT post_id FROM deliveries WHERE relay_id = $1 AND timer_at <= $2 AND \(Self.waits)\(slots.condition(ofPost: "post_id", 4))
        ORDER BY timer_at, post_id LIMIT $3
        """, values + [.int(Int64(limit))] + slots.parameters),
      SQLStatement(
        "SELECT min(timer_at) FROM deliveries WHERE relay_id = $1 AND timer_at > $2 AND \(Self.waits)\(slots.condition(ofPost: "post_id", 3))",
        values + slots.parameters),
    ])
    return (rows[0].ints().map(PostID.init(rawValue:)), rows[1].int(0, 0).map(Timestamp.init(milliseconds:)))
  }

  public func troubledDeliveries(on relay: RelayID, causes: [Cause], after: PostID?, limit: Int, among slots: SlotSet)
    async throws -> [PostID]
  {
    try await postIDs(
      """
      SELECT post_id FROM deliveries
      WHERE relay_id = $1 AND cause = ANY($2) AND cause IS NOT NULL AND post_id > $3 AND \(Self.waits)\(slots.condition(ofPost: "post_id", 5))
      ORDER BY post_id LIMIT $4
      """,
      [.int(relay.rawValue), .texts(causes.map(\.rawValue)), .int(after?.rawValue ?? 0), .int(Int64(limit))]
        + slots.parameters)
  }

  public func awaitedReplacements(after: PostID?, limit: Int, among slots: SlotSet) async throws -> [(old: PostID, new: PostID)]
  {
    let rows = try await ask(
      """
      SELECT id, replaced_by FROM posts
      WHERE replaced_by IS NOT NULL AND deletion_id IS NOT NULL AND deleted_at IS NULL AND id > $1\(slots.condition("channel_id", 3))
      ORDER BY id LIMIT $2
      """, [.int(after?.rawValue ?? 0), .int(Int64(limit))] + slots.parameters)
    return (0..<rows.count).map { (PostID(rawValue: rows.int($0, 0) ?? 0), PostID(rawValue: rows.int($0, 1) ?? 0)) }
  }

  // MARK: - Schedules

  public func dueSchedules(at now: Timestamp, limit: Int, among slots: SlotSet) async throws -> (
    posts: [PostID], next: Timestamp?
  ) {
    let isScheduled = "request IS NOT NULL AND schedule_trouble IS NULL AND deleted_at IS NULL"
    let isFrozen = "EXISTS (SELECT 1 FROM channels c WHERE c.id = posts.channel_id AND c.frozen = 1)"
    let rows = try await ask([
      SQLStatement(
        """
        SELECT id FROM posts WHERE publish_at <= $1 AND \(isScheduled) AND (publish_at + 1000 * tolerance < $1 OR NOT \(isFrozen))
          \(slots.condition("channel_id", 3))
        ORDER BY publish_at, id LIMIT $2
        """, [.int(now.milliseconds), .int(Int64(limit))] + slots.parameters),
      SQLStatement(
        "SELECT min(publish_at) FROM posts WHERE publish_at > $1 AND \(isScheduled)\(slots.condition("channel_id", 2))",
        [.int(now.milliseconds)] + slots.parameters),
      // Posts that were left out are due once it is too late for them.
      SQLStatement(
        """
        SELECT min(publish_at + 1000 * tolerance) + 1 FROM posts
        WHERE publish_at <= $1 AND \(isScheduled) AND publish_at + 1000 * tolerance >= $1 AND \(isFrozen)\(slots.condition("channel_id", 2))
        """, [.int(now.milliseconds)] + slots.parameters),
    ])
    let next = [rows[1].int(0, 0), rows[2].int(0, 0)].compactMap { $0 }.min()
    return (rows[0].ints().map(PostID.init(rawValue:)), next.map(Timestamp.init(milliseconds:)))
  }

  // MARK: - Routes

  private func routes(_ condition: String, _ values: [SQLValue]) async throws -> [PostRouteRow] {
    try await ask("\(TableStatements.postRoutes.selection) \(condition)", values).map { try PostRouteRow(&$0) }
  }

  public func postRoutes(of channels: Set<ChannelID>) async throws -> [PostRouteRow] {
    try await routes(
      "WHERE channel_id = ANY($1) ORDER BY channel_id, relay_id", [.ints(channels.map(\.rawValue).sorted())])
  }

  public func channelsWithPosts(among slots: SlotSet) async throws -> Set<ChannelID> {
    Set(
      try await channelIDs(
        "SELECT DISTINCT channel_id FROM post_routes WHERE TRUE\(slots.condition("channel_id", 1))", slots.parameters))
  }

  public func postRoutesUnderWay(among slots: SlotSet) async throws -> [PostRouteRow] {
    try await routes(
      "WHERE status IN ('joining', 'leaving')\(slots.condition("channel_id", 1)) ORDER BY channel_id, relay_id",
      slots.parameters)
  }

  public func postRoutesToCompare(
    at now: Timestamp, except: Set<RelayID>, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow] {
    try await routes(
      """
      WHERE status = 'joined' AND compare_at IS NOT NULL AND compare_at <= $1 AND relay_id <> ALL($2)\(slots.condition("channel_id", 4))
      ORDER BY compare_at, channel_id, relay_id LIMIT $3
      """,
      [.int(now.milliseconds), .ints(except.map(\.rawValue).sorted()), .int(Int64(limit))] + slots.parameters)
  }

  public func postRoutes(
    on relay: RelayID, comparedBefore since: Timestamp, after: ChannelID?, limit: Int, among slots: SlotSet
  ) async throws -> [PostRouteRow] {
    try await routes(
      """
      WHERE relay_id = $1 AND channel_id > $2 AND status = 'joined' AND (compared_at IS NULL OR compared_at < $3)\(slots.condition("channel_id", 5))
      ORDER BY channel_id LIMIT $4
      """,
      [.int(relay.rawValue), .int(after?.rawValue ?? 0), .int(since.milliseconds), .int(Int64(limit))] + slots.parameters)
  }

  public func channelsToRoute(among slots: SlotSet) async throws -> [ChannelID] {
    try await channelIDs(Store.routesThatDoNotFit(slots.condition("p.channel_id", 1)), slots.parameters)
  }
}

extension SharedStore: PostChangeReading {
  public func changedPosts(
    after revision: Int64, channels: Set<ChannelID>?, limit: Int
  ) async throws -> (posts: [StoredPost], through: Int64) {
    let place = channels == nil ? "" : "AND channel_id = ANY($3)"
    let limit = max(1, limit)
    // Posts that changed in one commit share a revision, so they come together.
    let chosen = """
      SELECT id, revision, octet_length(text) + octet_length(document) + coalesce(octet_length(deletion), 0)
        + coalesce(octet_length(request), 0)
      FROM (SELECT *, rank() OVER (ORDER BY revision) AS place FROM posts WHERE revision > $1 \(place)) p
      WHERE place <= $2 ORDER BY revision, channel_id, id
      """
    let values: [SQLValue] =
      [.int(revision), .int(Int64(limit))] + (channels.map { [.ints($0.map(\.rawValue).sorted())] } ?? [])
    let rows = try await ask(chosen, values)
    var (ids, bytes, through): ([Int64], Int64, Int64) = ([], 0, revision)
    for row in 0..<rows.count {
      guard let id = rows.int(row, 0), let changed = rows.int(row, 1), let size = rows.int(row, 2) else { continue }
      guard ids.isEmpty || bytes + size <= Store.postBytesMax || changed == through else { break }
      bytes += size
      through = changed
      ids.append(id)
    }
    let more = "SELECT EXISTS (SELECT 1 FROM posts WHERE revision > $1 \(place.replacing("$3", with: "$2")))"
    let answers = try await ask(
      Self.reading(ids) + [SQLStatement(more, [.int(through)] + values.dropFirst(2)), CommitScript.end])
    // Posts that have changed since come again.
    let found = Self.posts(answers[0], answers[1]).found
    let posts = ids.compactMap { found[PostID(rawValue: $0)] }
    return (posts, answers[2].bool(0, 0) == true ? through : max(through, answers[3].int(0, 2) ?? 0))
  }
}
