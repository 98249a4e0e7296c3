import TestSupport
import Testing

/// Engine, machines and store together, under faults of every kind, one seed after the other.
///
/// `BATON_SEEDS` says how many seeds, `make test` takes 500 and `make test-all` 10,000; `BATON_SEED=n scripts/test SimulationTests` repeats one and shows what happens in it.
struct SimulationTests {
  @Test func invariantsHoldUnderFaultsOfEveryKind() async throws {
    let begin = ContinuousClock.now
    let count = Seeds.wanted ?? 1_000
    let run = try await Runs<Simulation>.all(count: count, found: [2_026_113_004_575], suite: "SimulationTests")
    guard let tally = run else { return }
    print(
      "simulation: \(tally.seeds) seeds from \(Seeds.first), \(tally.steps) steps, \(tally.commits) commits, \(tally.operations) operations, "
        + "\(tally.crashes) crashes, \(tally.storageFaults) storage faults, \(tally.conflicts) conflicts, \(tally.names) names, "
        + "\(tally.losses) losses, \(tally.moves) moves, \(tally.transitions) transitions, "
        + "\(tally.pairs.count) pairs of status and event, \((ContinuousClock.now - begin).components.seconds) s")
    // A simulation in which little happens proves little.
    #expect(tally.transitions > 10 * tally.seeds && tally.crashes > tally.seeds && tally.storageFaults > tally.seeds)
    #expect(4 * tally.conflicts > tally.seeds && 10 * tally.names > tally.seeds && 10 * tally.losses > tally.seeds)
    #expect(4 * tally.moves > tally.seeds)
  }

  @Test func sameSeedGivesTheSameRun() async throws { try await Runs<Simulation>.expectSameRunOfSameSeed() }
}
