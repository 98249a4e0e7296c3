import Cluster
import PostgreSQL
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Sessions and slots in a real database.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SessionKeeperTests {
  private static let patience = Duration.seconds(60)
  /// A lifetime that a busy machine does not reach.
  private static let ample = Duration.seconds(5)

  private func state(_ body: () async throws(PostgreSQLFailure) -> Void) async -> String? {
    do throws(PostgreSQLFailure) {
      try await body()
      return nil
    } catch {
      if case .refused(let fault) = error { return fault.state }
      return "\(error)"
    }
  }

  private func owners(_ connection: PostgreSQLConnection) async throws -> [Int64?: Int] {
    let rows = try await connection.run(
      SQLStatement("SELECT session, count(*) FROM slots GROUP BY session"), within: Self.patience)
    return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows.int($0, 0), Int(rows.int($0, 1) ?? 0)) })
  }

  @Test func slotsAreSharedAndTakenFromTheDead() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    await keepers.waitUntilShared(["a"])
    try keepers.start("b")
    try keepers.start("c")
    await keepers.waitUntilShared(["a", "b", "c"])
    let connection = try await keepers.connection()
    #expect(try await owners(connection).values.sorted() == [341, 341, 342])
    let token = keepers["b"]?.session
    await keepers.crash("b")
    await keepers.waitUntilShared(["a", "c"])
    // Whatever the dead one would still write is refused.
    let fenced = await state { () throws(PostgreSQLFailure) in
      _ = try await connection.run(SessionDatabase.fence(token ?? 0), within: Self.patience)
    }
    #expect(fenced == "22012")
    try keepers.start("b")
    await keepers.waitUntilShared(["a", "b", "c"])
    #expect(try #require(keepers["b"]?.session) > token ?? .max, "a number is never used again")
    // Who leaves for good leaves at once.
    await keepers.stop("c", beginsAgain: false)
    await keepers.waitUntilShared(["a", "b"])
    #expect(try await owners(connection).keys.count == 2)
    await connection.close()
    await keepers.stopAll()
  }

  /// A daemon is told that its name is its own before it serves. One that has the name of another is never told so, and what a daemon left
  /// that was killed is not taken for another.
  @Test func namesAreFreeOrTaken() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    await keepers.wait { $0["a"]?.news.contains(.nameIsFree) == true }
    try keepers.start("b", called: "a")
    await keepers.wait { $0["b"]?.news.contains(.nameIsTaken) == true }
    #expect(keepers["b"]?.news.contains(.nameIsFree) == false)
    await keepers.crash("b")
    await keepers.crash("a")
    try keepers.start("c", called: "a")
    await keepers.wait { $0["c"]?.news.contains(.nameIsFree) == true }
    #expect(keepers["c"]?.news.contains(.nameIsTaken) == false)
    await keepers.stopAll()
  }

  @Test func restartInOrderMovesNothing() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    try keepers.start("b")
    await keepers.waitUntilShared(["a", "b"])
    let (before, others) = (try #require(keepers["a"]), try #require(keepers["b"]))
    for _ in 0..<3 {
      await keepers.stop("a", beginsAgain: true)
      try keepers.start("a")
      await keepers.wait { $0["a"]?.owned == before.owned }
    }
    #expect(keepers["b"]?.owned == others.owned && keepers["b"]?.session == others.session)
    // Who does not come back is taken over like a dead one.
    await keepers.stop("a", beginsAgain: true)
    await keepers.waitUntilShared(["b"])
    await keepers.stopAll()
  }

  /// A process that hangs in the middle of a transaction holds its session, and locks that others wait for.
  @Test func whoHangsInATransactionIsTakenOver() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    try keepers.start("b")
    await keepers.waitUntilShared(["a", "b"])
    let token = try #require(keepers["a"]?.session)
    let hanging = try await keepers.connection(SessionDatabase.name(of: token, in: DatabaseSchema.name))
    // Some statement keeps the transaction open, and the server does not end it by itself.
    _ = try await hanging.run(
      SQLStatement("SELECT set_config('idle_in_transaction_session_timeout', '0', false)"), within: Self.patience)
    _ = try await hanging.run(SQLStatement("BEGIN"), within: Self.patience)
    _ = try await hanging.run(
      [SessionDatabase.fence(token), SQLStatement("SELECT FROM slots WHERE session = $1 FOR UPDATE", [.int(token)])],
      within: Self.patience)
    await keepers.crash("a")
    await keepers.waitUntilShared(["b"])
    let end = await state { () throws(PostgreSQLFailure) in
      _ = try await hanging.run(SQLStatement("COMMIT"), within: Self.patience)
    }
    #expect(end != nil, "its connection has ended")
    await hanging.close()
    await keepers.stopAll()
  }

  /// The server's end of a connection hangs: the daemon stops acting before another one has its slots, and begins again later.
  @Test func whoIsNotAnsweredStopsActingAndComesBack() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    try keepers.start("b")
    await keepers.waitUntilShared(["a", "b"])
    let token = try #require(keepers["a"]?.session)
    let connection = try await keepers.connection()
    let rows = try await connection.run(
      SQLStatement(
        "SELECT pid::int8 FROM pg_stat_activity WHERE application_name = $1",
        [.text(SessionDatabase.name(of: token, in: DatabaseSchema.name))]),
      within: Self.patience)
    let backend = Int32(try #require(rows.int(0, 0)))
    let before = keepers["a"]?.suspensions ?? 0
    keepers.cluster.freeze(backend)
    await keepers.wait { $0["a"]?.suspensions ?? 0 > before }
    #expect(keepers["a"]?.keeper.trust.session == nil)
    await keepers.waitUntilShared(["b"])
    keepers.cluster.thaw(backend)
    await keepers.waitUntilShared(["a", "b"])
    #expect(keepers["a"]?.endings == 1 && keepers["a"]?.troubles.isEmpty == false)
    #expect(keepers["b"]?.endings == 0)
    await connection.close()
    await keepers.stopAll()
  }

  /// Nothing belongs to others before their owner has stopped acting on it, however long that takes.
  @Test func slotsAreKeptUntilNothingIsUnderWay() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    await keepers.waitUntilShared(["a"])
    keepers.hold("a", true)
    try keepers.start("b")
    await keepers.wait { $0["a"]?.isHeld == true }
    let connection = try await keepers.connection()
    let session = try #require(keepers["a"]?.session)
    #expect(try await owners(connection) == [session: 1_024])
    // The session is renewed meanwhile.
    let expiry = SQLStatement("SELECT extract(epoch FROM max(expires))::text FROM sessions WHERE id = $1", [.int(session)])
    let first = try await connection.run(expiry, within: Self.patience).text(0, 0)
    while try await connection.run(expiry, within: Self.patience).text(0, 0) == first { try Task.checkCancellation() }
    #expect(try await owners(connection) == [session: 1_024])
    keepers.hold("a", false)
    await keepers.waitUntilShared(["a", "b"])
    #expect(keepers["a"]?.endings == 0)
    await connection.close()
    await keepers.stopAll()
  }

  /// Connections that were ended and a server that starts again take nothing from anyone.
  @Test func sessionsOutliveConnectionsAndRestartsOfTheServer() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample, grace: .seconds(10))
    try keepers.start("a")
    try keepers.start("b")
    await keepers.waitUntilShared(["a", "b"])
    let before = ["a", "b"].map { keepers[$0]?.session }
    let connection = try await keepers.connection()
    for _ in 0..<5 {
      let connections = keepers["a"]?.news.count { if case .connected = $0 { true } else { false } } ?? 0
      _ = try await connection.run(
        SQLStatement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'batond/%'"),
        within: Self.patience)
      await keepers.wait { $0["a"]?.news.count { if case .connected = $0 { true } else { false } } ?? 0 > connections }
    }
    await connection.close()
    await keepers.cluster.stop()
    await keepers.wait { daemons in ["a", "b"].allSatisfy { daemons[$0]?.keeper.trust.session == nil } }
    try await keepers.cluster.restart()
    await keepers.wait { daemons in ["a", "b"].allSatisfy { daemons[$0]?.keeper.trust.session != nil } }
    await keepers.waitUntilShared(["a", "b"])
    #expect(["a", "b"].map { keepers[$0]?.session } == before && keepers["a"]?.endings == 0 && keepers["b"]?.endings == 0)
    await keepers.stopAll()
  }

  @Test func tablesAreMadeOnceAndNewerOnesAreRefused() async throws {
    let keepers = Keepers(try await PostgreSQLCluster())
    var connections: [PostgreSQLConnection] = []
    for number in 0..<6 { connections.append(try await keepers.connection("test \(number)")) }
    try await withThrowingTaskGroup { group in
      for connection in connections {
        group.addTask { try await DatabaseSchema.prepare(connection, within: Self.patience) }
      }
      try await group.waitForAll()
    }
    let first = connections[0]
    let found = try await first.run(SQLStatement("SELECT count(*), max(version) FROM migrations"), within: Self.patience)
    #expect(found.int(0, 0) == DatabaseSchema.version && found.int(0, 1) == DatabaseSchema.version)
    // Tables that only got something new are fine; others are not.
    _ = try await first.run(
      SQLStatement("INSERT INTO migrations VALUES (98, 1, now())"), within: Self.patience)
    try await DatabaseSchema.prepare(first, within: Self.patience)
    _ = try await first.run(SQLStatement("INSERT INTO migrations VALUES (99, 98, now())"), within: Self.patience)
    let refused = await state { () throws(PostgreSQLFailure) in
      try await DatabaseSchema.prepare(first, within: Self.patience)
    }
    #expect(refused == PostgreSQLServer.unfit)
    try keepers.start("old")
    await keepers.wait { $0["old"]?.troubles.contains { $0.contains("newer Baton") } == true }
    for connection in connections { await connection.close() }
    await keepers.stopAll()
  }

  /// Tables with which older daemons cannot go on are not made while one of these lives.
  @Test func olderDaemonsAreNotSurprised() async throws {
    let cluster = try await PostgreSQLCluster()
    let keepers = Keepers(cluster)
    let connection = try await keepers.connection()
    _ = try await connection.run(
      [
        SQLStatement("CREATE SCHEMA baton"),
        SQLStatement("CREATE TABLE migrations (version int8 PRIMARY KEY, oldest int8 NOT NULL, at timestamptz NOT NULL)"),
        SQLStatement("INSERT INTO migrations VALUES (1, 1, now())"),
      ] + DatabaseSchema.migrations[0].statements.map { SQLStatement($0) }
        + [
          SQLStatement(
            "INSERT INTO sessions (name, version, schema, expires) VALUES ('elder', '0', 1, now() + interval '1 hour')")
        ], within: Self.patience)
    func prepared() async -> String? {
      await state { () throws(PostgreSQLFailure) in try await DatabaseSchema.prepare(connection, within: Self.patience) }
    }
    #expect(await prepared() == DatabaseSchema.inUseByOlder)
    let version = SQLStatement("SELECT max(version) FROM migrations")
    #expect(try await connection.run(version, within: Self.patience).int(0, 0) == 1)
    try keepers.start("young")
    await keepers.wait { $0["young"]?.troubles.contains { $0.contains("the daemon 'elder' is of an older Baton") } == true }
    _ = try await connection.run(SQLStatement("UPDATE sessions SET expires = now()"), within: Self.patience)
    await keepers.waitUntilShared(["young"])
    #expect(try await connection.run(version, within: Self.patience).int(0, 0) == DatabaseSchema.version)
    // It could be renewed otherwise, by a daemon that was cut off.
    let elders = SQLStatement("SELECT count(*) FROM sessions WHERE name = 'elder'")
    #expect(try await connection.run(elders, within: Self.patience).int(0, 0) == 0)
    // And who is older begins no session with tables that it does not know.
    _ = try await connection.run(SQLStatement("INSERT INTO migrations VALUES (97, 97, now())"), within: Self.patience)
    await keepers.crash("young")
    var settings = try keepers.settings("late")
    settings.timeout = Self.patience
    let question = SessionDatabase.beginning(settings, .int(1_000))
    let rows = try await connection.run(question, within: Self.patience)
    #expect(rows[2].count == 0)
    await connection.close()
    await keepers.stopAll()
  }

  /// A number of a session is not used again in other tables either: whoever hangs meanwhile would take another's session for its own.
  @Test func numbersOfSessionsAreNotUsedAgainInOtherTables() async throws {
    let keepers = Keepers(try await PostgreSQLCluster())
    try keepers.start("a")
    try keepers.start("b")
    await keepers.waitUntilShared(["a", "b"])
    let before = max(keepers["a"]?.session ?? 0, keepers["b"]?.session ?? 0)
    await keepers.crash("a")
    await keepers.crash("b")
    let connection = try await keepers.connection()
    _ = try await connection.run(SQLStatement("DROP SCHEMA baton CASCADE"), within: Self.patience)
    try keepers.start("c")
    await keepers.waitUntilShared(["c"])
    #expect(try #require(keepers["c"]?.session) > before)
    await connection.close()
    await keepers.stopAll()
  }

  /// A daemon with a chat core has a slot that no one else gets, also after a restart; one for which there is none has its share of others.
  @Test func slotsForCoresArePinned() async throws {
    let keepers = Keepers(try await PostgreSQLCluster(), lifetime: Self.ample)
    try keepers.start("a")
    await keepers.waitUntilShared(["a"])
    try keepers.start("b", hasCore: true)
    await keepers.wait { $0["b"]?.news.contains(.pinned(1_023)) == true && $0["b"]?.owned.contains(1_023) == true }
    await keepers.wait { $0["a"]?.owned.count == 512 && $0["b"]?.owned.count == 512 }
    await keepers.crash("b")
    await keepers.wait { $0["a"]?.owned.count == 1_023 }
    #expect(keepers["a"]?.owned.contains(1_023) == false)
    let connection = try await keepers.connection()
    // Others have cores, too.
    _ = try await connection.run(
      SQLStatement("UPDATE slots SET core = 'daemon ' || id WHERE id >= 1008 AND core IS NULL"), within: Self.patience)
    try keepers.start("c", hasCore: true)
    await keepers.wait { $0["c"]?.news.contains(.noSlotLeft) == true }
    #expect(keepers["c"]?.owned.isEmpty == true, "it cannot begin, so it takes nothing")
    await keepers.stop("c", beginsAgain: false)
    try keepers.start("b", hasCore: true)
    await keepers.wait { $0["b"]?.owned.contains(1_023) == true }
    // It is not given to a daemon of this name without a core.
    await keepers.stop("b", beginsAgain: true)
    try keepers.start("b")
    await keepers.wait { $0["b"]?.owned.isEmpty == false }
    #expect(keepers["b"]?.owned.contains(1_023) == false)
    await connection.close()
    await keepers.stopAll()
  }

  @Test func roleThatMayNotMakeTablesIsTold() async throws {
    let keepers = Keepers(try await PostgreSQLCluster())
    let administrator = try await keepers.connection()
    _ = try await administrator.run(SQLStatement("CREATE ROLE guest LOGIN"), within: Self.patience)
    let address = keepers.cluster.address().replacing("user=postgres", with: "user=guest")
    let guest = try await PostgreSQLConnection.open(
      try PostgreSQLAddress(address), name: "guest", schema: DatabaseSchema.name, hostTimeout: Self.patience)
    let refused = await state { () throws(PostgreSQLFailure) in
      try await DatabaseSchema.prepare(guest, within: Self.patience)
    }
    #expect(refused == PostgreSQLServer.unfit)
    // It is enough to be given the schema.
    _ = try await administrator.run(SQLStatement("CREATE SCHEMA baton AUTHORIZATION guest"), within: Self.patience)
    try await DatabaseSchema.prepare(guest, within: Self.patience)
    await guest.close()
    await administrator.close()
    await keepers.cluster.stop()
  }
}
