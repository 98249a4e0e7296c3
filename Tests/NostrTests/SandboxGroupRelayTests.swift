import StrictJSON
import TestTools
import Testing

@testable import Nostr
@testable import Sandbox

private let now: Int64 = 1_800_000_000

/// Groups on a relay of the sandbox: what it serves, what its faults do to that, and what is left after a restart.
struct SandboxGroupRelayTests {
  private let owner = SecretKey.random()

  private func event(_ kind: Int, tags: [[String]] = []) throws -> NostrEvent {
    try #require(NostrEvent(signedBy: owner, createdAt: now, kind: kind, tags: [["h", "g"]] + tags, content: ""))
  }

  private func states(_ relay: SandboxRelay, kinds: [JSONValue] = [39000, 39001, 39002, 39003]) throws -> [NostrEvent] {
    relay.find(try #require(EventFilter(["kinds": .array(kinds), "#d": ["g"]])), for: [])
  }

  private func document(_ relay: SandboxRelay) async throws -> JSONValue {
    let (status, lines) = try await Program.run(
      "/usr/bin/python3",
      [
        "-c", "import sys,urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())",
        "http" + relay.url.dropFirst(2),
      ])
    #expect(status == 0)
    return try JSONParser.parse(lines.joined())
  }

  @Test func documentNamesTheKeyOfARelayWithGroups() async throws {
    let relay = try await SandboxRelay.start()
    let key = try #require(relay.groupKey)
    let document = try await document(relay)
    #expect(document["supported_nips"] == [1, 9, 11, 29, 42, 50] && document["self"] == .string(key))
    await relay.stop()
  }

  @Test func relayWithoutGroupsTakesTheirEventsAsAnyOther() async throws {
    let relay = try await SandboxRelay.start(groups: false)
    #expect(relay.groupKey == nil && relay.groupIDs.isEmpty)
    let document = try await document(relay)
    #expect(document["supported_nips"] == [1, 9, 11, 42, 50] && document["self"] == nil)
    #expect(try relay.takeAsGroup(event(9007)) == nil)
    #expect(try relay.removeFromGroup(owner.publicKey, group: "g") == false)
    await relay.stop()
  }

  @Test func keyAndGroupsSurviveInAFile() async throws {
    let folder = try TemporaryFolder()
    let relay = try await SandboxRelay.start(file: folder.path + "/relay.db", now: { now })
    #expect(try relay.takeAsGroup(event(9007))?.accepted == true)
    #expect(try relay.takeAsGroup(event(9002, tags: [["name", "News"]]))?.accepted == true)
    let message = try event(9)
    #expect(try relay.takeAsGroup(message)?.accepted == true)
    #expect(try relay.takeAsGroup(event(9005, tags: [["e", message.id]]))?.accepted == true)
    let before = try states(relay).map(\.id)
    #expect(before.count == 4 && relay.eventCount == 3)
    await relay.stop()
    let again = try await SandboxRelay.start(file: folder.path + "/relay.db", now: { now })
    #expect(again.groupKey == relay.groupKey && again.groupIDs == ["g"] && again.groupAdmins(of: "g") == [owner.publicKey])
    #expect(try states(again).map(\.id) == before)
    #expect(try again.takeAsGroup(message)?.text == "blocked: this was deleted")
    #expect(try again.deleteGroup("g"))
    await again.stop()
    let last = try await SandboxRelay.start(file: folder.path + "/relay.db", now: { now })
    #expect(last.groupIDs.isEmpty && last.eventCount == 1)
    #expect(try last.takeAsGroup(event(9007))?.text == "blocked: group was deleted")
    await last.stop()
  }

  @Test func relayThrowsAnAdminOut() async throws {
    let relay = try await SandboxRelay.start(now: { now })
    #expect(try relay.takeAsGroup(event(9007))?.accepted == true)
    #expect(try relay.removeFromGroup(owner.publicKey, group: "g"))
    #expect(relay.groupAdmins(of: "g").isEmpty)
    #expect(try states(relay, kinds: [39001]).map(\.tags) == [[["d", "g"]]])
    await relay.stop()
  }

  @Test func forgottenGroupsCanBeMadeAgainUnderTheSameKey() async throws {
    let relay = try await SandboxRelay.start(now: { now })
    let key = relay.groupKey
    #expect(try relay.takeAsGroup(event(9007))?.accepted == true)
    try await relay.set(.forget)
    #expect(try states(relay).isEmpty && relay.eventCount == 0 && relay.groupKey == key)
    #expect(try relay.takeAsGroup(event(9007))?.accepted == true)
    await relay.stop()
  }

  @Test func takenGroupBelongsToSomebodyElse() async throws {
    let relay = try await SandboxRelay.start(fault: .groupTaken, now: { now })
    #expect(try relay.takeAsGroup(event(9007))?.text == "duplicate: group already exists")
    let admins = relay.groupAdmins(of: "g")
    #expect(admins.count == 1 && admins != [owner.publicKey])
    #expect(try states(relay, kinds: [39001]).first?.publicKey == relay.groupKey)
    await relay.stop()
  }

  @Test func faultsBreakWhatTheRelaySaysAboutGroups() async throws {
    let relay = try await SandboxRelay.start(now: { now })
    let key = try #require(relay.groupKey)
    #expect(try relay.takeAsGroup(event(9007))?.accepted == true)
    try await relay.set(.foreignGroup)
    for state in try states(relay) {
      try state.verify()
      #expect((state.publicKey == key) == (state.kind > 39002), "\(state.kind)")
    }
    let own = try #require(EventFilter(["kinds": [39000], "#d": ["g"], "authors": [.string(key)]]))
    #expect(relay.find(own, for: []).isEmpty)
    for (fault, flaw) in [(SandboxFault.forgeID, NostrEvent.Flaw.wrongID), (.forgeSignature, .wrongSignature)] {
      try await relay.set(fault)
      let served = try states(relay)
      #expect(served.count == 4)
      for state in served { #expect(throws: flaw) { try state.verify() } }
    }
    await relay.stop()
  }
}
