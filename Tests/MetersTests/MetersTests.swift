import Foundation
import Meters
import Testing

/// The table of figures, and the book in which things are counted.
struct MetersTests {
  @Test func namesFollowTheRules() throws {
    #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
    for family in MetricFamily.all {
      #expect(family.name.wholeMatch(of: /(baton|process)_[a-z]+(_[a-z]+)*/) != nil, "\(family.name)")
      #expect(family.name.hasSuffix("_total") == (family.kind == .counter), "\(family.name)")
      #expect(family.bounds.isEmpty == (family.kind != .histogram) && family.bounds == family.bounds.sorted(), "\(family.name)")
      #expect(family.kind != .histogram || family.name.hasSuffix("_seconds"), "\(family.name)")
      #expect(family.labels.allSatisfy { $0.wholeMatch(of: /[a-z]+/) != nil && !family.name.contains("_by_\($0)") })
      #expect(!family.help.isEmpty && !family.help.contains("|") && family.help.last != ".", "\(family.name)")
    }
  }

  /// docs/metrics.md says of each family what the table says. `BATON_REWRITE=1` writes the page's table again.
  @Test func pageHasTheTable() throws {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/metrics.md")
    let rows = MetricFamily.all.map { family in
      let labels = family.labels.isEmpty ? "" : family.labels.map { "`\($0)`" }.joined(separator: ", ")
      return "| `\(family.name)` | \(family.kind) | \(labels) | \(family.help) |"
    }
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let isRow = { (line: Substring) in line.hasPrefix("| `") }
    guard ProcessInfo.processInfo.environment["BATON_REWRITE"] == nil else {
      let head = lines.prefix { !isRow($0) }
      let tail = lines.drop { !isRow($0) }.drop(while: isRow)
      let text = (head.map(String.init) + rows + tail.map(String.init)).joined(separator: "\n")
      return try text.write(to: path, atomically: true, encoding: .utf8)
    }
    #expect(lines.filter(isRow).map(String.init) == rows)
  }

  @Test func bookCountsWhatIsNoted() {
    let book = MetricBook(known: [(.creations, [["nostr", "active"]]), (.commitTime, [["ok"]])])
    let places = MetricFamily.commitTime.bounds.count
    #expect(
      book.samples == [
        MetricSample(.creations, ["nostr", "active"], 0),
        MetricSample(.commitTime, ["ok"], .spread(counts: Array(repeating: 0, count: places + 1), sum: 0)),
      ])
    book.note { page in
      page.add(to: .creations, ["nostr", "active"])
      page.add(2, to: .creations, ["nostr", "failed"])
      // On a bound, below the first, beyond the last, and of a clock that was set back.
      for value in [MetricFamily.commitTime.bounds[1], 0, 1e9, -5] { page.take(value, in: .commitTime, ["ok"]) }
    }
    var counts = Array(repeating: 0, count: places + 1)
    (counts[0], counts[1], counts[places]) = (2, 1, 1)
    #expect(
      book.samples == [
        MetricSample(.creations, ["nostr", "active"], 1), MetricSample(.creations, ["nostr", "failed"], 2),
        MetricSample(.commitTime, ["ok"], .spread(counts: counts, sum: 1e9 + MetricFamily.commitTime.bounds[1])),
      ])
  }

  @Test func everybodyIsCounted() async {
    let book = MetricBook()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { book.note { $0.add(to: .tests, ["relay", "passed"]) } } } }
    }
    #expect(book.samples == [MetricSample(.tests, ["relay", "passed"], 8_000)])
  }
}
