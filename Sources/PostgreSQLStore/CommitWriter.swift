internal import Channels
internal import Cluster
internal import PostgreSQL
internal import Storage

/// Makes requests durable, one after the other, over a connection that does nothing else.
actor CommitWriter {
  private let settings: SharedStore.Settings
  /// The session in whose name commits are made, and the session that the daemon has at this moment.
  private let session: SessionMachine.ID
  private let current: @Sendable () -> SessionMachine.ID?
  private let known: KnownEnd
  private var connection: PostgreSQLConnection?
  private var backend: Backend?
  /// The timeline of the last connection.
  private var timeline: String?
  /// The number of the last commit.
  private var number: Int64 = 0
  /// Whether the result of a commit is unknown.
  private var isInDoubt = false
  private let turns = Turns()

  init(
    _ settings: SharedStore.Settings, _ session: SessionMachine.ID, _ known: KnownEnd,
    _ current: @escaping @Sendable () -> SessionMachine.ID?
  ) {
    self.known = known
    self.settings = settings
    self.session = session
    self.current = current
  }

  func close() async { await turns.one { await hangUp() } }

  func commit(_ request: CommitRequest) async throws(CommitFailure) -> CommitReceipt {
    try await turns.one { await result(of: request) }.get()
  }

  private func result(of request: CommitRequest) async -> Result<CommitReceipt, CommitFailure> {
    do throws(PostgreSQLFailure) {
      let receipt = try await overConnection { (connection, timeout) throws(PostgreSQLFailure) in
        try await self.write(request, over: connection, within: timeout)
      }
      // The connection before has ended, so its work is visible by now.
      isInDoubt = false
      let hasPlace = receipt.revision > receipt.base || receipt.postRevision > receipt.postBase
      known.note(
        receipt.revision, receipt.postRevision, hasPlace ? TableStatements.Commit(session: session, number: number) : nil)
      return .success(receipt)
    } catch {
      return .failure(failure(error))
    }
  }

  /// The latest sign of life of the session, or of an earlier one. It writes: the data of a server that lost its standby could still be
  /// lost with it, and changes that are acknowledged after that cannot.
  func lastSignOfLife() async throws(StoreError) -> SignOfLife? {
    try await turns.one { await foundSignOfLife() }.get()
  }

  private func foundSignOfLife() async -> Result<SignOfLife?, StoreError> {
    do throws(PostgreSQLFailure) {
      let look = SQLStatement(
        """
        INSERT INTO signs (session, looked) VALUES ($1, 1) ON CONFLICT (session) DO UPDATE SET looked = signs.looked + 1
        RETURNING at, commit
        """, [.int(session)])
      let latest = SQLStatement("SELECT at, commit FROM signs WHERE at IS NOT NULL ORDER BY at DESC LIMIT 1")
      let rows: [SQLRows]
      do throws(PostgreSQLFailure) {
        let statements = [SessionDatabase.fence(session), look, latest]
        rows = try await overConnection { (connection, timeout) throws(PostgreSQLFailure) in
          try await connection.run(statements, within: timeout)
        }
      } catch {
        throw CommitScript.isFenced(error) ? Self.fenced : error
      }
      isInDoubt = false
      let own = rows[1].int(0, 0) == nil ? rows[2] : rows[1]
      return .success(
        own.int(0, 0).map {
          SignOfLife(at: Timestamp(milliseconds: $0), commit: UInt64(bitPattern: own.int(0, 1) ?? 0))
        })
    } catch {
      return .failure(StoreError(failure(error)))
    }
  }

  /// Makes sure that the work of a commit in doubt is visible, or will never happen, before anyone reads the ends of sequences.
  func settle() async throws(StoreError) { if isInDoubt { _ = try await lastSignOfLife() } }

  // MARK: - The connection

  /// The connection, as long as the session is the current one: decisions in its name must not be carried out in the name of a later
  /// session. The work of an earlier connection has ended before anything is asked. Before that nothing is under way, so a failure here
  /// never concerns a commit.
  private func connected() async throws(PostgreSQLFailure) -> PostgreSQLConnection {
    guard let now = current() else {
      throw .unavailable(
        "the database did not renew this daemon's session in time, and nothing is written until it does")
    }
    guard now == session else { throw Self.fenced }
    if let connection { return connection }
    do throws(PostgreSQLFailure) {
      let fresh = try await connect()
      connection = fresh
      return fresh
    } catch {
      guard case .refused(let fault) = error, fault.state == CommitScript.fencedState else {
        throw .unavailable("\(error)")
      }
      throw error
    }
  }

  /// Does something over the connection, and once more over another one if that had ended before anything was carried out.
  private func overConnection<Result: Sendable>(
    _ body: (PostgreSQLConnection, Duration) async throws(PostgreSQLFailure) -> Result
  ) async throws(PostgreSQLFailure) -> Result {
    let (end, wasConnected) = (ContinuousClock.now + settings.timeout, connection != nil)
    do throws(PostgreSQLFailure) { return try await once(body) } catch {
      // It is still there if nothing may be written for now.
      guard wasConnected, connection == nil, case .unavailable = error else { throw error }
      return try await once(body, by: end)
    }
  }

  /// Gives up a connection that may have something under way, or whose server only reads now.
  private func once<Result: Sendable>(
    _ body: (PostgreSQLConnection, Duration) async throws(PostgreSQLFailure) -> Result, by end: ContinuousClock.Instant? = nil
  ) async throws(PostgreSQLFailure) -> Result {
    let connection = try await connected()
    let timeout = if let end { try SharedStore.Settings.rest(until: end) } else { settings.timeout }
    do throws(PostgreSQLFailure) { return try await body(connection, timeout) } catch {
      switch error {
      case .refused(let fault) where fault.state != "25006": break
      case .refused, .unavailable, .inDoubt: await hangUp()
      }
      throw error
    }
  }

  private func connect() async throws(PostgreSQLFailure) -> PostgreSQLConnection {
    let (fresh, process) = try await settings.connect(for: session, after: backend)
    do throws(PostgreSQLFailure) {
      // Another server may lack changes that the former one has acknowledged, so everything has to be read again, in a new session.
      guard timeline ?? fresh.server.timeline == fresh.server.timeline else {
        try await known.leaveNumbersOut(ifLackedBy: fresh, schema: settings.schema, within: settings.timeout)
        throw Self.fenced
      }
      timeline = fresh.server.timeline
      backend = process
      let last = try await fresh.run(
        SQLStatement("SELECT max(seq) FROM commits WHERE session = $1", [.int(session)]), within: settings.timeout)
      number = max(number, last.int(0, 0) ?? 0)
      return fresh
    } catch {
      await fresh.close()
      throw error
    }
  }

  private func hangUp() async {
    await connection?.close()
    connection = nil
  }

  // MARK: - Failures

  /// The error when the session is gone.
  static let isOver = "the session of this daemon in the database is over, and other daemons have its channels"

  private static let fenced = PostgreSQLFailure.refused(
    SQLError(state: CommitScript.fencedState, message: "no session"))

  /// The meaning of an error for the caller that commits.
  private func failure(_ error: PostgreSQLFailure) -> CommitFailure {
    switch error {
    case .refused(let fault) where fault.state == CommitScript.fencedState:
      return .fenced(Self.isOver)
    case .refused(let fault):
      return CommitScript.isPassing(fault) ? .unavailable("the database: \(fault)") : .refused("the database: \(fault)")
    case .unavailable(let words):
      return .unavailable("the database: \(words)")
    case .inDoubt(let words):
      isInDoubt = true
      return .inDoubt("the database: \(words). It is not known whether the last changes were stored")
    }
  }

  // MARK: - Writing

  private func write(
    _ request: CommitRequest, over connection: PostgreSQLConnection, within timeout: Duration
  ) async throws(PostgreSQLFailure) -> CommitReceipt {
    number += 1
    let script = CommitScript(request, TableStatements.Commit(session: session, number: number), settings.lockKey)
    if let whole = try await whole(script, over: connection, within: timeout) { return whole }
    return try await PartWriter(script, connection, timeout).write()
  }

  /// Writes a whole request in one piece, which nearly always works.
  /// - Returns: `nil` if one of its parts cannot be written.
  private func whole(
    _ script: CommitScript, over connection: PostgreSQLConnection, within timeout: Duration
  ) async throws(PostgreSQLFailure) -> CommitReceipt? {
    guard let statements = script.whole() else { return nil }
    do throws(PostgreSQLFailure) {
      return script.receipt(try await connection.run(statements.all, within: timeout), statements)
    } catch {
      if CommitScript.isFenced(error) { throw Self.fenced }
      guard case .refused(let fault) = error, !CommitScript.isPassing(fault) else { throw error }
      return nil
    }
  }
}
