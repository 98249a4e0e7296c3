import Testing

@testable import ControlProgram

/// Tables on terminals of any width, and elsewhere.
struct TableTests {
  private struct Thing {
    var id = 1
    let name: String
    var state = "active"
    var note = ""
  }

  private static let columns: [TableColumn<Thing>] = [
    TableColumn("ID", rank: 0) { "\($0.id)" },
    TableColumn("NAME", rank: 0, least: 10) { $0.name },
    TableColumn("STATE", rank: 1, color: { .of($0.state) }) { $0.state },
    TableColumn("NOTE", rank: 2, least: 6) { $0.note },
  ]

  private static let things = [
    Thing(name: "City News"),
    Thing(id: 12, name: "What happens in the city and around it", state: "degraded", note: "a long note"),
    Thing(id: 123, name: "北京新闻与上海新闻", note: "短"), Thing(id: 4, name: "e\u{301}te\u{301}", state: "failed"),
  ]

  private func lines(_ width: Int?, _ things: [Thing] = things) -> [String] {
    Table(columns: Self.columns, rows: things).text(width: width).split(separator: "\n").map(String.init)
  }

  /// The width of a text on a terminal, for the characters in these tests.
  private func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { sum, scalar in
      switch scalar.value {
      case 0x300..<0x370: sum
      case 0x4E00..<0xA000, 0x1F300..<0x1FA00: sum + 2
      default: sum + 1
      }
    }
  }

  @Test func withoutATerminalNothingIsCut() {
    #expect(
      lines(nil) == [
        "ID   NAME                                    STATE     NOTE",
        "1    City News                               active    -",
        "12   What happens in the city and around it  degraded  a long note",
        "123  北京新闻与上海新闻                      active    短",
        "4    e\u{301}te\u{301}                                     failed    -",
      ])
  }

  @Test func noRowIsWiderThanTheTerminal() {
    for columns in 1...100 {
      let lines = lines(columns)
      #expect(lines.count == 5)
      #expect(lines.allSatisfy { width($0) <= columns }, "\(columns): \(lines)")
    }
    #expect(lines(100) == lines(nil))
  }

  @Test func whatMattersLeastGoesFirst() {
    #expect(lines(40)[0] == "ID   NAME               STATE     NOTE")
    #expect(lines(40)[2] == "12   What happens in …  degraded  a lon…")
    #expect(lines(30)[0] == "ID   NAME             STATE")
    #expect(lines(30)[2] == "12   What happens i…  degraded")
    #expect(lines(24)[2] == "12   What happens in th…")
    // Names are cut further only when no other column is left to drop.
    #expect(lines(12)[2] == "12   What h…")
    #expect(lines(3)[3] == "123")
  }

  @Test func whatWasAskedForStays() {
    let table = Table(columns: Self.columns.map(\.staying), rows: Self.things)
    #expect(table.text(width: 30).split(separator: "\n")[2] == "12   What hap…  degraded  a l…")
  }

  @Test func coloursTakeNoRoom() {
    let table = Table(columns: Self.columns, rows: Self.things)
    let painted = table.text(width: 40) { text, color in "<\(color.rawValue)>\(text)</>" }
    #expect(painted.contains("<33>degraded</>") && painted.contains("<31>failed</>"))
    let plain = painted.replacing(/<[^>]*>/, with: "").split(separator: "\n").map(String.init)
    #expect(plain == lines(40))
  }

  @Test func textsAreAsWideAsTerminalsDrawThem() {
    for (text, width) in [
      ("", 0), ("News", 4), ("é", 1), ("e\u{301}", 1), ("北京", 4), ("ｶﾅ", 2), ("カナ", 4), ("한국", 4), ("📰", 2), ("❤\u{FE0F}", 2),
      ("❤", 1),
      ("🇩🇪", 2), ("…", 1), ("●", 1), ("a\u{200D}b", 2),
    ] { #expect(text.displayWidth == width, "\(text)") }
    #expect("北京新闻".cut(to: 8) == "北京新闻" && "北京新闻".cut(to: 7) == "北京新…" && "北京新闻".cut(to: 6) == "北京…")
    #expect("e\u{301}te\u{301}".cut(to: 2) == "e\u{301}…" && "News".cut(to: 1) == "…" && "News".cut(to: 0).isEmpty)
  }
}
