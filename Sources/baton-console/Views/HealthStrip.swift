internal import ControlAPI
internal import StrictJSON

/// The health of a relay in the last hours, as a strip of parts that differ in colour and in height.
struct HealthStrip {
  /// A period with the same health.
  struct Part: Hashable {
    let health: String
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let from: Int64
    let to: Int64
  }

  let parts: [Part]
  private let begin: Int64
  private let end: Int64
  private let hours: Int

  /// - Parameters:
  ///   - changes: oldest first, as far as they are known.
  ///   - isCut: whether there were earlier changes. If so, nothing is known of the time before the first.
  ///   - now: the current health.
  ///   - until: the current time in milliseconds.
  ///   - hours: how far back the strip goes.
  init(_ changes: [HealthChange], isCut: Bool = false, now: String, until end: Int64, hours: Int) {
    begin = end - Int64(hours) * 3_600_000
    self.end = end
    self.hours = hours
    var parts: [Part] = []
    var (health, from) = (isCut ? "unknown" : changes.first?.from ?? now, begin)
    for change in changes {
      guard let time = RFC3339.milliseconds(change.time) else { continue }
      if time > from, time <= end {
        parts.append(Part(health: health, from: from, to: time))
        from = time
      }
      health = change.to
    }
    parts.append(Part(health: health, from: from, to: max(from, end)))
    self.parts = parts
  }

  private static let width = 1000.0
  private static let height = 24
  /// Wide enough to be seen.
  private static let widthMin = 2.0

  /// The height of the part, for people who cannot distinguish the colours.
  private static func height(_ health: String) -> Int {
    switch health {
    case "up": height
    case "degraded": height * 2 / 3
    case "down": height / 3
    default: height / 8
    }
  }

  private func total(_ health: String) -> Int64 { parts.reduce(0) { $0 + ($1.health == health ? $1.to - $1.from : 0) } }

  /// The same in one sentence.
  var summary: String {
    let span = Double(max(1, end - begin))
    let up = Double(total("up")) / span * 100
    let words = ["degraded", "down", "unknown"].compactMap { health -> String? in
      let share = Double(total(health)) / span * 100
      return share > 0 ? "\(health) \(Self.percent(share))" : nil
    }
    return "Last \(hours) hours: " + (["up \(Self.percent(up))"] + words).joined(separator: ", ") + "."
  }

  private static func percent(_ share: Double) -> String {
    // A short outage must not round to nothing.
    if share > 0, share < 0.1 { return "less than 0.1 %" }
    if share < 100, share > 99.9 { return "more than 99.9 %" }
    let tenths = Int((share * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }

  var view: View {
    let scale = Self.width / Double(max(1, end - begin))
    // Parts are placed next to each other, so that none covers a short one.
    let widths = parts.map { max(Self.widthMin, Double($0.to - $0.from) * scale) }
    let fit = Self.width / widths.reduce(0, +)
    var x = 0.0
    return [
      "summary": .text(summary), "hours": .text("\(hours)"),
      "parts": .views(
        zip(parts, widths).map { part, width in
          let height = Self.height(part.health)
          defer { x += width * fit }
          return [
            "x": .text(Self.short(x)), "width": .text(Self.short(width * fit)), "y": .text("\(Self.height - height)"),
            "height": .text("\(height)"), "health": .text(part.health),
            "words": .text(
              "\(part.health) from \(Times.exact(part.from)) until \(part.to == end ? "now" : Times.exact(part.to))"),
          ]
        }),
    ]
  }

  static func short(_ number: Double) -> String {
    let tenths = whole((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
