import Foundation
import Meters
import StrictJSON
import Testing

/// The rules for alerts and the dashboard speak of figures that there are, and of remedies that someone can read. `promtool` checks the rest:
/// `cd packaging/prometheus && promtool check rules baton.rules.yml && promtool test rules baton.rules.test.yml`.
struct AlertTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The names of figures in an expression that the table does not have.
  private static func unknown(_ expression: some StringProtocol) -> Set<String> {
    var known = Set(MetricFamily.all.map(\.name))
    for family in MetricFamily.all where family.kind == .histogram {
      known.formUnion(["_bucket", "_sum", "_count"].map { family.name + $0 })
      known.remove(family.name)
    }
    return Set(String(expression).matches(of: /\b(?:baton|process)_[a-z_]+/).map { String($0.0) }).subtracting(known)
  }

  private static func values(_ key: String, in rules: String) -> [String] {
    rules.split(separator: "\n").compactMap { line in
      line.range(of: "\(key): ").map { String(line[$0.upperBound...]) }
    }
  }

  @Test func rulesSpeakOfFiguresThatThereAre() throws {
    let rules = try Self.text("packaging/prometheus/baton.rules.yml")
    #expect(Self.unknown(rules.replacing(/# .*\n/, with: "")) == [])
    #expect(
      Self.unknown("rate(baton_nothing_total[5m]) + baton_store_commit_duration_seconds") == [
        "baton_nothing_total", "baton_store_commit_duration_seconds",
      ])
    let dashboard = try #require(try JSONParser.parse(try Self.text("packaging/prometheus/baton.dashboard.json")).object)
    let expressions = (dashboard["panels"]?.array ?? []).flatMap { $0["targets"]?.array ?? [] }.compactMap {
      $0["expr"]?.string
    }
    #expect(expressions.count > 10)
    for expression in expressions { #expect(Self.unknown(expression) == [], "\(expression)") }
  }

  /// An expression that nothing can satisfy passes every other test.
  @Test func eachAlertFiresInACase() throws {
    let tests = try Self.text("packaging/prometheus/baton.rules.test.yml")
    for alert in Self.values("alert", in: try Self.text("packaging/prometheus/baton.rules.yml")) {
      #expect(tests.contains("alertname: \(alert)\n        exp_alerts: ["), "\(alert) is never expected to fire")
    }
  }

  @Test func eachAlertHasARemedy() throws {
    let rules = try Self.text("packaging/prometheus/baton.rules.yml")
    let (alerts, runbooks) = (Self.values("alert", in: rules), Self.values("runbook", in: rules))
    #expect(alerts.count > 10 && alerts.count == runbooks.count && Set(alerts).count == alerts.count)
    let page = try Self.text("docs/administration.md")
    let sections = page.components(separatedBy: "\n### ").dropFirst().filter { $0.hasPrefix("Baton") }
    let named = sections.map { String($0.prefix { $0 != "\n" }) }
    #expect(Set(named) == Set(alerts) && named.count == alerts.count)
    for section in sections { #expect(section.utf8.count > 150, "\(section) says too little") }
    #expect(runbooks == alerts.map { "docs/administration.md#\($0.lowercased())" })
  }
}
