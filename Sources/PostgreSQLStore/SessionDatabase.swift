internal import Channels
internal import Cluster
internal import PostgreSQL

/// Asks the database everything that a session needs, over its own connection. Nothing is asked before the work of an earlier connection
/// has ended: otherwise it could be done later.
actor SessionDatabase {
  enum Question: Sendable {
    case session(SessionMachine.Question)
    case look(SessionMachine.ID)
    case step(SessionMachine.ID, BalanceMachine.Step)
    /// The daemon has stopped acting. If it will begin again, its slots wait for it until the session expires.
    case stop(SessionMachine.ID, beginsAgain: Bool)
  }

  enum Answer: Sendable {
    case began(SessionMachine.ID)
    case renewed
    case gone
    /// Sessions and slots, and when the last of the older sessions with the same name expires, in milliseconds. `nil` without such a
    /// session.
    case view(BalanceMachine.View, namesakeUntil: Int64?)
    case took([BalanceMachine.Slot])
    case done
    /// As many slots are pinned as there may be, and none to this daemon.
    case noSlotLeft
    /// Why a question failed, for people.
    case failed(String)
  }

  private let settings: SessionKeeper.Settings
  private var connection: PostgreSQLConnection?
  /// The server's process of the last connection.
  private var backend: Backend?
  private var isPrepared = false
  private let known: KnownEnd
  /// The timeline of the last connection.
  private var timeline: String?

  init(_ settings: SessionKeeper.Settings, _ known: KnownEnd) {
    self.settings = settings
    self.known = known
  }

  /// The name that the server shows for the connections of a session (`application_name`). A daemon that takes the session over ends them
  /// by this.
  static func name(of session: SessionMachine.ID, in schema: String) -> String { "batond/\(schema)/\(session)" }

  /// - Returns: the answer, and the server's properties if the connection is a new one.
  func ask(_ question: Question) async -> (Answer, PostgreSQLServer?) {
    var server: PostgreSQLServer?
    do throws(PostgreSQLFailure) {
      if connection == nil { server = try await connect(for: question.session) }
      guard let connection else { return (.failed("not connected to the database"), nil) }
      return (try await Self.put(question, to: connection, settings), server)
    } catch {
      switch error {
      // The first statement of each question finds the session.
      case .refused(let fault) where fault.state == Self.missing && question.session != nil: return (.gone, server)
      // The server only reads now, and the connection is closed.
      case .refused(let fault) where fault.state == "25006": await close()
      case .refused: break
      case .unavailable, .inDoubt: await close()
      }
      return (.failed("\(error)"), server)
    }
  }

  func close() async {
    await connection?.close()
    connection = nil
  }

  // MARK: - Connecting

  private func connect(for session: SessionMachine.ID?) async throws(PostgreSQLFailure) -> PostgreSQLServer {
    let fresh = try await PostgreSQLConnection.open(
      settings.address, name: session.map { Self.name(of: $0, in: settings.schema) } ?? "batond", schema: settings.schema,
      hostTimeout: settings.timeout)
    do throws(PostgreSQLFailure) {
      try await backend?.end(over: fresh, within: settings.timeout)
      if !isPrepared { try await DatabaseSchema.prepare(fresh, schema: settings.schema, within: settings.migrationTimeout) }
      isPrepared = true
      // Before this daemon gives out anything more.
      if timeline ?? fresh.server.timeline != fresh.server.timeline {
        try await known.leaveNumbersOut(ifLackedBy: fresh, schema: settings.schema, within: settings.timeout)
      }
      timeline = fresh.server.timeline
      backend = try await Backend.of(fresh, within: settings.timeout)
    } catch {
      await fresh.close()
      throw error
    }
    connection = fresh
    return fresh.server
  }

  // MARK: - Asking

  /// The SQLSTATE of a statement that did not find its session: a division by the number of rows.
  private static let missing = "22012"

  /// Fails if the session does not exist, and keeps it from being removed until the transaction is over. Renewals continue.
  static func fence(_ session: SessionMachine.ID) -> SQLStatement {
    SQLStatement("SELECT 1 / count(*) FROM (SELECT FROM sessions WHERE id = $1 FOR KEY SHARE) found", [.int(session)])
  }

  private static func put(
    _ question: Question, to connection: PostgreSQLConnection, _ settings: SessionKeeper.Settings
  ) async throws(PostgreSQLFailure) -> Answer {
    let lifetime = SQLValue.int(settings.session.lifetime.wholeMilliseconds)
    switch question {
    case .session(.begin):
      let rows = try await connection.run(beginning(settings, lifetime), within: settings.timeout)
      guard let id = rows[2].int(0, 0) else { return .failed("a newer Baton has changed the tables of the database") }
      return .began(id)
    case .session(.renew(let id, _)):
      let rows = try await connection.run(
        SQLStatement(
          "UPDATE sessions SET expires = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1 AND NOT stopped",
          [.int(id), lifetime]), within: settings.timeout)
      return rows.affected == 1 ? .renewed : .gone
    case .look(let id): return try await view(of: id, over: connection, settings)
    case .step(let id, let step): return try await take(step, of: id, over: connection, settings)
    case .stop(let id, beginsAgain: true):
      _ = try await connection.run(
        SQLStatement("UPDATE sessions SET stopped = true WHERE id = $1", [.int(id)]), within: settings.timeout)
      return .done
    case .stop(let id, beginsAgain: false):
      _ = try await connection.run(SQLStatement("DELETE FROM sessions WHERE id = $1", [.int(id)]), within: settings.timeout)
      return .done
    }
  }

  /// The number of a session is the time in milliseconds, or one more than the last if that is higher. So it was not used before in other
  /// tables either, whose daemons may hang and wake up.
  ///
  /// The slots of a session with the same name that stopped in order are free immediately, and the others have their shares. That session
  /// does not act any more: this was its last message.
  static func beginning(_ settings: SessionKeeper.Settings, _ lifetime: SQLValue) -> [SQLStatement] {
    let sequence = "pg_get_serial_sequence('sessions', 'id')"
    return [
      DatabaseSchema.alone(in: settings.schema),
      SQLStatement(
        "SELECT setval(\(sequence), greatest(nextval(\(sequence)), (extract(epoch FROM clock_timestamp()) * 1000)::int8), false)"
      ),
      SQLStatement(
        """
        INSERT INTO sessions (name, version, schema, expires)
        SELECT $1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond'
        WHERE $3 >= (SELECT max(oldest) FROM migrations) RETURNING id
        """, [.text(settings.name), .text(settings.version), .int(DatabaseSchema.version), lifetime]),
      SQLStatement("DELETE FROM sessions WHERE name = $1 AND stopped", [.text(settings.name)]),
      SQLStatement(
        "SELECT set_config('application_name', 'batond/' || $1 || '/' || currval(\(sequence)), false)", [.text(settings.schema)]
      ),
    ]
  }

  /// All sessions and slots, in one statement, so that it is one moment.
  private static func view(
    of session: SessionMachine.ID, over connection: PostgreSQLConnection, _ settings: SessionKeeper.Settings
  ) async throws(PostgreSQLFailure) -> Answer {
    let rows = try await connection.run(
      SQLStatement(
        """
        SELECT 0, id, expires >= clock_timestamp() FROM sessions
        UNION ALL SELECT CASE WHEN core IS NULL THEN 1 ELSE 6 END, id, NULL FROM slots
          WHERE session = $1 AND (core IS NULL OR core IS DISTINCT FROM $2)
        UNION ALL SELECT 2, count(*) FILTER (WHERE session IS NULL), NULL FROM slots WHERE core IS NULL
        UNION ALL SELECT 3, count(*), NULL FROM slots WHERE core IS NULL
        UNION ALL SELECT 4, id, NULL FROM sessions WHERE draining = 1
        UNION ALL SELECT 5, (extract(epoch FROM max(other.expires)) * 1000)::int8, NULL
          FROM sessions own JOIN sessions other ON other.name = own.name AND other.id < own.id
          WHERE own.id = $1 AND NOT other.stopped
        UNION ALL SELECT 7, id, session = $1 FROM slots WHERE core = $2
        """, [.int(session), .text(settings.hasCore ? settings.name : nil)]), within: settings.timeout)
    var view = BalanceMachine.View(living: [], expired: [], own: [], free: 0, total: 0)
    if settings.hasCore { view.core = .missing }
    var (isThere, namesakeUntil): (Bool, Int64?) = (false, nil)
    for row in 0..<rows.count {
      guard let kind = rows.int(row, 0), let value = rows.int(row, 1) else { continue }
      switch kind {
      case 0:
        if rows.bool(row, 2) == true { view.living.append(value) } else { view.expired.append(value) }
        isThere = isThere || value == session
      case 1: view.own.append(Int(value))
      case 2: view.free = Int(value)
      case 4: view.draining.append(value)
      case 5: namesakeUntil = value
      case 6: view.misplaced.append(Int(value))
      case 7: view.core = rows.bool(row, 2).map { $0 ? .own(Int(value)) : .awaited(Int(value)) } ?? .free(Int(value))
      default: view.total = Int(value)
      }
    }
    view.living.sort()
    view.expired.sort()
    view.own.sort()
    view.misplaced.sort()
    return isThere ? .view(view, namesakeUntil: namesakeUntil) : .gone
  }

  private static func take(
    _ step: BalanceMachine.Step, of session: SessionMachine.ID, over connection: PostgreSQLConnection,
    _ settings: SessionKeeper.Settings
  ) async throws(PostgreSQLFailure) -> Answer {
    switch step {
    case .takeOver(let others):
      // A daemon that hangs in the middle of a transaction holds its own row, and any locks that others wait for, until its connections
      // end. Connections that are still ending are skipped, and found again with the next look.
      let termination = SQLStatement(
        """
        SELECT pg_terminate_backend(a.pid)
        FROM sessions s JOIN pg_stat_activity a ON a.application_name = 'batond/' || $2 || '/' || s.id
        WHERE s.id = ANY($1) AND s.expires < clock_timestamp() AND a.datname = current_database()
        """, [.ints(others), .text(settings.schema)])
      let ended = try await connection.run([Backend.quiet, termination], within: settings.timeout)[1]
      if ended.count > 0 { _ = try await connection.run(SQLStatement("SELECT pg_sleep(0.05)"), within: settings.timeout) }
      let removal = SQLStatement(
        """
        DELETE FROM sessions WHERE id IN
          (SELECT id FROM sessions WHERE id = ANY($1) AND expires < clock_timestamp() FOR UPDATE SKIP LOCKED)
        """, [.ints(others)])
      _ = try await connection.run([fence(session), removal], within: settings.timeout)
      return .done
    case .claim(let count):
      let claim = SQLStatement(
        """
        UPDATE slots SET session = $1, since = clock_timestamp() WHERE id IN
          (SELECT id FROM slots WHERE session IS NULL AND core IS NULL ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id
        """, [.int(session), .int(Int64(count))])
      let rows = try await connection.run([fence(session), claim], within: settings.timeout)[1]
      return .took((0..<rows.count).compactMap { rows.int($0, 0).map(Int.init) })
    case .pin:
      // Slots with the fewest channels that could move come first: a store that was copied may have some in each slot. Their ids are known,
      // so that nothing else is looked at.
      let pin = SQLStatement(
        """
        UPDATE slots SET core = $1 WHERE id =
          (SELECT s.id FROM slots s WHERE s.id >= $2 AND s.core IS NULL
          ORDER BY (SELECT count(*) FROM generate_series(s.id, (SELECT max(id) FROM channels), $3) g (id)
            WHERE EXISTS (SELECT 1 FROM channels c WHERE c.id = g.id AND c.deleted_at IS NULL)), s.id DESC
          LIMIT 1 FOR UPDATE SKIP LOCKED)
        """, [.text(settings.name), .int(Int64(SlotSet.pinnable.lowerBound)), .int(Int64(SlotSet.count))])
      let rest = SQLStatement(
        "SELECT count(*) FROM slots WHERE id >= $1 AND core IS NULL", [.int(Int64(SlotSet.pinnable.lowerBound))])
      let rows = try await connection.run([fence(session), pin, rest], within: settings.timeout)
      return rows[1].affected == 0 && rows[2].int(0, 0) == 0 ? .noSlotLeft : .done
    case .claimPinned:
      let claim = SQLStatement(
        "UPDATE slots SET session = $1, since = clock_timestamp() WHERE core = $2 AND session IS NULL RETURNING id",
        [.int(session), .text(settings.name)])
      let rows = try await connection.run([fence(session), claim], within: settings.timeout)[1]
      return .took((0..<rows.count).compactMap { rows.int($0, 0).map(Int.init) })
    case .release(let slots):
      let release = SQLStatement(
        "UPDATE slots SET session = NULL, since = clock_timestamp() WHERE session = $1 AND id = ANY($2)",
        [.int(session), .ints(slots.map { Int64($0) })])
      _ = try await connection.run([fence(session), release], within: settings.timeout)
      return .done
    }
  }
}

extension SessionDatabase.Question {
  /// The session that asks, or `nil` if it asks for one.
  var session: SessionMachine.ID? {
    switch self {
    case .session(.begin): nil
    case .session(.renew(let id, _)), .look(let id), .step(let id, _), .stop(let id, _): id
    }
  }
}
