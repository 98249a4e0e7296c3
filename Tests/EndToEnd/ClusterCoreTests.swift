import BatonClient
import ControlAPI
import Foundation
import Glibc
import NIOPosix
import ScriptedCore
import StrictJSON
import TestTools
import Testing

/// Daemons that share a database, one of which has a chat core. What is in a core cannot move.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ClusterCoreTests {
  private static let relays = (1...3).map { "https://smp\($0).simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" }
  private static let slots = 1_008..<1_024

  private func isInCore(_ id: Int64) -> Bool { Self.slots.contains(Int(id % 1_024)) }

  /// A daemon with a core beside one without. Whoever is asked, the one with the core acts, and while it is gone its channels wait.
  @Test func channelsOfACoreWaitForItsDaemon() async throws {
    let daemons = try await ClusterDaemons()
    let core = try await ScriptedServer(CoreModel(relays: Self.relays), group: MultiThreadedEventLoopGroup.singleton)
    let address = "127.0.0.1:\(try await core.port)"
    let (a, b) = (try daemons.installation("a", ["BATON_SIMPLEX_CORE": address]), try daemons.installation("b"))
    // The one without a core comes first, and has all slots until one is pinned.
    let second = try await b.start()
    try await second.slots(1_024)
    let first = try await a.start()
    try await first.slots(512)
    let client = try await b.client()
    let together = try await client.daemon.cluster()
    #expect(together.daemons.map(\.core) == [true, false] && together.daemons.map(\.catalog) == [false, true])
    #expect(together.cores.map(\.daemon) == ["a"] && together.cores.allSatisfy(\.present))

    for number in 1...3 {
      let added = try await b.control("relay", "add", Self.relays[number - 1], "--name", "s\(number)")
      #expect(added.status == 0, "\(added.lines)")
    }
    try await b.addRelays([daemons.relay.url])
    let refused = try await b.control("channel", "create", "No one", "--relay", "s1")
    #expect(refused.status != 0 && refused.lines.contains { $0.contains("has a chat core") }, "\(refused.lines)")
    let created = try await a.control("channel", "create", "Evening", "--relay", "s1", "--relay", "s2", "--quiet")
    #expect(created.status == 0, "\(created.lines)")
    let link = try #require(created.lines.last)
    let evening = try #require(try await a.client().channels.all().first)
    #expect(isInCore(evening.id))
    // Other channels get no ids among these, and what is in the core is shown and changed at both.
    let nostr = try await a.client().make("News")
    #expect(!isInCore(nostr))
    let seen = try await b.channel(evening.id) { $0.phase == "active" }
    #expect(seen.link == link && seen.network == "simplex")
    #expect(try await b.control("channel", "update", "Evening", "--description", "from b").status == 0)
    _ = try await a.channel(evening.id) { $0.profile.description == "from b" && $0.relays.allSatisfy { $0.edition == 2 } }
    let post = try await b.control("post", "Evening", "Hello", "--wait", "all", "--timeout", "120s")
    #expect(post.status == 0, "\(post.lines)")
    // It is not drained: no one else could act for it.
    #expect(try await b.control("cluster", "drain", "a", "--yes").status == 0)
    try await daemons.until { try await client.daemon.cluster().daemons.map(\.slots) == [1, 1_023] }
    let last = try await a.control("post", "Evening", "Still here", "--wait", "all", "--timeout", "120s")
    #expect(last.status == 0, "\(last.lines)")

    // The daemon with the core dies. Its other channels are taken over, and those on SimpleX wait.
    first.signal(SIGKILL)
    _ = await first.status()
    _ = try await b.channel(nostr) { $0.phase == "active" }
    try await daemons.until { try await client.daemon.cluster().cores.allSatisfy { !$0.present } }
    let alone = try await client.daemon.cluster()
    #expect(alone.cores == [SharedCore(daemon: "a", present: false, channels: 1)])
    #expect(try await client.daemon.status().channelsWaitingForCores == 1)
    let words = try await b.control("cluster").lines
    #expect(words.contains { $0.contains("1 channel on SimpleX waits for the daemon 'a'") }, "\(words)")
    #expect(try await b.control("status").lines.contains { $0.hasPrefix("waiting") && $0.contains("1 channel on SimpleX") })
    let waiting = try await b.control("channel", "update", "Evening", "--description", "too early")
    #expect(
      waiting.status != 0 && waiting.lines.contains { $0.contains("belongs to the daemon 'a', which has not answered") },
      "\(waiting.lines)")
    #expect(try await b.client().channels.get(id: evening.id).profile.description == "from b")

    // It comes back, has its slot at once, and asks the core for nothing twice.
    // It may be another machine, with the core and the name of the one that is lost.
    let other = try daemons.installation("a", ["BATON_SIMPLEX_CORE": address])
    let again = try await other.start()
    let updated = try await b.control("channel", "update", "Evening", "--description", "later")
    #expect(updated.status == 0, "\(updated.lines)")
    let after = try await b.channel(evening.id) {
      $0.profile.description == "later" && $0.relays.allSatisfy { $0.status == "active" && $0.edition == 3 }
    }
    #expect(after.link == link)
    // What others say is read there, whoever is asked.
    #expect(try await b.control("messages", "sync", "Evening").status == 0)
    #expect(try await core.received.count { $0.hasPrefix("/_public group") } == 1)
    for program in [again, second] {
      program.signal(SIGTERM)
      #expect(await program.status() == 0)
    }
    try await core.stop()
  }

  /// Two daemons with a core each: neither touches what is in the other's, though their cores use the same numbers.
  @Test func coresAreKeptApart() async throws {
    let daemons = try await ClusterDaemons()
    let group = MultiThreadedEventLoopGroup.singleton
    let cores = [
      try await ScriptedServer(CoreModel(relays: Self.relays), group: group),
      try await ScriptedServer(CoreModel(relays: Self.relays), group: group),
    ]
    var installations: [Installation] = []
    var programs: [Program] = []
    for (name, core) in zip(["a", "b"], cores) {
      installations.append(try daemons.installation(name, ["BATON_SIMPLEX_CORE": "127.0.0.1:\(try await core.port)"]))
      programs.append(try await installations[programs.count].start())
    }
    for number in 1...3 {
      let added = try await installations[0].control("relay", "add", Self.relays[number - 1], "--name", "s\(number)")
      #expect(added.status == 0, "\(added.lines)")
    }
    for (number, installation) in installations.enumerated() {
      let name = ["Morning", "Evening"][number]
      if number == 1 {
        // Its core has nothing yet. That it lacks the other's channel does not make it a stranger.
        programs[1].signal(SIGTERM)
        #expect(await programs[1].status() == 0)
        programs[1] = try await installation.start()
      }
      let created = try await installation.control("channel", "create", name, "--relay", "s1", "--relay", "s2", "--quiet")
      #expect(created.status == 0, "\(created.lines)")
    }
    let all = try await installations[0].client().channels.all()
    #expect(all.count == 2 && all.allSatisfy { isInCore($0.id) } && Set(all.map { $0.id % 1_024 }).count == 2)
    // Each is asked to change the other's.
    for (installation, name) in zip(installations, ["Evening", "Morning"]) {
      let changed = try await installation.control("channel", "update", name, "--description", "changed")
      #expect(changed.status == 0, "\(changed.lines)")
      let post = try await installation.control("post", name, "in \(name)", "--wait", "all", "--timeout", "120s")
      #expect(post.status == 0, "\(post.lines)")
      #expect(try await installation.control("channel", "verify", name).status == 0)
    }
    for (number, core) in cores.enumerated() {
      let (own, other) = number == 0 ? ("Morning", "Evening") : ("Evening", "Morning")
      let received = try await core.received
      #expect(received.count { $0.hasPrefix("/_public group") } == 1)
      #expect(received.contains { $0.contains("in \(own)") } && !received.contains { $0.contains(other) })
    }
    #expect(try await installations[1].control("channel", "delete", "Morning", "--yes").status == 0)
    _ = try await installations[1].channel(all.first { $0.profile.displayName == "Morning" }?.id ?? 0) { $0.phase == "deleted" }
    #expect(try await cores[0].received.count { $0.hasPrefix("/_delete #") } == 1)
    #expect(try await cores[1].received.count { $0.hasPrefix("/_delete #") } == 0)
    for program in programs {
      program.signal(SIGTERM)
      #expect(await program.status() == 0)
    }
    for core in cores { try await core.stop() }
  }

  /// There is no slot left for another core. The daemon says so and ends, and takes no channels that it could not serve.
  @Test func oneCoreTooManyDoesNotBegin() async throws {
    let daemons = try await ClusterDaemons()
    let second = try await daemons.installation("b").start()
    try await second.slots(1_024)
    let reader = StormReader { [database = daemons.database] in database.address() }
    _ = try await reader.rows("UPDATE slots SET core = 'daemon ' || id WHERE id >= \(Self.slots.lowerBound)")
    let a = try daemons.installation("a", ["BATON_SIMPLEX_CORE": "127.0.0.1:1"])
    let ended = try await a.runToEnd()
    #expect(ended.status == 78)
    #expect(ended.lines.last?.contains("there is no slot for one more") == true, "\(ended.lines)")
    #expect(!ended.lines.contains { $0.contains("of 1024 slots") })
    second.signal(SIGTERM)
    #expect(await second.status() == 0)
  }

  /// Files that declare operators are compared between daemons.
  @Test func otherFilesOfOperatorsAreNoticed() async throws {
    let daemons = try await ClusterDaemons()
    let text = "operators:\n  - name: Example\n    domains: [example.org]\n"
    func folder(_ text: String) throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      try text.write(toFile: folder.path + "/one.yaml", atomically: true, encoding: .utf8)
      return folder
    }
    let (one, two) = (try folder(text), try folder(text))
    let a = try daemons.installation("a", ["BATON_OPERATORS_DIRECTORY": one.path])
    let b = try daemons.installation("b", ["BATON_OPERATORS_DIRECTORY": two.path])
    let first = try await a.start()
    try await first.slots(1_024)
    let second = try await b.start()
    let client = try await a.client()
    let reader = StormReader { [database = daemons.database] in database.address() }
    try await reader.waits(for: "SELECT 1 WHERE (SELECT count(declarations) FROM sessions) = 2")
    #expect(try await client.daemon.status().daemonsWithOtherFiles == 0)
    try (text + "# and more\n").write(toFile: two.path + "/one.yaml", atomically: true, encoding: .utf8)
    #expect(try await b.control("reload").status == 0)
    try await second.line(containing: "the files that declare operators differ from the files of 'a'")
    try await daemons.until { try await client.daemon.status().daemonsWithOtherFiles == 1 }
    #expect(try await client.daemon.cluster().daemons.map(\.otherFiles) == [false, true])
    let words = try await a.control("cluster").lines
    #expect(words.contains { $0.hasPrefix("b ") && $0.contains("other files") }, "\(words)")
    #expect(try await a.control("status").lines.contains { $0.contains("1 with other files of operators") })
    try (text + "# and more\n").write(toFile: one.path + "/one.yaml", atomically: true, encoding: .utf8)
    #expect(try await a.control("reload").status == 0)
    try await daemons.until { try await client.daemon.status().daemonsWithOtherFiles == 0 }
    for program in [first, second] {
      program.signal(SIGTERM)
      #expect(await program.status() == 0)
    }
  }
}
