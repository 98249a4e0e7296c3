import Channels
import Storage
import TestSupport

@testable import Coordinator

// Channels move to another daemon, and come back.
extension Simulation {
  /// The slots of the first channels, which are few, and those of all others.
  private static let first = 0..<8

  /// Gives some channels away, or gets some back.
  func move() {
    guard let engine, world.read({ $0.isAlive }) else { return }
    askToLoseAgain()
    var some = SlotSet(Self.first.filter { _ in chance(400) })
    if chance(300) { some = some.union(SlotSet(Self.first.upperBound..<SlotSet.count)) }
    let own = engine.decider.slots.subtracting(world.read { $0.leaving })
    if chance(500) { gain(some) } else { lose(some.intersection(own)) }
  }

  private func lose(_ some: SlotSet) {
    guard !some.isEmpty else { return }
    world.note("channels in \(Self.words(some)) are to be given away")
    requests += 1
    let number = requests
    world.write { $0.leaving = $0.leaving.union(some) }
    let reply = Reply<Void> { [world] result in
      guard world.speaks() else { return }
      var error: BatonError?
      if case .failure(let reason) = result { error = reason }
      world.note("  answer \(number): \(error.map { "\($0)" } ?? "another daemon may have them")")
      world.write { state in
        state.leaving = state.leaving.subtracting(some)
        if error == nil { state.giveAway(some) } else { state.owed = state.owed.union(some) }
        state.answers.append(World.Answer(number: number, channel: nil, error: error))
      }
    }
    world.post(.lost(some, reply))
  }

  /// As long as storage does not say that everything is durable, nobody else may have the channels.
  private func askToLoseAgain() {
    let owed = world.write { state in
      defer { state.owed = .none }
      return state.owed
    }
    lose(owed)
  }

  private func gain(_ some: SlotSet) {
    let back = world.write { state in
      let back = state.away.intersection(some)
      state.away = state.away.subtracting(back)
      if !back.isEmpty { state.inbox.append(.gained(back)) }
      return back
    }
    if !back.isEmpty { world.note("channels in \(Self.words(back)) come back") }
  }

  /// The other daemon is gone for good.
  func gainAll() async throws {
    try await drain()
    askToLoseAgain()
    try await drain()
    guard world.read({ $0.owed.isEmpty && $0.leaving.isEmpty }) else { throw Violation("channels cannot be given away") }
    gain(.all)
  }

  static func words(_ slots: SlotSet) -> String {
    let numbers = slots.numbers.filter(first.contains).sorted()
    return "\(numbers)\(slots.numbers.count > numbers.count ? " and others" : "")"
  }

  /// What the daemon does, and does not do, for channels that are not its own.
  func checkSlots() throws {
    guard let engine else { return }
    let (away, leaving, owed, inbox) = world.read { ($0.away, $0.leaving, $0.owed, $0.inbox) }
    let slots = engine.decider.slots
    guard slots.intersection(away).isEmpty else { throw Violation("the daemon acts for what is another's") }
    for id in engine.decider.base.live.channels.keys where !slots.contains(id) {
      throw Violation("\(id) is awake, and another's")
    }
    // What follows from a decision comes once its commit is over.
    guard engine.flight == nil, engine.decider.open.isEmpty else { return }
    let coming = inbox.reduce(engine.decider.recovery.slots) {
      if case .gained(let some) = $1 { $0.union(some) } else { $0 }
    }
    guard slots.union(away).union(leaving).union(owed).union(coming).isAll else {
      throw Violation("nobody acts for channels in \(Self.words(SlotSet.all.subtracting(slots)))")
    }
  }

  /// The channels that the daemon has not read yet since they came to it.
  var coming: Set<ChannelID> {
    world.read { state in
      state.inbox.reduce(into: []) { if case .takeUp(let ids) = $1 { $0.formUnion(ids) } }
    }
  }
}

extension World.State {
  /// Another daemon acts for these channels from now on. What was on its way arrives, or does not.
  mutating func giveAway(_ some: SlotSet) {
    away = away.union(some)
    tally.moves += 1
    relays.abandon(some)
    forget(inbox.filter { $0.channels.contains { some.contains($0) } })
  }
}
