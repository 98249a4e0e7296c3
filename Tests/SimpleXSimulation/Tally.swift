/// What happened in some runs. Runs in which little happens prove little.
struct Tally: Sendable {
  var seeds = 0
  var commands = 0
  /// Channels that the core made, as the network said, those that were found or made again included.
  var named = 0
  /// Relays that no longer served a channel, as the network said.
  var lost = 0
  /// Commands whose answer was lost, and those of them that the core carried out later.
  var unanswered = 0
  var late = 0
  /// Ends of the daemon at which the network's last words were lost.
  var crashes = 0

  mutating func add(_ other: Tally) {
    seeds += other.seeds
    commands += other.commands
    named += other.named
    lost += other.lost
    unanswered += other.unanswered
    late += other.late
    crashes += other.crashes
  }
}
