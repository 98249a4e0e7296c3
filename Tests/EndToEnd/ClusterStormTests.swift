import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import Synchronization
import TestTools
import Testing

/// Three daemons, and all that may happen to them, to the database and to what is between, while channels are created, changed and deleted.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ClusterStormTests {
  /// How many faults there are; more by hand.
  private static let faults = Int(ProcessInfo.processInfo.environment["BATON_FAULTS"] ?? "")

  /// Nothing is lost but with the machine.
  private static let settings = ["fsync": "off", "max_connections": "200"]

  @Test func nothingIsLostDoneTwiceOrLeftAlone() async throws {
    let settings = Self.settings.merging(["max_wal_size": "64MB", "min_wal_size": "32MB"]) { own, _ in own }
    let seed = Self.seed()
    // Clocks differ by nearly as much as daemons bear: that of the server from all others, and those of daemons even more from each other.
    let offset = seed.isMultiple(of: 2) ? 50 : -50
    let server = try await PostgreSQLCluster(settings, diskOf: 256, clock: OtherClock(.seconds(offset)))
    if !server.hasSmallDisk { print("storm: without a full disk, because this user may mount nothing") }
    let weather = Weather.all(
      [
        .kill: 3, .pause: 3, .cut: 4, .half: 4, .terminate: 4, .cancel: 4, .restart: 3, .freeze: 4, .drain: 3, .upgrade: 4,
        .clock: 4, .fullDisk: server.hasSmallDisk ? 3 : 0,
      ], seed)
    try await storm([weather], [server], clocks: [0, offset, offset * 2].map { .seconds($0) }, seed)
  }

  /// Each of them is killed and sleeps again and again, at any moment of what it says to the database and what that answers, while the same
  /// happens to the others.
  @Test func nothingIsLostWhileAllDaemonsDieAndSleep() async throws {
    let seed = Self.seed()
    let weathers = (0..<3).map { Weather.all([.kill: 34, .pause: 10], of: $0, seed &+ UInt64($0)) }
    // As docs/cluster.md sets it up, with a certificate and a password.
    try await storm(weathers, [PostgreSQLCluster(Self.settings, isGuarded: true)], isGuarded: true, seed)
  }

  /// Commits wait for a standby, which takes over again and again.
  @Test func nothingIsLostWhenAStandbyTakesOver() async throws {
    let primary = try await PostgreSQLCluster(Self.settings)
    let standby = try await PostgreSQLCluster(Self.settings, standbyOf: primary)
    let seed = Self.seed()
    let weather = Weather.all([.failover: 5, .failoverFromHanging: 5, .standbyAway: 2, .kill: 2], seed)
    try await storm([weather], [primary, standby], seed)
  }

  /// Faults that follow each other.
  private struct Weather {
    var faults: [StormFault]
    /// Whom they befall; `nil` for whoever.
    var daemon: Int?

    static func some(of kinds: [StormFault], count: Int, _ seed: UInt64) -> Weather {
      var random = Seeded(state: seed)
      return Weather(faults: (0..<count).map { _ in kinds[Int(random.next() % UInt64(kinds.count))] })
    }

    /// Each of these faults, in some order, or a tenth of them outside `make test-all`. By hand, as many as asked for.
    static func all(_ counts: KeyValuePairs<StormFault, Int>, of daemon: Int? = nil, _ seed: UInt64) -> Weather {
      let faults = counts.flatMap { Array(repeating: $0.key, count: Thoroughness.isFull ? $0.value : ($0.value + 9) / 10) }
      var weather = ClusterStormTests.faults.map { some(of: faults, count: $0, seed) } ?? Weather(faults: faults)
      var random = Seeded(state: seed)
      weather.faults.shuffle(using: &random)
      weather.daemon = daemon
      return weather
    }
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

  private func storm(
    _ weathers: [Weather], _ servers: [PostgreSQLCluster], isGuarded: Bool = false,
    clocks: [Duration?] = [nil, nil, nil], _ seed: UInt64
  ) async throws {
    let database = StormDatabase(servers)
    if servers.count > 1 { try await database.waitForStandby() }
    let relays = [try ThirdPartyRelay(), try ThirdPartyRelay()]
    let running = [try await relays[0].start(), try await relays[1].start()]
    defer { for program in running { program.signal(SIGTERM) } }
    let key = try TemporaryFolder.withKey()
    let settings = [
      "CREDENTIALS_DIRECTORY": key.path, "BATON_NOSTR_REDIAL_MAX": "500ms", "BATON_NOSTR_CHANNEL_RETRY_MAX": "2s",
    ]
    let daemons = try zip(["a", "b", "c"], clocks).map { name, clock in
      let cuts = try servers.map { try Cuts(to: isGuarded ? .port($0.port) : .unix($0.socket)) }
      return try StormDaemon(name, settings, cuts, guardedBy: isGuarded ? servers.first : nil, clock: clock)
    }
    let scene = Scene(seed: seed, database: database, relays: relays, daemons: daemons)
    // Daemons end however the test does.
    try await withTaskCancellationHandler {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for daemon in daemons { group.addTask { try await daemon.run() } }
        let result = await Result { try await pass(scene, weathers) }
        scene.over.set()
        // Why a daemon ended says more than what that led to.
        for daemon in daemons { #expect(daemon.wrongs == [], "seed \(seed)") }
        for daemon in daemons { daemon.end() }
        try await group.waitForAll()
        try result.get()
      }
    } onCancel: {
      // Whoever waits for the end of one would wait forever.
      for daemon in daemons { daemon.signal(SIGKILL) }
    }
  }

  /// Has everything happen, and looks at what is left.
  private func pass(_ scene: Scene, _ weathers: [Weather]) async throws {
    let (seed, daemons, ledger, reader) = (scene.seed, scene.daemons, scene.ledger, scene.reader)
    await daemons[0].isReady()
    try await daemons[0].installation.addRelays(scene.relays.map(\.url))
    for daemon in daemons { await daemon.isReady() }
    try await reader.waits(for: "SELECT 1 WHERE (SELECT count(DISTINCT session) FROM slots) = 3")
    // What one daemon has added the others learn a moment later.
    for daemon in daemons {
      let client = try await daemon.installation.client()
      while try await client.relays.all().count < scene.relays.count { try Task.checkCancellation() }
      await client.close()
    }

    let watchers = daemons.map { _ in StormWatcher() }
    let watching = zip(watchers, daemons).map { watcher, daemon in Task { await watcher.run(daemon) } }
    defer { for task in watching { task.cancel() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        let client = StormClient(number: number, daemons: daemons, ledger: ledger, reader: reader) { scene.over.isSet }
        group.addTask { await client.run(seed: seed &+ UInt64(number), channels: 3) }
      }
      // Everything is whole again, and those who use it finish what they have begun.
      defer { scene.over.set() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for weather in weathers { group.addTask { try await endure(weather, scene) } }
        try await group.waitForAll()
      }
    }
    let clock = ContinuousClock()
    let calm = clock.now
    try await reader.waits(for: "SELECT 1 WHERE (SELECT count(*) FROM slots WHERE session IS NULL) = 0")
    let owned = clock.now - calm
    let counts = Dictionary(grouping: weathers.flatMap(\.faults)) { $0 }.mapValues(\.count)
    print("storm: \(counts.map { "\($0.key) \($0.value)" }.sorted()), \(await ledger.answers) answers")
    print("storm: errors \(await ledger.errors), starts \(daemons.map(\.starts)), slots owned after \(owned)")
    // No one was told anything wrong, and no daemon ended for another reason than its session.
    let wrongs = await ledger.wrongs
    #expect(wrongs == [], "seed \(seed)")
    for daemon in daemons { #expect(daemon.wrongs == [], "seed \(seed)") }
    guard await ledger.wrongs.isEmpty, daemons.allSatisfy(\.wrongs.isEmpty) else { return }
    try await settled(daemons, reader)
    try await compare(await ledger.told, daemons, scene.relays, reader, seed)

    // All that watched got everything once, in the same order.
    let end = try await daemons[0].installation.client().daemon.status().revision
    for watcher in watchers {
      await watcher.reached(end)
      let revisions = await watcher.revisions.prefix(Int(end))
      #expect(revisions == Array(1...end)[...], "seed \(seed): \(firstGap(Array(revisions)))")
    }
  }

  private func endure(_ weather: Weather, _ scene: Scene) async throws {
    let (daemons, ledger) = (scene.daemons, scene.ledger)
    var faults = StormFaults(
      daemons: daemons, database: scene.database, reader: scene.reader, ledger: ledger,
      random: Seeded(state: scene.seed &+ UInt64(weather.daemon ?? 0)))
    for fault in weather.faults {
      await ledger.answers(more: Int(faults.random.next() % 6) + 1)
      guard await ledger.wrongs.isEmpty, daemons.allSatisfy(\.wrongs.isEmpty), !Task.isCancelled else { return }
      let daemon = daemons[weather.daemon ?? Int(faults.random.next() % 3)]
      let answers = await ledger.answers
      traced("\(fault) of \(daemon.name) after \(answers) answers")
      try await faults.make(fault, daemon)
    }
  }

  private func firstGap(_ revisions: [Int64]) -> String {
    let wrong = revisions.indices.first { revisions[$0] != Int64($0 + 1) }
    return wrong.map { "revision \(revisions[$0]) came at place \($0 + 1)" } ?? "\(revisions.count) revisions"
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
      let list = try await daemon.installation.client().channels.all()
      let found = list.map { "\($0.id) \($0.profile.displayName): \($0.profile.description ?? "-")" }.sorted()
      #expect(found == living.map { "\($0.value.id) \($0.key): \($0.value.description ?? "-")" }.sorted(), "seed \(seed)")
      #expect(list.allSatisfy { $0.phase == "active" }, "seed \(seed): \(list.filter { $0.phase != "active" })")
      #expect(list.allSatisfy { $0.relays.allSatisfy { $0.cause == nil } }, "seed \(seed)")
    }
    // At each relay, no channel is announced twice, none that no one asked for, and each that is alive.
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
