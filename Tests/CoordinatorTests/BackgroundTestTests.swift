import Channels
import Logging
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Tests of relays and servers in the background, under a clock that the test moves.
struct BackgroundTestTests {
  private static let server = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@s.example"
  private let schedule = TestSchedule(seed: 7)

  private func run(_ bench: Bench, until isDone: () throws -> Bool) async throws {
    try await bench.move(atMost: 500, until: isDone)
    // The journal entry comes after the commit.
    try await bench.settle()
  }

  private func add(_ bench: Bench, _ count: Int = 1) async throws -> [RelayID] { try await bench.addRelays(count) }

  private func relay(_ bench: Bench, _ id: RelayID) throws -> RelayRow {
    try #require(bench.coordinator.relays.first { $0.id == id })
  }

  /// It may fall due more than once while others are tested.
  @Test func peersWaitForATestOnce() {
    var queue = TestQueue()
    let (first, second) = (Probed.relay(RelayID(rawValue: 1)), Probed.server(ServerID(rawValue: 1)))
    for peer in [first, second, first, second, first] { queue.add(peer) }
    #expect(queue.next() == first && queue.next() == second && queue.next() == nil)
    queue.add(first)
    #expect(queue.next() == first)
  }

  @Test func enabledRelaysAndServersAreTestedSoonAndTheirHealthIsAChange() async throws {
    let bench = try await Bench(schedule: schedule)
    let subscription = try #require(bench.coordinator.hub.subscribe())
    let relays = try await add(bench)
    let server = try await bench.coordinator.addServer(ServerEdit(address: Self.server), force: false)
    try await run(bench) {
      try relay(bench, relays[0]).condition.health == .up && bench.coordinator.servers[0].condition.health == .up
    }
    let row = try relay(bench, relays[0])
    #expect(row.condition.tested == true && row.profile?.name == "fake" && row.capabilities == ["nip1"])
    #expect(try bench.store.roundTrips(of: .relay(relays[0])).map(\.milliseconds) == [7])
    #expect(try bench.store.roundTrips(of: .server(server.id)).map(\.milliseconds) == [9])
    try await bench.coordinator.barrier()
    let (changes, hasMissed) = subscription.drain()
    #expect(!hasMissed)
    var healths: [String] = []
    for change in changes {
      guard case .catalog(let object, let before) = change.object, before != nil else { continue }
      switch object {
      case .relay(let row): healths.append("relay \(row.condition.health)")
      case .server(let row): healths.append("server \(row.condition.health)")
      case .operator: break
      }
    }
    #expect(healths.sorted() == ["relay up", "server up"])
    try await bench.stop()
  }

  @Test func changeOfHealthIsAJournalEntryWithItsOwnID() async throws {
    let bench = try await Bench(schedule: schedule)
    let relays = try await add(bench)
    let server = try await bench.coordinator.addServer(ServerEdit(address: Self.server), force: false)
    bench.servers.fail("s.example", at: "identity", .wrongIdentity)
    try await run(bench) {
      try relay(bench, relays[0]).condition.health == .up && bench.coordinator.servers[0].condition.health == .down
    }
    try await run(bench) { bench.servers.tests.count >= 3 }
    func entries(_ event: JournalEvent) -> [RecordingLog.Entry] {
      bench.log.entries.filter { $0.fields["MESSAGE_ID"] == event.rawValue }
    }
    let up = try #require(entries(.relayHealth).first)
    #expect(up.fields["BATON_RELAY"] == "\(relays[0].rawValue)" && up.fields["BATON_HEALTH"] == "up")
    let down = entries(.serverHealth)
    #expect(down.count == 1, "the same again is no news")
    #expect(down[0].level == .warning && down[0].fields["BATON_SERVER"] == "\(server.id.rawValue)")
    #expect(down[0].message == "server 's.example' is down: identity: so told")
    try await bench.stop()
  }

  @Test func routineTestsThatFindNothingNewChangeNoRevision() async throws {
    let bench = try await Bench(schedule: schedule)
    let relays = try await add(bench)
    try await run(bench) { try relay(bench, relays[0]).condition.tested == true }
    let revision = try relay(bench, relays[0]).revision
    try await run(bench) { try bench.store.roundTrips(of: .relay(relays[0])).count == 4 }
    #expect(try relay(bench, relays[0]).revision == revision)
    #expect(try bench.store.relays()[0].condition == relay(bench, relays[0]).condition, "the figures are stored all the same")
    try await bench.stop()
  }

  @Test func disabledOnesAndThoseOfDisabledOperatorsAreLeftAlone() async throws {
    let bench = try await Bench(schedule: schedule)
    let owner = try await bench.coordinator.addOperator(OperatorEdit(name: "Off", domains: ["r2"], isEnabled: false))
    for (number, isEnabled) in [(1, false), (2, true), (3, true)] {
      _ = try await bench.coordinator.addRelay(
        network: .nostr, RelayEdit(address: "ws://r\(number)", isEnabled: isEnabled), force: false)
    }
    let removed = try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r4"), force: false)
    _ = try await bench.coordinator.removeRelay(removed.id, force: false)
    try await run(bench) { bench.network.tests.count >= 3 }
    #expect(Set(bench.network.tests.map(\.address)) == ["ws://r3"])
    // Enabling the operator is enough.
    let now = try #require(bench.coordinator.operators.first)
    _ = try await bench.coordinator.updateOperator(
      owner.id, revision: now.revision, OperatorEdit(isEnabled: true), force: false)
    try await run(bench) { bench.network.tests.contains { $0.address == "ws://r2" } }
    try await bench.stop()
  }

  @Test func noMoreTestsRunAtOnceThanAllowedAndNoneForEver() async throws {
    let bench = try await Bench(schedule: TestSchedule(atOnceMax: 2))
    for number in 1...4 { bench.network.set(.silent, at: "ws://r\(number)") }
    let relays = try await add(bench, 4)
    // All four are due within two seconds; two tests hang.
    for _ in 0..<20 {
      try await bench.settle()
      bench.clock.advance(by: .milliseconds(150))
    }
    for _ in 0..<20_000 where bench.network.tests.count < 2 { try await bench.settle() }
    try await bench.settle()
    #expect(bench.network.tests.count == 2)
    try await run(bench) { bench.network.tests.count == 4 }
    let first = try #require(relays.first { (try? relay(bench, $0).condition.tested) == false })
    #expect(try relay(bench, first).condition.lastError == "test: the test did not end in time")
    try await bench.stop()
  }

  @Test func testsThatWriteAreRareAsLongAsTheyPass() async throws {
    let bench = try await Bench(schedule: TestSchedule(fullInterval: .seconds(3_000), seed: 3))
    _ = try await add(bench)
    try await run(bench) { bench.network.tests.count >= 12 }
    let full = bench.network.tests.prefix(12).map(\.isFull)
    #expect(full.first == true && (3...5).contains(full.count { $0 }), "\(full)")
    bench.network.set(.refuses, at: "ws://r1")
    try await run(bench) { bench.coordinator.relays[0].condition.tested == false }
    let count = bench.network.tests.count
    try await run(bench) { bench.network.tests.count >= count + 2 }
    #expect(bench.network.tests[count].isFull, "what failed is tried as a whole")
    #expect(bench.coordinator.relays[0].condition.health == .degraded)
    try await bench.stop()
  }

  @Test func standingConnectionTakesPrecedence() async throws {
    let bench = try await Bench(schedule: schedule)
    let relays = try await add(bench)
    _ = try await bench.create(relays: relays)
    try await bench.settle()
    bench.network.relayWent(false, relays[0])
    let tests = bench.network.tests.count
    try await run(bench) { bench.network.tests.count > tests + 1 }
    #expect(try relay(bench, relays[0]).condition.health == .down, "a test that passes is no kept connection")
    bench.network.relayWent(true, relays[0])
    try await run(bench) { try relay(bench, relays[0]).condition.health == .up }
    try await bench.stop()
  }

  @Test func verdictOutlivesAFailureOfStorage() async throws {
    let bench = try await Bench(schedule: schedule)
    let relays = try await add(bench)
    bench.storage.isBroken = true
    try await run(bench) { try relay(bench, relays[0]).condition.tested == true && bench.coordinator.storageTrouble != nil }
    #expect(try bench.store.relays()[0].condition.tested == nil)
    bench.storage.isBroken = false
    try await run(bench) { try bench.store.relays()[0].condition.tested == true }
    try await run(bench) { bench.coordinator.storageTrouble == nil }
    try await bench.stop()
  }

  @Test func peerWhoseRemovalCouldNotBeStoredIsStillTested() async throws {
    let bench = try await Bench(schedule: schedule)
    let relays = try await add(bench)
    try await run(bench) { try relay(bench, relays[0]).condition.tested == true }
    let revision = try relay(bench, relays[0]).revision
    bench.storage.isBroken = true
    await #expect(throws: BatonError.self) {
      try await bench.coordinator.updateRelay(relays[0], revision: revision, RelayEdit(isEnabled: false), force: false)
    }
    bench.storage.isBroken = false
    let count = bench.network.tests.count
    try await run(bench) { bench.network.tests.count > count }
    #expect(try relay(bench, relays[0]).isEnabled)
    try await bench.stop()
  }

  @Test func testThatDidNotRunSaysNothingAboutARelay() {
    let (id, now) = (RelayID(rawValue: 1), Timestamp(milliseconds: 1_750_000_000_000))
    var catalog = Catalog()
    catalog.relays[id] = RelayRow(id: id, network: .nostr, address: "ws://r1", name: "r1", revision: 1)
    var decider = Decider(
      directory: RelayDirectory(networks: [], addressing: [], servers: nil, seed: 1), rules: Rules(policy: RelayPolicy()),
      hasTests: false, seed: 1,
      counters: StoreCounters(revision: 1, channel: 0, operator: 0, server: 0, relay: 1, identity: 0), catalog: catalog,
      now: now)
    func end(_ steps: [ProbeStep]) {
      let verdict = ProbeVerdict(steps, isFull: true)
      decider.decide([.tested(.relay(id), address: "ws://r1", verdict, Reply { _ in })], Facts(), at: now)
    }
    end([])
    #expect(decider.relays[id]?.condition == PeerCondition() && decider.close() == nil)
    #expect(decider.flight?.answers.map(\.outcome) == [.done], "whoever asked for it is told that it is over")
    end([ProbeStep(name: "connect", duration: .milliseconds(1), failure: Trouble(.timeout, "no answer"))])
    #expect(decider.relays[id]?.condition.tested == false && decider.close() != nil)
  }

  @Test func verdictOnAnOldAddressDoesNotCountForTheNewOne() async throws {
    let bench = try await Bench(schedule: schedule)
    bench.network.set(.silent, at: "ws://r1")
    let relays = try await add(bench)
    try await run(bench) { bench.network.tests.count == 1 }
    let revision = try relay(bench, relays[0]).revision
    _ = try await bench.coordinator.updateRelay(relays[0], revision: revision, RelayEdit(address: "ws://r2"), force: false)
    try await run(bench) { try relay(bench, relays[0]).condition.tested != nil }
    #expect(try relay(bench, relays[0]).condition.tested == true && bench.network.tests.last?.address == "ws://r2")
    try await bench.stop()
  }

  @Test func clockThatWasAheadDelaysNothing() {
    let now = Timestamp(milliseconds: 1_750_000_000_000)
    var condition = PeerCondition()
    condition.testFailed(.timeout, "x", isConnected: false, at: now + .seconds(400_000_000))
    #expect(schedule.next(condition, salt: 1, now: now) - now < .seconds(200))
    condition.testPassed(isFull: true, roundTrip: nil, at: now + .seconds(400_000_000))
    #expect(schedule.next(condition, salt: 1, now: now) - now < .seconds(1_200))
    #expect(condition.reliability(at: now) == .good)
  }

  @Test func scheduleHasJitterAndComesSoonerAfterAFailure() {
    let now = Timestamp(milliseconds: 1_750_000_000_000)
    var passed = PeerCondition()
    passed.testPassed(isFull: true, roundTrip: nil, at: now)
    var failed = PeerCondition()
    failed.testFailed(.timeout, "x", isConnected: false, at: now)
    var waits: Set<Duration> = []
    for salt in 0..<500 as Range<UInt64> {
      let wait = schedule.next(passed, salt: salt, now: now) - now
      #expect((.seconds(720)...(.seconds(1_080))).contains(wait))
      waits.insert(wait)
      #expect((.seconds(96)...(.seconds(144))).contains(schedule.next(failed, salt: salt, now: now) - now))
      #expect((.zero...(.seconds(2))).contains(schedule.next(PeerCondition(), salt: salt, now: now) - now))
      // Tests that fell due while the daemon was not running are spread too.
      #expect(
        (.zero...(.seconds(30))).contains(
          schedule.next(passed, salt: salt, now: now + .seconds(86_400)) - (now + .seconds(86_400))))
    }
    #expect(waits.count > 400)
  }
}
