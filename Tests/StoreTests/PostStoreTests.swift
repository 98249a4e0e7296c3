import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Posts, their deliveries, routes and history come back as they were stored.
struct PostStoreTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  private static let full = PostRow(
    id: PostID(rawValue: 7), channel: ChannelID(rawValue: 2),
    document: PostDocument(networkID: "n7", author: "ab", text: "{\"a\":\"ü\"}"), text: "Grüße\n\"🙂\"",
    replyTo: PostID(rawValue: 6), quotes: [PostID(rawValue: 5), PostID(rawValue: 6)], replaces: PostID(rawValue: 6),
    replacedBy: PostID(rawValue: 6), reactionTo: PostID(rawValue: 6),
    about: AboutMessage(act: .reaction, networkID: "m8", author: "ef"), edition: 3, createdAt: Timestamp(milliseconds: 11),
    forgottenAt: Timestamp(milliseconds: 16), deletedAt: Timestamp(milliseconds: 12),
    deletion: PostDocument(networkID: "d7", author: "cd", text: "{5}"), idempotencyKey: "key", requestDigest: "digest",
    deliveryCount: 2,
    schedule: PostSchedule(
      publishAt: Timestamp(milliseconds: 14), tolerance: 15, request: "{\"text\":1}", trouble: "the channel was deleted"),
    revision: 13)

  private static let record = DeliveryRecord(
    status: .stillServed, since: Timestamp(milliseconds: 21), operation: 22, left: 3, shown: 2, isDeletionRequested: true,
    trouble: Trouble(.stillServed, "it is there"), task: .verifyRefused, attempt: 23, repair: 24,
    startedAt: Timestamp(milliseconds: 25), isUnderWay: true, timer: Timestamp(milliseconds: 26))

  @Test func everyFieldIsReadBack() async throws {
    let plain = Bench.stored(6, channel: 2, [])
    let full = StoredPost(
      row: Self.full,
      deliveries: [Bench.delivery(3, Bench.record(.verified)), Bench.delivery(4, Self.record, departed: true)])
    // The order in which they are written does not matter.
    try await store.commit(
      Bench.inserting(plain) + [.insertPost(full.row)] + full.deliveries.reversed().map { .saveDelivery(full.row.id, $0) })
    #expect(try store.post(full.row.id) == full && store.post(plain.row.id) == plain)
    #expect(try store.post(PostID(rawValue: 8)) == nil)
    let several = try store.posts([full.row.id, plain.row.id, PostID(rawValue: 9)])
    #expect(several.found == [full.row.id: full, plain.row.id: plain] && several.unreadable.isEmpty)
    #expect(try store.postCounters() == PostCounters(post: 7, revision: 13))
    #expect(try store.check().problems.isEmpty)
  }

  @Test(arguments: DeliveryStatus.allCases)
  func everyStatusIsReadBack(_ status: DeliveryStatus) async throws {
    let records = [Bench.record(status), Bench.record(status, cause: .rateLimited, isUnderWay: true)]
    let post = Bench.stored(1, records.enumerated().map { Bench.delivery(Int64($0 + 1), $1) })
    try await bench.add([post])
    #expect(try store.post(post.row.id) == post)
  }

  @Test func eachValueStandsInItsColumn() async throws {
    try await store.commit([
      .insertPost(Bench.post(6, channel: 2, revision: 5)), .insertPost(Self.full),
      .saveDelivery(Self.full.id, Bench.delivery(4, Self.record, departed: true)),
      .savePostRoute(
        PostRouteRow(
          channel: Self.full.channel, relay: RelayID(rawValue: 4), status: .leaving, cursor: Self.full.id,
          compareAt: Timestamp(milliseconds: 41), comparedAt: Timestamp(milliseconds: 42))),
      .appendPostTransition(
        PostTransitionRow(
          revision: 13, post: Self.full.id, relay: RelayID(rawValue: 4),
          transition: .init(
            from: .deleting, to: .stillServed, cause: .stillServed, detail: "x", attempt: 2, at: Timestamp(milliseconds: 31)))),
      .savePostRetention(PostRetention(channel: Self.full.channel, days: 51, count: 52)),
    ])
    let stored: [String: [DatabaseValue]] = [
      "posts": Store.values(
        7, 2, 13, 6, 6, 6, 6, 3, 2, 11, 16, 12, "key", "digest", "5,6", "n7", "ab", "Grüße\n\"🙂\"", "{\"a\":\"ü\"}", "d7", "cd",
        "{5}",
        14, 15, "the channel was deleted", "{\"text\":1}", "reaction", "m8", "ef", true),
      "deliveries": Store.values(
        7, 4, "stillServed", 21, 22, 3, 2, true, "stillServed", "it is there", "verifyRefused", 23, 24, 25, true, 26, true),
      "post_routes": Store.values(2, 4, "leaving", 7, 41, 42),
      "post_transitions": Store.values(13, 7, 4, "deleting", "stillServed", "stillServed", "x", 2, 31),
      "post_retention": Store.values(2, 51, 52),
    ]
    for table in [SummedTable.posts, .deliveries, .postRoutes, .postTransitions, .postRetention] {
      let rows = try store.pool.read { db in try Row.fetchAll(db, sql: table.selection) }
      #expect(rows.last.map { Array($0.databaseValues.dropLast()) } == stored[table.name], "\(table.name)")
      for row in rows { try table.verify(row) }
    }
  }

  /// What is not among the fields that change stays, and is in the sum all the same.
  @Test func changesOfAPostAreStored() async throws {
    var row = Bench.post(1, key: "k", deliveries: 1, revision: 1)
    try await store.commit([.insertPost(row), .saveDelivery(row.id, Bench.delivery(1, Bench.record(.pending)))])
    row.edition = 2
    row.replacedBy = row.id
    row.deletedAt = Bench.now
    row.deletion = PostDocument(networkID: "d", author: "ab", text: "{d}")
    row.deliveryCount = 2
    row.revision = PendingRevision.at(1)
    let sent = Bench.delivery(1, Bench.record(.sent, isUnderWay: true))
    let receipt = try await store.commit([
      .updatePost(row), .saveDelivery(row.id, sent), .saveDelivery(row.id, Bench.delivery(2, Bench.record(.pending))),
    ])
    row.revision = 2
    #expect(receipt.postBase == 1 && receipt.postRevision == 2)
    let stored = try #require(try store.post(row.id))
    #expect(stored.row == row && stored.deliveries.first == sent && stored.deliveries.count == 2)

    row.document = PostDocument(networkID: "other", author: row.document.author, text: "{other}")
    (row.text, row.forgottenAt, row.revision) = ("", Bench.now, PendingRevision.at(1))
    try await store.commit([.rewritePost(row)])
    row.revision = 3
    #expect(try store.post(row.id)?.row == row)
    #expect(try store.check().problems.isEmpty)
  }

  @Test func postsAreFoundByTheirNames() async throws {
    var again = Bench.post(3, revision: 3)
    again.document = PostDocument(networkID: "p1", author: "ab", text: "{3}")
    var elsewhere = Bench.post(4, channel: 2, revision: 4)
    elsewhere.document = again.document
    try await store.commit([
      .insertPost(Bench.post(1, revision: 1)), .insertPost(Bench.post(2, deletedAt: Bench.now, revision: 2)),
      .insertPost(again), .insertPost(elsewhere),
    ])
    let (one, two) = (ChannelID(rawValue: 1), ChannelID(rawValue: 2))
    let (first, second) = (PostID(rawValue: 1), PostID(rawValue: 2))
    #expect(try store.posts(networkIDs: ["p1", "p2", "P1", "p9"], of: one) == ["p1": first, "p2": second])
    #expect(try store.posts(networkIDs: ["p1", "p2"], of: two) == ["p1": PostID(rawValue: 4)])
    #expect(try store.posts(networkIDs: ["p1", "p2"], of: nil) == ["p1": first, "p2": second])
    #expect(try store.posts(networkIDs: [], of: one).isEmpty)
  }

  @Test func postsAreFoundByTheirKeys() async throws {
    try await store.commit([
      .insertPost(Bench.post(1, key: "a", revision: 1)),
      .insertPost(Bench.post(2, deletedAt: Bench.now, key: "b", revision: 2)),
      .insertPost(Bench.post(3, revision: 3)),
    ])
    let found = try store.posts(idempotencyKeys: ["a", "b", "A", "c"])
    #expect(found == ["a": PostID(rawValue: 1), "b": PostID(rawValue: 2)])
  }

  @Test func postsOfAChannelComeFromTheHighestOn() async throws {
    try await store.commit(
      (1...9 as ClosedRange<Int64>).map {
        .insertPost(Bench.post($0, channel: $0 % 2 + 1, deletedAt: $0 == 5 ? Bench.now : nil, revision: $0))
      })
    let channel = ChannelID(rawValue: 2)
    #expect(try store.posts(of: channel, before: PostID(rawValue: .max), limit: 3) == Bench.ids([9, 7, 5]))
    #expect(try store.posts(of: channel, before: PostID(rawValue: 5), limit: 3) == Bench.ids([3, 1]))
    #expect(try store.posts(of: channel, before: PostID(rawValue: 1), limit: 3).isEmpty)
  }

  // MARK: - History

  @Test func historyOfAPostHasItsLatestLines() async throws {
    try await store.commit(
      [.insertPost(Bench.post(1, revision: 9)), .insertPost(Bench.post(2, revision: 8))]
        + (1...9 as ClosedRange<Int64>).map { .appendPostTransition(Bench.transition($0, $0 % 2 + 1)) })
    let post = PostID(rawValue: 2)
    #expect(try store.postTransitions(of: post, limit: 10) == [1, 3, 5, 7, 9].map { Bench.transition($0, 2) })
    #expect(try store.postTransitions(of: post, limit: 2).map(\.revision) == [7, 9])
    #expect(try store.postTransitions(of: PostID(rawValue: 3), limit: 2).isEmpty)
  }

  @Test func oldHistoryIsForgottenBitByBit() async throws {
    let channelTransition = TransitionRow(
      revision: 100, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
      transition: .init(from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Timestamp(milliseconds: 1)))
    try await store.commit(
      [.insertPost(Bench.post(1, revision: 9)), .appendTransition(channelTransition)]
        + (1...9 as ClosedRange<Int64>).map { .appendPostTransition(Bench.transition($0, 1, at: Timestamp(milliseconds: $0))) })
    func forget(before: Int64 = 0, rowsMax: Int = .max, limit: Int = 100) async throws -> Int {
      let forgetting = StoreMutation.forgetPostHistory(
        before: Timestamp(milliseconds: before), rowsMax: rowsMax, limit: limit)
      return try await store.commit([forgetting]).forgotten
    }
    func kept() throws -> [Int64] { try store.postTransitions(of: PostID(rawValue: 1), limit: 100).map(\.revision) }
    #expect(try await forget(before: 4, limit: 2) == 2)
    #expect(try await forget(before: 4, limit: 2) == 1)
    #expect(try await forget(before: 4) == 0)
    #expect(try kept() == Array(4...9))
    #expect(try await forget(rowsMax: 4, limit: 1) == 1)
    #expect(try await forget(rowsMax: 4) == 1)
    try await store.commit([.appendPostTransition(Bench.transition(10, 1)), .updatePost(Bench.post(1, revision: 10))])
    #expect(try await forget(rowsMax: 4) == 1)
    #expect(try kept() == Array(7...10))
    #expect(try await forget(rowsMax: 0) == 4)
    #expect(try kept().isEmpty && store.postCounters().revision == 10)
    #expect(try store.transitions(of: ChannelID(rawValue: 1), limit: 5) == [channelTransition], "that of channels stays")
    #expect(try store.oldestRevision() == 0)
  }

  // MARK: - Clocks that were ahead

  @Test func waitsForAFarFutureEnd() async throws {
    let day: Int64 = 86_400_000
    let dues = [Bench.now.milliseconds - 5, Bench.now.milliseconds + day, Bench.now.milliseconds + 400 * day]
    try await bench.add(
      dues.enumerated().map { Bench.stored(Int64($0 + 1), [Bench.delivery(1, Bench.record(.pending, due: $1))]) })
    try await store.commit([.clampTimes(now: Bench.now, latestVerifyDue: Bench.now)])
    let timers = try (1...3 as ClosedRange<Int64>).map { try store.post(PostID(rawValue: $0))?.deliveries.first?.record.timer }
    #expect(timers.map { $0?.milliseconds } == [dues[0], dues[1], Bench.now.milliseconds])
    #expect(try store.check().problems.isEmpty)
  }
}
