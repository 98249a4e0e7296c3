internal import Channels
internal import Cluster
internal import PostgreSQL
internal import Storage

/// Makes requests durable, one after the other, over a connection that does nothing else.
actor CommitWriter {
  private let settings: SharedStore.Settings
  /// The session in whose name commits are made; `nil` while there is none.
  private let session: @Sendable () -> SessionMachine.ID?
  private var connection: PostgreSQLConnection?
  private var connectedFor: SessionMachine.ID?
  private var backend: Backend?
  /// The number of the last commit of a session.
  private var number: Int64 = 0
  /// Whether a commit is under way; others wait in their order.
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ settings: SharedStore.Settings, _ session: @escaping @Sendable () -> SessionMachine.ID?) {
    self.settings = settings
    self.session = session
  }

  // MARK: - One at a time

  private func begin() async {
    guard isBusy else { return isBusy = true }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }

  func close() async {
    await begin()
    await hangUp()
    end()
  }

  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    await begin()
    defer { end() }
    do throws(PostgreSQLFailure) {
      let (connection, session) = try await connected()
      number += 1
      let script = CommitScript(request, TableStatements.Commit(session: session, number: number), settings.lockKey)
      if let receipt = try await whole(script, over: connection) { return receipt }
      return try await PartWriter(script, connection, settings.timeout).write()
    } catch {
      throw await failure(error)
    }
  }

  /// The latest sign of life of the session, or of an earlier one. It writes: what a server has that lost its standby could still be lost
  /// with it, and what is acknowledged after that cannot.
  func lastSignOfLife() async throws(StoreError) -> SignOfLife? {
    await begin()
    defer { end() }
    do throws(PostgreSQLFailure) {
      let (connection, session) = try await connected()
      let look = SQLStatement(
        """
        INSERT INTO signs (session, looked) VALUES ($1, 1) ON CONFLICT (session) DO UPDATE SET looked = signs.looked + 1
        RETURNING at, commit
        """, [.int(session)])
      let latest = SQLStatement("SELECT at, commit FROM signs WHERE at IS NOT NULL ORDER BY at DESC LIMIT 1")
      let rows = try await connection.run([SessionDatabase.fence(session), look, latest], within: settings.timeout)
      let own = rows[1].int(0, 0) == nil ? rows[2] : rows[1]
      return own.int(0, 0).map {
        SignOfLife(at: Timestamp(milliseconds: $0), commit: UInt64(bitPattern: own.int(0, 1) ?? 0))
      }
    } catch {
      throw StoreError(await failure(error))
    }
  }

  // MARK: - The connection

  /// The connection for the session of this moment. What an earlier one left behind has ended before anything is asked.
  private func connected() async throws(PostgreSQLFailure) -> (PostgreSQLConnection, SessionMachine.ID) {
    guard let session = session() else { throw Self.fenced }
    if connectedFor != session { await hangUp() }
    if let connection { return (connection, session) }
    let fresh = try await PostgreSQLConnection.open(
      settings.address, name: SessionDatabase.name(of: session), schema: settings.schema, hostTimeout: settings.hostTimeout)
    do throws(PostgreSQLFailure) {
      try await backend?.end(over: fresh, within: settings.timeout)
      backend = try await Backend.of(fresh, within: settings.timeout)
      let last = try await fresh.run(
        SQLStatement("SELECT max(seq) FROM commits WHERE session = $1", [.int(session)]), within: settings.timeout)
      number = max(connectedFor == session ? number : 0, last.int(0, 0) ?? 0)
    } catch {
      await fresh.close()
      throw error
    }
    (connection, connectedFor) = (fresh, session)
    return (fresh, session)
  }

  private func hangUp() async {
    await connection?.close()
    connection = nil
  }

  // MARK: - Failures

  private static let fenced = PostgreSQLFailure.refused(
    SQLError(state: CommitScript.fencedState, message: "there is no session"))

  /// What an error means for whoever commits. A connection that may have something under way is given up.
  private func failure(_ error: PostgreSQLFailure) async -> CommitFailure {
    switch error {
    case .refused(let fault) where fault.state == CommitScript.fencedState:
      return .fenced("the session of this daemon in the database is over; what it had belongs to others")
    case .refused(let fault):
      return CommitScript.isPassing(fault) ? .unavailable("the database: \(fault)") : .refused("the database: \(fault)")
    case .unavailable(let words):
      await hangUp()
      return .unavailable("the database: \(words)")
    case .inDoubt(let words):
      await hangUp()
      return .inDoubt("the database: \(words); it is not known whether the last changes were stored")
    }
  }

  // MARK: - Writing

  /// Writes a whole request in one piece, as can nearly always be done.
  /// - Returns: `nil` if one of its parts cannot be written.
  private func whole(
    _ script: CommitScript, over connection: PostgreSQLConnection
  ) async throws(PostgreSQLFailure) -> CommitReceipt? {
    guard let statements = script.whole() else { return nil }
    do throws(PostgreSQLFailure) {
      return script.receipt(try await connection.run(statements.all, within: settings.timeout), statements)
    } catch {
      guard case .refused(let fault) = error, !CommitScript.isPassing(fault) else { throw error }
      guard fault.statement != 0 else { throw Self.fenced }
      return nil
    }
  }
}
