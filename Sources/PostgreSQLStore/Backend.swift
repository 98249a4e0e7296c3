internal import Cluster
internal import PostgreSQL

/// The server's process of a connection. Its start distinguishes it from a later one with the same number, even on another server.
struct Backend {
  private let number: Int64
  private let since: String

  /// The process of a connection, or `nil` if the server does not show it.
  static func of(
    _ connection: PostgreSQLConnection, within timeout: Duration
  ) async throws(PostgreSQLFailure) -> Backend? {
    let rows = try await connection.run(
      SQLStatement("SELECT pid::int8, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()"), within: timeout)
    guard let number = rows.int(0, 0), let since = rows.text(0, 1) else { return nil }
    return Backend(number: number, since: since)
  }

  /// Keeps the server from warning, within a transaction, that a process had ended by itself: other warnings mean doubt.
  static let quiet = SQLStatement("SELECT set_config('client_min_messages', 'error', true)")

  /// Ends the process if it is still there, and waits until it is gone. Its work has happened then, or never will.
  /// - Parameter connection: another connection.
  func end(over connection: PostgreSQLConnection, within timeout: Duration) async throws(PostgreSQLFailure) {
    let end = ContinuousClock.now + timeout
    while true {
      let termination = SQLStatement(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int8::int4 AND backend_start::text = $2",
        [.int(number), .text(since)])
      let rows = try await connection.run([Self.quiet, termination], within: timeout)[1]
      guard rows.count > 0 else { return }
      guard ContinuousClock.now < end else { throw .unavailable("the server does not end a connection that was given up") }
      _ = try await connection.run(SQLStatement("SELECT pg_sleep(0.02)"), within: timeout)
    }
  }
}

extension SharedStore.Settings {
  /// The rest of the time for something that is tried again.
  /// - Throws: `unavailable` if that is too short to get an answer: a time limit that passes leaves the sent statements in doubt.
  static func rest(until end: ContinuousClock.Instant) throws(PostgreSQLFailure) -> Duration {
    let rest = ContinuousClock.now.duration(to: end)
    guard rest > .seconds(1) else { throw .unavailable("the database did not answer in the time allowed") }
    return rest
  }

  /// Connects in the name of a session, once the work of an earlier connection has ended.
  /// - Parameter before: the process of that connection.
  /// - Returns: the connection, and its process.
  func connect(
    for session: SessionMachine.ID, after before: Backend?
  ) async throws(PostgreSQLFailure) -> (PostgreSQLConnection, Backend?) {
    let fresh = try await PostgreSQLConnection.open(
      address, name: SessionDatabase.name(of: session, in: schema), schema: schema, hostTimeout: hostTimeout,
      pauseLimit: pauseLimit)
    do throws(PostgreSQLFailure) {
      try await before?.end(over: fresh, within: timeout)
      return (fresh, try await Backend.of(fresh, within: timeout))
    } catch {
      await fresh.close()
      throw error
    }
  }
}
