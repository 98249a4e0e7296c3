/// What a number of runs went through.
struct Tally: RunCounts {
  var seeds = 0
  var steps = 0
  var commits = 0
  var crashes = 0
  var storageFaults = 0
  /// Parts of commits that were not written, because someone else had changed the channel.
  var conflicts = 0
  /// Names that channels took from the network.
  var names = 0
  /// Channels that a relay lost and the network reported.
  var losses = 0
  /// How often another daemon got channels.
  var moves = 0
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
    conflicts += other.conflicts
    names += other.names
    losses += other.losses
    moves += other.moves
    transitions += other.transitions
    operations += other.operations
    pairs.formUnion(other.pairs)
  }
}
