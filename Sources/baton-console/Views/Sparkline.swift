internal import ControlAPI
internal import Sentences

/// The latest connections as a line.
struct Sparkline {
  private let values: [Int]

  /// - Returns: `nil` if there are not two values.
  init?(_ trips: [RoundTrip]) {
    guard trips.count > 1 else { return nil }
    values = trips.map { max(0, $0.milliseconds) }
  }

  private static let (width, height) = (300.0, 40.0)

  var view: View {
    let highest = max(1, values.max() ?? 1)
    let step = Self.width / Double(values.count - 1)
    let points = values.enumerated().map { index, value in
      let y = Self.height - 2 - Double(value) / Double(highest) * (Self.height - 4)
      return "\(HealthStrip.short(Double(index) * step)),\(HealthStrip.short(y))"
    }
    let sorted = values.sorted()
    let (least, middle) = (sorted.first ?? 0, sorted[sorted.count / 2])
    return [
      "points": .text(points.joined(separator: " ")),
      "summary": .text(
        "Connect time of the latest \(counted(values.count, "connection")): "
          + "\(Times.duration(milliseconds: least)) to \(Times.duration(milliseconds: highest)), "
          + "median \(Times.duration(milliseconds: middle))."),
    ]
  }
}
