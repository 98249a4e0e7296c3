import Channels
import Foundation
import GRDB
import Storage
import Testing

@testable import Store

extension StoreTests {
  /// What SQLite is asked once it is closed may end the program.
  @Test func closedStoreSaysSoAndIsClosedOnce() async throws {
    let store = try Store(directory: path)
    try await store.commit([.probe(Self.now)])
    store.close()
    store.close()
    store.checkpoint()
    let questions: [() throws -> Void] = [
      { _ = try store.counters() }, { _ = try store.synchronousSetting() }, { _ = try store.check() },
      { _ = try store.makeCopy() }, { _ = try store.installationSeed { 1 } },
    ]
    for question in questions {
      do {
        try question()
        Issue.record("it was answered")
      } catch let error as StoreError {
        #expect(error.description.contains("is closed"))
      }
    }
    await #expect(throws: CommitFailure.unavailable("the database \(path)/baton.db is closed, nothing can be read or written"))
    {
      try await store.commit([.probe(Self.now)])
    }
    #expect(store.scrub(nil, rows: 10).found.isEmpty && store.damageFound.isEmpty, "that is no damage")
    // Someone else may have it now.
    let next = try Store(directory: path)
    store.close()
    #expect(throws: StoreError.self) { try Store(directory: path) }
    #expect(try next.lastSignOfLife()?.at == Self.now)
    next.close()
  }

  @Test func storeIsClosedWhileItIsUsed() async throws {
    let store = try Store(directory: path)
    try await withThrowingTaskGroup(of: String.self) { tasks in
      let begun = AsyncStream.makeStream(of: Void.self)
      for _ in 0..<4 {
        tasks.addTask {
          while true {
            do { _ = try store.counters() } catch { return "\(error)" }
            begun.continuation.yield(())
            await Task.yield()
          }
        }
        tasks.addTask {
          while true {
            do { try await store.commit([.probe(Self.now)]) } catch { return "\(error)" }
            begun.continuation.yield(())
          }
        }
      }
      for await _ in begun.stream { break }
      store.close()
      for try await words in tasks { #expect(words.contains("is closed")) }
    }
  }

  @Test func endlessReadDoesNotKeepTheStoreOpen() async throws {
    let store = try Store(directory: path)
    let begun = AsyncStream.makeStream(of: Void.self)
    let endless = Task.detached { [open = store.open] in
      try open.read { db in
        begun.continuation.yield(())
        _ = try Int.fetchOne(db, sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
      }
    }
    for await _ in begun.stream { break }
    #expect(store.open.close(patience: .nanoseconds(0)) { _ in })
    let failure = await #expect(throws: StoreError.self) { try await endless.value }
    #expect(failure?.code == .inputOutput)
  }
}
