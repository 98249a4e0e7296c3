internal import Channels

/// When relays and servers are tested in the background.
public struct TestSchedule: Hashable, Sendable {
  /// The time between two tests of one peer that passed.
  public var interval: Duration
  /// The time from a failed test to the next one.
  public var afterFailure: Duration
  /// The maximum number of simultaneous tests.
  public var atOnceMax: Int
  /// The interval of tests of a relay that also write. The other tests leave nothing behind.
  public var fullInterval: Duration
  /// The seed that spreads the tests. The same seed gives the same times.
  public var seed: UInt64

  /// The longest that a test may take before it counts as failed.
  public static let overdueAfter = Duration.seconds(180)
  /// The fraction by which each wait may deviate at random.
  static let jitter = 0.2

  public init(
    interval: Duration = .seconds(900), afterFailure: Duration = .seconds(120), atOnceMax: Int = 4,
    fullInterval: Duration = .seconds(86_400), seed: UInt64 = 0
  ) {
    self.interval = interval
    self.afterFailure = afterFailure
    self.atOnceMax = atOnceMax
    self.fullInterval = fullInterval
    self.seed = seed
  }

  /// When the next test of a peer is due.
  /// - Parameters:
  ///   - salt: makes the times of peers differ.
  ///   - now: used for peers that were never tested, or whose test is overdue since the last run.
  func next(_ condition: PeerCondition, salt: UInt64, now: Timestamp) -> Timestamp {
    let tick = UInt64(bitPattern: condition.testedAt?.milliseconds ?? 0)
    var random = SplitMix64(seed: seed ^ salt ^ (tick &* 0x9E37_79B9_7F4A_7C15))
    let fraction = Double.random(in: -1...1, using: &random) * Self.jitter
    // A time from a clock that was ahead counts as now, so that no test waits for it.
    guard let testedAt = condition.testedAt.map({ min($0, now) }) else {
      // They are due soon, but not all at the same moment.
      return now + .milliseconds(Int64.random(in: 0...2_000, using: &random))
    }
    let wait = condition.tested == true ? interval : min(interval, afterFailure)
    let due = testedAt + wait + .milliseconds(Int64(Double(wait.wholeMilliseconds) * fraction))
    guard due < now else { return due }
    let spread = max(1, min(wait.wholeMilliseconds, 30_000))
    return now + .milliseconds(Int64.random(in: 0...spread, using: &random))
  }
}
