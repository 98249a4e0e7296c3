import Foundation
import TestSupport
import Testing

/// Engine, machines and store together, under faults of every kind, one seed after the other.
///
/// `BATON_SEEDS` says how many seeds, `make test` takes 10,000; `BATON_SEED=n swift test --filter SimulationTests` repeats one and shows what happens in it.
struct SimulationTests {
  private static let workers = 6

  @Test func invariantsHoldUnderFaultsOfEveryKind() async throws {
    if let seed = Seeds.repeated { return try await replay(seed) }
    let begin = ContinuousClock.now
    let seeds = Seeds(count: Seeds.wanted ?? 1_000)
    let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
      for _ in 0..<Self.workers { group.addTask { try await Self.work(seeds) } }
      return try await group.reduce(into: Tally()) { $0.add($1) }
    }
    print(
      "simulation: \(tally.seeds) seeds, \(tally.steps) steps, \(tally.commits) commits, \(tally.operations) operations, "
        + "\(tally.crashes) crashes, \(tally.storageFaults) storage faults, \(tally.conflicts) conflicts, \(tally.names) names, "
        + "\(tally.losses) losses, \(tally.transitions) transitions, "
        + "\(tally.pairs.count) pairs of status and event, \((ContinuousClock.now - begin).components.seconds) s")
    // A simulation in which little happens proves little.
    #expect(tally.transitions > 10 * tally.seeds && tally.crashes > tally.seeds && tally.storageFaults > tally.seeds)
    #expect(4 * tally.conflicts > tally.seeds && 10 * tally.names > tally.seeds && 10 * tally.losses > tally.seeds)
  }

  @Test func sameSeedGivesTheSameRun() async throws {
    let workplace = try Workplace()
    for seed in UInt64(1)...25 {
      var runs: [[String]] = []
      for _ in 0..<2 {
        let run = Simulation(seed: seed, store: try workplace.emptied(), isTraced: true)
        try? await run.run()
        runs.append(run.world.lines)
      }
      let difference = zip(runs[0], runs[1]).first { $0 != $1 }
      #expect(runs[0] == runs[1], "seed \(seed): \(String(describing: difference))")
    }
  }

  private static func work(_ seeds: Seeds) async throws -> Tally {
    let workplace = try Workplace()
    var tally = Tally()
    while let seed = seeds.next() {
      // Other tests have timers that must not wait for all of this.
      await Task.yield()
      let run = Simulation(seed: seed, store: try workplace.emptied())
      do {
        try await run.run()
      } catch {
        seeds.stop()
        Issue.record("seed \(seed): \(error); repeat with BATON_SEED=\(seed) swift test --filter SimulationTests")
      }
      tally.add(run.world.read { $0.tally })
    }
    return tally
  }

  private func replay(_ seed: UInt64) async throws {
    let workplace = try Workplace()
    defer { withExtendedLifetime(workplace) {} }
    let run = Simulation(seed: seed, store: try workplace.emptied(), isTraced: true)
    do {
      try await run.run()
      print(run.world.lines.joined(separator: "\n"))
    } catch {
      print(run.world.lines.joined(separator: "\n"))
      Issue.record("seed \(seed): \(error)")
    }
  }
}
