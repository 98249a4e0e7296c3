import Channels
import RelayNetwork
import Storage
import TestSupport

@testable import Coordinator

/// The network as the engine for posts sees it. Every word is checked against what is durable before it leaves.
final class PostSimNetwork: SeededNetwork {
  private let world: PostWorld

  init(_ world: PostWorld) { self.world = world }

  func deliver(_ operation: DeliveryOperation) {
    guard world.speaks() else { return }
    world.note("  \(operation.task) \(operation.post.rawValue)@\(operation.relay.rawValue) #\(operation.number)")
    world.attempt { state in
      state.tally.operations += 1
      try state.checkOwner(of: operation.channel, "\(operation.task) of \(operation.post)")
      try state.ledger.check(operation)
      try state.relays.begin(operation)
    }
  }

  func release(_ turn: DeliveryTurn) {
    guard world.speaks() else { return }
    world.note("  \(turn.post.rawValue)@\(turn.relay.rawValue) #\(turn.number) \(turn.mayLeave ? "leaves" : "stays")")
    world.attempt { state in
      if turn.mayLeave { try state.checkOwner(of: state.ledger.posts[turn.post]?.channel, "\(turn.post) leaves") }
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
      try state.checkOwner(of: comparison.channel, "\(comparison.relay) is compared")
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
}
