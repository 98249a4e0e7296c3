/// The waits between attempts to follow the daemon, which grow while it cannot be reached.
struct Attempts {
  private static var waits: (first: Duration, longest: Duration) { (.milliseconds(100), .seconds(5)) }
  private var wait = Self.waits.first

  /// Waits before the next attempt.
  /// - Parameter begin: the beginning of the attempt that just ended.
  /// - Returns: whether to try again. False if the task was cancelled.
  mutating func pause(after begin: ContinuousClock.Instant) async -> Bool {
    let lasted = ContinuousClock.now - begin > Self.waits.longest
    wait = lasted ? Self.waits.first : min(wait * 2, Self.waits.longest)
    return (try? await Task.sleep(for: wait)) != nil
  }
}
