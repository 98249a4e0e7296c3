import Foundation
import StrictJSON
import TestTools
import Testing

@testable import ControlProgram

/// Times and documents as `batonctl` prints them.
struct FormTests {
  @Test func timesAreShownAsTheDistanceFromNow() throws {
    let times = Times(now: try #require(RFC3339.milliseconds("2026-11-22T12:00:00.000Z")))
    for (time, text) in [
      ("2026-11-22T12:00:00.000Z", "just now"), ("2026-11-22T11:59:51Z", "just now"), ("2026-11-22T11:59:50Z", "10 s ago"),
      ("2026-11-22T12:00:59Z", "just now"), ("2026-11-22T12:02:30Z", "in 2 min"), ("2026-11-22T11:57:00Z", "3 min ago"),
      ("2026-11-22T09:00:01Z", "2 h ago"), ("2026-11-21T12:00:00Z", "24 h ago"), ("2026-11-19T12:00:00Z", "3 d ago"),
      ("2026-01-02T03:04:05.678Z", "2026-01-02"), ("2027-12-31T00:00:00Z", "2027-12-31"), ("soon", "soon"),
    ] { #expect(times.text(time) == text, "\(time)") }
    #expect(times.text(nil).isEmpty)
    #expect(times.lasting("2026-11-22T11:57:00Z") == "for 3 min" && times.moment("2026-11-22T11:57:00Z") == "3 min ago")
    #expect(times.lasting("2026-01-02T03:04:05.678Z") == "since 2026-01-02T03:04:05.678Z")
    for (time, text) in [
      ("2026-11-22T12:00:40Z", "in 40 s"), ("2026-11-22T12:02:30Z", "in 2 min"), ("2026-11-22T12:00:00Z", "now"),
      ("2026-11-22T12:00:00.999Z", "now"), ("2026-11-22T12:00:01Z", "in 1 s"), ("2026-11-22T11:00:00Z", "now"),
      ("2027-12-31T00:00:00Z", "at 2027-12-31T00:00:00Z"),
    ] { #expect(times.coming(time) == text, "\(time)") }
    let exact = Times(isExact: true)
    #expect(exact.coming("2026-11-22T12:02:30Z") == "at 2026-11-22T12:02:30Z")
    #expect(exact.text("2026-11-22T11:57:00Z") == "2026-11-22T11:57:00Z")
    #expect(exact.moment("2026-11-22T11:57:00Z") == "at 2026-11-22T11:57:00Z")
    #expect(exact.lasting("2026-11-22T11:57:00Z") == "since 2026-11-22T11:57:00Z")
  }

  private static let texts = [
    "", "News", "City News", " a", "a ", "yes", "No", "NULL", "null", "true", "~", "1", "-1", "1.5", "1e3", "0x1F", ".inf",
    "12:30:45",
    "2026-01-02T03:04:05Z", "a: b", "a:b", "a #b", "a#b", "#a", "- a", "-a", "x:", "key: [1]", "[1]", "{a: b}", "a, b", "&a",
    "*a", "!a", "%a",
    "@a", "`a", "|", ">", "?", "? a", "'a'", "a'b", "\"a\"", "a\\b", "\n", "a\nb", "\t", "\r", "before\u{202E}after",
    "\u{E0041}", "\u{85}", "\u{7F}",
    "é", "北京新闻", "🎉", "wss://relay.example", "nostr:nevent1qqs", "Channel works with 2 of 3 relays. 1 does not serve it.",
    "---", "...", "<<", "=",
  ]

  private static var document: JSONValue {
    [
      "texts": .array(texts.map(JSONValue.string)), "keys": .object(Dictionary(uniqueKeysWithValues: texts.map { ($0, 1) })),
      "numbers": [0, -5, 9_007_199_254_740_993, .number(1.5), .number(0.00001), .number(1e300), .number(-2.5e-7)],
      "others": [true, false, nil], "empty": [[], [:], [[]], [[:]]],
      "deep": [["a": [["b": [1, [2, 3]]], "c"]], [[["d"]]], ["e": [:], "f": []]],
    ]
  }

  @Test func readersOfYAMLGetWhatReadersOfJSONGet() async throws {
    let folder = try TemporaryFolder()
    let script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1], encoding='utf-8'))))"
    for (name, value) in [
      ("object", Self.document), ("list", [Self.document, Self.document]), ("text", "yes"), ("nothing", []),
    ] {
      let file = "\(folder.path)/\(name).yaml"
      try (YAML.text(value) + "\n").write(toFile: file, atomically: true, encoding: .utf8)
      let read = try await Program.run(Program.repository + "/.build/venv/bin/python3", ["-c", script, file])
      #expect(read.status == 0, "\(read.lines)")
      #expect(try JSONParser.parse(read.lines.first ?? "") == value, "\(name)")
    }
  }

  @Test func plainTextsHaveNoQuotes() {
    let relay: JSONValue = [
      "id": 3, "name": "Example relay", "address": "wss://relay.example.org", "domains": ["example.org"], "capabilities": [],
      "tested": nil,
      "testedAt": "2026-11-22T12:00:00.000Z",
    ]
    #expect(
      YAML.text([relay]).split(separator: "\n") == [
        "- address: wss://relay.example.org", "  capabilities: []", "  domains:", "    - example.org", "  id: 3",
        "  name: Example relay",
        "  tested: null", "  testedAt: \"2026-11-22T12:00:00.000Z\"",
      ])
  }

  @Test func nothingHiddenComesOut() {
    let text = YAML.text(Self.document)
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory) })
  }
}
