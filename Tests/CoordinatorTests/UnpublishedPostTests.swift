import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Drafts, and what can be changed of posts before they are published.
@Suite(.timeLimit(.minutes(10)))
struct UnpublishedPostTests {
  private func ready(relays: Int = 1) async throws -> (bench: Bench, channel: ChannelID) {
    let bench = try await Bench(posts: true)
    return (bench, try await bench.readyChannel(on: relays))
  }

  private func draft(
    _ text: String, in channel: ChannelID, _ bench: Bench, key: String? = nil
  ) async throws(BatonError) -> PostSnapshot {
    try await bench.coordinator.publish(
      PostRequest(channel: channel, text: text, idempotencyKey: key, isDraft: true)
    ).post
  }

  private func edit(_ id: PostID, _ text: String, _ bench: Bench, key: String? = nil) async throws(BatonError) -> PostSnapshot {
    try await bench.coordinator.editPost(
      id, as: PostRequest(channel: ChannelID(rawValue: 0), text: text, idempotencyKey: key)
    ).post
  }

  private func verified(_ id: PostID, _ bench: Bench) throws -> Bool { try bench.statuses(id) == [.verified] }

  /// The field that a refusal is about.
  private func field(_ refusal: BatonError?) -> String? {
    if case .post(.invalidPost(let field, _))? = refusal { field } else { nil }
  }

  @Test func draftWaitsForSomebodyHoweverLongThatTakes() async throws {
    let (bench, channel) = try await ready()
    let id = try await draft("one day", in: channel, bench).row.id
    let scheduled = try await bench.publish("later", in: channel, at: bench.clock.now + .seconds(3_600)).row.id
    bench.clock.advance(by: .seconds(7_000))
    try await bench.waitForPosts { try verified(scheduled, bench) }
    for days in [1, 400] {
      bench.clock.advance(by: .seconds(days * 86_400))
      try await bench.settlePosts()
    }
    let post = try await bench.post(id)
    #expect(post.phase == .draft && post.hasSettled && post.relays.isEmpty && post.link == nil)
    #expect(post.summary == "Draft, which is not published yet." && post.row.text == "one day")
    // Neither of these publishes it.
    #expect(try await bench.coordinator.retryPost(id).phase == .draft)
    #expect(try await bench.coordinator.cancelPost(id).phase == .draft)
    let released = try await bench.coordinator.releasePost(id, at: nil, tolerance: nil)
    #expect(released.phase == .scheduled || released.phase == .pending)
    try await bench.waitForPosts { try verified(id, bench) }
    let done = try await bench.post(id)
    #expect(done.phase == .published && done.row.createdAt == bench.clock.now && done.row.schedule?.request == nil)
    #expect(bench.network.posts.departures(of: id, for: "ws://r1") == 1 && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func draftsAreStoredAndDeleted() async throws {
    let (bench, channel) = try await ready()
    let id = try await draft("one day", in: channel, bench, key: "k").row.id
    #expect(try await draft("one day", in: channel, bench, key: "k").row.id == id)
    let other = await bench.refusal { () throws(BatonError) in try await bench.publish("one day", in: channel, key: "k") }
    #expect(other == .post(.keyReused(id, isDeleted: false)), "a draft is another request")
    #expect(try await edit(id, "another day", bench).row.text == "another day")
    #expect(try await draft("one day", in: channel, bench, key: "k").row.text == "another day", "it is the same post")
    let read = try #require(try bench.store.post(id)?.row)
    #expect(read.isDraft && read.text == "another day" && !read.isScheduled && !read.isPublished)
    // Drafts are kept, whatever the channel keeps.
    let others = try await [bench.publish("old", in: channel).row.id, bench.publish("new", in: channel).row.id]
    try await bench.waitForPosts { try others.allSatisfy { try verified($0, bench) } }
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.store.post(others[0])?.row.forgottenAt != nil }
    #expect(try bench.store.post(id)?.row.forgottenAt == nil)
    #expect(try await bench.coordinator.deletePost(id).phase == .deleted)
    #expect(bench.network.posts.departures(of: id, for: "ws://r1") == 0)
    for attempt in ["release", "edit"] {
      let refusal = await bench.refusal { () throws(BatonError) in
        attempt == "edit"
          ? try await edit(id, "x", bench) : try await bench.coordinator.releasePost(id, at: nil, tolerance: nil)
      }
      #expect(field(refusal) == "id", "\(attempt): \(String(describing: refusal))")
    }
    #expect(try bench.store.check().problems.isEmpty)
    try await bench.stop()
  }

  @Test func postGetsAnotherTimeBeforeItIsPublished() async throws {
    let (bench, channel) = try await ready()
    let now = bench.clock.now
    let id = try await draft("one day", in: channel, bench).row.id
    let scheduled = try await bench.coordinator.releasePost(id, at: now + .seconds(600), tolerance: 60)
    #expect(scheduled.phase == .scheduled && scheduled.row.schedule?.publishAt == now + .seconds(600))
    #expect(scheduled.row.schedule?.tolerance == 60)
    // Earlier, later, and after it was cancelled.
    _ = try await bench.coordinator.releasePost(id, at: now + .seconds(1_200), tolerance: nil)
    bench.clock.advance(by: .seconds(900))
    try await bench.settlePosts()
    #expect(try await bench.post(id).phase == .scheduled && bench.network.posts.operations == 0)
    #expect(try await bench.coordinator.cancelPost(id).phase == .expired)
    _ = try await bench.coordinator.releasePost(id, at: now + .seconds(960), tolerance: nil)
    bench.clock.advance(by: .seconds(60))
    try await bench.waitForPosts { try verified(id, bench) }
    let refusal = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.releasePost(id, at: nil, tolerance: nil)
    }
    #expect(field(refusal) == "id", "it is published")
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func timesThatCannotBeAreRefused() async throws {
    let (bench, channel) = try await ready()
    let now = bench.clock.now
    let id = try await draft("one day", in: channel, bench).row.id
    func refused(_ at: Timestamp?, _ tolerance: Int?) async -> String? {
      field(
        await bench.refusal { () throws(BatonError) in
          try await bench.coordinator.releasePost(id, at: at, tolerance: tolerance)
        })
    }
    #expect(await refused(now + .seconds(-3_601), nil) == "at")
    #expect(await refused(now + .seconds(367 * 86_400), nil) == "at")
    #expect(await refused(now + .seconds(60), 59) == "tolerance")
    #expect(await refused(nil, 60) == "tolerance")
    let timed = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.publish(PostRequest(channel: channel, text: "x", at: now + .seconds(60), isDraft: true))
    }
    #expect(field(timed) == "at")
    #expect(try await bench.post(id).phase == .draft)
    let none = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.releasePost(PostID(rawValue: 99), at: nil, tolerance: nil)
    }
    #expect(none == .post(.noSuchPost(PostID(rawValue: 99))))
    try await bench.stop()
  }

  @Test func frozenChannelHasDraftsAndPublishesNone() async throws {
    let (bench, channel) = try await ready()
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: true))
    let id = try await draft("one day", in: channel, bench).row.id
    let refusal = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.releasePost(id, at: nil, tolerance: nil)
    }
    #expect(refusal == .post(.frozen(channel)))
    // One that has a time waits, like all that have one.
    _ = try await bench.coordinator.releasePost(id, at: bench.clock.now + .seconds(60), tolerance: nil)
    bench.clock.advance(by: .seconds(120))
    try await bench.settlePosts()
    #expect(try await bench.post(id).phase == .scheduled && bench.network.posts.operations == 0)
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: false))
    try await bench.movePosts { try verified(id, bench) }
    try await bench.stop()
  }

  @Test func scheduledPostIsEditedInPlace() async throws {
    let (bench, channel) = try await ready()
    let parent = try await bench.publish("parent", in: channel).row.id
    try await bench.waitForPosts { try verified(parent, bench) }
    let due = bench.clock.now + .seconds(600)
    let id = try await bench.publish("first", in: channel, replyTo: parent, at: due, tolerance: 120).row.id
    let edited = try await edit(id, "second", bench)
    #expect(edited.row.id == id && edited.phase == .scheduled && edited.row.text == "second")
    #expect(edited.row.replyTo == parent && edited.row.schedule?.publishAt == due && edited.row.schedule?.tolerance == 120)
    let keyed = await bench.refusal { () throws(BatonError) in try await edit(id, "third", bench, key: "k") }
    #expect(field(keyed) == "idempotencyKey")
    let refused = await bench.refusal { () throws(BatonError) in try await edit(id, "refuse me", bench) }
    #expect(field(refused) == "text", "what could not be published is refused at once")
    bench.clock.advance(by: .seconds(600))
    try await bench.waitForPosts { try verified(id, bench) }
    let row = try #require(try bench.store.post(id)?.row)
    #expect(row.text == "second" && row.document.text.hasPrefix("second | answers ") && row.replyTo == parent)
    // After that an edit is what it is for all posts.
    #expect(try await edit(id, "third", bench).row.id != id)
    try await bench.stop()
  }

  /// What is being given its form is published as it is: an edit comes too late, and says so.
  @Test func editAtTheMomentOfPublishingIsRefused() async throws {
    let bench = try await PostBench()
    let asked = bench.publish("first", at: bench.clock.now + .seconds(60))
    await bench.run()
    let id = try #require(try asked.result?.get().post.row.id)
    bench.clock.now = bench.clock.now + .seconds(60)
    bench.put(.lookAtSchedules)
    await bench.run()
    #expect(bench.decider.composing.contains(id))
    let (edited, released) = (PostBench.Answer<StoredPost>(), PostBench.Answer<StoredPost>())
    bench.put(.rewrite(id, PostRequest(channel: bench.channel, text: "second"), edited.reply))
    let later = PostRelease(post: id, at: bench.clock.now + .seconds(600), tolerance: 60)
    bench.put(.release(later, released.reply))
    await bench.run()
    #expect(throws: BatonError.busy) { try edited.result?.get() }
    #expect(try released.result?.get().row.schedule?.publishAt == bench.clock.now, "it is on its way")
    bench.compose(id, as: "post1")
    try await bench.move { try bench.statuses(id) == [.verified] }
    #expect(try bench.store.post(id)?.row.text == "first")
    #expect(bench.network.posts.violations.isEmpty)
  }
}
