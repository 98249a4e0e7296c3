/// A figure of the daemon, or several that differ in their labels. Names, units and labels follow the rules of Prometheus.
public struct MetricFamily: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A present value.
    case gauge
    /// A number that only grows while the daemon runs.
    case counter
    /// The distribution of values.
    case histogram
  }

  /// The name, with the unit at its end.
  public let name: String
  public let kind: Kind
  /// The names of the labels.
  public let labels: [String]
  /// A description for readers.
  public let help: String
  /// The upper bounds up to which the values of a histogram are counted, in rising order. The rest is counted as well.
  public let bounds: [Double]

  /// There is one of each name.
  public static func == (a: MetricFamily, b: MetricFamily) -> Bool { a.name == b.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  init(_ name: String, _ kind: Kind, _ labels: [String] = [], _ help: String, bounds: [Double] = []) {
    self.name = name
    self.kind = kind
    self.labels = labels
    self.help = help
    self.bounds = bounds
  }
}

/// One series of a family: its labels and its value.
public struct MetricSample: Hashable, Sendable {
  public enum Value: Hashable, Sendable {
    case number(Double)
    /// - counts: how many values lie up to each of the family's bounds and above the bound before, and how many lie beyond the last.
    case spread(counts: [Int], sum: Double)
  }

  public let family: MetricFamily
  /// The values of the family's labels.
  public let labels: [String]
  public let value: Value

  public init(_ family: MetricFamily, _ labels: [String], _ value: Value) {
    self.family = family
    self.labels = labels
    self.value = value
  }

  /// A figure that is a number.
  public init(_ family: MetricFamily, _ labels: [String], _ value: some BinaryInteger) {
    self.init(family, labels, .number(Double(value)))
  }

  /// The figure of a family without labels.
  public init(_ family: MetricFamily, _ value: Double) { self.init(family, [], .number(value)) }
  public init(_ family: MetricFamily, _ value: some BinaryInteger) { self.init(family, [], value) }
}
