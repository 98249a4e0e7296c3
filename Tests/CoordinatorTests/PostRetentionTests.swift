import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts that are kept only so long: they lose what they say, stay what they are, and are never sent again.
@Suite(.timeLimit(.minutes(10)))
struct PostRetentionTests {
  private static let (first, second) = ("ws://r1", "ws://r2")

  /// A channel with posts that readers find on all of its relays.
  private func begin(
    _ count: Int, relays: Int = 1, upkeep: UpkeepPolicy? = nil
  ) async throws -> (bench: Bench, channel: ChannelID, posts: [PostID]) {
    let bench = try await Bench(upkeep: upkeep, posts: true)
    let channel = try await bench.readyChannel(on: relays)
    var posts: [PostID] = []
    for number in 1...count {
      posts.append(try await bench.publish("post \(number)", in: channel, key: "k\(number)").row.id)
    }
    try await bench.waitForPosts { try posts.allSatisfy { try bench.statuses($0).allSatisfy { $0 == .verified } } }
    return (bench, channel, posts)
  }

  private func check(_ bench: Bench) {
    #expect(bench.network.posts.violations.isEmpty, "\(bench.network.posts.violations)")
  }

  // MARK: - What is forgotten

  @Test func postsBeyondTheNewestLoseWhatTheySay() async throws {
    let (bench, channel, posts) = try await begin(4, relays: 2)
    let before = try await bench.post(posts[0])
    #expect(try await bench.keep(channel, count: 2) == PostRetention(channel: channel, count: 2))
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, true, false, false] }
    let post = try await bench.post(posts[0])
    #expect(post.row.text.isEmpty && post.row.forgottenAt == bench.clock.now)
    #expect(post.row.document == PostDocument(networkID: "post1", author: "key", text: "remnant of post1"))
    #expect(post.row.idempotencyKey == "k1" && post.row.requestDigest == before.row.requestDigest)
    #expect(post.relays == before.relays && post.phase == .published && post.link == before.link)
    #expect(post.row.createdAt == before.row.createdAt && post.row.revision > before.row.revision)
    #expect(post.summary == "Post is on 2 of 2 relays. Its text was forgotten here.")
    #expect(try await bench.post(posts[3]).row.text == "post 4")
    #expect(bench.log.entries.contains { $0.message.hasSuffix("at the end of their retention: 2") })
    #expect(bench.network.posts.isStored(posts[0], at: Self.first), "relays go on showing it")
    #expect(try bench.store.check().problems.isEmpty)
    // Nothing more goes until there are newer ones.
    _ = try await bench.keep(channel, count: 2)
    try await bench.settlePosts()
    #expect(try bench.forgotten(posts) == [true, true, false, false])
    check(bench)
    try await bench.stop()
  }

  @Test func postsGoWhenTheyAreOldEnough() async throws {
    let (bench, channel, posts) = try await begin(1, upkeep: UpkeepPolicy())
    _ = try await bench.keep(channel, days: 2)
    bench.clock.advance(by: .seconds(2 * 86_400 - 700))
    try await bench.settlePosts()
    let later = try await bench.publish("later", in: channel).row.id
    #expect(try bench.forgotten(posts + [later]) == [false, false])
    let due = try #require(try bench.store.post(posts[0])).row.createdAt + .seconds(2 * 86_400)
    try await bench.movePosts { try bench.forgotten(posts + [later]) == [true, false] }
    #expect(bench.clock.now >= due && bench.clock.now <= due + .seconds(1_300))
    try await bench.stop()
  }

  @Test func manyAreForgottenPageByPage() async throws {
    let bench = try await PostBench()
    let count = 2 * PostForgetting.pageMax + 3
    for number in 1...count { bench.publish("post \(number)") }
    try await bench.move { try bench.count(.verified) == count }
    let answer = bench.keep(1)
    try await bench.move { try bench.forgottenCount() == count - 1 }
    #expect(try answer.result?.get() == PostRetention(channel: bench.channel, count: 1))
    #expect(try bench.store.post(PostID(rawValue: Int64(count)))?.row.text == "post \(count)")
    #expect(bench.decider.awake.isEmpty && bench.network.posts.mostDepartures == 1)
  }

  @Test func postThatWasNotPublishedInTimeIsForgottenToo() async throws {
    let (bench, channel, _) = try await begin(1)
    let due = bench.clock.now + .seconds(60)
    let expired = try await bench.publish("never", in: channel, at: due, tolerance: 60).row.id
    let later = try await bench.publish("later", in: channel, at: bench.clock.now + .seconds(9 * 86_400)).row.id
    bench.clock.advance(by: .seconds(86_400))
    try await bench.waitForPosts { try bench.store.post(expired)?.row.isExpired == true }
    _ = try await bench.publish("newest", in: channel)
    try await bench.settlePosts()
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten([expired]) == [true] }
    let post = try await bench.post(expired)
    #expect(post.phase == .expired && post.row.schedule?.request == "" && post.row.text.isEmpty)
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(expired) }
    #expect(refusal?.isAboutForgotten == true)
    #expect(try await bench.post(later).phase == .scheduled && bench.forgotten([later]) == [false])
    #expect(try await bench.coordinator.deletePost(expired).phase == .deleted)
    try await bench.stop()
  }

  // MARK: - What stays

  @Test func postThatIsOnItsWayStays() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 2)
    bench.network.set(.away, at: Self.second)
    let posts = try await (1...3).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    try await bench.waitForPosts { try posts.allSatisfy { try bench.statuses($0) == [.verified, .pending] } }
    _ = try await bench.keep(channel, count: 1)
    try await bench.settlePosts()
    #expect(try bench.forgotten(posts) == [false, false, false])
    bench.network.set(.works, at: Self.second)
    try await bench.movePosts { try posts.allSatisfy { try bench.statuses($0) == [.verified, .verified] } }
    #expect(try bench.forgotten(posts) == [false, false, false])
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, true, false] }
    check(bench)
    try await bench.stop()
  }

  @Test func relayThatFailsForLongerThanPostsAreKeptDoesNotGetIt() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 2)
    bench.network.set(.refuses, at: Self.second)
    let posts = try await (1...2).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    try await bench.waitForPosts { try posts.allSatisfy { try bench.statuses($0) == [.verified, .failed] } }
    bench.clock.advance(by: .seconds(3 * 86_400))
    try await bench.settlePosts()
    _ = try await bench.keep(channel, count: 1)
    try await bench.settlePosts()
    #expect(try bench.forgotten(posts) == [false, false], "it is tried again for a month")
    _ = try await bench.keep(channel, days: 3)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, true] }
    #expect(try bench.statuses(posts[0]) == [.verified, .skipped])
    let trouble = try #require(try await bench.post(posts[0]).relays.last?.record.trouble)
    #expect(trouble.cause == .rejected && trouble.detail.hasPrefix("forgotten here before the relay had it: "))
    let departures = bench.network.posts.departures(of: posts[0], for: Self.second)
    bench.network.set(.works, at: Self.second)
    bench.clock.advance(by: .seconds(2 * 86_400))
    try await bench.settlePosts()
    #expect(bench.network.posts.departures(of: posts[0], for: Self.second) == departures)
    #expect(try bench.statuses(posts[0]) == [.verified, .skipped])
    check(bench)
    try await bench.stop()
  }

  @Test func postThatAwaitsItsReplacementStays() async throws {
    let (bench, channel, posts) = try await begin(1)
    bench.network.posts.change(at: Self.first) { $0.holdsTurns = true }
    _ = try await bench.coordinator.editPost(posts[0], as: PostRequest(channel: channel, text: "better"))
    _ = try await bench.keep(channel, count: 1)
    try await bench.settlePosts()
    #expect(try bench.forgotten(posts) == [false])
    bench.network.giveTurns(at: Self.first)
    try await bench.waitForPosts { try bench.statuses(posts[0]) == [.deleted] }
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true] }
    #expect(try await bench.post(posts[0]).summary == "Post is deleted. Post 2 takes its place. Its text was forgotten here.")
    try await bench.stop()
  }

  // MARK: - Forgotten posts

  @Test func forgottenPostIsNeitherEditedNorSentAgainButCanBeReferredTo() async throws {
    let (bench, channel, posts) = try await begin(2)
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false] }
    let old = posts[0]
    for refusal in [
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(old) },
      await bench.refusal { () throws(BatonError) in
        try await bench.coordinator.editPost(old, as: PostRequest(channel: channel, text: "better"))
      },
    ] {
      #expect(refusal?.isAboutForgotten == true, "\(String(describing: refusal))")
    }
    #expect(bench.coordinator.actions(on: try await bench.post(old)).map(\.forecast.canEdit) == [false])
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.cancelPost(old) }
        == .post(.notCancellable(old)))
    // The same request gives the same post.
    let request = PostRequest(channel: channel, text: "post 1", idempotencyKey: "k1")
    let again = try await bench.coordinator.publish(request)
    #expect(again.post.row.id == old && !again.isNew && again.post.row.text.isEmpty && again.post.row.forgottenAt != nil)
    let other = await bench.refusal { () throws(BatonError) in try await bench.publish("post 2", in: channel, key: "k1") }
    #expect(other == .post(.keyReused(old, isDeleted: false)))
    let reply = try await bench.publish("yes", in: channel, replyTo: old, quotes: [old]).row
    #expect(reply.replyTo == old && reply.document.text.contains("answers post1 at"))
    try await bench.settlePosts()
    #expect(bench.network.posts.departures(of: old, for: Self.first) == 1)
    check(bench)
    try await bench.stop()
  }

  @Test func forgottenPostIsDeletedLikeOthers() async throws {
    let (bench, channel, posts) = try await begin(2, relays: 2)
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false] }
    bench.network.posts.change(at: Self.second) { $0.keepsDeleted = true }
    let deletion = try await bench.coordinator.deletePost(posts[0], reason: "gone").row.deletion
    #expect(deletion?.networkID == "deletion of post1" && deletion?.text == "gone")
    try await bench.movePosts { try bench.statuses(posts[0]) == [.deleted, .stillServed] }
    bench.network.posts.change(at: Self.second) { $0.keepsDeleted = false }
    try await bench.movePosts { try bench.statuses(posts[0]) == [.deleted, .deleted] }
    #expect(try await bench.post(posts[0]).summary == "Post is deleted. Its text was forgotten here.")
    check(bench)
    try await bench.stop()
  }

  /// The tombstone is enough to ask again.
  @Test func deletedPostIsForgottenAndDeletedAgainWhereItIsServed() async throws {
    let (bench, channel, posts) = try await begin(2)
    _ = try await bench.coordinator.deletePost(posts[0])
    try await bench.waitForPosts { try bench.statuses(posts[0]) == [.deleted] }
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false] }
    #expect(try bench.store.post(posts[0])?.row.deletion?.networkID == "deletion of post1")
    bench.network.posts.serveAgain(posts[0], named: "post1", at: Self.first)
    try await bench.compareAgain()
    try await bench.movePosts { !bench.network.posts.isStored(posts[0], at: Self.first) }
    try await bench.waitForPosts { try bench.statuses(posts[0]) == [.deleted] }
    check(bench)
    try await bench.stop()
  }

  /// A relay that stays away must not keep what someone wanted gone.
  @Test func deletedPostIsForgottenThoughARelayWasNotToldYet() async throws {
    let (bench, channel, posts) = try await begin(2, relays: 2)
    bench.network.set(.away, at: Self.second)
    _ = try await bench.coordinator.deletePost(posts[0], reason: "gone")
    try await bench.waitForPosts { try bench.statuses(posts[0]) == [.deleted, .deleting] }
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false] }
    #expect(try bench.store.post(posts[0])?.row.deletion?.text == "gone")
    #expect(bench.network.posts.isStored(posts[0], at: Self.second))
    bench.network.set(.works, at: Self.second)
    try await bench.movePosts { try bench.statuses(posts[0]) == [.deleted, .deleted] }
    #expect(!bench.network.posts.isStored(posts[0], at: Self.second))
    check(bench)
    try await bench.stop()
  }

  @Test func relayThatLosesAForgottenPostDoesNotGetItAgain() async throws {
    let (bench, channel, posts) = try await begin(2)
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false] }
    for post in posts { bench.network.posts.lose(post, at: Self.first) }
    try await bench.compareAgain()
    try await bench.movePosts { bench.network.posts.isStored(posts[1], at: Self.first) }
    try await bench.settlePosts()
    #expect(!bench.network.posts.isStored(posts[0], at: Self.first))
    #expect(posts.map { bench.network.posts.departures(of: $0, for: Self.first) } == [1, 2])
    #expect(try bench.statuses(posts[0]) == [.verified])
    check(bench)
    try await bench.stop()
  }

  @Test func relayThatIsAddedDoesNotGetIt() async throws {
    let bench = try await Bench(posts: true)
    let relays = try await bench.addRelays(2)
    let channel = try await bench.create(relays: [relays[0]]).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    let posts = try await (1...3).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    try await bench.waitForPosts { try posts.allSatisfy { try bench.statuses($0) == [.verified] } }
    _ = try await bench.keep(channel, count: 2)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false, false] }
    _ = try await bench.coordinator.addRelays([relays[1]], to: channel)
    try await bench.movePosts {
      try bench.statuses(posts[1]) == [.verified, .verified] && bench.statuses(posts[2]) == [.verified, .verified]
    }
    #expect(try bench.store.postRoutes(of: [channel]).map(\.status) == [.joined, .joined])
    #expect(try bench.statuses(posts[0]) == [.verified])
    check(bench)
    try await bench.stop()
  }

  // MARK: - Requests and faults

  @Test func limitsThatCannotBeAreRefused() async throws {
    let (bench, channel, _) = try await begin(1)
    for (days, count, field) in [
      (0, nil, "keepDays"), (36_501, nil, "keepDays"), (-1, 5, "keepDays"), (nil, 0, "keepCount"), (7, 1_000_001, "keepCount"),
    ] as [(Int?, Int?, String)] {
      let refusal = await bench.refusal { () throws(BatonError) in try await bench.keep(channel, days: days, count: count) }
      guard case .post(.invalidRetention(field, _)) = refusal else {
        Issue.record("\(String(describing: refusal))")
        continue
      }
    }
    let unknown = ChannelID(rawValue: 99)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.keep(unknown, days: 1) } == .noSuchChannel(unknown))
    bench.storage.isBroken = true
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.keep(channel, days: 1) }
    #expect(refusal == .storageUnavailable(reason: "database or disk is full"))
    bench.storage.isBroken = false
    #expect(try bench.store.postRetention(of: channel).isUnlimited)
    try await bench.stop()
  }

  /// What was counted for the first one says nothing of the second.
  @Test func retentionThatIsSetTwiceAtOnceIsTheSecond() async throws {
    let bench = try await PostBench()
    for number in 1...3 { bench.publish("post \(number)") }
    try await bench.move { try bench.count(.verified) == 3 }
    _ = bench.keep(10)
    await bench.decide()
    let answer = bench.keep(1)
    // The walk that the first one began is decided together with the second.
    bench.put(.timersDue)
    await bench.land()
    #expect(try answer.result?.get() == PostRetention(channel: bench.channel, count: 1))
    #expect(try bench.forgottenCount() == 2)
  }

  @Test func limitIsRefusedWherePostsAreNeverForgotten() async throws {
    let (bench, channel, _) = try await begin(1)
    bench.network.posts.editsInPlace = true
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.keep(channel, days: 1) }
    #expect(refusal == .post(.notSupported(.nostr, reason: "posts that change are not forgotten")))
    #expect(try bench.store.postRetention(of: channel).isUnlimited)
    #expect(try await bench.keep(channel).isUnlimited, "no limit is what they have")
    try await bench.stop()
  }

  @Test func retentionThatIsTakenBackKeepsWhatIsLeft() async throws {
    let (bench, channel, posts) = try await begin(2)
    _ = try await bench.keep(channel, count: 1)
    try await bench.waitForPosts { try bench.forgotten(posts) == [true, false] }
    #expect(try await bench.keep(channel).isUnlimited)
    let later = try await bench.publish("later", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.forgotten(posts + [later]) == [true, false, false])
    try await bench.stop()
  }

  /// What stays must name what the post is called now, and not what it was called when storage was asked.
  @Test func postThatGetsAnotherNameWithTheWalkKeepsThatName() async throws {
    let bench = try await PostBench()
    bench.network.posts.change(at: Self.first) { $0.holdsTurns = true }
    for number in 1...2 { bench.publish("post \(number)") }
    await bench.run()
    bench.network.set(.silent, at: Self.first)
    let (id, relay) = (PostID(rawValue: 1), RelayID(rawValue: 1))
    func form(_ name: String) -> PostDocument { PostDocument(networkID: name, author: "key", text: "attempts: \(name)") }
    let number = try #require(bench.decider.awake[id]?.machine(at: relay)?.underWay?.operation)
    bench.report(.handedOver, of: id, number: number, form: form("attempt"))
    await bench.run()
    bench.report(.accepted, of: id, number: number)
    await bench.run()
    let reading = try #require(bench.decider.awake[id]?.machine(at: relay)?.underWay?.operation)
    _ = bench.keep(1)
    await bench.decide()
    // The walk is decided together with what readers found.
    bench.report(.verified(edition: 1), of: id, number: reading, form: form("found"))
    bench.put(.timersDue)
    await bench.land()
    _ = bench.keep(1)
    try await bench.move { try bench.forgottenCount() == 1 }
    #expect(
      try bench.store.post(id)?.row.document == PostDocument(networkID: "found", author: "key", text: "remnant of found"))
  }

  /// On some networks only the form says which relays were told.
  @Test func whatBecomesOfTheDeletionOfAForgottenPostIsKept() async throws {
    let bench = try await PostBench()
    for number in 1...2 { bench.publish("post \(number)") }
    try await bench.move { try bench.count(.verified) == 2 }
    _ = bench.keep(1)
    try await bench.move { try bench.forgottenCount() == 1 }
    let (id, relay) = (PostID(rawValue: 1), RelayID(rawValue: 1))
    let name = try #require(try bench.store.post(id)?.row.document.networkID)
    func form(_ text: String) -> PostDocument { PostDocument(networkID: name, author: "key", text: text) }
    func operation() throws -> Int { try #require(bench.decider.awake[id]?.machine(at: relay)?.underWay?.operation) }
    func text() throws -> String? { try bench.store.post(id)?.row.document.text }
    bench.network.set(.silent, at: Self.first)
    _ = bench.delete(id)
    await bench.run()
    let withdrawal = try operation()
    bench.report(.withdrawn, of: id, number: withdrawal, form: form("told"))
    await bench.run()
    #expect(try text() == "told")
    // What comes late may speak of what it was before.
    bench.report(.verified(edition: 1), of: id, number: withdrawal, form: form("post 1"))
    bench.report(.missing, of: id, number: try operation())
    await bench.run()
    bench.report(.verified(edition: 1), of: id, number: withdrawal + 1, form: form("post 1"))
    await bench.run()
    #expect(try text() == "told" && bench.statuses(id) == [.deleted])
  }

  @Test func postThatCannotBeStoredAsForgottenStaysWhatItIs() async throws {
    let bench = try await PostBench()
    for number in 1...3 { bench.publish("post \(number)") }
    try await bench.move { try bench.count(.verified) == 3 }
    let answer = bench.keep(1)
    await bench.run { if answer.result != nil { bench.storage.isBroken = true } }
    #expect(try answer.result?.get() != nil && bench.forgottenCount() == 0)
    #expect(try bench.store.post(PostID(rawValue: 1))?.row.text == "post 1" && bench.decider.trouble != nil)
    bench.storage.isBroken = false
    try await bench.move { bench.decider.recovering.isEmpty }
    _ = bench.keep(1)
    try await bench.move { try bench.forgottenCount() == 2 }
    #expect(try bench.store.check().problems.isEmpty && bench.network.posts.mostDepartures == 1)
  }
}

extension Bench {
  func keep(
    _ channel: ChannelID, days: Int? = nil, count: Int? = nil
  ) async throws(BatonError) -> PostRetention {
    try await coordinator.setRetention(PostRetention(channel: channel, days: days, count: count))
  }

  /// Which of these posts are forgotten.
  fileprivate func forgotten(_ posts: [PostID]) throws -> [Bool] {
    try posts.map { try store.post($0)?.row.forgottenAt != nil }
  }

  /// The first relay is gone for a moment, and is compared when it is back.
  fileprivate func compareAgain() async throws {
    // What was verified at the very moment at which a comparison begins does not count.
    clock.advance(by: PostComparisons.recent)
    let relay = RelayID(rawValue: 1)
    let before = network.posts.comparisons.count
    network.send(.relayDown(relay, Trouble(.unreachable, "it restarts")))
    network.send(.relayUp(relay, roundTrip: .zero))
    try await movePosts { network.posts.comparisons.count > before }
  }
}

extension PostBench {
  fileprivate func forgottenCount() throws -> Int {
    let ids = try store.posts(of: channel, before: PostID(rawValue: .max), limit: 100_000)
    return try store.posts(Set(ids)).found.values.count { $0.row.forgottenAt != nil }
  }
}

extension BatonError {
  fileprivate var isAboutForgotten: Bool {
    guard case .post(.invalidPost("id", let reason)) = self else { return false }
    return reason.contains("was forgotten, because its channel keeps posts only so long")
  }
}
