import Channels
import Coordinator
import RelayNetwork
import ScriptedCore
import Storage
import Store
import TestSupport

@testable import SimpleX

// When faults stop, everything ends well, and soon.
extension WorkerSimulation {
  func settle() async throws {
    world.makePeace()
    try await rest()
    // Whatever happened without a word is found out by the next connection.
    try await lookAgain()
    // Relays that were given up may accept after all.
    world.write { state in
      state.model.acceptLate()
      state.hear()
    }
    try await rest()
    for _ in 0..<2 {
      for id in try livingChannels() { _ = try await coordinator().verify(id) }
      try await rest()
      for id in try livingChannels() { _ = try await coordinator().retry(id, relay: nil) }
      try await rest()
    }
    try await lookAgain()
    try check()
    try checkGoals()
    for id in try livingChannels() where id != World.anchor && world.chance(50) {
      _ = try await coordinator().delete(id)
    }
    try await rest()
    try check()
    try checkGoals()
  }

  /// Lets an honest core answer and time pass until nothing is left to do.
  func rest() async throws {
    let end = world.clock.now + .seconds(2 * 86_400)
    for _ in 0..<50_000 {
      world.connect()
      if await turn() { continue }
      goOn()
      await world.calm()
      guard world.isQuiet else { continue }
      let coordinator = try coordinator()
      if coordinator.liveChannelCount == 0, coordinator.storageTrouble == nil { return }
      if testedAt.map({ world.clock.now - $0 > .seconds(600) }) ?? true {
        testRelays()
        continue
      }
      guard let next = await nextDue() else {
        throw Violation("something is left to do, and nothing is waited for: \(try unfinished())")
      }
      guard next <= end else { throw Violation("not done after days of peace: \(try unfinished())") }
      world.pass(until: next)
      await world.calm()
    }
    throw Violation("it does not come to rest: \(try unfinished())")
  }

  /// The core does all that it has to do.
  private func goOn() {
    world.write { state in
      state.model.settle()
      state.hear()
    }
    while !world.read({ $0.tests.isEmpty }) { world.answerTest() }
  }

  /// The next moment at which something is due; the daemon's waker may still be on its way to the clock.
  private func nextDue() async -> Timestamp? {
    for _ in 0..<10_000 {
      if let next = world.nextDue { return next }
      await Task.yield()
    }
    return nil
  }

  private func lookAgain() async throws {
    world.breakConnection()
    try await rest()
  }

  /// Relays are tested now and then: one that failed two tests counts as down until it passes one.
  private func testRelays() {
    testedAt = world.clock.now
    tests = World.relays.compactMap { try? CoreRelayAddress($0) }.map { address in
      AsyncStream { continuation in
        world.write { $0.inputs.append(.test(CoreRelayTestRequest(address, continuation))) }
      }
    }
  }

  func livingChannels() throws -> [ChannelID] {
    try (1...max(1, store.counters().channel)).map(ChannelID.init(rawValue:)).filter {
      try store.channel($0).map { $0.row.deletedAt == nil } ?? false
    }
  }

  private func unfinished() throws -> String {
    try (1...max(1, store.counters().channel)).compactMap { try store.channel(ChannelID(rawValue: $0)) }.flatMap { stored in
      stored.relays.filter { $0.record.timer != nil }.map { "\(stored.row.id) on \($0.relay): \($0.record)" }
    }.joined(separator: "; ")
  }
}
