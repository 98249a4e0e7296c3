import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Settled channels heal: relays that fail are replaced, or taken back when they work again.
struct HealingUpkeepTests {
  @Test func relayThatFailedIsReplacedFromThePool() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(4)
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: Array(relays.prefix(3))).row.id
    _ = try await bench.channel(id) { $0.phase == .degraded }
    try await bench.rounds(2)
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
    try await bench.rounds(55)
    let degraded = try #require(try bench.store.channel(id))
    #expect(degraded.relays.map(\.record.status) == [.inactive, .active])
    try await bench.rounds(15)
    let healed = try #require(try bench.store.channel(id))
    #expect(healed.relays.map(\.record.status) == [.removed, .active, .active])
    // A relay that comes back late stays removed.
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, relays[0])
    try await bench.rounds(200)
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.removed, .active, .active])
    #expect(bench.network.channels(at: "ws://r1").isEmpty && bench.network.violations.isEmpty)
    try await bench.stop()
  }

  /// A relay that lets no one read for long gives its place to another, and is not asked to delete what readers may find there.
  @Test func replacedRelayIsToldOnceItHasAnsweredWhetherItHasTheChannel() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(3)
    let id = try await bench.create(relays: Array(relays.prefix(2))).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.network.set(.limited, at: "ws://r1")
    bench.network.relayWent(false, relays[0])
    try await bench.rounds(70)
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.removed, .active, .active])
    bench.network.relayWent(true, relays[0])
    try await bench.rounds(100)
    #expect(bench.network.channels(at: "ws://r1").count == 1)
    #expect(try bench.store.channel(id)?.relays[0].record.task == .verify)
    bench.network.set(.works, at: "ws://r1")
    bench.network.relayWent(true, relays[0])
    _ = try await bench.channel(id) { $0.relays[0].record.task == nil }
    #expect(bench.network.channels(at: "ws://r1").isEmpty && bench.network.violations.isEmpty)
    try await bench.stop()
  }

  @Test func channelThatMustNotHealIsLeftAlone() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r1")
    let created = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "Fixed"), relays: [relays[0]], heal: false))
    try await bench.rounds(10)
    #expect(try bench.store.channel(created.row.id)?.relays.map(\.record.status) == [.failed])
    try await bench.stop()
  }

  @Test func replacementsAreLimitedPerChannelAndNeverTwoAtOnce() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replacementsPerChannel: 2))
    let relays = try await bench.addRelays(9)
    for number in 2...9 { bench.network.set(.refuses, at: "ws://r\(number)") }
    let id = try await bench.create(relays: Array(relays.prefix(3))).row.id
    try await bench.rounds(50) {
      let channel = try #require(try bench.store.channel(id))
      #expect(channel.relays.count { $0.record.status.isUnderWay } <= 1)
    }
    func replaced() throws -> Int { try bench.transitions(id).count { $0.hasSuffix("removed replaced") } }
    #expect(try replaced() == 2)
    try await bench.rounds(30)
    #expect(try replaced() == 4, "the hour is over")
    let channel = try #require(try bench.store.channel(id))
    #expect(Set(channel.relays.map(\.relay)).count == channel.relays.count, "no relay is tried twice")
    try await bench.stop()
  }

  /// Two relays have failed, and it is not known yet whether the one that takes the first place will serve.
  @Test func nextRelayIsReplacedOnceTheFirstReplacementHasAnswered() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(5)
    for number in 2...3 { bench.network.set(.refuses, at: "ws://r\(number)") }
    for number in 4...5 { bench.network.set(.silent, at: "ws://r\(number)") }
    let id = try await bench.create(relays: Array(relays.prefix(3))).row.id
    _ = try await bench.channel(id) { $0.hasSettled }
    func statuses() throws -> [RelayStatus] { try bench.store.channel(id)?.relays.map(\.record.status) ?? [] }
    #expect(try statuses() == [.active, .failed, .failed])
    try await bench.rounds(2)
    let now = try statuses()
    #expect(now.count == 4 && now.count { $0.isUnderWay } == 1, "\(now)")
    try await bench.stop()
  }

  @Test func relayIsNotReplacedByOneThatIsDown() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(3)
    // A channel on the only spare relay, so that its connection is watched.
    let other = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "Other"), relays: [relays[2]], heal: false)
    ).row.id
    _ = try await bench.channel(other) { $0.phase == .active }
    bench.network.relayWent(false, relays[2])
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: Array(relays.prefix(2))).row.id
    _ = try await bench.channel(id) { $0.hasSettled }
    try await bench.rounds(3)
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .failed])
    // It is back, and ten minutes later nothing speaks against it.
    bench.network.relayWent(true, relays[2])
    try await bench.rounds(atMost: 20) { try bench.store.channel(id)?.relays.count == 3 }
    try await bench.stop()
  }

  @Test func replacementsInAllChannelsAreLimited() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replacementsPerHour: 5))
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r1")
    for number in 0..<12 { _ = try await bench.create("c\(number)", relays: [relays[0]]) }
    try await bench.rounds(30)
    #expect(try bench.store.totals().relays[.active] == 5)
    try await bench.rounds(60)
    #expect(try bench.store.totals().relays[.active] == 10)
    try await bench.rounds(60)
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
    try await bench.rounds(2)
    let healed = try await bench.channel(id) { $0.phase == .active }
    #expect(healed.relays.last?.id == relays[5])
    try await bench.stop()
  }

  @Test func channelStaysAsItIsWhileNoRelayCanReplaceTheFailedOne() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(3)
    bench.network.set(.refuses, at: "ws://r2")
    let id = try await bench.create(relays: Array(relays.prefix(2))).row.id
    _ = try await bench.channel(id) { $0.hasSettled }
    let row = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: row.revision, RelayEdit(isEnabled: false), force: false)
    try await bench.rounds(5)
    #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .failed])
    // As soon as a relay is available, the channel heals.
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    try await bench.rounds(2)
    #expect(try await bench.channel(id) { $0.phase == .active }.relays.last?.id == relays[2])
    try await bench.stop()
  }

  @Test func relayThatIsBackGetsTheChannelsThatItFailedAtABoundedPace() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(returnsPerRound: 50))
    let relays = try await bench.addRelays(3)
    bench.network.set(.away, at: "ws://r3")
    for number in 0..<200 { _ = try await bench.create("c\(number)", relays: relays) }
    bench.network.relayWent(false, relays[2])
    try await bench.rounds(atMost: 60) { try bench.statuses(relays[2]) == [.failed: 200] }
    // The relay is not asked while it is away, nor before anything shows that it is back.
    bench.network.set(.works, at: "ws://r3")
    try await bench.rounds(30)
    #expect(try bench.statuses(relays[2]) == [.failed: 200])
    bench.network.relayWent(true, relays[2])
    var failed = 200
    try await bench.rounds(atMost: 20) {
      let now = try bench.statuses(relays[2])[.failed] ?? 0
      #expect(failed - now <= 100, "a round, or two at once when the machine is slow")
      failed = now
      return try bench.statuses(relays[2]) == [.active: 200]
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
    try await bench.rounds(100)
    for id in [refused, fixed] {
      #expect(try bench.store.channel(id)?.relays.map(\.record.status) == [.active, .failed])
    }
    try await bench.stop()
  }

  @Test func disabledRelayIsNotTakenBackAndASilentOneIsAfterAWhile() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy(replaceAfter: .seconds(7_200)))
    let relays = try await bench.addRelays(2)
    bench.network.set(.silent, at: "ws://r2")
    let id = try await bench.create(relays: relays).row.id
    bench.network.relayWent(true, relays[1])
    _ = try await bench.channel(id) { $0.hasSettled }
    func status() throws -> RelayStatus? { try bench.store.channel(id)?.relays[1].record.status }
    #expect(try status() == .failed)
    bench.network.set(.works, at: "ws://r2")
    try await bench.rounds(90)
    #expect(try status() == .failed, "its connection stood all the time: nothing says that it is any better")
    let row = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: row.revision, RelayEdit(isEnabled: false), force: false)
    try await bench.rounds(60)
    #expect(try status() == .failed)
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(row.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    try await bench.rounds(atMost: 5) { try status() == .active }
    try await bench.stop()
  }

  @Test func relayThatIsBackInTheVeryMillisecondOfAFailureGetsTheChannelAtOnce() async throws {
    let bench = try await Bench(upkeep: UpkeepPolicy())
    let relays = try await bench.addRelays(2)
    bench.network.set(.away, at: "ws://r2")
    let id = try await bench.create(relays: relays).row.id
    bench.network.relayWent(false, relays[1])
    let failed = try await bench.channel(id) { $0.phase == .degraded }
    bench.network.set(.works, at: "ws://r2")
    bench.network.relayWent(true, relays[1])
    try await bench.settle()
    #expect(failed.relays[1].record.since == bench.coordinator.relays.last?.condition.healthSince)
    try await bench.rounds(atMost: 2) { try bench.statuses(relays[1]) == [.active: 1] }
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
    try await bench.rounds(atMost: 60) { try bench.statuses(relays[1]) == [.failed: 3] }
    // Both relays are available at once: one channel moves, which is the hourly limit; the others take the old relay back.
    let now = try #require(bench.coordinator.relays.last)
    _ = try await bench.coordinator.updateRelay(spare.id, revision: now.revision, RelayEdit(isEnabled: true), force: false)
    bench.network.set(.works, at: "ws://r2")
    bench.network.relayWent(true, relays[1])
    try await bench.rounds(atMost: 5) { try bench.store.totals().relays[.active] == 6 }
    #expect(try bench.statuses(relays[1]) == [.active: 2, .removed: 1] && bench.statuses(relays[2]) == [.active: 1])
    try await bench.stop()
  }
}
