import Channels
import Storage
import Testing

@testable import Store

/// Posts that are to be published later, in storage.
struct PostScheduleTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  private static func at(_ seconds: Int64) -> Timestamp { Bench.now + .seconds(seconds) }

  /// A post that is due so many seconds after `now`.
  private static func scheduled(
    _ id: Int64, _ seconds: Int64, request: String? = "{}", trouble: String? = nil, deletedAt: Timestamp? = nil
  ) -> PostRow {
    var row = Bench.post(id, deletedAt: deletedAt, revision: id)
    row.schedule = PostSchedule(publishAt: at(seconds), tolerance: 3_600, request: request, trouble: trouble)
    if request != nil { row.document = .none }
    return row
  }

  @Test func scheduledPostIsNotTheNewestOfItsChannel() async throws {
    let channel = ChannelID(rawValue: 1)
    try await store.commit([.insertPost(Self.scheduled(1, 10))])
    #expect(try store.lastPosts(of: [channel]).isEmpty)
    try await store.commit([.insertPost(Bench.post(2, text: "now", revision: 2)), .insertPost(Self.scheduled(3, 20))])
    #expect(try store.lastPosts(of: [channel])[channel]?.preview == "now")
  }

  @Test func scheduledPostIsReadBackAndIsPublishedInPlace() async throws {
    var row = Self.scheduled(1, 10)
    #expect(row.isScheduled && !row.isPublished)
    try await store.commit([.insertPost(row)])
    #expect(try store.post(row.id) == StoredPost(row: row, deliveries: []))
    row.document = PostDocument(networkID: "p1", author: "ab", text: "{signed}")
    row.schedule?.request = nil
    row.createdAt = Self.at(10)
    row.deliveryCount = 1
    row.revision = 2
    #expect(!row.isScheduled && row.isPublished)
    let delivery = Bench.delivery(1, Bench.record(.pending))
    try await store.commit([.updatePost(row), .saveDelivery(row.id, delivery)])
    #expect(try store.post(row.id) == StoredPost(row: row, deliveries: [delivery]))
    #expect(try store.dueSchedules(at: Self.at(20), limit: 5) == ([], nil))
    #expect(try store.check().problems.isEmpty)
  }

  @Test func duePostsComeByTheirTimesAndNoOthersDo() async throws {
    let rows = [
      Self.scheduled(1, 30), Self.scheduled(2, 10), Self.scheduled(3, 20), Self.scheduled(4, 20),
      Self.scheduled(5, 5, request: nil), Self.scheduled(6, 5, trouble: "it is too late"),
      Self.scheduled(7, 5, deletedAt: Bench.now), Bench.post(8, revision: 8), Self.scheduled(9, 40),
    ]
    try await store.commit(rows.map { .insertPost($0) })
    func due(_ seconds: Int64, limit: Int = 10) throws -> (ids: [Int64], next: Timestamp?) {
      let found = try store.dueSchedules(at: Self.at(seconds), limit: limit)
      return (found.posts.map(\.rawValue), found.next)
    }
    #expect(try due(9) == ([], Self.at(10)))
    #expect(try due(10) == ([2], Self.at(20)))
    #expect(try due(29) == ([2, 3, 4], Self.at(30)))
    #expect(try due(29, limit: 2) == ([2, 3], Self.at(30)))
    #expect(try due(40) == ([2, 3, 4, 1, 9], nil))
    #expect(rows.map(\.isScheduled) == [true, true, true, true, false, false, false, false, true])
  }

  @Test func postsThatAreNotPublishedAreOnPagesLikeOthers() async throws {
    let rows = [Bench.post(1, revision: 1), Self.scheduled(2, 10), Self.scheduled(3, 10, trouble: "it is too late")]
    try await store.commit(rows.map { .insertPost($0) })
    #expect(try store.posts(PostQuestion(limit: 5)).posts.map(\.row) == rows.reversed())
    #expect(try store.changedPosts(after: 0, channels: nil, limit: 5).posts.map(\.row) == rows)
  }
}
