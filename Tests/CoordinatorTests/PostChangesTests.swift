import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts that are cancelled, tried again and deleted, in every phase of a delivery.
struct PostChangesTests {
  private func bench() async throws -> (bench: Bench, channel: ChannelID) {
    let bench = try await Bench(posts: true)
    return (bench, try await bench.readyChannel(on: 1))
  }

  // MARK: - Deleting

  @Test func postThatDidNotLeaveNeverLeavesOnceItIsDeleted() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.publish("a", in: channel).row.id
    let deleted = try await bench.coordinator.deletePost(post, reason: "a mistake")
    #expect(deleted.phase == .deleted && deleted.relays.map(\.record.status) == [.skipped])
    #expect(deleted.row.deletion?.text == "a mistake" && deleted.row.deletedAt == bench.clock.now)
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(bench.network.posts.withheld == 1 && bench.network.posts.departures(of: post, for: "ws://r1") == 0)
    #expect(try bench.store.post(post)?.deliveries.first?.record.trouble?.cause == .cancelled)
    try await bench.stop()
  }

  @Test func postThatLeftIsDeletedThoughNobodyAnswered() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.isMute = true }
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.sent] && bench.network.posts.isStored(post, at: "ws://r1"))
    bench.network.posts.change(at: "ws://r1") { $0.isMute = false }
    #expect(try await bench.coordinator.deletePost(post).phase == .deleting)
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.deleted] && !bench.network.posts.isStored(post, at: "ws://r1"))
    #expect(bench.network.posts.violations.isEmpty)
    try await bench.stop()
  }

  @Test func postThatIsShownIsDeletedAndStaysSo() async throws {
    let (bench, channel) = try await bench()
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(post, reason: "a mistake")
    try await bench.settlePosts()
    let deleted = try await bench.post(post)
    #expect(deleted.phase == .deleted && deleted.link == nil && deleted.summary == "Post is deleted.")
    let again = try await bench.coordinator.deletePost(post, reason: "another reason")
    #expect(again.row == deleted.row, "the first deletion counts")
    #expect(try await bench.coordinator.retryPost(post).phase == .deleted)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.cancelPost(post) }
        == .post(.notCancellable(post)))
    try await bench.settlePosts()
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1 && bench.network.posts.violations.isEmpty)
    #expect(try bench.history(post) == ["sent", "accepted", "verified", "deleting", "deleted"])
    try await bench.stop()
  }

  @Test func relayThatKeepsADeletedPostIsSaidToServeIt() async throws {
    let (bench, channel) = try await bench()
    bench.network.posts.change(at: "ws://r1") { $0.keepsDeleted = true }
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    _ = try await bench.coordinator.deletePost(post)
    try await bench.movePosts { try bench.statuses(post) == [.stillServed] }
    #expect(try await bench.post(post).phase == .stillServed)
    bench.network.posts.change(at: "ws://r1") { $0.keepsDeleted = false }
    // It is asked again, slowly.
    try await bench.movePosts { try bench.statuses(post) == [.deleted] }
    try await bench.stop()
  }

  @Test func relayThatRefusesToDeleteIsSaidNotTo() async throws {
    let (bench, channel) = try await bench()
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    bench.network.set(.refuses, at: "ws://r1")
    _ = try await bench.coordinator.deletePost(post)
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.unsupported])
    #expect(try bench.store.post(post)?.deliveries.first?.record.trouble?.cause == .rejected)
    try await bench.stop()
  }

  // MARK: - Cancelling and trying again

  @Test func cancelKeepsThePostFromRelaysThatCannotHaveIt() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 2)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.pending, .verified])
    let cancelled = try await bench.coordinator.cancelPost(post)
    #expect(cancelled.relays.map(\.record.status) == [.skipped, .verified] && cancelled.phase == .published)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.cancelPost(post) }
        == .post(.notCancellable(post)))
    bench.network.giveTurns(at: "ws://r1")
    try await bench.settlePosts()
    #expect(bench.network.posts.withheld == 1 && !bench.network.posts.isStored(post, at: "ws://r1"))
    // It was taken back from there, and can be asked for again.
    _ = try await bench.coordinator.retryPost(post, relay: RelayID(rawValue: 1))
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.verified, .verified])
    try await bench.stop()
  }

  @Test func refusedPostIsTriedAgainByRequest() async throws {
    let (bench, channel) = try await bench()
    let (relay, unknown) = (RelayID(rawValue: 1), RelayID(rawValue: 99))
    let other = try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://other"), force: false).id
    bench.network.set(.refuses, at: "ws://r1")
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.failed] && bench.network.posts.departures(of: post, for: "ws://r1") == 1)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(post, relay: unknown) }
        == .noSuchRelay(unknown))
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.retryPost(post, relay: other) }
        == .notInChannel(other))
    bench.network.set(.works, at: "ws://r1")
    let retried = try await bench.coordinator.retryPost(post, relay: relay)
    #expect(retried.relays.map(\.record.status) == [.pending])
    try await bench.settlePosts()
    #expect(try bench.statuses(post) == [.verified])
    try await bench.stop()
  }

  @Test func relayThatLosesWhatItTookIsLookedAtAgainBeforeItGetsThePostAgain() async throws {
    let (bench, channel) = try await bench()
    bench.network.set(.loses, at: "ws://r1")
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.movePosts { try bench.statuses(post) == [.failed] }
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1)
    #expect(try bench.store.post(post)?.deliveries.first?.record.trouble?.cause == .missing)
    bench.network.set(.works, at: "ws://r1")
    try await bench.movePosts { try bench.statuses(post) == [.verified] }
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 2)
    try await bench.stop()
  }
}
