import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// Three daemons, and all that may happen to them, to the database and to what is between, while channels are created, changed and deleted.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ClusterStormTests {
  /// What is done to them.
  private enum Fault: CaseIterable {
    case kill
    /// For longer than a session lasts.
    case pause
    /// In both directions or in one, for longer than a session lasts.
    case cut
    /// In the middle of what a daemon sends, which may be a part of a commit.
    case half
    /// Connections are ended by the server.
    case terminate
    /// Statements are given up, commits among them.
    case cancel
    /// The server ends without letting anybody finish, and begins again.
    case restart
    /// A process of the server hangs, whatever it does just now.
    case freeze
    /// A daemon hands over its channels, and takes its share again.
    case drain
    /// The server's disk is full, until somebody notices.
    case fullDisk
    /// The server's machine is gone, and its standby takes over.
    case failover
    /// The server's machine hangs, its standby takes over, and the machine is switched off later.
    case failoverFromHanging
    /// The standby is gone for longer than sessions last, so commits wait.
    case standbyAway

    static let ofOneServer: [Fault] = [.kill, .pause, .cut, .half, .terminate, .cancel, .restart, .freeze, .drain, .fullDisk]
    static let ofTwoServers: [Fault] = [.failover, .failoverFromHanging, .failover, .failoverFromHanging, .standbyAway, .kill]
  }

  /// How many faults there are; more by hand.
  private static let faults = Int(ProcessInfo.processInfo.environment["BATON_FAULTS"] ?? "")

  /// Nothing is lost but with the machine.
  private static let settings = ["fsync": "off", "max_connections": "200"]

  @Test func nothingIsLostDoneTwiceOrLeftAlone() async throws {
    let settings = Self.settings.merging(["max_wal_size": "64MB", "min_wal_size": "32MB"]) { own, _ in own }
    // Its clock is off by nearly as much as daemons bear.
    let seed = Self.seed()
    let server = try await PostgreSQLCluster(settings, diskOf: 256, clock: seed.isMultiple(of: 2) ? "+50s" : "-50s")
    if !server.hasSmallDisk { print("storm: without a full disk, because this user may mount nothing") }
    if !OtherClock.isThere { print("storm: with the right clock, because libfaketime is not installed") }
    try await storm(
      Fault.ofOneServer.filter { $0 != .fullDisk || server.hasSmallDisk }, count: Self.faults ?? 44, [server], seed)
  }

  /// Commits wait for a standby, which takes over again and again.
  @Test func nothingIsLostWhenAStandbyTakesOver() async throws {
    let primary = try await PostgreSQLCluster(Self.settings)
    let standby = try await PostgreSQLCluster(Self.settings, standbyOf: primary)
    try await storm(Fault.ofTwoServers, count: Self.faults ?? 12, [primary, standby], Self.seed())
  }

  /// What a storm goes over.
  private struct Scene {
    let seed: UInt64
    let database: StormDatabase
    let relays: [ThirdPartyRelay]
    let daemons: [StormDaemon]
    let ledger = StormLedger()
    let over = Flag()
    var reader: StormReader { StormReader { [database] in database.primary.address() } }
  }

  private static func seed() -> UInt64 {
    let seed = Seeds.repeated ?? UInt64.random(in: 0...UInt64(UInt32.max))
    print("storm: seed \(seed)")
    return seed
  }

  private func storm(_ kinds: [Fault], count: Int, _ servers: [PostgreSQLCluster], _ seed: UInt64) async throws {
    let database = StormDatabase(servers)
    if servers.count > 1 { try await database.waitForStandby() }
    let relays = [try ThirdPartyRelay(), try ThirdPartyRelay()]
    let running = [try await relays[0].start(), try await relays[1].start()]
    defer { for program in running { program.signal(SIGTERM) } }
    let key = try TemporaryFolder()
    try Data((0..<32).map { _ in UInt8.random(in: 0...255) }).write(to: URL(fileURLWithPath: key.path + "/identity.key"))
    let settings = [
      "CREDENTIALS_DIRECTORY": key.path, "BATON_NOSTR_REDIAL_MAX": "500ms", "BATON_NOSTR_CHANNEL_RETRY_MAX": "2s",
    ]
    let daemons = try ["a", "b", "c"].map { try StormDaemon($0, settings, servers.map { try Cuts(to: $0.socket) }) }
    let scene = Scene(seed: seed, database: database, relays: relays, daemons: daemons)
    // Daemons end however the test does.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for daemon in daemons { group.addTask { try await daemon.run() } }
      let result = await Result { try await pass(scene, kinds, count) }
      scene.over.set()
      // Why a daemon ended says more than what that led to.
      for daemon in daemons { #expect(daemon.wrongs == [], "seed \(seed)") }
      for daemon in daemons { daemon.end() }
      try await group.waitForAll()
      try result.get()
    }
  }

  /// Has everything happen, and looks at what is left.
  private func pass(_ scene: Scene, _ kinds: [Fault], _ count: Int) async throws {
    let (seed, daemons, ledger, reader) = (scene.seed, scene.daemons, scene.ledger, scene.reader)
    await daemons[0].isReady()
    try await daemons[0].installation.addRelays(scene.relays.map(\.url))
    for daemon in daemons { await daemon.isReady() }
    try await reader.waits(for: "SELECT 1 WHERE (SELECT count(DISTINCT session) FROM slots) = 3")

    let watchers = daemons.map { _ in StormWatcher() }
    let watching = zip(watchers, daemons).map { watcher, daemon in Task { await watcher.run(daemon) } }
    defer { for task in watching { task.cancel() } }
    var counts: [Fault: Int] = [:]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        let client = StormClient(number: number, daemons: daemons, ledger: ledger, reader: reader) { scene.over.isSet }
        group.addTask { await client.run(seed: seed &+ UInt64(number), channels: 3) }
      }
      // Everything is whole again, and those who use it finish what they have begun.
      defer { scene.over.set() }
      var random = Seeded(state: seed)
      for _ in 0..<count {
        await ledger.answers(more: Int(random.next() % 6) + 1)
        guard await ledger.wrongs.isEmpty, daemons.allSatisfy(\.wrongs.isEmpty), !Task.isCancelled else { break }
        let fault = kinds[Int(random.next() % UInt64(kinds.count))]
        counts[fault, default: 0] += 1
        let daemon = daemons[Int(random.next() % 3)]
        let answers = await ledger.answers
        traced("\(fault) of \(daemon.name) after \(answers) answers")
        try await make(fault, daemon, daemons, scene.database, reader, &random)
      }
    }
    let clock = ContinuousClock()
    let calm = clock.now
    try await reader.waits(for: "SELECT 1 WHERE (SELECT count(*) FROM slots WHERE session IS NULL) = 0")
    let owned = clock.now - calm
    print("storm: \(counts.map { "\($0.key) \($0.value)" }.sorted()), \(await ledger.answers) answers")
    print("storm: errors \(await ledger.errors), starts \(daemons.map(\.starts)), slots owned after \(owned)")
    // Nobody was told anything wrong, and no daemon ended for another reason than its session.
    #expect(await ledger.wrongs == [], "seed \(seed)")
    for daemon in daemons { #expect(daemon.wrongs == [], "seed \(seed)") }
    guard await ledger.wrongs.isEmpty, daemons.allSatisfy(\.wrongs.isEmpty) else { return }
    try await settled(daemons, reader)
    try await compare(await ledger.told, daemons, scene.relays, reader, seed)

    // All that watched got everything once, in the same order.
    let end = try await daemons[0].installation.client().status().revision
    for watcher in watchers {
      await watcher.reached(end)
      let revisions = await watcher.revisions.prefix(Int(end))
      #expect(revisions == Array(1...end)[...], "seed \(seed): \(firstGap(Array(revisions)))")
    }
  }

  private func firstGap(_ revisions: [Int64]) -> String {
    let wrong = revisions.indices.first { revisions[$0] != Int64($0 + 1) }
    return wrong.map { "revision \(revisions[$0]) came at place \($0 + 1)" } ?? "\(revisions.count) revisions"
  }

  /// The session of a daemon, as the database has it.
  private func session(_ daemon: StormDaemon, _ reader: StormReader) async throws -> String? {
    try await reader.rows("SELECT max(id) FROM sessions WHERE name = '\(daemon.name)'").first?.first.flatMap {
      $0.isEmpty ? nil : $0
    }
  }

  private func make(
    _ fault: Fault, _ daemon: StormDaemon, _ daemons: [StormDaemon], _ database: StormDatabase, _ reader: StormReader,
    _ random: inout Seeded
  ) async throws {
    switch fault {
    case .kill: daemon.signal(SIGKILL)
    case .pause:
      guard let session = try await session(daemon, reader), let program = daemon.pause() else { return }
      // Its end must not wait for the test's.
      defer { program.signal(SIGCONT) }
      try await reader.waits(for: "SELECT 1 WHERE NOT EXISTS (SELECT FROM sessions WHERE id = \(session))", times: 300)
    case .cut, .half:
      let session = try await session(daemon, reader)
      for cuts in daemon.cuts {
        if fault == .half {
          cuts.cut(afterBytes: Int(random.next() % 4_000) + 1)
        } else {
          cuts.cut([[.toServer], [.toClient], [.toServer, .toClient]][Int(random.next() % 3)])
        }
      }
      defer { for cuts in daemon.cuts { cuts.heal() } }
      if let session {
        try await reader.waits(for: "SELECT 1 WHERE NOT EXISTS (SELECT FROM sessions WHERE id = \(session))", times: 300)
      }
    case .terminate, .cancel:
      let function = fault == .cancel ? "pg_cancel_backend" : "pg_terminate_backend"
      for _ in 0..<10 {
        _ = try await reader.rows(
          """
          SELECT \(function)(pid) FROM pg_stat_activity
          WHERE application_name LIKE 'batond/%' AND (state = 'active' OR random() < 0.3)
          """)
      }
    case .restart:
      await database.primary.stop()
      try await database.primary.restart()
    case .freeze:
      let found = try await reader.rows(
        "SELECT pid, split_part(application_name, '/', 3) FROM pg_stat_activity WHERE application_name LIKE 'batond/%/%' ORDER BY random() LIMIT 1"
      )
      guard let row = found.first, let pid = Int32(row[0]) else { return }
      database.primary.freeze(pid)
      defer { database.primary.thaw(pid) }
      // Either its session goes on over other connections, or others take it over; one of both is to be seen soon.
      try await reader.waits(
        for: """
          SELECT 1 WHERE NOT EXISTS (SELECT FROM sessions WHERE id = \(row[1]))
          OR EXISTS (SELECT FROM sessions WHERE id = \(row[1]) AND expires > clock_timestamp() + interval '4 seconds')
          """, times: 100)
    case .drain:
      for undo in [[], ["--undo"]] {
        await daemon.isReady()
        _ = try await daemon.installation.control(["cluster", "drain", daemon.name] + undo)
      }
    case .fullDisk:
      try await database.primary.fillDisk()
      let before = daemons.map { ($0.program, $0.program?.lines.count ?? 0) }
      var tries = 0
      while !Task.isCancelled, tries < 100, database.primary.process.isRunning,
        !zip(daemons, before).contains(where: { daemon, before in
          daemon.program !== before.0
            || daemon.program?.lines.dropFirst(before.1).contains { $0.contains("No space left") } ?? false
        })
      {
        tries += 1
        _ = try? await reader.rows("SELECT pg_sleep(0.1)")
      }
      try database.primary.clearDisk()
      // A server that cannot write what it must ends, maybe a moment later.
      while !Task.isCancelled, (try? await reader.rows("SELECT 1")) == nil {
        if !database.primary.process.isRunning { try await database.primary.restart() }
        await Task.yield()
      }
    case .failover, .failoverFromHanging:
      if fault == .failover { await database.primary.crash() } else { database.primary.hang() }
      try await database.takeOver()
    case .standbyAway:
      await database.standby?.crash()
      // Commits wait for it, renewals among them, until somebody notices.
      let before = daemons.map { ($0.program, $0.program?.lines.count ?? 0) }
      while !Task.isCancelled,
        !zip(daemons, before).contains(where: { daemon, before in
          daemon.program !== before.0 || before.0 == nil
            || daemon.program?.lines.dropFirst(before.1).contains { $0.contains("did not renew this daemon's session") } ?? true
        })
      { _ = try await reader.rows("SELECT pg_sleep(0.1)") }
      try await database.takeBackStandby()
    }
  }

  /// Waits until nothing is under way any more.
  private func settled(_ daemons: [StormDaemon], _ reader: StormReader) async throws {
    try await reader.waits(
      for: """
        SELECT 1 WHERE NOT EXISTS (SELECT FROM channel_relays WHERE task IS NOT NULL AND (under_way = 1 OR status <> 'active'))
        AND (SELECT count(DISTINCT session) FROM slots) = 3
        """)
    for daemon in daemons { await daemon.isReady() }
  }

  /// What was answered is there, at each daemon, in the tables and on relays.
  private func compare(
    _ told: [String: StormLedger.Told], _ daemons: [StormDaemon], _ relays: [ThirdPartyRelay], _ reader: StormReader,
    _ seed: UInt64
  ) async throws {
    let living = told.filter { !$0.value.isDeleted }
    for daemon in daemons {
      let list = try await daemon.installation.client().channels()
      let found = list.map { "\($0.id) \($0.profile.displayName): \($0.profile.description ?? "-")" }.sorted()
      #expect(found == living.map { "\($0.value.id) \($0.key): \($0.value.description ?? "-")" }.sorted(), "seed \(seed)")
      #expect(list.allSatisfy { $0.phase == "active" }, "seed \(seed): \(list.filter { $0.phase != "active" })")
      #expect(list.allSatisfy { $0.relays.allSatisfy { $0.cause == nil } }, "seed \(seed)")
    }
    // At each relay, no channel is announced twice, none that nobody asked for, and each that is alive.
    let created = Set(try await reader.rows("SELECT network_id FROM channels").map { $0[0] })
    let alive = try await reader.rows("SELECT network_id FROM channels WHERE deleted_at IS NULL").map { $0[0] }
    #expect(created.count == told.count && alive.count == living.count, "seed \(seed)")
    for relay in relays {
      let events = try await daemons[0].installation.events(
        at: relay.url, .object(["kinds": .array([.integer(40)]), "limit": .integer(5_000)]))
      let ids = events.compactMap { $0["id"]?.string }
      #expect(Set(ids).count == ids.count && created.isSuperset(of: ids), "seed \(seed) at \(relay.url)")
      #expect(Set(ids).isSuperset(of: alive), "seed \(seed) at \(relay.url): \(Set(alive).subtracting(ids))")
    }
    // Each relay of a channel went from state to state, without leaving any out.
    let broken = try await reader.rows(
      """
      SELECT channel_id, relay_id, revision FROM (
        SELECT *, lag(to_status) OVER (PARTITION BY channel_id, relay_id ORDER BY revision) AS before FROM transitions
      ) t WHERE before IS NOT NULL AND before <> from_status
      """)
    #expect(broken == [], "seed \(seed)")
    // Commits are without gaps.
    let gaps = try await reader.rows(
      """
      SELECT number FROM (SELECT *, lag(base + count) OVER (ORDER BY number) AS expected FROM commits) c
      WHERE expected IS NOT NULL AND base <> expected
      """)
    #expect(gaps == [], "seed \(seed)")
  }
}

/// Is set once.
private final class Flag: Sendable {
  private let state = Mutex(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}

extension Result where Failure == any Error {
  /// What a body returns or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
