/// What a number of runs went through.
struct Tally {
  var seeds = 0
  var steps = 0
  var commits = 0
  var crashes = 0
  var storageFaults = 0
  var transitions = 0
  var operations = 0
  /// Pairs of a status and an event that met it.
  var pairs: Set<String> = []

  mutating func add(_ other: Tally) {
    seeds += other.seeds
    steps += other.steps
    commits += other.commits
    crashes += other.crashes
    storageFaults += other.storageFaults
    transitions += other.transitions
    operations += other.operations
    pairs.formUnion(other.pairs)
  }
}
