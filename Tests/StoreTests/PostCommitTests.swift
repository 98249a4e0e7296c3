import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// The revisions that commits give to posts, and what they refuse.
struct PostCommitTests {
  private typealias Bench = PostBench
  private let bench: PostBench
  private var store: Store { bench.store }

  init() async throws { bench = try await PostBench() }

  private func revision(of post: Int64) throws -> Int64? { try store.post(PostID(rawValue: post))?.row.revision }

  private func inserting(_ id: Int64, key: String? = nil, place: Int = 1) -> CommitPart {
    CommitPart([.insertPost(Bench.post(id, key: key, revision: PendingRevision.at(place)))])
  }

  @Test func postsHaveTheirOwnRevisions() async throws {
    let before = try store.counters().revision
    let post = PostID(rawValue: 1)
    let delivery = Bench.delivery(1, Bench.record(.sent))
    let request = CommitRequest([
      CommitPart([
        .insertPost(Bench.post(1, deliveries: 1, revision: PendingRevision.at(2))), .saveDelivery(post, delivery),
        .appendPostTransition(Bench.transition(PendingRevision.at(1), 1)),
        .appendPostTransition(Bench.transition(PendingRevision.at(2), 1)),
        .appendChange(CommitBench.change(PendingRevision.at(1), ChannelID(rawValue: 1))),
      ])
    ])
    let receipt = try await store.commit(request)
    #expect(receipt == CommitReceipt(base: before, revision: before + 1, postBase: 0, postRevision: 2))
    #expect(try store.postTransitions(of: post, limit: 5).map(\.revision) == [1, 2] && revision(of: 1) == 2)
    let settled = request.settled(by: receipt)
    #expect(settled.contains(.insertPost(try #require(try store.post(post)).row)))
    for row in try store.postTransitions(of: post, limit: 5) { #expect(settled.contains(.appendPostTransition(row))) }
    #expect(try store.postCounters() == PostCounters(post: 1, revision: 2))
    #expect(try store.counters().revision == before + 1)
    // Deliveries and routes use none up.
    let route = PostRouteRow(channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), status: .joined, cursor: post)
    let next = try await store.commit([.saveDelivery(post, delivery), .savePostRoute(route)])
    #expect(next.postBase == 2 && next.postRevision == 2)
  }

  /// No one who writes no posts pays for them.
  @Test func requestsWithoutPostsAreToldNoRevisionsOfPosts() async throws {
    try await store.commit(CommitRequest([inserting(1)]))
    let receipt = try await store.commit([.probe(Bench.now)])
    #expect(receipt.postBase == 0 && receipt.postRevision == 0)
    let results = try await bench.commits.together([
      CommitRequest([.probe(Bench.now)]), CommitRequest([inserting(2)]), CommitRequest([.probe(Bench.now)]),
    ]).map { try $0.get() }
    #expect(results.map(\.postBase) == [0, 1, 0] && results.map(\.postRevision) == [0, 2, 0])
  }

  @Test func requestsOfOneTransactionContinueEachOther() async throws {
    try await store.commit(CommitRequest([inserting(1)]))
    let observer = try await bench.commits.observed()
    let results = await bench.commits.together((2...6).map { CommitRequest([inserting($0), inserting($0 + 10, place: 2)]) })
    #expect(observer.committed == 1)
    #expect(try results.map { try $0.get().postBase } == [1, 3, 5, 7, 9])
    #expect(try results.map { try $0.get().postRevision } == [3, 5, 7, 9, 11])
    #expect(try revision(of: 2) == 2 && revision(of: 16) == 11 && store.postCounters().revision == 11)
  }

  @Test func rejectedPartsGiveTheirRevisionsBack() async throws {
    try await store.commit(CommitRequest([inserting(1, key: "k")]))
    let results = await bench.commits.together([
      CommitRequest([
        inserting(2), inserting(3, key: "k", place: 2),
        // All of it is undone.
        CommitPart([
          .insertPost(Bench.post(4, revision: PendingRevision.at(3))),
          .appendPostTransition(Bench.transition(PendingRevision.at(3), 4)),
          .insertPost(Bench.post(2, revision: PendingRevision.at(4))),
        ]),
      ]),
      CommitRequest([inserting(5, key: "k"), inserting(6, place: 2)]),
      CommitRequest([inserting(7)]),
    ])
    let receipts = try results.map { try $0.get() }
    #expect(receipts.map(\.postBase) == [1, 2, 4] && receipts.map(\.postRevision) == [2, 4, 5])
    #expect(receipts.map { $0.rejections.keys.sorted() } == [[1, 2], [0], []])
    guard case .refused(let words)? = receipts[0].rejections[1] else { throw CommitBench.Unexpected(receipts[0]) }
    #expect(words.contains("idempotency_key"))
    let stored = try (1...7 as ClosedRange<Int64>).map { try revision(of: $0) }
    #expect(stored == [1, 2, nil, nil, nil, 4, 5])
    #expect(try store.postTransitions(of: PostID(rawValue: 4), limit: 5).isEmpty)
    #expect(try store.posts(idempotencyKeys: ["k"]) == ["k": PostID(rawValue: 1)])
    #expect(try store.check().problems.isEmpty)
  }

  @Test func writesThatReferToNothingAreRefused() async throws {
    let lost: [[StoreMutation]] = [
      [.updatePost(Bench.post(9, revision: PendingRevision.at(1)))],
      [.saveDelivery(PostID(rawValue: 9), Bench.delivery(1, Bench.record(.pending)))],
      [.insertPost(Bench.post(9, channel: 99, revision: PendingRevision.at(1)))],
    ]
    for mutations in lost {
      guard case .failure(.refused) = await CommitBench.result(CommitRequest(mutations), store) else {
        throw CommitBench.Unexpected(mutations)
      }
    }
    #expect(try store.postCounters() == PostCounters(post: 0, revision: 0))
  }

  @Test func revisionsGoOnAfterAStartAndAfterHistoryIsForgotten() async throws {
    let folder = try TemporaryFolder()
    var store = try Store(directory: folder.path + "/state")
    try await store.commit([.insertIdentity(CommitBench.identity), .insertChannel(CommitBench.channel(1))])
    try await store.commit([
      .insertPost(Bench.post(1, revision: PendingRevision.at(2))),
      .appendPostTransition(Bench.transition(PendingRevision.at(1), 1)),
      .appendPostTransition(Bench.transition(PendingRevision.at(2), 1)),
    ])
    try await store.commit([.forgetPostHistory(before: Bench.now, rowsMax: 0, limit: 10)])
    store.close()
    store = try Store(directory: folder.path + "/state")
    #expect(try store.postCounters() == PostCounters(post: 1, revision: 2))
    #expect(try await store.commit(CommitRequest([inserting(2)])).postRevision == 3)
    store.close()
  }

  /// Clients may remember what was given out after the copy was made.
  @Test func restoredCopiesLeaveNumbersOut() async throws {
    try await store.commit(CommitRequest([inserting(1)]))
    let folder = try TemporaryFolder()
    try store.backUp(to: folder.path + "/copy")
    _ = try Store.restore(from: folder.path + "/copy", directory: folder.path + "/state", stamp: "1")
    let restored = try Store(directory: folder.path + "/state")
    let counters = try restored.postCounters()
    #expect(counters.post > 1 << 31 && counters.revision > 1 << 31)
    #expect(try restored.post(PostID(rawValue: 1))?.row.revision == 1)
    #expect(try await restored.commit(CommitRequest([inserting(counters.post + 1)])).postBase == counters.revision)
    restored.close()
  }
}
