internal import Channels

/// The times at which to nudge the worker. They are on a grid, so that there are never many of them, however many channels wait.
struct NudgeTimes {
  /// How much later than requested a nudge may come.
  static let grid = Duration.milliseconds(50)

  private var slots: Set<Int64> = []

  /// The nudges that are scheduled.
  var count: Int { slots.count }

  /// - Parameters:
  ///   - wait: the time after which the nudge is wanted.
  ///   - elapsed: the time since the beginning.
  /// - Returns: when to nudge, counted from the beginning, or `nil` if that is scheduled already.
  mutating func add(_ wait: Duration, at elapsed: Duration) -> Duration? {
    let slot = (elapsed + wait).wholeMilliseconds / Self.grid.wholeMilliseconds + 1
    return slots.insert(slot).inserted ? Self.grid * Int(slot) : nil
  }

  /// Records that the nudge of this time was given.
  mutating func passed(_ time: Duration) { slots.remove(time.wholeMilliseconds / Self.grid.wholeMilliseconds) }
}
