internal import Channels

/// When to dial, and how long to wait between dials; shared by both kinds of session.
struct ConnectionKeeper: Hashable, Sendable {
  enum State: Hashable, Sendable {
    case idle, dialing, open
    /// A dial failed or the connection broke; the next dial waits for the timer.
    case waiting
  }
  private(set) var state: State = .idle
  private(set) var failures = 0
  private let limits: NostrLimits
  private let salt: UInt64

  init(limits: NostrLimits, salt: UInt64) {
    self.limits = limits
    self.salt = salt
  }

  /// Dials unless that is under way or must wait.
  mutating func need() -> [SessionAction] {
    guard state == .idle else { return [] }
    state = .dialing
    return [.cancelTimer(.idle), .dial]
  }

  mutating func opened() {
    state = .open
    failures = 0
  }

  /// The dial failed or the connection broke.
  /// - Parameter isBusy: whether operations wait for the connection.
  mutating func lost(isBusy: Bool) -> [SessionAction] {
    failures += 1
    state = .waiting
    return [.setTimer(.reconnect, after: redialWait(isBusy: isBusy))]
  }

  /// The wait after a failure is over.
  mutating func waited() { if state == .waiting { state = .idle } }

  mutating func closedOnPurpose() { state = .idle }

  private func redialWait(isBusy: Bool) -> Duration {
    let cap = isBusy ? limits.redialMaxBusy : limits.redialMaxWatched
    var wait = limits.redialFirst
    for _ in 1..<max(failures, 1) where wait < cap { wait = wait * 2 }
    var random = SplitMix64(seed: salt &+ UInt64(failures))
    let percent = Int64.random(in: -20...20, using: &random)
    let milliseconds = min(wait, cap).wholeMilliseconds
    return .milliseconds(milliseconds + milliseconds * percent / 100)
  }
}
