import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts that were signed before, and what an export has of posts.
@Suite(.timeLimit(.minutes(10)))
struct PostAdoptionTests {
  private func bench(relays: Int = 2) async throws -> (bench: Bench, channel: ChannelID) {
    let bench = try await Bench(posts: true)
    return (bench, try await bench.readyChannel(on: relays))
  }

  /// What an export has of a post, as the network signed it.
  private func signed(_ id: PostID, _ bench: Bench) throws -> String? {
    guard case .signed(let text)? = bench.coordinator.export(try row(id, bench), on: .nostr) else { return nil }
    return text
  }

  private func row(_ id: PostID, _ bench: Bench) throws -> PostRow { try #require(try bench.store.post(id)).row }

  @Test func adoptedPostKeepsItsDateAndIsDeliveredOnce() async throws {
    let (bench, channel) = try await bench()
    let (post, isNew) = try await bench.coordinator.adopt("post|old1|1600000000|from before", in: channel)
    #expect(isNew && post.row.createdAt == Timestamp(milliseconds: 1_600_000_000_000) && post.row.text == "from before")
    #expect(post.row.document == PostDocument(networkID: "old1", author: "key", text: "from before"))
    #expect(post.row.idempotencyKey == nil && post.relayCount == 2 && post.phase == .pending)
    try await bench.settlePosts()
    #expect(try bench.statuses(post.row.id) == [.verified, .verified])
    // Also when something else is said under its name, which the network has verified to be impossible.
    for text in ["post|old1|1600000000|from before", "post|old1|1600000000|forged"] {
      let again = try await bench.coordinator.adopt(text, in: channel)
      #expect(!again.isNew && again.post.row.id == post.row.id && again.post.row.text == "from before")
    }
    try await bench.settlePosts()
    #expect(bench.network.posts.names(at: "ws://r1") == ["old1"] && bench.network.posts.mostDepartures == 1)
    #expect(try bench.store.postCounters().post == 1 && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func ownPostIsKnownAgain() async throws {
    let (bench, channel) = try await bench()
    let own = try await bench.publish("hello", in: channel).row.id
    let text = try #require(try signed(own, bench))
    let adopted = try await bench.coordinator.adopt(text, in: channel)
    #expect(!adopted.isNew && adopted.post.row.id == own)
    try await bench.settlePosts()
    #expect(try bench.store.postCounters().post == 1 && bench.network.posts.mostDepartures == 1)
    try await bench.stop()
  }

  /// The network's name counts within a channel.
  @Test func postOfAnotherChannelIsAnotherPost() async throws {
    let (bench, channel) = try await bench(relays: 1)
    let other = try await bench.create("Other", relays: [RelayID(rawValue: 1)]).row.id
    let first = try await bench.coordinator.adopt("post|old1|7|a", in: channel)
    let second = try await bench.coordinator.adopt("post|old1|7|a", in: other)
    #expect(first.isNew && second.isNew && first.post.row.id != second.post.row.id)
    try await bench.stop()
  }

  @Test func sameEventAtTheSameMomentIsOnePost() async throws {
    let (bench, channel) = try await bench(relays: 1)
    try await bench.expectOnce(in: channel) { try await bench.coordinator.adopt("post|old1|7|once", in: channel) }
    try await bench.stop()
  }

  @Test func deletedPostStaysDeleted() async throws {
    let (bench, channel) = try await bench()
    let post = try await bench.coordinator.adopt("post|old1|7|gone", in: channel).post.row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(post)
    try await bench.settlePosts()
    let again = try await bench.coordinator.adopt("post|old1|7|gone", in: channel)
    #expect(!again.isNew && again.post.row.id == post && again.post.phase == .deleted)
    try await bench.settlePosts()
    #expect(bench.network.posts.names(at: "ws://r1").isEmpty && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  // MARK: - Deletions

  @Test func deletionDeletesThePostThatIsKnown() async throws {
    let (bench, channel) = try await bench()
    let post = try await bench.publish("wrong", in: channel).row
    try await bench.settlePosts()
    let (deleted, isNew) = try await bench.coordinator.adopt("deletion|\(post.document.networkID)", in: channel)
    #expect(isNew && deleted.row.id == post.id && deleted.row.deletedAt != nil)
    #expect(deleted.row.deletion?.networkID == "deletion of post1", "it leaves as it was signed")
    try await bench.settlePosts()
    #expect(try bench.statuses(post.id) == [.deleted, .deleted])
    let again = try await bench.coordinator.adopt("deletion|post1", in: channel)
    #expect(!again.isNew && again.post.row.deletedAt == deleted.row.deletedAt)
    // The export has the deletion, which is known again elsewhere.
    #expect(try signed(post.id, bench) == "deletion|post1")
    try await bench.stop()
  }

  @Test func deletionOfWhatIsUnknownIsNotPassedOn() async throws {
    let (bench, channel) = try await bench(relays: 1)
    let other = try await bench.create("Other", relays: [RelayID(rawValue: 1)]).row.id
    let elsewhere = try await bench.publish("there", in: other).row
    try await bench.settlePosts()
    for name in ["nothing", elsewhere.document.networkID] {
      let refusal = await bench.refusal { () throws(BatonError) in
        try await bench.coordinator.adopt("deletion|\(name)", in: channel)
      }
      guard case .post(.invalidPost("document", let reason))? = refusal else {
        Issue.record("\(String(describing: refusal))")
        continue
      }
      #expect(reason.contains("not a post of this channel that Baton knows"))
    }
    try await bench.settlePosts()
    #expect(try bench.statuses(elsewhere.id) == [.verified])
    try await bench.stop()
  }

  // MARK: - Relays, references, refusals

  @Test func relaysThatFindItTooOldSkipIt() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r2") { $0.wantsNewer = true }
    let post = try await bench.coordinator.adopt("post|old1|7|from before", in: channel).post.row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.verified, .skipped])
    let shown = try await bench.post(post)
    #expect(shown.phase == .published && shown.relays.last?.record.trouble?.cause == .tooOld)
    try await bench.stop()
  }

  @Test func relayThatIsAddedGetsAdoptedPosts() async throws {
    let (bench, channel) = try await bench(relays: 1)
    let post = try await bench.coordinator.adopt("post|old1|7|from before", in: channel).post.row.id
    try await bench.settlePosts()
    let more = try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r2"), force: false).id
    _ = try await bench.coordinator.addRelays([more], to: channel)
    try await bench.waitForPosts { try bench.statuses(post).count == 2 }
    try await bench.stop()
  }

  @Test func whatItAnswersAndQuotesIsFoundWhereItIsKnown() async throws {
    let (bench, channel) = try await bench(relays: 1)
    let other = try await bench.create("Other", relays: [RelayID(rawValue: 1)]).row.id
    let parent = try await bench.publish("parent", in: channel).row
    let quoted = try await bench.publish("quoted", in: other).row
    let (here, there) = (parent.document.networkID, quoted.document.networkID)
    let reply = try await bench.coordinator.adopt("post|old1|7|reply|\(here)|\(there)|unknown", in: channel).post.row
    #expect(reply.replyTo == parent.id && reply.quotes == [quoted.id])
    let stray = try await bench.coordinator.adopt("post|old2|7|reply|\(there)", in: channel).post.row
    #expect(stray.replyTo == nil, "a reply is in the channel of its parent")
    let orphan = try await bench.coordinator.adopt("post|old3|7|reply|unknown", in: channel).post.row
    #expect(orphan.replyTo == nil && orphan.text == "reply")
    try await bench.stop()
  }

  @Test func whatIsRefusedStoresNothing() async throws {
    let (bench, channel) = try await bench(relays: 1)
    func refusal(_ text: String, in channel: ChannelID) async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.adopt(text, in: channel) }
    }
    let unknown = ChannelID(rawValue: 99)
    #expect(await refusal("post|old1|7|a", in: unknown) == .noSuchChannel(unknown))
    #expect(
      await refusal("anything", in: channel) == .post(.invalidPost(field: "document", reason: "no one signed it")))
    bench.storage.arePostsUnreadable = true
    if case .storageUnavailable? = await refusal("post|old1|7|a|parent", in: channel) {
    } else {
      Issue.record("a post whose parent cannot be looked up is not taken as one without")
    }
    bench.storage.arePostsUnreadable = false
    _ = try await bench.coordinator.delete(channel)
    #expect(await refusal("post|old1|7|a", in: channel) == .noSuchChannel(channel))
    #expect(try bench.store.postCounters().post == 0)
    try await bench.stop()
  }

  // MARK: - Export

  @Test func exportHasWhatWasSigned() async throws {
    let (bench, channel) = try await bench(relays: 1)
    let post = try await bench.publish("hello", in: channel).row
    #expect(try signed(post.id, bench) == "post|post1|0|hello")
    let later = try await bench.publish("later", in: channel, at: bench.clock.now + .seconds(3_600)).row
    #expect(bench.coordinator.export(later, on: .nostr) == nil)
    var row = post
    row.reactionTo = post.id
    #expect(bench.coordinator.export(row, on: .nostr) == nil)
    row = post
    row.forgottenAt = bench.clock.now
    #expect(bench.coordinator.export(row, on: .nostr) == .forgotten)
    (row.deletedAt, row.deletion) = (bench.clock.now, PostDocument(networkID: "deletion of post1", author: "key", text: ""))
    #expect(bench.coordinator.export(row, on: .nostr) == .signed("deletion|post1"), "what is deleted stays so elsewhere")
    row = post
    row.document = PostDocument(networkID: "post1", author: "key", text: "unsigned")
    #expect(bench.coordinator.export(row, on: .nostr) == .unsigned)
    #expect(bench.coordinator.export(post, on: .simplex) == .unsigned)
    // An edit that is not there yet has deleted nothing.
    row = post
    row.replacedBy = PostID(rawValue: 9)
    row.deletion = PostDocument(networkID: "deletion of post1", author: "key", text: "")
    #expect(bench.coordinator.export(row, on: .nostr) == .signed("post|post1|0|hello"))
    try await bench.stop()
  }
}
