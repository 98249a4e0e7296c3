import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// How many posts are under way to a relay, and in memory, however many there are.
struct PostLaneTests {
  @Test func relayThatWorksGetsMoreAtOnceAndNeverTooMany() async throws {
    let bench = try await PostBench(relays: 2)
    let answers = (1...600).map { bench.publish("post \($0)") }
    await bench.run()
    for answer in answers { #expect(throws: Never.self) { try answer.result?.get() } }
    #expect(answers.allSatisfy { $0.result != nil })
    #expect(try bench.count(.verified) == 600)
    for address in ["ws://r1", "ws://r2"] {
      #expect((PostLane.underWayFirst...PostLane.underWayMax).contains(bench.network.posts.mostUnderWay(at: address)))
    }
    #expect(bench.decider.awake.isEmpty && bench.decider.alarms.times.isEmpty, "what is done costs nothing")
    #expect(bench.network.posts.violations.isEmpty)
  }

  @Test func postsForADeadRelayWaitInStorage() async throws {
    let bench = try await PostBench()
    let relay = RelayID(rawValue: 1)
    bench.network.set(.silent, at: "ws://r1")
    let bound = PostLane.underWayMax + PostLane.readyMax
    for number in 1...2_000 {
      bench.publish("post \(number)")
      if number.isMultiple(of: 250) { await bench.run { #expect(bench.decider.awake.count <= bound) } }
    }
    #expect(try bench.store.postCounters().post == 2_000)
    #expect(bench.network.posts.underWay(at: "ws://r1") == PostLane.underWayFirst)
    #expect(bench.decider.awake.count <= bound)
    bench.network.set(.away, at: "ws://r1")
    // No one answers for as long as it takes; then the connection is refused.
    try await bench.move { try bench.store.postsUnderWay(after: nil, limit: 1).isEmpty }
    #expect(bench.decider.awake.count <= bound)
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, relay)
    try await bench.move { try bench.count(.verified) == 2_000 }
    #expect(bench.decider.awake.isEmpty && bench.network.posts.violations.isEmpty)
    #expect(bench.network.posts.storedCount(at: "ws://r1") == 2_000)
  }

  @Test func laneIsHalvedAndPausedWhenTheRelayLimitsTheRate() async throws {
    let bench = try await PostBench()
    let relay = RelayID(rawValue: 1)
    bench.network.posts.change(at: "ws://r1") { $0.limit = 0 }
    for number in 1...40 { bench.publish("post \(number)") }
    await bench.run()
    #expect(bench.decider.lanes[relay]?.capacity == PostLane.underWayFirst / 2)
    #expect(bench.decider.lanes[relay]?.pausedUntil == bench.clock.now + .seconds(60))
    let asked = bench.network.posts.operations
    #expect(asked <= PostLane.underWayFirst)
    bench.clock.now = bench.clock.now + .seconds(59)
    await bench.run()
    #expect(bench.network.posts.operations == asked, "it is left alone")
    bench.network.posts.change(at: "ws://r1") { $0.limit = nil }
    try await bench.move { try bench.count(.verified) == 40 }
    #expect(bench.decider.awake.isEmpty)
  }

  @Test func whatIsPublishedWhileOthersWaitInStorageIsNotForgotten() async throws {
    let bench = try await PostBench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    // More than fit into the lane; new ones come while it is served.
    for number in 1...300 { bench.publish("post \(number)") }
    await bench.run()
    bench.network.giveTurns(at: "ws://r1")
    var more = 0
    await bench.run(batch: 7) {
      guard more < 50 else { return }
      more += 1
      bench.publish("later \(more)")
    }
    #expect(try bench.count(.verified) == 350)
    #expect(bench.decider.awake.isEmpty && bench.decider.alarms.times.isEmpty)
  }

  @Test func postsBehindManyThatAreDamagedAreDelivered() async throws {
    let bench = try await PostBench()
    bench.network.set(.away, at: "ws://r1")
    let damaged = PostLane.readyMax * 2 + 10
    for number in 1...(damaged + 20) { bench.publish("post \(number)") }
    await bench.run()
    bench.storage.damagedPosts = Set((1...damaged).map { PostID(rawValue: Int64($0)) })
    bench.network.set(.works, at: "ws://r1")
    let whole = (1...20).map { PostID(rawValue: Int64(damaged + $0)) }
    try await bench.move { try whole.allSatisfy { try bench.statuses($0) == [.verified] } }
    #expect(bench.network.posts.storedCount(at: "ws://r1") == 20)
    #expect(bench.decider.awake.isEmpty)
  }

  @Test func relayThatMovesGetsWhatWasUnderWayAtItsNewAddress() async throws {
    let bench = try await PostBench()
    let relay = RelayID(rawValue: 1)
    bench.network.set(.silent, at: "ws://r1")
    for number in 1...20 { bench.publish("post \(number)") }
    await bench.run()
    #expect(bench.network.posts.underWay(at: "ws://r1") == PostLane.underWayFirst)
    let start = bench.clock.now
    bench.directory.write { $0.catalog.relays[relay]?.address = "ws://elsewhere" }
    bench.network.relayWent(true, relay)
    try await bench.move { try bench.count(.verified) == 20 }
    #expect(bench.clock.now - start < .seconds(60), "no one waits for answers from the old address")
    #expect(bench.network.posts.storedCount(at: "ws://elsewhere") == 20)
    #expect(bench.decider.awake.isEmpty && bench.network.posts.violations.isEmpty)
  }

  @Test func damagedRouteConcernsItsChannelOnly() async throws {
    let bench = try await PostBench()
    let other = ChannelID(rawValue: 2)
    try await bench.storage.write(ChannelRows.channel(other, on: [RelayID(rawValue: 1)], at: bench.clock.now))
    bench.publish("a")
    await bench.run()
    bench.storage.damagedRoutes = [bench.channel]
    // They are decided together.
    bench.changeMembers(of: bench.channel)
    let (refused, taken) = (bench.publish("b"), bench.publish("c", in: other))
    await bench.run()
    #expect(throws: BatonError.storageDamaged(reason: "a route of channel 1 is damaged")) { try refused.result?.get() }
    #expect(try taken.result?.get().isNew == true)
    #expect(bench.decider.postponed.isEmpty && bench.decider.trouble == nil)
    #expect(try bench.store.postRoutes(of: [bench.channel]).map(\.status) == [.joined], "it is not written over")
  }

  @Test func postsThatWereOnlyLookedAtAreForgottenThoughTheCommitFails() async throws {
    let bench = try await PostBench()
    bench.publish("a", key: "k")
    await bench.run()
    bench.storage.isBroken = true
    let (same, other) = (bench.publish("a", key: "k"), bench.publish("b"))
    await bench.run()
    #expect(throws: BatonError.self) { try same.result?.get() }
    #expect(throws: BatonError.self) { try other.result?.get() }
    #expect(bench.decider.awake.isEmpty)
    bench.storage.isBroken = false
    try await bench.move { bench.engine.wakeAt == nil }
    #expect(bench.decider.awake.isEmpty && bench.decider.recovering.isEmpty && bench.decider.postponed.isEmpty)
  }

  @Test func postDoesNotLeaveThatIsDeletedInTheSameMoment() async throws {
    let bench = try await PostBench()
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    bench.publish("a")
    await bench.run()
    let post = PostID(rawValue: 1)
    // Both are decided at once.
    bench.network.giveTurns(at: "ws://r1")
    let answer = bench.delete(post)
    await bench.run()
    #expect(try answer.result?.get().row.deletedAt == bench.clock.now)
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 0 && bench.network.posts.withheld == 1)
    #expect(try bench.statuses(post) == [.deleted] && bench.network.posts.violations.isEmpty)
    #expect(bench.decider.awake.isEmpty)
  }
}
