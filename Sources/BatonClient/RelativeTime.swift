internal import StrictJSON

/// Times relative to now, in words.
package enum RelativeTime {
  /// `3 min ago`, `in 3 min`, `just now`, or the date if that is more useful.
  /// - Parameters:
  ///   - then: milliseconds since 1970-01-01T00:00:00Z.
  ///   - now: the same.
  ///   - isPlanned: whether it is the time of a planned event, which may be a few seconds away.
  package static func text(_ then: Int64, now: Int64, isPlanned: Bool = false) -> String {
    let distance = now - then
    if isPlanned {
      if (0..<60_000).contains(distance) { return "now" }
    } else if (-59_999..<10_000).contains(distance) {
      // Clocks of two machines never agree exactly.
      return "just now"
    }
    guard let span = span(distance) else { return String(RFC3339.text(milliseconds: then).prefix(10)) }
    return distance > 0 ? "\(span) ago" : "in \(span)"
  }

  /// A span of this many milliseconds, regardless of its sign, or `nil` if a date is more useful.
  package static func span(_ milliseconds: Int64) -> String? {
    switch milliseconds.magnitude / 1000 {
    case let seconds where seconds < 60: "\(seconds) s"
    case let seconds where seconds < 3600: "\(seconds / 60) min"
    case let seconds where seconds < 48 * 3600: "\(seconds / 3600) h"
    case let seconds where seconds < 60 * 86_400: "\(seconds / 86_400) d"
    default: nil
    }
  }
}
