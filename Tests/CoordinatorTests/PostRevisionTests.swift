import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Edits on a network that edits posts in place: the post stays the same, and gets another edition.
@Suite(.timeLimit(.minutes(10)))
struct PostRevisionTests {
  private func bench(relays: Int = 1) async throws -> (bench: Bench, channel: ChannelID, post: PostID) {
    let bench = try await Bench(posts: true)
    bench.network.posts.editsInPlace = true
    let channel = try await bench.readyChannel(on: relays)
    let post = try await bench.publish("wrong", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post).allSatisfy { $0 == .verified })
    return (bench, channel, post)
  }

  private func edit(_ id: PostID, _ text: String, key: String? = nil, _ bench: Bench) async throws(BatonError) -> PostSnapshot {
    try await bench.coordinator.editPost(
      id, as: PostRequest(channel: ChannelID(rawValue: 0), text: text, idempotencyKey: key)
    ).post
  }

  @Test func editIsAnotherEditionOfTheSamePost() async throws {
    let (bench, _, post) = try await bench(relays: 2)
    let edited = try await edit(post, "right", bench)
    #expect(edited.row.id == post && edited.row.text == "right" && edited.row.edition == 2)
    try await bench.settlePosts()
    let row = try #require(try bench.store.post(post)).row
    #expect(try bench.statuses(post) == [.verified, .verified] && row.replacedBy == nil && row.replaces == nil)
    #expect(row.document.networkID == "post1" && row.document.text == "right")
    for address in ["ws://r1", "ws://r2"] { #expect(bench.network.posts.text(of: post, at: address) == "right") }
    #expect(try bench.store.postCounters().post == 1)
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  /// What waits for its turn leaves as it is by then.
  @Test func editOverrulesWhatHasNotLeftYet() async throws {
    let (bench, channel, _) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.publish("early", in: channel).row.id
    try await bench.settlePosts()
    _ = try await edit(post, "late", bench)
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(bench.network.posts.text(of: post, at: "ws://r1") == "late")
    #expect(try bench.statuses(post) == [.verified])
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1)
    try await bench.stop()
  }

  @Test func editSurvivesARestart() async throws {
    let (bench, _, post) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    _ = try await edit(post, "right", bench)
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.pending])
    try await bench.stop()
    bench.network.posts.change(at: "ws://r1") { $0 = FakePosts.Manner() }
    let again = try await Bench(bench, posts: true)
    try await again.movePosts { try again.statuses(post) == [.verified] }
    #expect(again.network.posts.text(of: post, at: "ws://r1") == "right")
    try await again.stop()
  }

  @Test func whatCannotBeEditedIsRefused() async throws {
    let (bench, _, post) = try await bench()
    func refusal(_ text: String, key: String? = nil) async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await edit(post, text, key: key, bench) }
    }
    #expect(await refusal("too late") == .post(.notSupported(.nostr, reason: "posts are edited within a day")))
    let keyed = await refusal("right", key: "k")
    guard case .post(.invalidPost("idempotencyKey", _)) = keyed else {
      Issue.record("\(String(describing: keyed))")
      return
    }
    #expect(try bench.store.post(post)?.row.edition == 1)
    _ = try await bench.coordinator.deletePost(post)
    #expect(await refusal("right") == .post(.invalidPost(field: "id", reason: "post 1 was deleted. Publish a new one")))
    try await bench.stop()
  }

  @Test func editThatCannotBeStoredChangesNothing() async throws {
    let (bench, _, post) = try await bench()
    bench.storage.isBroken = true
    let broken = await bench.refusal { () throws(BatonError) in try await edit(post, "right", bench) }
    #expect(broken == .storageUnavailable(reason: "database or disk is full"))
    bench.storage.isBroken = false
    try await bench.movePosts { try bench.statuses(post) == [.verified] }
    #expect(bench.network.posts.text(of: post, at: "ws://r1") == "wrong")
    #expect(try bench.store.post(post)?.row.text == "wrong")
    try await bench.stop()
  }

  // MARK: - What the network tells meanwhile

  /// A post whose turn has come at the only relay.
  private func held() async throws -> (bench: PostBench, post: PostID, number: Int) {
    let bench = try await PostBench()
    bench.network.posts.editsInPlace = true
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    _ = bench.publish("wrong")
    await bench.run()
    let post = PostID(rawValue: 1)
    let number = try #require(bench.decider.awake[post]?.machine(at: RelayID(rawValue: 1))?.underWay?.operation)
    return (bench, post, number)
  }

  private func revision(_ post: PostID, edition: Int, name: String) -> PostRevision {
    PostRevision(
      post: post, edition: edition, text: "right", document: PostDocument(networkID: name, author: "key", text: "right"))
  }

  /// Where the post is has changed, and what it says is what was asked for last.
  @Test func formOfAnEarlierEditionDoesNotTakeTheEditBack() async throws {
    let (bench, post, number) = try await held()
    let answer = PostBench.Answer<StoredPost>()
    bench.put(.edit(revision(post, edition: 2, name: "post1"), answer.reply))
    await bench.run()
    #expect(try answer.result?.get().row.edition == 2)
    bench.put(
      .outcome(
        post, RelayID(rawValue: 1), number: number, .troubled(Trouble(.timeout, "no answer"), retryAfter: nil),
        form: PostDocument(networkID: "17/shared", author: "key", text: "wrong")))
    await bench.run()
    let row = try #require(try bench.store.post(post)).row
    #expect(row.document == PostDocument(networkID: "17/shared", author: "key", text: "right") && row.text == "right")
  }

  /// It was composed for a post that is not like that any more.
  @Test(arguments: [(3, "post1"), (2, "17/shared")])
  func editOfAPostThatHasChangedMeanwhileChangesNothing(edition: Int, name: String) async throws {
    let (bench, post, _) = try await held()
    let answer = PostBench.Answer<StoredPost>()
    bench.put(.edit(revision(post, edition: edition, name: name), answer.reply))
    await bench.run()
    #expect(try answer.result?.get().row.edition == 1)
    #expect(try bench.store.post(post)?.row.text == "wrong")
  }

  /// An edit may reach a relay that the post did not.
  @Test func editIsTriedAtRelaysThatDidNotGetThePost() async throws {
    let (bench, post, number) = try await held()
    bench.put(
      .outcome(post, RelayID(rawValue: 1), number: number, .skipped(Trouble(.notSupported, "passed over")), form: nil))
    await bench.run()
    #expect(try bench.statuses(post) == [.skipped])
    bench.put(.edit(revision(post, edition: 2, name: "post1"), PostBench.Answer<StoredPost>().reply))
    await bench.run()
    #expect(try bench.statuses(post) == [.pending])
  }
}
