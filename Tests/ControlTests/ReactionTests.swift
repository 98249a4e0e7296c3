import BatonClient
import Channels
import ControlAPI
import Coordinator
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Reactions and pins, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct ReactionTests {
  /// The channel News with the id 1 on relays r1, r2, …, and a post in it with the id 1 that is on all of them.
  private static func bench(relays: Int = 2) async throws -> Bench {
    let bench = try await Bench()
    _ = try await bench.addRelays(relays)
    _ = try await bench.create("News")
    let request = PostsPublishRequest(channelId: 1, text: "We open at nine.")
    for try await _ in try await bench.client.posts.publishAndFollow(request) {}
    return bench
  }

  /// Reacts and follows the reaction to its end.
  private static func react(_ request: PostsReactRequest, _ bench: Bench) async throws -> PostsReactReply {
    var last: PostsReactReply?
    for try await reply in try await bench.client.posts.reactAndFollow(request) { last = reply }
    return try #require(last)
  }

  @Test func reactionIsFollowedToItsEndAndMadeOnce() async throws {
    let bench = try await Self.bench()
    let made = try await Self.react(PostsReactRequest(id: 1, reaction: "👍", idempotencyKey: "k"), bench)
    #expect(made.isNew && made.post.id == 2 && made.post.reactionTo == 1 && made.post.text == "👍")
    #expect(made.post.phase == "published" && made.post.shownCount == 2 && made.post.replyTo == nil)
    let again = try await bench.client.posts.react(PostsReactRequest(id: 1, reaction: "👍"))
    #expect(!again.isNew && again.post == made.post)
    let picture = Emoji(shortcode: "soap", url: "https://e.example/s.png")
    let soap = try await Self.react(PostsReactRequest(id: 1, reaction: ":soap:", emoji: picture), bench)
    #expect(soap.isNew && soap.post.text == ":soap:")
    #expect(
      try bench.store.post(PostID(rawValue: 3))?.row.document.text.hasSuffix("| soap is https://e.example/s.png") == true)
    #expect(try await bench.client.posts.get(id: 1).post.reactionTo == nil)
    try await bench.stop()
  }

  @Test func listsLeaveReactionsOutUnlessTheyAreAskedForThem() async throws {
    let bench = try await Self.bench()
    for reaction in ["+", "-"] { _ = try await Self.react(PostsReactRequest(id: 1, reaction: reaction), bench) }
    func ids(_ request: PostsListRequest) async throws -> [Int64] { try await bench.client.posts.list(request).posts.map(\.id) }
    #expect(try await ids(PostsListRequest()) == [1])
    #expect(try await ids(PostsListRequest(relayId: 1, status: "verified")) == [1])
    #expect(try await ids(PostsListRequest(reactions: true)) == [3, 2, 1])
    #expect(try await ids(PostsListRequest(reactionTo: 1)) == [3, 2])
    #expect(try await ids(PostsListRequest(limit: 1, reactionTo: 1, reactions: false)) == [3])
    _ = try await bench.client.posts.delete(id: 3)
    #expect(try await ids(PostsListRequest(reactionTo: 1)) == [2])
    #expect(try await ids(PostsListRequest(reactionTo: 2)).isEmpty)
    #expect(try await ids(PostsListRequest(deleted: true, reactionTo: 1)) == [3, 2])
    let channel = try await bench.client.channels.get(id: 1)
    #expect(channel.lastPost == "We open at nine.")
    try await bench.stop()
  }

  @Test func watchSendsReactionsAsPosts() async throws {
    let bench = try await Self.bench(relays: 1)
    _ = try await Self.react(PostsReactRequest(id: 1, reaction: "+"), bench)
    for try await change in try await bench.client.posts.watch(since: 0) {
      guard let post = change.post, post.id == 2 else { continue }
      #expect(post.reactionTo == 1 && post.text == "+")
      break
    }
    try await bench.stop()
  }

  /// What is repeated to take a pin away would take the next one away, too.
  @Test func postIsNotPinnedAgainBeforeItsEarlierPinIsGone() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let group = CreateChannel(profile: .init(displayName: "Team"), kind: "group", relayIds: relays)
    for try await _ in try await bench.client.channels.createAndFollow(group) {}
    for try await _ in try await bench.client.posts.publishAndFollow(PostsPublishRequest(channelId: 1, text: "Rules")) {}
    var made: PostsPinReply?
    for try await reply in try await bench.client.posts.pinAndFollow(id: 1) { made = reply }
    #expect(made?.isNew == true && made?.post.id == 2 && made?.post.phase == "published")
    // The relay takes the request to take it away, and shows it all the same.
    bench.network.posts.change(at: "ws://r1") { $0.keepsDeleted = true }
    #expect(try await bench.client.posts.unpin(id: 1).id == 2)
    let reason = "the earlier pin of post 1, post 2, is still being taken away. Pin it again once that is deleted"
    await #expect(throws: PostsRefusal.invalidPost(field: "id", reason: reason).error) {
      _ = try await bench.client.posts.pin(id: 1)
    }
    #expect(try bench.store.postCounters().post == 2)
    // Reactions have nothing to do with that.
    _ = try await Self.react(PostsReactRequest(id: 1, reaction: "+"), bench)
    try await bench.stop()
  }

  private static let noPins = PostsRefusal.notSupported(network: "nostr", reason: "only groups have pinned posts").error

  private static let refusals: [(PostsMethod, JSONValue, VarlinkError)] = [
    (.react, ["id": 9, "reaction": "+"], PostsRefusal.noSuchPost(id: 9).error),
    (.react, ["id": 1], .invalidParameter("reaction")), (.react, ["reaction": "+"], .invalidParameter("id")),
    (.react, ["id": 1, "reaction": "+", "emoji": ["url": "https://h/1"]], .invalidParameter("emoji")),
    (
      .react, ["id": 1, "reaction": "not here"],
      PostsRefusal.notSupported(network: "nostr", reason: "no such reactions").error
    ),
    (
      .react, ["id": 2, "reaction": "+"],
      PostsRefusal.invalidPost(field: "id", reason: "post 2 is itself a reaction, to post 1. React to that one").error
    ),
    (.pin, ["id": 1], noPins), (.unpin, ["id": 1], noPins), (.pin, ["id": 9], PostsRefusal.noSuchPost(id: 9).error),
    (.unpin, ["id": 9], PostsRefusal.noSuchPost(id: 9).error), (.pin, [:], .invalidParameter("id")),
    (.list, ["reactionTo": 9], PostsRefusal.noSuchPost(id: 9).error),
    (.list, ["reactions": 1], .invalidParameter("reactions")),
  ]

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Self.bench(relays: 1)
    _ = try await Self.react(PostsReactRequest(id: 1, reaction: "-"), bench)
    for (method, parameters, refusal) in Self.refusals {
      await #expect(throws: refusal, "\(method): \(parameters)") {
        try await bench.client.call(method, parameters.object ?? [:])
      }
    }
    #expect(try bench.store.postCounters().post == 2)
    try await bench.stop()
  }
}
