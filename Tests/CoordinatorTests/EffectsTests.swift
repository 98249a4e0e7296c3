import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// The effects of a batch, and which of them remain if its commit fails.
struct EffectsTests {
  private let relay = RelayID(rawValue: 1)

  @Test func onlyWhatHoldsInAnyCaseIsLeftOfACommitThatFailed() {
    var effects = Effects()
    effects.journal = [
      JournalEntry(level: .info, message: "done"), JournalEntry(level: .warning, message: "heard", isHeard: true),
    ]
    effects.loads = [relay: 1]
    effects.created = [ChannelID(rawValue: 1)]
    effects.publication = .changes(after: 6, through: 7)
    effects.identities = []
    effects.keys = [.lock(IdentityID(rawValue: 1), .nostr)]
    effects.tests = [.cancel(.relay(relay))]
    effects.inputs = [.forgetHistory]
    effects.isWatchChanged = true
    effects.withhold()
    #expect(effects.journal.map(\.message) == ["heard"])
    #expect(effects.loads.isEmpty && effects.created.isEmpty)
    #expect(effects.publication == nil && effects.identities == nil && effects.keys.isEmpty)
    #expect(effects.tests.count == 1 && effects.inputs.count == 1 && effects.isWatchChanged)
  }

  /// Deciding has no effects, not even log entries.
  @Test func nothingIsPublishedBeforeTheCommitIsOver() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.settle()
    func entries(_ event: JournalEvent) -> Int {
      bench.log.entries.count { $0.fields["MESSAGE_ID"] == event.rawValue }
    }
    bench.storage.hold()
    bench.network.relayWent(false, relays[0])
    bench.network.send(.state(.nostr, .down(NetworkTrouble(.absent, "gone"))))
    let heartbeat = Task { try await bench.coordinator.heartbeat() }
    while !bench.storage.isCommitWaiting { await Task.yield() }
    #expect(entries(.networkState) == 0 && entries(.relayHealth) == 0)
    bench.storage.release()
    try await heartbeat.value
    try await bench.settle()
    #expect(entries(.networkState) == 1 && entries(.relayHealth) == 1)
    try await bench.stop()
  }
}
