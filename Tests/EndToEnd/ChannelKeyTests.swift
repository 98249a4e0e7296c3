import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Several channels of one identity on relays that keep the newest kind 41 of each author: rust-nostr's LocalRelay, and the sandbox.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ChannelKeyTests {
  private struct Relays {
    let programs: [Program]
    let urls: [String]

    init() async throws {
      let port = Program.freePort()
      let local = try Program(ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/local_relay.py", "\(port)"])
      try await local.line(containing: "ready")
      let sandbox = try Program("baton-sandbox", ["--relays", "1", "--fault", "1=one-per-author"])
      let url = try await sandbox.line(containing: "ws://")
      (programs, urls) = ([local, sandbox], ["ws://127.0.0.1:\(port)", url])
    }

    /// Ends the daemon, then the relays.
    func stop(_ daemon: Program) async {
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      for program in programs { program.signal(SIGKILL) }
      for program in programs { _ = await program.status() }
    }
  }

  @Test func channelsThatShareAKeyTakeEachOthersPlaceAndThatIsReported() async throws {
    let relays = try await Relays()
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    var links: [String] = []
    for name in ["First", "Second"] {
      let created = try await baton.control(
        "channel", "create", name, "--key", "identity", "--relay", "r1", "--relay", "r2", "--quiet")
      #expect(created.status == 0, "\(created.lines)")
      links.append(try #require(created.lines.last))
    }
    func isCrowdedOut(_ relay: ChannelRelay) -> Bool {
      relay.status == "active" && relay.cause == "onePerAuthor" && relay.edition == 1 && relay.attempt == 0
        && relay.nextAttemptAt == nil
    }
    // In turn, twice: the channel that was edited last is shown.
    for (round, suffix) in ["A", "B"].enumerated() {
      for (id, other, name) in [(Int64(1), Int64(2), "First"), (2, 1, "Second")] {
        #expect(try await baton.control("channel", "update", "\(id)", "--name", "\(name) \(suffix)").status == 0)
        _ = try await baton.channel(id) { channel in
          channel.edition == round + 2 && channel.relays.allSatisfy { $0.edition == round + 2 }
        }
        if round > 0 || id == 2 { _ = try await baton.channel(other) { $0.relays.allSatisfy(isCrowdedOut) } }
      }
    }
    #expect(try await names(baton, links[0]) == ["none", "none"])
    #expect(try await names(baton, links[1]) == ["Second B", "Second B"])
    let shown = try await baton.control("channel", "show", "1")
    let sentence =
      "active (onePerAuthor) the relay keeps the profile of one channel per author, and has the profile of another channel of this identity"
    #expect(shown.lines.filter { $0.hasSuffix(sentence) }.count == 2, "\(shown.lines)")
    #expect(shown.lines.contains { $0.hasSuffix("identity main, the identity's key") }, "\(shown.lines)")
    let relay = try await baton.control("relay", "show", "r1")
    #expect(relay.lines.contains { $0.hasPrefix("can ") && $0.contains("onePerAuthor") }, "\(relay.lines)")

    // Nothing waits for a retry. A requested retry happens once, and its failure is reported again.
    let client = try await baton.client()
    let before = try await client.channels.transitions(id: 1, limit: 1000).count
    #expect(try await baton.control("channel", "retry", "1").status == 0)
    _ = try await baton.channel(1) { channel in channel.relays.allSatisfy(isCrowdedOut) }
    // LocalRelay answers "error: unknown", which reading back explains; the sandbox gives the reason.
    #expect(try await client.channels.transitions(id: 1, limit: 1000).count <= before + 3)

    // An edition that only names relays replaces nothing.
    #expect(try await baton.control("channel", "remove-relay", "1", "r2", "--yes").status == 0)
    _ = try await baton.channel(1) { $0.relays[1].status == "removed" }
    #expect(try await client.channels.get(id: 1).edition == 3)
    #expect(try await names(baton, links[1]) == ["Second B", "Second B"])
    await relays.stop(daemon)
  }

  /// The name that readers see at each relay, by the newest kind 41 of the channel's author.
  private func names(_ baton: Installation, _ link: String) async throws -> [String] {
    let reader = try await baton.read(link)
    #expect(reader.status == 0, "\(reader.json)")
    return (reader.json["metadata"]?.object?.values.map { $0["name"]?.string ?? "none" } ?? []).sorted()
  }

  @Test func channelsWithKeysOfTheirOwnDoNotTakeEachOthersPlace() async throws {
    let relays = try await Relays()
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays.urls)
    let owner = try #require(
      try await baton.client().call("org.batond.Identities.Get", ["name": "main"])["identity"]?["publicKey"]?.string)
    var links: [String] = []
    for name in ["First", "Second"] {
      let created = try await baton.control("channel", "create", name, "--relay", "r1", "--relay", "r2", "--quiet")
      #expect(created.status == 0, "\(created.lines)")
      links.append(try #require(created.lines.last))
    }
    let shown = try await baton.control("channel", "show", "First")
    #expect(shown.lines.contains { $0.hasSuffix("identity main, its own key") }, "\(shown.lines)")

    // In turn, twice.
    for (round, suffix) in ["A", "B"].enumerated() {
      for (id, name) in [(Int64(1), "First"), (2, "Second")] {
        #expect(try await baton.control("channel", "update", "\(id)", "--name", "\(name) \(suffix)").status == 0)
        _ = try await baton.channel(id) { channel in
          channel.edition == round + 2 && channel.relays.allSatisfy { $0.edition == channel.edition && $0.cause == nil }
        }
      }
    }
    #expect(try await names(baton, links[0]) == ["First B", "First B"])
    #expect(try await names(baton, links[1]) == ["Second B", "Second B"])

    // Each relay serves the owners of the channels and the names of their authors.
    for relay in relays.urls {
      let channels = try await baton.events(at: relay, ["kinds": [40], "#p": [.string(owner)]])
      let authors = channels.compactMap { $0["pubkey"]?.string }
      #expect(channels.count == 2 && Set(authors).count == 2 && !authors.contains(owner), "\(relay)")
      let profiles = try await baton.events(at: relay, ["kinds": [0], "authors": .array(authors.map(JSONValue.string))])
      let names = profiles.compactMap { $0["content"]?.string }.compactMap { try? JSONParser.parse($0)["name"]?.string }
      #expect(names.sorted() == ["First B", "Second B"], "\(relay)")
    }

    // The key survives a restart, and is deleted with the channel.
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    let again = try await baton.start()
    #expect(try await baton.control("channel", "update", "1", "--name", "First C").status == 0)
    _ = try await baton.channel(1) { channel in channel.relays.allSatisfy { $0.edition == 4 } }
    #expect(try await names(baton, links[0]) == ["First C", "First C"])
    #expect(try await baton.control("channel", "delete", "1", "--yes").status == 0)
    _ = try await baton.channel(1) { $0.phase == "deleted" }
    for relay in relays.urls {
      #expect(try await baton.events(at: relay, ["kinds": [40], "#p": [.string(owner)]]).count == 1)
      #expect(try await baton.events(at: relay, ["kinds": [0]]).count == 1)
    }
    await relays.stop(again)
  }
}
