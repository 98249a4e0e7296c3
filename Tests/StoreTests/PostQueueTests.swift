import Channels
import Storage
import TestSupport
import Testing

@testable import Store

/// What is left to do for posts, and where they go.
struct PostQueueTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }
  private static let relay = RelayID(rawValue: 1)

  init() async throws { bench = try await PostBench() }

  private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

  // MARK: - Deliveries

  @Test func deliveriesAreDueInTheOrderOfTheirTimes() async throws {
    let due: [(id: Int64, due: Int64)] = [(1, 50), (2, 30), (3, 30), (4, 51), (5, 70), (6, 10)]
    try await bench.add(
      due.map { Bench.stored($0.id, [Bench.delivery(1, Bench.record(.pending, due: $0.due))]) } + [
        Bench.stored(7, [Bench.delivery(1, Bench.record(.pending, due: 1), departed: true)]),
        Bench.stored(8, [Bench.delivery(1, Bench.record(.sent, due: 1, isUnderWay: true))]),
        Bench.stored(9, [Bench.delivery(2, Bench.record(.pending, due: 2)), Bench.delivery(1, Bench.record(.verified))]),
      ])
    let now = try store.dueDeliveries(on: Self.relay, at: Self.time(50), limit: 10)
    #expect(now.posts == Bench.ids([6, 2, 3, 1]) && now.next == Self.time(51))
    let some = try store.dueDeliveries(on: Self.relay, at: Self.time(50), limit: 2)
    #expect(some.posts == Bench.ids([6, 2]) && some.next == Self.time(51), "what is due already is not next")
    let none = try store.dueDeliveries(on: Self.relay, at: Self.time(9), limit: 10)
    #expect(none.posts.isEmpty && none.next == Self.time(10))
    let all = try store.dueDeliveries(on: Self.relay, at: Self.time(70), limit: 10)
    #expect(all.posts.count == 6 && all.next == nil)
    #expect(try store.nextDeliveries() == [Self.relay: Self.time(10), RelayID(rawValue: 2): Self.time(2)])
  }

  @Test func deliveriesThatAreSettledOrBegunWaitNoMore() async throws {
    let post = Bench.stored(1, [Bench.delivery(1, Bench.record(.pending, due: 5))])
    try await bench.add([post])
    #expect(try store.dueDeliveries(on: Self.relay, at: Self.time(5), limit: 5).posts == [post.row.id])
    for record in [Bench.record(.sent, due: 5, isUnderWay: true), Bench.record(.verified)] {
      try await store.commit([.saveDelivery(post.row.id, Bench.delivery(1, record))])
      let due = try store.dueDeliveries(on: Self.relay, at: Self.time(5), limit: 5)
      #expect(try due.posts.isEmpty && due.next == nil && store.nextDeliveries().isEmpty)
      #expect(try store.postsUnderWay(after: nil, limit: 5) == (record.isUnderWay ? [post.row.id] : []))
    }
  }

  @Test func postsUnderWayComeOnceEach() async throws {
    let (waiting, underWay) = (Bench.record(.pending), Bench.record(.sent, isUnderWay: true))
    try await bench.add([
      Bench.stored(1, [Bench.delivery(1, underWay), Bench.delivery(2, underWay)]),
      Bench.stored(2, [Bench.delivery(1, waiting)]),
      Bench.stored(3, [Bench.delivery(1, waiting), Bench.delivery(2, underWay)]),
      Bench.stored(4, [Bench.delivery(4, underWay)]),
    ])
    #expect(try store.postsUnderWay(after: nil, limit: 10) == Bench.ids([1, 3, 4]))
    #expect(try store.postsUnderWay(after: nil, limit: 2) == Bench.ids([1, 3]))
    #expect(try store.postsUnderWay(after: PostID(rawValue: 3), limit: 2) == Bench.ids([4]))
  }

  @Test func postsThatAwaitTheirReplacementAreFoundUntilTheyAreDeletedOrFree() async throws {
    let deletion = PostDocument(networkID: "d", author: "ab", text: "{}")
    func old(_ id: Int64, by new: Int64?, deletion: PostDocument?, deletedAt: Timestamp? = nil) -> PostRow {
      var row = Bench.post(id, deletedAt: deletedAt, revision: id)
      (row.replacedBy, row.deletion) = (new.map(PostID.init(rawValue:)), deletion)
      return row
    }
    func awaited(after: Int64? = nil, limit: Int = 10) throws -> [[Int64]] {
      try store.awaitedReplacements(after: after.map(PostID.init(rawValue:)), limit: limit)
        .map { [$0.old.rawValue, $0.new.rawValue] }
    }
    try await bench.add((1...9).map { Bench.stored($0, []) })
    try await store.commit([
      .updatePost(old(1, by: 6, deletion: deletion)), .updatePost(old(2, by: 7, deletion: deletion, deletedAt: Bench.now)),
      .updatePost(old(3, by: nil, deletion: nil)), .updatePost(old(4, by: 8, deletion: deletion)),
      .updatePost(old(5, by: 9, deletion: deletion)),
    ])
    #expect(try awaited() == [[1, 6], [4, 8], [5, 9]])
    #expect(try awaited(limit: 2) == [[1, 6], [4, 8]] && awaited(after: 4) == [[5, 9]])
    try await store.commit([
      .updatePost(old(1, by: 6, deletion: deletion, deletedAt: Bench.now)), .updatePost(old(4, by: nil, deletion: nil)),
    ])
    #expect(try awaited() == [[5, 9]])
    #expect(try store.post(PostID(rawValue: 5))?.row.awaitsReplacement == true)
    #expect(try store.check().problems.isEmpty)
  }

  @Test func troubledDeliveriesAreThoseThatWaitAfterTheCauses() async throws {
    func post(
      _ id: Int64, _ status: DeliveryStatus, _ cause: Cause?, relay: Int64 = 1, departed: Bool = false, way: Bool = false
    )
      -> StoredPost
    {
      Bench.stored(id, [Bench.delivery(relay, Bench.record(status, cause: cause, isUnderWay: way), departed: departed)])
    }
    try await bench.add([
      post(1, .failed, .unreachable), post(2, .pending, .timeout), post(3, .failed, .rejected), post(4, .pending, nil),
      post(5, .failed, .unreachable, relay: 2), post(6, .failed, .unreachable, departed: true),
      post(7, .sent, .timeout, way: true), post(8, .skipped, .timeout), post(9, .failed, .unreachable),
      post(10, .sent, .timeout),
    ])
    let causes: [Cause] = [.timeout, .unreachable, .timeout]
    func found(after: Int64? = nil, limit: Int = 10) throws -> [PostID] {
      try store.troubledDeliveries(on: Self.relay, causes: causes, after: after.map(PostID.init(rawValue:)), limit: limit)
    }
    #expect(try found() == Bench.ids([1, 2, 9, 10]))
    #expect(try found(limit: 3) == Bench.ids([1, 2, 9]) && found(after: 2) == Bench.ids([9, 10]))
    #expect(try store.troubledDeliveries(on: Self.relay, causes: [], after: nil, limit: 5).isEmpty)
  }

  // MARK: - Routes

  private static func route(
    _ channel: Int64, _ relay: Int64, _ status: PostRouteRow.Status, cursor: Int64 = 4
  ) -> PostRouteRow {
    PostRouteRow(
      channel: ChannelID(rawValue: channel), relay: RelayID(rawValue: relay), status: status, cursor: PostID(rawValue: cursor))
  }

  @Test func routesAreReadBackAndChange() async throws {
    let routes = [
      Self.route(1, 1, .joined), Self.route(1, 2, .joining, cursor: 7), Self.route(2, 1, .left), Self.route(3, 4, .leaving),
    ]
    try await store.commit(routes.reversed().map(StoreMutation.savePostRoute))
    let channels = [1, 2, 3, 99].map(ChannelID.init(rawValue:))
    #expect(try store.postRoutes(of: Set(channels)) == routes)
    #expect(try store.postRoutes(of: [channels[0]]) == Array(routes.prefix(2)) && store.postRoutes(of: [channels[3]]).isEmpty)
    #expect(try store.channelsWithPosts() == Set(channels.prefix(3)))
    #expect(try store.postRoutesUnderWay() == [routes[1], routes[3]])
    try await store.commit([.savePostRoute(Self.route(1, 2, .joined, cursor: 0)), .savePostRoute(Self.route(3, 4, .left))])
    #expect(try store.postRoutesUnderWay().isEmpty)
    #expect(try store.postRoutes(of: [channels[0]]).last == Self.route(1, 2, .joined, cursor: 0))
  }

  /// Each pairing of a relay's membership with a route.
  @Test(arguments: PostRouteRow.Status.allCases.map(Optional.init) + [nil], [.active, .failed, .removed] as [RelayStatus])
  func routesThatDoNotFitAreFound(_ route: PostRouteRow.Status?, _ member: RelayStatus) async throws {
    let channel = ChannelID(rawValue: 2)
    let record = ChannelRelayRecord(
      status: member, since: Bench.now, operation: 1, relayLink: nil, trouble: nil, task: nil, attempt: 0, startedAt: nil,
      isUnderWay: false, timer: nil)
    var mutations: [StoreMutation] = [
      .saveChannelRelay(channel, position: 1, ChannelRelayRow(relay: Self.relay, record: record)),
      // A channel without routes has no posts, and needs none.
      .saveChannelRelay(ChannelID(rawValue: 3), position: 0, ChannelRelayRow(relay: Self.relay, record: record)),
      // Another route of the channel fits.
      .saveChannelRelay(channel, position: 0, ChannelRelayRow(relay: RelayID(rawValue: 2), record: Self.active)),
      .savePostRoute(Self.route(2, 2, .joined)),
    ]
    if let route { mutations.append(.savePostRoute(Self.route(2, 1, route))) }
    try await store.commit(mutations)
    let isOnItsWay = route == .joining || route == .joined
    #expect(try store.channelsToRoute() == ((member == .removed) == isOnItsWay ? [channel] : []))
  }

  private static let active = ChannelRelayRecord(
    status: .active, since: Bench.now, operation: 1, relayLink: nil, trouble: nil, task: nil, attempt: 0, startedAt: nil,
    isUnderWay: false, timer: nil)
}
