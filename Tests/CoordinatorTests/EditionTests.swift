import Channels
import Logging
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Changes of a channel's profile reach every relay that serves it.
struct EditionTests {
  private func shown(_ bench: Bench, _ id: ChannelID, at address: String) throws -> String? {
    guard let row = try bench.store.channel(id)?.row else { return nil }
    return bench.network.edition(of: row.networkID, at: address)
  }

  private func active(_ bench: Bench, relays count: Int) async throws -> ChannelID {
    let relays = try await bench.addRelays(count)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    return id
  }

  /// A network that creates channels itself reports their names in the network afterwards.
  @Test func nameThatTheNetworkGivesIsStoredAndANewOneIsPublished() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    let before = try #require(try bench.store.channel(id)).row.revision
    bench.network.send(.named(channel: id, networkID: "12", trustAnchor: "https://smp.example/c#A"))
    let named = try await bench.channel(id) { $0.row.networkID == "12" }
    #expect(named.row.trustAnchor == "https://smp.example/c#A" && named.row.revision > before)
    #expect(try bench.store.channel(onSimpleX: "12") == nil, "only where it is on simplex")
    bench.network.send(.named(channel: id, networkID: "12", trustAnchor: "https://smp.example/c#A"))
    try await bench.settle()
    #expect(try bench.store.channel(id)?.row.revision == named.row.revision, "the same again is no change")
    #expect(bench.coordinator.liveChannelCount == 0, "and costs no memory")
    bench.network.send(.named(channel: id, networkID: "13", trustAnchor: "https://smp.example/c#B"))
    _ = try await bench.channel(id) { $0.row.networkID == "13" }
    #expect(bench.log.entries.contains { $0.message.contains("channel 1 was created again") })

    bench.network.send(.lost(channel: id, relay: relays[0], Trouble(.left, "the relay left the channel")))
    let lost = try await bench.channel(id) { $0.relays[0].record.status == .inactive }
    #expect(lost.relays[0].record.trouble?.cause == .left && lost.relays[1].record.status == .active)
    bench.network.send(.named(channel: ChannelID(rawValue: 99), networkID: "x", trustAnchor: "y"))
    try await bench.settle()
    try await bench.stop()
  }

  /// An edition dated by a clock that was ahead hides the newest one from readers wherever it is still served.
  @Test func editionThatHidesTheNewestIsOutdated() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 2)
    _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    let before = try await bench.channel(id) { $0.relays.allSatisfy { $0.record.shown == 2 } }
    let date = try #require(before.row.newestEdition).signedAt
    func report(_ signedAt: Int64) {
      bench.network.send(
        .stray(channel: id, relay: RelayID(rawValue: 2), StrayEdition(networkID: "stray", signedAt: signedAt)))
    }
    // An edition that is older by now hides nothing.
    report(date)
    try await bench.settle()
    #expect(try bench.store.channel(id)?.row.edition == 2)
    #expect(bench.coordinator.liveChannelCount == 0, "and costs no memory")

    report(date + 500)
    let renewed = try await bench.channel(id) { $0.relays.allSatisfy { $0.record.shown == 3 } }
    #expect(renewed.row.newestEdition?.signedAt == date + 501 && renewed.row.profile.displayName == "Later News")
    #expect(try shown(bench, id, at: "ws://r1") == "Later News on ws://r1 ws://r2")
    #expect(bench.log.entries.contains { $0.message.contains("channel 1: 'r2' shows readers a profile dated") })
    // Reported twice, as after reading one relay twice.
    report(date + 500)
    try await bench.settle()
    #expect(try bench.store.channel(id)?.row.edition == 3)

    // Nothing can be dated after it yet.
    report(FakeNetwork.farAhead)
    try await bench.settle()
    #expect(try bench.store.channel(id)?.row.edition == 3)
    #expect(
      bench.log.entries.contains { $0.level == .warning && $0.message.contains("is tried again when the relay is read back") })
    bench.network.send(
      .stray(channel: ChannelID(rawValue: 99), relay: RelayID(rawValue: 1), StrayEdition(networkID: "x", signedAt: 1)))
    try await bench.settle()
    try await bench.stop()
  }

  @Test func newNameReachesEveryRelay() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 3)
    let updated = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News", description: "about"))
    #expect(updated.row.profile.displayName == "Later News" && updated.row.edition == 2)
    let settled = try await bench.channel(id) { $0.relays.allSatisfy { $0.record.shown == 2 } }
    #expect(settled.phase == .active && settled.row.profile.description == "about")
    for address in ["ws://r1", "ws://r2", "ws://r3"] {
      #expect(try shown(bench, id, at: address) == "Later News on ws://r1 ws://r2 ws://r3")
    }
    #expect(bench.coordinator.liveChannelCount == 0)
    let last = try bench.store.transitions(of: id, limit: 1000).suffix(3).map(\.transition.detail)
    #expect(last == Array(repeating: "readers find edition 2 of the profile", count: 3))
    try await bench.stop()
  }

  @Test func stragglerCatchesUpWhenItIsBack() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 2)
    bench.network.set(.away, at: "ws://r2")
    _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    let waiting = try await bench.channel(id) { $0.relays[0].record.shown == 2 && $0.relays[1].record.attempt > 8 }
    #expect(waiting.relays[1].record.shown == 1 && waiting.relays[1].record.trouble?.cause == .unreachable)
    #expect(waiting.relays[1].record.timer != nil && waiting.phase == .active)
    bench.network.set(.works, at: "ws://r2")
    bench.network.relayWent(true, RelayID(rawValue: 2))
    let caughtUp = try await bench.channel(id) { $0.relays[1].record.shown == 2 }
    #expect(caughtUp.relays[1].record.trouble == nil)
    try await bench.stop()
  }

  @Test func relayThatRefusesTheProfileStaysActiveAndSaysWhy() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 2)
    bench.network.refuseEditions(at: "ws://r1")
    _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    let refused = try await bench.channel(id) { $0.relays[0].record.trouble != nil }
    #expect(refused.relays[0].record.status == .active && refused.relays[0].record.trouble?.cause == .rejected)
    bench.network.refuseEditions(at: "ws://r1", false)
    _ = try await bench.coordinator.retry(id, relay: RelayID(rawValue: 1))
    let mended = try await bench.channel(id) { $0.relays[0].record.shown == 2 }
    #expect(mended.relays[0].record.trouble == nil)
    try await bench.stop()
  }

  @Test func relaysPublishedToReadersFollowThoseThatServe() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(4)
    bench.network.set(.refuses, at: "ws://r3")
    let id = try await bench.create(relays: Array(relays.prefix(3))).row.id
    _ = try await bench.channel(id) { $0.row.edition == 2 && $0.relays[0].record.shown == 2 && $0.relays[1].record.shown == 2 }
    #expect(try shown(bench, id, at: "ws://r1") == "News on ws://r1 ws://r2")
    // The lost one is replaced, then the operator takes one away.
    bench.clock.advance(by: .seconds(60))
    _ = try await bench.channel(id) {
      $0.row.edition == 3 && $0.relays.allSatisfy { $0.record.status == .removed || $0.record.shown == 3 }
    }
    for address in ["ws://r1", "ws://r2", "ws://r4"] {
      #expect(try shown(bench, id, at: address) == "News on ws://r1 ws://r2 ws://r4")
    }
    _ = try await bench.coordinator.removeRelay(relays[0], from: id)
    _ = try await bench.channel(id) { $0.row.edition == 4 && $0.relays.suffix(1).allSatisfy { $0.record.shown == 4 } }
    #expect(try shown(bench, id, at: "ws://r4") == "News on ws://r2 ws://r4")
    #expect(bench.network.violations.isEmpty)
    try await bench.stop()
  }

  @Test func channelThatWorksFromTheStartNeedsNoSecondEdition() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 3)
    #expect(try bench.store.channel(id)?.row.edition == 1)
    #expect(bench.network.performed == 6, "three invitations, three looks")
    try await bench.stop()
  }

  @Test func relayThatIsUpAndDownCausesNoEditions() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 2)
    for _ in 0..<3 {
      bench.network.relayWent(false, RelayID(rawValue: 1))
      bench.clock.advance(by: .seconds(200))
      _ = try await bench.channel(id) { $0.relays[0].record.status == .inactive }
      bench.network.relayWent(true, RelayID(rawValue: 1))
      _ = try await bench.channel(id) { $0.phase == .active }
    }
    #expect(try bench.store.channel(id)?.row.edition == 1)
    try await bench.stop()
  }

  @Test func changeSurvivesACrashAndGoesOnAfterIt() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 2)
    for address in ["ws://r1", "ws://r2"] { bench.network.set(.silent, at: address) }
    _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    try await bench.stop()
    let next = try await Bench(bench)
    _ = try await next.channel(id) { $0.relays.allSatisfy { $0.record.shown == 2 } }
    #expect(try shown(next, id, at: "ws://r2") == "Later News on ws://r1 ws://r2")
    try await next.stop()
  }

  @Test func changeThatCannotBeStoredDoesNotHappen() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 1)
    bench.storage.isBroken = true
    await #expect { try await bench.coordinator.update(id, ChannelEdit(displayName: "Later")) } throws: {
      if case BatonError.storageUnavailable = $0 { true } else { false }
    }
    bench.storage.isBroken = false
    let after = try await bench.channel(id) { $0.row.profile.displayName == "News" }
    #expect(after.row.edition == 1 && bench.network.edition(of: after.row.networkID, at: "ws://r1") == nil)
    try await bench.stop()
  }

  @Test func wrongChangesAreRefusedByNameAndLoseNothing() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 1)
    let before = try bench.store.channel(id)
    func refusal(_ edit: ChannelEdit) async -> BatonError? {
      do {
        _ = try await bench.coordinator.update(id, edit)
        return nil
      } catch { return error }
    }
    for name in ["\u{3164}", "Ne\u{200B}ws"] {
      if case .invalidDisplayName = await refusal(ChannelEdit(displayName: name)) {
      } else {
        Issue.record("\(name.debugDescription)")
      }
    }
    #expect(await refusal(ChannelEdit(displayName: "")) == .invalidDisplayName(reason: "the name is empty"))
    if case .invalidImage = await refusal(ChannelEdit(image: "data:image/png;base64,AAAA")) {} else { Issue.record("image") }
    #expect(await refusal(ChannelEdit(custom: "text")) == .invalidProfile(field: "custom", reason: "it must be an object"))
    if case .staleChannel(let current) = await refusal(ChannelEdit(displayName: "x", revision: 1)) {
      #expect(current.row.revision == before?.row.revision)
    } else {
      Issue.record("a change that is based on an old revision must be refused")
    }
    #expect(try bench.store.channel(id) == before)
    let nobody = ChannelID(rawValue: 99)
    await #expect(throws: BatonError.noSuchChannel(nobody)) {
      try await bench.coordinator.update(nobody, ChannelEdit(heal: false))
    }
    try await bench.stop()
  }

  /// Two channels that share their identity's key, edited in turn where relays keep one edition per author.
  @Test func relayThatKeepsOneEditionPerAuthorIsRecognised() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    for address in ["ws://r1", "ws://r2"] { bench.network.keepOneEdition(at: address) }
    var ids: [ChannelID] = []
    for name in ["First", "Second"] {
      ids.append(try await bench.create(name, relays: Array(relays.prefix(2))).row.id)
      _ = try await bench.channel(ids[ids.count - 1]) { $0.phase == .active }
    }
    for (id, name) in zip(ids, ["First A", "Second A"]) {
      _ = try await bench.coordinator.update(id, ChannelEdit(displayName: name))
      _ = try await bench.channel(id) { $0.relays.allSatisfy { $0.record.shown == 2 } }
    }
    func isCrowdedOut(_ relay: ChannelSnapshot.Relay) -> Bool {
      relay.record.status == .active && relay.record.trouble?.cause == .onePerAuthor && relay.record.task == nil
    }
    let first = try await bench.channel(ids[0]) { $0.relays.allSatisfy(isCrowdedOut) }
    #expect(first.relays.allSatisfy { $0.record.shown == 1 } && first.phase == .active)
    #expect(bench.coordinator.liveChannelCount == 0, "nothing is tried again")
    for relay in relays.prefix(2) {
      #expect(bench.coordinator.directory.relays[relay]?.capabilities == ["onePerAuthor"])
      #expect(try bench.store.relays().first { $0.id == relay }?.capabilities == ["onePerAuthor"])
    }

    // Nor after reading back; a requested retry happens, in vain.
    let before = bench.network.performed
    _ = try await bench.coordinator.verify(ids[0])
    _ = try await bench.channel(ids[0]) { $0.relays.allSatisfy(isCrowdedOut) }
    #expect(bench.network.performed == before + 2)
    _ = try await bench.coordinator.retry(ids[0], relay: nil)
    let refused = try await bench.channel(ids[0]) { $0.relays.allSatisfy(isCrowdedOut) }
    #expect(
      refused.relays[0].record.trouble?.detail.hasSuffix("another channel of this identity: replaced: have newer event") == true
    )
    #expect(bench.network.performed == before + 4 && bench.coordinator.liveChannelCount == 0)

    // An edition that only names relays goes to relays where it replaces nothing.
    _ = try await bench.coordinator.addRelays([relays[2]], to: ids[1])
    let grown = try await bench.channel(ids[1]) { $0.row.edition == 3 && $0.relays[2].record.shown == 3 }
    #expect(grown.relays.prefix(2).allSatisfy { isCrowdedOut($0) && $0.record.shown == 2 })
    #expect(try shown(bench, ids[1], at: "ws://r1") == "Second A on ws://r1 ws://r2")
    #expect(try shown(bench, ids[1], at: "ws://r3") == "Second A on ws://r1 ws://r2 ws://r3")

    // A change by the owner is published, and replaces the earlier edition.
    _ = try await bench.coordinator.update(ids[0], ChannelEdit(displayName: "First B"))
    _ = try await bench.channel(ids[0]) { $0.relays.allSatisfy { $0.record.shown == 3 && $0.record.trouble == nil } }
    _ = try await bench.channel(ids[1]) { $0.relays.prefix(2).allSatisfy { isCrowdedOut($0) && $0.record.shown == 1 } }

    // An edition that would be published nowhere is not made.
    _ = try await bench.coordinator.removeRelay(relays[2], from: ids[1])
    let shrunk = try await bench.channel(ids[1]) { $0.relays[2].record.status == .removed && $0.relays[2].record.task == nil }
    #expect(shrunk.row.edition == 3)
    try await bench.stop()
  }

  @Test func channelsWithTheirOwnKeysPublishEveryEdition() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    for address in ["ws://r1", "ws://r2"] { bench.network.keepOneEdition(at: address) }
    var ids: [ChannelID] = []
    for name in ["First", "Second"] {
      let request = ChannelRequest(profile: Profile(displayName: name), key: .own, relays: Array(relays.prefix(2)))
      ids.append(try await bench.coordinator.create(request).row.id)
      _ = try await bench.channel(ids[ids.count - 1]) { $0.phase == .active }
    }
    for id in ids { _ = try await bench.coordinator.addRelays([relays[2]], to: id) }
    for id in ids {
      let done = try await bench.channel(id) { $0.relays.count == 3 && $0.relays.allSatisfy { $0.record.shown == 2 } }
      #expect(done.relays.allSatisfy { $0.record.trouble == nil })
    }
    try await bench.stop()
  }

  @Test func whatReadersDoNotSeeMakesNoEdition() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 1)
    let updated = try await bench.coordinator.update(id, ChannelEdit(heal: false, custom: ["team": "news"]))
    #expect(updated.row.edition == 1 && !updated.row.heal && updated.row.custom == ["team": "news"])
    // A change without effect is not stored.
    let again = try await bench.coordinator.update(id, ChannelEdit(displayName: " News ", heal: false))
    #expect(again.row.revision == updated.row.revision)
    try await bench.stop()
  }

  @Test func relaysCanBePickedForAChannelThatIsThere() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(4)
    let id = try await bench.create(relays: [relays[0]]).row.id
    _ = try await bench.coordinator.addRelays([], pick: 2, to: id)
    let grown = try await bench.channel(id) { $0.phase == .active && $0.relays.count == 3 }
    #expect(grown.row.wantedRelays == 3)
    await #expect(throws: BatonError.notEnoughRelays(wanted: 2, available: 1)) {
      try await bench.coordinator.addRelays([], pick: 2, to: id)
    }
    try await bench.stop()
  }

  @Test func accentsAreComposedBeforeTheyAreCounted() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let name = String(repeating: "e\u{301}", count: 50)
    let channel = try await bench.create(name, relays: relays)
    #expect(channel.row.profile.displayName.unicodeScalars.count == 50)
    try await bench.stop()
  }
}
