import BatonClient
import Channels
import ControlAPI
import Coordinator
import Sentences
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Changes of messages as clients follow them, and requests about messages that are refused.
@Suite(.timeLimit(.minutes(10)))
struct MessageWatchTests {
  /// What a client knows that has seen these replies.
  private struct Known: Equatable {
    var messages: [Int64: Message] = [:]
    var conversations: [Int64: Conversation] = [:]

    init(_ replies: some Sequence<MessagesWatchReply>) {
      for reply in replies {
        if let message = reply.message { messages[message.id] = message }
        if let conversation = reply.conversation { conversations[conversation.channelId] = conversation }
      }
    }
  }

  @Test func watchSendsMessagesAndConversationsAsTheyChange() async throws {
    let bench = try await Bench.reading()
    var steps = 0
    var replies: [MessagesWatchReply] = []
    for try await reply in try await bench.client.messages.watch() {
      replies.append(reply)
      // Each step is done once the one before was seen as a whole.
      let (message, conversation) = (Known(replies).messages.values.first, Known(replies).conversations[1])
      switch steps {
      case 0:
        #expect(reply.message == nil && reply.conversation == nil, "the first reply says where it begins")
        try await bench.hear(["m1"], from: 1)
        steps += 1
      case 1 where message?.text == "m1" && conversation?.unread == 1:
        #expect(conversation?.lastMessage == "m1" && conversation?.channelName == "News")
        try await bench.hear([.edited(networkID: "m1", text: "better")], at: 2)
        steps += 1
      case 2 where message?.text == "better":
        #expect(message?.editedAt == "2023-11-14T22:13:22.000Z")
        try await bench.hear([.deleted(networkID: "m1", author: "alice")], at: 3)
        steps += 1
      case 3 where message?.deletedAt != nil && conversation?.unread == 0:
        #expect(message?.text == "" && conversation?.lastMessage == nil && conversation?.lastMessageId == nil)
        steps += 1
      default: break
      }
      if steps == 4 { break }
    }
    #expect(steps == 4)
    #expect(zip(replies, replies.dropFirst()).allSatisfy { $0.revision <= $1.revision })
    try await bench.stop()
  }

  /// A client that goes on from the revision of any reply knows in the end what a new one is told.
  @Test func watchGoesOnFromAnyRevisionWithoutLoss() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    for number in 1...30 {
      try await bench.hear(["m\(number)"], in: Int64(1 + number % 2), from: Double(number))
      if number % 5 == 0 { try await bench.hear([.deleted(networkID: "m\(number - 3)", author: nil)], at: Double(number)) }
    }
    try await bench.settleMessages()
    let newest = try await bench.client.messages.list().revision
    func all(since revision: Int64, channels: [Int64]? = nil) async throws -> [MessagesWatchReply] {
      try await MessagesTests.watch(bench, MessagesWatchRequest(channelIds: channels, since: revision)) {
        $0.last?.revision == newest
      }
    }
    let replies = try await all(since: 0)
    let known = Known(replies)
    #expect(known.messages.count == 30 && known.conversations.count == 2)
    for (index, reply) in replies.enumerated() where index % 7 == 0 && reply.revision < newest {
      #expect(Known(replies[...index] + (try await all(since: reply.revision))) == known, "from \(reply.revision)")
    }
    let some = try await all(since: 0, channels: [2])
    #expect(Known(some).messages == known.messages.filter { $0.value.channelId == 2 })
    #expect(Array(Known(some).conversations.keys) == [2] && some.last?.revision == newest)
    try await bench.stop()
  }

  private static let refusals: [(MessagesMethod, JSONValue, VarlinkError)] = [
    (.list, ["channelId": 9], MessagesRefusal.noSuchChannel(id: 9, name: nil).error),
    (.list, ["limit": 0], .invalidParameter("limit")), (.list, ["limit": 101], .invalidParameter("limit")),
    (.list, ["before": 1, "after": 1], .invalidParameter("after")),
    (.list, ["after": 1, "around": 1], .invalidParameter("around")),
    (.list, ["before": 99], MessagesRefusal.noSuchMessage(id: 99).error),
    (.list, ["channelId": 1, "after": 99], MessagesRefusal.noSuchMessage(id: 99).error),
    (.list, ["around": 99], MessagesRefusal.noSuchMessage(id: 99).error),
    (.get, ["id": 99], MessagesRefusal.noSuchMessage(id: 99).error), (.get, [:], .invalidParameter("id")),
    (.search, ["text": "a", "channelId": 9], MessagesRefusal.noSuchChannel(id: 9, name: nil).error),
    (.search, ["text": "a", "limit": 0], .invalidParameter("limit")),
    (.search, ["text": "a", "limit": 101], .invalidParameter("limit")),
    (.search, ["text": "a", "offset": -1], .invalidParameter("offset")),
    (.search, ["text": "a", "offset": 10_001], .invalidParameter("offset")),
    (.inbox, ["limit": 0], .invalidParameter("limit")), (.inbox, ["limit": 101], .invalidParameter("limit")),
    (.markRead, ["channelId": 9], MessagesRefusal.noSuchChannel(id: 9, name: nil).error),
    (.markRead, ["channelId": 1, "through": 99], MessagesRefusal.noSuchMessage(id: 99).error),
    (.markUnread, ["id": 99], MessagesRefusal.noSuchMessage(id: 99).error),
    (.sync, ["channelId": 9], MessagesRefusal.noSuchChannel(id: 9, name: nil).error),
    (.sync, ["channelId": 1, "timeout": 0], .invalidParameter("timeout")),
    (.sync, ["channelId": 1, "timeout": 301], .invalidParameter("timeout")),
  ]

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    try await bench.hear(["m1"], from: 1)
    for (method, parameters, refusal) in Self.refusals {
      await #expect(throws: refusal, "\(method): \(parameters)") {
        try await bench.client.call(method, parameters.object ?? [:])
      }
    }
    // It is a message of another channel.
    let id = try #require(try await bench.named()["m1"]).id
    await #expect(throws: MessagesRefusal.noSuchMessage(id: id).error) {
      try await bench.client.messages.markRead(channelId: 2, through: Int(id))
    }
    for since in [-1, 1 << 40] as [Int64] {
      await #expect(throws: VarlinkError.invalidParameter("since")) {
        for try await _ in try await bench.client.messages.watch(since: since) {}
      }
    }
    try await bench.stop()
  }

  @Test(arguments: ["", " ", "*", "\"\"", "-:(^", "🙂", String(repeating: "a", count: 1_001)])
  func wordsThatCannotBeSearchedAreRefused(_ text: String) async throws {
    let bench = try await Bench.reading()
    let error = await #expect(throws: VarlinkError.self) {
      try await bench.client.messages.search(MessagesSearchRequest(text: text))
    }
    #expect(error?.name == MessagesRefusal.invalidSearch(reason: "").error.name)
    #expect(error?.sentence.text.hasPrefix("invalid search: ") == true)
    try await bench.stop()
  }

  @Test(arguments: ["7", "ß", "日本", "ⅷ", String(repeating: "a", count: 1_000)])
  func wordsOfAnyScriptAreSearched(_ text: String) async throws {
    let bench = try await Bench.reading()
    #expect(try await bench.client.messages.search(MessagesSearchRequest(text: text)).hits.isEmpty)
    try await bench.stop()
  }

  /// The daemon publishes, and reads nothing.
  @Test func daemonThatReadsNothingHasNoMessages() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    let client = bench.client
    #expect(try await client.messages.list() == MessagesListReply(messages: [], hasOlder: false, hasNewer: false, revision: 0))
    #expect(try await client.messages.search(MessagesSearchRequest(text: "a")) == MessagesSearchReply(hits: [], hasMore: false))
    #expect(try await client.messages.inbox() == MessagesInboxReply(conversations: []))
    let notFollowed: [(MessagesMethod, JSONValue)] = [
      (.list, ["channelId": 1]), (.search, ["channelId": 1, "text": "a"]), (.markRead, ["channelId": 1]),
      (.sync, ["channelId": 1]),
    ]
    for (method, parameters) in notFollowed {
      await #expect(throws: MessagesRefusal.notFollowed(id: 1).error, "\(method)") {
        try await client.call(method, parameters.object ?? [:])
      }
    }
    let unknown: [(MessagesMethod, JSONValue)] = [(.get, ["id": 1]), (.markUnread, ["id": 1]), (.list, ["around": 1])]
    for (method, parameters) in unknown {
      await #expect(throws: MessagesRefusal.noSuchMessage(id: 1).error, "\(method)") {
        try await client.call(method, parameters.object ?? [:])
      }
    }
    for try await reply in try await client.messages.watch() {
      #expect(reply == MessagesWatchReply(revision: 0))
      break
    }
    await #expect(throws: VarlinkError.invalidParameter("since")) {
      for try await _ in try await client.messages.watch(since: 1) {}
    }
    try await bench.stop()
  }

  @Test func messagesThatCannotBeReadAreNamed() async throws {
    let bench = try await Bench.reading()
    try await bench.hear(["m1"], from: 1)
    bench.messages?.close()
    let error = await #expect(throws: VarlinkError.self) { try await bench.client.messages.list() }
    #expect(error?.name == MessagesRefusal.storageUnavailable(reason: "").error.name)
    #expect(try await bench.client.channels.get(id: 1).profile.displayName == "News", "channels have a database of their own")
    try await bench.stop()
  }
}
