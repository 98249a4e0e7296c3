import BatonClient
import Channels
import ControlAPI
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Answers to messages of others, reactions to them and their removal, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct PostAboutTests {
  /// The channels 1 and 2 with what alice says in the first: messages 1 and 2.
  private static func bench() async throws -> Bench {
    let bench = try await Bench.reading(["News", "Other"])
    try await bench.hear(["m1", "m2"], from: 1)
    return bench
  }

  @Test func answerIsAPostAndAMessageThatAnswers() async throws {
    let bench = try await Self.bench()
    let request = PostsPublishRequest(channelId: 1, text: "So do we.", replyToMessage: 2)
    var latest: Post?
    for try await reply in try await bench.client.posts.publishAndFollow(request) { latest = reply.post }
    let post = try #require(latest)
    #expect(post.about == AboutMessage(act: "answer", networkId: "m2", author: "alice") && post.replyTo == nil)
    #expect(post.phase == "published" && post.reactionTo == nil)
    #expect(
      try bench.store.post(PostID(rawValue: post.id))?.row.document.text
        == "So do we. | answers m2 at ws://r1, written at \(Bench.time(2).milliseconds)")
    try await bench.settleMessages()
    let own = try #require(try await bench.named()[post.networkId])
    #expect(own.own && own.replyTo == 2 && own.replyToNetworkId == "m2" && own.post?.id == post.id, "\(own)")
    #expect(try await bench.client.posts.list(PostsListRequest()).posts.map(\.id) == [post.id])

    // The message that the post is stands for the post.
    let next = try await bench.client.posts.publish(
      PostsPublishRequest(channelId: 1, text: "And they.", replyToMessage: Int(own.id)))
    #expect(next.post.replyTo == Int(post.id) && next.post.about == nil)
    let liked = try await bench.client.posts.react(PostsReactRequest(reaction: "+", messageId: own.id))
    #expect(liked.post.reactionTo == Int(post.id) && liked.post.about == nil)
    try await bench.stop()
  }

  @Test func answerIsHeardByThoseWhomTheMessageNames() async throws {
    let bench = try await Self.bench()
    let message = ReadMessage(
      networkID: "m3", author: "alice", text: "hi", createdAt: Bench.time(3), participants: ["bob", "carol"])
    try await bench.hear([.message(message)], at: 3)
    let id = try #require(try await bench.named()["m3"]?.id)
    let post = try await bench.client.posts.publish(
      PostsPublishRequest(channelId: 1, text: "Hi.", replyToMessage: Int(id))
    ).post
    #expect(try bench.store.post(PostID(rawValue: post.id))?.row.document.text.hasSuffix(", heard by bob and carol") == true)
    try await bench.stop()
  }

  @Test func reactionToAMessageIsMadeOnceAndCounted() async throws {
    let bench = try await Self.bench()
    let request = PostsReactRequest(reaction: "+", messageId: 1)
    var made: PostsReactReply?
    for try await reply in try await bench.client.posts.reactAndFollow(request) { made = reply }
    #expect(made?.isNew == true && made?.post.about == AboutMessage(act: "reaction", networkId: "m1", author: "alice"))
    #expect(made?.post.text == "+" && made?.post.phase == "published")
    #expect(try await !bench.client.posts.react(request).isNew)
    try await bench.settleMessages()
    #expect(try await bench.named()["m1"]?.reactions == [MessageReaction(reaction: "+", count: 1, own: true)])
    func ids(_ request: PostsListRequest) async throws -> [Int64] { try await bench.client.posts.list(request).posts.map(\.id) }
    #expect(try await ids(PostsListRequest()).isEmpty)
    #expect(try await ids(PostsListRequest(reactions: true)) == [1])
    _ = try await bench.client.posts.delete(id: 1)
    try await bench.settleMessages()
    #expect(try await bench.named()["m1"]?.reactions.isEmpty == true)
    try await bench.stop()
  }

  /// Whoever lost an answer asks again, whatever became of the message since.
  @Test func sameKeyGivesTheSamePostThoughTheMessageIsGone() async throws {
    let bench = try await Self.bench()
    let answer = PostsPublishRequest(channelId: 1, text: "So do we.", idempotencyKey: "k", replyToMessage: 2)
    let reaction = PostsReactRequest(reaction: "+", messageId: 2)
    let (first, liked) = (try await bench.client.posts.publish(answer), try await bench.client.posts.react(reaction))
    try await bench.hear([.deleted(networkID: "m2", author: "alice")], at: 50)
    #expect(try await bench.client.posts.publish(answer).post.id == first.post.id)
    #expect(try await bench.client.posts.react(reaction).post.id == liked.post.id)
    var other = answer
    other.text = "So don't we."
    await #expect(throws: PostsRefusal.idempotencyKeyReused(id: first.post.id, deleted: false).error) {
      _ = try await bench.client.posts.publish(other)
    }
    (other.text, other.idempotencyKey) = ("new", "new")
    await #expect(throws: Self.invalid("replyToMessage", "message 2 was deleted. Name another")) {
      _ = try await bench.client.posts.publish(other)
    }
    // The number of a message that is not known any more.
    _ = try await bench.client.channels.setHidden(id: 1, hidden: true, clearHistory: true)
    #expect(try await bench.client.posts.publish(answer).post.id == first.post.id)
    await #expect(throws: Self.invalid("replyToMessage", "there is no message 2. See batonctl messages")) {
      _ = try await bench.client.posts.publish(other)
    }
    try await bench.stop()
  }

  /// A channel cannot remove what others wrote, and its own posts it can.
  @Test func removalOfAnOwnMessageIsTheDeletionOfThePost() async throws {
    let bench = try await Self.bench()
    let post = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "Oops")).post
    try await bench.settleMessages()
    let message = try #require(try await bench.named()[post.networkId])
    let removed = try await bench.client.posts.remove(messageId: message.id)
    #expect(removed.post.id == post.id && !removed.isNew && removed.post.deletedAt != nil)
    await #expect(throws: PostsRefusal.notSupported(network: "nostr", reason: "only groups remove what others wrote").error) {
      _ = try await bench.client.posts.remove(messageId: 1)
    }
    try await bench.stop()
  }

  @Test func reportIsFollowedAndListedAmongReactions() async throws {
    let bench = try await Self.bench()
    let request = PostsReportRequest(messageId: 1, category: "malware", text: "a link")
    var made: PostsReportReply?
    for try await reply in try await bench.client.posts.reportAndFollow(request) { made = reply }
    #expect(made?.isNew == true && made?.post.phase == "published" && made?.post.text == "malware: a link")
    #expect(made?.post.about == AboutMessage(act: "report", networkId: "m1", author: "alice"))
    #expect(try await bench.client.posts.list().posts.isEmpty)
    #expect(try await bench.client.posts.list(PostsListRequest(reactions: true)).posts.map(\.id) == [1])
    try await bench.settleMessages()
    #expect(try await bench.client.messages.list().messages.count == 2, "a report is no message")
    try await bench.stop()
  }

  @Test func removedMessageIsDeletedOnceReadersDoNotFindIt() async throws {
    let bench = try await Bench(readsMessages: true)
    let relays = try await bench.addRelays(1)
    let group = CreateChannel(profile: .init(displayName: "Club"), kind: "group", relayIds: relays)
    for try await _ in try await bench.client.channels.createAndFollow(group) {}
    try await bench.begin(1)
    try await bench.hear(["spam", "ham"], from: 1)
    bench.network.posts.serveAgain(PostID(rawValue: 1), named: "spam", at: "ws://r1")
    var phases: [String] = []
    let request = PostsRemoveRequest(messageId: 1, reason: "no advertising")
    for try await reply in try await bench.client.posts.removeAndFollow(request) {
      phases.append(reply.post.phase)
      #expect(reply.isNew && reply.post.about == AboutMessage(act: "removal", networkId: "spam", author: "alice"))
    }
    #expect(phases.first == "deleting" && phases.last == "deleted", "\(phases)")
    try await bench.settleMessages()
    let messages = try await bench.named()
    #expect(messages["spam"]?.deletedAt != nil && messages["spam"]?.own == false && messages["spam"]?.text.isEmpty == true)
    #expect(messages["ham"]?.deletedAt == nil && messages.count == 2)
    await #expect(
      throws: PostsRefusal.invalidPost(field: "messageId", reason: "message 1 was deleted. Name another").error
    ) { _ = try await bench.client.posts.remove(request) }
    try await bench.stop()
  }

  private static func invalid(_ field: String, _ reason: String) -> VarlinkError {
    PostsRefusal.invalidPost(field: field, reason: reason).error
  }

  private static let refusals: [(PostsMethod, JSONValue, VarlinkError)] = [
    (.react, ["reaction": "+"], .invalidParameter("id")),
    (.react, ["reaction": "+", "id": 1, "messageId": 1], .invalidParameter("messageId")),
    (.react, ["reaction": "+", "messageId": 9], invalid("messageId", "there is no message 9. See batonctl messages")),
    (.remove, ["messageId": 9], invalid("messageId", "there is no message 9. See batonctl messages")),
    (.remove, [:], .invalidParameter("messageId")),
    (.report, ["messageId": 9, "category": "spam"], invalid("messageId", "there is no message 9. See batonctl messages")),
    (.report, ["messageId": 1, "category": "weather"], .invalidParameter("category")),
    (.report, ["messageId": 1], .invalidParameter("category")),
    (.publish, ["channelId": 1, "text": "a", "replyTo": 1, "replyToMessage": 1], .invalidParameter("replyToMessage")),
    (
      .publish, ["channelId": 2, "text": "a", "replyToMessage": 1],
      invalid("replyToMessage", "message 1 is in another channel. Answer it in its own")
    ),
    (
      .publish, ["channelId": 1, "text": "a", "replyToMessage": 9],
      invalid("replyToMessage", "there is no message 9. See batonctl messages")
    ),
  ]

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Self.bench()
    for (method, parameters, refusal) in Self.refusals {
      await #expect(throws: refusal, "\(method): \(parameters)") {
        try await bench.client.call(method, parameters.object ?? [:])
      }
    }
    #expect(try bench.store.postCounters().post == 0)
    try await bench.stop()
  }

  @Test func nothingIsKnownOfMessagesWhereNoneAreRead() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    await #expect(throws: Self.invalid("messageId", "there is no message 1. See batonctl messages")) {
      _ = try await bench.client.posts.react(PostsReactRequest(reaction: "+", messageId: 1))
    }
    try await bench.stop()
  }
}
