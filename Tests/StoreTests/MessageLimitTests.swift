import Channels
import GRDB
import Storage
import Testing

@testable import Store

/// What is left out and dropped, so that strangers cannot fill the disk.
struct MessageLimitTests {
  private typealias Bench = MessageBench
  private let bench: MessageBench

  init() throws { bench = try MessageBench() }

  private func authors(_ names: [String], at: (Int) -> Int64 = { Int64($0) }) -> [MessageNews.What] {
    names.enumerated().map { Bench.message($0.element, "word\($0.element)", author: $0.element, at: at($0.offset)) }
  }

  @Test func theLastPlacesAreKept() throws {
    let limits = MessageLimits(keepMax: 3)
    #expect(try bench.take(authors(["c", "d", "e"]), at: 10, isLive: false, within: limits).refused == 0)
    let before = try bench.store.messageCounters()
    let early = authors(["a", "b"]) { Int64($0) - 9 }
    for _ in 1...2 {
      let receipt = try bench.take(early, at: 11, isLive: false, within: limits)
      #expect(receipt.refused == 2 && receipt.new == 0)
    }
    #expect(try bench.store.messageCounters() == before, "reading history again is no work")
    _ = try bench.take([Bench.message("own", at: -90, isOwn: true)], at: 12, isLive: false, within: limits)
    _ = try bench.store.mirror([Bench.post(1, "post", at: -80)], through: 1)
    #expect(try bench.take(authors(["f", "g"]) { _ in 20 }, at: 20, within: limits).new == 2)
    #expect(try bench.names() == ["own", "post", "e", "f", "g"])
    #expect(try bench.search("wordc").isEmpty && bench.search("worde") == ["e"])
    // "c" and "d" are gone, and were unread.
    #expect(try bench.unread() == [3, 0])
    try bench.checkWords()
  }

  @Test func whatIsDroppedLeavesNothing() throws {
    let limits = MessageLimits(keepMax: 1)
    try bench.take([Bench.message("a"), Bench.message("answer", isOwn: true), Bench.reaction("r", to: "a")], within: limits)
    try bench.take([Bench.message("own", replyTo: "a", isOwn: true)])
    let before = try #require(try bench.named("own"))
    #expect(before.answers == MessageID(rawValue: 1))
    try bench.take([Bench.message("b")], at: 1, within: limits)
    let after = try #require(try bench.named("own"))
    #expect(after.answers == nil && after.row.revision > before.row.revision)
    #expect(try bench.store.message(MessageID(rawValue: 1)) == nil)
    for (table, expected) in [("message_relays", 3), ("reactions", 0), ("messages", 3)] {
      let count = try bench.store.pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") }
      #expect(count == expected, "\(table)")
    }
  }

  @Test func aLowerLimitTakesEffect() throws {
    try bench.take(authors(["a", "b", "c", "d"]), at: 5)
    try bench.take(authors(["e"]), at: 6, within: MessageLimits(keepMax: 2))
    #expect(try bench.names() == ["d", "e"])
    #expect(try bench.take(authors(["f"]), at: 7, within: MessageLimits(keepMax: 0)).refused == 1)
  }

  @Test func authorsHaveSoManyInAMinute() throws {
    let limits = MessageLimits(perAuthorAndMinute: 2)
    let minute = Bench.now.minute * 60 + 60 - Bench.now.milliseconds / 1_000
    let news = (0..<4).map { Bench.message("a\($0)", at: minute + Int64($0)) }
    #expect(try bench.take(news, at: minute + 9, within: limits).refused == 2)
    let others = [
      Bench.message("b", author: "bob", at: minute), Bench.message("next", at: minute + 60),
      Bench.message("own", at: minute, isOwn: true), Bench.message("before", at: minute - 1),
    ]
    #expect(try bench.take(others, at: minute + 70, isLive: false, within: limits).new == 4)
    // The next day they are left out again.
    #expect(try bench.take(news, at: minute + 86_400, isLive: false, within: limits).refused == 2)
    #expect(try Set(bench.names()) == ["before", "b", "own", "a0", "a1", "next"])
    // Whoever dates messages ahead is shown when they came.
    let ahead = (0..<4).map { Bench.message("x\($0)", author: "eve", at: 9_000 + Int64($0) * 60) }
    #expect(try bench.take(ahead, at: minute + 80, within: limits).refused == 2)
  }

  @Test func messagesHaveSoManyReactions() throws {
    let limits = MessageLimits(reactionsMax: 2)
    let reactions = (0..<4).map { Bench.reaction("r\($0)", to: "a", author: "\($0)") }
    #expect(try bench.take([Bench.message("a")] + reactions, within: limits).refused == 2)
    #expect(try bench.take([Bench.reaction("own", to: "a", isOwn: true)], within: limits).new == 1)
    #expect(try bench.named("a")?.reactions == [.init(text: "+", count: 3, isOwn: true)])
  }

  @Test func theLatestThatWaitAreKept() throws {
    let limits = MessageLimits(pendingDeletionsMax: 2)
    let names = ["a", "b", "c"]
    try bench.take(
      names.map { .deleted(networkID: $0, author: "ann") } + names.map { Bench.reaction("r\($0)", to: "to-\($0)") },
      within: limits)
    try bench.take(names.map { Bench.message($0) } + names.map { Bench.message("to-\($0)") }, at: 1)
    #expect(try bench.names() == ["a", "-b", "-c", "to-a", "to-b", "to-c"])
    #expect(try names.map { try bench.named("to-\($0)")?.reactions.count } == [0, 1, 1])
  }
}
