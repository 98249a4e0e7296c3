import Channels
import Foundation
import GRDB
import Storage
import Testing

@testable import Store

/// How SQLite answers what is asked about messages: through indexes, and no index is kept for nothing.
struct MessagePlanTests {
  private typealias Bench = MessageBench
  private struct Plan {
    let sql: String
    let steps: [String]
  }

  /// What may walk through all rows: it is asked once after a start.
  private static let walks: Set<String> = ["SELECT channel_id, is_muted, is_pinned, truncated_at, keep FROM conversations"]

  @Test func nothingWalksThroughMessages() throws {
    let plans = try Self.asked()
    #expect(plans.count > 50)
    for plan in plans where !Self.walks.contains(plan.sql) {
      #expect(Self.walks(plan).isEmpty, "\(plan.sql)\n\(plan.steps.joined(separator: "\n"))")
    }
    #expect(Self.walks.isSubset(of: plans.map(\.sql)))
  }

  @Test func pagesAreNotSorted() throws {
    for plan in try Self.asked() where plan.sql.hasPrefix("SELECT position, id FROM messages") {
      #expect(plan.steps.count == 1 && plan.steps.allSatisfy { $0.hasPrefix("SEARCH messages USING") }, "\(plan)")
    }
  }

  @Test func everyIndexServesAQuery() throws {
    let plans = try Self.asked()
    let used = plans.filter { !Self.walks.contains($0.sql) }.flatMap(\.steps)
      .flatMap { $0.matches(of: /\bINDEX (\w+)/).map { String($0.1) } }
    let bench = try MessageBench()
    let indexes = try bench.store.pool.read { db in
      try String.fetchSet(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    }
    #expect(indexes.count > 15 && indexes.subtracting(used).isEmpty)
    withExtendedLifetime(bench) {}
  }

  /// The test itself: a query without an index is one that walks.
  @Test func walksAreRecognized() throws {
    let bench = try MessageBench()
    let bad = [
      "SELECT id FROM messages WHERE author_name = ?", "SELECT id FROM messages WHERE text = ? ORDER BY position LIMIT ?",
      "DELETE FROM reactions WHERE text = ?",
    ]
    for plan in try Self.plans(bench.store, bad) { #expect(!Self.walks(plan).isEmpty, "\(plan)") }
    withExtendedLifetime(bench) {}
  }

  /// The steps of a plan that go through all rows. Words are an index themselves, lists of numbers are short, `c` are the authors of
  /// one channel, and `r` are the messages that someone reacted to.
  private static func walks(_ plan: Plan) -> [String] {
    plan.steps.filter { step in
      guard let scan = step.firstMatch(of: /^SCAN (\S+)/) else { return false }
      return !["json_each", "message_words", "(subquery-1)", "c", "r"].contains(String(scan.1))
    }
  }

  private static func plans(_ store: MessageStore, _ texts: [String]) throws -> [Plan] {
    try store.pool.writeWithoutTransaction { db in
      try texts.map { sql in
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
        statement.setUncheckedArguments(StatementArguments())
        return Plan(sql: sql, steps: try Row.fetchAll(statement).map { $0["detail"] as String })
      }
    }
  }

  // MARK: - What is asked

  /// The texts of all statements that ran on the connections that are traced.
  private final class Trace: @unchecked Sendable {
    private let lock = NSLock()
    private var found: Set<String> = []

    private func add(_ sql: String) {
      let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      // The tables of words ask for themselves.
      guard ["SELECT", "INSERT", "UPDATE", "DELETE"].contains(where: text.hasPrefix), !text.contains("'main'") else { return }
      lock.withLock { _ = found.insert(text) }
    }

    var texts: [String] { lock.withLock { found.sorted() } }

    /// The writer, and the one reader that there is while questions come one after the other.
    func begin(_ store: MessageStore) throws {
      let note: (Database.TraceEvent) -> Void = { [self] event in
        if case .statement(let statement) = event { add(statement.sql) }
      }
      store.pool.writeWithoutTransaction { db in db.trace(note) }
      try store.pool.read { db in db.trace(note) }
    }
  }

  private static func asked() throws -> [Plan] {
    let bench = try MessageBench(channels: 1...2)
    let trace = Trace()
    try trace.begin(bench.store)
    try write(bench)
    try read(bench.store)
    _ = try bench.store.end([Bench.channel])
    let plans = try plans(bench.store, trace.texts)
    withExtendedLifetime(bench) {}
    return plans
  }

  private static func write(_ bench: MessageBench) throws {
    let few = MessageLimits(keepMax: 2)
    let file = ReadAttachment(url: "https://example.org/a")
    try bench.take([
      Bench.message("a", replyTo: "b", files: [file]), Bench.message("b"), Bench.reaction("r", to: "a"),
      Bench.reaction("waits", to: "x"), .deleted(networkID: "y", author: "ann"), .edited(networkID: "a", text: "new"),
      .edited(networkID: "r", text: "-"), .deleted(networkID: "r", author: nil), .deleted(networkID: "b", author: nil),
    ])
    try bench.take([Bench.message("c"), Bench.message("p2", files: [file])], at: 1, within: few)
    let posts = [
      Bench.post(1, nil), Bench.post(1, "p1"), Bench.post(2, nil), Bench.post(2, "p2"), Bench.post(3, "c"),
      Bench.post(4, nil, "+", reactionTo: "p1"), Bench.post(4, "r4", "+", reactionTo: "p2"),
      Bench.post(5, "waits", "+", reactionTo: "x"), Bench.post(5, "waits", deletedAt: 1, reactionTo: "x"),
    ]
    _ = try bench.store.mirror(posts, through: 1)
    try bench.take([Bench.message("p1", files: [file])], at: 2)
    _ = try bench.store.hide(Bench.channel, at: Bench.now)
    for time in [Bench.now, nil] { _ = try bench.store.hideMessage(MessageID(rawValue: 1), at: time) }
    for time in [Bench.now, nil] { _ = try bench.store.pinMessage(MessageID(rawValue: 1), at: time) }
    for time in [Bench.now, nil] { _ = try bench.store.mute("ann", at: time) }
    _ = try bench.store.mute("nobody", at: Bench.now)
    _ = try bench.store.mark(Bench.channel, ConversationMarks(isMuted: true, truncatedAt: Bench.time(-1_000)))
    for list in [ReadMembers.List.members, .roles] {
      let entries = [ReadMembers.Entry(author: "ann", roles: list == .roles ? ["admin"] : [])]
      try bench.take([.members(ReadMembers(list: list, entries: entries, count: 1))])
    }
    let asked = ReadJoinRequest(networkID: "j", author: "bob", text: "hello", createdAt: Bench.now)
    try bench.take([.joinRequest(asked), .profile(ReadProfile(author: "ann", name: "Ann", createdAt: Bench.now))])
    _ = try bench.store.decline("bob", in: Bench.channel, at: Bench.now)
    _ = try bench.store.markRead(Bench.channel, through: nil)
    _ = try bench.store.markUnread(Bench.channel, from: MessageID(rawValue: 1))
    for isLeftOver in [true, false] { _ = try bench.store.newDecisions(isLeftOver: isLeftOver, limit: 9) }
    _ = try bench.store.carryOut([
      PersonalDecision(.read, channel: Bench.channel, at: Bench.now, message: "c", revision: 1),
      PersonalDecision(.declined, channel: Bench.channel, name: "bob", at: Bench.now, revision: 2),
    ])
    _ = try bench.store.lastDecision()
    try bench.store.forgetRevisionsOfDecisions()
    try bench.store.note([
      MessageSyncRow(channel: Bench.channel, relay: RelayID(rawValue: 1), completeAt: nil, askedAt: Bench.now)
    ])
  }

  private static func read(_ store: MessageStore) throws {
    _ = try store.message(MessageID(rawValue: 1))
    for channel in [nil, Bench.channel] as [ChannelID?] {
      for author in [nil, "ann"] as [String?] {
        for flags in [(nil, nil), (true, nil), (false, true), (nil, true), (nil, false)] as [(Bool?, Bool?)] {
          for place in [.newest, .around(MessageID(rawValue: 2))] as [MessageQuestion.Place] {
            _ = try store.messages(
              MessageQuestion(
                channel: channel, author: author, isMention: flags.0, hasAttachments: flags.1, withDeleted: true, place: place,
                limit: 5))
          }
        }
      }
      for isNewestFirst in [false, true] {
        _ = try store.messages(holding: MessageSearch(text: "post", channel: channel, isNewestFirst: isNewestFirst, limit: 5))
      }
      _ = try store.changedMessages(after: 0, channels: channel.map { [$0] }, limit: 5)
    }
    for channel in [nil, Bench.channel] as [ChannelID?] {
      for (text, isMuted) in [(nil, nil), ("a", nil), (nil, true), ("a", false)] as [(String?, Bool?)] {
        _ = try store.people(PeopleQuestion(channel: channel, text: text, isMuted: isMuted, limit: 5))
      }
    }
    _ = try store.person("ann")
    for standing in [nil, .author] as [StoredMember.Standing?] {
      for order in [MemberQuestion.Order.role, .name, .lastMessage] {
        _ = try store.members(
          MemberQuestion(
            channel: Bench.channel, standing: standing, role: "admin", text: "a", order: order, after: "ann", limit: 5))
      }
    }
    _ = try store.member("ann", in: Bench.channel)
    for channels in [nil, [Bench.channel]] as [Set<ChannelID>?] {
      _ = try store.changedMembers(after: 0, channels: channels, limit: 5)
    }
    _ = try store.messages(MessageQuestion(isHidden: true, limit: 5))
    for author in [nil, "ann"] as [String?] {
      _ = try store.messages(MessageQuestion(channel: Bench.channel, author: author, isPinned: true, limit: 5))
      for message in 1...4 {
        _ = try store.messages(MessageQuestion(author: author, answersTo: MessageID(rawValue: Int64(message)), limit: 5))
      }
    }
    let place = ConversationQuestion.Place(lastPosition: .max, channel: Bench.channel)
    for isUnread in [false, true] {
      _ = try store.conversations(ConversationQuestion(isUnread: isUnread, isHidden: true, after: place, limit: 5))
      _ = try store.conversations(ConversationQuestion(isUnread: isUnread, after: place, limit: 5))
    }
    _ = (try store.messageCounters(), try store.channelsWithConversation(), try store.summaries(of: [Bench.channel]))
    _ = try store.names(in: Bench.channel, except: [], limit: 5)
  }
}
