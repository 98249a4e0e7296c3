/// Decides how long the attempts of one effort wait, and how long the effort lasts.
protocol EffortPolicy {
  var backOffFirst: Duration { get }
  var backOffMax: Duration { get }
  var backOffJitterPercent: Int { get }
  var effortMax: Duration { get }
  var jitterSeed: UInt64 { get }
}

extension RelayPolicy: EffortPolicy {}
extension DeliveryPolicy: EffortPolicy {}

extension EffortPolicy {
  /// Nominal wait after `attempt` failed attempts, without jitter: doubles from `backOffFirst` up to `backOffMax`.
  func backOff(afterAttempt attempt: Int) -> Duration { backOffFirst.doubled(attempt - 1, upTo: backOffMax) }

  /// `wait` with a deviation of at most `backOffJitterPercent`, the same for the same `salt`.
  func jittered(_ wait: Duration, salt: UInt64) -> Duration {
    wait.jittered(percent: backOffJitterPercent, seed: jitterSeed ^ salt)
  }

  /// The time of the next attempt.
  /// - Parameters:
  ///   - attempt: the number of the failed attempt.
  ///   - effort: when the effort began.
  ///   - asked: the wait that the relay asked for, or 0 for none.
  ///   - now: the present time.
  ///   - salt: spreads the attempts of different objects.
  /// - Returns: when the effort counts as begun and until when to wait, or `nil` if that is too long for the effort.
  func next(
    afterAttempt attempt: Int, of effort: Timestamp, asked: Duration, now: Timestamp, salt: UInt64
  ) -> (startedAt: Timestamp, until: Timestamp)? {
    let wait = max(jittered(max(backOff(afterAttempt: attempt), asked), salt: salt), asked)
    let until = now + wait
    // If the relay asks for a longer wait than Baton's own maximum, that time is not part of the effort.
    let startedAt = asked > backOffMax ? effort + wait : effort
    guard until < startedAt + effortMax else { return nil }
    return (startedAt, until)
  }
}
