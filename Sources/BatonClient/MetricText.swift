public import ControlAPI

/// Figures as text, for scrapers of a page, and for programs that read a file, such as node_exporter's textfile collector.
public enum MetricText {
  /// A format of pages with figures.
  public enum Format: Sendable {
    /// The text format of Prometheus, 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// The value of `Content-Type` for it.
    public var contentType: String {
      switch self {
      case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
      case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
      }
    }
  }

  /// - Parameter metrics: the figures, with equal names together, as the daemon sends them.
  /// - Returns: a page that ends with a line break. Without figures it is empty, or has only the format's end mark.
  public static func page(of metrics: [Metric], as format: Format = .prometheus) -> String {
    var (text, last) = ("", "")
    for metric in metrics {
      if metric.name != last {
        text += head(metric, format)
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
    return format == .openMetrics ? text + "# EOF\n" : text
  }

  /// The lines that describe all figures with one name.
  private static func head(_ metric: Metric, _ format: Format) -> String {
    guard format == .openMetrics else {
      return "# HELP \(metric.name) \(escaped(metric.description, quotes: false))\n# TYPE \(metric.name) \(metric.kind)\n"
    }
    // In OpenMetrics the name of a counter lacks the suffix that its lines have.
    let name = metric.kind == "counter" && metric.name.hasSuffix("_total") ? String(metric.name.dropLast(6)) : metric.name
    let unit = ["seconds", "bytes"].first { name.hasSuffix("_\($0)") }.map { "# UNIT \(name) \($0)\n" } ?? ""
    return "# TYPE \(name) \(metric.kind)\n\(unit)# HELP \(name) \(escaped(metric.description, quotes: true))\n"
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
