internal import PostgreSQL
internal import Store
internal import Synchronization

/// The newest numbers of the shared store that this daemon has seen. A server that takes over may lack the last of them.
public final class KnownEnd: Sendable {
  private struct State {
    var revision: Int64 = 0
    var postRevision: Int64 = 0
    /// The last commit that was seen.
    var commit: TableStatements.Commit?
  }
  private let state = Mutex(State())

  public init() {}

  /// - Parameters:
  ///   - postRevision: the latest revision of posts, or 0 if it is not known.
  ///   - commit: the last commit, or `nil` if it is not known.
  func note(_ revision: Int64, _ postRevision: Int64, _ commit: TableStatements.Commit?) {
    state.withLock { state in
      if let commit, revision >= state.revision, postRevision >= state.postRevision || postRevision == 0 {
        state.commit = commit
      }
      (state.revision, state.postRevision) = (max(state.revision, revision), max(state.postRevision, postRevision))
    }
  }

  /// Lets revisions and ids continue far behind any that clients may remember, as after the restore of a backup, if a server lacks a commit
  /// that was seen. Other daemons may have given the same numbers out again by then, so the last commit counts too, unless another daemon
  /// has left numbers out since. Clients that watched have to list again.
  func leaveNumbersOut(
    ifLackedBy connection: PostgreSQLConnection, schema: String, within timeout: Duration
  ) async throws(PostgreSQLFailure) {
    let seen = state.withLock { $0 }
    let ids = Store.numbered.map {
      "UNION ALL SELECT '\(Store.lastIDSetting($0))', ((\(SharedStore.lastID($0).text)) + $3)::text FROM gap"
    }
    let gap = SQLStatement(
      """
      WITH last AS (SELECT * FROM commits ORDER BY number DESC LIMIT 1),
      gap AS (
        INSERT INTO commits (number, session, seq, base, count, post_base, post_count)
        SELECT coalesce(last.number, 0) + 1, 0, coalesce(last.number, 0) + 1, coalesce(last.base + last.count, 0), $3,
          coalesce(last.post_base + last.post_count, 0), $3
        FROM (VALUES (1)) one LEFT JOIN last ON true
        WHERE coalesce(last.base + last.count, 0) < $1 OR coalesce(last.post_base + last.post_count, 0) < $2
          OR $4 >= 0 AND NOT EXISTS (SELECT 1 FROM commits WHERE session = $4 AND seq = $5)
            AND $1 >= coalesce((SELECT value::int8 FROM settings WHERE key = 'oldest_revision'), 0)
        RETURNING base + count AS revision)
      INSERT INTO settings (key, value)
      SELECT 'oldest_revision', revision::text FROM gap \(ids.joined(separator: " "))
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """,
      [
        .int(seen.revision), .int(seen.postRevision), .int(Store.leftOut), .int(seen.commit?.session ?? -1),
        .int(seen.commit?.number ?? 0),
      ])
    // The place in the order of commits, as for each of them.
    let lock = SQLStatement("SELECT pg_advisory_xact_lock($1)", [.int(DatabaseSchema.lock(2, of: schema))])
    _ = try await connection.run([lock, gap], within: timeout)
  }
}
