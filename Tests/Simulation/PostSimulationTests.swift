import TestSupport
import Testing

/// The engine for posts, its machines and the store together, under faults of every kind, one seed after the other.
///
/// There is one seed for every five that `BATON_SEEDS` says, because each run takes longer than one of channels.
/// `BATON_SEED=n scripts/test SimulationTests --filter PostSimulationTests` repeats one and shows what happens in it.
struct PostSimulationTests {
  @Test func postsAreDeliveredOnceUnderFaultsOfEveryKind() async throws {
    let begin = ContinuousClock.now
    let count = Seeds.wanted.map { max($0 / 5, 1) } ?? 500
    let run = try await Runs<PostSimulation>.all(count: count, found: [2_026_113_000_720], suite: "PostSimulationTests")
    guard let tally = run else { return }
    print(
      "simulation of posts: \(tally.seeds) seeds, \(tally.steps) steps, \(tally.commits) commits, \(tally.posts) posts, "
        + "\(tally.edits) edits, \(tally.schedules) schedules, \(tally.releases) releases, \(tally.comparisons) comparisons, "
        + "\(tally.departures) departures, \(tally.deletions) deletions, \(tally.operations) operations, \(tally.crashes) crashes, "
        + "\(tally.moves) moves, \(tally.storageFaults) storage faults, \(tally.transitions) transitions, "
        + "\((ContinuousClock.now - begin).components.seconds) s")
    // A simulation in which little happens proves little.
    #expect(tally.transitions > 10 * tally.seeds && tally.crashes > tally.seeds && tally.departures > tally.seeds)
    #expect(2 * tally.storageFaults > tally.seeds && 2 * tally.deletions > tally.seeds)
    #expect(
      2 * tally.edits > tally.seeds && 2 * tally.schedules > tally.seeds && tally.releases > 0
        && tally.comparisons > tally.seeds)
    #expect(4 * tally.moves > tally.seeds)
  }

  @Test func sameSeedGivesTheSameRun() async throws { try await Runs<PostSimulation>.expectSameRunOfSameSeed() }
}
