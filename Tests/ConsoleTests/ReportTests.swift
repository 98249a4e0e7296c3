import ControlAPI
import Testing

@testable import ConsoleProgram

/// Figures as systemd takes them.
struct ReportTests {
  private func metric(_ name: String, _ kind: String, _ value: Double, _ buckets: [MetricBucket]? = nil) -> Metric {
    Metric(
      name: name, kind: kind, label: nil, labels: [MetricLabel(name: "network", value: "nostr")], value: value,
      buckets: buckets,
      description: "what it is")
  }

  @Test func namesBeginWithThatOfTheSocket() {
    #expect(ReportInterface.name(of: "baton_store_writable") == "org.batond.StoreWritable")
    #expect(ReportInterface.name(of: "process_cpu_seconds_total") == "org.batond.ProcessCpuSecondsTotal")
  }

  @Test func histogramsBecomeCounters() {
    let buckets = [MetricBucket(atMost: 0.1, count: 2), MetricBucket(atMost: nil, count: 5)]
    let figures = ReportInterface.figures([
      metric("baton_channels", "gauge", 3), metric("baton_store_commit_duration_seconds", "histogram", 1.5, buckets),
    ])
    #expect(
      figures.map(\.name) == [
        "org.batond.Channels", "org.batond.StoreCommitDurationCount", "org.batond.StoreCommitDurationSumSeconds",
      ])
    #expect(figures.map(\.value) == [3, 5, 1.5] && figures.map(\.kind) == ["gauge", "counter", "counter"])
    #expect(figures.allSatisfy { $0.labels == ["network": "nostr"] })
  }
}
