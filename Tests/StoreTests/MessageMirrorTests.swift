import Channels
import Storage
import Testing

@testable import Store

/// Posts of ours as messages.
struct MessageMirrorTests {
  private typealias Bench = MessageBench
  private let bench: MessageBench

  init() throws { bench = try MessageBench() }

  @discardableResult
  private func mirror(_ posts: MirroredPost..., through revision: Int64 = 1) throws -> MessageReceipt {
    try bench.store.mirror(posts, through: revision)
  }

  private func post(_ id: Int64) throws -> StoredMessage? { try bench.all().first { $0.row.post?.rawValue == id } }

  @Test func postsAreMessages() throws {
    let receipt = try mirror(Bench.post(7, nil, "alpha", at: 3), through: 5)
    #expect(try receipt == MessageReceipt(revision: bench.store.messageCounters().revision, new: 1))
    #expect(try bench.store.messageCounters().mirrored == 5)
    let row = try #require(try post(7)).row
    #expect(
      row.isOwn && !row.counts && row.text == "alpha" && row.networkID == nil && row.position == Bench.time(3).milliseconds)
    #expect(try bench.unread() == [0, 0] && bench.search("alpha") == [nil])
    let named = try mirror(Bench.post(7, "a", "alpha", at: 3), through: 4)
    #expect(named.new == 0 && named.revision > receipt.revision)
    #expect(try bench.store.messageCounters().mirrored == 5, "it never goes back")
    let again = try mirror(Bench.post(7, "a", "alpha", at: 3))
    let known = try #require(try post(7)).row
    #expect(known.networkID == "a" && known.revision == again.revision && again.revision > named.revision, "it got further")
    #expect(try mirror(Bench.post(8, nil, channel: ChannelID(rawValue: 9))).new == 0)
    #expect(try bench.take([Bench.message("a", "read", author: "us", isOwn: true)], relay: 4).new == 0)
    #expect(try post(7)?.relays == [RelayID(rawValue: 4)] && post(7)?.row.text == "alpha")
  }

  @Test func aMessageThatWasReadIsThePost() throws {
    let file = ReadAttachment(url: "https://example.org/a")
    try bench.take([Bench.message("a", "read", author: "us", files: [file], isMention: true), Bench.reaction("r", to: "a")])
    #expect(try bench.unread() == [1, 1])
    try mirror(Bench.post(7, "a", "alpha", at: 3))
    let message = try #require(try post(7))
    #expect(message.row.id == MessageID(rawValue: 1) && message.row.isOwn && !message.row.counts && message.row.text == "alpha")
    #expect(message.row.attachments == [file] && message.reactions.count == 1 && message.relays.count == 1)
    #expect(try bench.unread() == [0, 0] && bench.all().count == 1 && bench.search("read").isEmpty)
    // It does not count for the limit any more.
    let limits = MessageLimits(keepMax: 1)
    try bench.take([Bench.message("b"), Bench.message("c")], at: 5, within: limits)
    #expect(try bench.names() == ["a", "c"])
    try bench.checkWords()
  }

  @Test func whatWasReadBeforeItsNameWasKnownIsGone() throws {
    try mirror(Bench.post(7, nil, "alpha"))
    try bench.take([Bench.message("a", "alpha", author: "us"), Bench.message("answer", replyTo: "a")], at: 1, relay: 3)
    #expect(try bench.unread() == [2, 0])
    let before = try bench.store.messageCounters().revision
    try mirror(Bench.post(7, "a", "alpha"))
    #expect(try post(7)?.row.networkID == "a" && post(7)?.relays == [RelayID(rawValue: 3)])
    #expect(try bench.names() == ["a", "-?", "answer"] && bench.unread() == [1, 0])
    #expect(try bench.named("answer")?.answers == MessageID(rawValue: 1))
    let changes = try bench.store.changedMessages(after: before, channels: nil, limit: 10).changes
    #expect(changes.count == 4, "who follows changes learns of the post, what was read, the answer and the conversation")
    try bench.checkWords()
  }

  @Test func deletedPostsAreDeletedMessages() throws {
    try mirror(Bench.post(7, "a", "alpha"))
    try mirror(Bench.post(7, "a", "alpha", deletedAt: 4))
    #expect(try post(7)?.row.deletedAt == Bench.time(4) && post(7)?.row.text == "" && bench.search("alpha").isEmpty)
    try bench.take([Bench.message("a", author: "us", files: [ReadAttachment(url: "https://example.org/a")], isOwn: true)])
    #expect(try post(7)?.row.text == "" && post(7)?.row.attachments == [], "a relay still serves it")
    try bench.take([Bench.message("b", author: "us")])
    try mirror(Bench.post(8, "b", deletedAt: 5), Bench.post(9, "c", deletedAt: 6))
    #expect(try bench.names() == ["-a", "-b", "-c"])
    #expect(try bench.unread() == [0, 0], "it was unread once")
    // The request was read before the post had a name.
    try bench.take([.deleted(networkID: "d", author: "us")], at: 9)
    try mirror(Bench.post(10, nil))
    try mirror(Bench.post(10, "d"))
    #expect(try post(10)?.row.deletedAt == Bench.time(9))
    try bench.checkWords()
  }

  @Test func reactionsOfOursAreReactions() throws {
    try bench.take([Bench.message("a")])
    let receipt = try mirror(Bench.post(7, nil, "🎉", reactionTo: "a"))
    #expect(try bench.all().count == 1 && receipt.new == 1)
    #expect(try bench.named("a")?.reactions == [.init(text: "🎉", count: 1, isOwn: true)])
    try bench.take([Bench.reaction("r", to: "a", "🎉", author: "us", isOwn: true)])
    try mirror(Bench.post(7, "r", "🎉", reactionTo: "a"))
    #expect(try bench.take([Bench.reaction("r", to: "a", "🎉", author: "us", isOwn: true)]).new == 0)
    let before = try #require(try bench.named("a")).row.revision
    try mirror(Bench.post(7, "r", "🎉", deletedAt: 3, reactionTo: "a"))
    try bench.take([Bench.reaction("r", to: "a", "🎉", author: "us", isOwn: true)])
    let after = try #require(try bench.named("a"))
    #expect(after.reactions.isEmpty && after.row.revision > before)
  }

  @Test func reactionsMoveWithTheNameOfTheirPost() throws {
    try mirror(Bench.post(1, "first"), Bench.post(2, nil, "+", reactionTo: "first"))
    #expect(try post(1)?.reactions.count == 1)
    try mirror(Bench.post(1, "second"))
    #expect(try post(1)?.reactions.count == 0)
    try mirror(Bench.post(2, "r", "+", reactionTo: "second"))
    #expect(try post(1)?.reactions.count == 1)
  }

  @Test func twoPostsOfOneNameDoNotStopTheRest() throws {
    try mirror(Bench.post(1, "a"), Bench.post(2, "a"), Bench.post(3, "r", "+", reactionTo: "a"))
    try mirror(Bench.post(2, "a"), Bench.post(4, "r", "-", reactionTo: "a"))
    #expect(try post(1)?.row.networkID == "a" && post(2)?.row.networkID == nil)
    #expect(try post(1)?.reactions.map(\.text).sorted() == ["+", "-"])
  }
}
