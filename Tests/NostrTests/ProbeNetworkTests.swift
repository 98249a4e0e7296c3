import Channels
import RelayNetwork
import Sandbox
import TestTools
import Testing

@testable import Nostr

/// The steps of testing a relay, against relays of the sandbox.
struct ProbeNetworkTests {
  @Test func relayTestNamesTheStepThatFails() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    func steps(_ depth: ProbeDepth = .full) async throws -> [String] {
      var names: [String] = []
      let address = try bench.network.parse(address: relay.url)
      for await step in bench.network.test(address: address, identity: IdentityID(rawValue: 1), depth: depth) {
        names.append(step.failure.map { "\(step.name) \($0.cause)" } ?? step.name)
        // A round trip to the relay takes time, and the step in which it was spent shows it.
        if ["connect", "info", "publish", "readBack"].contains(step.name) { #expect(step.duration > .zero, "\(step.name)") }
        if step.name == "auth", relay.fault != .auth { #expect(step.duration == .zero) }
      }
      return names
    }
    let way = ["resolve", "connect", "tls", "info"]
    #expect(try await steps() == way + ["auth", "publish", "readBack", "verify"])
    #expect(relay.eventCount == 1, "the probe is deleted afterwards, only the request to do so is left")
    #expect(try await steps(.light) == way + ["readBack"])
    try await relay.set(.refuse)
    #expect(try await steps() == way + ["auth", "publish rejected"])
    try await relay.set(.lose)
    #expect(try await steps() == way + ["auth", "publish", "readBack missing"])
    for fault in [SandboxFault.forgeID, .forgeSignature] {
      try await relay.set(fault)
      #expect(try await steps() == way + ["auth", "publish", "readBack", "verify wrongIdentity"])
    }
    try await relay.set(.auth)
    #expect(try await steps() == way + ["auth", "publish", "readBack", "verify"])
    try await relay.set(.down)
    #expect(try await steps() == ["resolve", "connect unreachable"])
    await bench.end()
    await relay.stop()
  }

  @Test func relayTestTellsNetworkTLSAndHTTPApart() async throws {
    let bench = try NetworkBench()
    func last(_ address: String) async throws -> String? {
      var last: ProbeStep?
      for await step in bench.network.test(
        address: try bench.network.parse(address: address), identity: IdentityID(rawValue: 1), depth: .light)
      {
        last = step
      }
      return last.map { "\($0.name) \($0.failure?.cause.rawValue ?? "passed")" }
    }
    #expect(try await last("ws://nowhere.invalid:1")?.hasPrefix("resolve ") == true)
    let folder = try TemporaryFolder()
    let stranger = try folder.makeCertificate(name: "DNS:other.example")
    let relay = try await SandboxRelay.start(
      tls: .init(certificateFile: stranger.certificate, keyFile: stranger.key))
    #expect(try await last(relay.url) == "tls untrusted")
    await relay.stop()
    await bench.end()
  }
}
