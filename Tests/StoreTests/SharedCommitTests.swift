import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Requests that wait for the writer at the same moment.
struct SharedCommitTests {
  private typealias Bench = CommitBench
  private let bench: CommitBench
  private var store: Store { bench.store }

  init() async throws { bench = try await CommitBench() }

  private static func inserting(_ id: Int64, key: String? = nil, document: String = "{}") -> CommitRequest {
    let row = Bench.channel(id, key: key, document: document, revision: PendingRevision.at(1))
    return CommitRequest([.insertChannel(row), .appendChange(Bench.change(row.revision, row.id))])
  }

  @Test func requestsShareATransaction() async throws {
    let observer = try await bench.observed()
    let results = await bench.together((1...20).map { Self.inserting($0) })
    #expect(observer.committed == 1)
    #expect(try results.map { try $0.get() } == (0..<20).map { CommitReceipt(base: $0, revision: $0 + 1) })
    #expect(try (1...20).allSatisfy { try store.channel(ChannelID(rawValue: $0))?.row.revision == $0 })
    try await store.commit(Self.inserting(21))
    #expect(observer.committed == 2)
  }

  @Test func requestThatIsRefusedFailsAlone() async throws {
    let observer = try await bench.observed()
    let stale = CommitRequest([Bench.touch(Bench.channel(1), at: 1, expecting: 7)])
    let results = await bench.together([
      Self.inserting(1, key: "k"), Self.inserting(2, key: "k"), Self.inserting(3), stale, Self.inserting(4),
    ])
    #expect(observer.committed == 1)
    #expect(try results[0].get() == CommitReceipt(base: 0, revision: 1))
    guard case .failure(.refused) = results[1] else { throw Bench.Unexpected(results[1]) }
    #expect(try results[2].get() == CommitReceipt(base: 1, revision: 2))
    #expect(try results[3].get() == CommitReceipt(base: 2, revision: 2, rejections: [0: .conflict]))
    #expect(try results[4].get() == CommitReceipt(base: 2, revision: 3))
    #expect(try store.changes(after: 0, limit: 10).map(\.revision) == [1, 2, 3])
    #expect(try store.channel(ChannelID(rawValue: 2)) == nil)
  }

  /// Damage that only upkeep meets fails no requests.
  @Test func upkeepSharesNoTransaction() async throws {
    let observer = try await bench.observed()
    let upkeep = CommitRequest([.compactChanges(through: 1)])
    let results = await bench.together([Self.inserting(1), Self.inserting(2), upkeep, upkeep, Self.inserting(3)])
    #expect(observer.committed == 4)
    #expect(try results.map { try $0.get().revision } == [1, 2, 2, 2, 3])
    #expect(try store.changes(after: 0, limit: 10).map(\.revision) == [2, 3])
  }

  @Test func requestOfACancelledTaskIsStored() async throws {
    let task = Task { [store] in
      while !Task.isCancelled { await Task.yield() }
      return await Bench.result(Self.inserting(1), store)
    }
    task.cancel()
    #expect(try await task.value.get().revision == 1)
    #expect(try store.channel(ChannelID(rawValue: 1)) != nil)
  }

  // MARK: - Failures

  /// No one must wait for a writer that is gone.
  @Test func requestAfterTheStoreWasClosedIsAnswered() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    store.close()
    let request = CommitRequest([.probe(Bench.now)])
    for result in [await Bench.result(request, store), await Bench.result(request, store)] {
      guard case .failure(.unavailable) = result else { throw Bench.Unexpected(result) }
    }
  }

  @Test func fullDiskFailsAllThatShare() async throws {
    func bound(_ pages: String) async throws {
      try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
    let pages = try await store.pool.read { db in try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 }
    try await bound("\(pages)")
    let requests = (1...5 as ClosedRange<Int64>).map { Self.inserting($0, document: String(repeating: "x", count: 200_000)) }
    for result in await bench.together([CommitRequest([.probe(Bench.now)])] + requests) {
      guard case .failure(.unavailable(let words)) = result else { throw Bench.Unexpected(result) }
      #expect(words.contains("full"))
    }
    #expect(try store.counters().channel == 0 && store.counters().revision == 0 && store.lastSignOfLife() == nil)
    try await bound("1000000")
    #expect(try await bench.together(requests).map { try $0.get().revision } == [1, 2, 3, 4, 5])
  }

  /// No one knows what a commit has done that SQLite was told to make durable, and that failed.
  @Test func commitThatFailsAtItsEndIsInDoubt() async throws {
    let observer = try await bench.observed()
    observer.refuse(true)
    for result in await bench.together((1...3).map { Self.inserting($0) }) {
      guard case .failure(.inDoubt(let words)) = result else { throw Bench.Unexpected(result) }
      #expect(words.contains("disk I/O error") && words.contains("not known"))
    }
    #expect(try store.counters().channel == 0)
    observer.refuse(false)
    #expect(try await bench.together((1...3).map { Self.inserting($0) }).map { try $0.get().revision } == [1, 2, 3])
  }

  @Test func tableThatIsNotThereIsRefused() async throws {
    let row = try await bench.add(1)
    try await store.pool.write { db in try db.execute(sql: "ALTER TABLE changes RENAME TO gone") }
    let request = CommitRequest([Bench.touch(row, at: 1, expecting: row.revision)])
    for result in await bench.together([request, request]) {
      guard case .failure(.refused(let words)) = result else { throw Bench.Unexpected(result) }
      #expect(words.contains("changes"))
    }
    try await store.pool.write { db in try db.execute(sql: "ALTER TABLE gone RENAME TO changes") }
    #expect(try await store.commit(request).revision == 2)
  }
}
