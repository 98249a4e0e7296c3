import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Which relays are compared next with what they should hold.
struct PostComparisonStoreTests {
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

  private static func route(
    _ channel: Int64, _ relay: Int64, _ status: PostRouteRow.Status = .joined, at due: Int64? = nil, compared: Int64? = nil
  ) -> PostRouteRow {
    PostRouteRow(
      channel: ChannelID(rawValue: channel), relay: RelayID(rawValue: relay), status: status, cursor: PostID(rawValue: 0),
      compareAt: due.map(time), comparedAt: compared.map(time))
  }

  private func save(_ routes: [PostRouteRow]) async throws { try await store.commit(routes.map(StoreMutation.savePostRoute)) }

  @Test func routesAreDueInTheOrderOfTheirTimes() async throws {
    let (first, second, third) = (Self.route(2, 1, at: 10), Self.route(1, 2, at: 20), Self.route(3, 2, at: 20))
    try await save([
      third, second, first, Self.route(1, 1, at: 31), Self.route(1, 3, .joining, at: 5), Self.route(1, 4, .leaving, at: 5),
      Self.route(2, 2, .left, at: 5), Self.route(3, 1),
    ])
    #expect(try store.postRoutesToCompare(at: Self.time(30), except: [], limit: 10) == [first, second, third])
    #expect(try store.postRoutesToCompare(at: Self.time(20), except: [], limit: 2) == [first, second])
    #expect(try store.postRoutesToCompare(at: Self.time(30), except: [RelayID(rawValue: 2)], limit: 10) == [first])
    #expect(try store.postRoutesToCompare(at: Self.time(9), except: [], limit: 10).isEmpty)
    try await save([Self.route(2, 1, at: 50, compared: 30)])
    #expect(try store.postRoutesToCompare(at: Self.time(30), except: [], limit: 10) == [second, third])
  }

  @Test func routesOfARelayThatWereComparedLatelyAreLeftOut() async throws {
    let (never, long) = (Self.route(1, 1), Self.route(3, 1, compared: 9))
    try await save([never, Self.route(2, 1, compared: 10), long, Self.route(1, 2), Self.route(2, 3, .joining)])
    let relay = RelayID(rawValue: 1)
    #expect(try store.postRoutes(on: relay, comparedBefore: Self.time(10), after: nil, limit: 5) == [never, long])
    #expect(try store.postRoutes(on: relay, comparedBefore: Self.time(10), after: nil, limit: 1) == [never])
    #expect(try store.postRoutes(on: relay, comparedBefore: Self.time(10), after: never.channel, limit: 5) == [long])
    #expect(try store.postRoutes(on: relay, comparedBefore: Self.time(10), after: long.channel, limit: 5).isEmpty)
    #expect(try store.postRoutes(on: RelayID(rawValue: 3), comparedBefore: Self.time(10), after: nil, limit: 5).isEmpty)
  }

  @Test func comparisonsDoNotWaitForAFalseClock() async throws {
    let now = PostBench.now
    let soon = (now + .seconds(100_000)).milliseconds
    try await save([Self.route(1, 1, at: soon), Self.route(2, 1, at: (now + .seconds(400_000)).milliseconds)])
    try await store.commit([.clampTimes(now: now, latestVerifyDue: now)])
    #expect(
      try store.postRoutes(of: [ChannelID(rawValue: 1), ChannelID(rawValue: 2)])
        == [Self.route(1, 1, at: soon), Self.route(2, 1, at: now.milliseconds)])
  }

  @Test func damagedRouteIsLeftOut() async throws {
    try await save([Self.route(1, 1, at: 1), Self.route(2, 1, at: 2)])
    try await store.pool.write { db in try db.execute(sql: "UPDATE post_routes SET cursor = 9 WHERE channel_id = 1") }
    #expect(try store.postRoutesToCompare(at: Self.time(5), except: [], limit: 5) == [Self.route(2, 1, at: 2)])
    let relay = RelayID(rawValue: 1)
    #expect(try store.postRoutes(on: relay, comparedBefore: Self.time(5), after: nil, limit: 5) == [Self.route(2, 1, at: 2)])
  }
}
