import Channels
import RelayNetwork
import Secrets

/// A network of which an engine asks little: what it does not ask for is here.
protocol SeededNetwork: RelayNetwork {}

extension SeededNetwork {
  var kind: NetworkKind { .nostr }

  func parse(address: String) throws(InvalidAddress) -> RelayAddress { RelayAddress(text: address, displayHost: address) }
  func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey {
    IdentityKey(publicName: "key", secret: Secret([UInt8]()))
  }
  func secret(from text: String) throws(NetworkFailure) -> Secret { throw NetworkFailure("not asked for") }
  func lock(_ identity: IdentityID) {}
  func unlock(_ identity: IdentityID, key: IdentityKey) {}
  func prepare(_ draft: ChannelDraft) throws(NetworkFailure) -> ChannelContent { throw NetworkFailure("not asked for") }
  func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition {
    throw NetworkFailure("not asked for")
  }
  func link(of content: ChannelContent, activeRelays: [String]) -> String { content.networkID }
  func perform(_ operation: RelayOperation) {}
  func cancel(_ channel: ChannelID, at relay: RelayID) {}
  func abandon(_ slots: SlotSet) async {}
  func watch(_ relays: [RelayID: String]) {}
  func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    AsyncStream { $0.finish() }
  }
  func run(report: @escaping @Sendable (NetworkReport) -> Void) async {}
}
