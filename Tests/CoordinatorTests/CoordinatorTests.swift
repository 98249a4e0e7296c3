import Channels
import Logging
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

struct CoordinatorTests {
  /// However many requests come while a commit runs: the channels that they name are read with one question.
  @Test func channelsThatABatchNamesAreReadAtOnce() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    var ids: [ChannelID] = []
    for number in 0..<20 { ids.append(try await bench.create("c\(number)", relays: relays).row.id) }
    for _ in 0..<100 where bench.coordinator.liveChannelCount > 0 { try await bench.settle() }
    #expect(bench.coordinator.liveChannelCount == 0)
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    let requests = ids.map { id in Task { try await bench.coordinator.verify(id) } }
    while bench.coordinator.inputsWaiting < ids.count { await Task.yield() }
    bench.storage.release()
    _ = try await other
    for request in requests { #expect(try await request.value.phase == .active) }
    #expect(bench.storage.channelsRead.contains(ids.count), "\(bench.storage.channelsRead)")
    try await bench.stop()
  }

  /// Nothing else happens after the batch in which the channel is let go.
  @Test(.timeLimit(.minutes(10))) func channelThatIsLetGoDoesNotCount() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.settle()
    _ = try await bench.coordinator.update(id, ChannelEdit())
    while bench.coordinator.liveChannelCount > 0, !Task.isCancelled { await Task.yield() }
    #expect(bench.coordinator.liveChannelCount == 0)
    try await bench.stop()
  }

  /// A channel that changes in the same batch is stored already.
  @Test func identityInUseSaysHowManyChannelsThereAre() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let identity = try await bench.coordinator.addIdentity("Desk", on: .nostr).id
    let id = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "News"), identity: "Desk", relays: relays)
    ).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.settle()
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    async let updated = bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    while bench.coordinator.inputsWaiting < 1 { await Task.yield() }
    let removal = Task { try await bench.coordinator.removeIdentity(identity) }
    while bench.coordinator.inputsWaiting < 2 { await Task.yield() }
    bench.storage.release()
    _ = try await (other, updated)
    await #expect(throws: BatonError.identityInUse(channels: 1)) { try await removal.value }
    try await bench.stop()
  }

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
      throws: BatonError.invalidProfile(field: "key", reason: "a group knows its admins by their keys: the identity signs")
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

  @Test func sameKeyGivesTheSameChannel() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    async let a = bench.create(relays: relays, key: "once")
    async let b = bench.create(relays: relays, key: "once")
    let ids = try await [a.row.id, b.row.id]
    #expect(ids[0] == ids[1])
    #expect(try await bench.create(relays: relays, key: "once").row.id == ids[0])
    #expect(try bench.store.counters().channel == 1)
    try await bench.stop()
  }

  @Test func twoEqualRequestsAreTwoChannels() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let (a, b) = (try await bench.create(relays: relays), try await bench.create(relays: relays))
    #expect(a.row.id != b.row.id && a.row.networkID != b.row.networkID)
    try await bench.stop()
  }

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
    // It comes back with a certificate that nobody believes.
    bench.network.send(.relayDown(relays[0], Trouble(.expired, "the certificate of r1 expired on 2026-11-21")))
    let after = try await bench.channel(created.row.id) { $0.phase == .degraded }
    #expect(
      after.relays.first?.record.trouble
        == Trouble(.expired, "the relay is down for longer than 120 s: the certificate of r1 expired on 2026-11-21"))
    try await bench.stop()
  }

  /// Waiting times count while the daemon runs, whatever the clock does in between.
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
    // Nor does one more attempt that fails end it.
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

  @Test func failedStorageRefusesChangesAndLosesNothing() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let created = try await bench.create(relays: relays)
    bench.storage.isBroken = true
    await #expect { try await bench.create("Other", relays: relays) } throws: { error in
      if case .storageUnavailable = error as? BatonError { true } else { false }
    }
    #expect(bench.coordinator.storageTrouble?.contains("full") == true)
    #expect(try bench.store.channel(created.row.id) != nil, "reading still works")
    bench.storage.isBroken = false
    let done = try await bench.channel(created.row.id) { $0.phase == .active }
    #expect(done.relays.count == 2)
    try await bench.move { bench.coordinator.storageTrouble == nil }
    #expect(bench.coordinator.storageTrouble == nil)
    #expect(try await bench.create("Third", relays: relays).row.id == ChannelID(rawValue: 2), "the refused one left no trace")
    try await bench.stop()
  }

  @Test func subscribersSeeEveryCommittedChangeOnceAndInOrder() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    let subscription = try #require(bench.coordinator.hub.subscribe())
    let created = try await bench.create(relays: relays)
    _ = try await bench.channel(created.row.id) { $0.phase == .active }
    try await bench.stop()
    var live: [Int64] = []
    for await change in subscription.changes { live.append(change.revision) }
    let again = try await Bench(bench)
    let stored = try again.store.changes(after: subscription.revision, limit: 1000).map(\.revision)
    #expect(live == stored && live == Array((subscription.revision + 1)...(live.last ?? 0)))
    try await again.stop()
  }

  @Test func manyCreationsShareACommit() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    let before = bench.storage.commits
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { _ = try await bench.create("c\(number)", relays: relays) } }
      while bench.coordinator.inputsWaiting < 200 { await Task.yield() }
      bench.storage.release()
      try await group.waitForAll()
    }
    _ = try await other
    for id in 1...200 as ClosedRange<Int64> {
      _ = try await bench.channel(ChannelID(rawValue: id)) { $0.phase == .active }
    }
    #expect(bench.storage.commits - before < 200, "there were \(bench.storage.commits - before) commits for 200 channels")
    #expect(bench.coordinator.liveChannelCount == 0, "settled channels cost no memory")
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
    // More than may be at the network at once.
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

  @Test func badRequestsAreRefusedByName() async throws {
    let bench = try await Bench()
    await #expect(throws: BatonError.noEnabledRelays(.nostr)) { try await bench.create() }
    let relays = try await bench.addRelays(2)
    await #expect(throws: BatonError.noSuchRelay(RelayID(rawValue: 99))) {
      try await bench.create(relays: [RelayID(rawValue: 99)])
    }
    await #expect(throws: BatonError.notEnoughRelays(wanted: 5, available: 2)) {
      try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "x"), pick: 5))
    }
    for pick in [33, 40] {
      await #expect(throws: BatonError.tooManyRelays(wanted: pick, max: 32)) {
        try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "x"), pick: pick))
      }
    }
    func isRefused(_ profile: Profile, custom: String = "") async -> Bool {
      (try? await bench.coordinator.create(ChannelRequest(profile: profile, relays: relays))) == nil
    }
    #expect(await isRefused(Profile(displayName: "a/b")))
    #expect(await isRefused(Profile(displayName: "ok", image: "http://x/y.png")))
    #expect(await isRefused(Profile(displayName: "ok", image: "data:image/png;base64,AAAA")))
    #expect(
      await isRefused(
        Profile(displayName: "ok", image: "data:image/png;base64,iVBORw0KGgo" + String(repeating: "A", count: 12_500))))
    #expect(await isRefused(Profile(displayName: "ok", description: String(repeating: "x", count: 2_001))))
    #expect(await isRefused(Profile(displayName: "ok", description: "a\u{0}b")))
    await #expect(throws: BatonError.duplicateAddress(relays[0].rawValue)) {
      try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r1"), force: false)
    }
    await #expect(throws: BatonError.duplicateName("r1")) {
      try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r9", name: "r1"), force: false)
    }
    await #expect { try await bench.create(key: "a\u{0}b") } throws: { error in
      if case .invalidProfile(field: "idempotencyKey", _) = error as? BatonError { true } else { false }
    }
    #expect(try bench.store.counters().channel == 0, "refused creations leave no trace")
    let entries = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.channelRefused.rawValue }
    #expect(entries.count >= 10 && entries.allSatisfy { $0.message.utf8.count < 700 }, "but a journal entry each")
    try await bench.stop()
  }

  @Test func keyIsForOneChannelAndForTheSameWords() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    func request(_ name: String = "News", heal: Bool = true, custom: JSONValue? = nil, pick: Int? = nil) -> ChannelRequest {
      ChannelRequest(
        profile: Profile(displayName: name), relays: pick == nil ? relays : nil, pick: pick, heal: heal, custom: custom,
        idempotencyKey: "once")
    }
    let id = try await bench.coordinator.create(request()).row.id
    // The same words, written otherwise.
    #expect(try await bench.coordinator.create(request(" News ")).row.id == id)
    let other = BatonError.idempotencyKeyReused(id, isDeleted: false)
    for others in [request("Other"), request(heal: false), request(custom: ["a": 1]), request(pick: 2)] {
      await #expect(throws: other) { try await bench.coordinator.create(others) }
    }
    // What became of the channel since does not matter, unless it is gone.
    _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    #expect(try await bench.coordinator.create(request()).row.id == id)
    await #expect(throws: other) { try await bench.coordinator.create(request("Later News")) }
    _ = try await bench.coordinator.delete(id)
    for again in [request(), request("Other")] {
      await #expect(throws: BatonError.idempotencyKeyReused(id, isDeleted: true)) { try await bench.coordinator.create(again) }
    }
    try await bench.stop()

    let later = try await Bench(bench)
    await #expect(throws: BatonError.idempotencyKeyReused(id, isDeleted: true)) {
      try await later.coordinator.create(request())
    }
    #expect(try later.store.counters().channel == 1)
    try await later.stop()
  }

  @Test func keyIsForOneOfTwoThatComeAtOnce() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    @Sendable func error(_ name: String) async -> BatonError? {
      do {
        _ = try await bench.create(name, relays: relays, key: "once")
        return nil
      } catch {
        return error as? BatonError
      }
    }
    async let first = error("One")
    async let second = error("Two")
    let errors = await [first, second].compactMap { $0 }
    #expect(errors == [.idempotencyKeyReused(ChannelID(rawValue: 1), isDeleted: false)])
    #expect(try bench.store.counters().channel == 1)
    try await bench.stop()
  }

  @Test func groupNeedsARelayThatIsKnownToOfferThem() async throws {
    let bench = try await Bench()
    func create() async throws {
      _ = try await bench.coordinator.create(ChannelRequest(kind: .group, profile: Profile(displayName: "G")))
    }
    await #expect(throws: BatonError.noEnabledRelays(.nostr)) { try await create() }
    _ = try await bench.addRelays(2)
    await #expect(throws: BatonError.noGroupRelays(.nostr, untested: 2)) { try await create() }
    try await bench.stop()
  }

  @Test func historyIsOnUnlessTheRequestSaysOtherwise() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    for (given, stored) in [
      (nil, ["history": "on"]), (["support": "off"], ["support": "off", "history": "on"]),
      (["history": "off"], ["history": "off"]),
    ] as [(JSONValue?, JSONValue)] {
      let created = try await bench.coordinator.create(
        ChannelRequest(profile: Profile(displayName: "News"), preferences: given))
      #expect(try bench.store.channel(created.row.id)?.row.preferences == stored)
    }
    let large: JSONValue = ["x": .string(String(repeating: "x", count: 17_000))]
    await #expect(throws: BatonError.invalidProfile(field: "preferences", reason: "it has more than 16384 bytes")) {
      try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), preferences: large))
    }
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

  @Test func testOfARelayIsRemembered() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.unreachable, at: "ws://r2")
    for id in relays { for await _ in try bench.coordinator.testRelay(id) {} }
    #expect(bench.coordinator.relays.map(\.condition.tested) == [true, false])
    #expect(bench.coordinator.relays[1].condition.lastError == "connect: refused")
    try await bench.stop()
  }

  @Test func ofTwoUpdatesFromOneRevisionOneIsRefusedWithTheCurrentObject() async throws {
    let bench = try await Bench()
    let relay = try #require(try await bench.addRelays(1).first)
    for round in 0..<20 {
      let revision = try #require(bench.coordinator.relays.first).revision
      let results = await withTaskGroup(of: Result<RelayRow, any Error>.self) { group in
        for number in 0..<2 {
          group.addTask {
            do {
              return .success(
                try await bench.coordinator.updateRelay(
                  relay, revision: revision, RelayEdit(name: "r \(round) \(number)"), force: false))
            } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let won = results.compactMap { try? $0.get() }
      #expect(won.count == 1)
      let refused = results.contains { result in
        guard case .failure(let error) = result, case .staleRevision(.relay(let row)) = error as? BatonError else {
          return false
        }
        return row.name == won.first?.name
      }
      #expect(refused)
    }
    try await bench.stop()
  }

  /// The relay's row, to be written for its health, names an operator that the same commit makes.
  @Test func relayReportsAndNewOperatorsShareACommit() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    _ = try await bench.create(relays: relays)
    try await bench.settle()
    bench.storage.hold()
    async let first = bench.coordinator.addOperator(OperatorEdit(name: "First"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    let commits = bench.storage.commits
    bench.network.relayWent(false, relays[0])
    async let second = bench.coordinator.addOperator(OperatorEdit(name: "Second", domains: ["r1"]))
    while bench.coordinator.inputsWaiting < 2 { await Task.yield() }
    bench.storage.release()
    _ = try await (first, second)
    #expect(bench.storage.commits == commits + 1, "both were one batch")
    #expect(bench.coordinator.storageTrouble == nil)
    let relay = try #require(try bench.store.relays().first)
    #expect(relay.condition.health == .down && relay.relayOperator == OperatorID(rawValue: 2))
    try await bench.stop()
  }

  @Test func whatWasHeardOfARelayOutlivesSeveralFailuresOfStorage() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    _ = try await bench.create(relays: relays)
    try await bench.settle()
    bench.storage.isBroken = true
    bench.network.relayWent(false, relays[0])
    try await bench.settle()
    bench.network.relayWent(false, relays[1])
    try await bench.settle()
    #expect(bench.coordinator.relays.map(\.condition.health) == [.down, .down])
    bench.storage.isBroken = false
    try await bench.move { bench.coordinator.storageTrouble == nil }
    #expect(try bench.store.relays().map(\.condition.health) == [.down, .down])
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
    // It must hear of the removal first.
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
    // Nobody else brings it back.
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

    // What was removed stays so: nobody invites it again, and late words of its change nothing.
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
