import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Posts that are published later.
struct PostScheduleTests {
  private func ready(relays: Int = 1) async throws -> (bench: Bench, channel: ChannelID) {
    let bench = try await Bench(posts: true)
    return (bench, try await bench.readyChannel(on: relays))
  }

  private func verified(_ id: PostID, _ bench: Bench, relays: Int = 1) throws -> Bool {
    try bench.statuses(id) == Array(repeating: .verified, count: relays)
  }

  private func isExpired(_ id: PostID, _ bench: Bench) throws -> Bool { try bench.store.post(id)?.row.isExpired == true }

  private func text(_ time: Timestamp) -> String { RFC3339.text(milliseconds: time.milliseconds) }

  // MARK: - In time

  /// Messages, truncation and schedules are dated with it, too.
  @Test func timeOfDayDatesPosts() async throws {
    let (bench, channel) = try await ready(relays: 1)
    bench.clock.set(ahead: .seconds(3_600))
    let begin = bench.clock.timeOfDay
    let post = try await bench.publish("now", in: channel)
    #expect(post.row.createdAt >= begin && post.row.createdAt <= bench.clock.timeOfDay)
    let due = bench.clock.timeOfDay + .seconds(600)
    let later = try await bench.coordinator.publish(PostRequest(channel: channel, text: "later", at: due)).post.row.id
    bench.clock.advance(by: .seconds(600))
    try await bench.waitForPosts { try verified(later, bench, relays: 1) }
    #expect(try await bench.post(later).row.createdAt >= due)
    try await bench.stop()
  }

  @Test func postIsPublishedWhenItIsDueAndNotBefore() async throws {
    let (bench, channel) = try await ready(relays: 2)
    let due = bench.clock.now + .seconds(600)
    let (post, isNew) = try await bench.coordinator.publish(PostRequest(channel: channel, text: "later", at: due))
    let id = post.row.id
    #expect(isNew && post.phase == .scheduled && post.hasSettled && post.relays.isEmpty && post.link == nil)
    #expect(post.summary == "Post will be published at \(text(due))." && post.row.text == "later")
    bench.clock.advance(by: .milliseconds(599_999))
    try await bench.settlePosts()
    #expect(try await bench.post(id).phase == .scheduled && bench.network.posts.operations == 0)
    let between = try await bench.publish("now", in: channel).row.id
    bench.clock.advance(by: .milliseconds(1))
    try await bench.waitForPosts { try verified(id, bench, relays: 2) && verified(between, bench, relays: 2) }
    let done = try await bench.post(id)
    #expect(done.phase == .published && done.row.createdAt == due && done.row.schedule?.request == nil)
    #expect(done.row.schedule?.publishAt == due && done.row.document.text == "later" && done.link != nil)
    for address in ["ws://r1", "ws://r2"] { #expect(bench.network.posts.departures(of: id, for: address) == 1) }
    #expect(try bench.store.postRoutes(of: [channel]).map(\.status) == [.joined, .joined])
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func manyThatAreDueAtOnceAreAllPublished() async throws {
    let (bench, channel) = try await ready()
    let due = bench.clock.now + .seconds(30)
    let count = PostDecider.schedulesMax * 2 + 3
    let posts = try await (1...count).asyncMap { try await bench.publish("post \($0)", in: channel, at: due).row.id }
    bench.clock.advance(by: .seconds(30))
    try await bench.waitForPosts { try posts.allSatisfy { try verified($0, bench) } }
    for id in posts { #expect(bench.network.posts.departures(of: id, for: "ws://r1") == 1) }
    try await bench.stop()
  }

  @Test func postOfAFrozenChannelWaitsWithinItsTolerance() async throws {
    let (bench, channel) = try await ready()
    let due = bench.clock.now + .seconds(60)
    let first = try await bench.publish("first", in: channel, at: due).row.id
    let second = try await bench.publish("second", in: channel, at: due + .seconds(600), tolerance: 60).row.id
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: true))
    bench.clock.advance(by: .seconds(60))
    try await bench.settlePosts()
    #expect(try await bench.post(first).phase == .scheduled && bench.network.posts.operations == 0)
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: false))
    try await bench.movePosts { try verified(first, bench) }
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: true))
    try await bench.movePosts { try isExpired(second, bench) }
    let summary = try await bench.post(second).summary
    #expect(summary.contains("could be published until"), "\(summary)")
    try await bench.stop()
  }

  @Test func postsOfAFrozenChannelDoNotHoldUpOthers() async throws {
    let (bench, channel) = try await ready()
    let other = try await bench.create(relays: try #require(bench.store.channel(channel)).relays.map(\.relay)).row.id
    _ = try await bench.channel(other) { $0.phase == .active }
    let due = bench.clock.now + .seconds(60)
    for number in 0..<PostDecider.schedulesMax + 1 { _ = try await bench.publish("frozen \(number)", in: channel, at: due) }
    let last = try await bench.publish("other", in: other, at: due + .seconds(1)).row.id
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: true))
    bench.clock.advance(by: .seconds(61))
    try await bench.waitForPosts { try verified(last, bench) }
    // All of them follow at once when that is over.
    let frozen = try bench.store.posts(of: channel, before: PostID(rawValue: .max), limit: 100)
    #expect(try frozen.allSatisfy { try bench.store.post($0)?.row.isScheduled == true })
    _ = try await bench.coordinator.update(channel, ChannelEdit(isFrozen: false))
    try await bench.waitForPosts { try frozen.allSatisfy { try verified($0, bench) } }
    try await bench.stop()
  }

  @Test func timeThatIsJustOverPublishesAtOnce() async throws {
    let (bench, channel) = try await ready()
    let post = try await bench.publish("a", in: channel, at: bench.clock.now + .seconds(-3_600))
    #expect(post.phase == .pending && post.row.schedule == nil)
    try await bench.waitForPosts { try verified(post.row.id, bench) }
    try await bench.stop()
  }

  @Test func postGoesToTheRelaysThatItsChannelHasThen() async throws {
    let bench = try await Bench(posts: true)
    let relays = try await bench.addRelays(3)
    let channel = try await bench.create(relays: [relays[0], relays[2]]).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    let due = bench.clock.now + .seconds(600_000)
    let later = try await bench.publish("later", in: channel, at: due).row.id
    let others = try await (1...3).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    _ = try await bench.coordinator.addRelays([relays[1]], to: channel)
    _ = try await bench.coordinator.removeRelay(relays[2], from: channel)
    try await bench.movePosts { try bench.store.postRoutes(of: [channel]).map(\.status) == [.joined, .joined, .left] }
    #expect(try bench.store.post(later)?.deliveries.isEmpty == true)
    bench.clock.advance(by: due - bench.clock.now)
    try await bench.waitForPosts { try verified(later, bench, relays: 2) }
    #expect(try bench.store.post(later)?.deliveries.map(\.relay) == [relays[0], relays[1]])
    for id in others { #expect(try bench.store.post(id)?.deliveries.map(\.hasDeparted) == [false, false, true]) }
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func clockThatIsSetIsFollowed() async throws {
    let (bench, channel) = try await ready()
    let post = try await bench.publish("a", in: channel, at: bench.clock.now + .seconds(7_200), tolerance: 60).row.id
    bench.clock.set(ahead: .seconds(7_190))
    bench.clock.advance(by: PostDecider.scheduleLookInterval)
    try await bench.waitForPosts { try verified(post, bench) }
    try await bench.stop()
  }

  // MARK: - Requests

  @Test func timesThatCannotBeAreRefused() async throws {
    let (bench, channel) = try await ready()
    let now = bench.clock.now
    func field(_ text: String = "a", at: Timestamp?, tolerance: Int? = nil) async -> String? {
      let refusal = await bench.refusal { () throws(BatonError) in
        try await bench.publish(text, in: channel, at: at, tolerance: tolerance)
      }
      guard case .post(.invalidPost(let field, _)) = refusal else { return nil }
      return field
    }
    #expect(await field(at: now + .seconds(-3_601)) == "at")
    #expect(await field(at: now + .seconds(-61), tolerance: 60) == "at")
    #expect(await field(at: now + .seconds(367 * 86_400)) == "at")
    for tolerance in [-1, 0, 59, 31_622_401, .max] {
      #expect(await field(at: now + .seconds(60), tolerance: tolerance) == "tolerance", "\(tolerance)")
    }
    #expect(await field(at: nil, tolerance: 60) == "tolerance")
    #expect(await field("refuse me", at: now + .seconds(60)) == "text", "what cannot be published is refused at once")
    #expect(try bench.store.postCounters().post == 0)
    try await bench.stop()
  }

  @Test func keyCoversTheTime() async throws {
    let (bench, channel) = try await ready()
    let due = bench.clock.now + .seconds(60)
    let post = try await bench.publish("a", in: channel, key: "k", at: due).row.id
    #expect(try await bench.publish("a", in: channel, key: "k", at: due).row.id == post)
    for other in [nil, due + .seconds(1)] {
      let refusal = await bench.refusal { () throws(BatonError) in
        try await bench.publish("a", in: channel, key: "k", at: other)
      }
      #expect(refusal == .post(.keyReused(post, isDeleted: false)))
    }
    bench.clock.advance(by: .seconds(86_400))
    try await bench.waitForPosts { try isExpired(post, bench) }
    #expect(try await bench.publish("a", in: channel, key: "k", at: due).row.id == post, "its time is over")
    try await bench.stop()
  }

  @Test func nobodyCanReferToWhatIsNotPublished() async throws {
    let (bench, channel) = try await ready()
    let post = try await bench.publish("a", in: channel, at: bench.clock.now + .seconds(60)).row.id
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.publish("b", in: channel, replyTo: post) }
    #expect(
      refusal == .post(.invalidPost(field: "replyTo", reason: "post 1 is not published yet. Refer to it once it is")))
    bench.clock.advance(by: .seconds(60))
    try await bench.waitForPosts { try verified(post, bench) }
    _ = try await bench.publish("b", in: channel, replyTo: post)
    try await bench.stop()
  }

  @Test func storedRequestIsTheRequest() {
    let attachments = [
      PostDraft.Attachment(
        url: "https://a.example/1", sha256: "ab", mimeType: "image/jpeg", sizeBytes: 7, dimensions: .init(width: 3, height: 4),
        altText: "a \"bridge\"", blurhash: "LEHV", fallbacks: ["https://b.example/1"]),
      PostDraft.Attachment(url: "https://a.example/2"),
    ]
    let full = PostRequest(
      channel: ChannelID(rawValue: 3), text: "Grüße\n🙂", replyTo: PostID(rawValue: 4),
      quotes: [PostID(rawValue: 6), PostID(rawValue: 5)], mentions: ["npub1"], contentWarning: "", hashtags: ["b", "a"],
      emoji: ["x": "https://a.example/x"], attachments: attachments, at: Timestamp(milliseconds: 1_750_000_000_001),
      tolerance: 90)
    let plain = PostRequest(channel: ChannelID(rawValue: 1), text: "")
    for request in [full, plain] { #expect(PostRequest(stored: request.json.text) == request) }
    for text in ["", "{}", "[]", "{\"channel\":1,\"text\":\"a\"}"] { #expect(PostRequest(stored: text) == nil, "\(text)") }
  }

  // MARK: - Too late

  @Test func postIsPublishedAfterADowntimeWithinTheTolerance() async throws {
    let (bench, channel) = try await ready()
    let due = bench.clock.now + .seconds(60)
    let soon = try await bench.publish("soon", in: channel, at: due, tolerance: 600).row.id
    let late = try await bench.publish("late", in: channel, at: due, tolerance: 599).row.id
    let future = try await bench.publish("future", in: channel, at: bench.clock.now + .seconds(661)).row.id
    try await bench.stop()
    bench.clock.advance(by: .seconds(660))
    let again = try await Bench(bench, posts: true)
    try await again.waitForPosts { try verified(soon, again) && isExpired(late, again) }
    #expect(try await again.post(future).phase == .scheduled)
    let expired = try await again.post(late)
    #expect(expired.phase == .expired && expired.hasSettled && expired.row.document == .none)
    #expect(
      expired.row.schedule?.trouble
        == "it was due at \(text(due)), and could be published until \(text(due + .seconds(599)))")
    #expect(again.log.entries.count { $0.fields["MESSAGE_ID"] == JournalEvent.postExpired.rawValue } == 1)
    again.clock.advance(by: .seconds(1))
    try await again.waitForPosts { try verified(future, again) }
    #expect(try isExpired(late, again) && again.network.posts.departures(of: late, for: "ws://r1") == 0)
    // Who wants it all the same says so.
    #expect(try await again.coordinator.retryPost(late).phase != .expired)
    try await again.waitForPosts { try verified(late, again) }
    for id in [soon, late, future] { #expect(again.network.posts.departures(of: id, for: "ws://r1") == 1) }
    try await again.stop()
  }

  @Test func postOfADeletedChannelIsNotPublished() async throws {
    let (bench, channel) = try await ready()
    let post = try await bench.publish("a", in: channel, at: bench.clock.now + .seconds(600)).row.id
    _ = try await bench.coordinator.delete(channel)
    bench.clock.advance(by: .seconds(600))
    try await bench.waitForPosts { try isExpired(post, bench) }
    #expect(try await bench.post(post).summary == "Post was not published: its channel was deleted.")
    try await bench.stop()
  }

  @Test func replyToAPostThatWasDeletedIsNotPublished() async throws {
    let (bench, channel) = try await ready()
    let parent = try await bench.publish("parent", in: channel).row.id
    let reply = try await bench.publish("reply", in: channel, replyTo: parent, at: bench.clock.now + .seconds(600)).row.id
    _ = try await bench.coordinator.deletePost(parent)
    bench.clock.advance(by: .seconds(600))
    try await bench.waitForPosts { try isExpired(reply, bench) }
    #expect(try bench.store.post(reply)?.row.schedule?.trouble == "post 1 was deleted. Refer to another")
    try await bench.stop()
  }

  // MARK: - Taken back

  @Test func cancelledPostIsNotPublished() async throws {
    let (bench, channel) = try await ready()
    let post = try await bench.publish("a", in: channel, at: bench.clock.now + .seconds(60)).row.id
    let cancelled = try await bench.coordinator.cancelPost(post)
    #expect(cancelled.phase == .expired && cancelled.row.schedule?.trouble == "it was cancelled")
    #expect(try await bench.coordinator.cancelPost(post).phase == .expired)
    bench.clock.advance(by: .seconds(120))
    try await bench.settlePosts()
    #expect(try isExpired(post, bench) && bench.network.posts.operations == 0)
    _ = try await bench.coordinator.retryPost(post)
    try await bench.waitForPosts { try verified(post, bench) }
    try await bench.stop()
  }

  @Test func deletedPostIsNotPublished() async throws {
    let (bench, channel) = try await ready()
    let due = bench.clock.now + .seconds(60)
    let post = try await bench.publish("a", in: channel, key: "k", at: due).row.id
    let deleted = try await bench.coordinator.deletePost(post)
    #expect(deleted.phase == .deleted && deleted.row.deletedAt == bench.clock.now && deleted.row.deletion == nil)
    bench.clock.advance(by: .seconds(120))
    _ = try await bench.coordinator.retryPost(post)
    try await bench.settlePosts()
    #expect(try await bench.post(post).phase == .deleted && bench.network.posts.operations == 0)
    let refusal = await bench.refusal { () throws(BatonError) in
      try await bench.publish("a", in: channel, key: "k", at: due)
    }
    #expect(refusal == .post(.keyReused(post, isDeleted: true)))
    try await bench.stop()
  }

  // MARK: - Never twice

  @Test func postIsPublishedOnceWhenStorageFailsAsItIsDue() async throws {
    let (bench, channel) = try await ready()
    let due = bench.clock.now + .seconds(60)
    let post = try await bench.publish("a", in: channel, at: due).row.id
    bench.storage.isBroken = true
    try await bench.movePosts { bench.clock.now >= due + .seconds(5) }
    #expect(try await bench.post(post).phase == .scheduled && bench.network.posts.operations == 0)
    bench.storage.isBroken = false
    try await bench.movePosts { try verified(post, bench) }
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1 && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func onlyOneFormOfAPostIsTaken() async throws {
    let bench = try await PostBench()
    let answer = bench.publish("a", at: bench.clock.now + .seconds(60))
    await bench.run()
    let post = try #require(try answer.result?.get().post.row)
    // One that was composed for an earlier time, before the post had this one, is not taken.
    bench.compose(post.id, as: "post0")
    await bench.run()
    #expect(try bench.store.post(post.id)?.row == post)
    bench.clock.now = bench.clock.now + .seconds(60)
    bench.storage.isBroken = true
    bench.compose(post.id, as: "post1")
    await bench.run()
    #expect(try bench.store.post(post.id)?.row == post, "it could not be stored")
    bench.storage.isBroken = false
    bench.compose(post.id, as: "post2")
    bench.compose(post.id, as: "post3")
    await bench.run()
    try await bench.move { try bench.statuses(post.id) == [.verified] }
    bench.compose(post.id, as: "post4")
    await bench.run()
    #expect(try bench.store.post(post.id)?.row.document.networkID == "post2")
    #expect(bench.network.posts.departures(of: post.id, for: "ws://r1") == 1)
    #expect(bench.network.posts.violations.isEmpty)
  }

  @Test func formThatComesAfterACancellationIsDropped() async throws {
    let bench = try await PostBench()
    let answer = bench.publish("a", at: bench.clock.now + .seconds(60))
    await bench.run()
    let post = try #require(try answer.result?.get().post.row.id)
    let deletion = bench.delete(post)
    bench.compose(post, as: "post1")
    await bench.run()
    #expect(try deletion.result?.get().row.deletedAt != nil)
    #expect(try bench.store.post(post)?.deliveries.isEmpty == true && bench.network.posts.operations == 0)
  }
}
