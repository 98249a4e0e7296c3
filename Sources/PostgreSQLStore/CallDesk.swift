public import Channels
public import Cluster
internal import PostgreSQL
public import Storage

/// Leaves calls for other daemons in the database, and takes calls that other daemons have left, over a connection that does nothing else.
/// It belongs to one session, and calls go with it.
public actor CallDesk: CallExchange, SharingStorage {
  private let settings: SharedStore.Settings
  private let session: SessionMachine.ID
  private let current: @Sendable () -> SessionMachine.ID?
  private var connection: PostgreSQLConnection?
  /// The server's process of the last connection. Its work must not be done later.
  private var backend: Backend?
  private let turns = Turns()

  /// - Parameter current: returns the session that the daemon has at this moment, or `nil` while none is trusted.
  public init(
    _ settings: SharedStore.Settings, session: SessionMachine.ID, current: @escaping @Sendable () -> SessionMachine.ID?
  ) {
    self.settings = settings
    self.session = session
    self.current = current
  }

  public func close() async { await turns.one { await hangUp() } }

  private func hangUp() async {
    await connection?.close()
    connection = nil
  }

  // MARK: - Sending

  public func send(_ call: ForwardedCall, to slot: Int) async throws -> Int64 {
    let insertion = SQLStatement(
      """
      INSERT INTO calls (sender, slot, method, parameters, has_more, by_user) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
      """,
      [
        .int(session), .int(Int64(slot)), .text(call.method), .bytes(call.parameters), .int(call.hasMore ? 1 : 0),
        .int(Int64(call.user)),
      ])
    return try await write([insertion])[0].int(0, 0) ?? 0
  }

  public func forget(_ number: Int64, ifFree: Bool) async throws -> Bool {
    let condition = ifFree ? " AND taker IS NULL" : ""
    let removal = SQLStatement("DELETE FROM calls WHERE id = $1 AND sender = $2\(condition)", [.int(number), .int(session)])
    return try await write([removal])[0].affected == 1
  }

  public func holder(of slot: Int) async throws -> String? {
    try await ask([SQLStatement("SELECT core FROM slots WHERE id = $1", [.int(Int64(slot))])])[0].text(0, 0)
      .map { Trouble(.protocol, $0).detail }
  }

  // MARK: - Both

  public func look(_ slots: SlotSet, sent: Set<Int64>, taken: Set<Int64>) async throws -> CallNews {
    let rows = try await ask([
      SQLStatement(
        "SELECT EXISTS (SELECT 1 FROM calls WHERE taker IS NULL AND slot = ANY($1))",
        [.ints(slots.numbers.sorted().map { Int64($0) })]),
      SQLStatement(
        """
        SELECT id, reply, taker IS NOT NULL AND reply IS NULL AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = taker)
        FROM calls WHERE id = ANY($1) AND sender = $2
        """, [.ints(sent.sorted()), .int(session)]),
      SQLStatement("SELECT id, reply IS NULL FROM calls WHERE taker = $1", [.int(session)]),
    ])
    var news = CallNews()
    news.hasCalls = rows[0].bool(0, 0) == true
    news.missing = sent
    for row in 0..<rows[1].count {
      guard let id = rows[1].int(row, 0) else { continue }
      news.missing.remove(id)
      if let reply = rows[1].bytes(row, 1) { news.replies[id] = reply }
      if rows[1].bool(row, 2) == true { news.lost.insert(id) }
    }
    news.abandoned = taken.subtracting(rows[2].ints())
    for row in 0..<rows[2].count where rows[2].bool(row, 1) == true {
      if let id = rows[2].int(row, 0), !taken.contains(id) { news.forgotten.insert(id) }
    }
    return news
  }

  // MARK: - Answering

  public func take(_ slots: SlotSet, limit: Int) async throws -> [(number: Int64, call: ForwardedCall)] {
    // The slots are looked at again in the same transaction: they may be another's by now.
    let taking = SQLStatement(
      """
      UPDATE calls SET taker = $1 WHERE id IN (
        SELECT c.id FROM calls c JOIN slots s ON s.id = c.slot AND s.session = $1
        WHERE c.taker IS NULL AND c.slot = ANY($2) ORDER BY c.id LIMIT $3 FOR UPDATE OF c SKIP LOCKED)
      RETURNING id, method, parameters, has_more, by_user
      """, [.int(session), .ints(slots.numbers.sorted().map { Int64($0) }), .int(Int64(limit))])
    let rows = try await write([taking])[0]
    return (0..<rows.count).map { row in
      (
        rows.int(row, 0) ?? 0,
        ForwardedCall(
          method: rows.text(row, 1) ?? "", parameters: rows.bytes(row, 2) ?? [], hasMore: rows.int(row, 3) == 1,
          user: UInt32(truncatingIfNeeded: rows.int(row, 4) ?? 0))
      )
    }.sorted { $0.number < $1.number }
  }

  public func answer(_ number: Int64, _ reply: [UInt8]?) async throws {
    let change =
      reply.map {
        SQLStatement("UPDATE calls SET reply = $3 WHERE id = $1 AND taker = $2", [.int(number), .int(session), .bytes($0)])
      }
      ?? SQLStatement(
        "UPDATE calls SET taker = NULL WHERE id = $1 AND taker = $2 AND reply IS NULL", [.int(number), .int(session)])
    _ = try await write([change])
  }

  // MARK: - All daemons

  public func daemons() async throws -> [SharedStoreDaemon] {
    let rows = try await ask([
      SQLStatement(
        """
        SELECT s.id, s.name, s.version, (extract(epoch FROM s.began) * 1000)::int8,
          CASE WHEN s.stopped THEN 'stopped' WHEN s.expires < clock_timestamp() THEN 'silent' ELSE 'alive' END,
          (SELECT count(*) FROM slots WHERE session = s.id), EXISTS (SELECT 1 FROM slots WHERE session = s.id AND id = \(SlotSet.catalog)), s.draining = 1,
          EXISTS (SELECT 1 FROM slots WHERE session = s.id AND core = s.name), s.declarations
        FROM sessions s ORDER BY s.name COLLATE "C", s.id
        """)
    ])[0]
    // Anyone with the role of the database may have written anything, and this reaches logs and terminals.
    func words(_ row: Int, _ column: Int) -> String { Trouble(.protocol, rows.text(row, column) ?? "").detail }
    return (0..<rows.count).map { row in
      let id = rows.int(row, 0) ?? 0
      return SharedStoreDaemon(
        name: words(row, 1), session: id, version: words(row, 2),
        began: Timestamp(milliseconds: rows.int(row, 3) ?? 0),
        state: rows.text(row, 4).flatMap(SharedStoreDaemon.State.init(rawValue:)) ?? .silent, slots: Int(rows.int(row, 5) ?? 0),
        hasCatalog: rows.bool(row, 6) == true, hasCore: rows.bool(row, 8) == true, declarations: rows.text(row, 9),
        isDraining: rows.bool(row, 7) == true, isOwn: id == session)
    }
  }

  public func cores() async throws -> [SharedCore] {
    let rows = try await ask([
      SQLStatement(
        """
        SELECT core, EXISTS (SELECT 1 FROM sessions s WHERE s.id = session AND NOT stopped AND s.expires >= clock_timestamp()),
          coalesce(c.number, 0)
        FROM slots LEFT JOIN
          (SELECT id & \(SlotSet.count - 1) AS slot, count(*) AS number FROM channels
          WHERE network = 'simplex' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM slots WHERE core IS NOT NULL) GROUP BY 1) c
          ON c.slot = slots.id
        WHERE core IS NOT NULL ORDER BY core
        """)
    ])[0]
    return (0..<rows.count).map { row in
      SharedCore(
        daemon: Trouble(.protocol, rows.text(row, 0) ?? "").detail, isThere: rows.bool(row, 1) == true,
        channels: Int(rows.int(row, 2) ?? 0))
    }
  }

  public func database() async throws -> SharedDatabase {
    let before = PostgreSQLServer.milliseconds
    let rows = try await ask([
      SQLStatement(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8, current_setting('synchronous_standby_names')")
    ])[0]
    let (clock, after) = (rows.int(0, 0) ?? 0, PostgreSQLServer.milliseconds)
    // It was read some time between these two.
    return SharedDatabase(
      clockAhead: clock > after ? clock - after : min(0, clock - before),
      hasSynchronousStandby: rows.text(0, 1)?.isEmpty == false)
  }

  public func note(declarations: String) async throws {
    let change = SQLStatement("UPDATE sessions SET declarations = $2 WHERE id = $1", [.int(session), .text(declarations)])
    _ = try await write([change])
  }

  public func drain(_ name: String, _ isDraining: Bool) async throws -> Bool {
    let change = SQLStatement("UPDATE sessions SET draining = $2 WHERE name = $1", [.text(name), .int(isDraining ? 1 : 0)])
    return try await write([change])[0].affected > 0
  }

  // MARK: - The connection

  /// Does something in the name of the session, which must still be there.
  /// - Throws: `CallInDoubt` if it may have been done, otherwise `StoreError`.
  private func write(_ statements: [SQLStatement]) async throws -> [SQLRows] {
    guard current() == session else {
      throw StoreError(.inputOutput, "the database did not renew this daemon's session in time")
    }
    let outcome = await turns.one { await result(of: [SessionDatabase.fence(session)] + statements) }
    do throws(PostgreSQLFailure) { return Array(try outcome.get().dropFirst()) } catch {
      if case .inDoubt(let words) = error { throw CallInDoubt("the database: \(words)") }
      throw Self.failure(error)
    }
  }

  private func ask(_ statements: [SQLStatement]) async throws(StoreError) -> [SQLRows] {
    let outcome = await turns.one { await result(of: statements) }
    do throws(PostgreSQLFailure) { return try outcome.get() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: PostgreSQLFailure) -> StoreError {
    StoreError(.inputOutput, CommitScript.isFenced(error) ? CommitWriter.isOver : "the database: \(error)")
  }

  private func result(of statements: [SQLStatement]) async -> Result<[SQLRows], PostgreSQLFailure> {
    let (end, wasConnected) = (ContinuousClock.now + settings.timeout, connection != nil)
    do throws(PostgreSQLFailure) {
      do throws(PostgreSQLFailure) {
        return .success(try await connected().run(statements, within: settings.timeout))
      } catch {
        // The connection had ended before anything was carried out.
        guard wasConnected, case .unavailable = error else { throw error }
        await hangUp()
        let connection = try await connected()
        return .success(try await connection.run(statements, within: SharedStore.Settings.rest(until: end)))
      }
    } catch {
      switch error {
      case .refused(let fault) where fault.state == "25006": await hangUp()
      case .refused: break
      case .unavailable, .inDoubt: await hangUp()
      }
      return .failure(error)
    }
  }

  private func connected() async throws(PostgreSQLFailure) -> PostgreSQLConnection {
    if let connection { return connection }
    let (fresh, process) = try await settings.connect(for: session, after: backend)
    (connection, backend) = (fresh, process)
    return fresh
  }
}
