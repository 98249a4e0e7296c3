import ControlAPI
import Foundation
import Mustache
import Sentences
import StrictJSON
import Testing

@testable import ConsoleProgram

/// What templates may do, and what becomes of hostile texts in them.
struct ViewTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/baton-console")

  private static func files(_ folder: String, _ end: String) throws -> [(name: String, text: String)] {
    let base = Self.folder.appendingPathComponent(folder)
    return try FileManager.default.contentsOfDirectory(atPath: base.path).filter { $0.hasSuffix(end) }.sorted().map {
      (String($0.dropLast(end.count)), try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
    }
  }

  @Test func allTemplatesAreThere() throws {
    let written = try Self.files("templates", ".mustache")
    #expect(written.count > 20)
    #expect(written.map(\.name).sorted() == Templates.sources.map(\.name).sorted())
    for file in PageFiles.all {
      #expect(try Array(Data(contentsOf: Self.folder.appendingPathComponent(file.path))) == file.bytes, "\(file.path)")
    }
    for folder in ["assets", "interfaces"] {
      for file in try Self.files(folder, "") { #expect(PageFiles.all.contains { $0.path == "\(folder)/\(file.name)" }) }
    }
    _ = try Templates()
  }

  /// Texts of relays and people are shown as texts, in every template, whatever it may become.
  @Test func noTemplateWritesMarkupOfOthers() throws {
    for template in try Self.files("templates", ".mustache") {
      for word in ["{{{", "{{&", "javascript:", "style=", "onclick", "onload", "<script>", "target="] {
        #expect(!template.text.contains(word), "\(template.name): \(word)")
      }
      // Values in attributes stand in quotes; an address is one that begins with the root, or was looked at.
      for match in template.text.matches(of: #/\s[\w-]+={{/#) {
        Issue.record("\(template.name): \(match.output) without quotes")
      }
      for match in template.text.matches(of: #/(?:href|src|action)="([^"]*)"/#) {
        let address = String(match.output.1)
        let isOwn = ["{{page.root}}", "{{page.assets}}", "#", "login", "sessions", "delete"].contains { address.hasPrefix($0) }
        #expect(
          isOwn || address == "{{linkAddress}}" || address == "{{address}}" && template.name == "conversation",
          "\(template.name): \(address)")
      }
    }
  }

  @Test func scriptsAskNobodyElse() throws {
    for script in try Self.files("assets", ".js") {
      for word in ["http:", "https:", "outerHTML", "eval(", "document.write", "localStorage", "insertAdjacentHTML"] {
        #expect(!script.text.contains(word), "\(script.name): \(word)")
      }
    }
    for script in try Self.files("assets", ".js") {
      #expect(script.text.firstMatch(of: #/innerHTML\s*=[^=]/#) == nil, "\(script.name) writes markup")
    }
    for style in try Self.files("assets", ".css") { #expect(!style.text.contains("url("), "\(style.name)") }
  }

  @Test func hostileTextsAreTexts() throws {
    let templates = try Templates()
    let hostile = "\"><script>alert(1)</script>'&{{page.root}}\u{202E}"
    let line: View = [
      "id": "x", "channelId": "1", "channel": .text(hostile), "relayId": "2", "relay": .text(hostile),
      "from": Mark.view(hostile),
      "to": Mark.view(hostile), "cause": .text(hostile), "detail": .text(hostile), "page": .view(["root": "./"]),
    ]
    let text = try #require(templates.render("transition", line))
    #expect(!text.contains("<script") && !text.contains("'&{") && text.contains("&lt;script&gt;"))
    #expect(text.contains("{{page.root}}"), "what is shown is no template")
    #expect(text.components(separatedBy: "<bdi>").count > 3, "no one turns the direction of what stands beside it")
  }

  /// Characters that join others do not hide these: U+0600 joins what follows it, U+0301 what it follows.
  @Test(arguments: ["\u{600}", "\u{6DD}", "\u{110BD}", "\u{E33}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}", "\r"])
  func joinedCharactersAreEscaped(joiner: String) throws {
    let templates = try Templates()
    for mark in ["<", ">", "\"", "'", "&"] {
      for text in [joiner + mark, mark + joiner, joiner + mark + joiner] {
        let shown = View.escaped(text)
        #expect(!shown.utf8.contains { "<>\"'".utf8.contains($0) }, "\(text.unicodeScalars.map(\.value))")
        #expect(shown.utf8.count > text.utf8.count)
      }
    }
    let hostile = "\(joiner)<meta\(joiner)>\(joiner)\"\(joiner) onfocus=x"
    // In a template, in one that it includes, and within quotes.
    let line: View = [
      "id": .text(hostile), "channel": .text(hostile), "to": Mark.view(hostile), "time": .view(["exact": .text(hostile)]),
    ]
    let page = try #require(templates.render("transition", line))
    #expect(page.components(separatedBy: "<meta").count == 1, "\(page)")
    #expect(Array(page.utf8).firstRange(of: Array("<meta".utf8)) == nil, "\(page)")
    let form: View = [
      "what": .text(hostile), "canRepeat": true, "fields": .views([["name": .text(hostile), "value": .text(hostile)]]),
    ]
    let failure = try #require(templates.render("failure", form))
    #expect(
      Array(failure.utf8).firstRange(of: Array("<meta\(joiner)".utf8)) == nil && !failure.contains("&amp;lt;"), "\(failure)")
  }

  @Test func aValueThatIsMissingIsNotLookedForFurtherOut() throws {
    let template = try MustacheTemplate(string: "{{name}}:{{#rows}}{{name}}/{{page.root}};{{/rows}}")
    let view: View = ["name": "outer", "page": .view(["root": "r"]), "rows": .views([["name": "inner"], [:]])]
    #expect(template.render(view) == "outer:inner/r;/r;")
  }

  @Test func onlyAddressesThatBrowsersMayOpenAreLinks() {
    for good in ["https://x.example/a", "nostr:nevent1abc", "simplex:/c#x", "NOSTR:nevent1"] {
      #expect(Pages.opening(good) != nil)
    }
    for bad in ["javascript:alert(1)", "JaVaScRiPt:alert(1)", " https://x", "data:text/html,x", "http://x", "//x", "nostr", ""]
    {
      #expect(Pages.opening(bad) == nil, "\(bad)")
    }
  }

  @Test func numbersAndDurationsAreReadable() {
    #expect(["0", "9999", "10\u{202F}000", "1\u{202F}234\u{202F}567"] == [0, 9999, 10_000, 1_234_567].map(grouped))
    #expect(counted(1, "relay") == "1 relay" && counted(0, "relay") == "0 relays")
    let durations = [0, 999, 1000, 2430, 9999, 10_000, 119_999, 120_000].map { Times.duration(milliseconds: $0) }
    #expect(durations == ["0 ms", "999 ms", "1.0 s", "2.4 s", "9.9 s", "10 s", "119 s", "2 min"])
    #expect(Mark.spoken("underWay") == "under way" && Mark.spoken("authRequired") == "auth required")
  }

  private func change(_ from: String, _ to: String, at milliseconds: Int64) -> HealthChange {
    HealthChange(
      revision: 1, relayId: 1, name: "r", from: from, to: to, detail: "", time: RFC3339.text(milliseconds: milliseconds))
  }

  @Test func theStripOfHealthCoversTheTime() {
    let hour: Int64 = 3_600_000
    let now = 100 * hour
    // Up for twelve hours, down for six, up again; an older change says how it began.
    let strip = HealthStrip(
      [change("unknown", "up", at: 10 * hour), change("up", "down", at: 88 * hour), change("down", "up", at: 94 * hour)],
      now: "up",
      until: now, hours: 24)
    #expect(strip.parts.map(\.health) == ["up", "down", "up"])
    #expect(strip.parts.map { ($0.to - $0.from) / hour } == [12, 6, 6])
    #expect(strip.summary == "Last 24 hours: up 75 %, down 25 %.")
    #expect(HealthStrip([], now: "down", until: now, hours: 24).summary == "Last 24 hours: up 0 %, down 100 %.")
    // A short outage does not round to nothing.
    let short = HealthStrip(
      [change("up", "down", at: now - 2000), change("down", "up", at: now - 1000)], now: "up", until: now, hours: 24)
    #expect(short.summary == "Last 24 hours: up more than 99.9 %, down less than 0.1 %.")
    // Of a relay whose changes are too many to be read nothing is made up.
    let cut = HealthStrip([change("down", "up", at: 88 * hour)], isCut: true, now: "up", until: now, hours: 24)
    #expect(cut.summary == "Last 24 hours: up 50 %, unknown 50 %.")
  }

  @Test(
    arguments: [
      ([:], 0, 0, true, "There are no channels yet."),
      (["active": 1], 3, 0, true, "The channel is on all of its relays."),
      (["active": 1_200, "deleted": 5, "followed": 2], 3, 0, true, "All 1200 channels are on all of their relays."),
      (
        ["active": 6, "creating": 1, "partial": 1], 3, 0, true,
        "6 channels are on all of their relays. 2 of 8 channels are on the way to relays."
      ),
      (["creating": 1], 3, 0, true, "No problems. 1 channel is on the way to relays."),
      (["active": 4, "degraded": 1], 5, 1, true, "1 of 5 channels lacks relays. 1 of 5 relays is down."),
      (["failed": 2, "degraded": 2], 2, 2, true, "4 channels lack relays. 2 relays are down."),
      (["active": 4], 5, 0, false, "The daemon cannot store changes."),
    ] as [([String: Int], Int, Int, Bool, String)])
  func oneSentenceSaysHowEverythingIs(_ phases: [String: Int], _ relays: Int, _ down: Int, _ canStore: Bool, _ text: String) {
    var sentence = HealthSentence(phases.map { ($0.key, $0.value) })
    (sentence.relays, sentence.relaysDown, sentence.canStore) = (relays, down, canStore)
    #expect(sentence.text == text)
  }

  @Test func theStripOfHealthTellsPartsApartByHeightAndShowsShortOnes() throws {
    let now: Int64 = 360_000_000
    let strip = HealthStrip(
      [change("up", "degraded", at: now - 7_200_000), change("degraded", "down", at: now - 1000)], now: "down", until: now,
      hours: 24)
    guard case .views(let parts)? = strip.view["parts"] else { return #expect(Bool(false), "there are parts") }
    func texts(_ key: String) -> [String] { parts.compactMap { if case .text(let text)? = $0[key] { text } else { nil } } }
    #expect(texts("height") == ["24", "16", "8"] && texts("y") == ["0", "8", "16"])
    // The last second is as wide as can be seen, and not outside; nothing lies on anything else.
    #expect(texts("x").last == "998.0" && texts("width").last == "2.0")
    let edges = zip(texts("x"), texts("width")).map { ((Double($0) ?? 0), (Double($0) ?? 0) + (Double($1) ?? 0)) }
    for (left, right) in zip(edges, edges.dropFirst()) { #expect(abs(left.1 - right.0) < 0.2) }
    #expect(
      texts("words").dropFirst() == [
        "degraded from 1970-01-05 02:00:00 UTC until 1970-01-05 03:59:59 UTC", "down from 1970-01-05 03:59:59 UTC until now",
      ])
  }
}
