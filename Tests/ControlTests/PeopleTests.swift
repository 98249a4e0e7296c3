import BatonClient
import Channels
import ControlAPI
import RelayNetwork
import Storage
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// `org.batond.People`, and messages that are hidden, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct PeopleTests {
  /// What alice and bob say: alice's messages 1 and 2 in the first channel and 4 in the second, and bob's message 3 in the first.
  private static func bench() async throws -> Bench {
    let bench = try await Bench.reading(["News", "Other"])
    try await bench.hear(["a1", "a2"], by: "alice", from: 10)
    try await bench.hear(["b1"], by: "bob", from: 200)
    try await bench.hear(["a3"], in: 2, by: "alice", from: 20)
    return bench
  }

  private static func texts(_ bench: Bench, _ request: MessagesListRequest = MessagesListRequest()) async throws -> [String] {
    try await bench.client.messages.list(request).messages.map(\.text)
  }

  // MARK: - Hidden messages

  @Test func hiddenMessageIsLeftOutUntilItIsShownAgain() async throws {
    let bench = try await Self.bench()
    let hidden = try await bench.client.messages.setHidden(id: 3, hidden: true)
    #expect(hidden.hidden && hidden.text == "b1")
    #expect(try await Self.texts(bench) == ["a3", "a2", "a1"])
    #expect(try await Self.texts(bench, MessagesListRequest(hidden: true)) == ["b1"])
    #expect(try await bench.client.messages.search(MessagesSearchRequest(text: "b1")).hits.isEmpty)
    let inbox = try await bench.client.messages.inbox().conversations.first { $0.channelId == 1 }
    #expect(inbox?.unread == 2 && inbox?.lastMessage == "a2")
    let channel = try await bench.client.channels.get(id: 1)
    #expect(channel.unread == 2 && channel.lastMessage == "a2")
    #expect(try await bench.client.messages.get(id: 3).hidden, "whoever names it sees it")

    let shown = try await bench.client.messages.setHidden(id: 3, hidden: false)
    #expect(!shown.hidden && shown.revision > hidden.revision)
    #expect(try await Self.texts(bench) == ["b1", "a3", "a2", "a1"])
    #expect(try await bench.client.messages.search(MessagesSearchRequest(text: "b1")).hits.map(\.message.id) == [3])
    #expect(try await bench.client.channels.get(id: 1).unread == 3)
    try await bench.stop()
  }

  // MARK: - Pinned messages

  @Test func pinnedMessagesAreListed() async throws {
    let bench = try await Self.bench()
    for id in [1, 3] as [Int64] {
      #expect(try await bench.client.messages.setPinned(id: id, pinned: true).pinned)
    }
    #expect(try await Self.texts(bench, MessagesListRequest(channelId: 1, pinned: true)) == ["b1", "a1"])
    #expect(try await Self.texts(bench, MessagesListRequest(channelId: 2, pinned: true)).isEmpty)
    #expect(try await !bench.client.messages.setPinned(id: 3, pinned: false).pinned)
    #expect(try await Self.texts(bench, MessagesListRequest(channelId: 1, pinned: true)) == ["a1"])
    await #expect(throws: MessagesRefusal.noSuchMessage(id: 99).error) {
      _ = try await bench.client.messages.list(MessagesListRequest(answersTo: 99))
    }
    #expect(try await Self.texts(bench, MessagesListRequest(answersTo: 1)).isEmpty)
    await #expect(throws: VarlinkError.invalidParameter("pinned")) {
      _ = try await bench.client.messages.list(MessagesListRequest(pinned: true))
    }
    try await bench.hear([.deleted(networkID: "b1", author: nil)], in: 1, at: 400)
    let gone = MessagesRefusal.invalidMessage(id: 3, reason: "it was deleted, so nothing of it is shown").error
    await #expect(throws: gone) { _ = try await bench.client.messages.setPinned(id: 3, pinned: true) }
    await #expect(throws: MessagesRefusal.noSuchMessage(id: 99).error) {
      _ = try await bench.client.messages.setPinned(id: 99, pinned: true)
    }
    try await bench.stop()
  }

  @Test func onlyAHundredMessagesOfAChannelArePinned() async throws {
    let bench = try await Bench.reading(["News"])
    try await bench.hear((1...101).map { "m\($0)" }, by: "ann", from: 100)
    for id in 1...100 as ClosedRange<Int64> {
      _ = try await bench.client.messages.setPinned(id: id, pinned: true)
    }
    let reason = "100 messages of its channel are pinned. Unpin one of them first"
    await #expect(throws: MessagesRefusal.invalidMessage(id: 101, reason: reason).error) {
      _ = try await bench.client.messages.setPinned(id: 101, pinned: true)
    }
    _ = try await bench.client.messages.setPinned(id: 7, pinned: false)
    #expect(try await bench.client.messages.setPinned(id: 101, pinned: true).pinned)
    try await bench.stop()
  }

  @Test func watchersLearnThatAMessageIsHidden() async throws {
    let bench = try await Self.bench()
    let revision = try await bench.client.messages.list().revision
    async let change: Message? = {
      for try await reply in try await bench.client.messages.watch(since: revision) {
        if let message = reply.message { return message }
      }
      return nil
    }()
    _ = try await bench.client.messages.setHidden(id: 1, hidden: true)
    let message = try await change
    #expect(message?.id == 1 && message?.hidden == true)
    try await bench.stop()
  }

  @Test func liveMessagesDoWithoutWhatIsHidden() async throws {
    let bench = try await Self.bench()
    let live = LiveMessages(channelID: 1, socket: bench.path)
    await live.start()
    func wait(for texts: [String]) async {
      for await _ in live.events where await live.elements.map(\.text) == texts { return }
    }
    await wait(for: ["b1", "a2", "a1"])
    _ = try await bench.client.messages.setHidden(id: 2, hidden: true)
    await wait(for: ["b1", "a1"])
    _ = try await bench.client.people.setMuted(author: "alice", muted: true)
    await wait(for: ["b1"])
    _ = try await bench.client.people.setMuted(author: "alice", muted: false)
    await wait(for: ["b1", "a1"])
    await live.stop()
    try await bench.stop()
  }

  @Test func ownPostsAndDeletedMessagesAreNotHidden() async throws {
    let bench = try await Self.bench()
    let post = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "news")).post
    try await bench.settleMessages()
    let own = try #require(try await bench.named()[post.networkId])
    try await bench.hear([.deleted(networkID: "b1", author: "bob")], at: 300)
    let refusals: [(Int64, String)] = [
      (own.id, "it is Baton's own post. Delete the post"), (3, "it was deleted, so nothing of it is shown"),
    ]
    for (id, reason) in refusals {
      await #expect(throws: MessagesRefusal.invalidMessage(id: id, reason: reason).error) {
        _ = try await bench.client.messages.setHidden(id: id, hidden: true)
      }
    }
    await #expect(throws: MessagesRefusal.noSuchMessage(id: 99).error) {
      _ = try await bench.client.messages.setHidden(id: 99, hidden: true)
    }
    try await bench.stop()
  }

  // MARK: - People

  @Test func peopleAreThoseWhoWroteTheLatestFirst() async throws {
    let bench = try await Self.bench()
    let people = try await bench.client.people.list().people
    #expect(people.map(\.author) == ["bob", "alice"])
    let alice = try #require(people.last)
    #expect(alice.messages == 3 && alice.channelIds == [1, 2] && alice.lastMessageId == 4 && !alice.muted)
    #expect(alice.lastMessageAt == Bench.time(20).text && alice.network == "nostr" && alice.name == nil)
    let inOther = try await bench.client.people.list(PeopleListRequest(channelId: 2)).people
    #expect(inOther.map(\.author) == ["alice"] && inOther.map(\.messages) == [1])
    #expect(try await bench.client.people.get(author: "bob").lastMessageId == 3)
    // A post of ours is no one's.
    _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "news"))
    try await bench.settleMessages()
    #expect(try await bench.client.people.list().people.count == 2)
    try await bench.stop()
  }

  @Test func peopleAreFoundByNameAndListedInPages() async throws {
    let bench = try await Self.bench()
    for (index, name) in ["Ada", "Adele", "José"].enumerated() {
      let said = ReadMessage(
        networkID: "n\(index)", author: "key\(index)", authorName: name, text: "hi", createdAt: Bench.time(Double(index)))
      try await bench.hear([.message(said)], at: Double(index))
    }
    func found(_ text: String) async throws -> [String?] {
      try await bench.client.people.list(PeopleListRequest(text: text)).people.map(\.name)
    }
    #expect(try await Set(found("AD")) == ["Ada", "Adele"])
    for text in ["jose", "key2"] { #expect(try await found(text) == ["José"]) }
    #expect(try await found("nobody").isEmpty)
    #expect(try await bench.client.people.list(PeopleListRequest(text: "npub of bob")).people.map(\.author) == ["bob"])
    var (authors, request) = ([String](), PeopleListRequest(limit: 2))
    repeat {
      let page = try await bench.client.people.list(request)
      authors += page.people.map(\.author)
      request.cursor = page.nextCursor
    } while request.cursor != nil
    #expect(authors.count == 5 && Set(authors).count == 5 && authors.first == "bob")
    try await bench.stop()
  }

  @Test func everythingOfSomebodyWhoIsMutedIsHidden() async throws {
    let bench = try await Self.bench()
    _ = try await bench.client.messages.setHidden(id: 1, hidden: true)
    let muted = try await bench.client.people.setMuted(author: "alice", muted: true)
    #expect(muted.muted && muted.mutedAt != nil && muted.messages == 3)
    #expect(try await Self.texts(bench) == ["b1"])
    try await bench.hear(["a4"], by: "alice", from: 400)
    #expect(try await Self.texts(bench) == ["b1"])
    #expect(try await Self.texts(bench, MessagesListRequest(hidden: true)) == ["a4", "a3", "a2", "a1"])
    #expect(try await bench.client.messages.inbox().conversations.map(\.unread) == [1])
    #expect(try await bench.client.people.list(PeopleListRequest(muted: true)).people.map(\.author) == ["alice"])
    #expect(try await bench.client.people.list(PeopleListRequest(muted: false)).people.map(\.author) == ["bob"])
    let stays = try await bench.client.messages.setHidden(id: 2, hidden: false)
    #expect(stays.hidden, "its author is muted")

    #expect(try await !bench.client.people.setMuted(author: "alice", muted: false).muted)
    #expect(try await Self.texts(bench) == ["a4", "b1", "a3", "a2"], "what was hidden by itself stays hidden")
    #expect(try await bench.client.channels.get(id: 1).unread == 3)
    try await bench.stop()
  }

  @Test func somebodyCanBeMutedBeforeTheyWrite() async throws {
    let bench = try await Self.bench()
    let muted = try await bench.client.people.setMuted(author: "npub of eve", muted: true)
    #expect(muted.author == "eve" && muted.messages == 0 && muted.network == nil && muted.muted)
    try await bench.hear(["e1"], by: "eve", from: 500)
    #expect(try await !Self.texts(bench).contains("e1"))
    #expect(try await bench.client.people.get(author: "npub of eve").messages == 1)
    #expect(try await !bench.client.people.setMuted(author: "eve", muted: false).muted)
    #expect(try await Self.texts(bench).first == "e1")
    try await bench.stop()
  }

  private static let refusals: [(PeopleMethod, JSONValue, VarlinkError)] = [
    (.get, ["author": "carol"], PeopleRefusal.noSuchPerson(author: "carol").error),
    (.setMuted, ["author": "carol", "muted": true], PeopleRefusal.noSuchPerson(author: "carol").error),
    (.setMuted, ["author": "carol"], .invalidParameter("muted")), (.get, [:], .invalidParameter("author")),
    (.list, ["channelId": 9], PeopleRefusal.noSuchChannel(id: 9, name: nil).error),
    (.list, ["limit": 0], .invalidParameter("limit")), (.list, ["limit": 101], .invalidParameter("limit")),
    (.list, ["text": ""], .invalidParameter("text")), (.list, ["cursor": "x"], .invalidParameter("cursor")),
    (.list, ["text": .string(String(repeating: "a", count: 1_001))], .invalidParameter("text")),
  ]

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Self.bench()
    for (method, parameters, refusal) in Self.refusals {
      await #expect(throws: refusal, "\(method): \(parameters)") {
        try await bench.client.call(method, parameters.object ?? [:])
      }
    }
    try await bench.stop()
  }

  @Test func nobodyIsKnownWhereNoMessagesAreRead() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    #expect(try await bench.client.people.list().people.isEmpty)
    await #expect(throws: PeopleRefusal.notFollowed(id: 1).error) {
      _ = try await bench.client.people.list(PeopleListRequest(channelId: 1))
    }
    await #expect(throws: PeopleRefusal.notFollowed(id: nil).error) {
      _ = try await bench.client.people.setMuted(author: "alice", muted: true)
    }
    try await bench.stop()
  }
}
