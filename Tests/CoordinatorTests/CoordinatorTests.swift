import Channels
import Meters
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

struct CoordinatorTests {
  @Test func channelBecomesActiveOnAllRelays() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    let created = try await bench.create(relays: relays)
    #expect(created.phase == .creating && created.link == nil && !created.isLinkUsable)
    let done = try await bench.channel(created.row.id) { $0.hasSettled }
    #expect(done.phase == .active && done.isLinkUsable)
    #expect(done.link == "fake:\(created.row.networkID)?ws://r1,ws://r2,ws://r3")
    try await bench.stop()
  }

  @Test func whichKeySignsIsKeptAndGroupsAreTheIdentitys() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let profile = Profile(displayName: "News")
    for key in [ChannelKey.own, .identity] {
      let created = try await bench.coordinator.create(ChannelRequest(profile: profile, key: key, relays: relays))
      #expect(created.row.key == key && (created.row.keySalt != nil) == (key == .own))
      let done = try await bench.channel(created.row.id) { $0.phase == .active }
      let edited = try await bench.coordinator.update(done.row.id, ChannelEdit(displayName: "Later"))
      #expect(edited.row.keySalt == created.row.keySalt)
      #expect(try bench.store.channel(done.row.id)?.row.keySalt == created.row.keySalt)
    }
    await #expect(
      throws: BatonError.invalidProfile(
        field: "key", reason: "a group identifies its admins by their keys, so the identity signs")
    ) {
      try await bench.coordinator.create(ChannelRequest(kind: .group, profile: profile, key: .own, relays: relays))
    }
    try await bench.stop()
  }

  @Test func deadRelayFailsAfterItsAttemptsAndTheChannelWorks() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    bench.network.set(.unreachable, at: "ws://r2")
    let created = try await bench.create(relays: relays)
    let done = try await bench.channel(created.row.id) { $0.hasSettled }
    #expect(done.phase == .degraded && done.isLinkUsable)
    let failed = try #require(done.relays.first { $0.record.status == .failed })
    #expect(failed.id == relays[1] && failed.record.trouble?.cause == .unreachable)
    let attempts = try bench.store.transitions(of: created.row.id, limit: 100).filter { $0.relay == relays[1] }
    #expect(attempts.count == 8 && attempts.last?.transition.to == .failed)
    #expect(attempts.dropLast().map(\.transition.attempt) == [2, 3, 4, 5, 6, 7, 8])
    bench.network.set(.works, at: "ws://r2")
    _ = try await bench.coordinator.retry(created.row.id, relay: relays[1])
    let healed = try await bench.channel(created.row.id) { $0.hasSettled && $0.phase == .active }
    #expect(healed.relays.allSatisfy { $0.record.status == .active })
    try await bench.stop()
  }

  @Test func refusalAndLieAreToldApart() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r1")
    bench.network.set(.loses, at: "ws://r2")
    let created = try await bench.create(relays: relays)
    let done = try await bench.channel(created.row.id) { $0.hasSettled }
    #expect(done.phase == .failed && done.link == nil)
    #expect(done.relays.map { $0.record.trouble?.cause } == [.rejected, .missing])
    try await bench.stop()
  }

  @Test func silentRelayIsGivenUpByTheClock() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.network.set(.silent, at: "ws://r1")
    let created = try await bench.create(relays: relays)
    let done = try await bench.channel(created.row.id) { $0.hasSettled }
    #expect(done.relays.first?.record.trouble?.cause == .timeout)
    try await bench.stop()
  }

  @Test func workGoesOnAfterARestart() async throws {
    let first = try await Bench()
    let relays = try await first.addRelays(2)
    first.network.set(.silent, at: "ws://r1")
    let created = try await first.create(relays: relays)
    _ = try await first.channel(created.row.id) { $0.relays.contains { $0.record.status == .active } }
    try await first.stop()

    let second = try await Bench(first)
    let done = try await second.channel(created.row.id) { $0.hasSettled }
    #expect(done.phase == .active)
    #expect(done.row.document == created.row.document && done.row.networkID == created.row.networkID)
    #expect(second.network.channels(at: "ws://r1") == [created.row.networkID])
    try await second.stop()
  }

  /// Waits count only while the daemon runs, whatever the clock does in between.
  @Test(arguments: [-3_600, 0, 3_600, 10 * 86_400])
  func whatWaitsGoesOnAfterARestart(_ off: Int) async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.unreachable, at: "ws://r2")
    let id = try await bench.create(relays: relays).row.id
    try await bench.settle()
    func record(_ bench: Bench) throws -> ChannelRelayRecord { try #require(try bench.store.channel(id)).relays[1].record }
    #expect(try record(bench).timer == bench.clock.now + .seconds(1))
    try await bench.stop()
    bench.clock.advance(by: .seconds(off))
    let again = try await Bench(bench)
    again.network.set(.unreachable, at: "ws://r2")
    #expect(try record(again).timer == again.clock.now + .seconds(1))
    // Another failed attempt does not end it either.
    let waiting = try await again.channel(id) { $0.relays[1].record.attempt == 3 }
    #expect(waiting.relays[1].record.status.isUnderWay)
    again.network.set(.works, at: "ws://r2")
    _ = try await again.channel(id) { $0.phase == .active }
    try await again.stop()
  }

  @Test func deletedChannelIsWithdrawnAndStaysDeleted() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let created = try await bench.create(relays: relays)
    _ = try await bench.channel(created.row.id) { $0.phase == .active }
    #expect(try await bench.coordinator.delete(created.row.id).phase == .deleting)
    let deleted = try await bench.channel(created.row.id) { $0.phase == .deleted }
    #expect(deleted.link == nil && bench.network.channels(at: "ws://r1").isEmpty)
    await #expect(throws: BatonError.noSuchChannel(created.row.id)) {
      try await bench.coordinator.retry(created.row.id, relay: nil)
    }
    #expect(bench.network.violations.isEmpty)
    try await bench.stop()
  }

  @Test func networkThatKeepsTheKeysHasOneIdentity() async throws {
    let bench = try await Bench(network: FakeNetwork(keepsKeys: true))
    let reason = "on nostr there is one identity, 'main': its user"
    await #expect(throws: BatonError.networkUnavailable(.nostr, reason: reason)) {
      try await bench.coordinator.addIdentity("Desk", on: .nostr)
    }
    await #expect(throws: BatonError.duplicateName("main")) { try await bench.coordinator.addIdentity("main", on: .nostr) }
    try await bench.stop()
  }

  @Test func relayThatAnswersNothingDelaysNoOther() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.silent, at: "ws://r1")
    // More than the network may work on at once.
    for number in 0..<600 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<100 where try bench.store.totals().relays[.active] != 600 { try await bench.settle() }
    let active = try bench.store.totals().relays
    #expect(active[.active] == 600 && active[.new] == 600)
    try await bench.stop()
  }

  @Test func removedWhileQueuedIsNeverInvited() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.network.set(.silent, at: "ws://r1")
    for number in 0..<300 { _ = try await bench.create("c\(number)", relays: relays) }
    for id in 1...300 as ClosedRange<Int64> { _ = try await bench.coordinator.delete(ChannelID(rawValue: id)) }
    bench.network.set(.works, at: "ws://r1")
    for id in [1, 150, 300] as [Int64] { _ = try await bench.channel(ChannelID(rawValue: id)) { $0.phase == .deleted } }
    #expect(bench.network.violations.isEmpty && bench.network.channels(at: "ws://r1").isEmpty)
    try await bench.stop()
  }

  @Test func timeOfDayDatesChannels() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.clock.set(ahead: .seconds(3_600))
    let id = try await bench.create(relays: relays).row.id
    let active = try await bench.channel(id) { $0.phase == .active }
    let start = bench.clock.timeOfDay
    #expect(active.row.createdAt > start + .seconds(-60) && active.row.createdAt <= active.row.updatedAt)
    #expect(active.row.updatedAt <= start)
    // A clock that is set back while a channel is on its way makes no negative durations.
    let second = try await bench.create("Second", relays: relays).row.id
    bench.clock.set(ahead: .zero)
    _ = try await bench.channel(second) { $0.phase == .active }
    let times = bench.coordinator.metrics.samples.filter { $0.family.name == "baton_channel_time_to_active_seconds" }
    #expect(!times.isEmpty)
    for time in times {
      guard case .spread(_, let sum) = time.value else {
        Issue.record("\(time)")
        continue
      }
      #expect(sum >= 0 && sum < 60)
    }
    bench.clock.set(ahead: .seconds(-3_600))
    let deletion = bench.clock.timeOfDay
    let deleted = try await bench.coordinator.delete(id)
    #expect(deleted.row.deletedAt.map { $0 >= deletion && $0 <= bench.clock.timeOfDay } == true)
    try await bench.stop()
  }
}
