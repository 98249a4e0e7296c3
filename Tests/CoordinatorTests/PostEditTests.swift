import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Edits: a new post takes the place of an old one, which is deleted once readers find the new one, and not before.
@Suite(.timeLimit(.minutes(10)))
struct PostEditTests {
  /// A channel with a post that is on all of its relays.
  private func bench(relays: Int = 1) async throws -> (bench: Bench, channel: ChannelID, post: PostID) {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: relays)
    let post = try await bench.publish("wrong", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post).allSatisfy { $0 == .verified })
    return (bench, channel, post)
  }

  private func row(_ id: PostID, _ bench: Bench) throws -> PostRow { try #require(try bench.store.post(id)).row }

  @Test func oldPostGoesOnceReadersFindTheNewOneAndNotBefore() async throws {
    let (bench, _, old) = try await bench(relays: 2)
    for address in ["ws://r1", "ws://r2"] { bench.network.posts.change(at: address) { $0.holdsTurns = true } }
    let (edited, isNew) = try await bench.edit(old, "right")
    let new = edited.row.id
    #expect(isNew && edited.row.replaces == old && edited.row.text == "right" && edited.phase == .pending)
    try await bench.settlePosts()
    let waiting = try await bench.post(old)
    #expect(waiting.row.replacedBy == new && waiting.row.awaitsReplacement && waiting.phase == .published)
    #expect(bench.network.posts.isStored(old, at: "ws://r1") && waiting.link != nil)
    #expect(waiting.summary == "Post is on 2 of 2 relays. It is deleted once readers find post 2, which takes its place.")

    // One relay is enough.
    bench.network.giveTurns(at: "ws://r2")
    try await bench.settlePosts()
    #expect(try bench.statuses(new) == [.pending, .verified] && bench.statuses(old) == [.deleted, .deleted])
    let gone = try await bench.post(old)
    #expect(gone.row.deletedAt != nil && gone.phase == .deleted && gone.row.replacedBy == new)
    #expect(gone.summary == "Post is deleted. Post 2 takes its place.")
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(try await bench.post(new).phase == .published)
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func editTakesOverWhatThePostAnsweredAndQuoted() async throws {
    let (bench, channel, quoted) = try await bench()
    let parent = try await bench.publish("parent", in: channel).row.id
    try await bench.settlePosts()
    let old = try await bench.publish("reply", in: channel, replyTo: parent, quotes: [quoted]).row.id
    _ = try await bench.coordinator.deletePost(parent)
    let row = try await bench.edit(old, "better").post.row
    #expect(row.replyTo == parent && row.quotes == [quoted] && row.channel == channel)
    #expect(
      row.document.text.hasPrefix("better | answers post2 at") && row.document.text.hasSuffix("| quotes post1 at ws://r1"))
    try await bench.stop()
  }

  @Test func whoeverAnswersAnEditedPostIsToldOfTheNewOne() async throws {
    let (bench, channel, old) = try await bench()
    _ = try await bench.edit(old, "right")
    try await bench.settlePosts()
    let refusal = await bench.refusal { () throws(BatonError) in
      try await bench.publish("yes", in: channel, replyTo: old)
    }
    let reason = "post 1 was edited, and post 2 takes its place. Refer to that one"
    #expect(refusal == .post(.invalidPost(field: "replyTo", reason: reason)))
    try await bench.stop()
  }

  @Test func whatCannotBeEditedIsRefused() async throws {
    let (bench, channel, old) = try await bench()
    func refusal(_ id: PostID, _ text: String = "right") async -> BatonError? {
      await bench.refusal { () throws(BatonError) in try await bench.edit(id, text) }
    }
    #expect(await refusal(PostID(rawValue: 9)) == .post(.noSuchPost(PostID(rawValue: 9))))
    #expect(
      await refusal(old, "refuse me")
        == .post(.invalidPost(field: "text", reason: "the text asks to be refused; write another")))
    #expect(try row(old, bench).replacedBy == nil)
    _ = try await bench.edit(old, "right")
    let replaced = BatonError.post(
      .invalidPost(field: "id", reason: "post 1 was edited, and post 2 takes its place. Edit that one"))
    #expect(await refusal(old) == replaced)
    try await bench.settlePosts()
    #expect(await refusal(old) == replaced, "also when it is gone")
    let gone = try await bench.publish("gone", in: channel).row.id
    _ = try await bench.coordinator.deletePost(gone)
    #expect(await refusal(gone) == .post(.invalidPost(field: "id", reason: "post 3 was deleted. Publish a new one")))
    #expect(try bench.store.postCounters().post == 3)
    try await bench.stop()
  }

  @Test func editsAtTheSameMomentMakeOnePost() async throws {
    let (bench, channel, old) = try await bench()
    bench.storage.hold()
    async let holder = bench.publish("before", in: channel)
    while !bench.storage.isCommitWaiting { await Task.yield() }
    async let first = bench.refusal { () throws(BatonError) in try await bench.edit(old, "one") }
    async let second = bench.refusal { () throws(BatonError) in try await bench.edit(old, "two") }
    while bench.coordinator.postInbox.count + bench.coordinator.directory.read({ $0.postsOpen }) < 2 { await Task.yield() }
    bench.storage.release()
    _ = try await holder
    let refusals = [await first, await second].compactMap { $0 }
    #expect(
      refusals == [.post(.invalidPost(field: "id", reason: "post 1 was edited, and post 3 takes its place. Edit that one"))])
    #expect(try bench.store.postCounters().post == 3)
    try await bench.stop()
  }

  @Test func keyEditsOnce() async throws {
    let (bench, channel, old) = try await bench()
    let first = try await bench.edit(old, "right", key: "k")
    try await bench.settlePosts()
    let second = try await bench.edit(old, "right", key: "k")
    #expect(first.isNew && !second.isNew && second.post.row.id == first.post.row.id)
    let other = await bench.refusal { () throws(BatonError) in try await bench.publish("right", in: channel, key: "k") }
    #expect(other == .post(.keyReused(first.post.row.id, isDeleted: false)), "to publish is not to edit")
    try await bench.stop()
  }

  // MARK: - The new post does not get through

  @Test func oldPostStaysWhileRelaysRefuseTheNewOneAndIsFreeOnceThatIsCancelled() async throws {
    let (bench, _, old) = try await bench()
    bench.network.set(.refuses, at: "ws://r1")
    let new = try await bench.edit(old, "right").post.row.id
    try await bench.movePosts { try bench.statuses(new) == [.failed] }
    #expect(try bench.statuses(old) == [.verified] && row(old, bench).awaitsReplacement)
    _ = try await bench.coordinator.cancelPost(new)
    try await bench.settlePosts()
    let kept = try row(old, bench)
    #expect(kept.replacedBy == nil && kept.deletion == nil && kept.deletedAt == nil)
    #expect(try row(new, bench).replaces == nil, "it stands for itself from now on")
    #expect(bench.network.posts.isStored(old, at: "ws://r1"))
    bench.network.set(.works, at: "ws://r1")
    let next = try await bench.edit(old, "better").post.row.id
    // What becomes of the first one does not concern the old one any more.
    _ = try await bench.coordinator.deletePost(new)
    try await bench.settlePosts()
    #expect(try bench.statuses(next) == [.verified] && bench.statuses(old) == [.deleted])
    try await bench.stop()
  }

  @Test func oldPostStaysIfTheNewOneIsDeletedBeforeReadersFindIt() async throws {
    let (bench, _, old) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let new = try await bench.edit(old, "right").post.row.id
    _ = try await bench.coordinator.deletePost(new)
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(try bench.statuses(old) == [.verified] && row(old, bench).replacedBy == nil)
    #expect(bench.network.posts.departures(of: new, for: "ws://r1") == 0)
    try await bench.stop()
  }

  @Test func bothAreGoneIfTheNewOneIsDeletedLater() async throws {
    let (bench, _, old) = try await bench()
    let new = try await bench.edit(old, "right").post.row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(new)
    try await bench.settlePosts()
    #expect(try bench.statuses(old) == [.deleted] && bench.statuses(new) == [.deleted])
    #expect(bench.network.posts.storedCount(at: "ws://r1") == 0)
    try await bench.stop()
  }

  @Test func deletionOfTheOldPostDoesNotWaitForTheNewOne() async throws {
    let (bench, _, old) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let new = try await bench.edit(old, "right").post.row.id
    _ = try await bench.coordinator.deletePost(old)
    try await bench.settlePosts()
    #expect(try bench.statuses(old) == [.deleted] && bench.statuses(new) == [.pending])
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(try bench.statuses(new) == [.verified] && row(old, bench).replacedBy == new)
    try await bench.stop()
  }

  // MARK: - Edits of edits

  @Test func everyEarlierPostGoesWhenReadersFindTheLastOne() async throws {
    let (bench, _, first) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let second = try await bench.edit(first, "two").post.row.id
    let third = try await bench.edit(second, "three").post.row.id
    // The second never leaves, and the first still waits.
    _ = try await bench.coordinator.cancelPost(second)
    try await bench.settlePosts()
    #expect(try bench.statuses(first) == [.verified] && row(first, bench).replacedBy == second)
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(try bench.statuses(third) == [.verified] && bench.statuses(second) == [.skipped])
    #expect(try bench.statuses(first) == [.deleted])
    #expect(bench.network.posts.storedCount(at: "ws://r1") == 1 && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func firstPostStaysIfNoneOfItsSuccessorsGetsThrough() async throws {
    let (bench, _, first) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let second = try await bench.edit(first, "two").post.row.id
    let third = try await bench.edit(second, "three").post.row.id
    _ = try await bench.coordinator.cancelPost(second)
    _ = try await bench.coordinator.cancelPost(third)
    try await bench.settlePosts()
    #expect(try row(second, bench).replacedBy == nil && row(first, bench).replacedBy == nil)
    #expect(try bench.statuses(first) == [.verified])
    try await bench.stop()
  }

  // MARK: - Interruptions

  @Test func restartWhileTheNewPostIsOnItsWayLosesNothing() async throws {
    let (bench, _, old) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let new = try await bench.edit(old, "right").post.row.id
    try await bench.settlePosts()
    try await bench.stop()
    bench.network.posts.change(at: "ws://r1") { $0 = FakePosts.Manner() }
    let again = try await Bench(bench, posts: true)
    try await again.movePosts { try again.statuses(old) == [.deleted] }
    #expect(try again.statuses(new) == [.verified] && again.network.posts.departures(of: new, for: "ws://r1") == 1)
    try await again.stop()
  }

  /// The daemon ended after readers had found the new post, and before that had consequences.
  @Test func restartDeletesWhatWasLeftToDelete() async throws {
    let (bench, _, old) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let new = try await bench.edit(old, "right").post.row.id
    bench.storage.refusePosts { mutation in
      if case .updatePost(let row) = mutation, row.id == old { row.deletedAt != nil } else { false }
    }
    bench.network.giveTurns(at: "ws://r1")
    try await bench.movePosts { try bench.statuses(new) == [.verified] }
    #expect(try bench.statuses(old) == [.verified] && row(old, bench).awaitsReplacement)
    try await bench.stop()
    let again = try await Bench(bench, posts: true)
    try await again.movePosts { try again.statuses(old) == [.deleted] }
    #expect(try !again.network.posts.isStored(old, at: "ws://r1") && row(old, again).deletedAt != nil)
    try await again.stop()
  }

  @Test func storageThatFailsBetweenDoesNotKeepTheOldPost() async throws {
    let (bench, _, old) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let new = try await bench.edit(old, "right").post.row.id
    bench.network.giveTurns(at: "ws://r1")
    bench.storage.isBroken = true
    try await bench.settlePosts()
    #expect(try bench.statuses(old) == [.verified])
    bench.storage.isBroken = false
    try await bench.movePosts { try bench.statuses(old) == [.deleted] && bench.statuses(new) == [.verified] }
    try await bench.stop()
  }

  @Test func editThatCannotBeStoredChangesNeitherPost() async throws {
    let (bench, channel, old) = try await bench()
    bench.storage.isBroken = true
    let broken = await bench.refusal { () throws(BatonError) in try await bench.edit(old, "right") }
    #expect(broken == .storageUnavailable(reason: "database or disk is full"))
    bench.storage.isBroken = false
    // The old row cannot be written, so the new one is not either, though others of the same commit are.
    bench.storage.refusePosts { if case .updatePost(let row) = $0 { row.id == old } else { false } }
    bench.storage.hold()
    async let holder = bench.publish("before", in: channel)
    while !bench.storage.isCommitWaiting { await Task.yield() }
    async let edit = bench.refusal { () throws(BatonError) in try await bench.edit(old, "right") }
    async let other = bench.publish("other", in: channel)
    while bench.coordinator.postInbox.count + bench.coordinator.directory.read({ $0.postsOpen }) < 2 { await Task.yield() }
    bench.storage.release()
    _ = (try await holder, try await other)
    #expect(await edit != nil)
    bench.storage.refusePosts { _ in false }
    try await bench.settlePosts()
    #expect(try row(old, bench).replacedBy == nil && bench.statuses(old) == [.verified])
    let new = try await bench.edit(old, "right").post.row.id
    try await bench.movePosts { try bench.statuses(old) == [.deleted] && bench.statuses(new) == [.verified] }
    try await bench.stop()
  }
}

extension Bench {
  fileprivate func edit(
    _ id: PostID, _ text: String, key: String? = nil
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    // The channel is that of the post, whatever the request says.
    try await coordinator.editPost(id, as: PostRequest(channel: ChannelID(rawValue: 0), text: text, idempotencyKey: key))
  }
}
