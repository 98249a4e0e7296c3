import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Relays and servers that change while channels use them, and channels that change their relays.
struct RelayChangeTests {
  @Test func relayThatGoesDownTurnsInactiveAfterTheGraceTimeAndComesBack() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let created = try await bench.create(relays: relays)
    _ = try await bench.channel(created.row.id) { $0.phase == .active }
    bench.network.relayWent(true, relays[0])
    bench.network.relayWent(false, relays[0])
    try await bench.settle()
    let during = bench.coordinator.snapshot(try #require(try bench.store.channel(created.row.id)))
    #expect(during.phase == .active, "within the grace time nothing happens")
    #expect(bench.coordinator.relays.first?.condition.health == .down)
    let after = try await bench.channel(created.row.id) { $0.phase == .degraded }
    #expect(after.relays.first?.record.trouble?.cause == .unreachable)
    #expect(after.link == "fake:\(created.row.networkID)?ws://r2")
    bench.network.relayWent(true, relays[0])
    let back = try await bench.channel(created.row.id) { $0.phase == .active }
    #expect(back.relays.allSatisfy { $0.record.status == .active })
    try await bench.stop()
  }

  @Test func channelsSayWhyTheirRelayIsDown() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let created = try await bench.create(relays: relays)
    _ = try await bench.channel(created.row.id) { $0.phase == .active }
    bench.network.relayWent(true, relays[0])
    bench.network.relayWent(false, relays[0])
    // It comes back with an expired certificate.
    bench.network.send(.relayDown(relays[0], Trouble(.expired, "the certificate of r1 expired on 2026-11-21")))
    let after = try await bench.channel(created.row.id) { $0.phase == .degraded }
    #expect(
      after.relays.first?.record.trouble
        == Trouble(.expired, "the relay is down for longer than 120 s: the certificate of r1 expired on 2026-11-21"))
    try await bench.stop()
  }

  @Test func testOfARelayIsRemembered() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.unreachable, at: "ws://r2")
    for id in relays { for await _ in try bench.coordinator.testRelay(id) {} }
    #expect(bench.coordinator.relays.map(\.condition.tested) == [true, false])
    #expect(bench.coordinator.relays[1].condition.lastError == "connect: refused")
    try await bench.stop()
  }

  @Test func removedRelayComesBackWithItsAddress() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let created = try await bench.create(relays: relays)
    _ = try await bench.channel(created.row.id) { $0.phase == .active }
    await #expect(throws: BatonError.relayInUse(channels: 1)) {
      try await bench.coordinator.removeRelay(relays[0], force: false)
    }
    #expect(try await bench.coordinator.removeRelay(relays[0], force: true).isDeleted)
    await #expect(throws: BatonError.noSuchRelay(relays[0])) { try await bench.create(relays: relays) }
    let revived = try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r1"), force: false)
    #expect(revived.id == relays[0] && !revived.isDeleted)
    try await bench.stop()
  }

  @Test func relayThatChannelsUseKeepsItsAddressEvenByForce() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    _ = try await bench.create(relays: relays)
    let revision = try #require(bench.coordinator.relays.first).revision
    await #expect(throws: BatonError.relayInUse(channels: 1)) {
      try await bench.coordinator.updateRelay(relays[0], revision: revision, RelayEdit(address: "ws://r9"), force: true)
    }
    try await bench.stop()
  }

  @Test func serverPasswordIsSealedAndBoundToItsAddress() async throws {
    let bench = try await Bench()
    let text = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hunter2@s.example"
    let server = try await bench.coordinator.addServer(ServerEdit(address: text), force: false)
    #expect(server.sealedPassword != nil && !server.address.contains("hunter2"))
    let stored = try bench.store.servers()
    #expect(stored.first?.sealedPassword.map { !String(decoding: $0, as: UTF8.self).contains("hunter2") } == true)
    let renamed = try await bench.coordinator.updateServer(
      server.id, revision: server.revision, ServerEdit(isEnabled: true), force: true)
    #expect(renamed.sealedPassword == server.sealedPassword)
    let moved = try await bench.coordinator.updateServer(
      server.id, revision: renamed.revision,
      ServerEdit(address: "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@t.example"), force: true)
    #expect(moved.sealedPassword == nil, "another server does not get the password of the first")
    try await bench.stop()
  }

  @Test func removedRelayReturnsByRequestWhereItsNetworkTakesItAgain() async throws {
    let bench = try await Bench(network: FakeNetwork(takesRemovedRelaysAgain: true))
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.set(.away, at: "ws://r1")
    _ = try await bench.coordinator.removeRelay(relays[0], from: id)
    // The relay must be told of the removal first.
    await #expect(throws: BatonError.alreadyInChannel(relays[0], .removed)) {
      try await bench.coordinator.addRelays([relays[0]], to: id)
    }
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, relays[0])
    _ = try await bench.channel(id) { $0.relays[0].record.task == nil }
    let back = try await bench.coordinator.addRelays([relays[0]], to: id)
    #expect(back.row.wantedRelays == 2 && back.relays.map(\.id) == relays)
    let active = try await bench.channel(id) { $0.phase == .active }
    #expect(active.relays.allSatisfy { $0.record.status == .active })
    #expect(bench.network.channels(at: "ws://r1").count == 1 && bench.network.violations.isEmpty)
    // Nothing else brings it back.
    _ = try await bench.coordinator.removeRelay(relays[0], from: id)
    _ = try await bench.channel(id) { $0.relays[0].record.task == nil }
    _ = try await bench.coordinator.retry(id, relay: nil)
    await #expect(throws: BatonError.notEnoughRelays(wanted: 1, available: 0)) {
      try await bench.coordinator.addRelays([], pick: 1, to: id)
    }
    #expect(try bench.store.channel(id)?.relays[0].record.status == .removed)
    try await bench.stop()
  }

  @Test func relaysJoinAndLeaveAChannel() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(4)
    let id = try await bench.create(relays: Array(relays.prefix(2))).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    let joined = try await bench.coordinator.addRelays([relays[2]], to: id)
    #expect(joined.phase == .partial && joined.row.wantedRelays == 3)
    let three = try await bench.channel(id) { $0.phase == .active }
    #expect(three.link?.contains("ws://r3") == true, "the link follows the active relays")

    let left = try await bench.coordinator.removeRelay(relays[0], from: id)
    #expect(left.row.wantedRelays == 2 && left.link?.contains("ws://r1") == false)
    let two = try await bench.channel(id) { $0.relays[0].record.task == nil }
    #expect(two.phase == .active && two.relays[0].record.status == .removed)
    #expect(bench.network.channels(at: "ws://r1").isEmpty, "the relay was told")

    // A removed relay stays removed: no one invites it again, and its late answers change nothing.
    await #expect(throws: BatonError.alreadyInChannel(relays[0], .removed)) {
      try await bench.coordinator.addRelays([relays[3], relays[0]], to: id)
    }
    await #expect(throws: BatonError.alreadyInChannel(relays[1], .active)) {
      try await bench.coordinator.addRelays([relays[1]], to: id)
    }
    await #expect(throws: BatonError.notInChannel(relays[0])) { try await bench.coordinator.removeRelay(relays[0], from: id) }
    bench.network.send(.outcome(channel: id, relay: relays[0], number: 1, .accepted(link: "ws://r1")))
    let late = try await bench.channel(id) { $0.relays[0].record.task == nil }
    #expect(late.relays[0].record.status == .removed && bench.network.channels(at: "ws://r1").isEmpty)
    #expect(bench.network.violations.isEmpty)

    _ = try await bench.coordinator.removeRelay(relays[1], from: id)
    await #expect(throws: BatonError.lastRelay(id)) { try await bench.coordinator.removeRelay(relays[2], from: id) }
    try await bench.stop()

    let again = try await Bench(bench)
    let stored = try #require(try again.store.channel(id))
    #expect(stored.row.wantedRelays == 1 && stored.relays.map(\.record.status) == [.removed, .removed, .active])
    try await again.stop()
  }

  @Test func removingADeadRelayMakesTheChannelWhole() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: relays).row.id
    let degraded = try await bench.channel(id) { $0.hasSettled }
    #expect(degraded.phase == .degraded)
    _ = try await bench.coordinator.removeRelay(relays[1], from: id)
    #expect(try await bench.channel(id) { $0.relays[1].record.task == nil }.phase == .active)
    try await bench.stop()
  }
}
