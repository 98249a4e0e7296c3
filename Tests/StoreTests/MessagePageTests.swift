import Channels
import Storage
import TestSupport
import Testing

@testable import Store

/// Pages of messages, conversations, and what has changed.
struct MessagePageTests {
  private typealias Bench = MessageBench
  private let bench: MessageBench

  init() throws { bench = try MessageBench(channels: 1...3) }

  private func page(_ place: MessageQuestion.Place, _ limit: Int) throws -> MessagePage {
    try bench.store.messages(MessageQuestion(channel: Bench.channel, place: place, limit: limit))
  }

  private func words(_ page: MessagePage) -> String {
    let names = page.messages.map { $0.row.networkID ?? "?" }.joined(separator: " ")
    return "\(page.hasOlder ? "<" : "|")\(names)\(page.hasNewer ? ">" : "|")"
  }

  @Test func pagesGoInBothDirections() throws {
    try bench.take(["c", "a", "e", "b", "d"].map { Bench.message($0, at: Int64($0.utf8.first ?? 0)) }, at: 500, isLive: false)
    func id(_ name: String) throws -> MessageID { try #require(try bench.named(name)).row.id }
    #expect(try words(page(.newest, 2)) == "<e d|")
    #expect(try words(page(.before(id("d")), 2)) == "<c b>")
    #expect(try words(page(.before(id("b")), 2)) == "|a>")
    #expect(try words(page(.before(id("a")), 2)) == "|>")
    #expect(try words(page(.after(id("a")), 2)) == "<c b>")
    #expect(try words(page(.after(id("e")), 2)) == "<|")
    #expect(try words(page(.around(id("c")), 3)) == "<d c b>")
    #expect(try words(page(.around(id("c")), 2)) == "<c b>")
    #expect(try words(page(.around(MessageID(rawValue: 99)), 3)) == "||")
    #expect(try page(.newest, 2).revision == bench.store.messageCounters().revision)
    try bench.take([.deleted(networkID: "c", author: nil)])
    #expect(try words(page(.before(id("d")), 1)) == "<b>")
    let deleted = MessageQuestion(channel: Bench.channel, withDeleted: true, place: .before(try id("d")), limit: 1)
    #expect(try words(bench.store.messages(deleted)) == "<c>")
  }

  @Test func oneSecondMayHoldManyMessages() throws {
    try bench.take((1...250).map { Bench.message("\($0)") }, at: 1, within: MessageLimits(perAuthorAndMinute: 1_000))
    var (found, place): ([String?], MessageQuestion.Place) = ([], .newest)
    while true {
      let page = try page(place, 20)
      found += page.messages.map(\.row.networkID)
      guard page.hasOlder, let last = page.messages.last else { break }
      place = .before(last.row.id)
    }
    #expect(found == (1...250).reversed().map { "\($0)" })
  }

  @Test func largeMessagesComeOnPagesOfTheirOwn() throws {
    let text = String(repeating: "x", count: 400_000)
    try bench.take((1...5).map { Bench.message("\($0)", text) })
    #expect(try words(page(.newest, 5)) == "<5 4|")
    #expect(try words(page(.after(MessageID(rawValue: 1)), 5)) == "<3 2>")
    #expect(try words(page(.around(MessageID(rawValue: 3)), 5)) == "<4 3>")
    try bench.take([Bench.message("huge", String(repeating: "x", count: 2_000_000))], at: 1)
    #expect(try words(page(.newest, 5)) == "<huge|")
    let found = try bench.store.messages(holding: MessageSearch(text: "x*", isNewestFirst: true, limit: 5))
    #expect(found.hits.count == 1 && found.hasMore)
    #expect(found.hits.allSatisfy { $0.excerpt.reduce(0) { $0 + $1.text.unicodeScalars.count } < 1_000 })
    // Changes end before what is too large, and go on with it.
    var (sizes, revision): ([Int], Int64) = ([], 0)
    for _ in 1...5 {
      let part = try bench.store.changedMessages(after: revision, channels: [Bench.channel], limit: 100)
      (sizes, revision) = (sizes + [part.changes.count], part.through)
    }
    #expect(sizes == [2, 2, 1, 2, 0])
  }

  // MARK: - Conversations

  @Test func conversationsAreInTheOrderOfTheirLastMessages() throws {
    for (channel, at) in [(1, 5), (3, 9)] as [(Int64, Int64)] {
      try bench.take([Bench.message("a")], at: at, channel: ChannelID(rawValue: channel))
    }
    func channels(_ question: ConversationQuestion) throws -> [Int64] {
      try bench.store.conversations(question).map(\.row.channel.rawValue)
    }
    #expect(try channels(ConversationQuestion(limit: 5)) == [3, 1], "a conversation without messages is not among them")
    let first = try #require(try bench.store.conversations(ConversationQuestion(limit: 1)).first)
    #expect(first.last?.row.networkID == "a")
    let place = ConversationQuestion.Place(lastPosition: try #require(first.row.lastPosition), channel: first.row.channel)
    #expect(try channels(ConversationQuestion(after: place, limit: 5)) == [1])
    _ = try bench.store.markRead(ChannelID(rawValue: 3), through: nil)
    #expect(try channels(ConversationQuestion(isUnread: true, limit: 5)) == [1])
    #expect(try bench.store.conversation(of: ChannelID(rawValue: 2))?.row.last == nil)
    #expect(try bench.store.conversation(of: ChannelID(rawValue: 9)) == nil)
  }

  // MARK: - Changes

  @Test func changesComeInOrder() throws {
    let counters = try bench.store.messageCounters()
    try bench.take([Bench.message("a"), Bench.message("b")])
    try bench.take([Bench.message("c")], channel: ChannelID(rawValue: 2))
    func changes(_ channels: Set<ChannelID>?, _ limit: Int) throws -> String {
      let found = try bench.store.changedMessages(after: counters.revision, channels: channels, limit: limit)
      let names = found.changes.map { change in
        switch change {
        case .message(let message): message.row.networkID ?? "?"
        case .conversation(let conversation): "\(conversation.row.channel.rawValue)"
        }
      }
      return "\(names.joined(separator: " ")) +\(found.through - counters.revision)"
    }
    let newest = try bench.store.messageCounters().revision
    #expect(try changes(nil, 10) == "a b 1 c 2 +5")
    #expect(try changes(nil, 3) == "a b 1 +3")
    #expect(try changes([ChannelID(rawValue: 2)], 10) == "c 2 +5")
    #expect(try changes([], 10) == " +5")
    let late = try bench.store.changedMessages(after: newest + 5, channels: nil, limit: 1)
    #expect(late.changes.isEmpty && late.through == newest + 5)
  }
}
