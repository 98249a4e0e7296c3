import Channels
import Logging
import NIOPosix
import RelayNetwork
import Secrets
import TestSupport

@testable import SimpleX

/// The network as the daemon sees it. What needs no core is done by the real one; the rest waits for the worker, which the simulation
/// drives step by step.
final class WorkerNetwork: RelayNetwork {
  let kind = NetworkKind.simplex
  private let world: World
  private let real: SimpleXNetwork

  var takesRemovedRelaysAgain: Bool { real.takesRemovedRelaysAgain }

  init(_ world: World, logger: Logger) throws {
    self.world = world
    let clock = world.clock
    // Nothing is ever dialled: the network does not run.
    let client = CoreClient(
      endpoint: try CoreEndpoint(host: "127.0.0.1", port: 1), group: MultiThreadedEventLoopGroup.singleton, logger: logger)
    real = SimpleXNetwork(
      client: client, lanes: [], logger: logger, now: { clock.now }, known: { _ in nil }, served: { _, _ in [] })
  }

  func perform(_ operation: RelayOperation) {
    world.note("  \(operation.task) \(operation.channel.rawValue)@\(operation.relay.rawValue) #\(operation.number)")
    world.write { $0.inputs.append(.operation(operation)) }
  }

  func cancel(_ channel: ChannelID, at relay: RelayID) { world.write { $0.inputs.append(.cancelled(channel, relay)) } }
  func abandon(_ slots: SlotSet) async {}
  func watch(_ relays: [RelayID: String]) { world.write { $0.inputs.append(.watched(relays)) } }

  func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    AsyncStream { continuation in
      guard let address = try? CoreRelayAddress(address.text) else { return continuation.finish() }
      world.write { $0.inputs.append(.test(CoreRelayTestRequest(address, continuation))) }
    }
  }

  func run(report: @escaping @Sendable (NetworkReport) -> Void) async {
    world.write { $0.listener = report }
    let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}
    _ = keepAlive
  }

  func prepare(_ draft: ChannelDraft) async throws(NetworkFailure) -> ChannelContent {
    let content = try await real.prepare(draft)
    world.write { _ = $0.prepared.insert(content.networkID) }
    return content
  }

  // MARK: - What needs no core

  func parse(address: String) throws(InvalidAddress) -> RelayAddress { try real.parse(address: address) }
  func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey { try real.makeIdentity(secret: secret) }
  func secret(from text: String) throws(NetworkFailure) -> Secret { try real.secret(from: text) }
  func unlock(_ identity: IdentityID, key: IdentityKey) { real.unlock(identity, key: key) }
  func lock(_ identity: IdentityID) { real.lock(identity) }
  func check(_ profile: Profile) throws(ProfileRefusal) { try real.check(profile) }
  func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition {
    try real.revise(content, as: draft)
  }
  func link(of content: ChannelContent, activeRelays: [String]) -> String {
    real.link(of: content, activeRelays: activeRelays)
  }
}
