import BatonClient
import Channels
import ControlAPI
import Coordinator
import Foundation
import Glibc
import Logging
import Storage
import StrictJSON
import TestSupport

// Daemons that share a database: how fast one is, several are, and how soon others notice.
extension BatonBench {
  /// Creation to active, three relays each, against a network in the process, by one, two and four daemons that share a database. A bare
  /// program writes what one of them has written: the same rows, batches and order.
  static func sharedCreation() async throws {
    var one: [Double] = []
    var bare: [Double] = []
    var commits: [Double] = []
    var alone: [(ours: Double, database: Double)] = []
    for _ in 0..<3 {
      let run = try await shared(1, channels: 5_000, isCompared: true)
      alone.append((run.ours, run.database))
      one.append(run.rate)
      bare.append(run.bare)
      commits.append(run.commits)
    }
    let first = median(one)
    row(
      "creation to active, 3 relays, in-process network, in PostgreSQL", "\(format(first)) channels/s",
      "bare libpq, same rows, batches and order: \(format(median(bare)))", format(first / median(bare), 2))
    row("commits (one sync each) per channel in that run; \(processors(alone))", format(median(commits), 3))
    for count in [2, 4] {
      var rates: [Double] = []
      var shares: [(ours: Double, database: Double)] = []
      for _ in 0..<3 {
        let run = try await shared(count, channels: 5_000, isCompared: false)
        rates.append(run.rate)
        shares.append((run.ours, run.database))
      }
      row(
        "the same by \(count) daemons; \(processors(shares))", "\(format(median(rates))) channels/s",
        "by one: \(format(first))",
        format(median(rates) / first, 2))
    }
  }

  private static func processors(_ shares: [(ours: Double, database: Double)]) -> String {
    "processors: daemons \(format(median(shares.map(\.ours)), 2)), database \(format(median(shares.map(\.database)), 2))"
  }

  private struct SharedRun {
    /// Channels per second, of Baton and of the bare program.
    var rate: Double
    var bare = Double.nan
    var commits = Double.nan
    /// How many processors were busy with the daemons, and with the database.
    var ours: Double
    var database: Double
  }

  private static func shared(_ count: Int, channels: Int, isCompared: Bool) async throws -> SharedRun {
    let cluster = try await PostgreSQLCluster(["shared_buffers": "512MB", "max_wal_size": "4GB"])
    let key = try TemporaryFolder()
    let quiet = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    var engines: [TestDaemon] = []
    for number in 0..<count {
      engines.append(try TestDaemon("d\(number)", on: cluster, folder: key, logger: quiet))
      while engines[number].slots.numbers.count == 0, number == 0 { await Task.yield() }
    }
    while !engines.allSatisfy({ $0.slots.numbers.count == SlotSet.count / count }) {
      try await Task.sleep(for: .milliseconds(20))
    }
    var relays: [RelayID] = []
    for number in 1...3 {
      guard let coordinator = engines[0].coordinator else { throw CancellationError() }
      relays.append(try await coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r\(number)"), force: false).id)
    }
    for engine in engines { await engine.coordinator?.catchUp() }
    let before = Int(try await sql(cluster, "SELECT coalesce(max(number), 0) FROM baton.commits").first ?? "") ?? 0
    let (ownBefore, otherBefore) = (processorSeconds(getpid()), processorSeconds(of: cluster))
    let started = ContinuousClock.now
    let (chosen, each) = (relays, channels / count)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for engine in engines { group.addTask { try await create(each, by: engine, on: chosen, callers: 256 / count) } }
      try await group.waitForAll()
    }
    let active = "SELECT count(*) FROM baton.channel_relays WHERE status = 'active'"
    while Int(try await sql(cluster, active).first ?? "") ?? 0 < each * count * 3 {}
    let took = seconds(ContinuousClock.now - started)
    var run = SharedRun(
      rate: Double(each * count) / took, ours: (processorSeconds(getpid()) - ownBefore) / took,
      database: (processorSeconds(of: cluster) - otherBefore) / took)
    for engine in engines { await engine.stop() }
    if isCompared {
      let trace = key.path + "/trace"
      let lines = try await sql(cluster, steps(after: before))
      run.commits = Double(lines.count { $0 == "B" }) / Double(channels)
      try (lines.joined(separator: "\n") + "\n").write(toFile: trace, atomically: true, encoding: .utf8)
      _ = try await sql(cluster, empty)
      // The same server, so that it is as it was.
      let address = cluster.address("options='-c search_path=bare'")
      run.bare = Double(channels) / (try await secondsOfLimit("bare_postgresql", [address, trace]))
    }
    await cluster.stop()
    return run
  }

  /// Creates channels on these relays, by so many callers at once.
  private static func create(_ count: Int, by daemon: TestDaemon, on relays: [RelayID], callers: Int) async throws {
    guard let coordinator = daemon.coordinator else { throw CancellationError() }
    let name = daemon.name
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<callers {
        group.addTask {
          for number in stride(from: worker, to: count, by: callers) {
            _ = try await coordinator.create(
              ChannelRequest(profile: Profile(displayName: "Channel \(number) of \(name)"), relays: relays))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func sql(_ cluster: PostgreSQLCluster, _ text: String) async throws -> [String] {
    let (status, lines) = try await Program.run(
      PostgreSQLCluster.psql, ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", cluster.address(), "-c", text])
    guard status == 0 else { throw Program.Ended(description: "psql: \(lines)") }
    return lines
  }

  /// Empty tables of the same form in another schema.
  private static let empty =
    "CREATE SCHEMA bare;"
    + ["sessions", "commits", "channels", "channel_relays", "transitions", "changes"].map {
      "CREATE TABLE bare.\($0) (LIKE baton.\($0) INCLUDING ALL);"
    }.joined()
    + "INSERT INTO bare.sessions (id, name, version, schema, expires) OVERRIDING SYSTEM VALUE VALUES (1, 'bare', '', 1, now());"

  /// What was written by the commits after one, in the notation of `limits/bare_postgresql.c`. Relays of channels have no revisions: they are
  /// written with their channel, and again in each commit with transitions of theirs.
  private static func steps(after commit: Int) -> String {
    """
    WITH c AS MATERIALIZED (SELECT number, base, count FROM baton.commits WHERE number > \(commit)),
      t AS (SELECT c.number, t.* FROM c JOIN baton.transitions t ON t.revision > c.base AND t.revision <= c.base + c.count),
      h AS (SELECT c.number, h.revision, h.channel_id FROM c JOIN baton.changes h ON h.revision > c.base AND h.revision <= c.base + c.count
        WHERE h.channel_id IS NOT NULL AND h.relay_id IS NULL),
      l AS (SELECT number, channel_id, max(revision) AS revision, min(number) OVER (PARTITION BY channel_id) AS first
        FROM h GROUP BY number, channel_id),
      s AS (SELECT number, revision, channel_id, relay_id, to_status AS status FROM t
        UNION ALL SELECT number, 0, channel_id, r.relay_id, 'new' FROM l JOIN baton.channel_relays r USING (channel_id)
          WHERE number = first),
      r AS (SELECT DISTINCT ON (number, channel_id, relay_id) * FROM s ORDER BY number, channel_id, relay_id, revision DESC)
    SELECT line FROM (
      SELECT number, 1 AS kind, 'T ' || revision || ' ' || channel_id || ' ' || relay_id AS line FROM t
      UNION ALL SELECT number, 2, 'R ' || channel_id || ' ' || relay_id || ' ' || status FROM r
      UNION ALL SELECT number, 3, 'C ' || revision || ' ' || channel_id FROM h
      UNION ALL SELECT number, 4, CASE WHEN number = first THEN 'I ' || channel_id ELSE 'U ' || channel_id || ' ' || revision END FROM l
      UNION ALL SELECT number, 5, 'B' FROM c) steps ORDER BY number, kind
    """
  }

  /// Processor time of a server and of everything that it has started, ended ones included, in seconds.
  private static func processorSeconds(of cluster: PostgreSQLCluster) -> Double {
    let parent = cluster.process.pid
    let children = (try? String(contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)) ?? ""
    let stat = (try? String(contentsOfFile: "/proc/\(parent)/stat", encoding: .utf8)) ?? ""
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst()
    let ended = fields.dropFirst(13).prefix(2).compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    return children.split(separator: " ").compactMap { Int32($0) }.reduce(processorSeconds(parent) + ended) {
      $0 + processorSeconds($1)
    }
  }

  // MARK: - Between daemons

  /// Two daemons: how long others have no daemon after one was killed, and how soon whoever watches one hears of what the other has done.
  static func sharedDaemons() async throws {
    let cluster = try await PostgreSQLCluster()
    let key = try TemporaryFolder.withKey()
    let sandbox = try Program("baton-sandbox", ["--relays", "2"])
    let urls = try await sandbox.sandboxRelays(2)
    let folders = [try TemporaryFolder(), try TemporaryFolder()]
    func start(_ number: Int) async throws -> Program {
      try await daemon(
        folders[number],
        environment: [
          "BATON_STORE": cluster.address(), "BATON_CLUSTER_NAME": "d\(number)", "CREDENTIALS_DIRECTORY": key.path,
        ])
    }
    var programs = [try await start(0), try await start(1)]
    var clients = [
      try await BatonClient(socket: folders[0].path + "/c"), try await BatonClient(socket: folders[1].path + "/c"),
    ]
    func share(seenBy number: Int, _ wanted: Int) async throws {
      while try await clients[number].daemon.cluster().daemons.first(where: \.own)?.slots != wanted {
        try await Task.sleep(for: .milliseconds(10))
      }
    }
    for number in 0..<2 { try await share(seenBy: number, 512) }
    for (number, url) in urls.enumerated() { _ = try await clients[0].relays.add(AddRelay(address: url, name: "r\(number)")) }
    let channel = try await clients[0].channels.create(CreateChannel(profile: .init(displayName: "News")))
    // The one that was there first has the lower half of the slots.
    try await hearing(of: channel.id, by: clients[0], at: clients[1])
    var takeovers: [Double] = []
    for round in 0..<10 {
      let (dead, other) = (round % 2, 1 - round % 2)
      programs[dead].signal(SIGKILL)
      let killed = ContinuousClock.now
      _ = await programs[dead].status()
      await clients[dead].close()
      try await share(seenBy: other, SlotSet.count)
      takeovers.append(seconds(ContinuousClock.now - killed))
      programs[dead] = try await start(dead)
      clients[dead] = try await BatonClient(socket: folders[dead].path + "/c")
      try await share(seenBy: dead, 512)
    }
    takeovers.sort()
    row(
      "after kill -9 the other daemon has all channels, 10 times: median; the longest",
      "\(format(takeovers[5], 2)) s; \(format(takeovers[9], 2)) s", "a session lasts 5 s, and its end is seen for 1 s",
      format(takeovers[5] / 6, 2))
    for client in clients { await client.close() }
    for program in programs { await stop(program) }
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
    await cluster.stop()
  }

  /// From the reply to a change at the daemon that has the channel until whoever watches the other one has it.
  private static func hearing(of channel: Int64, by owner: BatonClient, at other: BatonClient) async throws {
    let count = 300
    let changes = try await other.monitor.watch()
    let heard = Task {
      var times: [String: ContinuousClock.Instant] = [:]
      for try await change in changes {
        guard change.kind == "channel", let words = change.after?["profile"]?["description"]?.string else { continue }
        times[words] = times[words] ?? .now
        if words == "no \(count)" { break }
      }
      return times
    }
    var told: [String: ContinuousClock.Instant] = [:]
    for number in 1...count {
      let words = "no \(number)"
      _ = try await owner.channels.update(UpdateChannel(id: channel, description: words))
      told[words] = .now
      // Others get an object as it is when they read it, so each change has to be read before the next one.
      try await Task.sleep(for: .milliseconds(.random(in: 150...250)))
    }
    let times = try await heard.value
    let waits = told.compactMap { words, at in times[words].map { max(0, seconds($0 - at) * 1_000) } }.sorted()
    row(
      "a change at one daemon until whoever watches the other has it, \(waits.count) of \(count) times: median; 99 of 100",
      "\(format(waits[waits.count / 2])) ms; \(format(waits[waits.count * 99 / 100])) ms", "budget 250 ms",
      format(waits[waits.count * 99 / 100] / 250, 2))
  }
}
