import Channels
import RelayNetwork
import Storage

@testable import Coordinator

// What may happen next.
extension Simulation {
  /// One thing, as the seed wants it.
  func step() async throws {
    guard engine != nil else { return try await restart() }
    wakeIfDue()
    if chance(plan.conflicts) { try await interfere() }
    if chance(plan.names) { rename() }
    if chance(plan.losses) { loseChannel() }
    if chance(plan.moves) { move() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<28: try await process(Int.random(in: 1...plan.batchMax, using: &random))
    case 28..<60: hearOfOperation()
    case 60..<70:
      // The usual course of things, in one go.
      for _ in 0..<4 { hearOfOperation() }
      try await drain()
    case 70..<84: try await pass(anyDuration())
    case 84..<92: request()
    default:
      if chance(plan.flaps) { flap() }
      hearOfConnections()
      hearOfNames()
      breakOrMendStorage()
      if chance(plan.crashes) { kill() }
    }
  }

  private func anyDuration() -> Duration {
    let longest: Int64 =
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45: 2_000
      case 45..<75: 60_000
      case 75..<90: 1_200_000
      case 90..<97: 6 * 3_600_000
      default: 5 * 86_400_000
      }
    return .milliseconds(Int64.random(in: 0...longest, using: &random))
  }

  private func restart() async throws {
    var pause = Int64.random(in: 0...20_000, using: &random)
    if plan.hasClockJumps, chance(300) { pause = Int64.random(in: -86_400_000...86_400_000, using: &random) }
    // That daemons have different clocks is not part of this.
    if pause < 0, world.read({ !$0.elsewhere.away.isEmpty }) { pause = 0 }
    world.clock.now = now + .milliseconds(pause)
    if isStorageBroken, chance(500) { mendStorage() }
    await start()
    try check()
  }

  func wakeIfDue() {
    guard let due = engine?.wakeAt, due <= now else { return }
    let isRinging = world.read { state in
      state.inbox.contains { if case .timersDue = $0 { true } else { false } }
    }
    if !isRinging { world.post(.timersDue) }
  }

  // MARK: - Faults

  private func flap() {
    let relay = SimRelays.address(Int.random(in: 1...plan.relays, using: &random))
    let losesAll = chance(100)
    world.write { state in
      state.relays.relays[relay, default: SimRelays.Relay()].isReachable.toggle()
      if losesAll { state.relays.relays[relay]?.channels = [:] }
    }
    world.note("relay \(relay) goes up or down\(losesAll ? " and loses its channels" : "")")
  }

  // MARK: - What the network says

  /// Connections that are not as the daemon thinks are reported; sometimes it hears of the same twice.
  func hearOfConnections() {
    let saysTwice = hasFaults && chance(100)
    world.write { state in
      for (relay, address) in state.relays.watched {
        let isUp = state.relays.relays[address]?.isReachable ?? true
        guard state.relays.reported[relay] != isUp || saysTwice && !isUp else { continue }
        state.relays.reported[relay] = isUp
        state.inbox.append(
          .report(isUp ? .relayUp(relay, roundTrip: .milliseconds(5)) : .relayDown(relay, Trouble(.unreachable, "refused"))))
      }
    }
  }

  /// One pending operation goes on: any of them, as it should or not.
  private func hearOfOperation() {
    let count = world.read { $0.relays.pending.count }
    guard count > 0 else { return }
    let index = Int.random(in: 0..<count, using: &random)
    let (isLost, isDone) = (chance(plan.lost * 10), chance(500))
    let (isKept, isLie, isTrouble) = (chance(plan.doubled * 10), chance(plan.lies * 10), chance(plan.troubles * 10))
    let (isLeaving, lie) = (chance(300), anyLie())
    let (isStray, date) = (chance(plan.strays), chance(200) ? SimNetwork.farAhead : Int64.random(in: 0...5, using: &random))
    world.write { state in
      var waiting = state.relays.pending[index]
      let operation = waiting.operation
      if isStray, operation.task == .verify, let newest = operation.content.newestEdition, state.isAlive {
        let edition = StrayEdition(networkID: "stray", signedAt: newest.signedAt + date)
        state.inbox.append(.report(.stray(channel: operation.channel, relay: operation.relay, edition)))
      }
      if operation.task == .invite, !waiting.isHandedOver, isLeaving {
        waiting.isHandedOver = true
        state.relays.pending[index] = waiting
        return state.say(.handedOver, of: operation)
      }
      if !isKept || isLost { state.relays.pending.remove(at: index) }
      if isLost {
        if isDone, !waiting.isCancelled { state.relays.carryOutUnheard(operation) }
        return
      }
      if waiting.isCancelled { return state.say(.refused(Trouble(.cancelled, "taken back")), of: operation) }
      if isLie {
        state.relays.lies.insert(SimRelays.Place(operation))
        return state.say(lie, of: operation)
      }
      if isTrouble {
        if isDone { state.relays.carryOutUnheard(operation) }
        return state.say(.troubled(Trouble(.rateLimited, "slow down"), retryAfter: .seconds(30)), of: operation)
      }
      state.say(state.relays.carryOut(operation), of: operation)
    }
  }

  private func anyLie() -> RelayOutcome {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: .accepted(link: "ws://elsewhere")
    case 1: .verified(edition: Int.random(in: 0...3, using: &random))
    case 7: .announced
    case 8: .verified(edition: 1)
    case 2: .missing
    case 3: .withdrawn
    case 4: .refused(Trouble(.rejected, "no"))
    case 5: .refused(Trouble(.authRequired, "who are you"))
    default: .misbehaved(Trouble(.wrongIdentity, "forged"))
    }
  }
}

extension World.State {
  mutating func say(_ outcome: RelayOutcome, of operation: RelayOperation) {
    guard isAlive else { return }
    inbox.append(
      .report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome)))
  }
}
