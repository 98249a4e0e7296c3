import Store
import TestSupport
import Testing

/// A store in PostgreSQL answers what a store in a file answers, whatever the engines do with them, under faults of every kind.
@Suite(.serialized)
struct TwinTests {
  private func run<Run: SeededRun>(_ type: Run.Type, seeds: ClosedRange<UInt64>) async throws {
    let workplace = try Workplace()
    try await FaultyStorage.$hasTwin.withValue(true) {
      for seed in Seeds.repeated.map({ $0...$0 }) ?? seeds {
        try await Run(seed: seed, store: try workplace.emptied(), isTraced: false).run()
        guard FaultyStorage.differences.isEmpty else {
          Issue.record("seed \(seed): \(FaultyStorage.differences); the server: \(await SharedStores.log())")
          return
        }
      }
    }
  }

  @Test func bothStoresAnswerTheSameAboutChannels() async throws { try await run(Simulation.self, seeds: 1...60) }
  @Test func bothStoresAnswerTheSameAboutPosts() async throws { try await run(PostSimulation.self, seeds: 1...25) }
}
