internal import PostgreSQL
internal import Store
internal import Synchronization

/// How far this daemon has seen the shared store come. A server that takes over may lack the last of it.
public final class KnownEnd: Sendable {
  private let state = Mutex((revision: 0 as Int64, postRevision: 0 as Int64))

  public init() {}

  func note(_ revision: Int64, _ postRevision: Int64) {
    state.withLock { $0 = (max($0.revision, revision), max($0.postRevision, postRevision)) }
  }

  /// Lets revisions and ids continue far behind those that clients may remember, as after the restore of a backup, if a server lacks what
  /// was seen. Who watched is told to list again.
  func leaveNumbersOut(
    ifLackedBy connection: PostgreSQLConnection, schema: String, within timeout: Duration
  ) async throws(PostgreSQLFailure) {
    let (revision, postRevision) = state.withLock { $0 }
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
        RETURNING base + count AS revision)
      INSERT INTO settings (key, value)
      SELECT 'oldest_revision', revision::text FROM gap \(ids.joined(separator: " "))
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
      """, [.int(revision), .int(postRevision), .int(Store.leftOut)])
    // The place in the order of commits, as for each of them.
    let lock = SQLStatement("SELECT pg_advisory_xact_lock($1)", [.int(DatabaseSchema.lock(2, of: schema))])
    _ = try await connection.run([lock, gap], within: timeout)
  }
}
