/// Timers and limits of a delivery. They are configuration: the core receives them as values.
public struct DeliveryPolicy: Hashable, Sendable {
  /// The time within which a relay must answer a post that left for it.
  public var publicationTimeout: Duration = .seconds(30)
  /// The time that one reading back may take before it counts as timed out.
  public var verificationTimeout: Duration = .seconds(15)
  /// The time that one withdrawal may take before it counts as timed out.
  public var withdrawalTimeout: Duration = .seconds(30)
  /// The time that an operation may wait in queues before its own timeout counts: relays accept posts at a limited pace.
  public var queueAllowance: Duration = .seconds(3_600)
  /// Wait before the second attempt. It doubles with each further one.
  public var backOffFirst: Duration = .seconds(1)
  /// Longest wait between two attempts of one effort.
  public var backOffMax: Duration = .seconds(300)
  /// The amount by which a wait may deviate from its nominal value, in percent, either way.
  public var backOffJitterPercent: Int = 20
  /// Attempts per effort before the delivery fails.
  public var attemptsMax: Int = 8
  /// Time per effort before the delivery fails. It counts from the first attempt that failed.
  public var effortMax: Duration = .seconds(900)
  /// The number of times that a relay is read back after it accepted a post or a deletion, before it counts as not showing it.
  public var verifyAttemptsMax: Int = 3
  /// Wait before the first repair of a delivery that failed. It doubles with each further one.
  public var repairFirst: Duration = .seconds(900)
  /// Longest wait between two repairs, and the wait after a refusal.
  public var repairMax: Duration = .seconds(86_400)
  /// The longest wait that a relay may ask for.
  public var patienceMax: Duration = .seconds(86_400)
  /// Makes the jitter of installations differ. Any number, fixed for one installation.
  public var jitterSeed: UInt64 = 0

  public init() {}

  /// Nominal wait before the repair with this number, counted from 1, without jitter.
  func wait(beforeRepair repair: Int) -> Duration { repairFirst.doubled(repair - 1, upTo: repairMax) }
}
