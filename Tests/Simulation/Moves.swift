import Channels
import TestSupport

@testable import Coordinator

/// Which channels are another daemon's.
struct Elsewhere {
  /// Another daemon acts for them.
  var away = SlotSet.none
  /// It may have them once the daemon has answered.
  var leaving = SlotSet.none
  /// The daemon does not act for them any more, and no one may have them yet: it could not say that all is durable.
  var owed = SlotSet.none
  /// Whether the daemon could not count what relays carry without the channels that it has lost.
  var isUncounted = false

  /// Nothing may be done for these channels outside.
  var lost: SlotSet { away.union(owed) }

  /// The daemon died. What no one else has got is its own at the next start, as long as its session lasts.
  mutating func forget() { (leaving, owed, isUncounted) = (.none, .none, false) }

  /// The slots of the first channels, which are few; there is no difference between all others.
  static let first = 0..<8

  static func words(_ slots: SlotSet) -> String {
    let numbers = slots.numbers.filter(first.contains).sorted()
    return "\(numbers)\(slots.numbers.count > numbers.count ? " and others" : "")"
  }
}

/// A world in which channels move to another daemon, and come back.
protocol MovingState: SeededState {
  static func gained(_ some: SlotSet) -> Input
  static func lost(_ some: SlotSet, _ reply: Reply<Void>) -> Input

  var elsewhere: Elsewhere { get set }
  /// Another daemon acts for these channels from now on. What was on its way arrives, or does not.
  mutating func giveAway(_ some: SlotSet)
  /// The daemon has answered whether it has given channels away.
  mutating func heard(_ error: BatonError?)
}

extension SeededRun where Outside.State: MovingState {
  /// Gives some channels away, or gets some back.
  func move() {
    guard isRunning, world.read({ $0.isAlive }) else { return }
    askToLoseAgain()
    var some = SlotSet(Elsewhere.first.filter { _ in chance(400) })
    if chance(300) { some = some.union(SlotSet(Elsewhere.first.upperBound..<SlotSet.count)) }
    // What came to the daemon may leave it before anything was read.
    let others = world.read { $0.elsewhere.away.union($0.elsewhere.leaving).union($0.elsewhere.owed) }
    if chance(500) { gain(some) } else { lose(some.subtracting(others)) }
  }

  private func lose(_ some: SlotSet) {
    guard !some.isEmpty else { return }
    world.note("channels in \(Elsewhere.words(some)) are to be given away")
    world.write { $0.elsewhere.leaving = $0.elsewhere.leaving.union(some) }
    let reply = Reply<Void> { [world] result in
      guard world.speaks() else { return }
      var error: BatonError?
      if case .failure(let reason) = result { error = reason }
      world.note("  \(error.map { "they cannot: \($0)" } ?? "another daemon may have them")")
      world.write { state in
        state.elsewhere.leaving = state.elsewhere.leaving.subtracting(some)
        if error == nil {
          state.elsewhere.away = state.elsewhere.away.union(some)
          state.giveAway(some)
        } else {
          state.elsewhere.owed = state.elsewhere.owed.union(some)
        }
        state.elsewhere.isUncounted = error != nil
        state.heard(error)
      }
    }
    world.post(Outside.State.lost(some, reply))
  }

  /// As long as storage does not say that everything is durable, no one else may have the channels.
  private func askToLoseAgain() {
    let owed = world.write { state in
      defer { state.elsewhere.owed = .none }
      return state.elsewhere.owed
    }
    lose(owed)
  }

  private func gain(_ some: SlotSet) {
    let back = world.write { state in
      let back = state.elsewhere.away.intersection(some)
      state.elsewhere.away = state.elsewhere.away.subtracting(back)
      if !back.isEmpty { state.inbox.append(Outside.State.gained(back)) }
      return back
    }
    if !back.isEmpty { world.note("channels in \(Elsewhere.words(back)) come back") }
  }

  /// The other daemon is gone for good.
  func gainAll() async throws {
    try await drain()
    askToLoseAgain()
    try await drain()
    guard world.read({ $0.elsewhere.owed.isEmpty && $0.elsewhere.leaving.isEmpty }) else {
      throw Violation("channels cannot be given away")
    }
    gain(.all)
  }

  /// Someone acts for each channel, and no one for those of others.
  /// - Parameters:
  ///   - slots: what the engine acts for.
  ///   - coming: what it knows that it is to act for.
  func checkSlots(_ slots: SlotSet, coming: SlotSet) throws {
    let elsewhere = world.read { $0.elsewhere }
    guard slots.intersection(elsewhere.away).isEmpty else { throw Violation("the daemon acts for what is another's") }
    let all = [elsewhere.away, elsewhere.leaving, elsewhere.owed, coming].reduce(slots) { $0.union($1) }
    guard all.isAll else {
      throw Violation("no one acts for channels in \(Elsewhere.words(SlotSet.all.subtracting(all)))")
    }
  }
}
