internal import Synchronization

/// Counts events for the daemon's metrics. Events that happen together are noted with one call of `note`.
public final class MetricBook: Sendable {
  fileprivate struct Series {
    var number = 0.0
    var counts: [Int]
  }

  /// The counts so far. A page lasts for one call.
  public struct Page: ~Copyable {
    fileprivate var series: [MetricFamily: [[String]: Series]]

    /// Adds to a count.
    /// - Parameters:
    ///   - family: a counter.
    ///   - labels: the values of its labels, of which there are few.
    public mutating func add(_ amount: Double = 1, to family: MetricFamily, _ labels: [String] = []) {
      series[family, default: [:]][labels, default: Series(counts: [])].number += amount
    }

    /// Adds values.
    /// - Parameter family: a histogram.
    public mutating func take(_ values: Double..., in family: MetricFamily, _ labels: [String] = []) {
      take(values, in: family, labels)
    }

    /// Adds values.
    /// - Parameter family: a histogram.
    public mutating func take(_ values: [Double], in family: MetricFamily, _ labels: [String] = []) {
      let empty = Series(counts: Array(repeating: 0, count: family.bounds.count + 1))
      func add(to series: inout Series) {
        for value in values {
          // After a clock was set back, an event may seem to end before it began.
          let value = max(0, value)
          series.number += value
          series.counts[family.bounds.firstIndex { value <= $0 } ?? family.bounds.count] += 1
        }
      }
      add(to: &series[family, default: [:]][labels, default: empty])
    }
  }

  private let page: Mutex<Page>

  /// - Parameter known: series that are there from the start, with nothing in them.
  public init(known: [(MetricFamily, [[String]])] = []) {
    var series: [MetricFamily: [[String]: Series]] = [:]
    for (family, labels) in known {
      let empty = Series(counts: family.kind == .histogram ? Array(repeating: 0, count: family.bounds.count + 1) : [])
      for labels in labels { series[family, default: [:]][labels] = empty }
    }
    page = Mutex(Page(series: series))
  }

  /// Notes events.
  public func note(_ body: (inout Page) -> Void) { page.withLock { body(&$0) } }

  /// All that was counted, in the order of names and labels.
  public var samples: [MetricSample] {
    let series = page.withLock { $0.series }
    return series.sorted { $0.key.name < $1.key.name }.flatMap { family, series in
      series.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { labels, series in
        MetricSample(
          family, labels,
          family.kind == .histogram ? .spread(counts: series.counts, sum: series.number) : .number(series.number))
      }
    }
  }
}
