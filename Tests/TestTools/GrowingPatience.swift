/// Tries what must be through before a timer runs off that has to run off in the end. Most machines need little time; where there is much
/// else to do, the same is tried again with more.
/// - Parameter attempt: gets the time after which the timer runs off; returns whether everything was as it should be.
/// - Returns: whether an attempt succeeded.
public func withGrowingPatience(_ attempt: (Duration) async throws -> Bool) async rethrows -> Bool {
  for seconds in [2, 10, 60] {
    if try await attempt(.seconds(seconds)) { return true }
  }
  return false
}
