import BatonClient
import Channels
import ControlAPI
import Coordinator
import RelayNetwork
import TestSupport
import Testing

/// A network that cannot be used, as clients see it.
@Suite(.timeLimit(.minutes(10)))
struct NetworkStateControlTests {
  @Test func networkThatCannotBeUsedIsNamedAtOnceAndEverywhere() async throws {
    let bench = try await Bench()
    let relay = try #require(try await bench.addRelays(1).first)
    #expect(try await bench.client.status().unusableNetworks == [])
    bench.network.send(.state(.nostr, .down(NetworkTrouble(.absent, "nothing listens there"))))
    try await bench.coordinator.barrier()
    let status = try await bench.client.status()
    #expect(
      status.unusableNetworks == [UnusableNetwork(network: "nostr", fault: "absent", detail: "nothing listens there")])
    #expect(status.summary.contains("nostr cannot be used"))
    let errors = try await bench.client.validate().errors
    #expect(errors.first?.kind == "networkUnusable" && errors.first?.relayIds == [relay])
    #expect(try await bench.client.relay(id: relay).networkTrouble == "nothing listens there")
    #expect(try await bench.client.relays().first?.networkTrouble == "nothing listens there")
    bench.network.send(.state(.nostr, .works(detail: "")))
    try await bench.coordinator.barrier()
    #expect(try await bench.client.status().unusableNetworks == [])
    #expect(try await bench.client.relay(id: relay).networkTrouble == nil)
    try await bench.stop()
  }
}
