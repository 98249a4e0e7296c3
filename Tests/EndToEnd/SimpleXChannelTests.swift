import BatonClient
import ControlAPI
import Foundation
import Glibc
import NIOPosix
import ScriptedCore
import StrictJSON
import TestTools
import Testing

/// Channels on SimpleX, beside others on Nostr, as people see them: the daemon, its command line, and a scripted core.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SimpleXChannelTests {
  private static let relays = (1...4).map { "https://smp\($0).simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" }

  /// A core with these relays, and a daemon that uses it.
  private func start(
    _ behaviours: [Int: RelayBehaviour] = [:], _ settings: [String: String] = [:]
  ) async throws -> (core: ScriptedServer, baton: Installation, daemon: Program) {
    var model = CoreModel(relays: Self.relays)
    for (relay, behaviour) in behaviours { model.behaviours[Self.relays[relay - 1]] = behaviour }
    let core = try await ScriptedServer(model, group: MultiThreadedEventLoopGroup.singleton)
    let baton = try Installation(settings.merging(["BATON_SIMPLEX_CORE": "127.0.0.1:\(try await core.port)"]) { own, _ in own })
    let daemon = try await baton.start()
    for number in 1...4 {
      let added = try await baton.control("relay", "add", Self.relays[number - 1], "--name", "s\(number)")
      guard added.status == 0 else { throw Program.Ended(description: "\(added.lines)") }
    }
    return (core, baton, daemon)
  }

  private func stop(_ daemon: Program, _ core: ScriptedServer) async throws {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    #expect(!daemon.lines.contains { $0.contains(CoreModel.secretMark) })
    try await core.stop()
  }

  @Test func bothNetworksSideBySide() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "2"])
    let relays = try await sandbox.sandboxRelays(2)
    let (core, baton, daemon) = try await start()
    try await baton.addRelays(relays)
    #expect(try await baton.client().daemon.status().networks == ["nostr", "simplex"])
    let nostr = try await baton.control("channel", "create", "On Nostr", "--relay", "r1", "--relay", "r2", "--quiet")
    let simplex = try await baton.control(
      "channel", "create", "On SimpleX", "--relay", "s1", "--relay", "s2", "--relay", "s3", "--quiet")
    #expect(nostr.lines.last?.hasPrefix("nostr:nevent1") == true, "\(nostr.lines)")
    let link = try #require(simplex.lines.last)
    #expect(simplex.status == 0 && link.contains("/c#"), "\(simplex.lines)")
    #expect(try await baton.control("channel", "link", "On SimpleX").lines == [link])

    // A new profile reaches every relay by way of the core; a fourth relay joins; one goes.
    #expect(
      try await baton.control("channel", "update", "On SimpleX", "--name", "Evening", "--description", "later").status == 0)
    _ = try await baton.channel(2) { $0.relays.allSatisfy { $0.edition == 2 } }
    #expect(try await baton.control("channel", "add-relay", "Evening", "s4").status == 0)
    _ = try await baton.channel(2) { $0.relays.count == 4 && $0.relays.allSatisfy { $0.status == "active" } }
    #expect(try await baton.control("channel", "remove-relay", "Evening", "s1", "--yes").status == 0)
    _ = try await baton.channel(2) { $0.relays[0].status == "removed" && $0.phase == "active" && $0.relays[0].attempt == 0 }
    // Not so on Nostr, where the relay was told to delete it.
    #expect(try await baton.control("channel", "add-relay", "Evening", "s1").status == 0)
    _ = try await baton.channel(2) { $0.relays.count == 4 && $0.relays.allSatisfy { $0.status == "active" } }
    #expect(try await baton.control("channel", "remove-relay", "Evening", "s1", "--yes").status == 0)
    _ = try await baton.channel(2) { $0.relays[0].status == "removed" && $0.phase == "active" && $0.relays[0].attempt == 0 }

    // The next start continues from the stored state, and asks the core for nothing twice.
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    let again = try await baton.start()
    #expect(try await baton.control("channel", "verify", "Evening").status == 0)
    let verified = try await baton.channel(2) { $0.relays.filter { $0.status == "active" }.count == 3 }
    #expect(verified.link == link)
    #expect(try await core.received.count { $0.hasPrefix("/_public group") } == 1)

    #expect(try await baton.control("channel", "delete", "Evening", "--yes").status == 0)
    _ = try await baton.channel(2) { $0.phase == "deleted" }
    #expect(try await core.received.count { $0.hasPrefix("/_delete #") } == 1)
    #expect(try await baton.client().channels.get(id: 1).phase == "active")
    let group = try await baton.control("channel", "create", "Club", "--relay", "s1", "--kind", "group")
    #expect(group.status == 1, "\(group.lines)")
    try await stop(again, core)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  /// Every way in which a relay can fail its owner is a cause and a sentence in `channel show`.
  @Test(arguments: [
    (RelayBehaviour.rejects, "rejected", "the relay rejects the channel"),
    (.failsLater, "unreachable", "the connection to the relay failed for good"),
    (.deadLink, "missing", "does not know the address"),
    (.unreachable, "timeout", "did not answer in time"), (.silent, "timeout", "the test of the relay failed at waitResponse"),
    (.wrongEntity, "timeout", "no answer"), (.leaves, "left", "the relay left the channel"),
    (.losesLink, "left", "the channel's link does not name the relay any more"),
  ])
  func everyFailureHasACauseThatAPersonUnderstands(_ behaviour: RelayBehaviour, _ cause: String, _ words: String) async throws {
    var seen = ""
    // The good relays must be active before the bad one is given up.
    let isUnderstood = try await withGrowingPatience { patience in
      let (core, baton, daemon) = try await start(
        [2: behaviour],
        [
          "BATON_SIMPLEX_CHANNEL_INVITATION_TIMEOUT": "\(patience.components.seconds)s",
          "BATON_SIMPLEX_CHANNEL_BACK_OFF_FIRST": "100ms", "BATON_SIMPLEX_CHANNEL_ATTEMPTS_MAX": "2",
        ])
      let created = try await baton.control(
        "channel", "create", "News", "--relay", "s1", "--relay", "s2", "--relay", "s3", "--timeout", "10min")
      let channel = try await baton.channel(1) { $0.relays.contains { ["failed", "inactive"].contains($0.status) } }
      let shown = try await baton.control("channel", "show", "News").lines.joined(separator: "\n")
      seen = "\(channel.relays[1]) \(created.lines) \(shown)"
      try await stop(daemon, core)
      return channel.linkUsable && channel.relays[1].cause == cause && shown.contains("2 of 3 relays") && shown.contains(words)
    }
    #expect(isUnderstood, "\(seen)")
  }

  /// Names that the core would refuse are refused before anything is stored; on Nostr the same names are valid.
  @Test func nameThatTheCoreRefusesIsRefusedAtOnce() async throws {
    let (core, baton, daemon) = try await start()
    for name in ["News (DE)", "News!!", "m²", "$AVE", "Hello 👋🏽"] {
      let refused = try await baton.control("channel", "create", name, "--relay", "s1")
      #expect(
        refused.status == 1 && refused.lines.last?.contains("invalid name: on SimpleX") == true, "\(refused.lines)")
    }
    #expect(try await baton.client().daemon.status().channels == 0)
    #expect(try await baton.control("channel", "create", "News", "--relay", "s1", "--quiet").status == 0)
    let before = try await baton.client().channels.get(id: 1)
    let refused = try await baton.control("channel", "update", "News", "--name", "News!!")
    #expect(refused.status == 1 && refused.lines.last?.contains("invalid name") == true, "\(refused.lines)")
    #expect(try await baton.client().channels.get(id: 1).revision == before.revision)
    #expect(try await core.received.count { $0.hasPrefix("/_public group") } == 1)
    #expect(try await core.received.count { $0.hasPrefix("/_group_profile") } == 0)
    #expect(try await core.withModel { $0.queuesLeftBehind } == 0)
    try await stop(daemon, core)
  }

  /// A core that is away, or has another active user, is reported at once and everywhere; channels lose nothing.
  @Test func stateOfTheCoreShowsEverywhere() async throws {
    let (core, baton, daemon) = try await start()
    let created = try await baton.control("channel", "create", "News", "--relay", "s1", "--relay", "s2", "--quiet")
    #expect(created.status == 0, "\(created.lines)")
    let client = try await baton.client()
    func wait(for fault: String?) async throws {
      while try await client.daemon.status().unusableNetworks.first?.fault != fault { await Task.yield() }
    }
    try await core.stop()
    try await wait(for: "absent")
    try await daemon.line(containing: "simplex does not work: the chat core cannot be reached")
    #expect(try await baton.control("status").lines.contains { $0.contains("simplex does not work: the chat core") })
    let validated = try await baton.control("validate")
    #expect(validated.status == 1 && validated.lines.contains { $0.contains("simplex does not work") }, "\(validated.lines)")
    #expect(try await baton.control("relay", "list").lines.filter { $0.contains("unusable") }.count == 4)
    #expect(try await baton.control("channel", "add-relay", "News", "s3").status == 0)
    let joining = try await baton.control("channel", "show", "News").lines
    #expect(
      joining.contains { $0.contains("s3") && $0.contains("(unreachable) the chat core cannot be reached") }, "\(joining)")
    try await core.restart()
    try await wait(for: nil)
    _ = try await baton.channel(1) { $0.relays.filter { $0.status == "active" }.count == 3 }

    _ = try await core.withModel {
      $0.execute(#"/_create user {"profile":{"displayName":"other","fullName":""},"pastTimestamp":false}"#)
    }
    #expect(try await baton.control("channel", "verify", "News").status == 0)
    try await wait(for: "wrongUser")
    #expect(try await client.channels.get(id: 1).relays.allSatisfy { $0.status == "active" })
    #expect(try await core.received.count { $0.hasPrefix("/_public group") } == 1)
    try await stop(daemon, core)
  }

  /// A relay that accepts the channel after it was given up still serves it.
  @Test func relayThatComesLateIsAdded() async throws {
    #expect(try await withGrowingPatience { try await isTakenUpLate($0) })
  }

  /// - Parameter patience: how long an invitation may take.
  /// - Returns: whether it worked; also false if `patience` was too short for the creation itself.
  private func isTakenUpLate(_ patience: Duration) async throws -> Bool {
    let (core, baton, daemon) = try await start(
      [:],
      [
        "BATON_SIMPLEX_CHANNEL_INVITATION_TIMEOUT": "\(patience.components.seconds)s",
        "BATON_SIMPLEX_CHANNEL_BACK_OFF_FIRST": "100ms", "BATON_SIMPLEX_CHANNEL_ATTEMPTS_MAX": "1",
      ])
    try await core.withModel { $0.settlesAtOnce = false }
    _ = try await baton.control("channel", "create", "News", "--relay", "s1", "--relay", "s2", "--timeout", "10min", "--yes")
    let given = try await baton.channel(1) { $0.phase == "failed" }
    let isMade = try await core.received.contains { $0.hasPrefix("/_public group") }
    let isGivenUp = given.relays.allSatisfy { $0.status == "failed" && $0.cause == "timeout" } && !given.linkUsable
    if isMade {
      try await core.settle()
      let taken = try await baton.channel(1) { $0.phase == "active" && $0.relays.allSatisfy { $0.status == "active" } }
      #expect(taken.linkUsable && taken.link?.contains("/c#") == true)
    }
    try await stop(daemon, core)
    return isMade && isGivenUp
  }

  /// Operators, servers and relays that come with the core are Baton's too, and changes made to them in Baton stay.
  @Test func presetsOfTheCoreAreAddedOnceAndChangesInBatonWin() async throws {
    let core = try await ScriptedServer(CoreModel.withPresets(), group: MultiThreadedEventLoopGroup.singleton)
    let baton = try Installation(["BATON_SIMPLEX_CORE": "127.0.0.1:\(try await core.port)"])
    let daemon = try await baton.start()
    let client = try await baton.client()
    var names: Set<String> = []
    for try await change in try await client.monitor.watch(WatchRequest(since: 0, kinds: ["operator", "relay"])) {
      if let name = change.after?["name"]?.string { names.insert(name) }
      if names.isSuperset(of: ["SimpleX Chat", "Flux", "SimpleX Chat Relay 3"]) { break }
    }
    let relays = try await client.relays.all()
    #expect(relays.count == 3 && relays.allSatisfy { $0.network == "simplex" && $0.operatorId != nil })
    #expect(try await baton.control("relay", "remove", "SimpleX Chat Relay 2").status == 0)
    #expect(try await baton.control("operator", "disable", "Flux").status == 0)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    let again = try await baton.start()
    try await again.line(containing: "the chat core 7.0.2")
    try await core.wait(forCommand: "/_servers 1", times: 2)
    #expect(try await baton.client().relays.all().count == 2)
    #expect(try await baton.client().operators.get(name: "Flux").operator.enabled == false)
    try await stop(again, core)
  }

  /// The daemon starts the program, restarts it when it ends, and stops it when the daemon stops.
  @Test func daemonRunsTheCoreItself() async throws {
    let folder = try TemporaryFolder()
    let program = folder.path + "/simplex-chat"
    let runs = folder.path + "/runs"
    // Says what it was started with and waits; the first run ends at once.
    try """
    #!/bin/sh
    echo "$$ $*" >>\(runs)
    [ "$(wc -l <\(runs))" -gt 1 ] || exit 3
    exec sleep 1000
    """.write(toFile: program, atomically: true, encoding: .utf8)
    chmod(program, 0o755)
    let port = Program.freePort()
    let baton = try Installation([
      "BATON_SIMPLEX_CORE": "127.0.0.1:\(port)", "BATON_SIMPLEX_PROGRAM": program, "BATON_SIMPLEX_USER": "News desk",
    ])
    let daemon = try await baton.start()
    var lines: [Substring] = []
    while lines.count < 2 {
      await Task.yield()
      // The program may not have said anything yet.
      lines = ((try? String(contentsOfFile: runs, encoding: .utf8)) ?? "").split(separator: "\n")
    }
    #expect(lines[1].contains("-p \(port)") && lines[1].contains("-d \(baton.folder.path)/state/core/db"))
    #expect(lines[1].contains("News desk"))
    let mode = try FileManager.default.attributesOfItem(atPath: baton.folder.path + "/state/core")[.posixPermissions] as? Int
    #expect(mode == 0o700)
    let pid = try #require(lines[1].split(separator: " ").first.flatMap { Int32($0) })
    #expect(kill(pid, 0) == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    #expect(kill(pid, 0) != 0, "it is gone with the daemon")
  }

  /// A channel of others is joined, read over a crash of the daemon, and left.
  @Test func channelOfOthersIsJoinedReadAndLeft() async throws {
    let (core, baton, daemon) = try await start()
    let link = try await core.withModel { $0.offer("Their News", about: "all of it") }
    let alone = try await baton.control("channel", "follow", link)
    #expect(alone.status == 1 && alone.lines.joined().contains("--join"), "\(alone.lines)")
    #expect(try await core.received.allSatisfy { !$0.hasPrefix("/_connect") }, "a link alone makes Baton connect to no one")
    let followed = try await baton.control("channel", "follow", link, "--join")
    #expect(
      followed.lines == ["Channel 1 'Their News' is followed as a member. See batonctl messages 1."], "\(followed.lines)")
    #expect(try await baton.control("channel", "follow", link, "--join").lines == followed.lines)
    let shown = try await baton.control("channel", "show", "1")
    #expect(shown.lines.contains("phase     followed: Channel is read as a member."), "\(shown.lines)")
    #expect(try await baton.control("channel", "link", "1", "--no-qr").lines.contains(link))

    // The scripted core lives at the beginning of 2026.
    #expect(try await baton.control("channel", "following", "1", "--days", "0").status == 0)
    for number in 1...3 { try await core.withModel { _ = $0.say(.init("News \(number)"), by: nil, channel: 1) } }
    try await core.withModel { model in
      model.join(9, channel: 1)
      model.leave(9, channel: 1)
      _ = model.say(.init("News 4"), by: nil, channel: 1)
    }
    // The first ones may come last: events from before the window was wider are read again, in pages.
    let state = try await baton.watchMessages { known in (1...4).allSatisfy { known.texts.contains("News \($0)") } }
    #expect(state.message("News 1")?["own"] == false)
    let synced = try await baton.control("messages", "sync", "1")
    #expect(
      synced.status == 0 && synced.lines.contains { $0.contains("the chat core") && $0.contains("read") }, "\(synced.lines)")
    #expect(try await baton.control("inbox", "--columns", "CHANNEL,READ").lines.last == "Their News  1/1")
    let refused = try await baton.control("post", "1", "Hello")
    #expect(refused.status == 1 && refused.lines.joined().contains("is not yours"), "\(refused.lines)")

    daemon.signal(SIGKILL)
    _ = await daemon.status()
    try await core.withModel { _ = $0.say(.init("News 5"), by: nil, channel: 1) }
    let again = try await baton.start()
    let later = try await baton.watchMessages(from: state) { $0.texts.contains("News 5") }
    #expect(later.texts.sorted() == (1...5).map { "News \($0)" })
    #expect(try await core.received.allSatisfy { !$0.hasPrefix("/_get relays") }, "its relays are not ours")
    #expect(try await core.withModel { $0.memberships } == [1: "joined"])

    // What cannot be left now stays.
    try await core.stop()
    try await again.line(containing: "the chat core")
    let stays = try await baton.control("channel", "unfollow", "1", "--yes")
    #expect(stays.status == 1 && stays.lines.joined().contains("could not be left"), "\(stays.lines)")
    #expect(try await baton.client().channels.get(id: 1).phase == "followed")
    try await core.restart()
    while try await baton.control("channel", "unfollow", "1", "--yes").status != 0 {}
    #expect(try await core.withModel { $0.memberships } == [:])
    #expect(try await baton.client().channels.get(id: 1).phase == "deleted")

    #expect(try await baton.control("channel", "follow", link, "--join", "--name", "Theirs").status == 0)
    #expect(try await baton.control("channel", "unfollow", "Theirs", "--keep-membership", "--yes").status == 0)
    #expect(try await core.withModel { $0.memberships } == [1: "joined"])
    try await stop(again, core)
  }

  @Test func withoutACoreThereAreNoChannelsOnSimpleX() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    #expect(try await baton.control("relay", "add", Self.relays[0], "--name", "s1").status == 0)
    let refused = try await baton.control("channel", "create", "News", "--relay", "s1")
    #expect(refused.status == 1 && refused.lines.last?.contains("simplex") == true, "\(refused.lines)")
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }
}
