internal import BatonClient
internal import Foundation
internal import StrictJSON

/// Shows times relative to the clock of this machine, or exactly.
struct Times: Sendable {
  /// The current time in milliseconds since 1970-01-01T00:00:00Z, or `nil` if times are shown exactly.
  let now: Int64?

  init(isExact: Bool) { now = isExact ? nil : Int64(Date().timeIntervalSince1970 * 1000) }

  init(now: Int64) { self.now = now }

  /// `3 min ago`, or the time itself. Empty without a time.
  func text(_ time: String?) -> String {
    guard let time else { return "" }
    guard let now, let then = RFC3339.milliseconds(time) else { return time }
    return RelativeTime.text(then, now: now)
  }

  /// A time at the end of a sentence: `3 min ago`, or `at` and the time itself.
  func moment(_ time: String) -> String { now == nil ? "at \(time)" : text(time) }

  /// `for 3 min`, or `since` and the time itself.
  func lasting(_ time: String) -> String {
    guard let now, let then = RFC3339.milliseconds(time), let span = RelativeTime.span(now - then) else {
      return "since \(time)"
    }
    return "for \(span)"
  }

  /// A time in the future: `in 3 min`, `now` if it is due within a second, or `at` and the time itself.
  func coming(_ time: String) -> String {
    guard let now, let then = RFC3339.milliseconds(time) else { return "at \(time)" }
    guard then - now >= 1000 else { return "now" }
    return RelativeTime.span(then - now).map { "in \($0)" } ?? "at \(time)"
  }
}
