/// What is known of how a relay or a server does, whatever the channel. A value that is told what was seen.
public struct PeerCondition: Hashable, Sendable {
  public enum Health: String, Sendable, CaseIterable {
    case unknown
    case up
    /// It answers, but does not do all that is asked of it; or it failed once and may be back at the next test.
    case degraded
    case down
  }

  public var health: Health
  /// When `health` became what it is.
  public var healthSince: Timestamp?
  /// What went wrong latest; nil while all is well.
  public var lastError: String?
  /// What the latest test found wrong beyond the connection; a connection alone does not mend it.
  public var fault: String?
  /// Whether the latest test passed; nil: never tested.
  public var tested: Bool?
  public var testedAt: Timestamp?
  /// When a test that went all the way last passed.
  public var fullyTestedAt: Timestamp?
  /// How long the latest connection took.
  public var roundTripMilliseconds: Int64?
  /// Tests that failed since the last that passed.
  public var failures: Int
  /// When it was last seen failing.
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

  /// A test passed.
  /// - Parameters:
  ///   - isFull: whether it went all the way, writing included.
  ///   - roundTrip: how long the connection took; nil when that was not measured.
  public mutating func testPassed(isFull: Bool, roundTrip: Duration?, at now: Timestamp) {
    (tested, testedAt, failures, lastError, fault) = (true, now, 0, nil, nil)
    if isFull { fullyTestedAt = now }
    if let roundTrip { roundTripMilliseconds = roundTrip.wholeMilliseconds }
    become(.up, now)
  }

  /// A test failed.
  /// - Parameters:
  ///   - isConnected: whether another connection to the peer stands, so that it cannot be down.
  ///   - words: what failed, for people.
  public mutating func testFailed(_ cause: Cause, _ words: String, isConnected: Bool, at now: Timestamp) {
    (tested, testedAt, lastError, failedAt) = (false, now, words, now)
    failures += 1
    fault = cause.isOfConnection ? nil : words
    guard !isConnected else { return become(.degraded, now) }
    switch cause {
    case .wrongIdentity, .protocol, .expired, .wrongName, .untrusted, .misbehaving, .incompatibleVersion: become(.down, now)
    case .timeout, .unreachable:
      // One lost packet is no outage; a peer that never worked gets no such credit.
      become(health == .up || health == .degraded && failures < 2 ? .degraded : .down, now)
    case .rejected, .rateLimited, .authRequired, .missing, .left, .replaced, .onePerAuthor, .storage, .cancelled:
      become(.degraded, now)
    }
  }

  /// A connection that is kept came about.
  public mutating func connected(roundTrip: Duration, at now: Timestamp) {
    roundTripMilliseconds = roundTrip.wholeMilliseconds
    guard health != .degraded else { return }
    lastError = fault
    become(fault == nil ? .up : .degraded, now)
  }

  /// A connection that is kept broke, or did not come about.
  public mutating func disconnected(_ words: String, at now: Timestamp) {
    (lastError, failedAt) = (words, now)
    become(.down, now)
  }

  private mutating func become(_ new: Health, _ now: Timestamp) {
    guard new != health else { return }
    (health, healthSince) = (new, now)
  }

  /// How long after a failure a peer still counts as unreliable.
  public static let recentFailure = Duration.seconds(600)

  /// What this says of how far to rely on the peer.
  public func reliability(at now: Timestamp) -> SelectionPolicy.Reliability {
    if health == .down { return .failing }
    // A failure that a clock which was ahead has dated counts once its time has come, so that it passes.
    let hasFailed = failedAt.map { $0 <= now && now - $0 < Self.recentFailure } ?? false
    if health == .degraded || tested == false || hasFailed { return .degraded }
    return health == .up || tested == true ? .good : .untested
  }

  /// When `reliability(at:)` changes by itself, after `now`; nil when only something new can change it.
  public func reliabilityEnds(after now: Timestamp) -> Timestamp? {
    guard let failedAt else { return nil }
    let end = failedAt > now ? failedAt : failedAt + Self.recentFailure
    return end > now ? end : nil
  }
}
