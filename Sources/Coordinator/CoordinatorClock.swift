public import Channels
internal import Glibc

/// The source of time for the coordinator. Tests provide their own.
public protocol CoordinatorClock: Sendable {
  var now: Timestamp { get }
  /// The time of day, which jumps when someone sets the clock of the machine. It dates signed content.
  var timeOfDay: Timestamp { get }
  /// Returns at `time` or later. Throws when cancelled.
  func sleep(until time: Timestamp) async throws
}

extension CoordinatorClock {
  public var timeOfDay: Timestamp { now }
}

/// The machine's clock: the time of day at the start, and even progress from there. Setting the clock while the daemon runs does not move
/// its timers. Signed content uses the time of day instead.
public struct SystemClock: CoordinatorClock {
  private let offset: Int64

  public init() {
    offset = Self.milliseconds(CLOCK_REALTIME) - Self.milliseconds(CLOCK_BOOTTIME)
  }

  public var now: Timestamp { Timestamp(milliseconds: Self.milliseconds(CLOCK_BOOTTIME) + offset) }

  public var timeOfDay: Timestamp { Timestamp(milliseconds: Self.milliseconds(CLOCK_REALTIME)) }

  private static func milliseconds(_ clock: CInt) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  public func sleep(until time: Timestamp) async throws {
    let wait = time - now
    if wait > .zero { try await ContinuousClock().sleep(for: wait) }
  }
}
