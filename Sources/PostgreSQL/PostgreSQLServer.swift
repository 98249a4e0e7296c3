internal import Glibc

/// A server's description of itself when a connection to it begins. Everything that Baton relies on is checked, because a setting of the
/// server, the role or the database may silently remove it.
public struct PostgreSQLServer: Hashable, Sendable {
  /// Such as 150018.
  public let version: Int
  /// The number of the server's process for this connection.
  public let backend: Int
  /// Changes whenever another server has taken over, or an older state was restored. Data read before may not be true any more.
  public let timeline: String
  /// How far the server's clock is ahead, in milliseconds, accurate to the duration of the question.
  public let clockAhead: Int64
  /// Whether commits wait for a standby, according to the settings.
  public let hasSynchronousStandby: Bool
  /// Why it cannot write for now, or `nil` if it can.
  let standby: String?

  /// The oldest version that is tested.
  public static let versionMin = 150_000

  /// The settings of every connection.
  private static let settings: [(name: String, value: String)] = [
    // A plan for long arrays would walk through whole tables.
    ("plan_cache_mode", "force_generic_plan"), ("jit", "off"), ("TimeZone", "UTC"), ("DateStyle", "ISO, YMD"),
    ("default_transaction_isolation", "read committed"), ("lock_timeout", "3s"),
    ("idle_in_transaction_session_timeout", "3s"),
    // Baton has its own limits. A commit that the server cancels may count as done and be lost.
    ("idle_session_timeout", "0"), ("statement_timeout", "0"),
    // Only a warning reports a commit that did not wait for its standby.
    ("client_min_messages", "warning"), ("standard_conforming_strings", "on"),
    // The other end releases its locks if this one has gone silent.
    ("tcp_user_timeout", "3000"), ("tcp_keepalives_idle", "1"), ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "3"),
  ]

  /// Sets a new connection up and looks at the server.
  /// - Parameter own: additions to the settings, or replacements, for this connection.
  /// - Throws: `refused` with the SQLSTATE 0A000 if Baton cannot use it.
  static func settle(
    _ link: Link, _ own: [String: String], until deadline: ContinuousClock.Instant
  ) throws(PostgreSQLFailure) -> Self {
    guard link.serverVersion >= versionMin else {
      throw refusal("it is PostgreSQL \(link.serverVersion / 10_000), and version \(versionMin / 10_000) or later is needed")
    }
    // Older servers do not have this one.
    let known = settings + (link.serverVersion >= 170_000 ? [(name: "transaction_timeout", value: "0")] : [])
    let settings = known.filter { own[$0.name] == nil } + own.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let columns = settings.indices.map { "set_config($\(2 * $0 + 1), $\(2 * $0 + 2), false)" }.joined(separator: ", ")
    let values = settings.flatMap { [SQLValue.text($0.name), .text($0.value)] }
    let facts = SQLStatement(
      """
      SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('server_encoding'), current_setting('synchronous_commit'),
        current_setting('synchronous_standby_names'), current_setting('default_transaction_read_only'),
        CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,
        (extract(epoch FROM clock_timestamp()) * 1000)::int8
      """)
    let begin = Self.milliseconds
    let rows: SQLRows
    do throws(PostgreSQLFailure) {
      rows = try link.run([SQLStatement("SELECT " + columns, values), facts], until: deadline)[1]
    } catch {
      // A new connection has no earlier statements, and forgets none.
      if case .refused(let fault) = error, ["42P05", "26000"].contains(fault.state) { throw between }
      throw error
    }
    let middle = (begin + Self.milliseconds) / 2
    guard let backend = rows.int(0, 0), let isStandby = rows.bool(0, 1), let timeline = rows.text(0, 6),
      let clock = rows.int(0, 7)
    else { throw refusal("its answer is incomplete") }
    guard Int(backend) == link.backend else {
      throw between
    }
    var standby: String?
    if isStandby {
      standby = "is a standby"
    } else if rows.text(0, 5) == "on" {
      standby = "only reads (default_transaction_read_only)"
    }
    if standby == nil {
      guard rows.text(0, 2) == "UTF8" else {
        throw refusal(
          "its encoding is \(rows.text(0, 2)?.fromServer ?? "unknown"), and not UTF8: create the database with ENCODING 'UTF8'")
      }
      let commits = rows.text(0, 3)?.fromServer ?? ""
      guard ["on", "remote_apply", "remote_write"].contains(commits) else {
        throw refusal("synchronous_commit is '\(commits)', so it would lose acknowledged changes. Set it to 'on'")
      }
    }
    return Self(
      version: link.serverVersion, backend: Int(backend), timeline: timeline, clockAhead: clock - middle,
      hasSynchronousStandby: rows.text(0, 4)?.isEmpty == false, standby: standby)
  }

  /// The SQLSTATE of a server that Baton cannot use.
  public static let unfit = "0A000"

  private static let between = refusal(
    "a pooler such as PgBouncer shares its connections between clients: name the server itself")

  private static func refusal(_ reason: String) -> PostgreSQLFailure {
    .refused(SQLError(state: unfit, message: "the database is not suitable: \(reason)"))
  }

  /// This machine's time of day, in milliseconds since 1970.
  public static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
