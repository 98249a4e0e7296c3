import Foundation
import TestSupport
import Testing

/// The daemon, its store and the worker of SimpleX together against a core, under faults of every kind, one seed after the other.
///
/// There is one seed for every 25 that `BATON_SEEDS` says, because each run takes longer than one of the other simulation.
/// `BATON_SEED=n scripts/test SimpleXSimulation` repeats one and shows what happens in it.
@Suite
struct SimpleXSimulationTests {
  private static let workers = 3

  @Test func everyChannelEndsUpInTheCoreOnceWhateverHappens() async throws {
    if let seed = Seeds.repeated { return try await replay(seed) }
    let seeds = Seeds(count: Seeds.wanted.map { max(1, $0 / 25) } ?? 20)
    let tally = await withTaskGroup(of: Tally.self) { group in
      for _ in 0..<Self.workers { group.addTask { await Self.work(seeds) } }
      return await group.reduce(into: Tally()) { $0.add($1) }
    }
    print("simulation of simplex: \(tally)")
    // A simulation in which little happens proves little.
    guard tally.seeds >= 20 else { return }
    #expect(tally.named > tally.seeds && tally.lost > 0 && tally.crashes > 0 && tally.unanswered > 0 && tally.late > 0)
  }

  private static func work(_ seeds: Seeds) async -> Tally {
    var tally = Tally()
    while let seed = seeds.next() {
      do {
        let folder = try TemporaryFolder(isInMemory: true)
        let run = try WorkerSimulation(seed: seed, folder: folder.path)
        try await run.run()
        tally.add(run.world.read { $0.tally })
        withExtendedLifetime(folder) {}
      } catch {
        seeds.stop()
        Issue.record("seed \(seed): \(error); repeat with BATON_SEED=\(seed) scripts/test SimpleXSimulation")
      }
    }
    return tally
  }

  private func replay(_ seed: UInt64) async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let run = try WorkerSimulation(seed: seed, folder: folder.path, isTraced: true)
    do {
      try await run.run()
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
    print(run.world.read { $0.lines }.joined(separator: "\n"))
    withExtendedLifetime(folder) {}
  }
}
