/// The condition of a relay or a server, apart from any channel. A value that is fed with observations.
public struct PeerCondition: Hashable, Sendable {
  public enum Health: String, Sendable, CaseIterable {
    case unknown
    case up
    /// It answers, but does not do all that is asked of it, or it failed once and may work at the next test.
    case degraded
    case down
  }

  public var health: Health
  /// The time at which `health` last changed.
  public var healthSince: Timestamp?
  /// The latest trouble, or `nil` while all is well.
  public var lastError: String?
  /// The trouble that the latest test found beyond the connection. A connection alone does not clear it.
  public var fault: String?
  /// Whether the latest test passed, or `nil` if there was no test yet.
  public var tested: Bool?
  public var testedAt: Timestamp?
  /// The time at which a complete test last passed.
  public var fullyTestedAt: Timestamp?
  /// The duration of the latest connection attempt.
  public var roundTripMilliseconds: Int64?
  /// The number of failed tests since the last one that passed.
  public var failures: Int
  /// The time of the latest failure.
  public var failedAt: Timestamp?

  public init(
    health: Health = .unknown, healthSince: Timestamp? = nil, lastError: String? = nil, fault: String? = nil,
    tested: Bool? = nil,
    testedAt: Timestamp? = nil, fullyTestedAt: Timestamp? = nil, roundTripMilliseconds: Int64? = nil, failures: Int = 0,
    failedAt: Timestamp? = nil
  ) {
    self.health = health
    self.healthSince = healthSince
    self.lastError = lastError
    self.fault = fault
    self.tested = tested
    self.testedAt = testedAt
    self.fullyTestedAt = fullyTestedAt
    self.roundTripMilliseconds = roundTripMilliseconds
    self.failures = failures
    self.failedAt = failedAt
  }

  /// Records that a test passed.
  /// - Parameters:
  ///   - isFull: whether the test was complete, including writing.
  ///   - roundTrip: how long the connection took, or `nil` if that was not measured.
  public mutating func testPassed(isFull: Bool, roundTrip: Duration?, at now: Timestamp) {
    (tested, testedAt, failures, lastError, fault) = (true, now, 0, nil, nil)
    if isFull { fullyTestedAt = now }
    if let roundTrip { roundTripMilliseconds = roundTrip.wholeMilliseconds }
    become(.up, now)
  }

  /// Records that a test failed.
  /// - Parameters:
  ///   - isConnected: whether another connection to the peer is open, so that it cannot be down.
  ///   - words: a description of the failure for people.
  public mutating func testFailed(_ cause: Cause, _ words: String, isConnected: Bool, at now: Timestamp) {
    (tested, testedAt, lastError, failedAt) = (false, now, words, now)
    failures += 1
    fault = cause.isOfConnection ? nil : words
    guard !isConnected else { return become(.degraded, now) }
    switch cause {
    case .wrongIdentity, .protocol, .expired, .wrongName, .untrusted, .misbehaving, .incompatibleVersion: become(.down, now)
    case .timeout, .unreachable:
      // One lost packet is not an outage. But a peer that never worked counts as down immediately.
      become(health == .up || health == .degraded && failures < 2 ? .degraded : .down, now)
    case .rejected, .rateLimited, .authRequired, .missing, .left, .replaced, .onePerAuthor, .storage, .cancelled, .tooOld,
      .tooLarge, .notSupported, .stillServed:
      become(.degraded, now)
    }
  }

  /// Records that a kept connection was established.
  public mutating func connected(roundTrip: Duration, at now: Timestamp) {
    roundTripMilliseconds = roundTrip.wholeMilliseconds
    guard health != .degraded else { return }
    lastError = fault
    become(fault == nil ? .up : .degraded, now)
  }

  /// Records that a kept connection broke, or could not be established.
  public mutating func disconnected(_ words: String, at now: Timestamp) {
    (lastError, failedAt) = (words, now)
    become(.down, now)
  }

  private mutating func become(_ new: Health, _ now: Timestamp) {
    guard new != health else { return }
    (health, healthSince) = (new, now)
  }

  /// The time after a failure for which a peer counts as unreliable.
  public static let recentFailure = Duration.seconds(600)

  /// The reliability of the peer by this condition.
  public func reliability(at now: Timestamp) -> SelectionPolicy.Reliability {
    if health == .down { return .failing }
    // A failure with a date in the future, from a clock that was ahead, counts only from that time on, so that it expires.
    let hasFailed = failedAt.map { $0 <= now && now - $0 < Self.recentFailure } ?? false
    if health == .degraded || tested == false || hasFailed { return .degraded }
    return health == .up || tested == true ? .good : .untested
  }

  /// The time at which `reliability(at:)` changes by itself, after `now`, or `nil` if only a new observation can change it.
  public func reliabilityEnds(after now: Timestamp) -> Timestamp? {
    guard let failedAt else { return nil }
    let end = failedAt > now ? failedAt : failedAt + Self.recentFailure
    return end > now ? end : nil
  }
}
