import Channels
import GRDB
import Storage
import Testing

@testable import Store

/// For how long posts are kept, in storage.
struct PostRetentionStoreTests {
  private typealias Bench = PostBench
  private static let (first, second, third) = (
    ChannelID(rawValue: 1), ChannelID(rawValue: 2), ChannelID(rawValue: 3)
  )
  private static let day: Int64 = 86_400
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  /// A post that is so many days old.
  private static func post(_ id: Int64, channel: Int64 = 1, days: Int64 = 0) -> PostRow {
    var row = Bench.post(id, channel: channel, revision: id)
    row.createdAt = Bench.now + .seconds(-days * day)
    return row
  }

  private func keep(_ channel: ChannelID, days: Int? = nil, count: Int? = nil) async throws {
    try await store.commit([.savePostRetention(PostRetention(channel: channel, days: days, count: count))])
  }

  private func toForget(
    from place: PostRetentionPlace = .start, counted: [ChannelID: PostID] = [:], limit: Int = 100
  ) throws -> PostsToForget {
    try store.postsToForget(at: Bench.now, from: place, counted: counted, limit: limit)
  }

  @Test func retentionIsReadBack() async throws {
    #expect(try store.postRetention(of: Self.first).isUnlimited)
    try await keep(Self.first, days: 30)
    try await keep(Self.second, days: 1, count: 7)
    #expect(try store.postRetention(of: Self.first) == PostRetention(channel: Self.first, days: 30))
    #expect(try store.postRetention(of: Self.second) == PostRetention(channel: Self.second, days: 1, count: 7))
    try await keep(Self.first)
    #expect(try store.postRetention(of: Self.first).isUnlimited && store.check().problems.isEmpty)
    await #expect(throws: (any Error).self, "there is no such channel") { try await keep(ChannelID(rawValue: 99), days: 1) }
  }

  @Test func postsBeyondTheirAgeComeTheOldestFirst() async throws {
    try await store.commit([
      .insertPost(Self.post(1, days: 2)), .insertPost(Self.post(2, days: 9)), .insertPost(Self.post(3, days: 3)),
      .insertPost(Self.post(4, channel: 2, days: 9)), .insertPost(Self.post(5)),
    ])
    #expect(try toForget() == PostsToForget(), "posts are kept forever unless someone wants otherwise")
    try await keep(Self.first, days: 3)
    let found = try toForget()
    #expect(found.posts == Bench.ids([2, 3]) && found.next == nil)
    #expect(found.retentions == [Self.first: PostRetention(channel: Self.first, days: 3)])
    var row = try #require(try store.post(PostID(rawValue: 2))).row
    row.forget(at: Bench.now, keeping: "left")
    row.revision = PendingRevision.at(1)
    try await store.commit([.rewritePost(row)])
    #expect(try toForget().posts == Bench.ids([3]))
    let stored = try #require(try store.post(row.id)).row
    #expect(stored.text.isEmpty && stored.document == PostDocument(networkID: "p2", author: "ab", text: "left"))
    #expect(stored.forgottenAt == Bench.now && stored.isPublished && store.damageFound.isEmpty)
  }

  @Test func postsBeyondTheNewestComeTheOldestFirst() async throws {
    try await store.commit((1...5 as ClosedRange<Int64>).map { .insertPost(Self.post($0, days: 10 - $0)) })
    try await keep(Self.first, count: 3)
    #expect(try toForget().posts == Bench.ids([1, 2]) && toForget().counted.isEmpty)
    try await keep(Self.first, days: 6, count: 3)
    #expect(try toForget().posts == Bench.ids([1, 2, 3, 4]), "the shorter one counts")
    try await keep(Self.first, days: 9, count: 2)
    #expect(try toForget().posts == Bench.ids([1, 2, 3]))
    try await keep(Self.first, count: 5)
    let counted = [Self.first: PostID(rawValue: 5)]
    #expect(try toForget() == PostsToForget(counted: counted))
    // As long as there is no newer one, nothing is counted.
    #expect(try toForget(counted: counted) == PostsToForget())
    try await store.commit([.insertPost(Self.post(6))])
    #expect(try toForget(counted: counted).posts == Bench.ids([1]))
  }

  @Test func walkGoesOnWhereItEnded() async throws {
    try await store.commit(
      (1...5 as ClosedRange<Int64>).map { .insertPost(Self.post($0, days: 9)) } + [
        .insertPost(Self.post(6, channel: 3, days: 9)), .insertPost(Self.post(7, channel: 3)),
      ])
    for channel in [Self.first, Self.second, Self.third] { try await keep(channel, days: 2) }
    var (place, pages) = (PostRetentionPlace.start as PostRetentionPlace?, [[PostID]]())
    while let next = place, pages.count < 9 {
      let found = try toForget(from: next, limit: 2)
      pages.append(found.posts)
      place = found.next
    }
    #expect(pages == [Bench.ids([1, 2]), Bench.ids([3, 4]), Bench.ids([5, 6]), []])
    // Posts that stay where they are do not come twice.
    let middle = PostRetentionPlace(channel: Self.third)
    #expect(try toForget(from: middle).posts == Bench.ids([6]))
  }

  @Test func damagedRetentionKeepsEverything() async throws {
    try await store.commit([.insertPost(Self.post(1, days: 9)), .insertPost(Self.post(2, channel: 2, days: 9))])
    for channel in [Self.first, Self.second] { try await keep(channel, days: 2) }
    try await store.pool.write { db in try db.execute(sql: "UPDATE post_retention SET keep_days = 1 WHERE channel_id = 1") }
    #expect(try toForget().posts == Bench.ids([2]))
    let words = "the retention of the posts of channel 1 was changed"
    #expect { try store.postRetention(of: Self.first) } throws: { "\($0)".hasPrefix(words) }
    #expect(store.damageFound.contains { $0.hasPrefix(words) })
    #expect(try store.check().problems.contains { $0.hasPrefix(words) })
    // Setting it again repairs it.
    try await keep(Self.first, days: 4)
    #expect(try store.check().problems.isEmpty && toForget().posts == Bench.ids([1, 2]))
  }

  @Test func forgottenPostIsTheNewestOfItsChannelWithoutWords() async throws {
    var row = Self.post(1)
    row.forget(at: Bench.now, keeping: "")
    try await store.commit([.insertPost(row)])
    #expect(try store.lastPosts(of: [Self.first])[Self.first] == LastPost(createdAt: Bench.now, preview: nil))
  }

  @Test func postThatWasNeverPublishedStaysSo() {
    var row = Self.post(1)
    row.schedule = PostSchedule(publishAt: Bench.now, tolerance: 60, request: "{\"text\":\"a\"}", trouble: "too late")
    row.forget(at: Bench.now, keeping: "")
    #expect(!row.isPublished && !row.isScheduled && row.schedule?.request == "" && row.schedule?.trouble == "too late")
  }
}
