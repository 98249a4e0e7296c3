import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts while storage fails: requests are answered honestly, nothing is lost, and nothing leaves that is not durable.
struct PostFaultTests {
  private func bench() async throws -> (bench: Bench, channel: ChannelID) {
    let bench = try await Bench(posts: true)
    return (bench, try await bench.readyChannel(on: 1))
  }

  @Test func whatCannotBeStoredIsNotPublished() async throws {
    let (bench, channel) = try await bench()
    bench.storage.isBroken = true
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.publish("a", in: channel, key: "k") }
    #expect(refusal == .storageUnavailable(reason: "database or disk is full"))
    #expect(try bench.store.postCounters().post == 0 && bench.network.posts.operations == 0)
    bench.storage.isBroken = false
    let post = try await bench.publish("a", in: channel, key: "k").row.id
    try await bench.movePosts { try bench.statuses(post) == [.verified] }
    #expect(post.rawValue == 1)
    try await bench.stop()
  }

  @Test func postWhoseDepartureCannotBeStoredStays() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.publish("a", in: channel).row.id
    bench.storage.isBroken = true
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(bench.network.posts.withheld == 1 && bench.network.posts.departures(of: post, for: "ws://r1") == 0)
    #expect(try bench.statuses(post) == [.pending])
    bench.storage.isBroken = false
    try await bench.movePosts { try bench.statuses(post) == [.verified] }
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1)
    try await bench.stop()
  }

  @Test func postThatWasToBeginWhenStorageFailedBeginsLater() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.away, at: "ws://r1")
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    let due = try #require(try bench.store.post(post)?.deliveries.first?.record.timer)
    bench.network.set(.works, at: "ws://r1")
    bench.storage.isBroken = true
    // Its time comes, and that it begins cannot be stored.
    try await bench.movePosts { bench.clock.now >= due }
    try await bench.movePosts { bench.clock.now >= due + .seconds(5) }
    #expect(try bench.statuses(post) == [.pending])
    bench.storage.isBroken = false
    try await bench.movePosts { try bench.statuses(post) == [.verified] }
    #expect(bench.clock.now < due + .seconds(60))
    try await bench.stop()
  }

  @Test func postThatWasStoredThoughTheAnswerWasLostIsDelivered() async throws {
    let (bench, channel) = try await bench()
    bench.storage.isDoubtful = true
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.publish("a", in: channel, key: "k") }
    #expect(refusal == .outcomeUnknown(reason: "the answer was lost"))
    bench.storage.isDoubtful = false
    let post = PostID(rawValue: 1)
    try await bench.movePosts { try bench.statuses(post) == [.verified] }
    #expect(try await bench.publish("a", in: channel, key: "k").row.id == post, "who asks again gets the same post")
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1)
    #expect(try await bench.publish("b", in: channel).row.id.rawValue == 2)
    try await bench.stop()
  }

  @Test func damagedPostDoesNotKeepOthersFromLeaving() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let posts = try await (1...3).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    let damaged = posts[1]
    bench.storage.refusePosts { mutation in
      if case .saveDelivery(damaged, _) = mutation { true } else { false }
    }
    bench.network.giveTurns(at: "ws://r1")
    try await bench.movePosts { try bench.statuses(posts[0]) + bench.statuses(posts[2]) == [.verified, .verified] }
    #expect(try bench.statuses(damaged) == [.pending])
    #expect(bench.network.posts.departures(of: damaged, for: "ws://r1") == 0 && bench.network.posts.withheld == 1)
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(damaged) }
    #expect(
      refusal
        == .storageUnavailable(reason: "post 2 is skipped, because Baton cannot read or store it"))
    #expect(bench.log.entries.count { $0.message.hasPrefix("post 2 could not be stored and is skipped") } == 1)
    try await bench.stop()
    let again = try await Bench(bench, posts: true)
    again.network.posts.change(at: "ws://r1") { $0.holdsTurns = false }
    try await again.movePosts { try again.statuses(damaged) == [.verified] }
    try await again.stop()
  }

  @Test func requestsSayThatStorageCannotBeRead() async throws {
    let (bench, channel) = try await bench()
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    bench.storage.arePostsUnreadable = true
    for refusal in [
      await bench.refusal { () throws(BatonError) in try await bench.publish("b", in: channel) },
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.deletePost(post) },
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(post) },
    ] {
      #expect(refusal == .storageUnavailable(reason: "the disk does not answer"))
    }
    bench.storage.arePostsUnreadable = false
    let next = try await bench.publish("b", in: channel).row.id
    try await bench.movePosts { try bench.statuses(next) == [.verified] }
    try await bench.stop()
  }

  @Test func requestsSayThatAPostIsDamaged() async throws {
    let (bench, channel) = try await bench()
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    bench.storage.damagedPosts = [post]
    for refusal in [
      await bench.refusal { () throws(BatonError) in try await bench.publish("b", in: channel, replyTo: post) },
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.deletePost(post) },
    ] {
      #expect(refusal == .storageDamaged(reason: "post \(post.rawValue) is damaged"))
    }
    bench.storage.damagedPosts = []
    try await bench.stop()
  }

  @Test func nothingLeavesOnceSomebodyElseOwnsTheStore() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.publish("a", in: channel).row.id
    bench.storage.isFenced = true
    bench.network.giveTurns(at: "ws://r1")
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.publish("b", in: channel) }
    // It was decided, or came too late.
    #expect(refusal == .busy || refusal == .storageUnavailable(reason: "another daemon owns what is stored"))
    await #expect(throws: StoreError.self) { try await bench.stop() }
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 0)
    #expect(try bench.store.postCounters().post == 1)
    bench.store.close()
  }
  @Test(.timeLimit(.minutes(10))) func daemonThatCannotDeliverPostsStops() async throws {
    let (bench, channel) = try await bench()
    bench.storage.isFenced = true
    _ = await bench.refusal { () throws(BatonError) in try await bench.publish("a", in: channel) }
    // No one asks it to, and channels have nothing to store.
    while !bench.coordinator.isStopped { await Task.yield() }
    await #expect(throws: StoreError.self) { try await bench.stop() }
    bench.store.close()
  }
}
