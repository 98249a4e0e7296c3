import Channels
import RelayNetwork
import Secrets
import TestSupport

@testable import Coordinator

/// The network as the engine for posts sees it. Every word is checked against what is durable before it leaves.
final class PostSimNetwork: RelayNetwork {
  private let world: PostWorld
  let kind = NetworkKind.nostr

  init(_ world: PostWorld) { self.world = world }

  func deliver(_ operation: DeliveryOperation) {
    guard world.speaks() else { return }
    world.note("  \(operation.task) \(operation.post.rawValue)@\(operation.relay.rawValue) #\(operation.number)")
    world.attempt { state in
      state.tally.operations += 1
      try state.ledger.check(operation)
      try state.relays.begin(operation)
    }
  }

  func release(_ turn: DeliveryTurn) {
    guard world.speaks() else { return }
    world.note("  \(turn.post.rawValue)@\(turn.relay.rawValue) #\(turn.number) \(turn.mayLeave ? "leaves" : "stays")")
    world.attempt { state in
      try state.ledger.check(turn, isDamaged: state.damaged.contains(turn.post))
      if turn.mayLeave { state.tally.departures += 1 }
      state.relays.release(turn)
    }
  }

  func remnant(of post: PostDocument) -> String? { PostLedger.remnant }

  func whyNotForgotten(in content: ChannelContent) -> String? { nil }

  func compare(_ comparison: PostComparison) {
    guard world.speaks() else { return }
    world.note("  compare \(comparison.channel.rawValue)@\(comparison.relay.rawValue) #\(comparison.number)")
    world.attempt { state in
      state.tally.comparisons += 1
      guard state.ledger.routes[comparison.channel]?[comparison.relay] != nil else {
        throw Violation("a relay is compared that the posts of its channel do not go to: \(comparison)")
      }
      // One that took too long is not waited for.
      state.comparisons.removeAll { $0.comparison.relay == comparison.relay }
      state.comparisons.append(.init(comparison: comparison, names: state.held(comparison)))
      guard state.comparisons.count <= 4 else { throw Violation("more than four relays are compared at once") }
    }
  }

  /// All posts have one date.
  func date(of post: PostDocument) -> Timestamp? { Timestamp(milliseconds: 1) }

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
  func watch(_ relays: [RelayID: String]) {}
  func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep> {
    AsyncStream { $0.finish() }
  }
  func run(report: @escaping @Sendable (NetworkReport) -> Void) async {}
}
