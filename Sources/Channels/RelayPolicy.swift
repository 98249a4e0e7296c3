/// Timers and limits of a channel relay. They are configuration: the core receives them as values.
public struct RelayPolicy: Hashable, Sendable {
  /// The time that one invitation may take before it counts as timed out.
  public var invitationTimeout: Duration = .seconds(30)
  /// The time that one verification may take before it counts as timed out.
  public var verificationTimeout: Duration = .seconds(15)
  /// The time that one withdrawal may take before it counts as timed out.
  public var withdrawalTimeout: Duration = .seconds(30)
  /// The time that an operation may wait in queues before its own timeout counts: a relay handles one operation at a time.
  public var queueAllowance: Duration = .seconds(300)
  /// Wait before the second attempt. It doubles with each further one.
  public var backOffFirst: Duration = .seconds(1)
  /// Longest wait between two attempts.
  public var backOffMax: Duration = .seconds(300)
  /// The amount by which a wait may deviate from its nominal value, in percent, either way.
  public var backOffJitterPercent: Int = 20
  /// Attempts per effort before the channel relay fails.
  public var attemptsMax: Int = 8
  /// Time per effort before the channel relay fails.
  public var effortMax: Duration = .seconds(900)
  /// The number of times that an accepting relay may answer "no such channel" before it fails with `missing`.
  public var verifyAttemptsMax: Int = 3
  /// The time that a relay may be down before its active channel relays turn inactive.
  public var inactiveGrace: Duration = .seconds(120)
  /// The time after which an inactive channel relay is tried again.
  public var slowRetry: Duration = .seconds(900)
  /// The longest wait that a relay may ask for.
  public var patienceMax: Duration = .seconds(86_400)
  /// The time for which Baton tries to withdraw a channel from a relay that it left.
  public var farewellMax: Duration = .seconds(7 * 86_400)
  /// Whether a relay that another has replaced is asked to delete the channel only once it has answered whether it has it.
  public var readsReplaced = true
  /// The time within which a message may still arrive that another daemon sent for a channel before it lost it, or zero if there is no
  /// other daemon.
  public var lateArrival: Duration = .zero
  /// The time after which an active channel relay is read back if nothing else happens.
  public var verifyInterval: Duration = .seconds(86_400)
  /// Makes the jitter of installations differ. Any number, fixed for one installation.
  public var jitterSeed: UInt64 = 0

  public init() {}
}
