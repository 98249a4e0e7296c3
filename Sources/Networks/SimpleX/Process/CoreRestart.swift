internal import Channels

/// Decides when a core that ended is started again. It reads no clock.
struct CoreRestart: Hashable, Sendable {
  private var waits: CoreRedial
  private let stableAfter: Duration
  private var startedAt = Timestamp(milliseconds: 0)

  /// - Parameter salt: makes the waits of two daemons differ.
  init(limits: CoreProcessLimits, salt: UInt64) {
    waits = CoreRedial(first: limits.restartFirst, longest: limits.restartMax, salt: salt)
    stableAfter = limits.stableAfter
  }

  /// Records that the core was started, or that this was attempted.
  mutating func started(at now: Timestamp) { startedAt = now }

  /// Records that the core ended.
  /// - Returns: how long it ran, and how long to wait before it is started again.
  mutating func ended(at now: Timestamp) -> (ran: Duration, wait: Duration) {
    let ran = max(now - startedAt, .zero)
    if ran >= stableAfter { waits.lasted() }
    return (ran, waits.failed())
  }
}
