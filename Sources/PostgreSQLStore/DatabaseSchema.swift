internal import Channels
public import PostgreSQL

/// The tables that several daemons share. They are in a separate schema, so other programs may use the same database.
public enum DatabaseSchema {
  /// The name of PostgreSQL's schema, unless a test has several.
  public static let name = "baton"
  /// The version of the tables that this program supports.
  public static let version: Int64 = Int64(migrations.count)

  /// The additions of one version to the one before.
  struct Migration {
    /// The oldest version whose daemons can use these tables.
    let oldest: Int64
    let statements: [String]
  }

  /// The SQLSTATE of a refusal because older daemons still use the tables.
  static let inUseByOlder = "BT003"

  /// Reserves the rest of the transaction: tables change and sessions begin one after the other.
  static func alone(in schema: String) -> SQLStatement {
    SQLStatement("SELECT pg_advisory_xact_lock($1)", [.int(lock(1, of: schema))])
  }

  /// The number of a lock that all daemons share. Each schema has its own.
  static func lock(_ purpose: UInt8, of schema: String) -> Int64 {
    schema.utf8.reduce(0x6261_746f_6e00 + Int64(purpose)) { ($0 ^ Int64($1)) &* 0x100_0000_01b3 }
  }

  static let migrations = [
    Migration(oldest: 1, statements: sessions + commits + catalog + channels + posts),
    // Programs that support only the first version would take slots that are pinned to others.
    Migration(oldest: 2, statements: pinnedSlots),
    Migration(oldest: 2, statements: health),
    Migration(oldest: 2, statements: listIndexes),
    Migration(oldest: 2, statements: decisions),
    Migration(oldest: 2, statements: creationIndex),
  ]

  /// Makes the tables, or brings them up to date. Several daemons may do so at the same time. Tables that older daemons cannot use are not
  /// made while one of these lives.
  /// - Parameters:
  ///   - connection: a connection with the `schema` below.
  ///   - schema: the name of PostgreSQL's schema.
  ///   - timeout: the time limit for each version.
  /// - Throws: `refused` with the SQLSTATE 0A000 if the tables belong to a newer Baton, or if the role may not make them, and with
  ///   `inUseByOlder` while an older daemon uses them.
  public static func prepare(
    _ connection: PostgreSQLConnection, schema: String = name, within timeout: Duration
  ) async throws(PostgreSQLFailure) {
    let end = ContinuousClock.now + timeout
    while true {
      let (found, oldest) = try await current(connection, schema, within: timeout)
      guard oldest <= version else {
        throw .refused(
          SQLError(
            state: PostgreSQLServer.unfit,
            message: "its tables are from a newer Baton (version \(found) of the tables, which needs programs that know "
              + "\(oldest), and this one knows \(version)). Install the same version everywhere"))
      }
      guard found < version else { return }
      try await apply(found + 1, connection, schema, within: timeout, until: end)
    }
  }

  private static func current(
    _ connection: PostgreSQLConnection, _ schema: String, within timeout: Duration
  ) async throws(PostgreSQLFailure) -> (version: Int64, oldest: Int64) {
    let exists = try await connection.run(
      SQLStatement("SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).migrations")]), within: timeout)
    guard exists.bool(0, 0) == true else { return (0, 0) }
    let rows = try await connection.run(SQLStatement("SELECT max(version), max(oldest) FROM migrations"), within: timeout)
    return (rows.int(0, 0) ?? 0, rows.int(0, 1) ?? 0)
  }

  /// Sessions of daemons that support no tables as new as `$1`.
  private static let older = "FROM sessions WHERE schema < $1 AND NOT stopped"

  private static func apply(
    _ version: Int64, _ connection: PostgreSQLConnection, _ schema: String, within timeout: Duration,
    until end: ContinuousClock.Instant
  ) async throws(PostgreSQLFailure) {
    let migration = migrations[Int(version) - 1]
    var statements = [alone(in: schema)]
    if version == 1 {
      // A role that may not make schemas may not even ask for an existing one.
      let exists = try await connection.run(
        SQLStatement("SELECT to_regnamespace($1) IS NOT NULL", [.text(schema)]), within: timeout)
      if exists.bool(0, 0) != true { statements.append(SQLStatement("CREATE SCHEMA IF NOT EXISTS \(schema)")) }
      statements += [
        SQLStatement(
          "CREATE TABLE IF NOT EXISTS migrations (version int8 PRIMARY KEY, oldest int8 NOT NULL, at timestamptz NOT NULL)")
      ]
    }
    if version > 1 {
      // No one begins a session during this (`beginning`), and a division by zero shows that an older daemon has one. An expired session
      // could still be renewed, so it is removed.
      statements += [
        SQLStatement("DELETE FROM sessions WHERE schema < $1 AND expires < clock_timestamp()", [.int(migration.oldest)]),
        SQLStatement("SELECT 1 / (1 - least(1, count(*))) \(older)", [.int(migration.oldest)]),
      ]
    }
    statements.append(
      SQLStatement(
        "INSERT INTO migrations (version, oldest, at) VALUES ($1, $2, clock_timestamp())",
        [.int(version), .int(migration.oldest)]))
    statements += migration.statements.map { SQLStatement($0) }
    do throws(PostgreSQLFailure) {
      _ = try await connection.run(statements, within: timeout)
    } catch {
      switch error {
      // Another daemon was faster.
      case .refused(let fault) where fault.state == "23505" || fault.state == "42P07": return
      case .refused(let fault) where fault.state == "22012":
        let name = try await connection.run(
          SQLStatement("SELECT min(name) \(older)", [.int(migration.oldest)]), within: timeout
        ).text(0, 0)
        throw .refused(
          SQLError(
            state: inUseByOlder,
            message:
              "the daemon '\(name ?? "")' is of an older Baton, which cannot continue with the tables of this one; "
              + "stop it first"))
      // Another daemon is changing the tables, and is slow.
      case .refused(let fault) where fault.state == "55P03":
        guard ContinuousClock.now < end else {
          throw .unavailable("another daemon has been changing the tables of the database for \(timeout)")
        }
      case .refused(let fault) where fault.state == "42501":
        throw .refused(
          SQLError(
            state: PostgreSQLServer.unfit,
            message:
              "its tables cannot be made: \(fault.message). Make the role the owner of the database, or give it a schema: "
              + "CREATE SCHEMA \(schema) AUTHORIZATION role"))
      case .refused, .unavailable, .inDoubt: throw error
      }
    }
  }
}

extension PostgreSQLConnection {
  /// Connects to the tables of a schema.
  /// - Parameters:
  ///   - readLimit: the time limit for a statement at the server, if the connection only reads. The statements of one transaction all see
  ///     one moment then, and two that change the same row fail.
  ///   - pauseLimit: as in `SharedStore.Settings`.
  package static func open(
    _ address: PostgreSQLAddress, name: String, schema: String, readLimit: Duration? = nil, hostTimeout: Duration,
    pauseLimit: Duration? = nil
  ) async throws(PostgreSQLFailure) -> PostgreSQLConnection {
    var settings = ["search_path": schema]
    if let pauseLimit { settings["idle_in_transaction_session_timeout"] = "\(pauseLimit.wholeMilliseconds)" }
    if let readLimit {
      settings["default_transaction_isolation"] = "repeatable read"
      // The server gives up first, so that the connection can be used again.
      settings["statement_timeout"] = "\((readLimit * 9 / 10).wholeMilliseconds)"
    }
    return try await open(address, name: name, settings: settings, hostTimeout: hostTimeout)
  }
}
