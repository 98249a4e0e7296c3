public import PostgreSQL

/// The tables that several daemons share. They live in a schema of their own, so other programs may use the same database.
public enum DatabaseSchema {
  /// The name of PostgreSQL's schema.
  public static let name = "baton"
  /// The version of the tables that this program knows.
  public static let version: Int64 = Int64(migrations.count)
  /// How many slots there are. The number never changes, because it decides which slot has which channel.
  public static let slots: Int64 = 1_024

  /// What one version adds to the one before.
  struct Migration {
    /// The oldest version whose daemons may go on with these tables.
    let oldest: Int64
    let statements: [String]
  }

  /// All daemons change tables under this lock.
  private static let lock: Int64 = 0x6261_746f_6e01

  static let migrations: [Migration] = [
    Migration(
      oldest: 1,
      statements: [
        // One row for each run of a daemon. Each renewal leaves a dead version behind, which is to be cleared away soon.
        """
        CREATE TABLE sessions (
          id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          name text NOT NULL,
          version text NOT NULL,
          schema int8 NOT NULL,
          began timestamptz NOT NULL DEFAULT clock_timestamp(),
          expires timestamptz NOT NULL,
          stopped bool NOT NULL DEFAULT false
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0)
        """,
        """
        CREATE TABLE slots (
          id int8 PRIMARY KEY,
          session int8 REFERENCES sessions ON DELETE SET NULL,
          since timestamptz
        ) WITH (fillfactor = 50)
        """,
        "CREATE INDEX slots_of_session ON slots (session)",
        "INSERT INTO slots (id) SELECT generate_series(0, \(slots - 1))",
      ])
  ]

  /// Makes the tables, or brings them up to date. Several daemons may do so at once.
  /// - Parameters:
  ///   - connection: one whose `schema` is `name`.
  ///   - timeout: how long each version may take.
  /// - Throws: `refused` with the SQLSTATE 0A000 if the tables are those of a newer Baton, or if the role may not make them.
  public static func prepare(_ connection: PostgreSQLConnection, within timeout: Duration) async throws(PostgreSQLFailure) {
    while true {
      let (found, oldest) = try await current(connection, within: timeout)
      guard oldest <= version else {
        throw .refused(
          SQLError(
            state: PostgreSQLServer.unfit,
            message: "its tables are those of a newer Baton (version \(found) of the tables, which needs programs that know "
              + "\(oldest); this one knows \(version)); install the same version everywhere"))
      }
      guard found < version else { return }
      try await apply(found + 1, connection, within: timeout)
    }
  }

  private static func current(
    _ connection: PostgreSQLConnection, within timeout: Duration
  ) async throws(PostgreSQLFailure) -> (version: Int64, oldest: Int64) {
    let exists = try await connection.run(
      SQLStatement("SELECT to_regclass($1) IS NOT NULL", [.text("\(name).migrations")]), within: timeout)
    guard exists.bool(0, 0) == true else { return (0, 0) }
    let rows = try await connection.run(SQLStatement("SELECT max(version), max(oldest) FROM migrations"), within: timeout)
    return (rows.int(0, 0) ?? 0, rows.int(0, 1) ?? 0)
  }

  private static func apply(
    _ version: Int64, _ connection: PostgreSQLConnection, within timeout: Duration
  ) async throws(PostgreSQLFailure) {
    let migration = migrations[Int(version) - 1]
    var statements = [SQLStatement("SELECT pg_advisory_xact_lock($1)", [.int(lock)])]
    if version == 1 {
      // Who may not make schemas may not even ask for one that is there.
      let exists = try await connection.run(
        SQLStatement("SELECT to_regnamespace($1) IS NOT NULL", [.text(name)]), within: timeout)
      if exists.bool(0, 0) != true { statements.append(SQLStatement("CREATE SCHEMA IF NOT EXISTS \(name)")) }
      statements += [
        SQLStatement(
          "CREATE TABLE IF NOT EXISTS migrations (version int8 PRIMARY KEY, oldest int8 NOT NULL, at timestamptz NOT NULL)")
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
      // Another daemon is at it, and takes long.
      case .refused(let fault) where fault.state == "55P03":
        throw .unavailable("another daemon is changing the tables of the database")
      case .refused(let fault) where fault.state == "42501":
        throw .refused(
          SQLError(
            state: PostgreSQLServer.unfit,
            message:
              "its tables cannot be made: \(fault.message); make the role the owner of the database, or give it a schema: "
              + "CREATE SCHEMA \(name) AUTHORIZATION role"))
      case .refused, .unavailable, .inDoubt: throw error
      }
    }
  }
}
