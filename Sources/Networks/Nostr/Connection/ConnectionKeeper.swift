internal import Channels

/// The rules for when to dial, and how long to wait between dials, shared by all kinds of session.
struct ConnectionKeeper<Machine: SessionMachine>: Hashable, Sendable {
  enum State: Hashable, Sendable {
    case idle, dialing, open
    /// A dial failed or the connection broke, and the next dial waits for the timer.
    case waiting
  }
  private(set) var state: State = .idle
  private(set) var failures = 0
  /// Waiting at the pace of a relay that is only watched.
  private var waitsLong = false
  /// The trouble for which the relay asked for so long a wait that nothing may wait for the connection.
  private(set) var hold: Trouble?
  /// The number of times that the relay has sent more than it may. A connection that lasted does not reset it.
  private(set) var floods = 0
  private let limits: NostrLimits
  private let salt: UInt64

  init(limits: NostrLimits, salt: UInt64) {
    self.limits = limits
    self.salt = salt
  }

  /// Dials unless a dial is under way or must wait. A long wait of a connection that was only watched becomes a short one.
  mutating func need() -> [SessionAction<Machine>] {
    switch state {
    case .idle:
      state = .dialing
      return [.cancelTimer(.idle), .dial]
    case .waiting where waitsLong:
      waitsLong = false
      return [.setTimer(.reconnect, after: redialWait(isBusy: true))]
    case .waiting, .dialing, .open: return []
    }
  }

  /// Back-off does not end with a handshake: a relay that closes immediately must not be dialled every second.
  mutating func opened() -> [SessionAction<Machine>] {
    state = .open
    return [.setTimer(.stable, after: limits.stableAfter)]
  }

  /// Notes that the connection lasted.
  mutating func lasted() { if state == .open { failures = 0 } }

  /// Notes that the dial failed or the connection broke.
  /// - Parameters:
  ///   - isBusy: whether operations wait for the connection.
  ///   - atLeast: the wait that the relay asked for.
  ///   - trouble: the words for it.
  mutating func lost(isBusy: Bool, atLeast: Duration = .zero, because trouble: Trouble? = nil) -> [SessionAction<Machine>] {
    failures += 1
    state = .waiting
    hold = atLeast > limits.holdMax ? trouble : nil
    waitsLong = !isBusy && atLeast == .zero
    return [.cancelTimer(.stable), .setTimer(.reconnect, after: max(redialWait(isBusy: isBusy), atLeast))]
  }

  /// Notes that the relay sent more than it may.
  mutating func flooded(because trouble: Trouble) -> [SessionAction<Machine>] {
    floods += 1
    return lost(isBusy: false, atLeast: floodWait, because: trouble)
  }

  /// The time for which the relay is not dialled after the latest flood.
  var floodWait: Duration {
    var wait = limits.floodWaitFirst
    for _ in 1..<max(floods, 1) where wait < limits.floodWaitMax { wait = wait * 2 }
    return min(wait, limits.floodWaitMax)
  }

  /// Notes that the wait after a failure is over.
  mutating func waited() {
    hold = nil
    if state == .waiting { state = .idle }
  }

  mutating func closedOnPurpose() {
    state = .idle
    failures = 0
  }

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
