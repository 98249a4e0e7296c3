import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts while the daemon restarts, relays come and go, and relays cannot keep up.
struct PostJourneyTests {
  private func addresses(_ count: Int) -> [String] { (1...count).map { "ws://r\($0)" } }

  @Test func restartGoesOnAndPublishesNothingTwice() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 4)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    bench.network.posts.change(at: "ws://r2") { $0.isMute = true }
    bench.network.set(.away, at: "ws://r4")
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.pending, .sent, .verified, .pending])
    try await bench.stop()
    for address in ["ws://r1", "ws://r2"] { bench.network.posts.change(at: address) { $0 = FakePosts.Manner() } }
    let again = try await Bench(bench, posts: true)
    try await again.movePosts { try again.statuses(post).allSatisfy { $0 == .verified } }
    for address in addresses(4) { #expect(again.network.posts.departures(of: post, for: address) == 1, "\(address)") }
    let next = try await again.publish("b", in: channel).row
    #expect(next.id.rawValue == 2 && next.document.networkID == "post2")
    #expect(again.network.posts.violations.isEmpty)
    try await again.stop()
  }

  @Test func deletionGoesOnAfterARestart() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    bench.network.set(.away, at: "ws://r1")
    _ = try await bench.coordinator.deletePost(post)
    try await bench.settlePosts()
    try await bench.stop()
    let again = try await Bench(bench, posts: true)
    try await again.movePosts { try again.statuses(post) == [.deleted] }
    #expect(!again.network.posts.isStored(post, at: "ws://r1") && again.network.posts.violations.isEmpty)
    try await again.stop()
  }

  // MARK: - Relays of the channel

  @Test func relayThatIsAddedGetsEarlierPostsAndOneThatIsRemovedGetsNoMore() async throws {
    let bench = try await Bench(posts: true)
    let relays = try await bench.addRelays(2)
    let channel = try await bench.create(relays: [relays[0]]).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    let count = Int64(PostReads.pageMax * 2 + 5)
    for number in 1...count { _ = try await bench.publish("post \(number)", in: channel) }
    let deleted = PostID(rawValue: 3)
    _ = try await bench.coordinator.deletePost(deleted)
    try await bench.settlePosts()
    _ = try await bench.coordinator.addRelays([relays[1]], to: channel)
    let others = (1...count).map { PostID(rawValue: $0) }.filter { $0 != deleted }
    try await bench.movePosts { try others.allSatisfy { try bench.statuses($0) == [.verified, .verified] } }
    #expect(try bench.store.post(deleted)?.deliveries.count == 1, "what was deleted goes nowhere")
    #expect(bench.network.posts.storedCount(at: "ws://r2") == others.count)
    #expect(try bench.store.postRoutes(of: [channel]).map(\.status) == [.joined, .joined])
    _ = try await bench.coordinator.removeRelay(relays[1], from: channel)
    try await bench.movePosts { try bench.store.postRoutes(of: [channel]).map(\.status) == [.joined, .left] }
    bench.network.posts.change(at: "ws://r2") { $0.isClosed = true }
    for id in others { #expect(try bench.store.post(id)?.deliveries.map(\.hasDeparted) == [false, true]) }
    #expect(try await bench.post(others[0]).relayCount == 1)
    let late = try await bench.publish("late", in: channel)
    #expect(late.relays.map(\.id) == [relays[0]])
    try await bench.settlePosts()
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func relayThatIsAddedDoesNotGetWhatWasTakenBack() async throws {
    let bench = try await Bench(posts: true)
    let relays = try await bench.addRelays(2)
    let channel = try await bench.create(relays: [relays[0]]).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let cancelled = try await bench.publish("a", in: channel).row.id
    _ = try await bench.coordinator.cancelPost(cancelled)
    bench.network.giveTurns(at: "ws://r1")
    let other = try await bench.publish("b", in: channel).row.id
    _ = try await bench.coordinator.addRelays([relays[1]], to: channel)
    try await bench.movePosts { try bench.statuses(other) == [.verified, .verified] }
    #expect(try bench.store.postRoutes(of: [channel]).map(\.status) == [.joined, .joined])
    #expect(try bench.statuses(cancelled) == [.skipped, .skipped], "no one wants it to be published")
    #expect(bench.network.posts.departures(of: cancelled, for: "ws://r2") == 0)
    _ = try await bench.coordinator.retryPost(cancelled)
    try await bench.settlePosts()
    #expect(try bench.statuses(cancelled) == [.verified, .verified])
    try await bench.stop()
  }

  @Test func postsOfADeletedChannelGoNowhereAnyMore() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.publish("a", in: channel).row.id
    _ = try await bench.coordinator.delete(channel)
    try await bench.movePosts { try bench.store.postRoutes(of: [channel]).map(\.status) == [.left] }
    bench.network.posts.change(at: "ws://r1") { $0.isClosed = true }
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    let snapshot = try await bench.post(post)
    #expect(snapshot.phase == .skipped && snapshot.relayCount == 0 && snapshot.hasSettled)
    #expect(bench.network.posts.withheld == 1 && bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  // MARK: - Relays that are slow, or away

  @Test func relayThatComesBackGetsEverythingAtOnce() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    bench.network.set(.away, at: "ws://r1")
    let posts = try await (1...40).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    try await bench.settlePosts()
    for id in posts { #expect(try bench.store.post(id)?.deliveries.first?.record.trouble?.cause == .unreachable) }
    let now = bench.clock.now
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, RelayID(rawValue: 1))
    try await bench.settlePosts()
    #expect(try posts.allSatisfy { try bench.statuses($0) == [.verified] } && bench.clock.now == now)
    #expect(bench.network.posts.mostUnderWay(at: "ws://r1") <= PostLane.underWayMax)
    try await bench.stop()
  }

  @Test func relayThatLimitsTheRateIsLeftAloneForAsLongAsItSays() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    bench.network.posts.change(at: "ws://r1") { $0.limit = 5 }
    let posts = try await (1...8).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    try await bench.settlePosts()
    #expect(bench.network.posts.storedCount(at: "ws://r1") == 5)
    let start = bench.clock.now
    bench.network.posts.change(at: "ws://r1") { $0.limit = nil }
    try await bench.movePosts { try posts.allSatisfy { try bench.statuses($0) == [.verified] } }
    #expect(bench.clock.now - start >= .seconds(60))
    for id in posts { #expect(bench.network.posts.departures(of: id, for: "ws://r1") == 1) }
    try await bench.stop()
  }

  @Test func journalSaysOnceThatPostsDoNotReachARelayAndOnceThatTheyDoAgain() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    func count(_ event: JournalEvent) -> Int { bench.log.entries.count { $0.fields["MESSAGE_ID"] == event.rawValue } }
    bench.network.set(.away, at: "ws://r1")
    let posts = try await (1...3).asyncMap { try await bench.publish("post \($0)", in: channel).row.id }
    try await bench.movePosts { try posts.allSatisfy { try bench.statuses($0) == [.failed] } }
    #expect(count(.deliveryFailed) == 1 && count(.deliveryRecovered) == 0)
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, RelayID(rawValue: 1))
    try await bench.settlePosts()
    #expect(try posts.allSatisfy { try bench.statuses($0) == [.verified] })
    #expect(count(.deliveryFailed) == 1 && count(.deliveryRecovered) == 1)
    let recovered = bench.log.entries.last { $0.fields["MESSAGE_ID"] == JournalEvent.deliveryRecovered.rawValue }
    #expect(recovered?.message == "posts reach 'r1' again (failed deliveries: 3)")
    try await bench.stop()
  }
}

extension Sequence {
  /// The results of `body`, one after the other.
  func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
