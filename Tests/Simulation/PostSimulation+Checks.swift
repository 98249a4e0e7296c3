import Channels
import Storage
import TestSupport

@testable import Coordinator

// What must hold after every step.
extension PostSimulation {
  /// Nothing that is durable waits forever, nothing costs memory for nothing, and no rule was broken.
  func check() throws {
    if let violation = world.read({ $0.violation }) { throw violation }
    guard let engine else { return }
    let (ledger, relays, inbox) = world.read { ($0.ledger, $0.relays, $0.inbox) }
    guard hub.revision <= ledger.revision else {
      throw Violation("watchers are at revision \(hub.revision), which is not durable")
    }
    let decider = engine.decider
    guard engine.wakeAt == decider.alarms.times.values.min() else {
      throw Violation("the engine sleeps until \(String(describing: engine.wakeAt)), and has an alarm before")
    }
    try checkSlots()
    // What is only decided may be what tries.
    guard engine.flight == nil, !decider.isOpen else { return }
    let isRecovering = decider.alarms[.recovery] != nil
    guard isRecovering || decider.recovering.isEmpty && decider.postponed.isEmpty && !decider.isDoubtful else {
      throw Violation("storage does not work, and no one tries whether it does again")
    }
    for (id, post) in decider.awake where !post.deliveries.contains(where: { decider.lanes[$0.relay]?.holds(id) == true }) {
      throw Violation("\(id) is awake and in no lane")
    }
    guard !decider.isDoubtful else { return }
    let excused = decider.recovering.union(decider.leftAlone.keys).union(decider.postponed.flatMap(\.posts))
    // What is under way is asked for when it is taken up.
    let others = coming
    for id in ledger.order where !excused.contains(id) && ledger.posts[id].map({ decider.slots.contains($0.channel) }) == true {
      for row in ledger.deliveries(of: id) where !row.hasDeparted && row.record.task != nil {
        if row.record.isUnderWay {
          if others.contains(id) { continue }
          try check(id, row, isUnderWayIn: decider, relays)
        } else {
          try check(id, row, waitsIn: decider, inbox)
        }
      }
    }
  }

  private func check(
    _ id: PostID, _ row: DeliveryRow, isUnderWayIn decider: PostDecider, _ relays: PostSimRelays
  ) throws {
    let pair = PostLedger.Pair(post: id, relay: row.relay)
    guard let machine = decider.awake[id]?.machine(at: row.relay), DeliveryRecord(machine) == row.record else {
      throw Violation("\(pair) is \(row.record), and the engine knows nothing of it")
    }
    guard decider.lanes[row.relay]?.underWay.contains(id) == true, decider.alarms[.timeout(id, row.relay)] == row.record.timer
    else { throw Violation("\(pair) is under way, and no one waits for its end") }
    guard relays.wasAsked(row.record.operation, of: pair) else {
      throw Violation("\(pair) waits for operation \(row.record.operation), which no one asked for")
    }
  }

  private func check(
    _ id: PostID, _ row: DeliveryRow, waitsIn decider: PostDecider, _ inbox: [PostInput]
  ) throws {
    guard let timer = row.record.timer, let lane = decider.lanes[row.relay] else {
      throw Violation("\(id) waits for \(row.relay), and there is no lane")
    }
    let (serve, alarm) = (PostInput.serve(row.relay), decider.alarms[.lane(row.relay)])
    // Someone will look at the lane.
    let isTouched =
      !lane.underWay.isEmpty || alarm != nil || decider.alarms[.recovery] != nil || inbox.contains(serve)
      || decider.postponed.contains(serve)
    let isKnown = lane.holds(id) || lane.isHungry || lane.returning.isUnderWay || lane.nextDue.map { $0 <= timer } == true
    guard isTouched, isKnown || inbox.contains(serve) || decider.postponed.contains(serve) else {
      throw Violation("\(id) waits for \(row.relay) until \(timer), and no one looks: \(lane)")
    }
  }
}
