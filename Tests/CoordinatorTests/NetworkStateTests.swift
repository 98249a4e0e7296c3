import Channels
import Logging
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// The state that a network reports as a whole.
struct NetworkStateTests {
  @Test func stateIsReportedOnceAndShownWhereverRelaysAre() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.network.set(.silent, at: "ws://r1")
    let id = try await bench.create(relays: relays).row.id
    func shown() throws -> ChannelSnapshot.Relay {
      bench.coordinator.snapshot(try #require(try bench.store.channel(id))).relays[0]
    }
    func told() -> [RecordingLog.Entry] {
      bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.networkState.rawValue }
    }
    let revision = bench.coordinator.hub.revision
    let trouble = NetworkTrouble(.wrongUser, "another user is active")
    for _ in 0..<2 { bench.network.send(.state(.nostr, .down(trouble))) }
    try await bench.settle()
    #expect(bench.coordinator.trouble(of: .nostr) == trouble && bench.coordinator.trouble(of: .simplex) == nil)
    let finding = try #require(bench.coordinator.findings.first)
    #expect(finding.kind == .networkUnusable && finding.kind.isError && finding.relays == relays)
    #expect(finding.message == "nostr does not work: another user is active")
    #expect(try shown().networkTrouble == trouble.trouble && shown().view.trouble == nil)
    #expect(told().count == 1 && told()[0].level == .error)
    #expect(told()[0].fields["BATON_NETWORK"] == "nostr" && told()[0].fields["BATON_NETWORK_STATE"] == "wrongUser")
    // Relays still serve readers.
    #expect(bench.coordinator.hub.revision == revision)

    bench.network.send(.state(.nostr, .works(detail: "it is there")))
    try await bench.settle()
    #expect(bench.coordinator.trouble(of: .nostr) == nil && bench.coordinator.networkTroubles.isEmpty)
    #expect(!bench.coordinator.findings.contains { $0.kind == .networkUnusable })
    #expect(try shown().networkTrouble == nil && told().last?.level == .notice)
    try await bench.stop()
  }
}
