import Channels
import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// The log of the messages' database is written back beside the writer, and stays short.
@Suite(.timeLimit(.minutes(10)))
struct LogWritebackTests {
  private static let pageBytes = 4_096 + 24

  private struct Files {
    let folder: TemporaryFolder
    func bytes(_ suffix: String) -> Int {
      let path = folder.path + "/messages.db" + suffix
      return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
  }

  /// Stores messages one after the other.
  /// - Returns: how long the log was at most, in pages.
  private func say(_ count: Int, _ store: MessageStore, _ files: Files, settles: Bool) throws -> Int {
    var most = 0
    for number in 0..<count {
      let message = ReadMessage(
        networkID: "message \(number)", author: "author \(number % 40)", text: "said at \(number)", createdAt: MessageBench.now)
      let news = MessageNews(channel: MessageBench.channel, isLive: true, what: .message(message))
      _ = try store.take([ReadNews(relay: RelayID(rawValue: 1), news: news)], at: MessageBench.now, within: MessageLimits())
      if settles { store.log.settle() }
      most = max(most, files.bytes("-wal") / Self.pageBytes)
    }
    return most
  }

  private func store(_ files: Files, _ limits: LogWriteback.Limits) throws -> MessageStore {
    let store = try MessageStore(directory: files.folder.path, log: limits)
    try store.begin(MessageBench.channel, since: MessageBench.now)
    return store
  }

  @Test func logIsWrittenBackBesideTheWriter() throws {
    let files = Files(folder: try TemporaryFolder())
    let store = try store(files, .init(due: 100, step: 20, most: .max))
    let before = files.bytes("")
    let most = try say(400, store, files, settles: true)
    #expect(most < 300, "\(most) pages, and several thousand were written")
    #expect(files.bytes("") > before, "the file has them")
    store.close()
    #expect(files.bytes("-wal") == 0 && files.bytes("-shm") == 0)
    let again = try MessageStore(directory: files.folder.path)
    #expect(try again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM messages") } == 400)
    again.close()
  }

  /// Whoever reads for a long time keeps the log from beginning anew; then it grows, and is short again once no one does.
  @Test func longReadingDelaysItAndNothingIsLost() throws {
    let files = Files(folder: try TemporaryFolder())
    let store = try store(files, .init(due: 100, step: 20, most: .max))
    let most = try store.read { db in
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM messages")
      return try say(200, store, files, settles: true)
    }
    #expect(most > 500)
    #expect(try say(600, store, files, settles: true) < most + 300)
    store.close()
    #expect(files.bytes("-wal") == 0)
  }

  @Test func writerDoesItWhenNobodyElseHas() throws {
    let files = Files(folder: try TemporaryFolder())
    let store = try store(files, .init(due: .max, step: 1, most: 100))
    let most = try say(300, store, files, settles: false)
    #expect(most < 300, "\(most) pages")
    store.close()
  }

  @Test func lengthDecides() {
    let log = LogWriteback("/nonexistent/messages.db", .init(due: 100, step: 50, most: 1_000))
    #expect(!log.committed(99) && !log.committed(100) && !log.committed(999))
    #expect(log.committed(1_000) && !log.committed(5))
    log.close()
    #expect(!log.committed(2_000), "a closed store writes nothing back")
  }
}
