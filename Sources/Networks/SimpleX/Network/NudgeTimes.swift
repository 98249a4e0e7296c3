internal import Channels

/// When the worker is to be nudged. Times are on a grid, so that there are never many of them, however many channels wait.
struct NudgeTimes {
  /// A nudge comes this much later than asked for, at most.
  static let grid = Duration.milliseconds(50)

  private var slots: Set<Int64> = []

  /// Nudges that are set.
  var count: Int { slots.count }

  /// - Parameters:
  ///   - wait: after which the nudge is wanted.
  ///   - elapsed: since the beginning.
  /// - Returns: when to nudge, since the beginning; `nil` when that is set already.
  mutating func add(_ wait: Duration, at elapsed: Duration) -> Duration? {
    let slot = (elapsed + wait).wholeMilliseconds / Self.grid.wholeMilliseconds + 1
    return slots.insert(slot).inserted ? Self.grid * Int(slot) : nil
  }

  /// The nudge of this time was given.
  mutating func passed(_ time: Duration) { slots.remove(time.wholeMilliseconds / Self.grid.wholeMilliseconds) }
}
