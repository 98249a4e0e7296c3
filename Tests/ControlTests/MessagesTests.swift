import BatonClient
import Channels
import ControlAPI
import Coordinator
import Logging
import RelayNetwork
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// `org.batond.Messages`, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct MessagesTests {
  /// Collects what a watch sends until it has enough.
  static func watch(
    _ bench: Bench, _ request: MessagesWatchRequest, until isDone: ([MessagesWatchReply]) -> Bool
  ) async throws -> [MessagesWatchReply] {
    var replies: [MessagesWatchReply] = []
    for try await reply in try await bench.client.messages.watch(request) {
      replies.append(reply)
      if isDone(replies) { return replies }
    }
    throw Violation("the watch ended too early")
  }

  private static func names(_ messages: [Message]) -> [String] { messages.map { $0.networkId ?? "" } }

  // MARK: - Pages

  @Test func messagesHaveAllThatIsKnownOfThem() async throws {
    let bench = try await Bench.reading()
    let text = "Hello\u{1B}[2J\n\u{202E}you"
    let file = ReadAttachment(url: "https://h.example/f.jpg", mimeType: "image/jpeg", sizeBytes: 12, altText: "a cat")
    let first = ReadMessage(
      networkID: "m1", author: "alice", authorName: "Alice", text: text, createdAt: Bench.time(1), attachments: [file],
      isMention: true)
    let second = ReadMessage(
      networkID: "m2", author: "bob", text: "hi\nthere", createdAt: Timestamp(milliseconds: .max), replyTo: "m1")
    let reaction = ReadReaction(networkID: "r1", target: "m1", author: "bob", text: "+")
    try await bench.hear([.message(first)], at: 2)
    try await bench.hear([.message(second), .reaction(reaction)], from: 2, at: 3)

    let page = try await bench.client.messages.list(MessagesListRequest(channelId: 1))
    try #require(Self.names(page.messages) == ["m2", "m1"])
    let (reply, message) = (page.messages[0], page.messages[1])
    #expect(message.channelId == 1 && message.channelName == "News" && message.network == "nostr")
    #expect(message.author == "alice" && message.authorName == "Alice" && message.text == text)
    #expect(!message.own && message.mention && message.post == nil && message.replyTo == nil)
    #expect(
      message.attachments == [
        MessageAttachment(url: file.url, mimeType: file.mimeType, sizeBytes: 12, altText: file.altText)
      ])
    #expect(message.reactions == [MessageReaction(reaction: "+", count: 1, own: false)] && message.relayIds == [1])
    #expect(message.place == Int(Bench.time(2).milliseconds))
    #expect(message.time == "2023-11-14T22:13:21.000Z" && message.createdAt == message.time)
    #expect(message.receivedAt == "2023-11-14T22:13:22.000Z" && message.editedAt == nil && message.deletedAt == nil)
    #expect(reply.id > message.id && reply.replyTo == Int(message.id) && reply.replyToNetworkId == "m1" && !reply.mention)
    #expect(reply.relayIds == [2])
    // Its author says that it is from a year that no one can read.
    #expect(reply.createdAt == "9999-12-31T23:59:59.999Z" && reply.time == reply.receivedAt)
    #expect(page.revision >= max(message.revision, reply.revision) && !page.hasOlder && !page.hasNewer)

    let conversation = try #require(page.conversation)
    #expect(conversation.channelId == 1 && conversation.channelName == "News")
    #expect(conversation.unread == 2 && conversation.unreadMentions == 1 && conversation.readThrough == 0)
    #expect(conversation.lastMessage == "hi there" && conversation.lastMessageId == reply.id)
    #expect(conversation.lastMessageAt == reply.time)
    #expect(try await bench.client.messages.get(id: message.id) == message)
    #expect(try await bench.client.messages.list().conversation == nil, "it is not asked for one")
    try await bench.stop()
  }

  @Test func listsArePagedAndNarrowed() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    try await bench.hear(["a1", "a2", "a3", "a4", "a5"], from: 1)
    try await bench.hear(["b1"], in: 2, by: "bob", from: 6)
    let ids = try await bench.named().mapValues { Int($0.id) }
    func list(_ request: MessagesListRequest) async throws -> (names: [String], older: Bool, newer: Bool) {
      let page = try await bench.client.messages.list(request)
      return (Self.names(page.messages), page.hasOlder, page.hasNewer)
    }
    #expect(try await list(MessagesListRequest()) == (["b1", "a5", "a4", "a3", "a2", "a1"], false, false))
    #expect(try await list(MessagesListRequest(limit: 2)) == (["b1", "a5"], true, false))
    #expect(try await list(MessagesListRequest(before: ids["a5"], limit: 2)) == (["a4", "a3"], true, true))
    #expect(try await list(MessagesListRequest(after: ids["a1"], limit: 2)) == (["a3", "a2"], true, true))
    #expect(try await list(MessagesListRequest(channelId: 1, around: ids["a3"])).names == ["a5", "a4", "a3", "a2", "a1"])
    #expect(try await list(MessagesListRequest(channelId: 2)) == (["b1"], false, false))
    #expect(try await list(MessagesListRequest(author: "bob")).names == ["b1"])
    #expect(try await list(MessagesListRequest(own: true)).names.isEmpty)
    #expect(try await list(MessagesListRequest(mention: true)).names.isEmpty)
    #expect(try await list(MessagesListRequest(attachments: true)).names.isEmpty)
    #expect(try await list(MessagesListRequest(channelId: 2, own: false, mention: false, attachments: false)).names == ["b1"])
    // What was missed then is where it belongs.
    try await bench.hear([Bench.said("late", at: 2.5)], isLive: false, at: 9)
    #expect(try await list(MessagesListRequest(channelId: 1)).names == ["a5", "a4", "a3", "late", "a2", "a1"])
    // Only its author takes a message back.
    try await bench.hear([.deleted(networkID: "a3", author: "bob"), .deleted(networkID: "a4", author: "alice")], at: 10)
    #expect(try await list(MessagesListRequest(channelId: 1)).names == ["a5", "a3", "late", "a2", "a1"])
    let all = try await bench.client.messages.list(MessagesListRequest(channelId: 1, deleted: true)).messages
    #expect(Self.names(all) == ["a5", "a4", "a3", "late", "a2", "a1"])
    #expect(all.filter { $0.deletedAt != nil }.map(\.text) == [""])
    try await bench.stop()
  }

  @Test func manyKindsOfReactionsDoNotMakeAMessageLarge() async throws {
    let bench = try await Bench.reading()
    let others = (1...200).map { number in
      MessageNews.What.reaction(
        ReadReaction(networkID: "r\(number)", target: "m1", author: "author\(number)", text: "a\(1000 + number)"))
    }
    let own = ReadReaction(networkID: "own", target: "m1", author: "key", text: "zzz", isOwn: true)
    let twice = ["x", "y"].map {
      MessageNews.What.reaction(ReadReaction(networkID: $0, target: "m1", author: $0, text: "often"))
    }
    try await bench.hear([Bench.said("m1", at: 1)] + others + [.reaction(own)] + twice, at: 2)
    let message = try #require(try await bench.named()["m1"])
    #expect(message.reactions.count == 51)
    #expect(message.reactions.first == MessageReaction(reaction: "often", count: 2, own: false))
    #expect(message.reactions.last == MessageReaction(reaction: "zzz", count: 1, own: true))
    try await bench.stop()
  }

  // MARK: - Own posts

  @Test func ownPostsAreMessagesThatShowHowFarTheyAre() async throws {
    let bench = try await Bench.reading()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "We open at nine.")).post
    let early = try await Self.watch(bench, MessagesWatchRequest(since: 0)) { replies in
      replies.last?.message?.post?.shownCount == 1
    }
    let message = try #require(early.last?.message)
    #expect(message.own && message.text == "We open at nine." && message.author == "key" && message.channelName == "News")
    #expect(message.post?.id == post.id && message.post?.phase == "partial" && message.post?.relayCount == 2)
    #expect(message.post?.summary == "Post is on 1 of 2 relays. 1 is on the way.")
    let revision = try #require(early.last?.revision)

    // It gets further while no one looks; nothing about the message itself changes.
    bench.network.giveTurns(at: "ws://r1")
    while try await bench.client.posts.get(id: post.id).post.phase != "published" { await Task.yield() }
    let late = try await Self.watch(bench, MessagesWatchRequest(since: revision)) { replies in
      replies.last?.message?.post?.phase == "published"
    }
    #expect(late.last?.message?.id == message.id && late.last?.message?.post?.shownCount == 2)
    let listed = try await bench.client.messages.list(MessagesListRequest(channelId: 1, own: true)).messages
    #expect(listed.map(\.post?.phase) == ["published"] && listed.map(\.id) == [message.id])

    _ = try await bench.client.posts.delete(id: post.id)
    let gone = try await Self.watch(bench, MessagesWatchRequest(since: 0)) { $0.last?.message?.post?.phase == "deleted" }
    #expect(gone.last?.message?.text == "" && gone.last?.message?.deletedAt != nil)
    #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).messages.isEmpty)
    try await bench.stop()
  }

  // MARK: - Search

  @Test func searchFindsWordsAndSaysWhereTheyAre() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    try await bench.hear([Bench.said("m1", "The quick brown fox", at: 1), Bench.said("m2", "Slow", at: 1)], at: 1)
    try await bench.hear([Bench.said("m3", "QUICK silver", at: 2)], in: 2, at: 2)
    func search(_ text: String, channel: Int64? = nil) async throws -> [String] {
      let request = MessagesSearchRequest(text: text, channelId: channel, newestFirst: true)
      return Self.names(try await bench.client.messages.search(request).hits.map(\.message))
    }
    #expect(try await search("quick") == ["m3", "m1"])
    #expect(try await search("qui*") == ["m3", "m1"])
    #expect(try await search("quick", channel: 1) == ["m1"])
    #expect(try await search(#""quick brown""#) == ["m1"])
    #expect(try await search("brown quick") == ["m1"])
    #expect(try await search("quick slow").isEmpty)
    let best = try await bench.client.messages.search(MessagesSearchRequest(text: "quick"))
    #expect(Set(best.hits.map(\.message.networkId)) == ["m1", "m3"] && !best.hasMore)
    for hit in best.hits {
      #expect(hit.excerpt.filter(\.hit).map { $0.text.lowercased() } == ["quick"])
      #expect(hit.message.text.contains(hit.excerpt.map(\.text).joined()))
      #expect(hit.message.channelName == (hit.message.channelId == 1 ? "News" : "Sports"))
    }
    let first = try await bench.client.messages.search(MessagesSearchRequest(text: "quick", newestFirst: true, limit: 1))
    #expect(Self.names(first.hits.map(\.message)) == ["m3"] && first.hasMore)
    let second = try await bench.client.messages.search(
      MessagesSearchRequest(text: "quick", newestFirst: true, offset: 1, limit: 1))
    #expect(Self.names(second.hits.map(\.message)) == ["m1"] && !second.hasMore)
    try await bench.stop()
  }

  /// A client goes on behind the hits that it got.
  @Test func pageOfLargeHitsIsCutAndNoneIsLost() async throws {
    let bench = try await Bench.reading()
    let text = "word " + String(repeating: "x", count: ReadMessage.textMax - 5)
    for number in 1...20 { try await bench.hear([Bench.said("m\(number)", text, at: Double(number))], at: Double(number)) }
    var (found, pages, hasMore) = ([String](), 0, true)
    while hasMore {
      let request = MessagesSearchRequest(text: "word", newestFirst: true, offset: found.count, limit: 20)
      let page = try await bench.client.messages.search(request)
      try #require(!page.hits.isEmpty)
      found += Self.names(page.hits.map(\.message))
      (pages, hasMore) = (pages + 1, page.hasMore)
    }
    #expect(pages > 1 && found == (1...20).reversed().map { "m\($0)" })
    try await bench.stop()
  }

  // MARK: - Conversations

  @Test func inboxHasTheLastMessageFirst() async throws {
    let bench = try await Bench.reading(["A", "B", "C", "Quiet"])
    for (channel, second) in [(1, 3.0), (2, 5.0), (3, 4.0)] as [(Int64, Double)] {
      try await bench.hear(["m\(channel)"], in: channel, from: second)
    }
    var (names, request, pages) = ([String](), MessagesInboxRequest(limit: 2), 0)
    repeat {
      let page = try await bench.client.messages.inbox(request)
      names += page.conversations.map(\.channelName)
      (request.cursor, pages) = (page.nextCursor, pages + 1)
    } while request.cursor != nil
    #expect(names == ["B", "C", "A"] && pages == 2)
    // A page that holds just all of them is the last one.
    #expect(try await bench.client.messages.inbox(MessagesInboxRequest(limit: 3)).nextCursor == nil)
    _ = try await bench.client.messages.markRead(channelId: 3)
    let unread = try await bench.client.messages.inbox(MessagesInboxRequest(unread: true)).conversations
    #expect(unread.map(\.channelName) == ["B", "A"] && unread.map(\.lastMessage) == ["m2", "m1"])
    for cursor in ["", "x", "1", "1.2.3", "1.", ".1", "01.1", "+1.1", "1.1 ", "9223372036854775808.1"] {
      await #expect(throws: VarlinkError.invalidParameter("cursor"), "\(cursor)") {
        try await bench.client.messages.inbox(MessagesInboxRequest(cursor: cursor))
      }
    }
    try await bench.stop()
  }

  @Test func unreadMessagesAreThoseBehindTheMark() async throws {
    let log = RecordingLog()
    let bench = try await Bench(readsMessages: true, logger: log.logger)
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    try await bench.begin(1)
    try await bench.hear([Bench.said("old", at: 0)], isLive: false, at: 0)
    try await bench.hear(["m1", "m2"], from: 1)
    try await bench.hear([Bench.said("m3", at: 3, isMention: true)], at: 3)
    try await bench.hear(["m4"], from: 4)
    let ids = try await bench.named().mapValues(\.id)
    func marked(_ name: String?) async throws -> [Int] {
      let request = MessagesMarkReadRequest(channelId: 1, through: name.flatMap { ids[$0] }.map { Int($0) })
      let conversation = try await bench.client.messages.markRead(request)
      #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).conversation == conversation)
      #expect(conversation.lastMessage == "m4" && conversation.channelName == "News")
      return [conversation.unread, conversation.unreadMentions]
    }
    #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).conversation?.unread == 4)
    #expect(try await marked("m2") == [2, 1])
    #expect(try await marked("m1") == [2, 1], "what was read stays read")
    #expect(try await marked(nil) == [0, 0])
    let again = try await bench.client.messages.markUnread(id: try #require(ids["m3"]))
    #expect(again.unread == 2 && again.unreadMentions == 1)
    let (before, first) = (try #require(ids["m2"]), try #require(ids["m3"]))
    #expect((Int(before)..<Int(first)).contains(again.readThrough))
    // Whoever looks at messages does not fill the journal.
    #expect(!log.entries.contains { $0.message.contains("Mark") && $0.level >= .info })
    try await bench.stop()
  }

  @Test func syncSaysWhichRelaysWereRead() async throws {
    let log = RecordingLog()
    let bench = try await Bench(readsMessages: true, logger: log.logger)
    _ = try await bench.addRelays(2)
    _ = try await bench.create("News")
    try await bench.begin(1)
    let channel = ChannelID(rawValue: 1)
    func sync(_ second: MessageSync) async throws -> MessagesSyncReply {
      let reports = Task {
        // The relays answer until no one asks any more.
        while !Task.isCancelled {
          bench.network.send(.synced(channel: channel, relay: RelayID(rawValue: 1), .complete))
          bench.network.send(.synced(channel: channel, relay: RelayID(rawValue: 2), second))
          try? await bench.settleMessages()
        }
      }
      let reply = try await bench.client.messages.sync(channelId: 1, timeout: 300)
      reports.cancel()
      await reports.value
      return reply
    }
    let failed = try await sync(.failed(Trouble(.unreachable, "connection refused")))
    #expect(!failed.complete && failed.conversation.relays.map(\.relayId) == [1, 2])
    #expect(failed.conversation.relays.map(\.cause) == [nil, "unreachable"])
    #expect(failed.conversation.relays.map { $0.syncedAt != nil } == [true, false])
    #expect(failed.conversation.relays.last?.detail == "connection refused")
    let complete = try await sync(.complete)
    #expect(complete.complete && complete.conversation.relays.allSatisfy { $0.syncedAt != nil && $0.cause == nil })
    let lines = log.entries.map(\.message)
    #expect(lines.count { $0.hasPrefix("\(MessagesMethod.sync.rawValue) of channel 1 by uid ") } == 2)
    try await bench.stop()
  }

  @Test func searchAtRelaysSaysWhatEachDid() async throws {
    let bench = try await Bench(readsMessages: true)
    _ = try await bench.addRelays(3)
    _ = try await bench.create("News")
    try await bench.begin(1)
    let channel = ChannelID(rawValue: 1)
    let asked = Task { try await bench.client.messages.searchRelays(channelId: 1, text: "bridge") }
    while bench.network.following.searches.isEmpty { await Task.yield() }
    let number = try #require(bench.network.following.searches.first?.number)
    let outcomes: [RelaySearchOutcome] = [.notOffered, .complete, .failed(Trouble(.rejected, "no searches"))]
    for (relay, outcome) in zip(Int64(1)..., outcomes) {
      bench.network.send(.searched(channel: channel, relay: RelayID(rawValue: relay), number: number, outcome))
    }
    let relays = try await asked.value
    #expect(relays.map(\.relayId) == [1, 2, 3] && relays.allSatisfy { !$0.relayName.isEmpty })
    #expect(relays.map(\.outcome) == ["notOffered", "searched", "failed"])
    #expect(relays.map(\.cause) == [nil, nil, "rejected"] && relays.map(\.detail) == [nil, nil, "no searches"])
    for (request, name) in [
      (MessagesSearchRelaysRequest(channelId: 1, text: "…"), "InvalidSearch"),
      (MessagesSearchRelaysRequest(channelId: 9, text: "bridge"), "NoSuchChannel"),
    ] {
      let error = await #expect(throws: VarlinkError.self) { try await bench.client.messages.searchRelays(request) }
      #expect(error?.name == "org.batond.Messages." + name)
    }
    for timeout in [0, 301] {
      let error = await #expect(throws: VarlinkError.self) {
        try await bench.client.messages.searchRelays(channelId: 1, text: "bridge", timeout: timeout)
      }
      #expect(error == .invalidParameter("timeout"))
    }
    try await bench.stop()
  }
}
