import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Daemons that share a PostgreSQL database, and an independent relay.
final class ClusterDaemons: Sendable {
  let database: PostgreSQLCluster
  let relay: ThirdPartyRelay
  private let address: String
  private let running: Program
  private let key: TemporaryFolder

  /// - Parameter isGuarded: whether the database asks for a password, over TLS.
  init(isGuarded: Bool = false) async throws {
    // Nothing is lost here but with the machine.
    database = try await PostgreSQLCluster(["fsync": "off"], isGuarded: isGuarded)
    address = isGuarded ? database.guardedAddress() : database.address()
    relay = try ThirdPartyRelay()
    running = try await relay.start()
    key = try TemporaryFolder.withKey()
  }

  /// A daemon of this name. All of them have the same key, handed over as systemd does.
  func installation(_ name: String, _ more: [String: String] = [:]) throws -> Installation {
    let shared = ["BATON_STORE": address, "BATON_CLUSTER_NAME": name, "CREDENTIALS_DIRECTORY": key.path]
    return try Installation(shared.merging(more) { own, _ in own })
  }

  /// Returns once it holds.
  func until(_ holds: () async throws -> Bool) async throws {
    while try await !holds() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}

extension Program {
  /// Returns once the daemon has so many of the 1024 slots.
  func slots(_ count: Int) async throws { try await line(containing: "this daemon has \(count) of 1024 slots") }
}

extension BatonClient {
  /// - Returns: the id of a new channel.
  func make(_ name: String) async throws -> Int64 {
    try await channels.create(CreateChannel(profile: Profile(displayName: name))).id
  }
}

/// What a client that watches a daemon gets, from the beginning on.
private actor Watched {
  private(set) var revisions: [Int64] = []
  private var task: Task<Void, Never>?

  func begin(_ installation: Installation) async throws {
    let changes = try await installation.client().monitor.watch(WatchRequest(since: 0))
    task = Task {
      do { for try await change in changes where change.kind != "end" { revisions.append(change.revision) } } catch {}
    }
  }

  /// Waits until everything up to `revision` has come.
  func reached(_ revision: Int64) async {
    while revisions.last ?? 0 < revision, !Task.isCancelled { await Task.yield() }
  }

  func end() { task?.cancel() }
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ClusterTests {
  /// Every call may be made at every daemon, whoever has what it is about.
  @Test func everyDaemonAnswersEveryCall() async throws {
    let daemons = try await ClusterDaemons()
    let relay = daemons.relay
    let (a, b) = (try daemons.installation("a"), try daemons.installation("b"))
    let first = try await a.start()
    try await first.slots(1024)
    let second = try await b.start()
    let (seenByA, seenByB) = (Watched(), Watched())
    try await seenByA.begin(a)
    try await seenByB.begin(b)
    // The second one has nothing yet, so all of this is done by the first.
    try await b.addRelays([relay.url])
    #expect(try await b.client().relays.get(id: 1).name == "r1")
    let early = try await b.control("channel", "create", "Early", "--timeout", "120s")
    #expect(early.status == 0, "\(early.lines)")
    try await second.slots(512)

    let one = try await a.client().make("One")
    let two = try await b.client().make("Two")
    // Each changes what the other has.
    for (installation, id, words) in [(b, one, "changed by b"), (a, two, "changed by a")] {
      let changed = try await installation.control("channel", "update", "\(id)", "--description", words)
      #expect(changed.status == 0, "\(changed.lines)")
      let channel = try await installation.channel(id) { $0.phase == "active" && $0.profile.description == words }
      #expect(channel.relays.count == 1)
      let post = try await installation.control("post", "\(id)", "Hello", "--wait", "all", "--timeout", "120s")
      #expect(post.status == 0 && post.lines.contains { $0.contains("1 of 1 relays") }, "\(post.lines)")
    }
    // A refusal is that of the daemon that has it.
    let empty = try await b.control("channel", "update", "\(one)", "--name", String(repeating: "x", count: 5_000))
    #expect(empty.status != 0 && empty.lines.contains { $0.contains("name") }, "\(empty.lines)")
    for number in [999_998, 999_999, 1_000_000] {
      let unknown = try await b.control("channel", "verify", "\(number)")
      #expect(unknown.status != 0 && unknown.lines.contains { $0.contains("no channel") }, "\(unknown.lines)")
    }
    // What one has added, the other uses at once.
    #expect(try await b.control("identity", "add", "press").status == 0)
    let press = try await b.control("channel", "create", "Press", "--identity", "press", "--timeout", "120s")
    #expect(press.status == 0, "\(press.lines)")
    #expect(try await a.control("identity", "list").lines.contains { $0.contains("press") })
    #expect(try await b.control("relay", "update", "r1", "--name", "renamed").status == 0)
    #expect(try await b.control("relay", "list").lines.contains { $0.contains("renamed") })

    // Readers find what was published, once.
    let events = try await a.events(at: relay.url, .object(["kinds": .array([.integer(40)])]))
    #expect(events.count == 4)
    // A daemon that is drained gives everything away, and goes on answering.
    #expect(try await a.control("cluster", "drain", "a", "--yes").status == 0)
    try await second.slots(1024)
    let members = try await b.client().daemon.cluster().daemons
    #expect(
      members.map(\.name) == ["a", "b"] && members.map(\.slots) == [0, 1024] && members.map(\.catalog) == [false, true])
    #expect(try await a.control("channel", "update", "\(one)", "--description", "drained").status == 0)
    let late = try await a.control("channel", "create", "Late", "--timeout", "120s")
    #expect(late.status == 0, "\(late.lines)")
    #expect(try await a.control("cluster").lines.contains { $0.contains("draining") && $0.contains("a *") })
    #expect(try await a.control("cluster", "drain", "nobody", "--yes").status != 0)
    #expect(try await a.control("status").lines.contains { $0.hasPrefix("daemons") && $0.contains("2, 0 silent") })
    // All that watch get the same, without gaps.
    let end = try await a.client().daemon.status().revision
    for watched in [seenByA, seenByB] {
      await watched.reached(end)
      let revisions = await watched.revisions
      #expect(revisions.prefix(Int(end)) == Array(1...end)[...])
      await watched.end()
    }
    first.signal(SIGTERM)
    second.signal(SIGTERM)
    #expect(await first.status() == 0)
    #expect(await second.status() == 0)
  }

  /// A daemon is killed while channels are being created. The other one finishes them.
  @Test func aDaemonThatDiesIsReplaced() async throws {
    let daemons = try await ClusterDaemons()
    let relay = daemons.relay
    let (a, b) = (try daemons.installation("a"), try daemons.installation("b"))
    let first = try await a.start()
    try await first.slots(1024)
    let second = try await b.start()
    try await a.addRelays([relay.url])
    try await second.slots(512)
    let watched = Watched()
    try await watched.begin(b)

    // What was answered counts, whoever answered.
    var answered: [Int64] = []
    for number in 1...10 { answered.append(try await b.client().make("B \(number)")) }
    let client = try await a.client()
    for number in 1...10 { answered.append(try await client.make("A \(number)")) }
    kill(first.pid, SIGKILL)
    _ = await first.status()
    try await second.slots(1024)
    for id in answered { _ = try await b.channel(id) { $0.phase == "active" } }
    let list = try await b.client().channels.all().map(\.id)
    #expect(Set(list) == Set(answered) && list.count == 20)
    let events = try await b.events(at: relay.url, .object(["kinds": .array([.integer(40)])]))
    #expect(events.count == 20, "one announcement for each channel")
    // It comes back, and has its share.
    let again = try await a.start()
    try await again.slots(512)
    for id in answered.prefix(3) {
      #expect(try await a.control("channel", "update", "\(id)", "--description", "again").status == 0)
    }
    let end = try await b.client().daemon.status().revision
    await watched.reached(end)
    #expect(await watched.revisions.prefix(Int(end)) == Array(1...end)[...])
    await watched.end()
  }

  /// A daemon sleeps for longer than its session lasts. When it wakes, it does nothing more in its name, and ends.
  @Test func aDaemonThatSleptEnds() async throws {
    let daemons = try await ClusterDaemons()
    let relay = daemons.relay
    let (a, b) = (try daemons.installation("a"), try daemons.installation("b"))
    let first = try await a.start()
    try await first.slots(1024)
    try await a.addRelays([relay.url])
    let id = try await a.client().make("News")
    _ = try await a.channel(id) { $0.phase == "active" }
    let second = try await b.start()
    kill(first.pid, SIGSTOP)
    // Its end must not wait for the test's.
    defer { kill(first.pid, SIGCONT) }
    try await second.slots(1024)
    let changed = try await b.control("channel", "update", "\(id)", "--description", "meanwhile")
    #expect(changed.status == 0, "\(changed.lines)")
    kill(first.pid, SIGCONT)
    #expect(await first.status() == 75)
    #expect(first.lines.contains { $0.contains("the session of this daemon in the database is over") })
    let again = try await a.start()
    #expect(try await a.client().channels.get(id: id).profile.description == "meanwhile")
    again.signal(SIGTERM)
    #expect(await again.status() == 0)
  }

  /// A daemon dies with a call that it has taken. Whoever made it is told that no one knows, and not that the daemon has a fault.
  @Test func whatADeadDaemonHadTakenIsNotKnown() async throws {
    let daemons = try await ClusterDaemons()
    let (a, b) = (try daemons.installation("a"), try daemons.installation("b"))
    let first = try await a.start()
    try await first.slots(1024)
    try await a.addRelays([daemons.relay.url])
    let id = try await a.client().make("News")
    let second = try await b.start()
    kill(first.pid, SIGSTOP)
    let asked = Task { try await b.control("channel", "update", "\(id)", "--description", "lost") }
    let reader = StormReader { [database = daemons.database] in database.address() }
    // As if it had taken it a moment before.
    try await reader.waits(
      for: "UPDATE calls SET taker = (SELECT max(id) FROM sessions WHERE name = 'a') WHERE taker IS NULL RETURNING id")
    kill(first.pid, SIGKILL)
    let answer = try await asked.value
    #expect(
      answer.status != 0 && answer.lines.contains { $0.contains("the outcome is unknown") }, "\(answer.lines)")
    #expect(answer.lines.contains { $0.contains("Check whether it took effect before you try again") }, "\(answer.lines)")
    #expect(!second.lines.contains { $0.contains("fault in the daemon") })
    #expect(try await b.control("channel", "update", "\(id)", "--description", "found").status == 0)
  }

  /// What one daemon dates, others read. So none begins whose clock is more than a minute off, and one that is off by less warns.
  @Test(arguments: [(-300, "ahead of"), (300, "behind"), (30, nil)])
  func aDaemonWhoseClockIsWrongDoesNotBegin(_ offset: Int, _ words: String?) async throws {
    let daemons = try await ClusterDaemons()
    let clock = try OtherClock(.seconds(offset))
    defer { withExtendedLifetime(clock) {} }
    let installation = try daemons.installation("a", clock.settings)
    guard let words else {
      let program = try await installation.start()
      try await program.line(containing: "the clock of the database is")
      try await program.slots(1024)
      program.signal(SIGTERM)
      #expect(await program.status() == 0)
      return
    }
    let ended = try await installation.runToEnd()
    #expect(ended.status == 74)
    let last = ended.lines.last ?? ""
    #expect(last.contains(words) && last.contains("Set the clocks right"), "\(ended.lines)")
  }

  /// Two daemons have the same name. The later one ends, and a daemon that was killed is not taken for another.
  @Test func twoDaemonsMayNotHaveTheSameName() async throws {
    let daemons = try await ClusterDaemons()
    let (a, b) = (try daemons.installation("a"), try daemons.installation("a"))
    let killed = try await a.start()
    try await killed.slots(1024)
    killed.signal(SIGKILL)
    _ = await killed.status()
    let first = try await a.start()
    try await first.slots(1024)
    let second = try await b.runToEnd()
    #expect(second.status == 78)
    #expect(
      second.lines.contains { $0.contains("another daemon that shares this database is called 'a' too") }, "\(second.lines)")
    #expect(!second.lines.contains { $0.contains("is ready") }, "\(second.lines)")
    #expect(try await a.control("identity", "add", "press").status == 0)
    first.signal(SIGTERM)
    #expect(await first.status() == 0)
  }

  /// All secrets get another key while no daemon runs, and a daemon without it does not begin.
  @Test func theKeyIsChangedForAllDaemons() async throws {
    let database = try await PostgreSQLCluster(["fsync": "off"])
    let a = try Installation(["BATON_STORE": database.address(), "BATON_CLUSTER_NAME": "a"])
    let b = try Installation(["BATON_STORE": database.address(), "BATON_CLUSTER_NAME": "b"])
    func rotate(_ more: String...) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("batond", ["rotate-key", "--state-dir", a.folder.path + "/state"] + more, environment: a.settings)
    }
    let first = try await a.start()
    try await first.slots(1024)
    #expect(try await a.control("identity", "add", "press").status == 0)
    let running = try await rotate()
    #expect(
      running.status == 75 && running.lines.contains { $0.contains("in use by another batond") }, "\(running.lines)")
    // Nor does another daemon use the same directory, whatever it is called.
    let beside = try await a.runToEnd(["BATON_CLUSTER_NAME": "c"])
    #expect(beside.status == 75 && beside.lines.contains { $0.contains("in use by another batond") }, "\(beside.lines)")
    first.signal(SIGTERM)
    #expect(await first.status() == 0)
    let file = a.folder.path + "/state/identity.key"
    let old = a.folder.path + "/old.key"
    try FileManager.default.copyItem(atPath: file, toPath: old)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    // Another key opens nothing, and changes nothing.
    let wrong = a.folder.path + "/wrong.key"
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: wrong))
    let refused = try await rotate("--from", wrong)
    #expect(refused.status == 77 && refused.lines.contains { $0.contains("does not open") }, "\(refused.lines)")
    let rotated = try await rotate()
    #expect(
      rotated.status == 0 && rotated.lines.contains { $0.contains("Encrypted 2 secrets in the database") }, "\(rotated.lines)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) != before)
    // The old key is kept, and opens what was stored before.
    let kept = try FileManager.default.contentsOfDirectory(atPath: a.folder.path + "/state")
      .filter { $0.hasPrefix("identity.key.before-") }
    #expect(kept.count == 1)
    for name in kept { #expect(try Data(contentsOf: URL(fileURLWithPath: a.folder.path + "/state/" + name)) == before) }
    // A new key that was never used does not keep another attempt from succeeding.
    try Data(repeating: 9, count: 32).write(to: URL(fileURLWithPath: file + ".new"))
    chmod(file + ".new", 0o600)
    let current = a.folder.path + "/current.key"
    try FileManager.default.copyItem(atPath: file, toPath: current)
    let again = try await rotate("--from", current)
    #expect(again.status == 0, "\(again.lines)")
    let there = a.folder.path + "/there.key"
    try Data(repeating: 11, count: 32).write(to: URL(fileURLWithPath: there))
    for _ in 1...2 {
      let moved = try await rotate("--to", there)
      #expect(
        moved.status == 0 && moved.lines.contains { $0.contains("All daemons now need the key") }, "\(moved.lines)")
    }
    let returned = try await rotate("--from", there)
    #expect(returned.status == 0, "\(returned.lines)")

    // The old key is of no use, and the new one is.
    try FileManager.default.createDirectory(atPath: b.folder.path + "/state", withIntermediateDirectories: true)
    let own = b.folder.path + "/state/identity.key"
    try FileManager.default.copyItem(atPath: old, toPath: own)
    let without = try await b.runToEnd()
    #expect(without.status == 77 && !without.lines.contains { $0.contains("is ready") }, "\(without.lines)")
    // A change that was interrupted before the new key was in its place is ended at the start.
    try FileManager.default.copyItem(atPath: file, toPath: own + ".new")
    let second = try await b.start()
    #expect(try await b.control("identity", "list").lines.contains { $0.contains("press") })
    #expect(!FileManager.default.fileExists(atPath: own + ".new"))
    second.signal(SIGTERM)
    #expect(await second.status() == 0)
  }

  /// A daemon with another key begins nothing, and one without a key makes none where one is needed.
  @Test func aDaemonWithAnotherKeyDoesNotBegin() async throws {
    let daemons = try await ClusterDaemons()
    let a = try daemons.installation("a")
    let first = try await a.start()
    try await first.slots(1024)
    let other = try Installation(["BATON_STORE": daemons.database.address(), "BATON_CLUSTER_NAME": "c"])
    let without = try await other.runToEnd()
    #expect(without.status == 77 && without.lines.contains { $0.contains("Copy identity.key") }, "\(without.lines)")
    let wrong = try TemporaryFolder()
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: wrong.path + "/identity.key"))
    let with = try await other.runToEnd(["CREDENTIALS_DIRECTORY": wrong.path])
    #expect(with.status == 77, "\(with.lines)")
    #expect(!with.lines.contains { $0.contains("is ready") })
    // What works on files leaves them alone: the key that all daemons have must not be replaced.
    for command in [["restore", "/dev/null"], ["run", "--start-empty"]] {
      let refused = try await Program.run(
        "batond", command + ["--state-dir", a.folder.path + "/state"], environment: a.settings)
      #expect(refused.status == 78 && refused.lines.contains { $0.contains("PostgreSQL") }, "\(refused.lines)")
    }
    let backup = try await a.control("backup", a.folder.path + "/copy")
    #expect(backup.status != 0 && backup.lines.contains { $0.contains("pg_dump") }, "\(backup.lines)")
    // The first one still has everything.
    #expect(try await a.control("identity", "list").lines.contains { $0.contains("main") })
    first.signal(SIGTERM)
    #expect(await first.status() == 0)
  }

  /// The database is restarted. No one loses channels, and all goes on.
  @Test func theDatabaseIsRestarted() async throws {
    let daemons = try await ClusterDaemons()
    let relay = daemons.relay
    let a = try daemons.installation("a")
    let first = try await a.start()
    try await first.slots(1024)
    try await a.addRelays([relay.url])
    let id = try await a.client().make("Before")
    await daemons.database.stop()
    let refused = try await a.control("channel", "create", "Meanwhile", "--timeout", "120s")
    #expect(refused.status != 0, "\(refused.lines)")
    try await daemons.database.restart()
    var status: Int32 = 1
    while status != 0 { status = try await a.control("channel", "update", "\(id)", "--description", "after").status }
    _ = try await a.channel(id) { $0.phase == "active" && $0.profile.description == "after" }
    #expect(!first.lines.contains { $0.contains("session of this daemon in the database is over") })
    first.signal(SIGTERM)
    #expect(await first.status() == 0)
  }
}
