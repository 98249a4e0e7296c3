import Channels
import Filters
import GRDB
import Storage
import StrictJSON
import Testing

@testable import Store

/// The newest posts of channels: what channels show of them, and lists that filter and sort by their time.
struct LastPostTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  @Test func previewIsTheBeginningOnOneLine() {
    func x(_ count: Int) -> String { String(repeating: "x", count: count) }
    // Five scalars.
    let family = "👩‍👩‍👧"
    let previews: [String: String] = [
      "Hello": "Hello", "": "", " \n ": "", "  a\r\n\n b\t\u{2028}c\u{A0}": "a b c", x(100): x(100), x(101): x(99) + "…",
      x(99) + "   \n": x(99), x(99) + " y": x(99) + "…",
      // What belongs together is not cut.
      x(95) + family: x(95) + family, x(97) + family: x(97) + "…", "e" + String(repeating: "\u{301}", count: 500): "…",
    ]
    for (text, preview) in previews {
      #expect(LastPost.preview(of: text) == preview, "\(text)")
      #expect(LastPost.preview(of: text).unicodeScalars.count <= LastPost.previewMax)
    }
  }

  @Test func deletedPostGivesWayToTheOneBefore() async throws {
    let (first, second) = (ChannelID(rawValue: 1), ChannelID(rawValue: 2))
    try await bench.add([
      Bench.stored(1, text: "one", []), Bench.stored(2, channel: 2, text: "other", []), Bench.stored(3, text: "two\nlines", []),
    ])
    let all = Set((1...4 as ClosedRange<Int64>).map(ChannelID.init(rawValue:)))
    func previews() throws -> [ChannelID: String?] { try store.lastPosts(of: all).mapValues(\.preview) }
    #expect(try previews() == [first: "two lines", second: "other"])
    #expect(try store.lastPosts(of: [first])[first]?.createdAt == Bench.now)
    try await store.commit([.updatePost(Bench.post(3, text: "two", deletedAt: Bench.now, revision: 4))])
    #expect(try previews() == [first: "one", second: "other"])
    try await store.commit([.updatePost(Bench.post(1, text: "one", deletedAt: Bench.now, revision: 5))])
    #expect(try previews() == [second: "other"])
  }

  @Test func reactionIsNoNewestPost() async throws {
    var reactions = [Bench.stored(3, text: "+", []), Bench.stored(4, channel: 3, text: "+", [])]
    for index in reactions.indices { reactions[index].row.reactionTo = PostID(rawValue: 1) }
    reactions[0].row.createdAt = Bench.now + .seconds(9)
    var second = Bench.stored(2, channel: 2, text: "two", [])
    second.row.createdAt = Bench.now + .seconds(1)
    try await bench.add([Bench.stored(1, text: "one", []), second] + reactions)
    let all = Set((1...3 as ClosedRange<Int64>).map(ChannelID.init(rawValue:)))
    #expect(
      try store.lastPosts(of: all).mapValues(\.preview) == [ChannelID(rawValue: 1): "one", ChannelID(rawValue: 2): "two"])
    let part = try list([:], [["field": "lastPostAt", "direction": -1]], after: nil, limit: 10)
    #expect(part.channels.map(\.row.id.rawValue) == [2, 1, 3])
  }

  /// The time is that by which lists are sorted, so it stays.
  @Test func damagedPostHasNoPreview() async throws {
    try await bench.add([Bench.stored(1, text: "one", []), Bench.stored(2, channel: 2, text: "two", [])])
    try await store.pool.write { db in try db.execute(sql: "UPDATE posts SET text = 'eno' WHERE id = 1") }
    let part = try list([:], [["field": "lastPostAt", "direction": -1]], after: nil, limit: 10)
    #expect(part.channels.map(\.row.id.rawValue) == [2, 1, 3] && part.unreadable.isEmpty)
    #expect(part.lastPosts[ChannelID(rawValue: 1)] == LastPost(createdAt: Bench.now, preview: nil))
    #expect(part.lastPosts[ChannelID(rawValue: 2)] == LastPost(createdAt: Bench.now, preview: "two"))
    #expect(store.damageFound.contains { $0.contains("post 1 was changed") })
  }

  // MARK: - The model

  private func list(_ filter: JSONValue, _ sort: [JSONValue], after: [JSONValue]?, limit: Int) throws -> ChannelPart {
    let order = try ListOrder(sort, isSortable: ChannelField.canSort)
    return try store.channels(matching: Filter(filter), in: order, withDeleted: false, after: after, limit: limit)
  }

  /// Few times, so that many are equal.
  private static func time(_ random: inout SplitMix64) -> Timestamp {
    Bench.now + .milliseconds(.random(in: 0...9, using: &random))
  }

  /// What clients see of channels 1 to 40 of which some have posts: those with higher numbers are newer, whatever their times are.
  private func fill(_ random: inout SplitMix64) async throws -> [JSONValue] {
    for id in 4...40 as ClosedRange<Int64> { _ = try await bench.commits.add(id) }
    var posts: [StoredPost] = []
    var times: [Int64: Timestamp] = [:]
    for id in 1...120 as ClosedRange<Int64> {
      let channel = Int64.random(in: 1...30, using: &random)
      var post = Bench.stored(
        id, channel: channel, text: "post \(id)", deletedAt: Int.random(in: 0..<3, using: &random) == 0 ? Bench.now : nil, [])
      post.row.createdAt = Self.time(&random)
      if id > 1, Int.random(in: 0..<4, using: &random) == 0 { post.row.reactionTo = PostID(rawValue: 1) }
      if post.row.deletedAt == nil, post.row.reactionTo == nil { times[channel] = post.row.createdAt }
      posts.append(post)
    }
    try await bench.add(posts)
    return (1...40 as ClosedRange<Int64>).map { id in
      var members: [String: JSONValue] = ["id": .integer(id)]
      members["lastPostAt"] = times[id].map { .string($0.wireText) }
      return .object(members)
    }
  }

  private static func condition(_ random: inout SplitMix64) -> JSONValue {
    let text = JSONValue.string(time(&random).wireText)
    // The beginning of a time will do where times are compared.
    let part = JSONValue.string(String(time(&random).wireText.prefix([4, 19, 22, 23].randomElement(using: &random) ?? 24)))
    let conditions: [JSONValue] = [
      [:], ["lastPostAt": text], ["lastPostAt": .null], ["lastPostAt": ["$ne": text]], ["lastPostAt": ["$ne": .null]],
      ["lastPostAt": ["$exists": true]], ["lastPostAt": ["$exists": false]], ["lastPostAt": ["$gt": text]],
      ["lastPostAt": ["$gte": text]], ["lastPostAt": ["$lt": text]], ["lastPostAt": ["$lte": text]],
      ["lastPostAt": ["$gt": part]], ["lastPostAt": ["$lt": part]], ["lastPostAt": ["$in": [text, .null]]],
      ["lastPostAt": ["$nin": [text, .null]]], ["$nor": [["lastPostAt": ["$gt": text]], ["id": ["$lt": 5]]]],
      ["$or": [["lastPostAt": ["$lte": text]], ["id": ["$gt": 35]]]],
    ]
    return conditions.randomElement(using: &random) ?? [:]
  }

  private static func sort(_ random: inout SplitMix64) -> [JSONValue] {
    let direction: JSONValue = Bool.random(using: &random) ? 1 : -1
    let keys: [[JSONValue]] = [
      [], [["field": "lastPostAt", "direction": direction]],
      [["field": "lastPostAt", "direction": direction], ["field": "id", "direction": -1]],
      [["field": "heal"], ["field": "lastPostAt", "direction": direction]],
    ]
    return keys.randomElement(using: &random) ?? []
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func listsAreThoseOfTheModel(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let channels = try await fill(&random)
    #expect(channels.contains { $0["lastPostAt"] != nil } && channels.contains { $0["lastPostAt"] == nil })
    var sizes: Set<Int> = []
    for _ in 0..<150 {
      await Task.yield()
      let (condition, sort) = (Self.condition(&random), Self.sort(&random))
      let (filter, order) = (try Filter(condition), try ListOrder(sort))
      let expected = channels.filter(filter.matches).map { (values: order.values(of: $0), id: $0["id"]) }
        .sorted { order.isBefore($0.values, $1.values) }.map(\.id)
      var found: [JSONValue?] = []
      var place: [JSONValue]?
      repeat {
        let part = try list(condition, sort, after: place, limit: .random(in: 1...15, using: &random))
        for channel in part.channels {
          let id = channel.row.id
          var members: [String: JSONValue] = ["id": .integer(id.rawValue)]
          members["lastPostAt"] = part.lastPosts[id].map { .string($0.createdAt.wireText) }
          #expect(channels[Int(id.rawValue) - 1] == .object(members))
          if filter.matches(.object(members)) { found.append(.integer(id.rawValue)) }
        }
        place = part.last
      } while place != nil && found.count <= channels.count
      #expect(found == expected, "\(condition.text) \(JSONValue.array(sort).text)")
      sizes.insert(found.count)
    }
    #expect(sizes.count > 8, "the trial says something")
  }

  /// What SQL can express is answered there, so that no channel is read that is not wanted.
  @Test func conditionsAreAnsweredInTheDatabase() async throws {
    var random = SplitMix64(seed: 9)
    let channels = try await fill(&random)
    let condition: JSONValue = ["lastPostAt": ["$gt": .string(Bench.now.wireText)]]
    let part = try list(condition, [], after: nil, limit: 100)
    #expect(part.channels.count == channels.filter(try Filter(condition).matches).count && part.channels.count < 40)
  }
}
