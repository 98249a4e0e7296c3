import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Reactions: posts about another post, each of which a channel says once.
@Suite(.timeLimit(.minutes(10)))
struct PostReactionTests {
  /// A channel with a post that is on all of its relays.
  private func bench(relays: Int = 1) async throws -> (bench: Bench, channel: ChannelID, post: PostID) {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: relays)
    let post = try await bench.publish("news", in: channel).row.id
    try await bench.settlePosts()
    return (bench, channel, post)
  }

  private func refusal(_ bench: Bench, _ id: PostID, _ reaction: String = "+", key: String? = nil) async -> BatonError? {
    await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.react(to: id, with: reaction, idempotencyKey: key)
    }
  }

  private func invalid(_ reason: String, _ field: String = "id") -> BatonError {
    .post(.invalidPost(field: field, reason: reason))
  }

  @Test func reactionIsAPostOfItsOwn() async throws {
    let (bench, channel, target) = try await bench(relays: 2)
    let before = try await bench.post(target)
    let (made, isNew) = try await bench.coordinator.react(
      to: target, with: ":soap:", emoji: ["soap": "https://e.example/s.png"])
    let id = made.row.id
    #expect(isNew && made.row.reactionTo == target && made.row.text == ":soap:" && made.row.channel == channel)
    #expect(made.phase == .pending && made.relayCount == 2 && made.row.replyTo == nil)
    #expect(made.row.document.text == ":soap: | to post1 at ws://r1,ws://r2 | soap is https://e.example/s.png")
    try await bench.settlePosts()
    #expect(try await bench.post(id).phase == .published)
    for address in ["ws://r1", "ws://r2"] { #expect(bench.network.posts.departures(of: id, for: address) == 1) }
    #expect(try await bench.post(target) == before, "nothing happened to the post")
    let forecast = bench.coordinator.actions(on: try await bench.post(id)).map(\.forecast)
    #expect(forecast.allSatisfy { !$0.canEdit && $0.editNote == "a reaction cannot be edited. Delete it, and react again" })

    _ = try await bench.coordinator.deletePost(id)
    try await bench.settlePosts()
    #expect(try bench.statuses(id) == [.deleted, .deleted] && bench.statuses(target) == [.verified, .verified])
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func postThatNoRelayShowsYetCanBeReactedTo() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let target = try await bench.publish("news", in: channel).row.id
    let row = try await bench.coordinator.react(to: target, with: "+").post.row
    #expect(row.document.text == "+ | to post1 at ")
    try await bench.stop()
  }

  // MARK: - Once

  @Test func sameReactionIsMadeOnceUntilItIsDeleted() async throws {
    let (bench, channel, target) = try await bench()
    let react = bench.coordinator.react
    let first = try await react(target, "+", [:], "k").post.row.id
    for key in ["k", "other", nil] {
      let again = try await react(target, "+", [:], key)
      #expect(again.post.row.id == first && !again.isNew, "\(key ?? "no key")")
    }
    let other = try await react(target, "-", [:], nil)
    #expect(other.isNew && other.post.row.id != first)
    let post = try await bench.publish("more", in: channel).row.id
    #expect(try await react(post, "+", [:], nil).isNew, "to another post")
    #expect(await refusal(bench, target, "-", key: "k") == .post(.keyReused(first, isDeleted: false)))

    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(first)
    #expect(await refusal(bench, target, key: "k") == .post(.keyReused(first, isDeleted: true)))
    let second = try await react(target, "+", [:], nil)
    #expect(second.isNew && second.post.row.id != first)
    #expect(try await react(target, "+", [:], "other").post.row.id == second.post.row.id)
    try await bench.settlePosts()
    #expect(try bench.statuses(first) == [.deleted] && bench.statuses(second.post.row.id) == [.verified])
    try await bench.stop()
  }

  @Test func sameReactionAtTheSameMomentIsOne() async throws {
    let (bench, channel, target) = try await bench()
    try await bench.expectOnce(in: channel) { try await bench.coordinator.react(to: target, with: "+") }
    try await bench.stop()
  }

  /// Whoever reacts has seen the post, which is deleted before that is decided.
  @Test func postThatIsDeletedAtTheSameMomentIsNotReactedTo() async throws {
    let (bench, channel, target) = try await bench()
    let old = try await bench.coordinator.react(to: target, with: "-").post.row.id
    try await bench.settlePosts()
    bench.storage.hold()
    async let holder = bench.publish("before", in: channel)
    while !bench.storage.isCommitWaiting { await Task.yield() }
    // The first of them is taken alone, and those behind it together.
    await bench.waitForRequests(0)
    async let taken = bench.coordinator.deletePost(old)
    await bench.waitForRequests(1)
    async let deletion = bench.coordinator.deletePost(target)
    await bench.waitForRequests(2)
    async let reaction = refusal(bench, target)
    await bench.waitForRequests(3)
    bench.storage.release()
    #expect(await reaction == invalid("post 1 was deleted. React to another"))
    _ = (try await holder, try await taken, try await deletion)
    #expect(try bench.store.postCounters().post == 3)
    try await bench.stop()
  }

  @Test func reactionThatCannotBeStoredIsMadeLater() async throws {
    let (bench, _, target) = try await bench()
    bench.storage.isBroken = true
    #expect(await refusal(bench, target) == .storageUnavailable(reason: "database or disk is full"))
    bench.storage.isBroken = false
    let made = try await bench.coordinator.react(to: target, with: "+")
    #expect(made.isNew)
    try await bench.movePosts { try bench.statuses(made.post.row.id) == [.verified] }
    #expect(bench.network.posts.storedCount(at: "ws://r1") == 2)
    try await bench.stop()
  }

  // MARK: - Refusals

  @Test func onlyPostsThatAreThereAreReactedTo() async throws {
    let (bench, channel, target) = try await bench()
    let unknown = PostID(rawValue: 99)
    #expect(await refusal(bench, unknown) == .post(.noSuchPost(unknown)))
    let later = try await bench.publish("later", in: channel, at: bench.clock.now + .seconds(600)).row.id
    #expect(await refusal(bench, later) == invalid("post 2 is not published yet. React to it once it is"))
    let reaction = try await bench.coordinator.react(to: target, with: "+").post.row.id
    #expect(await refusal(bench, reaction) == invalid("post 3 is itself a reaction, to post 1. React to that one"))
    #expect(await refusal(bench, target, "not here") == .post(.notSupported(.nostr, reason: "no such reactions")))
    #expect(
      await refusal(bench, target, "refuse me") == invalid("the reaction asks to be refused; write another", "reaction"))
    #expect(await refusal(bench, target, "-", key: "") != nil)
    _ = try await bench.coordinator.editPost(target, as: PostRequest(channel: channel, text: "right"))
    #expect(await refusal(bench, target) == nil, "it is there already")
    #expect(
      await refusal(bench, target, "-") == invalid("post 1 was edited, and post 4 takes its place. React to that one"))
    let gone = try await bench.publish("gone", in: channel).row.id
    _ = try await bench.coordinator.deletePost(gone)
    #expect(await refusal(bench, gone) == invalid("post 5 was deleted. React to another"))
    #expect(try bench.store.postCounters().post == 5)
    _ = try await bench.coordinator.delete(channel)
    #expect(await refusal(bench, PostID(rawValue: 4)) == .noSuchChannel(channel))
    try await bench.stop()
  }

  @Test func reactionIsNeitherEditedNorAnsweredNorQuoted() async throws {
    let (bench, channel, target) = try await bench()
    let reaction = try await bench.coordinator.react(to: target, with: "+").post.row.id
    let edit = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.editPost(reaction, as: PostRequest(channel: channel, text: "-"))
    }
    #expect(edit == invalid("post 2 is a reaction. Delete it, and react again"))
    let words = "post 2 is a reaction, to post 1. Refer to that one"
    let reply = await bench.refusal { () throws(BatonError) in
      try await bench.publish("yes", in: channel, replyTo: reaction)
    }
    let quote = await bench.refusal { () throws(BatonError) in
      try await bench.publish("yes", in: channel, quotes: [reaction])
    }
    #expect(reply == invalid(words, "replyTo") && quote == invalid(words, "quotes"))
    try await bench.stop()
  }

  // MARK: - Pins

  @Test func pinIsRefusedByNameWhereThereIsNone() async throws {
    let (bench, _, target) = try await bench()
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.coordinator.pinPost(target) }
    #expect(refusal == .post(.notSupported(.nostr, reason: "only groups have pinned posts")))
    let unknown = PostID(rawValue: 9)
    let none = await bench.refusal { () throws(BatonError) in try await bench.coordinator.pinPost(unknown) }
    #expect(none == .post(.noSuchPost(unknown)))
    #expect(try bench.store.postCounters().post == 1)
    try await bench.stop()
  }

  @Test func pinIsAPostThatIsDeletedToTakeItAway() async throws {
    let bench = try await Bench(posts: true)
    let relay = try await bench.addRelays(1)
    let request = ChannelRequest(kind: .group, profile: Profile(displayName: "Team"), relays: relay)
    let group = try await bench.coordinator.create(request).row.id
    _ = try await bench.channel(group) { $0.phase == .active }
    let target = try await bench.publish("rules", in: group).row.id
    try await bench.settlePosts()
    func unpinning() async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.unpinPost(target) }
    }
    #expect(await unpinning() == invalid("post 1 is not pinned"))
    #expect(
      await refusal(bench, target, "pin") == invalid("'pin' is not a reaction. To pin the post, ask for that", "reaction"))

    let (pin, isNew) = try await bench.coordinator.pinPost(target)
    #expect(isNew && pin.row.reactionTo == target && pin.row.text == "pin" && pin.row.document.text == "pin of post1")
    let again = try await bench.coordinator.pinPost(target)
    #expect(again.post.row.id == pin.row.id && !again.isNew)
    try await bench.settlePosts()
    #expect(try bench.statuses(pin.row.id) == [.verified])

    #expect(try await bench.coordinator.unpinPost(target).row.id == pin.row.id)
    try await bench.settlePosts()
    #expect(try bench.statuses(pin.row.id) == [.deleted] && bench.statuses(target) == [.verified])
    #expect(await unpinning() == invalid("post 1 is not pinned"))
    let second = try await bench.coordinator.pinPost(target)
    #expect(second.isNew && second.post.row.id != pin.row.id)
    try await bench.settlePosts()
    #expect(try bench.statuses(second.post.row.id) == [.verified])
    // What is done once more to take the first pin away would take the second one away.
    let retried = await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(pin.row.id) }
    #expect(retried == invalid("post 1 was pinned again since, by post 3. Unpin it to take both away"))
    try await bench.stop()
  }

  // MARK: - Relays

  @Test func reactionFollowsItsPostToRelaysThatAreAdded() async throws {
    let bench = try await Bench(posts: true)
    let relays = try await bench.addRelays(2)
    let channel = try await bench.create(relays: [relays[0]]).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    let target = try await bench.publish("news", in: channel).row.id
    let kept = try await bench.coordinator.react(to: target, with: "+").post.row.id
    let gone = try await bench.coordinator.react(to: target, with: "-").post.row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(gone)
    _ = try await bench.coordinator.addRelays([relays[1]], to: channel)
    try await bench.movePosts {
      try bench.statuses(kept) == [.verified, .verified] && bench.statuses(target) == [.verified, .verified]
        && bench.statuses(gone) == [.deleted]
    }
    #expect(bench.network.posts.storedCount(at: "ws://r2") == 2 && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func deletedPostLeavesItsReactions() async throws {
    let (bench, _, target) = try await bench()
    let reaction = try await bench.coordinator.react(to: target, with: "+").post.row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(target)
    try await bench.settlePosts()
    #expect(try bench.statuses(target) == [.deleted] && bench.statuses(reaction) == [.verified])
    try await bench.stop()
  }

  @Test func restartLosesNothing() async throws {
    let (bench, _, target) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let reaction = try await bench.coordinator.react(to: target, with: "+").post.row.id
    try await bench.settlePosts()
    try await bench.stop()
    bench.network.posts.change(at: "ws://r1") { $0 = FakePosts.Manner() }
    let again = try await Bench(bench, posts: true)
    try await again.movePosts { try again.statuses(reaction) == [.verified] }
    #expect(again.network.posts.departures(of: reaction, for: "ws://r1") == 1)
    let same = try await again.coordinator.react(to: target, with: "+")
    #expect(same.post.row.id == reaction && !same.isNew)
    try await again.stop()
  }
}
