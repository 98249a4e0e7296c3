internal import Channels

/// The waits between dials or starts of a core: they double after each failure, and vary a little.
struct CoreRedial: Hashable, Sendable {
  private(set) var failures = 0
  private let first: Duration
  private let longest: Duration
  private let salt: UInt64

  /// - Parameter salt: makes the waits of two daemons differ.
  init(limits: CoreLimits, salt: UInt64) {
    self.init(first: limits.redialFirst, longest: limits.redialMax, salt: salt)
  }

  /// - Parameters:
  ///   - first: the wait after the first failure.
  ///   - longest: the longest wait.
  ///   - salt: makes the waits of two daemons differ.
  init(first: Duration, longest: Duration, salt: UInt64) {
    (self.first, self.longest) = (first, longest)
    self.salt = salt
  }

  /// The wait after another failure: up to a fifth more or less than the nominal one.
  mutating func failed() -> Duration {
    failures += 1
    var wait = first
    for _ in 1..<failures where wait < longest { wait = wait * 2 }
    var random = SplitMix64(seed: salt &+ UInt64(failures))
    let milliseconds = min(wait, longest).wholeMilliseconds
    return .milliseconds(milliseconds + milliseconds * Int64.random(in: -20...20, using: &random) / 100)
  }

  /// Starts again with the first wait, because a connection lasted.
  mutating func lasted() { failures = 0 }
}
