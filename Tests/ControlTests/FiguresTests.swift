import BatonClient
import Channels
import ControlAPI
import Storage
import StrictJSON
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Counts of channels and figures of relays, as clients get them.
@Suite(.timeLimit(.minutes(10)))
struct FiguresTests {
  /// Three relays, of which the second refuses channels and the third has an operator; three channels.
  private func filled() async throws -> Bench {
    let bench = try await Bench()
    _ = try await bench.client.operators.add(AddOperator(name: "Harbour", domains: ["r3"]))
    let relays = try await bench.addRelays(3)
    bench.network.set(.refuses, at: "ws://r2")
    for (name, relays) in [("One", relays), ("Two", [relays[0]]), ("Three", [relays[1]])] {
      let request = CreateChannel(profile: .init(displayName: name), relayIds: relays)
      for try await _ in try await bench.client.channels.createAndFollow(request) {}
    }
    return bench
  }

  @Test func countsAreThoseOfTheLists() async throws {
    let bench = try await filled()
    let channels = try await bench.client.channels.all()
    let counted = try await bench.client.channels.counts()
    #expect(
      Dictionary(uniqueKeysWithValues: counted.counts.map { ($0.phase, $0.channels) })
        == Dictionary(grouping: channels, by: \.phase).mapValues(\.count))
    #expect(Set(counted.counts.map(\.network)) == ["nostr"] && counted.counts.count == 3)
    #expect(counted.revision >= channels.map(\.revision).max() ?? 0)
    let counts = try await bench.client.relays.allCounts()
    #expect(
      counts.map { "\($0.relayName) \($0.status) \($0.cause ?? "-") \($0.channels)" } == [
        "r1 active - 2", "r2 failed rejected 2", "r3 active - 1",
      ])
    #expect(counts.map(\.operatorId) == [nil, nil, 1])
    // The third channel is on the second relay alone.
    let nowhere = try await bench.client.daemon.metrics().filter { $0.name == "baton_channels_on_no_relay" }
    #expect(nowhere.map { "\($0.label ?? "") \($0.value)" } == ["nostr 1.0", "simplex 0.0"])
    #expect(try await bench.client.relays.allCounts(filter: ["cause": "rejected"]).map(\.relayId) == [2])
    #expect(try await bench.client.relays.allCounts(filter: ["operatorId": 1]).map(\.relayId) == [3])
    // What was counted is what it is now, also after the next change.
    _ = try await bench.client.channels.delete(id: try #require(channels.first { $0.profile.displayName == "Two" }).id)
    var last: [ChannelsAtRelay] = []
    repeat { last = try await bench.client.relays.allCounts(filter: ["relayId": 1]) } while last.first?.channels == 2
    #expect(last.map(\.channels) == [1])
    try await bench.stop()
  }

  @Test func relaysHaveFigures() async throws {
    let bench = try await filled()
    for _ in 0..<3 { for try await _ in try await bench.client.relays.testAndFollow(id: 1) {} }
    let figures = try await bench.client.relays.allFigures()
    #expect(figures.map(\.relayName) == ["r1", "r2", "r3"])
    #expect(figures.map(\.channels) == [2, 2, 1] && figures.map(\.active) == [2, 0, 1] && figures.map(\.failed) == [0, 2, 0])
    #expect(figures.map(\.reached) == [2, 0, 1] && figures.map(\.missed) == [0, 2, 0])
    #expect(figures.map(\.successRate) == [1, 0, 1])
    #expect(figures[0].roundTrips?.count == 3 && figures[1].roundTrips == nil)
    #expect(figures[0].timeToActive?.count == 2 && figures[1].timeToActive == nil)
    #expect(figures.allSatisfy { $0.timeToActive.map { $0.p50 <= $0.p90 && $0.p90 <= $0.max } ?? true })
    // Filters, orders and pages are those of all lists.
    let best = try await bench.client.relays.allFigures(
      filter: ["successRate": ["$gt": .number(0.5)]], sort: [["field": "channels", "direction": -1]])
    #expect(best.map(\.relayId) == [1, 3])
    let first = try await bench.client.call("org.batond.Relays.Figures", ["limit": 1])
    #expect(first["figures"]?.array?.count == 1 && first["since"]?.string != nil)
    let next = try await bench.client.call(
      "org.batond.Relays.Figures", ["limit": 5, "cursor": try #require(first["nextCursor"])])
    #expect(next["figures"]?.array?.count == 2 && next["nextCursor"] == nil)
    // A cursor belongs to the list that gave it.
    await #expect(throws: VarlinkError.self) {
      try await bench.client.call("org.batond.Relays.List", ["cursor": try #require(first["nextCursor"])])
    }
    await #expect(throws: VarlinkError.self) {
      try await bench.client.call("org.batond.Relays.Figures", ["filter": ["name": "r1"]])
    }
    try await bench.stop()
  }

  @Test(arguments: [(1, 0, 0, 0), (2, 0, 1, 1), (10, 4, 8, 9), (11, 5, 9, 10), (100, 49, 89, 99)])
  func halfAndNineOfTenAreThisOrLess(_ count: Int, _ half: Int, _ nine: Int, _ last: Int) {
    let values = (0..<count).map { Int64($0) }
    #expect(Spread(ofSorted: values) == Spread(count: count, p50: half, p90: nine, max: last))
    #expect(Spread(ofSorted: []) == nil)
  }

  // MARK: - What is kept

  /// Something to find out, the first time only once a gate is open.
  private final class Finder: Sendable {
    let count = Mutex(0)
    let gate = AsyncStream<Void>.makeStream()

    func find() async -> Int {
      let number = count.withLock {
        $0 += 1
        return $0
      }
      if number == 1 { for await _ in gate.stream { break } }
      return number
    }
  }

  /// Whoever asks while it is being found out gets what was found out after that, together with all others.
  @Test func whoeverAsksGetsWhatIsTrueFromThenOn() async throws {
    let (kept, finder, now) = (Kept<Int>(cheap: .seconds(6_000)), Finder(), Timestamp(milliseconds: 7))
    let first = Task { try await kept.value(at: { now }) { await finder.find() } }
    while finder.count.withLock({ $0 }) == 0 { await Task.yield() }
    let others = (0..<20).map { _ in Task { try await kept.value(at: { now }) { await finder.find() }.value } }
    while await kept.waiting < 21 { await Task.yield() }
    finder.gate.continuation.finish()
    let found = try await first.value
    #expect(found.value == 1 && found.at == now)
    // All of them asked after the first had begun.
    for other in others { #expect(try await other.value == 2) }
    #expect(finder.count.withLock { $0 } == 2)
  }

  /// What takes long is kept for all who ask, with the time at which it was true.
  @Test func whatTakesLongIsKept() async throws {
    let (kept, finder) = (Kept<Int>(cheap: .milliseconds(1)), Finder())
    finder.gate.continuation.finish()
    let found = try await kept.value(at: { Timestamp(milliseconds: 7) }) {
      // Twenty seconds are not over soon.
      let begin = ContinuousClock.now
      while ContinuousClock.now - begin < .seconds(1) { await Task.yield() }
      return await finder.find()
    }
    let again = try await kept.value(at: { Timestamp(milliseconds: 8) }) { await finder.find() }
    #expect(found.value == 1 && again.value == 1 && again.at == Timestamp(milliseconds: 7))
  }

  @Test func failureIsTheOneOfWhoeverAsked() async throws {
    struct Failed: Error {}
    let kept = Kept<Int>()
    await #expect(throws: Failed.self) { try await kept.value(at: { Timestamp(milliseconds: 0) }) { throw Failed() } }
    #expect(try await kept.value(at: { Timestamp(milliseconds: 0) }) { 3 }.value == 3)
  }
}
