import Channels
import Storage
import Testing

@testable import Store

/// The search for words in messages.
struct MessageSearchTests {
  private typealias Bench = MessageBench
  private let bench: MessageBench

  init() throws { bench = try MessageBench(channels: 1...2) }

  @Test func wordsAreFoundWhateverTheirCaseAndAccents() throws {
    try bench.take([
      Bench.message("1", "Crème brûlée for ALL"), Bench.message("2", "all for one"), Bench.message("3", "nothing"),
    ])
    #expect(try bench.search("creme") == ["1"] && bench.search("ÇREME") == ["1"])
    #expect(try bench.search("all FOR") == ["2", "1"])
    #expect(try bench.search("\"for one\"") == ["2"] && bench.search("\"one for\"").isEmpty)
    #expect(try bench.search("\"for o\"").isEmpty && bench.search("br*") == ["1"] && bench.search("br").isEmpty)
    #expect(try bench.search("brûlée-for") == ["1"], "signs part words, which stay next to each other")
    #expect(try bench.search("all nothing").isEmpty)
  }

  /// What Unicode calls compatible is the same, and so is what differs in case, in accents, or in what no one sees.
  @Test func textsAreFolded() throws {
    let cases: [(text: String, searches: [String])] = [
      ("Die Lange Straße", ["strasse", "STRASSE", "Straße", "STRAẞE", "stras*"]),
      ("ＡＢＣ　１２３", ["abc 123", "ＡＢＣ", "\"abc 123\""]), ("ﬁsh for €５ at №7", ["fish", "5", "no7"]),
      ("cafe\u{301} Zu\u{308}rich", ["café", "zürich", "ZURICH"]), ("Σίσυφος", ["ΣΙΣΥΦΟΣ", "σισυφος"]),
      ("İzmir ılık", ["izmir", "ILIK"]), ("Do\u{AD}nau\u{200B}kanal", ["donaukanal"]), ("Ёлка", ["елка", "ЁЛКА"]),
      ("مُحَمَّد", ["محمد"]), ("한국어", ["\u{1112}\u{1161}\u{11AB}국어"]), ("x² ①", ["x2 1"]), ("हिन्दी", ["हिन्दी", "हि*"]),
      ("Widget\u{FE0F}s ❤\u{FE0F}like", ["widgets", "like"]),
    ]
    for (name, (text, _)) in cases.enumerated() { try bench.take([Bench.message("\(name)", text)]) }
    for (name, (text, searches)) in cases.enumerated() {
      for search in searches { #expect(try bench.search(search) == ["\(name)"], "\(text): \(search)") }
    }
    #expect(try bench.search("हिन्दु").isEmpty && bench.search("stra").isEmpty)
    try bench.checkWords()
  }

  @Test func scriptsWithoutSpacesAreSearched() throws {
    try bench.take([
      Bench.message("1", "昨日、東京都で会議がありました"), Bench.message("2", "我们明天去北京大学上iOS课。"),
      Bench.message("3", "ฉันกินข้าวที่บ้าน"), Bench.message("4", "ｶﾞﾗｽのネコ"), Bench.message("5", "ພາສາລາວ ភាសាខ្មែរ မြန်မာ"),
    ])
    let cases: [(search: String, expected: [String])] = [
      ("東京", ["1"]), ("会議", ["1"]), ("京東", []), ("東京会議", []), ("東京 会議", ["1"]), ("\"東京都\"", ["1"]), ("東京*", ["1"]),
      ("京", ["2", "1"]), ("北京大学", ["2"]), ("上ios课", ["2"]), ("ios", ["2"]), ("明天 大学", ["2"]), ("大北", []),
      ("ข้าว", ["3"]), ("กินข้าว", ["3"]), ("กน", []), ("ก*", ["3"]), ("บ้าน กิน", ["3"]),
      ("ガラス", ["4"]), ("カラス", []), ("ねこ", []), ("ﾈｺ", ["4"]), ("ພາສາ", ["5"]), ("ខ្មែរ", ["5"]), ("မြန်မာ", ["5"]),
      ("＂東京　会議＂", []), ("＂東京都＂　会議", ["1"]), ("東＊", ["1"]),
    ]
    for (search, expected) in cases { #expect(try bench.search(search) == expected, "\(search)") }
    #expect(try bench.search("東京", channel: Bench.channel, isNewestFirst: false) == ["1"])
    try bench.take([.edited(networkID: "1", text: "大阪へ行く")])
    #expect(try bench.search("東京").isEmpty && bench.search("大阪") == ["1"])
    try bench.take([.deleted(networkID: "1", author: "ann")])
    #expect(try bench.search("大阪").isEmpty)
    try bench.checkWords()
    _ = try bench.store.mark(Bench.channel, ConversationMarks(truncatedAt: Bench.time(1)))
    #expect(try bench.search("北京").isEmpty)
    try bench.checkWords()
  }

  /// Only words, quotation marks and a star at the end mean something.
  @Test func nothingElseHasAMeaning() throws {
    try bench.take([
      Bench.message("1", "one and two near c1 text"), Bench.message("2", "not text or channel"),
      Bench.message("3", "a:b^c (d) -e"),
    ])
    for text in ["one OR not", "NOT text one", "one NEAR two text", "NEAR(one two)", "channel : one", "- one channel"] {
      let expected: [String?] = text == "one NEAR two text" ? ["1"] : []
      #expect(try bench.search(text) == expected, "\(text)")
    }
    #expect(try bench.search("one + two") == ["1"] && bench.search("one AND two") == ["1"])
    #expect(try bench.search("^one") == ["1"] && bench.search("{text} : one") == ["1"] && bench.search("text:one").isEmpty)
    #expect(try bench.search("a:b^c (d) -e") == ["3"] && bench.search("'one' ; -- \\ % _") == ["1"])
    #expect(try bench.search("\"one") == ["1"] && bench.search("\"\"one\"\"") == ["1"] && bench.search("one\0\"two") == ["1"])
    #expect(try bench.search("c1") == ["1"], "no message holds the name of its channel")
    #expect(try bench.search("c2").isEmpty && bench.search("c*") == ["3", "2", "1"])
    for text in ["", " ", "\"", "\"\"", "*", "- . !", "🎉", "\0", "\" * \" **"] {
      let found = try bench.store.messages(holding: MessageSearch(text: text, limit: 5))
      #expect(found.hits.isEmpty && !found.hasMore, "\(text)")
    }
    #expect(try bench.search(String(repeating: "one ", count: 250)) == ["1"])
    #expect(try bench.search((0..<200).map { "w\($0)" }.joined(separator: " "), isNewestFirst: false).isEmpty)
  }

  @Test func hitsAreOfOneChannel() throws {
    for channel in 1...2 as ClosedRange<Int64> {
      try bench.take([Bench.message("\(channel)", "alpha c\(3 - channel)")], channel: ChannelID(rawValue: channel))
    }
    #expect(try bench.search("alpha", channel: ChannelID(rawValue: 1)) == ["1"])
    #expect(try bench.search("alpha", channel: ChannelID(rawValue: 2), isNewestFirst: false) == ["2"])
    #expect(try bench.search("alpha") == ["2", "1"] && bench.search("alpha", channel: ChannelID(rawValue: 9)).isEmpty)
  }

  @Test func theBestComeFirst() throws {
    let long = "alpha " + String(repeating: "other ", count: 200)
    try bench.take([
      Bench.message("best", "alpha alpha"), Bench.message("long", long), Bench.message("good", "alpha beta gamma"),
    ])
    #expect(try bench.search("alpha", isNewestFirst: false) == ["best", "good", "long"])
    #expect(try bench.search("alpha") == ["good", "long", "best"])
    for isNewestFirst in [false, true] {
      var (all, offset): ([Int64], Int) = ([], 0)
      while true {
        let search = MessageSearch(text: "alpha", isNewestFirst: isNewestFirst, offset: offset, limit: 1)
        let found = try bench.store.messages(holding: search)
        (all, offset) = (all + found.hits.map(\.message.row.id.rawValue), offset + 1)
        guard found.hasMore else { break }
      }
      #expect(all.count == 3 && Set(all).count == 3)
    }
  }

  @Test func excerptsShowTheWords() throws {
    let text = String(repeating: "before ", count: 80) + "<b>Alpha</b> \u{1}\u{FFFD}" + String(repeating: " after", count: 80)
    try bench.take([
      Bench.message("1", text), Bench.message("2", "ALPHA, beta"), Bench.message("3", String(repeating: "é", count: 9_000)),
    ])
    let hits = try bench.store.messages(holding: MessageSearch(text: "alph*", isNewestFirst: true, limit: 5)).hits
    #expect(hits.map { $0.excerpt.filter(\.isHit).map(\.text) } == [["ALPHA"], ["Alpha"]])
    #expect(hits.first?.excerpt == [.init(text: "ALPHA", isHit: true), .init(text: ", beta", isHit: false)])
    let long = hits.last?.excerpt.map(\.text).joined() ?? ""
    #expect(long.contains("<b>Alpha</b> \u{1}\u{FFFD}") && long.hasPrefix("…") && long.hasSuffix("…") && long.count < 450)
    let huge = try bench.store.messages(holding: MessageSearch(text: "e*", limit: 5)).hits.first?.excerpt ?? []
    #expect(huge.map(\.text) == [String(repeating: "é", count: 400) + "…"])
  }

  @Test func piecesAreCutAtTheWords() {
    func pieces(_ text: String, _ words: String) -> [MessageHit.Piece] { MessageExcerpt(MessageWords(words)).pieces(text) }
    #expect(pieces("", "a").isEmpty)
    #expect(pieces("a,b c", "\"a b\"") == [("a,b", true), (" c", false)].map { .init(text: $0.0, isHit: $0.1) })
    #expect(pieces("昨日東京都で", "東京") == [("昨日", false), ("東京", true), ("都で", false)].map { .init(text: $0.0, isHit: $0.1) })
    let long = String(repeating: "東京都", count: 9)
    #expect(pieces(long + "で", long) == [(long, true), ("で", false)].map { .init(text: $0.0, isHit: $0.1) })
    #expect(pieces("die Straße!", "strasse").map(\.text) == ["die ", "Straße", "!"])
    #expect(pieces("cafe\u{301}", "cafe") == [.init(text: "cafe\u{301}", isHit: true)], "accents belong to what is marked")
    #expect(pieces("a-b", "b") == [("a-", false), ("b", true)].map { .init(text: $0.0, isHit: $0.1) })
    let lead = pieces(String(repeating: "ü", count: 300) + " A", "a")
    #expect(lead.map(\.text) == ["…" + String(repeating: "ü", count: 99) + " ", "A"])
    #expect(pieces("one two three", "\"two thr\"* one").filter(\.isHit).map(\.text) == ["one"], "a phrase has no beginning")
  }

  /// However long a text is, and however many of the words it has.
  @Test func excerptsAreBounded() {
    for (text, words) in [("a ", "a"), ("a ", "\"\(String(repeating: "a ", count: 490))b\""), ("ab ", "a* ab b"), ("中", "中*")] {
      let excerpt = MessageExcerpt(MessageWords(words))
      let looked = String(String(repeating: text, count: 32_000).unicodeScalars.prefix(MessageExcerpt.lookedMax))
      let pieces = excerpt.pieces(looked + String(repeating: text, count: 100_000))
      #expect(pieces == excerpt.pieces(looked), "what is behind is not looked at")
      #expect(pieces.reduce(0) { $0 + $1.text.count } <= MessageExcerpt.max + 2)
      #expect(pieces.count <= 65)
    }
    let late = String(repeating: "x ", count: MessageExcerpt.lookedMax) + "late"
    #expect(MessageExcerpt(MessageWords("late")).pieces(late).map(\.isHit) == [false], "it begins with the text")
  }
}
