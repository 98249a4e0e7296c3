import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// The loads of relays, as the selection sees them.
@Suite(.timeLimit(.minutes(10)))
struct LoadTests {
  private func loads(_ bench: Bench) -> RelayLoads { bench.coordinator.directory.read { $0.loads } }

  /// Checks that the counts in memory are `counts` and those in the store, while no creation is under way.
  private func expect(
    _ bench: Bench, _ relays: [RelayID], carry counts: [Int], _ place: SourceLocation = #_sourceLocation
  ) throws {
    let loads = loads(bench)
    #expect(relays.map { loads[$0] } == counts, sourceLocation: place)
    #expect(loads.chosen.isEmpty, sourceLocation: place)
    #expect(try bench.store.channelCounts() == loads.carried, sourceLocation: place)
  }

  private func pick(_ bench: Bench, _ count: Int = 1) async throws -> [RelayID] {
    try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "Picked"), pick: count)).relays.map(\.id)
  }

  /// Waits until storage works again.
  private func recover(_ bench: Bench) async throws {
    for _ in 0..<50 where bench.coordinator.storageTrouble != nil {
      if let next = bench.clock.nextWake { bench.clock.advance(by: max(next - bench.clock.now, .zero)) }
      try await bench.coordinator.barrier()
    }
    #expect(bench.coordinator.storageTrouble == nil)
  }

  // MARK: - Counted channels

  @Test func relayCarriesAChannelFromItsCreationUntilItIsRemovedOrTheChannelDeleted() async throws {
    let bench = try await Bench(network: FakeNetwork(takesRemovedRelaysAgain: true))
    let relays = try await bench.addRelays(3)
    try expect(bench, relays, carry: [0, 0, 0])
    bench.network.set(.refuses, at: "ws://r3")
    let first = try await bench.create("First", relays: relays).row.id
    let second = try await bench.create("Second", relays: [relays[0]]).row.id
    try expect(bench, relays, carry: [2, 1, 1])
    _ = try await bench.channel(second) { $0.hasSettled }
    let settled = try await bench.channel(first) { $0.hasSettled }
    #expect(settled.relays[2].record.status == .failed)
    try expect(bench, relays, carry: [2, 1, 1])
    _ = try await bench.coordinator.removeRelay(relays[2], from: first)
    try expect(bench, relays, carry: [2, 1, 0])
    _ = try await bench.coordinator.removeRelay(relays[1], from: first)
    try expect(bench, relays, carry: [2, 0, 0])
    _ = try await bench.channel(first) { $0.relays[1].record.task == nil }
    _ = try await bench.coordinator.addRelays([relays[1]], to: first)
    try expect(bench, relays, carry: [2, 1, 0])
    _ = try await bench.coordinator.delete(second)
    try expect(bench, relays, carry: [1, 1, 0])
    _ = try await bench.channel(second) { $0.phase == .deleted }
    _ = try await bench.channel(first) { $0.phase == .active }
    try await bench.stop()

    let again = try await Bench(bench)
    try expect(again, relays, carry: [1, 1, 0])
    _ = try await again.coordinator.delete(first)
    try expect(again, relays, carry: [0, 0, 0])
    try await again.stop()
  }

  @Test func commitThatFailedDoesNotCount() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.storage.isBroken = true
    await #expect(throws: BatonError.self) { try await bench.create("Other", relays: [relays[0]]) }
    await #expect(throws: BatonError.self) { try await bench.coordinator.delete(id) }
    await #expect(throws: BatonError.self) { try await bench.coordinator.removeRelay(relays[1], from: id) }
    try expect(bench, relays, carry: [1, 1])
    bench.storage.isBroken = false
    try await recover(bench)
    try expect(bench, relays, carry: [1, 1])
    _ = try await bench.create("Third", relays: [relays[0]])
    try expect(bench, relays, carry: [2, 1])
    try await bench.stop()
  }

  @Test func commitThatFailedAndIsDurableAllTheSameCounts() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.storage.isDoubtful = true
    await #expect(throws: BatonError.self) { try await bench.create("Doubtful", relays: relays) }
    bench.storage.isDoubtful = false
    try await bench.settle()
    try expect(bench, relays, carry: [1, 1])
    let id = ChannelID(rawValue: 1)
    _ = try await bench.channel(id) { $0.phase == .active }
    try await recover(bench)
    bench.storage.isDoubtful = true
    await #expect(throws: BatonError.self) { try await bench.coordinator.removeRelay(relays[1], from: id) }
    bench.storage.isDoubtful = false
    try await bench.settle()
    try expect(bench, relays, carry: [1, 0])
    try await bench.stop()
  }

  @Test func refusedCreationsLeaveNothingBehind() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let profile = Profile(displayName: "Refused")
    for request in [
      ChannelRequest(profile: profile, identity: "nobody", pick: 2), ChannelRequest(profile: profile, pick: 3),
      ChannelRequest(profile: profile, relays: [relays[0], RelayID(rawValue: 99)]),
      ChannelRequest(kind: .group, profile: profile, relays: relays),
    ] {
      await #expect(throws: BatonError.self) { try await bench.coordinator.create(request) }
      try expect(bench, relays, carry: [0, 0])
    }
    let created = try await bench.create("Once", relays: relays, key: "once").row.id
    #expect(try await bench.create("Once", relays: relays, key: "once").row.id == created)
    try expect(bench, relays, carry: [1, 1])
    try await bench.stop()
  }

  // MARK: - The relay of the next channel

  @Test func creationsThatComeAtOnceSeeEachOthersChoices() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(100)
    bench.storage.hold()
    let creations = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<400 { group.addTask { _ = try await pick(bench, 2) } }
        try await group.waitForAll()
      }
    }
    while loads(bench).chosen.values.reduce(0, +) < 800, !Task.isCancelled { await Task.yield() }
    let decided = loads(bench)
    #expect(decided.carried.isEmpty, "nothing of it is durable yet")
    // The mean is 8. By chance alone the fullest relay would have 16.
    #expect(decided.chosen.values.max() ?? 0 <= 12 && decided.chosen.count >= 95, "\(decided.chosen)")
    bench.storage.release()
    try await creations.value
    try expect(bench, relays, carry: relays.map { decided.chosen[$0] ?? 0 })
    try await bench.stop()
  }

  @Test func equalSeedsChooseEqualRelays() throws {
    func choices(_ seed: UInt64) throws -> [[RelayID]] {
      let directory = RelayDirectory(networks: [], addressing: [], servers: nil, seed: seed)
      directory.write { contents in
        for id in 1...20 {
          let relay = RelayID(rawValue: Int64(id))
          contents.catalog.relays[relay] = RelayRow(
            id: relay, network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: 1)
        }
      }
      let request = ChannelRequest(profile: Profile(displayName: "Picked"), pick: 3)
      return try (0..<10).map { _ in
        try directory.choose(for: request, on: .nostr, at: Timestamp(milliseconds: 1_000))
      }
    }
    #expect(try choices(1) == choices(1))
    #expect(try choices(1) != choices(2))
  }

  @Test func relayThatCarriesLessGetsTheNextChannel() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    for number in 0..<3 { _ = try await bench.create("c\(number)", relays: [relays[0]]) }
    for number in 0..<2 { _ = try await bench.create("d\(number)", relays: [relays[1]]) }
    let last = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(last.id, revision: last.revision, RelayEdit(isEnabled: false), force: false)
    #expect(try await pick(bench) == [relays[1]], "two relays are left, both are drawn")
    try expect(bench, relays, carry: [3, 3, 0])
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(last.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    let id = try await bench.create("e", relays: [relays[0]]).row.id
    let joined = try await bench.coordinator.addRelays([], pick: 1, to: id)
    #expect(joined.relays.map(\.id) == [relays[0], relays[2]])
    try await bench.stop()

    let again = try await Bench(bench)
    let row = try #require(again.coordinator.relays.last)
    _ = try await again.coordinator.updateRelay(row.id, revision: row.revision, RelayEdit(isEnabled: false), force: false)
    #expect(try await pick(again) == [relays[1]], "what is stored counts after a restart")
    try await again.stop()
  }

  @Test func relayThatCarriesLessTakesThePlaceOfOneThatFailed() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(4)
    bench.network.set(.refuses, at: "ws://r2")
    for number in 0..<3 { _ = try await bench.create("c\(number)", relays: [relays[2]]) }
    let id = try await bench.create(relays: [relays[0], relays[1]]).row.id
    _ = try await bench.channel(id) { $0.hasSettled }
    for _ in 0..<2 {
      bench.clock.advance(by: .seconds(60))
      try await bench.settle()
    }
    let healed = try await bench.channel(id) { $0.phase == .active }
    #expect(healed.relays.map(\.id) == [relays[0], relays[1], relays[3]])
    try expect(bench, relays, carry: [1, 0, 3, 1])
    try await bench.stop()
  }

  /// Observations of a relay age even without new ones.
  @Test func relayThatFailedIsPickedAgainAfterTenMinutes() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    for relay in relays { _ = try await bench.create(relays: [relay]) }
    for isUp in [true, false, true] { bench.network.relayWent(isUp, relays[1]) }
    bench.network.relayWent(true, relays[0])
    try await bench.settle()
    for _ in 0..<3 { #expect(try await pick(bench) == [relays[0]]) }
    bench.clock.advance(by: .seconds(599))
    #expect(try await pick(bench) == [relays[0]])
    bench.clock.advance(by: .seconds(1))
    #expect(try await pick(bench) == [relays[1]])
    try await bench.stop()
  }
}
