import BatonClient
import Channels
import ControlAPI
import Coordinator
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

/// A network that cannot be used, as clients see it.
@Suite(.timeLimit(.minutes(10)))
struct NetworkStateControlTests {
  @Test func networkThatCannotBeUsedIsNamedAtOnceAndEverywhere() async throws {
    let bench = try await Bench()
    let relay = try #require(try await bench.addRelays(1).first)
    #expect(try await bench.client.daemon.status().unusableNetworks == [])
    bench.network.send(.state(.nostr, .down(NetworkTrouble(.absent, "nothing listens there"))))
    try await bench.coordinator.barrier()
    let status = try await bench.client.daemon.status()
    #expect(
      status.unusableNetworks == [UnusableNetwork(network: "nostr", fault: "absent", detail: "nothing listens there")])
    #expect(status.summary.contains("nostr does not work"))
    let errors = try await bench.client.operators.validate().errors
    #expect(errors.first?.kind == "networkUnusable" && errors.first?.relayIds == [relay])
    #expect(try await bench.client.relays.get(id: relay).networkTrouble == "nothing listens there")
    #expect(try await bench.client.relays.all().first?.networkTrouble == "nothing listens there")
    bench.network.send(.state(.nostr, .works(detail: "")))
    try await bench.coordinator.barrier()
    #expect(try await bench.client.daemon.status().unusableNetworks == [])
    #expect(try await bench.client.relays.get(id: relay).networkTrouble == nil)
    try await bench.stop()
  }

  /// A channel that waits for its network has no cause of its own, and is found by the one that it shows.
  @Test(arguments: [false, true]) func channelsThatWaitForTheirNetworkAreFoundByItsCause(isShared: Bool) async throws {
    let bench = try await Bench(hasSharedLists: isShared)
    let relay = try #require(try await bench.addRelays(1).first)
    bench.network.set(.silent, at: "ws://r1")
    let created = try await bench.client.channels.create(
      CreateChannel(profile: .init(displayName: "News"), relayIds: [relay]))
    bench.network.send(.state(.nostr, .down(NetworkTrouble(.absent, "nothing listens there"))))
    try await bench.coordinator.barrier()
    let cause = try #require(try await bench.client.channels.get(id: created.id).relays.first?.cause)
    #expect(try bench.store.channel(ChannelID(rawValue: created.id))?.relays.first?.record.trouble == nil)
    if isShared { try await bench.copyToShared(created.id) }
    for wanted in [["cause": .string(cause)], ["cause": .string(cause), "status": "new"]] as [JSONValue] {
      let found = try await bench.client.channels.all(filter: ["relays": ["$elemMatch": wanted]])
      #expect(found.map(\.id) == [created.id], "\(wanted.text)")
    }
    #expect(try await bench.client.channels.all(filter: ["relays": ["$elemMatch": ["cause": "rejected"]]]).isEmpty)
    try await bench.stop()
  }
}
