internal import Channels

/// Wakes a shell when the next alarm is due.
final class Waker {
  private let clock: any CoordinatorClock
  private let ring: @Sendable () -> Void
  private var sleeper: Task<Void, Never>?
  /// When it rings. `nil` if it is not set, or has rung.
  private(set) var due: Timestamp?

  /// - Parameter ring: called at the set time, from any task.
  init(clock: any CoordinatorClock, ring: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.ring = ring
  }

  deinit { sleeper?.cancel() }

  /// Rings at this time only, or never if it is `nil`.
  func set(_ time: Timestamp?) {
    guard time == nil || due != time else { return }
    due = time
    sleeper?.cancel()
    guard let time else { return }
    sleeper = Task { [clock, ring] in
      guard (try? await clock.sleep(until: time)) != nil else { return }
      ring()
    }
  }

  /// Records that the ring was heard.
  func heard() { due = nil }

  /// Stops ringing.
  func stop() { sleeper?.cancel() }
}
