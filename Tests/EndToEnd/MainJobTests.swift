import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// The main job with independent relays, readers and control clients.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct MainJobTests {
  /// Ends the daemon as a service manager would, then the relays, which inherit a signal mask that holds back gentler signals.
  private func stop(_ daemon: Program, _ relays: [Program]) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    for relay in relays { relay.signal(SIGKILL) }
    for relay in relays { _ = await relay.status() }
  }

  @Test func channelOnThreeRelaysIsReadByOthers() async throws {
    let relays = try (0..<3).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))

    let created = try await baton.control("channel", "create", "City News", "--description", "What happens / here", "--quiet")
    #expect(created.status == 0, "\(created.lines)")
    let link = try #require(created.lines.last)
    #expect(link.hasPrefix("nostr:nevent1"))

    let reader = try await baton.read(link)
    #expect(reader.status == 0, "\(reader.json)")
    #expect(reader.json["name"] == "City News" && reader.json["kind"] == 40)
    #expect(reader.json["relays"]?.object?.count == 3)

    // the same link as a picture
    let picture = baton.folder.path + "/link.svg"
    #expect(try await baton.control("channel", "link", "City News", "--qr-file", picture).lines == [link])
    #expect(try String(contentsOfFile: picture, encoding: .utf8).hasPrefix("<svg "))

    // python's varlink as control client
    for (method, expected) in [("Get", "\"phase\": \"active\""), ("Link", link)] {
      let varlink = try await Program.run(
        ThirdPartyRelay.python + "/python3",
        [
          ThirdPartyRelay.scripts + "/varlink_client.py", "unix:" + baton.socket, "org.batond.Channels", method, "{\"id\": 1}",
        ])
      #expect(varlink.status == 0 && varlink.lines.contains { $0.contains(expected) }, "\(varlink.lines.suffix(3))")
    }
    let stream = try await Program.run(
      ThirdPartyRelay.python + "/python3",
      [
        ThirdPartyRelay.scripts + "/varlink_client.py", "unix:" + baton.socket, "org.batond.Monitor", "Watch", "{\"since\": 0}",
        "--more", "--limit", "12",
      ])
    #expect(stream.status == 0 && stream.lines.filter { $0.hasPrefix("REPLY") }.count == 12)
    let refused = try await Program.run(
      ThirdPartyRelay.python + "/python3",
      [
        ThirdPartyRelay.scripts + "/varlink_client.py", "unix:" + baton.socket, "org.batond.Channels", "Get", "{\"id\": 99}",
      ])
    #expect(refused.status == 1 && refused.lines.contains { $0.contains("org.batond.Channels.NoSuchChannel") })

    // deleted, and the readers find nothing
    #expect(try await baton.control("channel", "delete", "City News", "--yes").status == 0)
    _ = try await baton.channel(1) { $0.phase == "deleted" }
    #expect(try await baton.read(link).status == 1)
    await stop(daemon, programs)
  }

  @Test func channelMovesFromRelayToRelayAndReadersFollow() async throws {
    let relays = try (0..<3).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))
    let created = try await baton.control("channel", "create", "Moving", "--relay", "r1", "--relay", "r2", "--quiet")
    let first = try #require(created.lines.last)

    #expect(try await baton.control("channel", "add-relay", "Moving", "r3").status == 0)
    _ = try await baton.channel(1) { $0.phase == "active" && $0.wantedRelays == 3 }
    for relay in ["r1", "r2"] {
      #expect(try await baton.control("channel", "remove-relay", "Moving", relay, "--yes").status == 0)
    }
    let moved = try await baton.channel(1) { channel in channel.relays.filter { $0.status == "removed" }.count == 2 }
    #expect(moved.wantedRelays == 1 && moved.linkUsable)
    let client = try await baton.client()
    for try await change in try await client.monitor.watch(WatchRequest(since: 0, kinds: ["channelRelay"], relayIds: [2])) {
      if change.transition?["detail"] == "the relay was told" { break }
    }
    let link = try #require(try await client.channels.get(id: 1).link)
    let reader = try await baton.read(link)
    #expect(reader.status == 0 && reader.json["relays"]?.object?.count == 1, "\(reader.json)")
    #expect(link != first)
    let last = try await baton.control("channel", "remove-relay", "Moving", "r3", "--yes")
    #expect(last.status == 1 && last.lines.last?.contains("this is the channel's last relay") == true)
    let again = try await baton.control("channel", "add-relay", "Moving", "r1")
    #expect(
      again.status == 1
        && again.lines.last?.contains("a Nostr channel cannot add it again") == true)
    await stop(daemon, programs)
  }

  @Test func relayThatStaysAwayIsReplacedAndReadersFollow() async throws {
    let relays = try (0..<3).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation([
      "BATON_CHANNEL_INACTIVE_GRACE": "500ms", "BATON_HEAL_AFTER": "500ms", "BATON_CHANNEL_UPKEEP_INTERVAL": "300ms",
      "BATON_NOSTR_REDIAL_MAX": "500ms",
    ])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))
    #expect(try await baton.control("channel", "create", "Healing", "--relay", "r1", "--relay", "r2").status == 0)
    programs[0].signal(SIGKILL)
    let healed = try await baton.channel(1) { channel in
      channel.phase == "active" && channel.relays.map(\.status) == ["removed", "active", "active"]
    }
    #expect(healed.wantedRelays == 2)
    let history = try await baton.control("channel", "history", "Healing")
    #expect(
      history.lines.contains { $0.contains("(replaced) replaced by 'r3', because it is inactive (unreachable: ") },
      "\(history.lines)")
    let reader = try await baton.read(try #require(healed.link))
    #expect(reader.status == 0 && reader.json["relays"]?.object?.count == 2, "\(reader.json)")
    await stop(daemon, Array(programs.dropFirst()))
  }

  @Test func relayThatIsDeadFromTheStartFailsAndTheChannelWorks() async throws {
    let relays = try (0..<2).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation(["BATON_CHANNEL_BACK_OFF_FIRST": "100ms", "BATON_CHANNEL_ATTEMPTS_MAX": "3"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url) + ["ws://127.0.0.1:\(Program.freePort())"])
    let created = try await baton.control("channel", "create", "News", "--yes")
    #expect(created.status == 0)
    #expect(created.lines.contains { $0.contains("Channel works with 2 of 3 relays.") }, "\(created.lines.suffix(6))")
    let channel = try await baton.client().channels.get(id: 1)
    #expect(channel.phase == "degraded" && channel.linkUsable)
    let failed = try #require(channel.relays.first { $0.relayName == "r3" })
    #expect(failed.status == "failed" && failed.cause == "unreachable")
    #expect(failed.detail?.contains("gave up after 3 attempts") == true)
    #expect(try await baton.read(try #require(channel.link)).status == 0)
    await stop(daemon, programs)
  }

  @Test func relayThatWasAwayDuringCreationsGetsTheChannelsWhenItIsBack() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try await sandbox.line(containing: "ws://")
    let port = Program.freePort()
    let baton = try Installation([
      "BATON_CHANNEL_BACK_OFF_FIRST": "100ms", "BATON_CHANNEL_ATTEMPTS_MAX": "2", "BATON_CHANNEL_UPKEEP_INTERVAL": "300ms",
      "BATON_NOSTR_REDIAL_MAX": "300ms",
    ])
    let daemon = try await baton.start()
    try await baton.addRelays([address, "ws://127.0.0.1:\(port)"])
    for number in 1...3 { #expect(try await baton.control("channel", "create", "News \(number)", "--yes").status == 0) }

    // The error is named, with the command that helps.
    for command in ["validate", "status"] {
      let said = try await baton.control(command)
      let line = try #require(
        said.lines.first { $0.contains("3 channels lack relay 'r2': 3 failed (unreachable)") }, "\(said.lines)")
      #expect(said.status == 0 && line.contains(" batonctl "), "\(line)")
    }
    let dry = try await baton.control("channel", "retry", "--relay", "r2", "--dry-run")
    #expect(dry.status == 0 && dry.lines.count == 5 && dry.lines.last == "3 channels. Nothing was changed.", "\(dry.lines)")
    let one = try await baton.control("channel", "retry", "--relay", "r2", "--filter", "{\"id\": 2}")
    #expect(one.status == 0 && one.lines.last?.hasPrefix("Retrying 1 channel.") == true, "\(one.lines)")
    #expect(try await baton.control("channel", "retry").status == 64)
    #expect(try await baton.control("channel", "retry", "1", "--relay", "r2").status == 64)

    let back = try Program("baton-sandbox", ["--relays", "1", "--port", "\(port)"])
    try await back.line(containing: "ws://")
    for id in 1...3 { _ = try await baton.channel(Int64(id)) { $0.phase == "active" } }
    #expect(try await baton.control("validate").lines == ["No errors or warnings."])
    #expect(try await baton.control("channel", "retry", "--relay", "r2").lines == ["No channel lacks relay 'r2'."])
    await stop(daemon, [sandbox, back])
  }

  @Test func relaysThatDemandAuthenticationAreServed() async throws {
    let silent = try ThirdPartyRelay(demandsAuth: true)
    let port = Program.freePort()
    let rust = try Program(
      ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/local_relay.py", "\(port)", "--auth", "write"])
    try await rust.line(containing: "ready")
    let programs = [try await silent.start(), rust]
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays([silent.url, "ws://127.0.0.1:\(port)"])
    let created = try await baton.control("channel", "create", "News", "--quiet")
    #expect(created.status == 0, "\(created.lines)")
    let reader = try await baton.read(try #require(created.lines.last))
    #expect(reader.status == 0 && reader.json["relays"]?.object?.count == 2, "\(reader.json)")
    await stop(daemon, programs)
  }

  @Test func relayThatIsKilledTurnsInactiveAndComesBack() async throws {
    let relays = try (0..<2).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation(["BATON_CHANNEL_INACTIVE_GRACE": "300ms", "BATON_NOSTR_REDIAL_MAX": "1s"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))
    #expect(try await baton.control("channel", "create", "News", "--quiet").status == 0)
    programs[1].signal(SIGKILL)
    let lost = try await baton.channel(1) { $0.relays.contains { $0.status == "inactive" } }
    let inactive = try #require(lost.relays.first { $0.relayName == "r2" })
    #expect(inactive.status == "inactive" && inactive.cause == "unreachable" && lost.phase == "degraded")
    #expect(lost.linkUsable && lost.link != nil)
    programs[1] = try await relays[1].start()
    let back = try await baton.channel(1) { $0.phase == "active" }
    #expect(back.relays.allSatisfy { $0.status == "active" })
    await stop(daemon, programs)
  }

  @Test func killedDaemonLosesNothingAndRepeatsNothing() async throws {
    let count = 20
    let relays = try (0..<3).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation(["BATON_CHANNEL_BACK_OFF_FIRST": "100ms"])
    var daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))

    let seed = Seeds.repeated ?? UInt64.random(in: 0 ... .max)
    var random = Seeded(state: seed)
    for _ in 0..<10 {
      // Ask for all channels, killed somewhere on the way; the same keys are asked for again after the restart.
      let creations = Task { [baton] in
        let client = try await baton.client()
        for number in 0..<count {
          _ = try await client.channels.create(
            CreateChannel(profile: .init(displayName: "Channel \(number)"), pick: 3, idempotencyKey: "key \(number)"))
        }
      }
      var left = Int(random.next() % 40) + 1
      let client = try await baton.client()
      let changes = try await client.monitor.watch(WatchRequest(since: try await client.daemon.status().revision))
      // When nothing is left to change, the daemon is killed at rest.
      if try await client.daemon.status().channelRelays.active < count * 3 {
        for try await _ in changes {
          left -= 1
          if left == 0 { break }
          if try await client.daemon.status().channelRelays.active == count * 3 { break }
        }
      }
      daemon.signal(SIGKILL)
      #expect(await daemon.status() == -SIGKILL)
      _ = try? await creations.value
      daemon = try await baton.start()
    }
    let client = try await baton.client()
    for number in 0..<count {
      _ = try await client.channels.create(
        CreateChannel(profile: .init(displayName: "Channel \(number)"), pick: 3, idempotencyKey: "key \(number)"))
    }
    for id in 1...Int64(count) { _ = try await baton.channel(id) { $0.phase == "active" } }
    let channels = try await client.channels.all()
    #expect(channels.count == count, "seed \(seed)")
    #expect(Set(channels.map(\.profile.displayName)).count == count, "seed \(seed)")
    let owner = try #require(
      try await client.call("org.batond.Identities.Get", ["name": "main"])["identity"]?["publicKey"]?.string)
    for relay in relays {
      let found = try await Program.run(
        ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/count_channels.py", relay.url, owner])
      let json = try JSONParser.parse(found.lines.first { $0.hasPrefix("{") } ?? "null")
      let names = (json["channels"]?.array ?? []).compactMap { channel in
        channel["content"]?.string.flatMap { try? JSONParser.parse($0) }?["name"]?.string
      }
      #expect(names.count == count && Set(names).count == count, "seed \(seed): \(names.count) at \(relay.url)")
    }
    await stop(daemon, programs)
  }
}

/// Numbers that follow from a seed.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 16
  }
}
