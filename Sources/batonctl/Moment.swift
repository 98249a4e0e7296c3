internal import ArgumentParser
internal import Foundation
internal import StrictJSON

/// A time on a command line: `2026-12-24 18:00` in the local time zone, `2026-12-24T18:00:00Z`, or `+2h` from now.
struct Moment: ExpressibleByArgument {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  let milliseconds: Int64

  /// RFC 3339 in UTC.
  var text: String { RFC3339.text(milliseconds: milliseconds) }

  init?(argument: String) {
    self.init(argument, now: Int64(Date().timeIntervalSince1970 * 1000), zone: .current)
  }

  /// - Throws: a sentence with the accepted forms.
  static let of = { @Sendable (text: String) throws -> Moment in
    if let moment = Moment(argument: text) { return moment }
    throw ValidationError("write '2026-12-24 18:00', 2026-12-24T18:00:00Z, or +2h, +30min or +3d from now")
  }

  /// - Parameters:
  ///   - now: milliseconds since 1970-01-01T00:00:00Z.
  ///   - zone: the zone of times without a zone.
  init?(_ text: String, now: Int64, zone: TimeZone) {
    guard let found = Self.after(text, now) ?? RFC3339.milliseconds(text) ?? Self.local(text, zone) else { return nil }
    milliseconds = found
  }

  /// `+` and a span: `90`, `30m`, `30min`, `2h` or `3d`.
  private static func after(_ text: String, _ now: Int64) -> Int64? {
    guard text.hasPrefix("+") else { return nil }
    let span = String(text.dropFirst())
    if span.hasSuffix("d") { return TimeSpan(argument: span.dropLast() + "h").flatMap { now.adding($0.duration * 24) } }
    return TimeSpan(argument: span.hasSuffix("m") ? span + "in" : span).flatMap { now.adding($0.duration) }
  }

  /// A date and a time of day, with or without seconds.
  /// - Returns: `nil` also for a time that a change of the clocks skips.
  private static func local(_ text: String, _ zone: TimeZone) -> Int64? {
    let whole = text.utf8.count == 16 ? text + ":00" : text
    guard let asInUTC = RFC3339.milliseconds(whole + "Z") else { return nil }
    let date = Date(timeIntervalSince1970: Double(asInUTC) / 1000)
    // The zone's offset must be the one at the wanted time, which is close to the same time in UTC.
    for near in [-86_400.0, 86_400.0] {
      let offset = zone.secondsFromGMT(for: date.addingTimeInterval(near))
      let found = date.addingTimeInterval(-Double(offset))
      if zone.secondsFromGMT(for: found) == offset { return asInUTC - Int64(offset) * 1000 }
    }
    return nil
  }
}

extension Int64 {
  /// This number of milliseconds and a span, or `nil` if the sum is too large.
  fileprivate func adding(_ span: Duration) -> Int64? {
    let (sum, overflow) = addingReportingOverflow(
      span.components.seconds * 1000 + span.components.attoseconds / 1_000_000_000_000_000)
    return overflow ? nil : sum
  }
}
