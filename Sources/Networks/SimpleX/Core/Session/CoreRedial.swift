internal import Channels

/// How long to wait between dials of a core: twice as long after each failure, a little different each time.
struct CoreRedial: Hashable, Sendable {
  private(set) var failures = 0
  private let first: Duration
  private let longest: Duration
  private let salt: UInt64

  /// - Parameter salt: makes the waits of two daemons differ.
  init(limits: CoreLimits, salt: UInt64) {
    (first, longest) = (limits.redialFirst, limits.redialMax)
    self.salt = salt
  }

  /// The wait after one more failure: up to a fifth more or less than the pace.
  mutating func failed() -> Duration {
    failures += 1
    var wait = first
    for _ in 1..<failures where wait < longest { wait = wait * 2 }
    var random = SplitMix64(seed: salt &+ UInt64(failures))
    let milliseconds = min(wait, longest).wholeMilliseconds
    return .milliseconds(milliseconds + milliseconds * Int64.random(in: -20...20, using: &random) / 100)
  }

  /// A connection lasted.
  mutating func lasted() { failures = 0 }
}
