import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// A list that follows the events equals the list that a query returns.
struct FollowingTests {
  /// A subscriber's knowledge from events alone.
  private struct Follower {
    private let hub: ChangeHub
    private let subscription: ChangeSubscription
    private var changes: AsyncStream<Change>.Iterator
    private var revision: Int64
    private(set) var channels: [ChannelID: ChannelSnapshot] = [:]
    private(set) var relays: [RelayID: RelayRow] = [:]

    init(_ hub: ChangeHub) throws {
      self.hub = hub
      subscription = try #require(hub.subscribe())
      changes = subscription.changes.makeAsyncIterator()
      revision = subscription.revision
    }

    mutating func catchUp() async {
      let end = hub.revision
      while revision < end, let change = await changes.next() {
        revision = change.revision
        switch change.object {
        case .channel(let snapshot): channels[snapshot.row.id] = snapshot
        case .catalog(.relay(let row), _): relays[row.id] = row
        case .catalog, .channelRelay: break
        }
      }
    }

    /// Whether a new list would show the same.
    func isRight(_ bench: Bench) throws -> Bool {
      try channels.values.allSatisfy { known in
        guard let stored = try bench.store.channel(known.row.id) else { return false }
        let now = bench.coordinator.snapshot(stored)
        return now.row.revision == known.row.revision && now.phase == known.phase && now.link == known.link
          && now.relays.map(\.view) == known.relays.map(\.view)
      }
        && bench.coordinator.relays.allSatisfy { row in
          guard let known = relays[row.id]?.condition else { return false }
          let now = row.condition
          return known.health == now.health && known.tested == now.tested && known.lastError == now.lastError
        }
    }
  }

  @Test func everyAttemptAndEveryWaitIsAnEvent() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    var follower = try Follower(bench.coordinator.hub)
    let relays = try await bench.addRelays(4)
    bench.network.set(.unreachable, at: "ws://r2")
    bench.network.set(.silent, at: "ws://r3")
    bench.network.refuseEditions(at: "ws://r4")
    let id = try await bench.create(relays: relays).row.id
    var attempts: Set<Int> = []
    for round in 0..<60 {
      if round == 20 { _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Newer")) }
      if round == 25 { _ = try await bench.coordinator.verify(id) }
      if round == 30 {
        bench.network.set(.away, at: "ws://r1")
        bench.network.relayWent(false, relays[0])
      }
      if round == 50 {
        bench.network.set(.works, at: "ws://r1")
        bench.network.relayWent(true, relays[0])
      }
      // Sleepers that the clock has woken run in other tasks.
      for _ in 0..<100 {
        try await bench.settle()
        await follower.catchUp()
        if try follower.isRight(bench) { break }
      }
      #expect(try follower.isRight(bench), "round \(round)")
      attempts.formUnion(follower.channels[id]?.relays.map(\.view.attempt) ?? [])
      while bench.clock.nextWake == nil { await Task.yield() }
      if let next = bench.clock.nextWake { bench.clock.advance(by: max(next - bench.clock.now, .zero)) }
    }
    #expect(attempts.isSuperset(of: 1...6), "there was something to follow")
    try await bench.stop()
  }

  @Test func readingBackWhatIsThereIsNoNews() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    let before = (bench.coordinator.hub.revision, bench.network.performed)
    _ = try await bench.coordinator.verify(id)
    try await bench.settle()
    #expect(bench.coordinator.hub.revision == before.0 && bench.network.performed == before.1 + 2)
    try await bench.stop()
  }
}
