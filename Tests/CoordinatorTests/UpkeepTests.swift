import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Channels that have settled stay true and whole.
struct UpkeepTests {
  private func rounds(_ bench: Bench, _ count: Int, after: () async throws -> Void = {}) async throws {
    for _ in 0..<count {
      // There is always a next round to wait for.
      while bench.clock.nextWake == nil { await Task.yield() }
      bench.clock.advance(by: .seconds(60))
      try await bench.settle()
      try await after()
    }
  }

  private func transitions(_ bench: Bench, _ id: ChannelID) throws -> [String] {
    try bench.store.transitions(of: id, limit: 1000).map {
      "\($0.relay.rawValue) \($0.transition.from)->\($0.transition.to)\($0.transition.cause.map { " \($0)" } ?? "")"
    }
  }

  @Test func upkeepThatCannotBeStoredIsSaid() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    bench.storage.isBroken = true
    try await rounds(bench, 1)
    #expect(bench.coordinator.storageTrouble == "database or disk is full")
    bench.storage.isBroken = false
    try await rounds(bench, 1)
    #expect(bench.coordinator.storageTrouble == nil)
    try await bench.stop()
  }

  @Test func relayThatLostTheChannelGetsItAgainWithinADay() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.forget(at: "ws://r1")
    for _ in 0..<(30 * 60) where bench.network.channels(at: "ws://r1").isEmpty { try await rounds(bench, 1) }
    #expect(bench.clock.now - Timestamp(milliseconds: 1_750_000_000_000) > .seconds(10 * 3_600))
    try await bench.settle()
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .active])
    #expect(
      try transitions(bench, id).suffix(3) == ["1 active->inactive missing", "1 inactive->accepted", "1 accepted->active"])
    try await bench.stop()
  }

  @Test func lookingAgainIsSpreadAndBoundedPerRelay() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(checksPerRound: 5))
    let relays = try await bench.addRelays(1)
    for number in 0..<60 { _ = try await bench.create("c\(number)", relays: relays) }
    for _ in 0..<20 where try bench.store.totals().relays[.active] != 60 { try await bench.settle() }
    let before = bench.network.performed
    // All within a day and a fifth, none twice, never more than five in a minute.
    var last = before
    for _ in 0..<(29 * 60) {
      try await rounds(bench, 1)
      #expect(bench.network.performed - last <= 5)
      last = bench.network.performed
    }
    #expect((60...75).contains(last - before), "\(last - before)")
    #expect(bench.coordinator.liveChannelCount == 0, "looking again costs no memory")
    try await bench.stop()
  }

  @Test func moreThanOnePageIsReadBackInOneRound() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(checksPerRound: 280))
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
    try await rounds(bench, 1)
    #expect(bench.network.performed == before)
    try await bench.stop()
  }

  @Test func relayThatFailedIsReplacedFromThePool() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(4)
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: Array(relays.prefix(3))).row.id
    _ = try await bench.channel(id) { $0.phase == .degraded }
    try await rounds(bench, 2)
    let healed = try await bench.channel(id) { $0.phase == .active }
    #expect(healed.row.wantedRelays == 3 && healed.relays.map(\.record.status) == [.active, .removed, .active, .active])
    #expect(healed.relays[3].id == relays[3])
    let history = try bench.store.transitions(of: id, limit: 100).map(\.transition)
    let why = try #require(history.first { $0.cause == .replaced })
    #expect(
      why.from == .failed && why.to == .removed
        && why.detail == "replaced by 'r4', because it is failed (rejected: blocked: no)")
    #expect(bench.network.violations.isEmpty)
    try await bench.stop()
  }

  @Test func relayThatStaysInactiveIsReplacedAfterAnHourNotBefore() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(3)
    let id = try await bench.create(relays: Array(relays.prefix(2))).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.set(.unreachable, at: "ws://r1")
    bench.network.relayWent(false, relays[0])
    try await rounds(bench, 55)
    let degraded = try #require(try bench.store.channel(id))
    #expect(degraded.relays.map(\.record.status) == [.inactive, .active])
    try await rounds(bench, 15)
    let healed = try #require(try bench.store.channel(id))
    #expect(healed.relays.map(\.record.status) == [.removed, .active, .active])
    // The relay that comes back late does not resurrect.
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, relays[0])
    try await rounds(bench, 200)
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.removed, .active, .active])
    #expect(bench.network.channels(at: "ws://r1").isEmpty && bench.network.violations.isEmpty)
    try await bench.stop()
  }

  @Test func channelThatMustNotHealIsLeftAlone() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r1")
    let created = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "Fixed"), relays: [relays[0]], heal: false))
    try await rounds(bench, 10)
    #expect(try bench.store.channel(created.row.id)?.relays.map(\.record.status) == [.failed])
    try await bench.stop()
  }

  @Test func replacementsAreLimitedPerChannelAndNeverTwoAtOnce() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replacementsPerChannel: 2))
    let relays = try await bench.addRelays(9)
    for number in 2...9 { bench.network.set(.refuses, at: "ws://r\(number)") }
    let id = try await bench.create(relays: Array(relays.prefix(3))).row.id
    try await rounds(bench, 50) {
      let channel = try #require(try bench.store.channel(id))
      #expect(channel.relays.count { $0.record.status.isUnderWay } <= 1)
    }
    func replaced() throws -> Int { try transitions(bench, id).count { $0.hasSuffix("removed replaced") } }
    #expect(try replaced() == 2)
    try await rounds(bench, 30)
    #expect(try replaced() == 4, "the hour is over")
    let channel = try #require(try bench.store.channel(id))
    #expect(Set(channel.relays.map(\.relay)).count == channel.relays.count, "no relay is tried twice")
    try await bench.stop()
  }

  @Test func replacementsInAllChannelsAreLimited() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replacementsPerHour: 5))
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r1")
    for number in 0..<12 { _ = try await bench.create("c\(number)", relays: [relays[0]]) }
    try await rounds(bench, 30)
    #expect(try bench.store.totals().relays[.active] == 5)
    try await rounds(bench, 60)
    #expect(try bench.store.totals().relays[.active] == 10)
    try await rounds(bench, 60)
    #expect(try bench.store.totals().relays[.active] == 12)
    try await bench.stop()
  }

  @Test func replacementPrefersAnOperatorThatTheChannelDoesNotDependOn() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    _ = try await bench.coordinator.addOperator(OperatorEdit(name: "One", domains: ["r1", "r3", "r4", "r5"]))
    _ = try await bench.coordinator.addOperator(OperatorEdit(name: "Two", domains: ["r6"]))
    let relays = try await bench.addRelays(6)
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: [relays[0], relays[1]]).row.id
    _ = try await bench.channel(id) { $0.hasSettled }
    try await rounds(bench, 2)
    let healed = try await bench.channel(id) { $0.phase == .active }
    #expect(healed.relays.last?.id == relays[5])
    try await bench.stop()
  }

  @Test func withoutAnybodyToReplaceItTheChannelStaysAsItIs() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(3)
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: Array(relays.prefix(2))).row.id
    _ = try await bench.channel(id) { $0.hasSettled }
    let row = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: row.revision, RelayEdit(isEnabled: false), force: false)
    try await rounds(bench, 5)
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .failed])
    // As soon as there is somebody, the channel heals.
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    try await rounds(bench, 2)
    #expect(try await bench.channel(id) { $0.phase == .active }.relays.last?.id == relays[2])
    try await bench.stop()
  }

  /// How many channels have their relay in each status, on one relay.
  private func statuses(_ bench: Bench, _ relay: RelayID) throws -> [RelayStatus: Int] {
    try RelayStatus.allCases.reduce(into: [:]) {
      let count = try bench.store.channels(of: relay, in: $1, after: nil, limit: 10_000).count
      if count > 0 { $0[$1] = count }
    }
  }

  /// Rounds until `isDone`, `max` of them at most.
  private func rounds(_ bench: Bench, atMost max: Int, until isDone: () throws -> Bool) async throws {
    for _ in 0..<max where try !isDone() { try await rounds(bench, 1) }
    #expect(try isDone())
  }

  @Test func relayThatIsBackGetsTheChannelsThatItFailedAtABoundedPace() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(returnsPerRound: 50))
    let relays = try await bench.addRelays(3)
    bench.network.set(.away, at: "ws://r3")
    for number in 0..<200 { _ = try await bench.create("c\(number)", relays: relays) }
    bench.network.relayWent(false, relays[2])
    try await rounds(bench, atMost: 60) { try statuses(bench, relays[2]) == [.failed: 200] }
    // As long as it is away, nobody asks it; nor when nothing says that it is back.
    bench.network.set(.works, at: "ws://r3")
    try await rounds(bench, 30)
    #expect(try statuses(bench, relays[2]) == [.failed: 200])
    bench.network.relayWent(true, relays[2])
    var failed = 200
    try await rounds(bench, atMost: 20) {
      let now = try statuses(bench, relays[2])[.failed] ?? 0
      #expect(failed - now <= 100, "a round, or two at once when the machine is slow")
      failed = now
      return try statuses(bench, relays[2]) == [.active: 200]
    }
    let history = try bench.store.transitions(of: ChannelID(rawValue: 1), limit: 100).map(\.transition)
    let back = try #require(history.first { $0.from == .failed })
    #expect(back.to == .invited && back.cause == nil && back.detail == "the relay is back")
    #expect(bench.network.violations.isEmpty)
    try await bench.stop()
  }

  @Test func whatARelayRefusedAndWhatDoesNotHealStaysFailedWhenItIsBack() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r2")
    let refused = try await bench.create("refused", relays: relays).row.id
    _ = try await bench.channel(refused) { $0.hasSettled }
    bench.network.set(.away, at: "ws://r2")
    let fixed = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "Fixed"), relays: relays, heal: false)
    ).row.id
    _ = try await bench.channel(fixed) { $0.hasSettled }
    bench.network.relayWent(false, relays[1])
    bench.network.set(.works, at: "ws://r2")
    try await bench.settle()
    bench.network.relayWent(true, relays[1])
    try await rounds(bench, 100)
    for id in [refused, fixed] {
      #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .failed])
    }
    try await bench.stop()
  }

  @Test func relayThatIsDisabledIsNotTakenBackAndOneThatOnlyFellSilentIsAfterAWhile() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replaceAfter: .seconds(7_200)))
    let relays = try await bench.addRelays(2)
    bench.network.set(.silent, at: "ws://r2")
    let id = try await bench.create(relays: relays).row.id
    bench.network.relayWent(true, relays[1])
    _ = try await bench.channel(id) { $0.hasSettled }
    func status() throws -> RelayStatus? { try bench.store.channel(id)?.relays[1].record.status }
    #expect(try status() == .failed)
    bench.network.set(.works, at: "ws://r2")
    try await rounds(bench, 90)
    #expect(try status() == .failed, "its connection stood all the time: nothing says that it is any better")
    let row = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: row.revision, RelayEdit(isEnabled: false), force: false)
    try await rounds(bench, 60)
    #expect(try status() == .failed)
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    try await rounds(bench, atMost: 5) { try status() == .active }
    try await bench.stop()
  }

  @Test func channelPrefersARelayThatItNeverHadToOneThatFailedIt() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replacementsPerHour: 1))
    let relays = try await bench.addRelays(3)
    let spare = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(spare.id, revision: spare.revision, RelayEdit(isEnabled: false), force: false)
    bench.network.set(.away, at: "ws://r2")
    for number in 0..<3 { _ = try await bench.create("c\(number)", relays: Array(relays.prefix(2))) }
    bench.network.relayWent(false, relays[1])
    try await rounds(bench, atMost: 60) { try statuses(bench, relays[1]) == [.failed: 3] }
    // Both are there at once: one channel moves, as many as may in an hour; the others take the old relay back.
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(spare.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    bench.network.set(.works, at: "ws://r2")
    bench.network.relayWent(true, relays[1])
    try await rounds(bench, atMost: 5) { try bench.store.totals().relays[.active] == 6 }
    #expect(try statuses(bench, relays[1]) == [.active: 2, .removed: 1] && statuses(bench, relays[2]) == [.active: 1])
    try await bench.stop()
  }

  @Test func historyIsKeptAsLongAsConfigured() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(keepHistory: .seconds(3 * 3_600)))
    let relays = try await bench.addRelays(1)
    let old = try await bench.create("old", relays: relays).row.id
    _ = try await bench.channel(old) { $0.phase == .active }
    try await rounds(bench, 170)
    let new = try await bench.create("new", relays: relays).row.id
    _ = try await bench.channel(new) { $0.phase == .active }
    #expect(try transitions(bench, old).count == 3)
    try await rounds(bench, 15)
    #expect(try transitions(bench, old).isEmpty && transitions(bench, new).count == 3)
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
    // More than go at once go in one round all the same.
    try await rounds(bench, atMost: 2) { try kept(1...400) == 30 }
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
    try await rounds(bench, 600)
    #expect(try await bench.channel(id) { _ in true }.phase == .deleting)
    #expect(!bench.network.channels(at: "ws://r1").isEmpty)
    try await bench.stop()
    // Also over a restart.
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
    // The next start knows the right time.
    bench.clock.advance(by: .seconds(-10 * 365 * 86_400))
    let again = try await Bench(bench, upkeep: UpkeepPolicy())
    #expect(try again.store.channelsToCheck(on: relays[0], at: again.clock.now, limit: 10) == [id])
    try await again.stop()
  }
}
