import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Requests that are refused, repeated, or completed by defaults.
struct RequestTests {
  @Test func badRequestsAreRefusedByName() async throws {
    let bench = try await Bench()
    await #expect(throws: BatonError.noEnabledRelays(.nostr)) { try await bench.create() }
    let relays = try await bench.addRelays(2)
    await #expect(throws: BatonError.noSuchRelay(RelayID(rawValue: 99))) {
      try await bench.create(relays: [RelayID(rawValue: 99)])
    }
    await #expect(throws: BatonError.notEnoughRelays(wanted: 5, available: 2)) {
      try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "x"), pick: 5))
    }
    for pick in [33, 40] {
      await #expect(throws: BatonError.tooManyRelays(wanted: pick, max: 32)) {
        try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "x"), pick: pick))
      }
    }
    func isRefused(_ profile: Profile, custom: String = "") async -> Bool {
      (try? await bench.coordinator.create(ChannelRequest(profile: profile, relays: relays))) == nil
    }
    #expect(await isRefused(Profile(displayName: "a\u{200B}b")))
    #expect(await isRefused(Profile(displayName: "ok", image: "http://x/y.png")))
    #expect(await isRefused(Profile(displayName: "ok", image: "data:image/png;base64,AAAA")))
    #expect(
      await isRefused(
        Profile(displayName: "ok", image: "data:image/png;base64,iVBORw0KGgo" + String(repeating: "A", count: 12_500))))
    #expect(await isRefused(Profile(displayName: "ok", description: String(repeating: "x", count: 2_001))))
    #expect(await isRefused(Profile(displayName: "ok", description: "a\u{0}b")))
    await #expect(throws: BatonError.duplicateAddress(relays[0].rawValue)) {
      try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r1"), force: false)
    }
    await #expect(throws: BatonError.duplicateName("r1")) {
      try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r9", name: "r1"), force: false)
    }
    await #expect { try await bench.create(key: "a\u{0}b") } throws: { error in
      if case .invalidProfile(field: "idempotencyKey", _) = error as? BatonError { true } else { false }
    }
    #expect(try bench.store.counters().channel == 0, "refused creations leave no trace")
    let entries = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.channelRefused.rawValue }
    #expect(entries.count >= 10 && entries.allSatisfy { $0.message.utf8.count < 700 }, "but a journal entry each")
    try await bench.stop()
  }

  @Test func sameKeyGivesTheSameChannel() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    async let a = bench.create(relays: relays, key: "once")
    async let b = bench.create(relays: relays, key: "once")
    let ids = try await [a.row.id, b.row.id]
    #expect(ids[0] == ids[1])
    #expect(try await bench.create(relays: relays, key: "once").row.id == ids[0])
    #expect(try bench.store.counters().channel == 1)
    try await bench.stop()
  }

  @Test func twoEqualRequestsAreTwoChannels() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let (a, b) = (try await bench.create(relays: relays), try await bench.create(relays: relays))
    #expect(a.row.id != b.row.id && a.row.networkID != b.row.networkID)
    try await bench.stop()
  }

  @Test func idempotencyKeyIsForOneChannelAndOneRequest() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    func request(_ name: String = "News", heal: Bool = true, custom: JSONValue? = nil, pick: Int? = nil) -> ChannelRequest {
      ChannelRequest(
        profile: Profile(displayName: name), relays: pick == nil ? relays : nil, pick: pick, heal: heal, custom: custom,
        idempotencyKey: "once")
    }
    let id = try await bench.coordinator.create(request()).row.id
    // The same request in another spelling.
    #expect(try await bench.coordinator.create(request(" News ")).row.id == id)
    let other = BatonError.idempotencyKeyReused(id, isDeleted: false)
    for others in [request("Other"), request(heal: false), request(custom: ["a": 1]), request(pick: 2)] {
      await #expect(throws: other) { try await bench.coordinator.create(others) }
    }
    // Later changes of the channel do not matter, unless it was deleted.
    _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    #expect(try await bench.coordinator.create(request()).row.id == id)
    await #expect(throws: other) { try await bench.coordinator.create(request("Later News")) }
    _ = try await bench.coordinator.delete(id)
    for again in [request(), request("Other")] {
      await #expect(throws: BatonError.idempotencyKeyReused(id, isDeleted: true)) { try await bench.coordinator.create(again) }
    }
    try await bench.stop()

    let later = try await Bench(bench)
    await #expect(throws: BatonError.idempotencyKeyReused(id, isDeleted: true)) {
      try await later.coordinator.create(request())
    }
    #expect(try later.store.counters().channel == 1)
    try await later.stop()
  }

  @Test func idempotencyKeyIsForOneOfTwoRequestsAtOnce() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    @Sendable func error(_ name: String) async -> BatonError? {
      do {
        _ = try await bench.create(name, relays: relays, key: "once")
        return nil
      } catch {
        return error as? BatonError
      }
    }
    async let first = error("One")
    async let second = error("Two")
    let errors = await [first, second].compactMap { $0 }
    #expect(errors == [.idempotencyKeyReused(ChannelID(rawValue: 1), isDeleted: false)])
    #expect(try bench.store.counters().channel == 1)
    try await bench.stop()
  }

  @Test func groupNeedsARelayThatIsKnownToOfferThem() async throws {
    let bench = try await Bench()
    func create() async throws {
      _ = try await bench.coordinator.create(ChannelRequest(kind: .group, profile: Profile(displayName: "G")))
    }
    await #expect(throws: BatonError.noEnabledRelays(.nostr)) { try await create() }
    _ = try await bench.addRelays(2)
    await #expect(throws: BatonError.noGroupRelays(.nostr, untested: 2)) { try await create() }
    try await bench.stop()
  }

  @Test func historyIsOnUnlessTheRequestSaysOtherwise() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    for (given, stored) in [
      (nil, ["history": "on"]), (["support": "off"], ["support": "off", "history": "on"]),
      (["history": "off"], ["history": "off"]),
    ] as [(JSONValue?, JSONValue)] {
      let created = try await bench.coordinator.create(
        ChannelRequest(profile: Profile(displayName: "News"), preferences: given))
      #expect(try bench.store.channel(created.row.id)?.row.preferences == stored)
    }
    let large: JSONValue = ["x": .string(String(repeating: "x", count: 17_000))]
    await #expect(throws: BatonError.invalidProfile(field: "preferences", reason: "it has more than 16384 bytes")) {
      try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), preferences: large))
    }
    try await bench.stop()
  }

  @Test func secondUpdateFromOneRevisionIsRefusedWithTheCurrentObject() async throws {
    let bench = try await Bench()
    let relay = try #require(try await bench.addRelays(1).first)
    for round in 0..<20 {
      let revision = try #require(bench.coordinator.relays.first).revision
      let results = await withTaskGroup(of: Result<RelayRow, any Error>.self) { group in
        for number in 0..<2 {
          group.addTask {
            do {
              return .success(
                try await bench.coordinator.updateRelay(
                  relay, revision: revision, RelayEdit(name: "r \(round) \(number)"), force: false))
            } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let won = results.compactMap { try? $0.get() }
      #expect(won.count == 1)
      let refused = results.contains { result in
        guard case .failure(let error) = result, case .staleRevision(.relay(let row)) = error as? BatonError else {
          return false
        }
        return row.name == won.first?.name
      }
      #expect(refused)
    }
    try await bench.stop()
  }
}
