import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Pages of posts and lists of changed ones, compared with a model that knows nothing of databases.
struct PostPageTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  // MARK: - The model

  private static let causes: [Cause] = [.timeout, .unreachable, .rejected]

  /// Posts with even ids, so that some places between them are free.
  private static func posts(_ random: inout SplitMix64) -> [StoredPost] {
    (1...300 as ClosedRange<Int64>).map { number in
      let relays = Bench.relays.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
      let deliveries = relays.map { relay in
        let status = DeliveryStatus.allCases.randomElement(using: &random) ?? .pending
        let cause = Bool.random(using: &random) ? causes.randomElement(using: &random) : nil
        return Bench.delivery(
          relay.rawValue, Bench.record(status, cause: cause), departed: Int.random(in: 0..<4, using: &random) == 0)
      }
      var post = Bench.stored(
        number * 2, channel: Int64.random(in: 1...3, using: &random),
        deletedAt: Int.random(in: 0..<4, using: &random) == 0 ? Bench.now : nil, deliveries)
      if number > 5, Int.random(in: 0..<4, using: &random) == 0 { post.row.reactionTo = target(&random) }
      if Int.random(in: 0..<8, using: &random) == 0, let act = AboutMessage.Act.allCases.randomElement(using: &random) {
        post.row.about = AboutMessage(act: act, networkID: "m", author: "a")
      }
      if Int.random(in: 0..<6, using: &random) == 0 {
        post.deliveries = []
        post.row.deliveryCount = 0
        post.row.schedule =
          Bool.random(using: &random)
          ? PostSchedule(draftOf: "{}", at: Bench.now, tolerance: 60)
          : PostSchedule(publishAt: Bench.now, tolerance: 60, request: "{}", trouble: Bool.random(using: &random) ? "x" : nil)
      }
      return post
    }
  }

  /// One of a few posts, so that some have many reactions.
  private static func target(_ random: inout SplitMix64) -> PostID {
    PostID(rawValue: 2 * Int64.random(in: 1...5, using: &random))
  }

  private static func question(_ random: inout SplitMix64) -> PostQuestion {
    func maybe<T>(_ values: [T]) -> T? { Bool.random(using: &random) ? values.randomElement(using: &random) : nil }
    let place = PostID(rawValue: Int64.random(in: -1...603, using: &random))
    let places: [PostQuestion.Place] = [.newest, .before(place), .after(place), .around(place)]
    return PostQuestion(
      channel: maybe((1...4 as ClosedRange<Int64>).map(ChannelID.init(rawValue:))),
      relay: maybe((1...5 as ClosedRange<Int64>).map(RelayID.init(rawValue:))), status: maybe(DeliveryStatus.allCases),
      cause: maybe(causes), withDeleted: Bool.random(using: &random),
      reactionTo: Int.random(in: 0..<4, using: &random) == 0 ? target(&random) : nil,
      withReactions: Bool.random(using: &random), onlyDrafts: Int.random(in: 0..<4, using: &random) == 0,
      place: places.randomElement(using: &random) ?? .newest,
      limit: [1, 2, 3, 7, 25, 1_000].randomElement(using: &random) ?? 1)
  }

  private static func fits(_ post: StoredPost, _ question: PostQuestion) -> Bool {
    guard question.channel == nil || post.row.channel == question.channel else { return false }
    guard question.withDeleted || post.row.deletedAt == nil else { return false }
    guard !question.onlyDrafts || post.row.isDraft else { return false }
    if let target = question.reactionTo {
      guard post.row.reactionTo == target else { return false }
    } else {
      let isReaction = post.row.reactionTo != nil || post.row.about.map { $0.act != .answer } == true
      guard question.withReactions || !isReaction else { return false }
    }
    guard question.relay != nil || question.status != nil || question.cause != nil else { return true }
    return post.deliveries.contains { delivery in
      !delivery.hasDeparted && (question.relay ?? delivery.relay) == delivery.relay
        && (question.status ?? delivery.record.status) == delivery.record.status
        && (question.cause == nil || delivery.record.trouble?.cause == question.cause)
    }
  }

  private struct Page: Equatable {
    var ids: [PostID]
    var hasOlder: Bool
    var hasNewer: Bool
  }

  private static func page(_ question: PostQuestion, _ posts: [StoredPost]) -> Page {
    let wanted = posts.filter { fits($0, question) }.map(\.row.id).sorted(by: >)
    let limit = question.limit
    func older(_ isMeant: (PostID) -> Bool, _ limit: Int) -> [PostID] { Array(wanted.filter(isMeant).prefix(limit)) }
    func newer(_ isMeant: (PostID) -> Bool, _ limit: Int) -> [PostID] { Array(wanted.filter(isMeant).suffix(limit)) }
    var page = Page(ids: [], hasOlder: false, hasNewer: false)
    switch question.place {
    case .newest: page.ids = older({ _ in true }, limit)
    case .before(let place):
      page.ids = older({ $0 < place }, limit)
      page.hasNewer = wanted.contains { $0 >= place }
    case .after(let place):
      page.ids = newer({ $0 > place }, limit)
      page.hasOlder = wanted.contains { $0 <= place }
    case .around(let place):
      page.ids = newer({ $0 > place }, (limit - 1) / 2) + older({ $0 <= place }, limit / 2 + 1)
      page.hasNewer = wanted.contains { $0 > place }
    }
    if let highest = page.ids.first, let lowest = page.ids.last {
      page.hasOlder = wanted.contains { $0 < lowest }
      page.hasNewer = wanted.contains { $0 > highest }
    }
    return page
  }

  // MARK: - Pages

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func pagesAreThoseOfTheModel(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let posts = Self.posts(&random)
    try await bench.add(posts)
    let byID = Dictionary(uniqueKeysWithValues: posts.map { ($0.row.id, $0) })
    var sizes: [Int] = []
    for _ in 0..<150 {
      await Task.yield()
      let question = Self.question(&random)
      let page = try store.posts(question)
      let found = Page(ids: page.posts.map(\.row.id), hasOlder: page.hasOlder, hasNewer: page.hasNewer)
      #expect(found == Self.page(question, posts), "\(question)")
      #expect(page.posts == found.ids.compactMap { byID[$0] } && page.unreadable.isEmpty && page.revision == 600)
      sizes.append(found.ids.count)
    }
    #expect(sizes.filter { $0 == 0 }.count > 5 && sizes.filter { $0 > 2 }.count > 25, "the trial says something")
  }

  /// A question has the same answer however many deliveries fit it.
  @Test func allWaysLeadToTheSamePosts() async throws {
    var random = SplitMix64(seed: 7)
    try await bench.add(Self.posts(&random))
    var ways: [Bool?: Int] = [:]
    for _ in 0..<150 {
      await Task.yield()
      let question = Self.question(&random)
      let place = Int64.random(in: 0...602, using: &random)
      let way = try await store.pool.read { db in
        let (few, many) = (try PostSearch(question, db), try PostSearch(question, fewMax: 0, db))
        for side in [PostSearch.Side.below, .above] {
          #expect(try few.ids(side, place, question.limit) == many.ids(side, place, question.limit), "\(question)")
        }
        return few.isListed
      }
      if question.channel != nil { ways[way, default: 0] += 1 }
    }
    for way in [true, false, nil] { #expect(ways[way, default: 0] > 3, "the trial says something: \(ways)") }
  }

  @Test func placesAtTheEndsOfAllNumbersAreAllowed() async throws {
    try await bench.add([Bench.stored(1, []), Bench.stored(2, [])])
    func page(_ place: PostQuestion.Place) throws -> Page {
      let page = try store.posts(PostQuestion(place: place, limit: 5))
      return Page(ids: page.posts.map(\.row.id), hasOlder: page.hasOlder, hasNewer: page.hasNewer)
    }
    let (low, high) = (PostID(rawValue: .min), PostID(rawValue: .max))
    let all = Bench.ids([2, 1])
    #expect(try page(.before(high)) == Page(ids: all, hasOlder: false, hasNewer: false))
    #expect(try page(.before(low)) == Page(ids: [], hasOlder: false, hasNewer: true))
    #expect(try page(.after(low)) == Page(ids: all, hasOlder: false, hasNewer: false))
    #expect(try page(.after(high)) == Page(ids: [], hasOlder: true, hasNewer: false))
    #expect(try page(.around(high)) == Page(ids: all, hasOlder: false, hasNewer: false))
    #expect(try page(.around(low)) == Page(ids: all, hasOlder: false, hasNewer: false))
  }

  /// Pages hold about a mebibyte, and the pages behind them hold the rest.
  @Test func largePostsFillPages() async throws {
    let large = String(repeating: "x", count: 400_000)
    try await bench.add((1...5 as ClosedRange<Int64>).map { Bench.stored($0, text: large, []) })
    try await bench.add([Bench.stored(6, text: large + large + large, [])])
    func ids(_ place: PostQuestion.Place) throws -> [Int64] {
      try store.posts(PostQuestion(place: place, limit: 10)).posts.map(\.row.id.rawValue)
    }
    let newest = try store.posts(PostQuestion(limit: 10))
    #expect(newest.posts.map(\.row.id.rawValue) == [6] && newest.hasOlder && !newest.hasNewer, "it comes alone")
    #expect(try ids(.before(PostID(rawValue: 6))) == [5, 4] && ids(.before(PostID(rawValue: 4))) == [3, 2])
    let after = try store.posts(PostQuestion(place: .after(PostID(rawValue: 1)), limit: 10))
    #expect(after.posts.map(\.row.id.rawValue) == [3, 2] && after.hasNewer && after.hasOlder)
    #expect(try ids(.around(PostID(rawValue: 3))) == [4, 3])
  }

  // MARK: - Changes

  @Test func changedPostsComeInTheOrderOfTheirLatestChange() async throws {
    let posts = (1...6 as ClosedRange<Int64>).map { Bench.stored($0, channel: $0 % 2 + 1, []) }
    try await bench.add(posts)
    // The second changes again, and the third with it.
    for id in [2, 3] as [Int64] { try await store.commit([.updatePost(Bench.post(id, channel: id % 2 + 1, revision: 9))]) }
    func changed(
      _ after: Int64, _ channels: Set<ChannelID>? = nil, limit: Int = 10
    ) throws -> (ids: [Int64], through: Int64) {
      let (posts, through) = try store.changedPosts(after: after, channels: channels, limit: limit)
      return (posts.map(\.row.id.rawValue), through)
    }
    #expect(try changed(0) == ([1, 4, 5, 6, 2, 3], 9))
    #expect(try changed(4) == ([5, 6, 2, 3], 9) && changed(9) == ([], 9) && changed(20) == ([], 20))
    #expect(try changed(0, limit: 2) == ([1, 4], 4) && changed(4, limit: 2) == ([5, 6], 6))
    #expect(try changed(5, limit: 2) == ([6, 2, 3], 9), "those of one revision come together")
    let odd = ChannelID(rawValue: 2)
    #expect(try changed(0, [odd]) == ([1, 5, 3], 9) && changed(0, [odd], limit: 2) == ([1, 5], 5))
    #expect(try changed(0, []) == ([], 9) && changed(0, [odd, ChannelID(rawValue: 1)], limit: 1) == ([1], 1))
  }

  @Test func largeChangesComeInPieces() async throws {
    let large = String(repeating: "x", count: 400_000)
    try await bench.add((1...5 as ClosedRange<Int64>).map { Bench.stored($0, text: large, []) })
    var (seen, revision): ([Int64], Int64) = ([], 0)
    for _ in 0..<3 {
      let (posts, through) = try store.changedPosts(after: revision, channels: nil, limit: 100)
      #expect(posts.last?.row.revision == through)
      seen += posts.map(\.row.id.rawValue)
      revision = through
    }
    #expect(seen == [1, 2, 3, 4, 5] && revision == 5)
  }
}
