public import Channels
internal import PostgreSQL
public import Storage
internal import Store

// The questions of the control plane, except for lists.
extension SharedStore {
  public func channels(named name: String, limit: Int) async throws -> [ChannelID] {
    try await asking(.little).channelIDs(
      "SELECT id FROM channels WHERE display_name = $1 AND deleted_at IS NULL ORDER BY id LIMIT $2",
      [Self.wanted(name), .int(Int64(limit))])
  }

  public func transitions(of channel: ChannelID, limit: Int) async throws -> [TransitionRow] {
    try await asking(.little).ask(
      """
      SELECT * FROM (\(TableStatements.transitions.selection) WHERE channel_id = $1 ORDER BY revision DESC LIMIT $2) t
      ORDER BY revision
      """, [.int(channel.rawValue), .int(Int64(limit))]
    ).map { try TransitionRow(&$0) }
  }

  public func transitions(
    matching seek: TransitionSeek, before revision: Int64, limit: Int
  ) async throws -> TransitionPart {
    let floor = TransitionPart.floor(before: revision, seek)
    var (conditions, values) = (["revision < $1", "revision >= $2"], [SQLValue.int(revision), .int(floor)])
    func add(_ column: String, _ wanted: SQLValue?) {
      guard let wanted else { return }
      values.append(wanted)
      conditions.append("\(column) = ANY($\(values.count))")
    }
    if let channel = seek.channels?.first, seek.channels?.count == 1 {
      // With an array the order would not come from the index.
      values.append(.int(channel.rawValue))
      conditions.append("channel_id = $\(values.count)")
    } else {
      add("channel_id", seek.channels.map { .ints($0.map(\.rawValue).sorted()) })
    }
    add("relay_id", seek.relays.map { .ints($0.map(\.rawValue).sorted()) })
    add("cause", seek.causes.map(Self.wanted))
    add("to_status", seek.statuses.map(Self.wanted))
    values.append(.int(Int64(limit)))
    let found = try await ask([
      SQLStatement(
        """
        \(TableStatements.transitions.selection) WHERE \(conditions.joined(separator: " AND "))
        ORDER BY revision DESC LIMIT $\(values.count)
        """, values), SQLStatement("SELECT max(revision) FROM transitions WHERE revision < $1", [.int(floor)]),
    ])
    let rows = try found[0].map { try TransitionRow(&$0) }
    return TransitionPart(rows, last: rows.count == limit ? rows.last?.revision : nil, below: found[1].int(0, 0))
  }

  /// The newest posts of channels that are not reactions and were not deleted.
  public func lastPosts(of channels: Set<ChannelID>) async throws -> [ChannelID: LastPost] {
    let rows = try await asking(.little).ask(
      """
      SELECT c.id, p.created_at, CASE WHEN p.forgotten_at IS NULL THEN p.text END
      FROM unnest($1::int8[]) c (id) CROSS JOIN LATERAL (
        SELECT created_at, forgotten_at, text FROM posts
        WHERE channel_id = c.id AND deleted_at IS NULL AND request IS NULL AND is_aside = 0 ORDER BY id DESC LIMIT 1) p
      """, [.ints(channels.map(\.rawValue).sorted())])
    var posts: [ChannelID: LastPost] = [:]
    for row in 0..<rows.count {
      posts[ChannelID(rawValue: rows.int(row, 0) ?? 0)] = LastPost(
        createdAt: Timestamp(milliseconds: rows.int(row, 1) ?? 0), preview: rows.text(row, 2).flatMap(LastPost.preview))
    }
    return posts
  }

  // MARK: - Changes

  public func changes(after revision: Int64, limit: Int) async throws -> [ChangeRow] {
    let values: [SQLValue] = [.int(revision), .int(Int64(limit))]
    return try await changes(
      SQLStatement("\(TableStatements.transitions.selection) WHERE revision > $1 ORDER BY revision LIMIT $2", values),
      SQLStatement("\(TableStatements.changes.selection) WHERE revision > $1 ORDER BY revision LIMIT $2", values), limit)
  }

  public func newestChanges(after revision: Int64, through end: Int64, limit: Int) async throws -> [ChangeRow] {
    let values: [SQLValue] = [.int(revision), .int(end), .int(Int64(limit))]
    // An object's own revision is the revision of its newest change.
    let later = [("channels", "channel_id"), ("relays", "relay_id"), ("operators", "operator_id"), ("servers", "server_id")]
      .map { table, id in
        "EXISTS (SELECT 1 FROM \(table) later WHERE later.id = changes.\(id) AND later.revision > changes.revision)"
      }
    return try await changes(
      SQLStatement(
        """
        \(TableStatements.transitions.selection) WHERE revision > $1 AND revision <= $2 AND NOT EXISTS (
          SELECT 1 FROM transitions later
          WHERE later.channel_id = transitions.channel_id AND later.revision > transitions.revision
            AND later.relay_id = transitions.relay_id)
        ORDER BY revision LIMIT $3
        """, values),
      SQLStatement(
        """
        \(TableStatements.changes.selection) WHERE revision > $1 AND revision <= $2 AND NOT (\(later.joined(separator: " OR ")))
        ORDER BY revision LIMIT $3
        """, values), limit)
  }

  private func changes(
    _ transitions: SQLStatement, _ others: SQLStatement, _ limit: Int
  ) async throws -> [ChangeRow] {
    let answers = try await ask([transitions, others])
    var rows = try answers[0].map { values in
      let transition = try TransitionRow(&values)
      return ChangeRow(revision: transition.revision, at: transition.transition.at, object: .channelRelay(transition))
    }
    rows += try answers[1].map { try ChangeRow(&$0) }.compactMap { $0 }
    return Array(rows.sorted { $0.revision < $1.revision }.prefix(limit))
  }

  public func oldestRevision() async throws -> Int64 {
    try await asking(.little).ask("SELECT value FROM settings WHERE key = 'oldest_revision'").text(0, 0).flatMap { Int64($0) }
      ?? 0
  }

  // MARK: - Figures

  public func health(of peers: Set<Probed>?, before revision: Int64, limit: Int) async throws -> HealthPart {
    var (condition, values) = ("revision < $1", [SQLValue.int(revision), .int(Int64(limit))])
    if let (relays, servers) = peers?.ids {
      condition += " AND (relay_id = ANY($3) OR server_id = ANY($4))"
      values += [.ints(relays), .ints(servers)]
    }
    let rows = try await asking(.little).ask(
      "\(TableStatements.health.selection) WHERE \(condition) ORDER BY revision DESC LIMIT $2", values
    ).map { try HealthRow(&$0) }
    return HealthPart(rows, next: rows.count == limit ? rows.last?.revision : nil)
  }

  public func roundTrips(of peer: Probed) async throws -> [MeasuredConnection] {
    let (kind, id) = Store.key(peer)
    let rows = try await asking(.little).ask(
      "SELECT at, ms FROM round_trips WHERE peer = $1 AND peer_id = $2 ORDER BY number", [.text(kind), .int(id)])
    return (0..<rows.count).map {
      MeasuredConnection(at: Timestamp(milliseconds: rows.int($0, 0) ?? 0), milliseconds: rows.int($0, 1) ?? 0)
    }
  }

  public func channelCounts(of relays: [RelayID]) async throws -> [RelayID: Int] {
    Self.counts(
      try await ask(
        "SELECT relay_id, count(*) FROM channel_relays WHERE relay_id = ANY($1) AND status <> 'removed' GROUP BY relay_id",
        [.ints(relays.map(\.rawValue))]))
  }

  public func channelCounts(of identities: [IdentityID]) async throws -> [IdentityID: Int] {
    let rows = try await ask(
      "SELECT identity_id, count(*) \(Self.channelsOfIdentities) GROUP BY identity_id", [.ints(identities.map(\.rawValue))])
    var counts = Dictionary(uniqueKeysWithValues: Set(identities).map { ($0, 0) })
    for row in 0..<rows.count { counts[IdentityID(rawValue: rows.int(row, 0) ?? 0)] = Int(rows.int(row, 1) ?? 0) }
    return counts
  }

  public func totals() async throws -> (channels: Int, relays: [RelayStatus: Int], quarantined: Int) {
    let rows = try await asking(.vital).ask([
      SQLStatement("SELECT count(*) FROM channels WHERE deleted_at IS NULL"),
      SQLStatement("SELECT status, count(*) FROM channel_relays GROUP BY status"),
      SQLStatement("SELECT count(*) FROM quarantine"),
    ])
    var relays: [RelayStatus: Int] = [:]
    for row in 0..<rows[1].count {
      if let status = rows[1].text(row, 0).flatMap(RelayStatus.init(rawValue:)) {
        relays[status] = Int(rows[1].int(row, 1) ?? 0)
      }
    }
    return (Int(rows[0].int(0, 0) ?? 0), relays, Int(rows[2].int(0, 0) ?? 0))
  }

  public func losses() async throws -> [ChannelLoss] {
    let rows = try await ask(
      """
      SELECT r.relay_id, r.status, r.cause, count(*), sum(c.heal)::int8
      FROM channel_relays r JOIN channels c ON c.id = r.channel_id
      WHERE r.status IN ('failed', 'inactive') AND c.deleted_at IS NULL
      GROUP BY r.relay_id, r.status, r.cause ORDER BY r.relay_id, r.status, r.cause NULLS FIRST
      """)
    return (0..<rows.count).compactMap { row in
      guard let status = rows.text(row, 1).flatMap(RelayStatus.init(rawValue:)) else { return nil }
      return ChannelLoss(
        relay: RelayID(rawValue: rows.int(row, 0) ?? 0), status: status,
        cause: rows.text(row, 2).flatMap(Cause.init(rawValue:)), channels: Int(rows.int(row, 3) ?? 0),
        healing: Int(rows.int(row, 4) ?? 0))
    }
  }

  public func failedChannelCount() async throws -> Int {
    try await count(
      """
      SELECT count(*) FROM channels c WHERE deleted_at IS NULL AND wanted_relays <> 0
        AND EXISTS (SELECT 1 FROM channel_relays r WHERE r.channel_id = c.id AND r.status = 'failed')
        AND NOT EXISTS (
          SELECT 1 FROM channel_relays r
          WHERE r.channel_id = c.id AND r.status IN ('active', 'inactive', 'new', 'invited', 'accepted'))
      """)
  }
}
