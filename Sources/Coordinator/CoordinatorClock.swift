public import Channels
internal import Glibc

/// Where the coordinator gets the time from; tests bring their own.
public protocol CoordinatorClock: Sendable {
  var now: Timestamp { get }
  /// Returns at `time` or later; throws when cancelled.
  func sleep(until time: Timestamp) async throws
}

/// The machine's clock.
public struct SystemClock: CoordinatorClock {
  public init() {}

  public var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  public func sleep(until time: Timestamp) async throws {
    let wait = time - now
    if wait > .zero { try await ContinuousClock().sleep(for: wait) }
  }
}
