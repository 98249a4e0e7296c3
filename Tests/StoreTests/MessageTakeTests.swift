import Channels
import Storage
import Testing

@testable import Store

/// What becomes of what is read in channels.
struct MessageTakeTests {
  private typealias Bench = MessageBench
  private let bench: MessageBench

  init() throws { bench = try MessageBench() }

  // MARK: - Places

  @Test func whatIsSaidNowIsWhereItArrives() throws {
    try bench.take([Bench.message("old", at: -900), Bench.message("future", at: 900)], at: 5)
    #expect(try bench.all().map(\.row.position) == [5, 5].map { Bench.time($0).milliseconds })
    #expect(try bench.names() == ["old", "future"])
  }

  @Test func whatIsAskedForIsWhereItsDateSays() throws {
    let long = Int64.min / 1_000 + Bench.now.milliseconds
    try bench.take(
      [Bench.message("b", at: -10), Bench.message("a", at: -20), Bench.message("future", at: 900)], at: 5, isLive: false)
    #expect(try bench.names() == ["a", "b", "future"])
    #expect(try bench.named("future")?.row.position == Bench.time(5).milliseconds)
    #expect(try bench.named("a")?.row.id == MessageID(rawValue: 2))
    let read = ReadMessage(networkID: "first", author: "x", text: "", createdAt: Timestamp(milliseconds: long))
    try bench.take([.message(read)], at: 6, isLive: false)
    #expect(try bench.named("first")?.row.position == 0)
  }

  @Test func messagesOfOneRelayAfterTheOtherAreOne() throws {
    #expect(try bench.take([Bench.message("a", "first")], relay: 2).new == 1)
    let before = try #require(try bench.named("a"))
    #expect(try bench.take([Bench.message("a", "other", at: 9)], at: 9, relay: 1).new == 0)
    let after = try #require(try bench.named("a"))
    #expect(after.relays == [RelayID(rawValue: 1), RelayID(rawValue: 2)])
    #expect(after.row.text == "first" && after.row.position == before.row.position && after.row.revision > before.row.revision)
    let counters = try bench.store.messageCounters()
    for relay in [1, nil] as [Int64?] { try bench.take([Bench.message("a")], relay: relay) }
    #expect(try bench.store.messageCounters() == counters)
  }

  @Test func anEditOfTheLastMessageIsTold() throws {
    try bench.take([Bench.message("a", "first", at: 1), Bench.message("b", "second", at: 2)], at: 2)
    func told(_ edit: MessageNews.What) throws -> Bool {
      let before = try bench.store.messageCounters().revision
      try bench.take([edit], at: 3)
      return try bench.store.changedMessages(after: before, channels: nil, limit: 9).changes.contains {
        if case .conversation = $0 { true } else { false }
      }
    }
    #expect(try !told(.edited(networkID: "a", text: "changed")))
    #expect(try told(.edited(networkID: "b", text: "changed")))
    #expect(try bench.store.conversation(of: Bench.channel)?.last?.row.text == "changed")
  }

  @Test func whatARelayDoesNotServeIsFoundWhereverItWasRead() throws {
    try bench.take([Bench.message("a", at: -30), Bench.message("b", at: -20), Bench.message("c", at: -10)], isLive: false)
    try bench.take([Bench.message("b", at: -20), Bench.message("d", at: -5)], isLive: false, relay: 2)
    try bench.take([.deleted(networkID: "c", author: "ann")])
    func missing(except served: Set<String> = [], limit: Int = 10) throws -> [String] {
      try bench.store.names(in: Bench.channel, except: served, limit: limit).messages
    }
    #expect(try missing() == ["d", "b", "a"], "what was deleted is not missing")
    #expect(try missing(except: ["b", "z"]) == ["d", "a"] && missing(limit: 1) == ["d"])
    // What is hidden may be deleted as well.
    _ = try bench.store.hideMessage(try #require(try bench.named("a")).row.id, at: Bench.now)
    #expect(try missing() == ["d", "b", "a"])
    _ = try bench.store.mute("ann", at: Bench.now)
    #expect(try Set(missing()) == ["a", "b", "d"])
    #expect(try bench.store.names(in: ChannelID(rawValue: 9), except: [], limit: 1) == StoredNames())
  }

  /// Someone may have taken a reaction back where it is not served.
  @Test func reactionsAreFoundByTheirNames() throws {
    try bench.take([
      Bench.message("a"), .reaction(ReadReaction(networkID: "r", target: "a", author: "bob", text: "+")),
      .reaction(ReadReaction(networkID: "q", target: "a", author: "eve", text: "+")),
    ])
    #expect(try bench.store.names(in: Bench.channel, except: ["a"], limit: 10) == StoredNames(reactions: ["q", "r"]))
    #expect(try bench.store.names(in: Bench.channel, except: [], limit: 1).reactions.count == 1)
    try bench.take([.deleted(networkID: "r", author: "bob")])
    #expect(try bench.store.names(in: Bench.channel, except: ["a"], limit: 10).reactions == ["q"])
  }

  @Test func channelsWithoutConversationAreLeftOut() throws {
    let other = ChannelID(rawValue: 2)
    #expect(try bench.take([Bench.message("a")], channel: other).new == 0)
    try bench.store.begin(other, since: Bench.now)
    #expect(try bench.take([Bench.message("a")], channel: other).new == 1)
    #expect(try Set(bench.store.channelsWithConversation().keys) == [Bench.channel, other])
    // One name in two channels is two messages.
    #expect(try bench.take([Bench.message("a")]).new == 1)
  }

  @Test func everythingIsStoredAsItWasRead() throws {
    let files = [
      ReadAttachment(url: "https://example.org/a.jpg", mimeType: "image/jpeg", sizeBytes: .max, altText: "a \"cat\"\n"),
      ReadAttachment(url: "b"),
    ]
    let read = ReadMessage(
      networkID: "a", author: "ann", authorName: "Ann", text: "e\u{301} \u{1} 🎉", createdAt: Bench.time(-1), replyTo: "b",
      attachments: files, isMention: true)
    try bench.take([.message(read), Bench.message("zero", "a\0b")], at: 1)
    let row = try #require(try bench.named("a")?.row)
    let expected = MessageRow(
      id: MessageID(rawValue: 1), channel: Bench.channel, networkID: "a", author: "ann", authorName: "Ann", text: read.text,
      createdAt: Bench.time(-1), receivedAt: Bench.time(1), position: Bench.time(1).milliseconds, replyTo: "b",
      attachments: files, isMention: true, counts: true, revision: row.revision)
    #expect(row == expected && row.text.utf8.elementsEqual(read.text.utf8))
    #expect(try bench.named("zero")?.row.text == "a\u{FFFD}b")
  }

  // MARK: - Unread

  @Test func whatCountsIsUnread() throws {
    try bench.take([Bench.message("live", at: -900, isMention: true), Bench.message("own", isOwn: true)])
    try bench.take([Bench.message("history", at: -1), Bench.message("since", at: 0)], isLive: false)
    #expect(try bench.unread() == [2, 1])
    #expect(try bench.named("history")?.row.counts == false && bench.named("since")?.row.counts == true)
  }

  @Test func readMarksNeverGoBack() throws {
    try bench.take(["a", "b", "c", "d"].map { Bench.message($0, isMention: $0 == "c") })
    func read(_ id: Int64?) throws -> [Int64] {
      let row = try bench.store.markRead(Bench.channel, through: id.map(MessageID.init(rawValue:)))
      return [row?.readThrough.rawValue ?? -1, Int64(row?.unread ?? -1), Int64(row?.unreadMentions ?? -1)]
    }
    #expect(try read(2) == [2, 2, 1])
    let revision = try bench.store.messageCounters().revision
    #expect(try read(1) == [2, 2, 1] && bench.store.messageCounters().revision == revision)
    #expect(try read(.max) == [4, 0, 0])
    try bench.take([Bench.message("e")])
    #expect(try bench.unread() == [1, 0], "nothing that comes later was read")
    #expect(try read(nil) == [5, 0, 0])
    #expect(try bench.store.markRead(ChannelID(rawValue: 9), through: nil) == nil)
  }

  @Test func messagesAreMarkedUnread() throws {
    try bench.take([Bench.message("a"), Bench.message("own", isOwn: true), Bench.message("c", isMention: true)])
    try bench.take([Bench.message("history", at: -1)], isLive: false)
    _ = try bench.store.markRead(Bench.channel, through: nil)
    let row = try bench.store.markUnread(Bench.channel, from: MessageID(rawValue: 2))
    #expect(row?.readThrough.rawValue == 1 && row?.unread == 1 && row?.unreadMentions == 1)
    #expect(try bench.store.markUnread(Bench.channel, from: MessageID(rawValue: 4)) == row)
    #expect(try bench.store.markUnread(Bench.channel, from: MessageID(rawValue: .min))?.readThrough.rawValue == 0)
    #expect(try bench.unread() == [2, 1])
    #expect(try bench.store.markUnread(ChannelID(rawValue: 9), from: MessageID(rawValue: 1)) == nil)
  }

  // MARK: - Edits and deletions

  @Test func editsReplaceTheText() throws {
    try bench.take([Bench.message("a", "alpha"), Bench.reaction("r", to: "a", "+")])
    try bench.take([.edited(networkID: "a", text: "beta"), .edited(networkID: "none", text: "x")], at: 7)
    let message = try #require(try bench.named("a"))
    #expect(message.row.text == "beta" && message.row.editedAt == Bench.time(7))
    #expect(try bench.search("alpha").isEmpty && bench.search("beta") == ["a"])
    try bench.take([.edited(networkID: "r", text: "-")])
    #expect(try bench.named("a")?.reactions.map(\.text) == ["-"])
    let revision = try bench.store.messageCounters().revision
    try bench.take([.edited(networkID: "a", text: "beta"), .edited(networkID: "r", text: "-")], at: 9)
    #expect(try bench.store.messageCounters().revision == revision)
    try bench.checkWords()
  }

  @Test func authorsDeleteAndOthersDoNot() throws {
    let file = ReadAttachment(url: "https://example.org/a")
    try bench.take([Bench.message("a", "alpha", files: [file], isMention: true), Bench.message("b", "beta")])
    try bench.take([.deleted(networkID: "a", author: "eve")])
    #expect(try bench.names() == ["a", "b"])
    try bench.take([.deleted(networkID: "a", author: "ann"), .deleted(networkID: "b", author: nil)], at: 3)
    let message = try #require(try bench.named("a"))
    #expect(message.row.text.isEmpty && message.row.attachments.isEmpty && message.row.deletedAt == Bench.time(3))
    #expect(try bench.names() == ["-a", "-b"] && bench.unread() == [0, 0] && bench.search("alpha").isEmpty)
    let row = try bench.conversation()
    #expect(row?.last == nil && row?.lastPosition == nil)
    try bench.take([.edited(networkID: "a", text: "back"), Bench.message("a", "back")], relay: 1)
    #expect(try bench.named("a")?.row.text == "")
    try bench.checkWords()
  }

  @Test func theLastMessageIsTheOneBefore() throws {
    try bench.take([Bench.message("a"), Bench.message("b")], at: 1)
    try bench.take([Bench.message("earlier", at: -5)], at: 2, isLive: false)
    #expect(try bench.conversation()?.last == MessageID(rawValue: 2))
    try bench.take([.deleted(networkID: "b", author: nil)])
    let row = try bench.conversation()
    #expect(row?.last == MessageID(rawValue: 1) && row?.lastPosition == Bench.time(1).milliseconds)
  }

  @Test func deletionsMayComeFirst() throws {
    try bench.take(
      [
        .deleted(networkID: "a", author: "eve"), .deleted(networkID: "a", author: "ann"),
        .deleted(networkID: "b", author: "eve"),
        .deleted(networkID: "c", author: nil), .deleted(networkID: "r", author: "ann"),
      ], at: 1)
    try bench.take([Bench.message("a", "alpha"), Bench.message("b"), Bench.message("c"), Bench.reaction("r", to: "b")], at: 2)
    #expect(try bench.names() == ["-a", "b", "-c"] && bench.unread() == [1, 0])
    #expect(try bench.named("a")?.row.deletedAt == Bench.time(1) && bench.search("alpha").isEmpty)
    #expect(try bench.named("b")?.reactions.isEmpty == true)
    try bench.checkWords()
  }

  // MARK: - Reactions

  @Test func reactionsAreCounted() throws {
    let before = try bench.take([Bench.reaction("early", to: "a", "🎉")])
    #expect(before.new == 1)
    try bench.take([
      Bench.message("a"), Bench.reaction("1", to: "a"), Bench.reaction("2", to: "a", author: "bob"),
      Bench.reaction("3", to: "a", author: "bob"), Bench.reaction("4", to: "a", "-", isOwn: true),
    ])
    let expected = [("+", 2, false), ("-", 1, true), ("🎉", 1, false)]
    #expect(try bench.named("a")?.reactions == expected.map { .init(text: $0.0, count: $0.1, isOwn: $0.2) })
    let revision = try #require(try bench.named("a")).row.revision
    #expect(try bench.take([Bench.reaction("1", to: "a")]).new == 0)
    #expect(try bench.named("a")?.row.revision == revision)
    try bench.take([.deleted(networkID: "4", author: "eve"), .deleted(networkID: "4", author: "ann")])
    #expect(try bench.named("a")?.reactions.map(\.text) == ["+", "🎉"])
    #expect(try #require(try bench.named("a")).row.revision > revision)
    try bench.take([Bench.reaction("4", to: "a", "-")], relay: 2)
    #expect(try bench.named("a")?.reactions.map(\.text) == ["+", "🎉"], "a relay that missed the deletion brings nothing back")
    try bench.take([.deleted(networkID: "a", author: nil), Bench.reaction("5", to: "a")])
    #expect(try bench.named("a")?.reactions.isEmpty == true)
  }

  @Test func answersFindTheirMessage() throws {
    try bench.take([Bench.message("answer", replyTo: "a")])
    let before = try #require(try bench.named("answer"))
    #expect(before.answers == nil && before.row.replyTo == "a")
    try bench.take([Bench.message("a", at: -5)], isLive: false)
    let after = try #require(try bench.named("answer"))
    #expect(after.answers == MessageID(rawValue: 2) && after.row.revision > before.row.revision)
  }

  // MARK: - Conversations

  @Test func conversationsEnd() throws {
    let other = ChannelID(rawValue: 2)
    try bench.store.begin(other, since: Bench.now)
    let all = [Bench.message("a", "alpha"), Bench.reaction("r", to: "a"), .deleted(networkID: "x", author: "ann")]
    for channel in [Bench.channel, other] { try bench.take(all, channel: channel) }
    try bench.store.note([
      MessageSyncRow(channel: Bench.channel, relay: RelayID(rawValue: 1), completeAt: nil, askedAt: Bench.now)
    ])
    let counters = try bench.store.messageCounters()
    _ = try bench.store.end([Bench.channel, ChannelID(rawValue: 9)])
    #expect(try bench.store.messageCounters() == counters)
    #expect(
      try bench.all(channel: nil).map(\.row.channel) == [other] && Array(bench.store.channelsWithConversation().keys) == [other]
    )
    #expect(try bench.conversation() == nil && bench.search("alpha").count == 1)
    try bench.store.begin(Bench.channel, since: Bench.now)
    #expect(try bench.store.conversation(of: Bench.channel)?.syncs.isEmpty == true)
    try bench.take([Bench.message("a"), Bench.message("x")])
    #expect(try bench.names() == ["a", "x"] && bench.named("a")?.reactions.isEmpty == true)
    #expect(try #require(try bench.named("a")).row.id.rawValue > counters.message)
    try bench.checkWords()
  }

  @Test func freshnessIsNoted() throws {
    func note(_ completeAt: Int64?, _ askedAt: Int64, _ trouble: Trouble? = nil) throws -> [MessageSyncRow]? {
      try bench.store.note([
        MessageSyncRow(
          channel: Bench.channel, relay: RelayID(rawValue: 1), completeAt: completeAt.map(Bench.time),
          askedAt: Bench.time(askedAt), trouble: trouble)
      ])
      return try bench.store.conversation(of: Bench.channel)?.syncs
    }
    func row(_ completeAt: Int64?, _ askedAt: Int64, _ trouble: Trouble? = nil) -> [MessageSyncRow] {
      [
        MessageSyncRow(
          channel: Bench.channel, relay: RelayID(rawValue: 1), completeAt: completeAt.map(Bench.time),
          askedAt: Bench.time(askedAt), trouble: trouble)
      ]
    }
    let trouble = Trouble(.timeout, "no answer")
    #expect(try note(nil, 1, trouble) == row(nil, 1, trouble))
    #expect(try note(2, 2) == row(2, 2))
    #expect(try note(nil, 3, trouble) == row(2, 3, trouble))
    #expect(try note(4, 4) == row(4, 4))
  }

  @Test func numbersGoOnAfterAStart() throws {
    try bench.take([Bench.message("a"), Bench.message("b")])
    let limits = MessageLimits(keepMax: 1)
    try bench.take([Bench.message("c")], at: 1, within: limits)
    let counters = try bench.store.messageCounters()
    _ = try bench.store.end([Bench.channel])
    try bench.reopen()
    #expect(try bench.store.setAside == nil && bench.store.messageCounters() == counters)
    #expect(counters.message == 3)
    let later = try MessageBench(firstID: 5_000)
    try later.take([Bench.message("a")])
    #expect(try later.named("a")?.row.id == MessageID(rawValue: 5_000))
  }
}
