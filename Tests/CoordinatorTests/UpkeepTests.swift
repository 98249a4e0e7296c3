import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Settled channels are read back, and old history is deleted.
struct UpkeepTests {
  @Test func upkeepThatCannotBeStoredIsReported() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    bench.storage.isBroken = true
    try await bench.rounds(1)
    #expect(bench.coordinator.storageTrouble == "database or disk is full")
    bench.storage.isBroken = false
    try await bench.rounds(1)
    #expect(bench.coordinator.storageTrouble == nil)
    try await bench.stop()
  }

  /// The history may be damaged where the list of channels that are left alone is not.
  @Test func upkeepThatIsRefusedTakesNoOtherAlong() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    var row = try #require(try bench.store.channel(id)?.row)
    row.relayCount = 2
    try await bench.storage.write([.touchChannel(row)])
    bench.storage.refuseUpkeep { _ in true }
    await #expect(throws: BatonError.self, "one of its relays cannot be found") { try await bench.coordinator.delete(id) }
    try await bench.rounds(1)
    #expect(try bench.store.totals().quarantined == 0)
    bench.storage.refuseUpkeep { if case .forgetHistory = $0 { true } else { false } }
    try await bench.rounds(atMost: 5) { try bench.store.totals().quarantined == 1 }
    try await bench.stop()
  }

  /// It is refused in every round, forever, while everything else is stored.
  @Test func upkeepThatIsRefusedIsInTheJournalOnce() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    func refusals() -> [String] { bench.log.entries.map(\.message).filter { $0.contains("could not be stored") } }
    let words =
      "the removal of old history could not be stored: a row is damaged. See batonctl check"
    bench.storage.refuseUpkeep { if case .forgetHistory = $0 { true } else { false } }
    try await bench.rounds(4)
    #expect(refusals() == [words] && bench.coordinator.storageTrouble == nil)
    #expect(!bench.log.entries.contains { $0.fields["MESSAGE_ID"] == JournalEvent.storageFailed.rawValue })
    // Each round begins when the upkeep of the one before is over.
    bench.storage.refuseUpkeep { _ in false }
    try await bench.rounds(2)
    bench.storage.refuseUpkeep { if case .forgetHistory = $0 { true } else { false } }
    try await bench.rounds(3)
    #expect(refusals() == [words, words], "it was stored in between")
    try await bench.stop()
  }

  @Test func relayThatLostTheChannelGetsItAgainWithinADay() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.forget(at: "ws://r1")
    for _ in 0..<(30 * 60) where bench.network.channels(at: "ws://r1").isEmpty { try await bench.rounds(1) }
    #expect(bench.clock.now - Timestamp(milliseconds: 1_750_000_000_000) > .seconds(10 * 3_600))
    try await bench.settle()
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .active])
    #expect(
      try bench.transitions(id).suffix(3) == ["1 active->inactive missing", "1 inactive->accepted", "1 accepted->active"])
    try await bench.stop()
  }

  /// Nothing is assumed of a relay that was away. Where one channel is missing, the others do not wait for their turn.
  @Test func relayThatComesBackEmptyGetsAllChannelsAtOnce() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(verifiesPerRound: 5))
    let relays = try await bench.addRelays(2)
    for number in 0..<20 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<20 where try bench.store.totals().relays[.active] != 40 { try await bench.settle() }
    let start = bench.clock.now
    bench.network.relayWent(false, relays[0])
    bench.network.forget(at: "ws://r1")
    bench.network.relayWent(true, relays[0])
    for _ in 0..<20 where bench.network.channels(at: "ws://r1").count < 20 { try await bench.settle() }
    try await bench.settle()
    #expect(bench.network.channels(at: "ws://r1").count == 20 && bench.clock.now == start)
    #expect(try bench.statuses(relays[0]) == [.active: 20])
    #expect(bench.network.violations.isEmpty, "\(bench.network.violations)")
    try await bench.stop()
  }

  /// A relay may have lost only what came last.
  @Test func relayThatComesBackWithoutEditionsGetsAllAtOnce() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(verifiesPerRound: 5))
    let relays = try await bench.addRelays(1)
    var channels: [ChannelRow] = []
    for number in 0..<20 {
      let request = ChannelRequest(profile: Profile(displayName: "c\(number)"), key: .own, relays: relays)
      let id = try await bench.coordinator.create(request).row.id
      _ = try await bench.channel(id) { $0.phase == .active }
      _ = try await bench.coordinator.update(id, ChannelEdit(description: "later"))
      channels.append(try await bench.channel(id) { $0.relays.allSatisfy { $0.record.shown == 2 } }.row)
    }
    func editions() -> Int { channels.count { bench.network.edition(of: $0.networkID, at: "ws://r1") != nil } }
    #expect(editions() == 20)
    let start = bench.clock.now
    bench.network.relayWent(false, relays[0])
    bench.network.forgetEditions(at: "ws://r1")
    bench.network.relayWent(true, relays[0])
    for _ in 0..<20 where editions() < 20 { try await bench.settle() }
    #expect(editions() == 20 && bench.clock.now == start)
    try await bench.stop()
  }

  /// Most outages take nothing away.
  @Test func relayThatComesBackIsReadAtThePaceOfUpkeep() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(verifiesPerRound: 5))
    let relays = try await bench.addRelays(1)
    for number in 0..<12 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<20 where try bench.store.totals().relays[.active] != 12 { try await bench.settle() }
    var counts: [Int] = []
    func count(_ step: () async throws -> Void) async throws {
      let before = bench.network.performed
      try await step()
      for _ in 0..<3 { try await bench.settle() }
      counts.append(bench.network.performed - before)
    }
    try await count { bench.network.relayWent(true, relays[0]) }
    for _ in 1...3 { try await count { try await bench.rounds(1) } }
    #expect(counts == [5, 5, 2, 0])
    // It is away in the middle, so that nothing is known of the first ones again.
    counts = []
    for up in [false, true, false, true] { try await count { bench.network.relayWent(up, relays[0]) } }
    for _ in 1...6 { try await count { try await bench.rounds(1) } }
    #expect(counts == [0, 5, 0, 0, 5, 2, 5, 5, 2, 0])
    #expect(bench.coordinator.liveChannelCount == 0, "looking again costs no memory")
    try await bench.stop()
  }

  @Test func readingBackIsSpreadAndBoundedPerRelay() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(verifiesPerRound: 5))
    let relays = try await bench.addRelays(1)
    for number in 0..<60 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<20 where try bench.store.totals().relays[.active] != 60 { try await bench.settle() }
    let before = bench.network.performed
    // All are read back within a day and a fifth, none twice, and never more than five in a minute.
    var last = before
    for _ in 0..<(29 * 60) {
      try await bench.rounds(1)
      #expect(bench.network.performed - last <= 5)
      last = bench.network.performed
    }
    #expect((60...75).contains(last - before), "\(last - before)")
    #expect(bench.coordinator.liveChannelCount == 0, "looking again costs no memory")
    try await bench.stop()
  }

  @Test func moreThanOnePageIsReadBackInOneRound() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(verifiesPerRound: 280))
    let relays = try await bench.addRelays(1)
    for number in 0..<300 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<100 where try bench.store.totals().relays[.active] != 300 { try await bench.settle() }
    let before = bench.network.performed
    // All of them are overdue in this one round.
    bench.clock.advance(by: .seconds(30 * 3_600))
    for _ in 0..<1000 where bench.network.performed - before < 280 { try await bench.settle() }
    for _ in 0..<5 { try await bench.settle() }
    #expect(bench.network.performed - before == 280)
    try await bench.stop()
  }

  @Test func relayThatIsDownIsNotAskedToShowChannels() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.relayWent(false, relays[0])
    let before = bench.network.performed
    try await bench.rounds(1)
    #expect(bench.network.performed == before)
    try await bench.stop()
  }

  @Test func historyIsKeptAsLongAsConfigured() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(keepHistory: .seconds(3 * 3_600)))
    let relays = try await bench.addRelays(1)
    let old = try await bench.create("old", relays: relays).row.id
    _ = try await bench.channel(old) { $0.phase == .active }
    try await bench.rounds(170)
    let new = try await bench.create("new", relays: relays).row.id
    _ = try await bench.channel(new) { $0.phase == .active }
    #expect(try bench.transitions(old).count == 3)
    try await bench.rounds(15)
    #expect(try bench.transitions(old).isEmpty && bench.transitions(new).count == 3)
    let oldest = try bench.store.oldestRevision()
    #expect(try bench.store.changes(after: oldest, limit: 100).allSatisfy { $0.revision > oldest })
    #expect(try bench.store.channel(old)?.relays.map(\.record.status) == [.active], "what is, stays")
    let revision = bench.coordinator.hub.revision
    try await bench.stop()
    let again = try await Bench(bench)
    #expect(again.coordinator.hub.revision == revision, "revisions are never used twice")
    try await again.stop()
  }

  @Test func historyIsBoundedByRowsHoweverYoungItIs() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(keepRows: 30))
    let relays = try await bench.addRelays(1)
    for number in 0..<400 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<20 where try bench.store.totals().relays[.active] != 400 { try await bench.settle() }
    func kept(_ ids: ClosedRange<Int64>) throws -> Int {
      try ids.reduce(0) { try $0 + bench.store.transitions(of: ChannelID(rawValue: $1), limit: 100).count }
    }
    #expect(try kept(1...400) == 1_200)
    // One round deletes more rows than one statement does.
    try await bench.rounds(atMost: 2) { try kept(1...400) == 30 }
    #expect(try kept(300...400) == 30, "the oldest went first")
    #expect(try bench.store.channel(ChannelID(rawValue: 1))?.relays.map(\.record.status) == [.active], "what is, stays")
    try await bench.stop()
  }

  @Test func relayThatWasAwayIsToldOfItsRemovalWhenItIsBack() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.set(.away, at: "ws://r1")
    bench.network.relayWent(false, relays[0])
    _ = try await bench.coordinator.delete(id)
    try await bench.rounds(600)
    #expect(try await bench.channel(id) { _ in true }.phase == .deleting)
    #expect(!bench.network.channels(at: "ws://r1").isEmpty)
    try await bench.stop()
    // This survives a restart.
    let again = try await Bench(bench, upkeep: UpkeepPolicy())
    again.network.adopt(bench.network)
    again.network.set(.works, at: "ws://r1")
    again.network.relayWent(true, relays[0])
    #expect(try await again.channel(id) { $0.phase == .deleted }.phase == .deleted)
    #expect(again.network.channels(at: "ws://r1").isEmpty)
    try await again.stop()
  }

  @Test func relayThatNeverComesBackIsGivenUpAfterAWeek() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.set(.away, at: "ws://r1")
    _ = try await bench.coordinator.delete(id)
    for _ in 0..<(8 * 24) where try bench.store.channel(id)?.relays[0].record.task != nil {
      bench.clock.advance(by: .seconds(3_600))
      try await bench.settle()
    }
    #expect(try await bench.channel(id) { _ in true }.phase == .deleted)
    #expect(bench.clock.now - Timestamp(milliseconds: 1_750_000_000_000) > .seconds(6 * 86_400))
    #expect(bench.coordinator.liveChannelCount == 0)
    try await bench.stop()
  }

  @Test func timesOfAClockThatWasAheadAreTakenBackAtTheStart() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(1)
    bench.clock.advance(by: .seconds(10 * 365 * 86_400))
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.stop()
    // The clock is right at the next start.
    bench.clock.advance(by: .seconds(-10 * 365 * 86_400))
    let again = try await Bench(bench, upkeep: UpkeepPolicy())
    #expect(try again.store.channelsToVerify(on: relays[0], at: again.clock.now, limit: 10) == [id])
    try await again.stop()
  }
}
