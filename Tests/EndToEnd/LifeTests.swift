import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// The life of channels and groups after their creation, as people and readers see it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LifeTests {
  private func stop(_ daemon: Program, _ relays: [Program]) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    for relay in relays { relay.signal(SIGKILL) }
    for relay in relays { _ = await relay.status() }
  }

  @Test func newProfileReachesReadersThroughEveryRelayLateOnesToo() async throws {
    let relays = try (0..<3).map { _ in try ThirdPartyRelay() }
    var programs: [Program] = []
    for relay in relays { programs.append(try await relay.start()) }
    let baton = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))
    let created = try await baton.control(
      "channel", "create", "City News", "--relay", "r1", "--relay", "r2", "--relay", "r3", "--quiet")
    let link = try #require(created.lines.last)

    programs[2].signal(SIGKILL)
    _ = await programs[2].status()
    let updated = try await baton.control("channel", "update", "City News", "--name", "Town  News", "--description", "later")
    #expect(updated.status == 0 && updated.lines.contains { $0.hasPrefix("profile   edition 2, shown by") }, "\(updated.lines)")
    let behind = try await baton.channel(1) { $0.relays.filter { $0.edition == 2 }.count == 2 && $0.relays[2].cause != nil }
    #expect(behind.profile.displayName == "Town News" && behind.relays[2].edition == 1)
    programs[2] = try await relays[2].start()
    _ = try await baton.channel(1) { $0.relays.allSatisfy { $0.edition == 2 } }

    let reader = try await baton.read(link)
    #expect(reader.status == 0, "\(reader.json)")
    // The channel itself never changes; what readers show is its newest edition, the same everywhere.
    #expect(reader.json["name"] == "City News")
    let shown = reader.json["metadata"]?.object?.values.map { $0 } ?? []
    #expect(shown.count == 3 && Set(shown).count == 1, "\(reader.json)")
    #expect(shown.first?["name"] == "Town News" && shown.first?["about"] == "later")
    #expect(shown.first?["relays"]?.array?.count == 3)

    // Nothing of the channel is left on a relay that was removed.
    #expect(try await baton.control("channel", "remove-relay", "Town News", "r1", "--yes").status == 0)
    _ = try await baton.channel(1) { channel in channel.relays.suffix(2).allSatisfy { $0.edition == 3 } }
    let later = try await baton.read(link)
    #expect(later.json["relays"]?.object?.values.filter { $0 == true }.count == 2)
    let named = later.json["metadata"]?.object?.values.compactMap { $0["relays"]?.array?.count } ?? []
    #expect(named == [2, 2], "\(later.json)")
    await stop(daemon, programs)
  }

  @Test func groupLivesOnTheOneRelayThatOffersGroups() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try await sandbox.line(containing: "ws://")
    let plain = try Program("baton-sandbox", ["--relays", "1", "--no-groups"])
    let other = try await plain.line(containing: "ws://")
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays([address, other])

    let refused = try await baton.control("channel", "create", "Club", "--kind", "group", "--relay", "r2")
    #expect(refused.status == 1 && refused.lines.last?.contains("does not offer groups (NIP-29)") == true, "\(refused.lines)")
    let two = try await baton.control("channel", "create", "Club", "--kind", "group", "--relay", "r1", "--relay", "r2")
    #expect(two.status == 64 && two.lines.contains { $0.contains("exactly one relay") })
    let client = try await baton.client()
    await #expect {
      _ = try await client.channels.create(
        CreateChannel(profile: Profile(displayName: "Club"), kind: "group", relayIds: [1, 2]))
    } throws: { "\($0)".contains("GroupNeedsOneRelay") }
    // Nothing is picked before a test has found a relay that offers groups.
    let unknown = try await baton.control("channel", "create", "Club", "--kind", "group")
    #expect(
      unknown.status == 1 && unknown.lines.last?.contains("no enabled relay on nostr is known to offer groups") == true,
      "\(unknown.lines)")
    #expect(try await baton.control("relay", "test", "--all").status == 0)

    let created = try await baton.control("channel", "create", "Club", "--kind", "group", "--description", "for all", "--quiet")
    #expect(created.status == 0, "\(created.lines)")
    let link = try #require(created.lines.last)
    #expect(link.hasPrefix("nostr:naddr1"))
    let reader = try await baton.read(link)
    #expect(reader.status == 0 && reader.json["name"] == "Club" && reader.json["about"] == "for all", "\(reader.json)")
    #expect(reader.json["kind"] == 39000 && reader.json["admins"]?.array?.count == 1)

    #expect(try await baton.control("channel", "update", "Club", "--name", "Open Club").status == 0)
    _ = try await baton.channel(1) { $0.relays[0].edition == 2 }
    #expect(try await baton.read(link).json["name"] == "Open Club")
    let added = try await baton.control("channel", "add-relay", "Open Club", "r2")
    #expect(added.status == 1 && added.lines.last?.contains("exactly one relay") == true)

    #expect(try await baton.control("channel", "delete", "Open Club", "--yes").status == 0)
    _ = try await baton.channel(1) { $0.phase == "deleted" }
    #expect(try await baton.read(link).status == 1)
    await stop(daemon, [sandbox, plain])
  }

  /// A script has no one who could answer.
  @Test func nothingIsErasedWithoutAQuestionUnlessYesIsGiven() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:\(Program.freePort())"])
    #expect(try await baton.control("channel", "create", "News", "--wait", "none").status == 0)
    #expect(try await baton.control("identity", "add", "desk").status == 0)
    for command in [["channel", "delete", "News"], ["identity", "remove", "desk"]] {
      let refused = try await Program.run("batonctl", command + ["--socket", baton.socket])
      #expect(refused.status == 64 && refused.lines.contains { $0.contains("Use --yes to continue.") }, "\(refused.lines)")
    }
    let client = try await baton.client()
    let phase = try await client.channels.get(id: 1).phase
    #expect(!["deleting", "deleted"].contains(phase))
    #expect(try await client.identities.all().contains { $0.name == "desk" })
    await stop(daemon, [])
  }

  @Test func liveListsOutliveTheDaemon() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "2"])
    let addresses = try await sandbox.sandboxRelays(2)
    let baton = try Installation()
    var daemon = try await baton.start()
    try await baton.addRelays(addresses)
    #expect(try await baton.control("channel", "create", "First", "--quiet").status == 0)

    let list = try LiveList<Channel>(socket: baton.socket, sort: [["field": "profile.displayName"]])
    let relays = try LiveChannelRelays(channelID: 1, socket: baton.socket)
    var events = list.events.makeAsyncIterator()
    var members = relays.events.makeAsyncIterator()
    await list.start()
    await relays.start()
    var heard: [Channel] = []
    func follow(until isDone: ([String]) -> Bool) async {
      while !isDone(heard.map(\.profile.displayName)), let event = await events.next() {
        if case .changes(let changes) = event { heard.apply(changes) }
      }
    }
    await follow { $0 == ["First"] }
    var joined: [ChannelRelay] = []
    while joined.count < 2, case .some(let event) = await members.next() {
      if case .changes(let changes) = event { joined.apply(changes) }
    }
    #expect(joined.map(\.status) == ["active", "active"])

    // The daemon is killed, and objects change before the list is back.
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    daemon = try await baton.start()
    #expect(try await baton.control("channel", "create", "Second", "--quiet").status == 0)
    await follow { $0 == ["First", "Second"] }

    // After so long an absence the changes are no longer kept: the client lists again.
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    let database = baton.folder.path + "/state/baton.db"
    for sql in [
      "DELETE FROM changes", "DELETE FROM transitions",
      "UPDATE channels SET display_name = 'Third', revision = revision + 1000 WHERE id = 1",
      "INSERT INTO changes (revision, at, channel_id) SELECT max(revision) + 1000, 0, 2 FROM channels",
      "INSERT OR REPLACE INTO settings (key, value) SELECT 'oldest_revision', max(revision) FROM channels",
    ] { #expect(try await Program.run("/usr/bin/sqlite3", [database, sql]).status == 0) }
    // A row changed by hand still has the old checksum.
    daemon = try await baton.start(arguments: ["--accept-damage"])
    await follow { $0 == ["Second", "Third"] }
    #expect(await list.elements == heard)
    await list.stop()
    await relays.stop()
    await stop(daemon, [sandbox])
  }
}
