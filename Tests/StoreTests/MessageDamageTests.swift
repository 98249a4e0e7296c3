import Channels
import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// What happens to a file of messages that cannot be used.
struct MessageDamageTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/messages.db" }

  init() throws { folder = try TemporaryFolder() }

  private func fill() throws {
    let store = try MessageStore(directory: folder.path)
    try store.begin(MessageBench.channel, since: MessageBench.now)
    let text = String(repeating: "word ", count: 100)
    for number in 1...200 {
      let news = MessageNews(
        channel: MessageBench.channel, isLive: true, what: MessageBench.message("\(number)", "\(text)\(number)"))
      _ = try store.take([ReadNews(relay: nil, news: news)], at: MessageBench.time(Int64(number)), within: MessageLimits())
    }
    store.close()
  }

  private func expectNew(_ words: String) throws {
    let before = try Data(contentsOf: URL(filePath: path))
    let store = try MessageStore(directory: folder.path, firstID: 77)
    let told = try #require(store.setAside)
    #expect(told.contains(path) && told.contains(words), "\(told)")
    #expect(try store.messageCounters() == MessageCounters(message: 76) && store.channelsWithConversation().isEmpty)
    store.close()
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")).prefix(16) == before.prefix(16))
    let again = try MessageStore(directory: folder.path)
    #expect(again.setAside == nil)
    again.close()
  }

  /// A file of the first schema is brought up to date, and keeps what it has.
  @Test func olderFilesAreKept() throws {
    let folder = try TemporaryFolder()
    let store = try MessageStore(directory: folder.path)
    let channel = ChannelID(rawValue: 1)
    try store.begin(channel, since: MessageBench.now)
    let read = ReadMessage(
      networkID: "a", author: "ann", text: "hello Straße", createdAt: MessageBench.time(-5), isMention: true)
    _ = try store.take(
      [ReadNews(relay: nil, news: MessageNews(channel: channel, isLive: true, what: .message(read)))], at: MessageBench.now,
      within: MessageLimits())
    let before = try store.conversation(of: channel)
    try store.pool.write { db in
      try Self.forgetFolding(db)
      for column in ["last_at", "is_hidden", "is_muted", "is_pinned", "truncated_at", "member_count", "keep"] {
        try db.execute(sql: "ALTER TABLE conversations DROP COLUMN \(column)")
      }
      try db.execute(
        sql: "ALTER TABLE messages RENAME COLUMN absence TO is_deleted; DROP TABLE people; DROP INDEX reactions_of_author")
      try db.execute(
        sql:
          "DROP TABLE members; DROP TABLE member_lists; DROP INDEX messages_pinned; DROP INDEX messages_answering"
      )
      try db.execute(
        sql: """
          ALTER TABLE messages DROP COLUMN pinned_at;
          CREATE INDEX messages_answering ON messages (channel_id, reply_to) WHERE reply_to IS NOT NULL;
          """)
      try db.execute(sql: "PRAGMA user_version = 1")
    }
    store.close()
    let again = try MessageStore(directory: folder.path)
    #expect(again.setAside == nil)
    #expect(try again.conversation(of: channel) == before && before?.row.lastAt == MessageBench.time(-5))
    #expect(try again.messages(holding: MessageSearch(text: "hello strasse", limit: 5)).hits.count == 1)
    let person = try again.person("ann")
    #expect(person?.messages == 1 && person?.lastAt == MessageBench.time(-5) && person?.mutedAt == nil)
    #expect(try again.people(PeopleQuestion(limit: 5)).people == [person])
    again.close()
  }

  /// A file as it was before migration 6.
  private static func forgetFolding(_ db: Database) throws {
    try db.execute(
      sql: """
        DROP TABLE message_words;
        DROP VIEW message_texts;
        ALTER TABLE messages DROP COLUMN words;
        ALTER TABLE messages DROP COLUMN participants;
        CREATE VIEW message_texts AS SELECT id, text, 'c' || channel_id AS channel FROM messages WHERE absence = 0;
        CREATE VIRTUAL TABLE message_words USING fts5 (
          text, channel, content = 'message_texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2'
        );
        INSERT INTO message_words (message_words) VALUES ('rebuild');
        DROP TABLE decisions;
        UPDATE people SET folded = name;
        UPDATE members SET folded = name;
        """)
  }

  @Test func olderWordsAndNamesAreFoldedAgain() throws {
    let bench = try MessageBench()
    try bench.take([
      MessageBench.message("a", "東京へ行く", authorName: "Großmann"), MessageBench.message("b", "gone"),
      .deleted(networkID: "b", author: "ann"),
      .members(ReadMembers(list: .members, entries: [ReadMembers.Entry(author: "bob", name: "ＢＯＢ")], count: 1)),
    ])
    try bench.store.pool.write { db in
      try Self.forgetFolding(db)
      try db.execute(sql: "PRAGMA user_version = 5")
    }
    try bench.reopen()
    #expect(bench.store.setAside == nil)
    #expect(try bench.search("東京") == ["a"] && bench.search("gone").isEmpty)
    #expect(try bench.store.people(PeopleQuestion(text: "grossmann", limit: 5)).people.map(\.author) == ["ann"])
    let members = try bench.store.members(MemberQuestion(channel: MessageBench.channel, text: "bob", limit: 5))
    #expect(members?.members.map(\.author) == ["bob"])
    try bench.checkWords()
  }

  @Test func filesAreForTheirOwnerOnly() throws {
    let store = try MessageStore(directory: folder.path + "/state/new")
    try store.begin(MessageBench.channel, since: MessageBench.now)
    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/state/new/messages.db" + suffix)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
    }
    let settings = try store.pool.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous"].map { try String.fetchOne(db, sql: "PRAGMA \($0)") }
    }
    #expect(settings == ["wal", "1"])
    store.close()
    #expect(throws: StoreError.self) { _ = try store.messageCounters() }
    store.close()
  }

  @Test(arguments: [100, 4_096, 100_000])
  func rubbishIsPutAside(_ size: Int) throws {
    try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }).write(to: URL(filePath: path))
    try expectNew("the file is damaged")
  }

  @Test func truncatedFilesArePutAside() throws {
    try fill()
    let whole = try Data(contentsOf: URL(filePath: path))
    try whole.prefix(whole.count / 3).write(to: URL(filePath: path))
    try expectNew("the file is damaged")
  }

  @Test func databasesOfOthersArePutAside() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in try db.execute(sql: "CREATE TABLE a (b); PRAGMA application_id = 7") }
    try queue.close()
    try expectNew("another program")
  }

  @Test func filesOfNewerProgramsArePutAside() throws {
    try fill()
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in try db.execute(sql: "PRAGMA user_version = 99") }
    try queue.close()
    try expectNew("schema 99")
  }

  @Test func filesThatLackATableArePutAside() throws {
    try fill()
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in try db.execute(sql: "DROP TABLE reactions") }
    try queue.close()
    try expectNew("reactions")
  }

  @Test func numbersAreNotGivenOutTwice() throws {
    try fill()
    let queue = try DatabaseQueue(path: path)
    try queue.write { db in try db.execute(sql: "UPDATE counters SET message = 3") }
    try queue.close()
    try expectNew("numbers")
  }

  @Test func earlierFilesAreReplaced() throws {
    for name in ["messages.db.damaged", "messages.db.damaged-wal", "messages.db.damaged-shm"] {
      try Data("earlier".utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
    }
    try Data("rubbish".utf8).write(to: URL(filePath: path))
    try expectNew("the file is damaged")
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == Data("rubbish".utf8))
    let log = try? Data(contentsOf: URL(filePath: path + ".damaged-wal"))
    #expect(log != Data("earlier".utf8))
  }

  /// Whatever is damaged, nothing traps: what is asked is answered, or the error says what to do.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func damageFoundLaterIsTold(_ seed: UInt64) throws {
    try fill()
    var random = SplitMix64(seed: seed)
    var bytes = try Data(contentsOf: URL(filePath: path))
    for _ in 1...200 {
      let place = Int.random(in: 8_192..<bytes.count, using: &random)
      bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    }
    try bytes.write(to: URL(filePath: path))
    let store = try MessageStore(directory: folder.path)
    var found: [StoreError] = []
    func ask(_ body: () throws -> Void) throws {
      do { try body() } catch let error as StoreError { found.append(error) }
    }
    try ask { _ = try store.messages(MessageQuestion(channel: MessageBench.channel, limit: 300)) }
    try ask { _ = try store.messages(MessageQuestion(author: "ann", withDeleted: true, limit: 300)) }
    for isNewestFirst in [false, true] {
      try ask { _ = try store.messages(holding: MessageSearch(text: "word", isNewestFirst: isNewestFirst, limit: 300)) }
    }
    try ask { _ = try store.changedMessages(after: 0, channels: nil, limit: 500) }
    try ask { _ = try store.conversations(ConversationQuestion(limit: 5)) }
    try ask { _ = try store.markUnread(MessageBench.channel, from: MessageID(rawValue: 1)) }
    for number in 1...200 {
      let news = MessageNews(channel: MessageBench.channel, isLive: true, what: .deleted(networkID: "\(number)", author: nil))
      try ask { _ = try store.take([ReadNews(relay: nil, news: news)], at: MessageBench.now, within: MessageLimits()) }
    }
    for error in found where error.code == .corrupt {
      #expect(error.description.contains(path) && error.description.contains("remove the file"), "\(error)")
    }
    #expect(store.setAside != nil || found.allSatisfy { $0.code == .corrupt || $0.code == .inputOutput }, "\(found)")
    store.close()
  }

  @Test func damageSaysWhatToDo() throws {
    try fill()
    let store = try MessageStore(directory: folder.path)
    try store.pool.write { db in try db.execute(sql: "UPDATE messages SET attachments = 'x' WHERE id = 5") }
    do {
      _ = try store.message(MessageID(rawValue: 5))
      Issue.record("it was read")
    } catch let error as StoreError {
      #expect(error.code == .corrupt && error.description.contains(path) && error.description.contains("remove the file"))
    }
    #expect(try store.message(MessageID(rawValue: 6)) != nil)
    store.close()
  }
}
