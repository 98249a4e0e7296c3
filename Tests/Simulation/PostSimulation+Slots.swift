import Channels
import RelayNetwork
import Storage
import TestSupport

@testable import Coordinator

// The posts of channels move to another daemon with them, and come back.
extension PostWorld.State: MovingState {
  static func gained(_ some: SlotSet) -> PostInput { .gained(some) }
  static func lost(_ some: SlotSet, _ reply: Reply<Void>) -> PostInput { .lost(some, reply) }

  mutating func giveAway(_ some: SlotSet) {
    tally.moves += 1
    comparisons.removeAll { some.contains($0.comparison.channel) }
    let posts = Set(ledger.posts.values.filter { some.contains($0.channel) }.map(\.id))
    forget(inbox.filter { !posts.isDisjoint(with: $0.posts) })
    do {
      try relays.abandon(posts)
    } catch {
      violation = violation ?? error as? Violation
    }
  }

  mutating func heard(_ error: BatonError?) { unanswered -= 1 }

  /// Refuses what is done for a channel that is another daemon's.
  /// - Parameter isWrite: whether it is stored; then it may be what makes the channel free.
  func checkOwner(of channel: ChannelID?, isWrite: Bool = false, _ words: @autoclosure () -> String) throws {
    if let channel, (isWrite ? elsewhere.away : elsewhere.lost).contains(channel) {
      throw Violation("\(words()), whose channel is another daemon's")
    }
  }
}

extension PostSimulation {
  func checkSlots() throws {
    guard let decider = engine?.decider else { return }
    for (id, post) in decider.awake where !decider.slots.contains(post.row.channel) {
      throw Violation("\(id) is awake, and another's")
    }
    guard engine?.flight == nil, !decider.isOpen else { return }
    let coming = (world.read { $0.inbox } + decider.postponed).reduce(SlotSet.none) {
      if case .gained(let some) = $1 { $0.union(some) } else { $0 }
    }
    try checkSlots(decider.slots, coming: coming)
  }

  /// The posts that the daemon has not read yet since they came to it.
  var coming: Set<PostID> {
    world.read { state in
      state.inbox.reduce(into: []) { if case .takeUp(let ids) = $1 { $0.formUnion(ids) } }
    }
  }
}
