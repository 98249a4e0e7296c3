import Channels
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

// When faults stop, everything ends well, and soon.
extension PostSimulation {
  /// From now on relays, network and storage do what they should.
  func settle() async throws {
    world.note("faults stop")
    hasFaults = false
    mendStorage()
    world.write { state in
      for address in state.relays.relays.keys.sorted() { state.relays.relays[address]?.isReachable = true }
    }
    // What was left alone is taken up at the next start.
    if let engine, !engine.decider.leftAlone.isEmpty { try kill() }
    if engine == nil { try await start() }
    try await gainAll()
    try await rest()
    // Whatever was given up or taken back can be asked for again, and now it succeeds.
    for id in world.read({ $0.ledger.order }) {
      let isDraft = world.read { $0.ledger.posts[id]?.isDraft == true }
      let release = PostRelease(post: id, at: nil, tolerance: PostRequest.toleranceDefault)
      world.post(isDraft ? .release(release, world.reply(about: id)) : .retry(id, nil, world.reply(about: id)))
    }
    try await rest()
    try checkGoals()
    // Whatever relays have lost, or keep in spite of what they said, is found by comparisons.
    for _ in 0..<12 {
      world.clock.now = now + .seconds(6 * 3_600)
      wakeIfDue()
      try await rest()
    }
    world.write { $0.relays.lies = $0.relays.lies.filter { plan.refusing.contains(Int($0.relay.rawValue)) } }
    try checkGoals()
    let living = world.read { state in state.ledger.order.filter { state.ledger.posts[$0]?.deletedAt == nil } }
    for id in living where chance(500) { delete(id) }
    try await rest()
    try checkGoals()
    try await checkIdle()
    try world.read { $0.ledger }.compare(with: store)
  }

  /// Lets an honest network answer and time pass until nothing is left to do.
  private func rest() async throws {
    let end = now + .seconds(4 * 86_400)
    while true {
      hearOfConnections()
      try hearOfAll()
      guard try await isAtRest() else { continue }
      guard let engine else { throw Violation("the daemon died without a reason") }
      let left = unfinished
      let isAsked = world.read { !$0.comparisons.isEmpty || !$0.compositions.isEmpty }
      if left.isEmpty, !isAsked, engine.decider.alarms[.recovery] == nil { return }
      if isAsked { continue }
      // What is looked at every minute need not be awaited each time.
      let rare = engine.decider.alarms.times.filter { $0.key != .compare && $0.key != .upkeep }
      guard let due = rare.values.min() ?? engine.wakeAt else {
        throw Violation("nothing is waited for, and this is left to do: \(left)")
      }
      guard due <= end else { throw Violation("not done after days of peace: \(left)") }
      world.clock.now = max(now, due)
    }
  }

  /// Every operation is carried out and answered.
  private func hearOfAll() throws {
    while world.read({ !$0.compositions.isEmpty }) { compose() }
    world.attempt { state in
      let (pending, comparisons) = (state.relays.pending, state.comparisons)
      (state.relays.pending, state.comparisons) = ([], [])
      for waiting in comparisons { state.say(waiting, isOld: false, lies: []) }
      for var waiting in pending {
        switch waiting.stage {
        case .queued:
          waiting.stage = .offered
          state.relays.pending.append(waiting)
          state.say(.handedOver, of: waiting.operation)
        case .offered: state.relays.pending.append(waiting)
        case .left: state.say(try state.relays.carryOut(waiting), of: waiting.operation)
        }
      }
    }
    if let violation = world.read({ $0.violation }) { throw violation }
  }

  private func refuses(_ relay: RelayID) -> Bool { plan.refusing.contains(Int(relay.rawValue)) }

  private var unfinished: [String] {
    let ledger = world.read { $0.ledger }
    let routes = ledger.routes.values.flatMap(\.values).filter { [.joining, .leaving].contains($0.status) }.map { "\($0)" }
    let scheduled = ledger.order.filter { ledger.posts[$0]?.isScheduled == true }.map { "\($0) is scheduled" }
    return routes + scheduled
      + ledger.order.flatMap { id in
        ledger.deliveries(of: id).filter { row in
          // It is offered again every day.
          let isRefused = refuses(row.relay) && row.record.status == .failed && !row.record.isUnderWay
          return row.record.task != nil && !row.hasDeparted && !isRefused
        }.map { "\(id) on \($0.relay): \($0.record)" }
      }
  }

  /// Every delivery is where it should be, and the relays have what they should have.
  private func checkGoals() throws {
    let (ledger, relays, damaged) = world.read { ($0.ledger, $0.relays, $0.damaged) }
    for id in ledger.order {
      guard let post = ledger.posts[id], let channel = try store.channel(post.channel) else { continue }
      let isLiving = post.deletedAt == nil
      // It goes to no relay that its channel got later, and is not sent again.
      let isForgotten = post.forgottenAt != nil
      let members = Set(channel.relays.filter { $0.record.status != .removed }.map(\.relay))
      let present = ledger.deliveries(of: id).filter { !$0.hasDeparted }
      let places = Set(present.map(\.relay))
      guard post.isPublished || !isLiving || isForgotten else { throw Violation("\(id) is not published in the end: \(post)") }
      guard damaged.contains(id) || (isLiving && !isForgotten ? places == members : places.isSubset(of: members)) else {
        throw Violation("\(id) goes to \(places), and its channel has \(members)")
      }
      for row in present {
        let pair = PostLedger.Pair(post: id, relay: row.relay)
        var words: String { "\(pair) is \(row.record) in the end" }
        let isThere = relays.relays["ws://r\(row.relay.rawValue)"]?.posts[id] != nil
        let isExcused = relays.lies.contains(pair)
        switch row.record.status {
        case .verified:
          if !isLiving || !isThere && !isExcused && !isForgotten { throw Violation("\(words), and the relay does not have it") }
        case .failed: if !isLiving || isForgotten || !refuses(row.relay) { throw Violation(words) }
        case .skipped where isLiving && isForgotten: break
        case .deleted, .skipped:
          if isLiving || isThere && !isExcused { throw Violation("\(words), and the relay has it still") }
        case .pending, .sent, .accepted, .deleting, .stillServed, .unsupported: throw Violation(words)
        }
      }
    }
  }

  /// A daemon with nothing to do costs nothing, and says nothing when it starts.
  private func checkIdle() async throws {
    // A lane may have an alarm for what was done before its time.
    for _ in 0..<100 {
      guard let engine, let due = engine.wakeAt,
        engine.decider.lanes.contains(where: { $0.value.alarm != nil && !refuses($0.key) })
      else { break }
      world.clock.now = max(now, due)
      wakeIfDue()
      try await drain()
    }
    guard let idle = engine?.decider else { throw Violation("the daemon does not run") }
    guard idle.awake.isEmpty, idle.recovering.isEmpty, idle.postponed.isEmpty else {
      throw Violation("the engine has something left to do: \(idle.awake.keys)")
    }
    for alarm in idle.alarms.times.keys {
      switch alarm {
      // A comparison that a failed commit took back is begun again after a while.
      case .upkeep, .compare, .forgetting: break
      case .lane(let relay): if !refuses(relay) { throw Violation("\(alarm) is set with nothing left to do") }
      case .schedules, .timeout, .recovery, .comparison: throw Violation("\(alarm) is set with nothing left to do")
      }
    }
    let before = world.read { ($0.tally.commits, $0.tally.operations) }
    try kill()
    try await start()
    try await drain()
    let after = world.read { ($0.tally.commits, $0.tally.operations) }
    guard before == after || !plan.refusing.isEmpty else { throw Violation("a start with nothing to do does something") }
  }
}
