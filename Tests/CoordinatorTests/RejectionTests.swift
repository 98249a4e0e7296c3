import Channels
import RelayNetwork
import Storage
import Store
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

  /// Which channels come first must not depend on the order of a set, which differs from run to run.
  @Test func channelsAreRecoveredInOrder() {
    var recovery = Recovery()
    recovery.owe((1...1_000).map { ChannelID(rawValue: $0) })
    #expect(recovery.takeChannels(3).map(\.rawValue) == [1, 2, 3])
    #expect(recovery.takeChannels(2).map(\.rawValue) == [4, 5])
  }
}
