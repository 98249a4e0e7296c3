import Channels
import TestSupport

@testable import Coordinator

// Channels move to another daemon, and come back.
extension World.State: MovingState {
  static func gained(_ some: SlotSet) -> Engine.Input { .gained(some) }
  static func lost(_ some: SlotSet, _ reply: Reply<Void>) -> Engine.Input { .lost(some, reply) }

  mutating func giveAway(_ some: SlotSet) {
    tally.moves += 1
    relays.abandon(some)
    forget(inbox.filter { $0.channels.contains { some.contains($0) } })
  }

  mutating func heard(_ error: BatonError?) { answers.append(World.Answer(number: -1, channel: nil, error: error)) }
}

extension Simulation {
  /// What the daemon does, and does not do, for channels that are not its own.
  func checkSlots() throws {
    guard let engine else { return }
    let slots = engine.decider.slots
    for id in engine.decider.base.live.channels.keys where !slots.contains(id) {
      throw Violation("\(id) is awake, and another's")
    }
    // What follows from a decision comes once its commit is over.
    guard engine.flight == nil, engine.decider.open.isEmpty else { return }
    let coming = world.read { $0.inbox }.reduce(engine.decider.recovery.slots) {
      if case .gained(let some) = $1 { $0.union(some) } else { $0 }
    }
    try checkSlots(slots, coming: coming)
  }

  /// The channels that the daemon has not read yet since they came to it.
  var coming: Set<ChannelID> {
    world.read { state in
      state.inbox.reduce(into: []) { if case .takeUp(let ids) = $1 { $0.formUnion(ids) } }
    }
  }
}
