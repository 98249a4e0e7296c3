internal import Channels
internal import PostgreSQL
internal import Storage
internal import Store

/// Writes that are not rows of a table: each has separate statements.
enum SingleWrites {
  /// - Returns: the statements, and for each whether its answer contains how much was forgotten.
  static func statements(for mutation: StoreMutation, session: Int64) -> [(statement: SQLStatement, forgets: Bool)] {
    switch mutation {
    case .recordRoundTrip(let peer, let at, let milliseconds): plain(roundTrip(peer, at, milliseconds))
    case .appendHealth(let row): plain([trimming(row.peer)])
    case .removeIdentity(let id):
      plain([
        SQLStatement(
          "UPDATE identities SET name = name || E'\\x1f' || id, sealed_key = '', removed = 1 WHERE id = $1 AND removed = 0",
          [.int(id.rawValue)])
      ])
    case .probe(let at, let commit):
      plain([
        SQLStatement(
          """
          INSERT INTO signs (session, at, commit) VALUES ($1, $2, $3)
          ON CONFLICT (session) DO UPDATE SET at = excluded.at, commit = excluded.commit
          """, [.int(session), .int(at.milliseconds), .int(Int64(bitPattern: commit))])
      ])
    case .quarantine(let channel, let reason, let at):
      plain([
        SQLStatement(
          "INSERT INTO quarantine (channel_id, reason, at) VALUES ($1, $2, $3) ON CONFLICT (channel_id) DO NOTHING",
          [.int(channel.rawValue), .text(reason), .int(at.milliseconds)])
      ])
    case .clampTimes(let now, let latest): plain(clamp(now, latest))
    case .compactChanges(let revision):
      plain([
        SQLStatement("DELETE FROM changes WHERE revision <= $1", [.int(revision)]),
        // The last commit is where the next one begins, and the last sign of all is when someone was alive.
        SQLStatement(
          "DELETE FROM commits WHERE base + count <= $1 AND number < (SELECT max(number) FROM commits)", [.int(revision)]),
        SQLStatement(
          """
          DELETE FROM signs WHERE session NOT IN (SELECT id FROM sessions)
            AND session <> (SELECT session FROM signs WHERE at IS NOT NULL ORDER BY at DESC LIMIT 1)
          """),
        SQLStatement(
          """
          INSERT INTO settings (key, value) SELECT 'oldest_revision', $1::int8::text WHERE $1 > 0
          \(raising)
          """, [.int(revision)]),
      ])
    case .forgetHistory(let end, let rowsMax, let limit): [(forget("transitions", changes, end, rowsMax, limit), true)]
    case .decide(let decision): plain([decide(decision)])
    case .forgetPostHistory(let end, let rowsMax, let limit): [(forget("post_transitions", "", end, rowsMax, limit), true)]
    case .insertChannel, .touchChannel, .rewriteChannel, .saveChannelRelay, .appendTransition, .appendChange, .saveOperator,
      .saveServer, .saveRelay, .insertIdentity, .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition,
      .savePostRoute, .savePostRetention:
      []
    }
  }

  private static func plain(_ statements: [SQLStatement]) -> [(statement: SQLStatement, forgets: Bool)] {
    statements.map { ($0, false) }
  }

  /// The lock of the order is held, so no later revision can appear.
  private static func decide(_ decision: PersonalDecision) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO decisions (revision, kind, channel_id, name, at, network_id)
      SELECT coalesce(max(revision), 0) + 1, $1, $2::int8, $3, $4::int8, $5 FROM decisions
      ON CONFLICT (channel_id, name, kind) DO UPDATE SET revision = excluded.revision, at = excluded.at, network_id = excluded.network_id
      """,
      [
        .text(decision.kind.rawValue), .int(decision.channel.rawValue), .text(decision.name),
        .int(decision.at?.milliseconds), .text(decision.message),
      ])
  }

  private static func roundTrip(_ peer: Probed, _ at: Timestamp, _ milliseconds: Int64) -> [SQLStatement] {
    let (kind, id) = Store.key(peer)
    return [
      SQLStatement(
        """
        INSERT INTO round_trips (peer, peer_id, number, at, ms)
        SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4 FROM round_trips WHERE peer = $1 AND peer_id = $2
        """, [.text(kind), .int(id), .int(at.milliseconds), .int(milliseconds)]),
      SQLStatement(
        """
        DELETE FROM round_trips WHERE peer = $1 AND peer_id = $2
          AND number <= (SELECT max(number) FROM round_trips WHERE peer = $1 AND peer_id = $2) - $3
        """, [.text(kind), .int(id), .int(Int64(Store.roundTripsMax))]),
    ]
  }

  /// The row itself is written with others of its table.
  private static func trimming(_ peer: Probed) -> SQLStatement {
    let (column, id) = Store.column(of: peer)
    return SQLStatement(
      """
      DELETE FROM health_changes WHERE \(column) = $1 AND revision <=
        (SELECT revision FROM health_changes WHERE \(column) = $1 ORDER BY revision DESC LIMIT 1 OFFSET $2)
      """, [.int(id), .int(Int64(HealthRow.keptMax))])
  }

  // MARK: - Times

  private static func clamp(_ now: Timestamp, _ latestVerifyDue: Timestamp) -> [SQLStatement] {
    let longest = now.milliseconds + Store.longestWaitMilliseconds
    return [
      // Relay by relay, through indexes that have the time behind the relay.
      SQLStatement(
        """
        UPDATE channel_relays t SET check_due = $1 FROM relays r
        WHERE t.relay_id = r.id AND t.status = 'active' AND (t.task IS NULL OR t.task = 'announce' AND t.under_way = 0)
          AND t.check_due > $2
        """, [.int(now.milliseconds), .int(latestVerifyDue.milliseconds)]),
      SQLStatement(
        """
        UPDATE deliveries t SET timer_at = $1 FROM relays r
        WHERE t.relay_id = r.id AND t.task IS NOT NULL AND t.under_way = 0 AND t.departed = 0 AND t.timer_at > $2
        """, [.int(now.milliseconds), .int(longest)]),
      SQLStatement(
        "UPDATE post_routes SET compare_at = $1 WHERE status = 'joined' AND compare_at IS NOT NULL AND compare_at > $2",
        [.int(now.milliseconds), .int(longest)]),
      SQLStatement(
        "UPDATE channel_relays SET since = $1 WHERE status IN ('failed', 'inactive') AND since > $1", [.int(now.milliseconds)]),
    ]
  }

  // MARK: - History

  /// Changes before the last forgotten transition are forgotten too, and clients that ask from before list again.
  private static let changes = """
    , others AS (DELETE FROM changes WHERE revision <= (SELECT revision FROM last)),
    raised AS (
      INSERT INTO settings (key, value) SELECT 'oldest_revision', revision::text FROM last WHERE revision IS NOT NULL
      \(raising))
    """

  private static let raising = """
    ON CONFLICT (key) DO UPDATE SET value = greatest(settings.value::int8, excluded.value::int8)::text
    """

  private static func forget(
    _ table: String, _ more: String, _ end: Timestamp, _ rowsMax: Int, _ limit: Int
  ) -> SQLStatement {
    SQLStatement(
      """
      WITH size AS (SELECT least($3::int8, greatest(0, count(*) - $2::int8)) AS surplus FROM \(table)),
      last AS (
        SELECT max(revision) AS revision FROM (
          SELECT revision, at, row_number() OVER (ORDER BY revision) AS number FROM \(table) ORDER BY revision LIMIT $3) oldest
        WHERE at < $1 OR number <= (SELECT surplus FROM size)),
      gone AS (DELETE FROM \(table) WHERE revision <= (SELECT revision FROM last) RETURNING 1)\(more)
      SELECT count(*) FROM gone
      """, [.int(end.milliseconds), .int(Int64(rowsMax)), .int(Int64(limit))])
  }
}
