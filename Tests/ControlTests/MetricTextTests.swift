import BatonClient
import ControlAPI
import Testing

/// Figures in the text format of Prometheus.
struct MetricTextTests {
  private static func metric(
    _ name: String, _ kind: String, _ labels: [(String, String)], _ value: Double, _ buckets: [MetricBucket]? = nil,
    what: String = "something"
  ) -> Metric {
    Metric(
      name: name, kind: kind, label: nil, labels: labels.map { MetricLabel(name: $0.0, value: $0.1) }, value: value,
      buckets: buckets, description: what)
  }

  @Test func pageHasFamiliesTogether() {
    let page = MetricText.page(of: [
      Self.metric("a_total", "counter", [("x", "1"), ("y", "2")], 3),
      Self.metric("a_total", "counter", [("x", "2"), ("y", "2")], 0.5),
      Self.metric("b", "gauge", [], 12_345_678_901),
    ])
    #expect(
      page == """
        # HELP a_total something
        # TYPE a_total counter
        a_total{x="1",y="2"} 3
        a_total{x="2",y="2"} 0.5
        # HELP b something
        # TYPE b gauge
        b 12345678901

        """)
    #expect(MetricText.page(of: []) == "")
  }

  @Test func histogramsHaveBucketsSumAndCount() {
    let buckets = [
      MetricBucket(atMost: 0.1, count: 1), MetricBucket(atMost: 2.5, count: 4), MetricBucket(atMost: nil, count: 6),
    ]
    #expect(
      MetricText.page(of: [Self.metric("h_seconds", "histogram", [("x", "y")], 30.25, buckets)]) == """
        # HELP h_seconds something
        # TYPE h_seconds histogram
        h_seconds_bucket{x="y",le="0.1"} 1
        h_seconds_bucket{x="y",le="2.5"} 4
        h_seconds_bucket{x="y",le="+Inf"} 6
        h_seconds_sum{x="y"} 30.25
        h_seconds_count{x="y"} 6

        """)
  }

  @Test func openMetricsNamesFamiliesWithoutTheEndOfTheirLines() {
    let buckets = [MetricBucket(atMost: 1, count: 1), MetricBucket(atMost: nil, count: 2)]
    #expect(
      MetricText.page(
        of: [
          Self.metric("a_seconds_total", "counter", [("x", "1")], 3, what: "say \"when\""),
          Self.metric("b_bytes", "gauge", [], 4), Self.metric("h_seconds", "histogram", [], 2, buckets),
        ], as: .openMetrics) == """
          # TYPE a_seconds counter
          # UNIT a_seconds seconds
          # HELP a_seconds say \\"when\\"
          a_seconds_total{x="1"} 3
          # TYPE b_bytes gauge
          # UNIT b_bytes bytes
          # HELP b_bytes something
          b_bytes 4
          # TYPE h_seconds histogram
          # UNIT h_seconds seconds
          # HELP h_seconds something
          h_seconds_bucket{le="1"} 1
          h_seconds_bucket{le="+Inf"} 2
          h_seconds_sum 2
          h_seconds_count 2
          # EOF

          """)
    #expect(MetricText.page(of: [], as: .openMetrics) == "# EOF\n")
  }

  /// Nothing that stands in a label or a description can make a line of its own.
  @Test func textIsEscaped() {
    let page = MetricText.page(of: [Self.metric("a", "gauge", [("x", "q\"b\\n\n")], 1, what: "one\ntwo \\ \"three\"")])
    #expect(
      page == """
        # HELP a one\\ntwo \\\\ "three"
        # TYPE a gauge
        a{x="q\\"b\\\\n\\n"} 1

        """)
    #expect(MetricText.page(of: [Self.metric("a", "gauge", [], .infinity)]).hasSuffix("a +Inf\n"))
    #expect(MetricText.page(of: [Self.metric("a", "gauge", [], .nan)]).hasSuffix("a NaN\n"))
  }
}
