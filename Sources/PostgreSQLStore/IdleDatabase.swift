internal import PostgreSQL
internal import Storage

/// A database that daemons share, while none of them uses it.
struct IdleDatabase: Sendable {
  /// The time limit for one question.
  static let timeout = Duration.seconds(60)

  let address: PostgreSQLAddress
  /// PostgreSQL's schema with the tables.
  let schema: String

  /// Does something in one transaction, while no daemon has a session and none can begin one.
  /// - Parameter makesTables: whether to make missing tables.
  /// - Throws: `StoreError`, or the error of `body`. Nothing was done then, unless the error says that this is not known. `inUse` while a
  ///   daemon uses the database, `incompatible` if its tables belong to a newer Baton, `notAccessible` if there are no tables.
  func use<T>(makesTables: Bool, _ body: (PostgreSQLConnection) async throws -> T) async throws -> T {
    do {
      let connection = try await PostgreSQLConnection.open(
        address, name: "batond/idle", schema: schema, hostTimeout: .seconds(5))
      do {
        let result = try await alone(connection, makesTables, body)
        await connection.close()
        return result
      } catch {
        await connection.close()
        throw error
      }
    } catch let failure as PostgreSQLFailure {
      throw Self.error(failure)
    }
  }

  private static func error(_ failure: PostgreSQLFailure) -> StoreError {
    switch failure {
    case .refused(let fault) where fault.state == PostgreSQLServer.unfit:
      StoreError(.incompatible, "the database: \(fault.message)")
    case .refused(let fault) where fault.state == DatabaseSchema.inUseByOlder:
      StoreError(.inUse, "the database: \(fault.message)")
    case .refused(let fault) where fault.state == "55P03":
      StoreError(.inUse, "a daemon that uses the database has not finished yet. Stop all daemons first, or try again")
    case .refused, .unavailable: StoreError(.inputOutput, "the database: \(failure)")
    case .inDoubt:
      StoreError(.inputOutput, "the database: \(failure). It is not known whether anything was changed")
    }
  }

  private func alone<T>(
    _ connection: PostgreSQLConnection, _ makesTables: Bool, _ body: (PostgreSQLConnection) async throws -> T
  ) async throws -> T {
    if !makesTables {
      let found = try await connection.run(
        SQLStatement("SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).migrations")]), within: Self.timeout)
      guard found.bool(0, 0) == true else {
        throw StoreError(.notAccessible, "Baton has stored nothing in the database. Look at the address in 'store'")
      }
    }
    try await DatabaseSchema.prepare(connection, schema: schema, within: .seconds(600))
    // Between two statements a file is read or written, which may take long. Commits of daemons that are gone may still be ending.
    _ = try await connection.run(
      [
        SQLStatement("SET idle_in_transaction_session_timeout = 0"), SQLStatement("SET lock_timeout = '30s'"),
      ], within: Self.timeout)
    _ = try await connection.run(
      [SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ"), SQLStatement("LOCK TABLE sessions IN EXCLUSIVE MODE")],
      within: Self.timeout)
    let living = try await connection.run(
      SQLStatement("SELECT name FROM sessions WHERE NOT stopped AND expires >= clock_timestamp() ORDER BY name LIMIT 1"),
      within: Self.timeout)
    if let name = living.text(0, 0) {
      throw StoreError(
        .inUse, "the daemon '\(name)' uses the database. Stop all daemons first (a killed daemon counts for five seconds)")
    }
    // A daemon that hangs and wakes up later finds that its session is over.
    _ = try await connection.run(SQLStatement("DELETE FROM sessions"), within: Self.timeout)
    let result = try await body(connection)
    _ = try await connection.run(SQLStatement("COMMIT"), within: Self.timeout)
    return result
  }
}
