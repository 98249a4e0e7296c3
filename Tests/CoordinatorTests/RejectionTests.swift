import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Parts of a commit that are not stored: nothing says that they were, and nothing that was learned is lost with them.
struct RejectionTests {
  /// A decider whose change of a relay is not stored, and with it that another relay is down.
  private func withRejectedCatalog() async throws -> (DeciderShell, DeciderShell.Landing) {
    let shell = try await DeciderShell(relays: 2)
    try await shell.store(shell.creation("News"))
    await shell.take([
      shell.renaming(shell.relays[1], to: "harbour"), .report(.relayDown(shell.relays[0], Trouble(.unreachable, "gone"))),
    ])
    shell.close()
    let base = shell.decider.base.counters.revision
    return (shell, shell.land(CommitReceipt(base: base, revision: base, rejections: [0: .refused("a name is taken")])))
  }

  @Test func changeThatWasRejectedIsNotInTheJournal() async throws {
    let (shell, landing) = try await withRejectedCatalog()
    #expect(landing.effects.journal.map(\.event) == [.relayHealth], "\(landing.effects.journal.map(\.message))")
    shell.store.close()
  }

  @Test func messagesThatCannotBeReadAreSaidOnceAnHourForEachRelay() async throws {
    let shell = try await DeciderShell(relays: 2)
    func said(_ relay: Int64, _ count: Int) async throws -> [String?] {
      await shell.take([.report(.unreadable(RelayID(rawValue: relay), count: count))])
      let entries = try await shell.land().effects.journal
      #expect(entries.allSatisfy { $0.event == .relayUnreadable })
      return entries.map { $0.fields["BATON_COUNT"] }
    }
    #expect(try await said(1, 3) == ["3"])
    #expect(try await said(1, 2) == [])
    #expect(try await said(2, 1) == ["1"])
    shell.now = shell.now + .seconds(3_599)
    #expect(try await said(1, 2) == [])
    shell.now = shell.now + .seconds(1)
    #expect(try await said(1, 7) == ["7"])
    #expect(try await said(9, 1) == [], "no one knows it")
    shell.store.close()
  }

  @Test func whatWasLearnedBesideARejectedChangeIsStoredSoon() async throws {
    let (shell, _) = try await withRejectedCatalog()
    #expect(shell.decider.recovery.objects == [.relay(shell.relays[0])])
    let due = try #require(shell.decider.alarms[.recovery], "nothing brings it back")
    shell.now = max(shell.now, due)
    try await shell.store(.timersDue)
    #expect(try shell.store.relays().first?.condition.health == .down && shell.decider.recovery.isOver)
    shell.store.close()
  }

  @Test func rejectedCatalogKeepsWhatWasLearnedOfServers() async throws {
    let shell = try await DeciderShell(relays: 1)
    let id = ServerID(rawValue: 1)
    let address = "smp://MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=@s.example"
    var row = ServerRow(id: id, transport: .smp, address: address, fingerprint: "f", hosts: ["s.example"])
    row.revision = 1
    shell.decider.base.catalog.servers[id] = row
    let verdict = ProbeVerdict(
      [ProbeStep(name: "connect", duration: .zero, failure: Trouble(.unreachable, "gone"))], isFull: true)
    await shell.take([.tested(.server(id), address: address, verdict, Reply { _ in })])
    shell.close()
    let base = shell.decider.base.counters.revision
    shell.land(CommitReceipt(base: base, revision: base, rejections: [0: .refused("damaged")]))
    #expect(shell.decider.base.catalog.servers[id]?.condition.health == .down)
    #expect(shell.decider.recovery.objects == [.server(id)])
    shell.store.close()
  }

  /// The result of a test that a relay passed, which took `milliseconds` to connect.
  private static func passed(_ relay: RelayID, _ milliseconds: Int) -> Engine.Input {
    let description = PeerDescription(name: "harbour", text: nil, software: nil, capabilities: ["nip1"])
    let step = ProbeStep(name: "connect", duration: .milliseconds(milliseconds), selfDescription: description)
    return .tested(
      .relay(relay), address: "ws://r\(relay.rawValue)", ProbeVerdict([step], isFull: true), Reply { _ in })
  }

  @Test func testBesideARejectedChangeIsNotLost() async throws {
    let shell = try await DeciderShell(relays: 2)
    let relay = shell.relays[0]
    await shell.take([shell.renaming(shell.relays[1], to: "mill"), Self.passed(relay, 7)])
    let parts = shell.close().parts
    #expect(shell.decider.flight?.parts == [.catalog, .roundTrips, .signOfLife])
    try await shell.storage.write(CommitRequest(Array(parts.dropFirst())))
    let base = shell.decider.base.counters.revision
    shell.land(CommitReceipt(base: base, revision: base, rejections: [0: .refused("a name is taken")]))
    #expect(try shell.store.roundTrips(of: .relay(relay)).map(\.milliseconds) == [7])
    let row = try #require(shell.decider.base.catalog.relays[relay])
    #expect(row.condition.health == .up && row.capabilities == ["nip1"] && row.profile?.name == "harbour")
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    #expect(try shell.store.relays().first?.capabilities == ["nip1"] && shell.decider.recovery.isOver)
    #expect(try shell.store.roundTrips(of: .relay(relay)).count == 1, "it is stored once")
    shell.store.close()
  }

  @Test func connectionsThatWereMeasuredWhileStorageFailedAreStoredLater() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (relay, start) = (shell.relays[0], shell.now)
    for milliseconds in 1...2 {
      await shell.take([Self.passed(relay, milliseconds)])
      shell.close()
      shell.fail(.unavailable("database or disk is full"))
      shell.now = shell.now + .milliseconds(10)
    }
    // It may be stored: twice would be wrong.
    await shell.take([Self.passed(relay, 3)])
    _ = try await shell.storage.commit(shell.close())
    await shell.take([Self.passed(relay, 4)])
    shell.fail(.inDoubt("the answer was lost"))
    _ = try await shell.settleDoubt()
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    let stored = try shell.store.roundTrips(of: .relay(relay))
    #expect(stored.map(\.milliseconds) == [3, 1, 2, 4])
    #expect(stored.first { $0.milliseconds == 2 }?.at == start + .milliseconds(10), "with its own time")
    shell.store.close()
  }

  /// It would wait for its next attempt until the daemon starts again.
  @Test func channelThatWasReadBeforeADoubtIsSettledIsReadAgain() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (id, relay) = (ChannelID(rawValue: 1), shell.relays[0])
    try await shell.store(shell.creation("News"))
    await shell.take([shell.outcome(1, relay, .troubled(Trouble(.unreachable, "gone"), retryAfter: nil))])
    try await shell.storage.write(shell.close())
    shell.fail(.inDoubt("the answer was lost"))
    // The channel can be read; the rest cannot, so that nothing is committed yet.
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    await shell.take([.timersDue])
    shell.fail(.unavailable("the stored state is unknown"))
    #expect(shell.decider.base.live[id] != nil && shell.decider.recovery.channels.isEmpty)
    _ = try await shell.settleDoubt()
    #expect(shell.decider.base.live[id] == nil)
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    #expect(shell.decider.base.live[id] != nil && shell.decider.alarms[.channel(id)] != nil)
    shell.store.close()
  }

  @Test func connectionsThatACommitInDoubtDidNotStoreAreStoredLater() async throws {
    let shell = try await DeciderShell(relays: 1)
    let relay = shell.relays[0]
    await shell.take([Self.passed(relay, 1)])
    shell.close()
    await shell.take([Self.passed(relay, 2)])
    shell.fail(.inDoubt("the answer was lost"))
    _ = try await shell.settleDoubt()
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    #expect(try shell.store.roundTrips(of: .relay(relay)).map(\.milliseconds) == [1, 2])
    shell.store.close()
  }

  /// The next test that reads what a relay says of itself may be a day away.
  @Test func whatATestFoundOutWhileACommitWasInDoubtIsNotLost() async throws {
    let shell = try await DeciderShell(relays: 2)
    let (relay, other) = (shell.relays[0], shell.relays[1])
    await shell.take([shell.renaming(other, to: "mill")])
    try await shell.storage.write(shell.close())
    await shell.take([Self.passed(relay, 7)])
    shell.fail(.inDoubt("the answer was lost"))
    _ = try await shell.settleDoubt()
    let row = try #require(shell.decider.base.catalog.relays[relay])
    #expect(row.condition.health == .up && row.capabilities == ["nip1"] && row.profile?.name == "harbour")
    #expect(shell.decider.relays[other]?.name == "mill", "the commit is durable")
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    #expect(try shell.store.relays().first { $0.id == relay }?.capabilities == ["nip1"])
    shell.store.close()
  }

  /// A store that is away for days must not fill the memory.
  @Test func measuredConnectionsThatWaitAreFew() {
    var recovery = Recovery()
    for count in 1...Int64(Recovery.roundTripsMax + 5) {
      recovery.owe([.init(peer: .relay(RelayID(rawValue: 1)), at: Timestamp(milliseconds: count), milliseconds: count)])
    }
    let taken = recovery.takeRoundTrips()
    #expect(taken.count == Recovery.roundTripsMax && taken.first?.milliseconds == 6 && recovery.takeRoundTrips().isEmpty)
  }

  /// The key is not used: the channel that had it does not exist.
  @Test func refusalForTheSakeOfARejectedChannelIsTakenBack() async throws {
    let shell = try await DeciderShell(relays: 1)
    await shell.take([shell.creation("News", key: "k")])
    shell.close()
    let other = shell.creation("Weather", key: "k")
    await shell.take([other])
    let refusal = BatonError.idempotencyKeyReused(ChannelID(rawValue: 1), isDeleted: false)
    #expect(shell.decider.open.answers.map(\.outcome) == [.refused(refusal)])
    let base = shell.decider.base.counters.revision
    shell.land(CommitReceipt(base: base, revision: base, rejections: [0: .refused("too large")]))
    let landing = try await shell.land()
    #expect(!landing.answers.contains { $0.outcome == .refused(refusal) }, "\(landing.answers.map(\.outcome))")
    shell.store.close()
  }

  // MARK: - The answer that says it is lost

  /// Stores what was decided without the parts at these places, and loses the answer.
  /// - Returns: what follows once it is known what is stored.
  private func loseAnswer(_ shell: DeciderShell, without places: Set<Int>) async throws -> Effects {
    let parts = shell.close().parts
    try await shell.storage.write(CommitRequest(parts.indices.filter { !places.contains($0) }.map { parts[$0] }))
    shell.fail(.inDoubt("the connection broke"))
    return try #require(try await shell.settleDoubt())
  }

  @Test func channelThatIsMissingFromADurableCommitInDoubtWasNotCreated() async throws {
    let shell = try await DeciderShell(relays: 1)
    await shell.take([shell.creation("News"), shell.creation("Weather")])
    let last = shell.decider.base.counters.revision
    let effects = try await loseAnswer(shell, without: [0])
    #expect(effects.created == [ChannelID(rawValue: 2)])
    #expect(effects.changes.map(\.channel) == [ChannelID(rawValue: 2)] && effects.changes.map(\.revision) == [last + 2])
    #expect(shell.decider.base.counters.revision == last + 2)
    shell.store.close()
  }

  @Test func changeOfARelayThatIsMissingFromADurableCommitInDoubtIsNotInTheJournal() async throws {
    for (places, count) in [(Set([0]), 1), ([], 2)] {
      let shell = try await DeciderShell(relays: 1)
      await shell.take([shell.renaming(shell.relays[0], to: "harbour"), shell.creation("News")])
      let effects = try await loseAnswer(shell, without: places)
      #expect(effects.journal.count == count, "\(effects.journal.map(\.message))")
      #expect(effects.created == [ChannelID(rawValue: 1)])
      #expect(shell.decider.relays[shell.relays[0]]?.name == (count == 1 ? "r1" : "harbour"))
      shell.store.close()
    }
  }

  /// What someone else did to it is not reported as done here.
  @Test func conflictInADurableCommitInDoubtIsNotInTheJournal() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (first, second) = (try await shell.createActive("News"), try await shell.createActive("Weather"))
    shell.storage.conflictOnce(first, custom: "of someone else")
    await shell.take([shell.update(1, name: "Novelties"), shell.update(2, name: "Climate")])
    shell.storage.isDoubtful = true
    guard case .failed(.inDoubt, _, _) = try await shell.land() else { throw CancellationError() }
    let effects = try #require(try await shell.settleDoubt())
    #expect(!effects.changes.isEmpty && effects.changes.allSatisfy { $0.channel == second })
    #expect(effects.changes.last?.revision == (try shell.store.channel(second)?.row.revision), "as it is stored")
    shell.store.close()
  }

  /// Which channels come first must not depend on the order of a set, which differs from run to run.
  @Test func channelsAreRecoveredInOrder() {
    var recovery = Recovery()
    recovery.owe((1...1_000).map { ChannelID(rawValue: $0) })
    #expect(recovery.takeChannels(3).map(\.rawValue) == [1, 2, 3])
    #expect(recovery.takeChannels(2).map(\.rawValue) == [4, 5])
  }
}
