/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
///
/// The core never reads a clock. Every `Timestamp` is passed in as a value.
public struct Timestamp: Hashable, Comparable, Sendable {
  public let milliseconds: Int64

  /// - Parameter milliseconds: milliseconds since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }

  /// The point in time `duration` after this one, at millisecond resolution. Saturates instead of overflowing.
  public static func + (time: Self, duration: Duration) -> Self {
    let (sum, overflow) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
    return Self(milliseconds: overflow ? .max : sum)
  }

  /// The time that passed from `earlier` to `later`, which is negative if `later` is before `earlier`.
  public static func - (later: Self, earlier: Self) -> Duration {
    .milliseconds(later.milliseconds - earlier.milliseconds)
  }
}

extension Duration {
  /// This duration in milliseconds, rounded down to a whole one. It saturates at the ends of `Int64`.
  public var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000_000
  }
}
