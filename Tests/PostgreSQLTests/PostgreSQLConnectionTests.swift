import Channels
import Foundation
import TestTools
import Testing

@testable import PostgreSQL

/// Connections to a real server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PostgreSQLConnectionTests {
  private static let patience = Duration.seconds(60)

  private func open(_ cluster: PostgreSQLCluster, _ more: String = "", name: String = "test") async throws
    -> PostgreSQLConnection
  {
    try await PostgreSQLConnection.open(try PostgreSQLAddress(cluster.address(more)), name: name, hostTimeout: Self.patience)
  }

  private func failure(_ body: () async throws(PostgreSQLFailure) -> Void) async -> PostgreSQLFailure? {
    do throws(PostgreSQLFailure) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  private func state(_ failure: PostgreSQLFailure?) -> String? {
    if case .refused(let error)? = failure { error.state } else { nil }
  }

  private static func word(_ value: SQLValue) -> String {
    switch value {
    case .int: "int8"
    case .text: "text"
    case .bytes: "bytea"
    default: "bool"
    }
  }

  private func isInDoubt(_ failure: PostgreSQLFailure?) -> Bool { if case .inDoubt? = failure { true } else { false } }

  @Test func valuesComeBackAsTheyWere() async throws {
    let cluster = try await PostgreSQLCluster()
    let connection = try await open(cluster)
    var draw = SplitMix64(seed: 7)
    for round in 0..<200 {
      let candidates: [Int64] = [.min, -1, 0, 1, .max, Int64(round)]
      let int = candidates[Int.random(in: 0..<candidates.count, using: &draw)]
      let words: [String] = ["", "é", "日本", "\u{1}", "'\\\"{},NULL", "😀"]
      let pieces: [String] = words.shuffled(using: &draw)
      let text = String(pieces.joined().prefix(round % 9))
      let bytes = (0..<round).map { _ in UInt8.random(in: 0...255, using: &draw) }
      let ints: [Int64?] = (0..<round % 5).map { $0 == 3 ? nil : Int64($0) - int / 8 }
      let texts: [String?] = (0..<round % 4).map { $0 == 2 ? nil : text + "\($0)" }
      let statement = SQLStatement(
        """
        SELECT $1::int8, $2::text, $3::bytea, $4::bool, cardinality($5::int8[]), cardinality($6::text[]), $1::int8 IS NULL,
          (SELECT sum(n) FROM unnest($5::int8[]) n)::int8, array_to_string($6::text[], '|', 'none'), NULL::int8, $7::bool[] = '{t,NULL,f}',
          $8::bytea[] = ARRAY[$3, NULL], 7::int2, 8::int4
        """,
        [
          .int(int), .text(text), .bytes(bytes), .bool(round % 2 == 0), .ints(ints), .texts(texts), .bools([true, nil, false]),
          .byteStrings([bytes, nil]),
        ])
      let rows = try await connection.run(statement, within: Self.patience)
      #expect(rows.count == 1 && rows.int(0, 0) == int && rows.text(0, 1) == text)
      #expect(rows.bytes(0, 2) == bytes && rows.bool(0, 3) == (round % 2 == 0))
      #expect(rows.int(0, 4) == Int64(ints.count) && rows.int(0, 5) == Int64(texts.count))
      let sum = ints.compactMap { $0 }.reduce(Int64(0), &+)
      #expect(rows.int(0, 7) == (ints.isEmpty ? nil : sum))
      #expect(rows.text(0, 8) == texts.map { $0 ?? "none" }.joined(separator: "|"))
      #expect(rows.int(0, 9) == nil && rows.bool(0, 10) == true && rows.bool(0, 11) == true)
      #expect(rows.int(0, 12) == 7 && rows.int(0, 13) == 8)
      #expect(rows.int(0, 99) == nil && rows.int(1, 0) == nil)
    }
    let nulls = try await connection.run(
      SQLStatement("SELECT $1::int8, $2::text, $3::bytea, $4::bool", [.int(nil), .text(nil), .bytes(nil), .bool(nil)]),
      within: Self.patience)
    #expect((0..<4).allSatisfy { nulls.bytes(0, $0) == nil })
    let zero = await failure { () throws(PostgreSQLFailure) in
      _ = try await connection.run(SQLStatement("SELECT $1", [.text("a\u{0}b")]), within: Self.patience)
    }
    #expect(state(zero) == "22021", "\(zero?.description ?? "")")
    await connection.close()
    await cluster.stop()
  }

  /// A connection keeps no more statements than it can bear, and needs not keep any.
  @Test func statementsThatAreNotKeptHaveNoEnd() async throws {
    let cluster = try await PostgreSQLCluster()
    let connection = try await open(cluster)
    for part in 0..<15 {
      let statements = (0..<100).map { SQLStatement("SELECT \(100 * part + $0)::int8, $1", [.int(7)], isKept: false) }
      let rows = try await connection.run(statements, within: Self.patience)
      #expect(rows.map { $0.int(0, 0) } == (0..<100).map { Int64(100 * part + $0) } && rows.allSatisfy { $0.int(0, 1) == 7 })
    }
    let kept = try await connection.run(
      SQLStatement("SELECT count(*) FROM pg_prepared_statements WHERE name <> ''"), within: Self.patience)
    // This one, and those with which the connection began.
    #expect((kept.int(0, 0) ?? 99) < 5)
    await connection.close()
    await cluster.stop()
  }

  @Test func statementsThatGoTogetherStandOrFallTogether() async throws {
    let cluster = try await PostgreSQLCluster()
    let connection = try await open(cluster)
    _ = try await connection.run(
      SQLStatement("CREATE TABLE things (id int8 PRIMARY KEY, word text CONSTRAINT short CHECK (length(word) < 9))"),
      within: Self.patience)
    func insert(_ id: Int64, _ word: String) -> SQLStatement {
      SQLStatement("INSERT INTO things (id, word) VALUES ($1, $2)", [.int(id), .text(word)])
    }
    func count() async throws -> Int64? {
      try await connection.run(SQLStatement("SELECT count(*) FROM things"), within: Self.patience).int(0, 0)
    }
    let receipts = try await connection.run([insert(1, "a"), insert(2, "b"), SQLStatement("SELECT 7")], within: Self.patience)
    #expect(receipts.map(\.affected) == [1, 1, 1] && receipts[2].int(0, 0) == 7)
    for (wrong, state, statement) in [
      (insert(1, "again"), "23505", 1), (insert(4, "far too long"), "23514", 1), (SQLStatement("SELECT 1 / 0"), "22012", 1),
      (SQLStatement("SELEC"), "42601", 1), (SQLStatement("SELECT * FROM nothing"), "42P01", 1),
    ] {
      let failure = await failure { () throws(PostgreSQLFailure) in
        _ = try await connection.run([insert(3, "c"), wrong, insert(5, "e")], within: Self.patience)
      }
      guard case .refused(let error)? = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
      #expect(error.state == state && error.statement == statement, "\(error)")
      #expect(error.constraint == (state == "23514" ? "short" : state == "23505" ? "things_pkey" : nil))
      #expect(try await count() == 2, "nothing of it happened, and the connection goes on")
    }
    // What fails at the end of the transaction only.
    _ = try await connection.run(
      SQLStatement("CREATE TABLE parts (thing int8 REFERENCES things DEFERRABLE INITIALLY DEFERRED)"), within: Self.patience)
    let late = await failure { () throws(PostgreSQLFailure) in
      _ = try await connection.run(SQLStatement("INSERT INTO parts VALUES (99)"), within: Self.patience)
    }
    #expect(state(late) == "23503")
    #expect(try await count() == 2)
    // A statement is prepared once, also if its first use fails.
    let prepared = try await connection.run(
      SQLStatement("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO things%'"),
      within: Self.patience)
    #expect(prepared.int(0, 0) == 1)
    // The same text with values of another type is another statement.
    for value in [SQLValue.int(7), .text("7"), .bytes([7]), .bool(nil)] {
      let row = try await connection.run(SQLStatement("SELECT pg_typeof($1)::text", [value]), within: Self.patience)
      #expect(row.text(0, 0) == ["int8": "bigint", "text": "text", "bytea": "bytea", "bool": "boolean"][Self.word(value)])
    }
    // One whose table has changed is prepared again.
    let all = SQLStatement("SELECT * FROM things WHERE id = 1")
    _ = try await connection.run(all, within: Self.patience)
    _ = try await connection.run(SQLStatement("ALTER TABLE things ADD COLUMN more int8"), within: Self.patience)
    let changed = await failure { () throws(PostgreSQLFailure) in _ = try await connection.run(all, within: Self.patience) }
    #expect(state(changed) == "0A000")
    #expect(try await connection.run(all, within: Self.patience).count == 1)
    // If the server has forgotten it, it is prepared again.
    _ = try await connection.run(insert(6, "f"), within: Self.patience)
    _ = try await connection.run(SQLStatement("DEALLOCATE ALL"), within: Self.patience)
    let forgotten = await failure { () throws(PostgreSQLFailure) in
      _ = try await connection.run(insert(7, "g"), within: Self.patience)
    }
    #expect(state(forgotten) == "26000")
    _ = try await connection.run(insert(7, "g"), within: Self.patience)
    #expect(try await count() == 4)
    await connection.close()
    await cluster.stop()
  }

  /// Much more than the buffers between hold, in both directions.
  @Test func largePipelinesDoNotLockUp() async throws {
    let cluster = try await PostgreSQLCluster()
    let connection = try await open(cluster)
    let one = SQLStatement("SELECT repeat('x', 200), $1::text", [.text(String(repeating: "y", count: 200))])
    let rows = try await connection.run(Array(repeating: one, count: 50_000), within: Self.patience)
    #expect(rows.count == 50_000 && rows.last?.text(0, 0)?.count == 200)
    // Many callers at once, each with the answer to its own question.
    let sum = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in Int64(0)..<500 {
        group.addTask {
          try await connection.run(SQLStatement("SELECT $1::int8", [.int(number)]), within: Self.patience).int(0, 0) ?? -1
            == number
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(sum)
    await connection.close()
    await cluster.stop()
  }

  @Test func whatMayHaveHappenedIsInDoubt() async throws {
    let cluster = try await PostgreSQLCluster()
    let (connection, other) = (try await open(cluster), try await open(cluster, name: "other"))
    _ = try await other.run(SQLStatement("CREATE TABLE things (id int8 PRIMARY KEY)"), within: Self.patience)
    // The other side takes longer than is waited.
    let late = await failure { () throws(PostgreSQLFailure) in
      _ = try await connection.run(SQLStatement("SELECT pg_sleep(600)"), within: .milliseconds(200))
    }
    #expect(isInDoubt(late), "\(String(describing: late))")
    let closed = await failure { () throws(PostgreSQLFailure) in
      _ = try await connection.run(SQLStatement("SELECT 1"), within: Self.patience)
    }
    #expect(closed == .unavailable("not connected to the database"))
    // Someone ends the connection meanwhile.
    let second = try await open(cluster, name: "second")
    async let ended = failure { () throws(PostgreSQLFailure) in
      _ = try await second.run(
        [SQLStatement("INSERT INTO things VALUES (1)"), SQLStatement("SELECT pg_sleep(600)")], within: Self.patience)
    }
    let end = SQLStatement(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'second' AND query LIKE '%pg_sleep%'"
    )
    while try await other.run(end, within: Self.patience).int(0, 0) == 0 {}
    let noticed = await ended
    #expect(isInDoubt(noticed) && noticed?.description.contains("57P01") == true, "\(String(describing: noticed))")
    // One that was ended while it was idle does nothing, even if the end is only known from the server's words.
    let idle = try await open(cluster, name: "idle")
    _ = try await other.run(
      SQLStatement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'idle'"),
      within: Self.patience)
    let rest = SQLStatement("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idle'")
    while try await other.run(rest, within: Self.patience).int(0, 0) != 0 {}
    let unsent = await failure { () throws(PostgreSQLFailure) in
      _ = try await idle.run(SQLStatement("INSERT INTO things VALUES (2)"), within: Self.patience)
    }
    guard case .unavailable? = unsent else {
      Issue.record("it was sent over a connection that had ended: \(String(describing: unsent))")
      return
    }
    // Before anything is sent, nothing can have happened.
    let third = try await open(cluster, name: "third")
    await cluster.stop()
    let gone = await failure { () throws(PostgreSQLFailure) in
      _ = try await third.run(SQLStatement("SELECT 1"), within: Self.patience)
    }
    guard case .unavailable? = gone else {
      Issue.record("nothing was sent: \(String(describing: gone))")
      return
    }
    await third.close()
  }

  /// A server that gives up waiting for its standby says that the commit is done. It is not safe.
  @Test func commitThatDidNotWaitForTheStandbyIsInDoubt() async throws {
    // No one would hear of it, if that could not be set for a session.
    let cluster = try await PostgreSQLCluster(["synchronous_standby_names": "nobody", "client_min_messages": "error"])
    // Without a standby even the table would wait.
    let other = try await open(cluster, "options='-c synchronous_commit=remote_write'", name: "other")
    let connection = try await open(cluster, name: "writer")
    #expect(connection.server.hasSynchronousStandby)
    async let doubtful = failure { () throws(PostgreSQLFailure) in
      _ = try await connection.run(SQLStatement("CREATE TABLE things (id int8)"), within: Self.patience)
    }
    let cancel = SQLStatement(
      "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE application_name = 'writer' AND wait_event = 'SyncRep'")
    while try await other.run(cancel, within: Self.patience).int(0, 0) == 0 {}
    let answer = await doubtful
    #expect(isInDoubt(answer) && answer?.description.contains("standby") == true, "\(String(describing: answer))")
    await connection.close()
    await other.close()
    await cluster.stop()
  }

  @Test func serversThatCannotBeUsedAreRefused() async throws {
    let cluster = try await PostgreSQLCluster()
    let connection = try await open(cluster)
    #expect(connection.server.version >= PostgreSQLServer.versionMin && connection.server.timeline == "00000001")
    #expect(abs(connection.server.clockAhead) < 60_000 && !connection.server.hasSynchronousStandby)
    for text in [
      "ALTER ROLE postgres SET synchronous_commit = off", "CREATE ROLE ann LOGIN PASSWORD 'open sesame'",
      "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0", "CREATE ROLE reader LOGIN",
      "ALTER ROLE reader SET default_transaction_read_only = on",
    ] {
      _ = try await connection.run(SQLStatement(text), within: Self.patience)
    }
    func refusal(_ text: String) async throws -> String {
      let address = try PostgreSQLAddress(text)
      let failure = await failure { () throws(PostgreSQLFailure) in
        _ = try await PostgreSQLConnection.open(address, name: "x", hostTimeout: Self.patience)
      }
      return failure?.description ?? "it is open"
    }
    let base = "host=\(cluster.folder.path) port=\(cluster.port)"
    #expect(try await refusal("\(base) user=postgres").contains("synchronous_commit is 'off'"))
    #expect(try await refusal("\(base) user=ann dbname=latin").contains("encoding is LATIN1"))
    #expect(try await refusal("\(base) user=reader dbname=postgres").contains("only reads"))
    #expect(try await refusal("\(base) user=ann dbname=nothing").contains("does not exist"))
    #expect(try await refusal("\(base) user=ann dbname=postgres").contains("it is open"))
    // A server may say anything, and logs and terminals show it.
    let echo = try await refusal("\(base) user=ann dbname='x\u{1B}[2J\u{9B}2J\u{202E}'")
    #expect(echo.contains("\"x [2J 2J \" does not exist"), "\(echo.debugDescription)")
    let raised = await failure { () throws(PostgreSQLFailure) in
      let statement = "DO $$ BEGIN RAISE EXCEPTION E'a\\u001b[2J\\n<0>b%', repeat('x', 10000); END $$"
      _ = try await connection.run(SQLStatement(statement), within: Self.patience)
    }
    let words = try #require(raised?.description)
    #expect(words.hasPrefix("a [2J <0>bxxx") && words.utf8.count < 600 && state(raised) == "P0001", "\(words)")
    // With a password over TCP: the right one, a wrong one, which is not shown, and encryption that is not there.
    let far = "postgresql://ann:open%20sesame@127.0.0.1:\(cluster.port)/postgres"
    #expect(try await refusal(far) == "it is open")
    let wrong = try await refusal(far.replacing("open%20sesame", with: "hocuspocus"))
    #expect(wrong.contains("password authentication failed") && !wrong.contains("hocus"), "\(wrong)")
    #expect(try await refusal(far + "?sslmode=require").contains("SSL"))
    // The same server by an address that need not be on this machine: the password is not for a server without a certificate.
    let away = far.replacing("127.0.0.1", with: "0.0.0.0")
    #expect(try await refusal(away) != "it is open")
    #expect(try await refusal(away + "?sslmode=disable") == "it is open")
    // The first server is not there, the second one says nothing, and the third is the right one.
    let silent = try SilentListener()
    let hosts = "host=127.0.0.1,127.0.0.1,\(cluster.folder.path) port=\(Program.freePort()),\(silent.port),\(cluster.port)"
    // The right one must answer in the time after which the silent one is given up.
    let isFound = await withGrowingPatience { patience in
      let failure = await failure { () throws(PostgreSQLFailure) in
        let found = try await PostgreSQLConnection.open(
          try PostgreSQLAddress("\(hosts) user=ann dbname=postgres"), name: "x", hostTimeout: patience)
        await found.close()
      }
      return failure == nil
    }
    #expect(isFound)
    await connection.close()
    await cluster.stop()
    #expect(try await refusal(far).contains("no server of the database can be used"))
  }

  /// Whoever waits has limits of its own. Those of the server, the role or the address would end what may go on.
  @Test func timeLimitsOfTheServerDoNotCount() async throws {
    let cluster = try await PostgreSQLCluster(["statement_timeout": "90s", "idle_session_timeout": "90s"])
    let connection = try await open(cluster, "options='-c statement_timeout=80s'")
    let limits = try await connection.run(
      SQLStatement("SELECT name::text, setting FROM pg_settings WHERE name IN ('statement_timeout', 'idle_session_timeout')"),
      within: Self.patience)
    #expect(limits.count == 2)
    for row in 0..<limits.count { #expect(limits.text(row, 1) == "0", "\(limits.text(row, 0) ?? "")") }
    await connection.close()
    await cluster.stop()
  }

  /// A new connection on which statements are prepared already, or forgotten, is not one of its own.
  @Test func whatHandsConnectionsOnIsRecognized() async throws {
    let cluster = try await PostgreSQLCluster()
    let address = try PostgreSQLAddress(cluster.address())
    for text in ["PREPARE baton1 AS SELECT 1", "DEALLOCATE ALL"] {
      let deadline = ContinuousClock.now + Self.patience
      let host = try #require(address.hosts.first)
      let link = try Link(host, address.settings(for: host), until: deadline)
      if text == "DEALLOCATE ALL" { _ = try PostgreSQLServer.settle(link, [:], until: deadline) }
      _ = try link.run([SQLStatement(text, isKept: false)], until: deadline)
      do throws(PostgreSQLFailure) {
        _ = try PostgreSQLServer.settle(link, [:], until: deadline)
        Issue.record("it is used after \(text)")
      } catch {
        #expect(state(error) == PostgreSQLServer.unfit && error.description.contains("PgBouncer"), "\(error)")
      }
      link.close()
    }
    await cluster.stop()
  }

  /// A server that says it has no encryption gets the password otherwise.
  @Test func serversElsewhereMustShowTheirCertificate() throws {
    func modes(_ text: String) throws -> [String?] {
      let address = try PostgreSQLAddress(text)
      return address.hosts.map { address.settings(for: $0)["sslmode"] }
    }
    for host in [
      "db.example", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "localhost.example", "127.example", "0.0.0.0", "128.0.0.1",
      "127.1", "127.0.0.1.example", "fe80::1%25lo",
    ] {
      #expect(try modes("host=\(host) user=ann") == ["verify-full"], "\(host)")
      #expect(try modes("host=\(host) sslmode=''") == ["verify-full"], "\(host)")
      #expect(try modes("host=localhost hostaddr=\(host)") == ["verify-full"], "\(host)")
      #expect(try modes("host=/run/postgresql hostaddr=\(host)") == ["verify-full"], "\(host)")
    }
    for host in ["/run/postgresql", "localhost", "LocalHost", "127.0.0.1", "127.255.0.3", "::1", "0:0:0:0:0:0:0:1"] {
      #expect(try modes("host=\(host) user=ann") == [nil], "\(host)")
    }
    #expect(try modes("host=db.example hostaddr=127.0.0.1") == [nil])
    #expect(try modes("host=localhost,db.example,/run/postgresql") == [nil, "verify-full", nil])
    // libpq's own choice may be a socket, where this says nothing, or come from a service file or the environment.
    for text in ["", "service=baton", "dbname=baton"] { #expect(try modes(text) == ["verify-full"]) }
    // A service file may also say where a named server is.
    for host in ["localhost", "127.0.0.1", "/run/postgresql"] {
      #expect(try modes("service=baton host=\(host)") == ["verify-full"], "\(host)")
    }
    #expect(try modes("service=baton host=localhost hostaddr=127.0.0.1") == [nil])
    #expect(try PostgreSQLAddress("service=baton host=localhost sslmode=prefer").weakMode == "prefer")
  }

  @Test func weakerModesAreThoseThatAreWrittenOut() throws {
    for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
      let address = try PostgreSQLAddress("host=localhost,db.example sslmode=\(mode)")
      #expect(address.weakMode == mode && address.hosts.allSatisfy { address.settings(for: $0)["sslmode"] == mode })
      #expect(try PostgreSQLAddress("host=127.0.0.1,/run/postgresql sslmode=\(mode)").weakMode == nil)
    }
    #expect(try PostgreSQLAddress("postgresql://db.example/baton?ssl=true").weakMode == "require")
    for text in ["host=db.example", "host=db.example sslmode=verify-full", "host=db.example sslmode=''", "host=localhost", ""] {
      #expect(try PostgreSQLAddress(text).weakMode == nil, "\(text)")
    }
  }

  @Test func addressesAreReadAndShownWithoutPasswords() throws {
    let address = try PostgreSQLAddress("postgresql://ann:secret@one,two:5433/baton?sslmode=verify-full")
    #expect(address.hosts.map(\.description) == ["one", "two, port 5433"])
    #expect(address.settings(for: address.hosts[0])["tcp_user_timeout"] == "3000")
    #expect("\(address)" == "database 'baton' at one; two, port 5433")
    var dumped = ""
    dump(address, to: &dumped)
    #expect(!dumped.contains("secret") && !String(reflecting: address).contains("secret"))
    for (text, words) in [
      ("postgresql://a:secret@one/%zz", "not valid"), ("host=one nonsense=secret", "not valid"), ("host='one", "not valid"),
      ("host=one,two hostaddr=127.0.0.1", "as many addresses"), ("host=one,two port=1,2,3", "one port"),
      ("postgresql://ann:sec/secret@one/db", "%40"), ("postgresql://ann:a@secret@one/db", "%40"),
      ("host=one password=a b\"secret", "not valid"), ("host=one port=secret", "not a number"),
      ("host=one target_session_attrs=any", "Leave it out"), ("host=one replication=database", "Leave it out"),
      ("host=" + (0..<17).map { "h\($0)" }.joined(separator: ","), "more than 16"),
    ] {
      do throws(PostgreSQLFailure) {
        _ = try PostgreSQLAddress(text)
        Issue.record("\(text)")
      } catch {
        #expect(error.description.contains(words) && !error.description.contains("secret"), "\(error)")
      }
    }
    #expect(try PostgreSQLAddress("").hosts.map(\.description) == ["the local server"])
    #expect(try PostgreSQLAddress("host=/run/postgresql port=5433").hosts.map(\.description) == ["/run/postgresql, port 5433"])
  }
}
