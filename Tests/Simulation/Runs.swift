import Store
import TestSupport
import Testing

/// What a number of runs went through.
protocol RunCounts: Sendable {
  init()
  mutating func add(_ other: Self)
}

/// The runs of one simulation.
enum Runs<Run: SeededRun> {
  private static var workers: Int { 6 }

  /// Runs one seed after the other, several at a time, or only the one that is to be repeated.
  /// - Parameters:
  ///   - found: further seeds, which have found faults.
  ///   - suite: the suite that repeats a seed.
  /// - Returns: nil if one was repeated.
  static func all(count: UInt64, found: [UInt64], suite: String) async throws -> Run.Counts? {
    if let seed = Seeds.repeated {
      try await replay(seed)
      return nil
    }
    let seeds = Seeds(count: count, found: found)
    return try await withThrowingTaskGroup(of: Run.Counts.self) { group in
      for _ in 0..<workers { group.addTask { try await work(seeds, suite) } }
      return try await group.reduce(into: Run.Counts()) { $0.add($1) }
    }
  }

  static func expectSameRunOfSameSeed() async throws {
    let workplace = try Workplace()
    for seed in UInt64(1)...25 {
      var runs: [[String]] = []
      for _ in 0..<2 {
        let run = Run(seed: seed, store: try workplace.emptied(), isTraced: true)
        try? await run.run()
        runs.append(run.lines)
      }
      let difference = zip(runs[0], runs[1]).first { $0 != $1 }
      #expect(runs[0] == runs[1] && !runs[0].isEmpty, "seed \(seed): \(String(describing: difference))")
    }
  }

  private static func work(_ seeds: Seeds, _ suite: String) async throws -> Run.Counts {
    let workplace = try Workplace()
    var counts = Run.Counts()
    while let seed = seeds.next() {
      // Other tests have timers that must not wait for all of this.
      await Task.yield()
      let run = Run(seed: seed, store: try workplace.emptied(), isTraced: false)
      do {
        try await run.run()
      } catch {
        seeds.stop()
        Issue.record("seed \(seed): \(error); repeat with BATON_SEED=\(seed) scripts/test SimulationTests --filter \(suite)")
      }
      counts.add(run.counts)
    }
    return counts
  }

  private static func replay(_ seed: UInt64) async throws {
    let workplace = try Workplace()
    defer { withExtendedLifetime(workplace) {} }
    let run = Run(seed: seed, store: try workplace.emptied(), isTraced: true)
    do {
      try await run.run()
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
    print(run.lines.joined(separator: "\n"))
  }
}
