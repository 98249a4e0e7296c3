public import ControlAPI

/// The text format of Prometheus (0.0.4), for whoever scrapes a page, or reads a file as the textfile collector of node_exporter does.
public enum MetricText {
  /// - Parameter metrics: those with one name together, as the daemon gives them.
  /// - Returns: a page, with a line break at its end; empty if there are none.
  public static func page(of metrics: [Metric]) -> String {
    var (text, last) = ("", "")
    for metric in metrics {
      if metric.name != last {
        text += "# HELP \(metric.name) \(escaped(metric.description, quotes: false))\n# TYPE \(metric.name) \(metric.kind)\n"
        last = metric.name
      }
      guard let buckets = metric.buckets else {
        text += "\(metric.name)\(labels(metric.labels)) \(number(metric.value))\n"
        continue
      }
      for bucket in buckets {
        let bound = MetricLabel(name: "le", value: bucket.atMost.map(number) ?? "+Inf")
        text += "\(metric.name)_bucket\(labels(metric.labels + [bound])) \(bucket.count)\n"
      }
      text += "\(metric.name)_sum\(labels(metric.labels)) \(number(metric.value))\n"
      text += "\(metric.name)_count\(labels(metric.labels)) \(buckets.last?.count ?? 0)\n"
    }
    return text
  }

  private static func labels(_ labels: [MetricLabel]) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
  }

  /// A whole number without a fraction, so that it is the same in all languages.
  private static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return "\(whole)" }
    return value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
