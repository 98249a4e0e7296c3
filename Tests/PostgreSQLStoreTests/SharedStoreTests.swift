import Channels
import Cluster
import Filters
import Foundation
import PostgreSQL
import Storage
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// What only a store in PostgreSQL has to do. That it answers what a store in a file answers, other tests find out with `BATON_TWIN`.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SharedStoreTests {
  private static let patience = Duration.seconds(60)
  private static let now = Timestamp(milliseconds: 1_750_000_000_000)

  /// Stores over one server, each with a session that a test may end.
  private final class Bench: Sendable {
    let cluster: PostgreSQLCluster
    let administrator: PostgreSQLConnection
    private let sessions = Mutex<[String: SessionMachine.ID]>([:])

    init(_ settings: [String: String] = [:]) async throws {
      cluster = try await PostgreSQLCluster(settings)
      administrator = try await PostgreSQLConnection.open(
        try PostgreSQLAddress(cluster.address()), name: "test", schema: DatabaseSchema.name, hostTimeout: patience)
      try await DatabaseSchema.prepare(administrator, within: patience)
    }

    func store(_ name: String, timeout: Duration = patience) async throws -> SharedStore {
      let rows = try await ask(
        "INSERT INTO sessions (name, version, schema, expires) VALUES ('\(name)', '1', 1, 'infinity') RETURNING id")
      let session = try #require(rows.int(0, 0))
      sessions.withLock { $0[name] = session }
      var settings = SharedStore.Settings(address: try PostgreSQLAddress(cluster.address()))
      settings.timeout = timeout
      settings.hostTimeout = patience
      return SharedStore(settings, session: session) { self.session(name) }
    }

    func session(_ name: String) -> SessionMachine.ID? { sessions.withLock { $0[name] } }
    func set(_ name: String, _ session: SessionMachine.ID) { sessions.withLock { $0[name] = session } }
    func forget(_ name: String) { sessions.withLock { $0[name] = nil } }

    @discardableResult
    func ask(_ sql: String) async throws -> SQLRows {
      try await administrator.run(SQLStatement(sql), within: patience)
    }

    /// Ends all connections but the administrator's.
    func endConnections() async throws {
      let others = "FROM pg_stat_activity WHERE application_name LIKE 'batond%'"
      try await ask("SELECT pg_terminate_backend(pid) \(others)")
      try await waitUntil("SELECT count(*) = 0 \(others)")
    }

    /// Asks until the answer is yes.
    func waitUntil(_ sql: String) async throws {
      while try await ask(sql).bool(0, 0) != true { try Task.checkCancellation() }
    }

    func stop(_ stores: SharedStore...) async {
      for store in stores { await store.close() }
      await administrator.close()
      await cluster.stop()
    }
  }

  private static func change(_ place: Int, _ channel: Int64 = 1) -> StoreMutation {
    .appendChange(
      ChangeRow(revision: PendingRevision.at(place), at: now, object: .channel(ChannelID(rawValue: channel))))
  }

  private func failure(_ body: () async throws(CommitFailure) -> Void) async -> CommitFailure? {
    do throws(CommitFailure) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  private func kind(_ failure: CommitFailure?) -> String {
    switch failure {
    case .refused?: "refused"
    case .unavailable?: "unavailable"
    case .inDoubt?: "inDoubt"
    case .fenced?: "fenced"
    case nil: "durable"
    }
  }

  private func commit(_ store: SharedStore, _ mutations: [StoreMutation]) async -> CommitFailure? {
    await failure { () throws(CommitFailure) in _ = try await store.commit(CommitRequest(mutations)) }
  }

  private static let tables: [SummedTable] = [
    .settings, .operators, .servers, .relays, .identities, .channels, .channelRelays, .transitions, .changes, .posts,
    .deliveries, .postRoutes, .postTransitions, .postRetention, .health, .decisions,
  ]

  /// Tries again what could not be tried, because the server was not there or kept it waiting.
  private func stubbornCommit(_ store: SharedStore, _ mutations: [StoreMutation]) async -> CommitFailure? {
    var last: CommitFailure?
    repeat { last = await commit(store, mutations) } while kind(last) == "unavailable" && !Task.isCancelled
    return last
  }

  @Test func tablesHaveTheColumnsThatRowsHave() async throws {
    let bench = try await Bench()
    for table in Self.tables {
      let rows = try await bench.administrator.run(
        SQLStatement(
          """
          SELECT column_name::text, udt_name::text FROM information_schema.columns
          WHERE table_schema = 'baton' AND table_name = $1 ORDER BY ordinal_position
          """, [.text(table.name)]), within: Self.patience)
      #expect((0..<rows.count).map { rows.text($0, 0) } == table.columns)
      for row in 0..<rows.count {
        let column = rows.text(row, 0) ?? ""
        #expect(rows.text(row, 1) == TableStatements.type(of: column), "\(table.name).\(column)")
      }
    }
    await bench.stop()
  }

  /// Each commit has its place in one order without gaps, whoever makes it, and no one sees a later one before an earlier one.
  @Test func commitsOfSeveralHaveOneOrderWithoutGaps() async throws {
    let bench = try await Bench()
    var stores: [SharedStore] = []
    for name in ["a", "b", "c"] { stores.append(try await bench.store(name)) }
    let reader = stores[0]
    try await withThrowingTaskGroup { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          var draw = SplitMix64(seed: UInt64(number))
          var last: Int64 = 0
          for _ in 0..<60 {
            let count = Int.random(in: 1...5, using: &draw)
            let receipt = try await store.commit(CommitRequest((1...count).map { Self.change($0, Int64(number)) }))
            #expect(receipt.base >= last && receipt.revision == receipt.base + Int64(count))
            last = receipt.revision
            let own = try await store.changes(after: receipt.base, limit: count)
            #expect(own.map(\.revision) == (1...count).map { receipt.base + Int64($0) })
            #expect(own.allSatisfy { $0.object == .channel(ChannelID(rawValue: Int64(number))) })
          }
        }
      }
      group.addTask {
        var seen: Int64 = 0
        while seen < 180 {
          let next = try await reader.changes(after: seen, limit: 1_000).map(\.revision)
          #expect(next.enumerated().allSatisfy { $0.element == seen + Int64($0.offset) + 1 }, "a gap after \(seen): \(next)")
          seen = next.last ?? seen
        }
      }
      try await group.waitForAll()
    }
    let commits = try await bench.ask("SELECT number, base, count FROM commits ORDER BY number")
    var end: Int64 = 0
    for row in 0..<commits.count {
      #expect(commits.int(row, 0) == Int64(row) + 1 && commits.int(row, 1) == end)
      end += commits.int(row, 2) ?? 0
    }
    let newest = try await reader.counters().revision
    #expect(commits.count == 180 && end == newest)
    await bench.stop(stores[0], stores[1], stores[2])
  }

  /// Whoever decides, all find the same, and a decision that was replaced keeps no one from learning of the new one.
  @Test func decisionsHaveOneOrder() async throws {
    let bench = try await Bench()
    let stores = [try await bench.store("a"), try await bench.store("b")]
    func hidden(_ name: String, at time: Timestamp?) -> PersonalDecision {
      PersonalDecision(.hidden, channel: ChannelID(rawValue: 1), name: name, at: time)
    }
    try await withThrowingTaskGroup { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          for round in 1...20 { try await store.commit([.decide(hidden("\(number) \(round)", at: Self.now))]) }
        }
      }
      try await group.waitForAll()
    }
    let before = try await stores[0].decisions(after: 0, limit: 100)
    #expect(before.map(\.revision) == Array(1...40))
    let last = try #require(before.last)
    try await stores[1].commit([.decide(hidden(last.name, at: nil))])
    let read = PersonalDecision(.read, channel: ChannelID(rawValue: 1), at: Self.now, message: "m", revision: 42)
    try await stores[0].commit([.decide(read)])
    var shown = hidden(last.name, at: nil)
    shown.revision = 41
    for store in stores {
      #expect(try await store.decisions(after: 39, limit: 9) == [shown, read])
      #expect(try await store.decisions(after: 0, limit: 2) == Array(before.prefix(2)))
      #expect(try await store.end().decisionRevision == 42)
    }
    #expect(try await stores[0].counters().revision == 0, "revisions of channels are others")
    await bench.stop(stores[0], stores[1])
  }

  @Test func whoseSessionIsOverWritesNothing() async throws {
    let bench = try await Bench()
    let (store, other) = (try await bench.store("a"), try await bench.store("b"))
    #expect(await commit(store, [Self.change(1)]) == nil)
    let session = try #require(bench.session("a"))
    try await bench.ask("DELETE FROM sessions WHERE id = \(session)")
    // In one piece, and part by part.
    for mutations in [[Self.change(1)], [Self.change(1), .removeIdentity(IdentityID(rawValue: 1))]] {
      #expect(kind(await commit(store, mutations)) == "fenced")
    }
    let conflict = CommitPart([Self.change(1)], expected: .init(ChannelID(rawValue: 7), at: 3))
    let apart = await failure { () throws(CommitFailure) in _ = try await store.commit(CommitRequest([conflict])) }
    #expect(kind(apart) == "fenced")
    #expect(try await other.counters().revision == 1)
    await #expect { _ = try await store.lastSignOfLife() } throws: { ($0 as? StoreError)?.code == .inUse }
    // What was decided in the name of one session is not done in that of the next.
    #expect(await commit(other, [Self.change(1)]) == nil)
    let own = try #require(bench.session("b"))
    bench.set("b", own + 100)
    #expect(kind(await commit(other, [Self.change(1)])) == "fenced")
    // While no session is trusted, it may be later, over the same connections.
    let processes = "SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE application_name LIKE 'batond%'"
    let before = try await bench.ask(processes).text(0, 0)
    bench.forget("b")
    for _ in 0..<2 { #expect(kind(await commit(other, [Self.change(1)])) == "unavailable") }
    bench.set("b", own)
    #expect(await commit(other, [Self.change(1)]) == nil)
    #expect(try await bench.ask(processes).text(0, 0) == before)
    await bench.stop(store, other)
  }

  /// A session cannot be removed while a commit of it is under way.
  @Test func removingASessionWaitsForItsCommit() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    let session = try #require(bench.session("a"))
    let key = SharedStore.Settings(address: try PostgreSQLAddress(bench.cluster.address())).lockKey
    let other = try await PostgreSQLConnection.open(
      try PostgreSQLAddress(bench.cluster.address()), name: "other", schema: DatabaseSchema.name, hostTimeout: Self.patience)
    try await bench.ask("SELECT set_config('idle_in_transaction_session_timeout', '0', false)")
    try await bench.ask("BEGIN")
    try await bench.ask("SELECT pg_advisory_xact_lock(\(key))")
    async let pending = stubbornCommit(store, [Self.change(1)])
    try await bench.waitUntil("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    let removal = SQLStatement(
      """
      DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE id = \(session) FOR UPDATE SKIP LOCKED)
      """)
    #expect(try await other.run(removal, within: Self.patience).affected == 0)
    // Renewals go on meanwhile.
    let renewal = SQLStatement("UPDATE sessions SET expires = now() WHERE id = \(session)")
    #expect(try await other.run(renewal, within: Self.patience).affected == 1)
    try await bench.ask("COMMIT")
    #expect(await pending == nil)
    #expect(try await other.run(removal, within: Self.patience).affected == 1)
    await other.close()
    await bench.stop(store)
  }

  /// A commit of which no one knows whether it happened is settled by a write, and what that says is true.
  @Test func doubtIsSettledByAWrite() async throws {
    let bench = try await Bench()
    let (store, slow) = (try await bench.store("a"), try await bench.store("b", timeout: .seconds(2)))
    #expect(await commit(store, [Self.change(1), .probe(Self.now, commit: 5)]) == nil)
    #expect(try await store.lastSignOfLife() == SignOfLife(at: Self.now, commit: 5))
    #expect(await stubbornCommit(slow, [.probe(Self.now, commit: 6)]) == nil)
    try await bench.ask("CREATE TABLE anything ()")
    try await bench.ask("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    try await bench.ask("SELECT pg_reload_conf()")
    // It has taken effect once a commit of anything is not answered.
    var isWaiting = false
    while !isWaiting {
      try Task.checkCancellation()
      let other = try await PostgreSQLConnection.open(
        try PostgreSQLAddress(bench.cluster.address()), name: "other", schema: DatabaseSchema.name, hostTimeout: Self.patience)
      do throws(PostgreSQLFailure) {
        _ = try await other.run(SQLStatement("INSERT INTO anything DEFAULT VALUES"), within: .seconds(1))
      } catch {
        // A machine that is slow is no standby that is away.
        isWaiting =
          try await bench.ask("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'").bool(0, 0) == true
      }
      await other.close()
    }
    // The server waits for its standby, and the daemon does not wait forever.
    #expect(kind(await stubbornCommit(slow, [Self.change(1), .probe(Self.now, commit: 7)])) == "inDoubt")
    await #expect(throws: StoreError.self) { _ = try await slow.lastSignOfLife() }
    // Nor are numbers given from which to go on, as long as they may change.
    await #expect(throws: StoreError.self) { _ = try await slow.postCounters() }
    try await bench.ask("ALTER SYSTEM RESET synchronous_standby_names")
    try await bench.ask("SELECT pg_reload_conf()")
    var sign: SignOfLife?
    repeat { sign = try? await slow.lastSignOfLife() } while sign == nil && !Task.isCancelled
    let isThere = try await bench.ask("SELECT count(*) FROM changes").int(0, 0) == 2
    #expect((sign?.commit == 7) == isThere && sign?.commit != 5, "\(String(describing: sign))")
    #expect(await commit(store, [Self.change(1), .probe(Self.now, commit: 8)]) == nil)
    await bench.stop(store, slow)
  }

  @Test func whatAServerCannotStoreIsRefusedAndTheRestIsStored() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    let bad = StoreMutation.quarantine(ChannelID(rawValue: 1), reason: "a\u{0}b", at: Self.now)
    let receipt = try await store.commit(
      CommitRequest([CommitPart([Self.change(1)]), CommitPart([Self.change(2), bad]), CommitPart([Self.change(3)])]))
    #expect(receipt.rejections.keys.sorted() == [1])
    if case .refused(let words)? = receipt.rejections[1] {
      #expect(words.contains("22021"), "\(words)")
    } else {
      Issue.record("it is not refused: \(receipt)")
    }
    #expect(try await store.changes(after: 0, limit: 10).map(\.revision) == [1, 3])
    #expect(try await store.counters().revision == 3)
    #expect(kind(await commit(store, [Self.change(1), bad])) == "refused")
    #expect(try await store.counters().revision == 3)
    await bench.stop(store)
  }

  /// Its revision would stand nowhere, and be given a second time.
  @Test func changingAPostThatIsNotThereIsRefused() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    var post = PostRow(
      id: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), document: PostDocument(networkID: "n", author: "a", text: "{}"),
      text: "Hello", createdAt: Self.now, deliveryCount: 0, revision: PendingRevision.at(1))
    #expect(kind(await commit(store, [.updatePost(post)])) == "refused")
    #expect(await commit(store, [.insertPost(post)]) == nil)
    post.edition = 2
    #expect(await commit(store, [.updatePost(post)]) == nil)
    #expect(try await store.post(post.id)?.row.edition == 2)
    #expect(try await store.postCounters() == PostCounters(post: 1, revision: 2))
    await bench.stop(store)
  }

  /// Of several writes of one row in a commit the last one counts, in the form of the most far-reaching one.
  @Test func writesOfOneRowAreOneWrite() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    let id = ChannelID(rawValue: 1)
    #expect(await commit(store, ChannelRows.channel(id, on: [RelayID(rawValue: 1)], at: Self.now)) == nil)
    var row = try #require(try await store.channel(id)).row
    (row.profile.displayName, row.revision) = ("Renamed", PendingRevision.at(1))
    let rewritten = StoreMutation.rewriteChannel(row)
    row.updatedAt = Self.now + .seconds(9)
    #expect(await commit(store, [rewritten, .touchChannel(row), Self.change(1)]) == nil)
    let stored = try #require(try await store.channel(id)).row
    #expect(stored.profile.displayName == "Renamed" && stored.updatedAt == row.updatedAt)
    // A touch alone changes nothing else.
    (row.profile.displayName, row.revision) = ("Not renamed", PendingRevision.at(1))
    #expect(await commit(store, [.touchChannel(row), Self.change(1)]) == nil)
    #expect(try await store.channel(id)?.row.profile.displayName == "Renamed")
    await bench.stop(store)
  }

  /// All statements of one question see one moment, whatever is committed between them.
  @Test func questionsSeeOneMoment() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    let count = SQLStatement("SELECT count(*) FROM changes")
    try await bench.ask("SELECT pg_advisory_lock(77)")
    let patient = SQLStatement("SELECT set_config('lock_timeout', '60s', true)")
    async let answers = store.ask([patient, count, SQLStatement("SELECT pg_advisory_xact_lock_shared(77)"), count])
    // The question waits in its middle.
    try await bench.waitUntil("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    #expect(await commit(store, [Self.change(1)]) == nil)
    try await bench.ask("SELECT pg_advisory_unlock(77)")
    let rows = try await answers
    #expect(rows[1].int(0, 0) == 0 && rows[3].int(0, 0) == 0)
    await bench.stop(store)
  }

  /// Whoever holds the lock of the order for too long makes others try again later.
  @Test func whoIsInTheWayIsNoFailureForEver() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    let key = SharedStore.Settings(address: try PostgreSQLAddress(bench.cluster.address())).lockKey
    try await bench.ask("SELECT set_config('idle_in_transaction_session_timeout', '0', false)")
    try await bench.ask("BEGIN")
    try await bench.ask("SELECT pg_advisory_xact_lock(\(key))")
    #expect(kind(await commit(store, [Self.change(1)])) == "unavailable")
    try await bench.ask("COMMIT")
    #expect(await commit(store, [Self.change(1)]) == nil)
    await bench.stop(store)
  }

  /// Whatever a list is sorted by, an index has the order, also behind a channel; and conditions that an index knows do not look at all
  /// channels.
  @Test func listsGoThroughIndexes() async throws {
    let bench = try await Bench(["fsync": "off"])
    let store = try await bench.store("a")
    try await bench.ask(
      """
      INSERT INTO channels (id, kind, network, identity_id, display_name, network_id, author, document, wanted_relays, heal,
        created_at, updated_at, revision, edition, muted, pinned, frozen, followed)
      SELECT n, 'channel', 'nostr', 1, 'News ' || n % 700, 'n' || n, 'a', repeat('{}', 400), 1, 1, n, n * 7 % 5000, n, 1, 0, 0, 0, 1
      FROM generate_series(1, 5000) n
      """)
    try await bench.ask(
      """
      INSERT INTO channel_relays (channel_id, relay_id, position, status, since, operation, attempt, under_way, shown)
      SELECT n, n % 50, 0, 'active', n, 1, 0, 0, 1 FROM generate_series(1, 5000) n
      """)
    try await bench.ask("ANALYZE")
    func plan(_ filter: JSONValue?, _ order: ListOrder, _ withDeleted: Bool, after: [JSONValue]? = nil) async throws -> String {
      let list = try SharedStore.list(
        matching: try Filter(filter, known: nil), in: order, withDeleted: withDeleted, after: after, limit: 20, nil
      ).0
      let rows = try await bench.administrator.run(
        SQLStatement("EXPLAIN " + list.text, list.values, isKept: false), within: Self.patience)
      return (0..<rows.count).compactMap { rows.text($0, 0) }.joined(separator: "\n")
    }
    #expect(ChannelRows.fieldsWithoutIndex.isSubset(of: ChannelField.named.keys.map { $0.joined(separator: ".") }))
    for name in ChannelField.named.keys.map({ $0.joined(separator: ".") })
    where !ChannelRows.fieldsWithoutIndex.contains(name) {
      for (direction, withDeleted) in [(1, false), (-1, true), (-1, false)] as [(JSONValue, Bool)] {
        let order = try ListOrder([["field": .string(name), "direction": direction]], known: nil)
        let filter = try Filter(nil, known: nil)
        let first = try await store.channels(matching: filter, in: order, withDeleted: withDeleted, after: nil, limit: 3)
        let last = try #require(first.last)
        for after in [nil, last] {
          let plan = try await plan(nil, order, withDeleted, after: after)
          #expect(!plan.contains("Sort") && !plan.contains("Seq Scan"), "\(name) \(direction): \(plan)")
          if after != nil { #expect(plan.contains("Index Cond"), "\(name) \(direction): \(plan)") }
        }
      }
    }
    let filters: [JSONValue] = [
      ["id": ["$gt": 4000]], ["createdAt": ["$gt": "1970-01-01T00:00:04.990Z"]], ["profile.displayName": "News 7"],
      ["phase": "creating"],
      ["phase": ["$in": ["degraded", "failed"]]],
      ["relays": ["$elemMatch": ["relayId": 7]]], ["relays": ["$elemMatch": ["relayId": 700]]],
      ["relays": ["$elemMatch": ["status": "failed"]]],
    ]
    for filter in filters {
      let plan = try await plan(filter, try ListOrder([], known: nil), false)
      #expect(!plan.contains("Seq Scan"), "\(filter): \(plan)")
    }
    await bench.stop(store)
  }

  @Test func questionsThatAreRefusedKeepNoConnections() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    for _ in 0..<30 { await #expect(throws: StoreError.self) { _ = try await store.ask("SELECT 1 / 0") } }
    let count = try await bench.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'batond reader'")
    #expect(count.int(0, 0) == 1)
    // PostgreSQL has no U+0000, so nothing has such a name.
    #expect(try await store.channels(named: "a\0", limit: 9) == [])
    #expect(try await store.channel(idempotencyKey: "\0") == nil)
    #expect(try await store.posts(idempotencyKeys: ["\0", "b"]) == [:])
    await bench.stop(store)
  }

  /// Work whose turn has always come.
  private struct NoWaiting: BlockingWork {
    func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T { try body() }
    func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T { try await body() }
  }

  @Test func questionsEndAtTheServerToo() async throws {
    let bench = try await Bench()
    let (store, hasty) = (try await bench.store("a"), try await bench.store("b", timeout: .milliseconds(300)))
    let asked = "FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'"
    let question = Task { try await store.reading(on: NoWaiting(), messages: nil).ask("SELECT pg_sleep(600)") }
    try await bench.waitUntil("SELECT count(*) = 1 \(asked)")
    question.cancel()
    await #expect(throws: CancellationError.self) { _ = try await question.value }
    try await bench.waitUntil("SELECT count(*) = 0 \(asked)")
    await #expect(throws: StoreError.self) { _ = try await hasty.ask("SELECT pg_sleep(600)") }
    try await bench.waitUntil("SELECT count(*) = 0 \(asked)")
    // What the daemon asks for itself is answered, because it goes on until all that was begun is done.
    let own = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await store.ask("SELECT 1::int8").int(0, 0)
    }
    own.cancel()
    #expect(try await own.value == 1)
    await bench.stop(store, hasty)
  }

  @Test func compactionLeavesWhereTheNextCommitBegins() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    for _ in 0..<5 { #expect(await commit(store, [Self.change(1), Self.change(2)]) == nil) }
    #expect(await commit(store, [.compactChanges(through: 10)]) == nil)
    #expect(try await bench.ask("SELECT count(*) FROM commits").int(0, 0) == 1)
    #expect(try await store.oldestRevision() == 10)
    #expect(try await store.counters().revision == 10)
    #expect(await commit(store, [Self.change(1)]) == nil)
    #expect(try await store.changes(after: 0, limit: 9).map(\.revision) == [11])
    await bench.stop(store)
  }

  /// A standby that takes over without the last commits must not give out their revisions and ids again: who remembers them lists again.
  /// That is so, too, once another daemon has given them out.
  @Test(arguments: [false, true]) func numbersThatAServerLacksAreLeftOut(othersHaveWritten: Bool) async throws {
    let bench = try await Bench()
    let (store, same) = (try await bench.store("a"), try await bench.store("b"))
    for _ in 0..<2 { #expect(await commit(store, [Self.change(1)]) == nil) }
    #expect(await commit(same, [.probe(Self.now, commit: 1)]) == nil)
    #expect(try await same.end().revision == 2)
    #expect(await commit(store, [Self.change(1)]) == nil)
    await bench.administrator.close()
    await bench.cluster.stop()
    let data = bench.cluster.folder.path + "/data"
    #expect(FileManager.default.createFile(atPath: data + "/standby.signal", contents: nil))
    try await bench.cluster.restart()
    let (status, lines) = try await Program.run(
      PostgreSQLCluster.psql,
      [
        "-h", bench.cluster.folder.path, "-p", "\(bench.cluster.port)", "-U", "postgres", "-c", "SELECT pg_promote()",
        "postgres",
      ])
    #expect(status == 0, "\(lines)")
    let administrator = try await PostgreSQLConnection.open(
      try PostgreSQLAddress(bench.cluster.address()), name: "test", schema: DatabaseSchema.name, hostTimeout: Self.patience)
    func ask(_ sql: String) async throws -> SQLRows {
      try await administrator.run(SQLStatement(sql), within: Self.patience)
    }
    #expect(administrator.server.timeline == "00000002")
    _ = try await ask("DELETE FROM commits WHERE number = 3")
    // Who remembers no more than is there has no reason to leave anything out.
    #expect(kind(await stubbornCommit(same, [Self.change(1)])) == "fenced")
    #expect(try await administrator.run(CommitScript.end, within: Self.patience).int(0, 0) == 2)
    if othersHaveWritten { _ = try await ask("INSERT INTO commits VALUES (3, 99, 1, 2, 5, 0, 0)") }
    let left = (othersHaveWritten ? 7 : 2) + Store.leftOut
    for _ in 0..<2 {
      #expect(kind(await stubbornCommit(store, [Self.change(1)])) == "fenced")
      let end = try await administrator.run(CommitScript.end, within: Self.patience)
      #expect(end.int(0, 0) == left && end.int(0, 2) == Store.leftOut)
    }
    let settings = try await ask("SELECT value FROM settings WHERE key IN ('oldest_revision', 'last_id_channels') ORDER BY key")
    #expect(settings.text(0, 0) == "\(Store.leftOut)" && settings.text(1, 0) == "\(left)")
    #expect(try await store.counters().channel == Store.leftOut)
    await store.close()
    await same.close()
    await administrator.close()
    await bench.cluster.stop()
  }

  /// A time limit that passes leaves in doubt what was sent.
  @Test func nothingIsTriedAgainWithoutTimeForIt() throws {
    #expect(throws: PostgreSQLFailure.self) { try SharedStore.Settings.rest(until: .now + .milliseconds(900)) }
    #expect(try SharedStore.Settings.rest(until: .now + .seconds(3_600)) > .seconds(1))
  }

  @Test func connectionsAreMadeAgain() async throws {
    let bench = try await Bench()
    let store = try await bench.store("a")
    for round in 1...5 {
      // Nothing was sent over the connection that has ended, so it is sent over another one.
      #expect(await commit(store, [Self.change(1), .probe(Self.now, commit: UInt64(round))]) == nil)
      #expect(try await store.counters().revision == Int64(round))
      try await bench.endConnections()
      if round.isMultiple(of: 2) { #expect(try await store.lastSignOfLife()?.commit == UInt64(round)) }
      try await bench.endConnections()
    }
    await bench.administrator.close()
    await bench.cluster.stop()
    await #expect(throws: StoreError.self) { _ = try await store.counters() }
    #expect(kind(await commit(store, [Self.change(1)])) == "unavailable")
    try await bench.cluster.restart()
    #expect(try await store.counters().revision == 5)
    #expect(await commit(store, [Self.change(1)]) == nil)
    await store.close()
    await bench.cluster.stop()
  }
}
