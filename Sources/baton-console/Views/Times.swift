internal import BatonClient
internal import StrictJSON

/// Times for people: relative to now, and exactly.
struct Times: Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  let now: Int64

  init(now: Int64 = SessionStore.now.wall) { self.now = now }

  /// The values of the template `time`, or `nil` if the text is absent or not a time.
  /// - Parameter isPlanned: whether it is the time of a planned event.
  func view(_ time: String?, isPlanned: Bool = false) -> View.Part? {
    guard let time, let then = RFC3339.milliseconds(time) else { return nil }
    return .view(view(milliseconds: then, isPlanned: isPlanned))
  }

  func view(milliseconds then: Int64, isPlanned: Bool = false) -> View {
    [
      "stamp": .text(Self.stamp(then)), "relative": .text(RelativeTime.text(then, now: now, isPlanned: isPlanned)),
      "exact": .text(Self.exact(then)), "isPlanned": .flag(isPlanned),
    ]
  }

  /// RFC 3339 in UTC.
  static func stamp(_ milliseconds: Int64) -> String { RFC3339.text(milliseconds: milliseconds) }

  /// `2026-01-31 14:03:22 UTC`.
  static func exact(_ milliseconds: Int64) -> String {
    let text = RFC3339.text(milliseconds: milliseconds)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
  }

  /// `14:03:22 UTC`.
  static func clock(_ milliseconds: Int64) -> String {
    "\(RFC3339.text(milliseconds: milliseconds).dropFirst(11).prefix(8)) UTC"
  }

  /// A duration such as `340 ms` or `2.4 s`.
  static func duration(milliseconds: Int) -> String {
    switch milliseconds {
    case ..<1000: "\(milliseconds) ms"
    case ..<10_000: "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    case ..<120_000: "\(milliseconds / 1000) s"
    default: "\(milliseconds / 60_000) min"
    }
  }
}
