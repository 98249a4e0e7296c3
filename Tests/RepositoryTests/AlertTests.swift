import Foundation
import Meters
import StrictJSON
import Testing

/// The rules for alerts and the dashboard speak of figures that there are, and of remedies that somebody can read. `promtool` checks the rest:
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

  @Test func eachAlertHasARemedy() throws {
    let rules = try Self.text("packaging/prometheus/baton.rules.yml")
    let (alerts, runbooks) = (Self.values("alert", in: rules), Self.values("runbook", in: rules))
    #expect(alerts.count > 10 && alerts.count == runbooks.count && Set(alerts).count == alerts.count)
    let page = try Self.text("docs/metrics.md")
    let named = Set(
      page.split(separator: "\n").filter { $0.hasPrefix("| Baton") }.flatMap {
        $0.matches(of: /\bBaton[A-Z]\w+/).map { String($0.0) }
      })
    #expect(named == Set(alerts))
    for runbook in runbooks {
      let parts = runbook.split(separator: "#", maxSplits: 1)
      let headings = try Self.text(String(parts[0])).split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-").filter {
          $0.isLetter || $0.isNumber || $0 == "-"
        }
      }
      #expect(parts.count == 1 || headings.contains(String(parts[1])), "\(runbook)")
    }
  }
}
