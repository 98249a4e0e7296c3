import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts from the request to the relays, through the coordinator.
@Suite(.timeLimit(.minutes(10)))
struct PostTests {
  @Test func postIsOnEveryRelayOnce() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 3)
    let (post, isNew) = try await bench.coordinator.publish(PostRequest(channel: channel, text: "hello"))
    #expect(isNew && post.phase == .pending && post.relayCount == 3 && post.link == nil && !post.hasSettled)
    #expect(post.channelName == "News" && post.row.document.author == "key" && post.row.text == "hello")
    try await bench.settlePosts()
    let done = try await bench.post(post.row.id)
    #expect(done.phase == .published && done.shownCount == 3 && done.hasSettled)
    #expect(done.link == "fake:post1?ws://r1,ws://r2,ws://r3")
    #expect(done.relays.map(\.name) == ["r1", "r2", "r3"])
    #expect(try bench.history(post.row.id) == ["sent", "accepted", "verified"])
    for address in ["ws://r1", "ws://r2", "ws://r3"] {
      #expect(bench.network.posts.departures(of: post.row.id, for: address) == 1)
      #expect(bench.network.posts.isStored(post.row.id, at: address))
    }
    #expect(bench.coordinator.postHub.revision == done.row.revision)
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func whatCannotBePublishedIsRefusedAndStoresNothing() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    let unknown = ChannelID(rawValue: 99)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.publish("a", in: unknown) } == .noSuchChannel(unknown))
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.publish("refuse me", in: channel) }
        == .post(.invalidPost(field: "text", reason: "the text asks to be refused; write another")))
    for text in ["", "bell \u{7}"] {
      let refusal = await bench.refusal { () throws(BatonError) in try await bench.publish(text, in: channel) }
      #expect(refusal.map(Self.field) == "text", "\(text)")
    }
    for key in ["", "two\nlines", String(repeating: "k", count: 201)] {
      let refusal = await bench.refusal { () throws(BatonError) in try await bench.publish("a", in: channel, key: key) }
      #expect(refusal.map(Self.field) == "idempotencyKey")
    }
    _ = try await bench.coordinator.delete(channel)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.publish("a", in: channel) } == .noSuchChannel(channel))
    let post = PostID(rawValue: 7)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.deletePost(post) } == .post(.noSuchPost(post)))
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(post) } == .post(.noSuchPost(post)))
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.cancelPost(post) } == .post(.noSuchPost(post)))
    #expect(try bench.store.postCounters().post == 0)
    try await bench.stop()
  }

  private static func field(_ error: BatonError) -> String {
    if case .post(.invalidPost(let field, let reason)) = error { reason.isEmpty ? "no reason" : field } else { "\(error)" }
  }

  // MARK: - Keys

  @Test func keyPublishesOnce() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 2)
    let request = PostRequest(channel: channel, text: "once", idempotencyKey: "k")
    let first = try await bench.coordinator.publish(request)
    let second = try await bench.coordinator.publish(request)
    #expect(first.isNew && !second.isNew && first.post.row.id == second.post.row.id)
    let other = await bench.refusal { () throws(BatonError) in try await bench.publish("twice", in: channel, key: "k") }
    #expect(other == .post(.keyReused(first.post.row.id, isDeleted: false)))
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(first.post.row.id)
    let late = await bench.refusal { () throws(BatonError) in try await bench.publish("once", in: channel, key: "k") }
    #expect(late == .post(.keyReused(first.post.row.id, isDeleted: true)))
    #expect(try bench.store.postCounters().post == 1)
    try await bench.stop()
  }

  @Test func sameKeyAtTheSameMomentIsOnePost() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    let request = PostRequest(channel: channel, text: "once", idempotencyKey: "k")
    try await bench.expectOnce(in: channel) { try await bench.coordinator.publish(request) }
    try await bench.stop()
  }

  @Test func repeatedRequestIsAnsweredWhateverBecameOfWhatItRefersTo() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    let parent = try await bench.publish("parent", in: channel).row.id
    let reply = try await bench.publish("reply", in: channel, replyTo: parent, key: "k").row.id
    _ = try await bench.coordinator.deletePost(parent)
    #expect(try await bench.publish("reply", in: channel, replyTo: parent, key: "k").row.id == reply)
    try await bench.stop()
  }

  // MARK: - References

  @Test func referencesNameTheRelaysWherePostsAreShown() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 2)
    bench.network.set(.away, at: "ws://r2")
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let parent = try await bench.publish("parent", in: channel).row.id
    let early = try await bench.publish("early", in: channel, replyTo: parent).row.document
    #expect(early.text == "early | answers post1 at ", "no one is sent where it was not found")
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    let reply = try await bench.publish("reply", in: channel, replyTo: parent, quotes: [parent])
    #expect(reply.row.document.text == "reply | answers post1 at ws://r1 | quotes post1 at ws://r1")
    #expect(reply.row.replyTo == parent)
    try await bench.stop()
  }

  @Test func referencesToWhatIsNotThereAreRefused() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    let other = try await bench.create("Other", relays: [RelayID(rawValue: 1)]).row.id
    let (there, gone) = (try await bench.publish("a", in: other).row.id, try await bench.publish("b", in: channel).row.id)
    _ = try await bench.coordinator.deletePost(gone)
    func field(replyTo: PostID? = nil, quotes: [PostID] = []) async -> String? {
      await bench.refusal { () throws(BatonError) in
        try await bench.publish("reply", in: channel, replyTo: replyTo, quotes: quotes)
      }.map(Self.field)
    }
    #expect(await field(replyTo: PostID(rawValue: 9)) == "replyTo")
    #expect(await field(replyTo: there) == "replyTo", "a reply is in the channel of its parent")
    #expect(await field(replyTo: gone) == "replyTo")
    #expect(await field(quotes: [there]) == nil)
    #expect(await field(quotes: [there, gone]) == "quotes")
    #expect(await field(quotes: Array(repeating: there, count: PostDraft.quotesMax + 1)) == "quotes")
    try await bench.stop()
  }
}
