import Filters
import StrictJSON
import Testing

/// The meaning of each operator as a table: lists are compared with `Filter` itself, so `Filter` needs an independent check.
struct FilterMeaningTests {
  private static let object: JSONValue = [
    "n": 3, "half": .number(2.5), "big": 9_007_199_254_740_993, "text": "City News", "accent": "caf\u{E9}",
    "street": "Lange Stra\u{DF}e", "yes": true,
    "nothing": nil,
    "list": ["a", 2], "deep": ["a": ["b": "c"]],
  ]

  @Test(
    arguments: [
      (["n": 3], true), (["n": .number(3)], true), (["n": "3"], false), (["n": 4], false), ([:], true),
      (["missing": nil], true),
      (["nothing": nil], true), (["n": nil], false), (["deep.a.b": "c"], true), (["deep.a.x": "c"], false),
      (["n": ["$ne": 3]], false), (["n": ["$ne": 4]], true), (["missing": ["$ne": 4]], true),
      (["n": ["$gt": 3]], false), (["n": ["$gte": 3]], true), (["n": ["$lt": 3]], false), (["n": ["$lte": 3]], true),
      (["n": ["$gt": .number(2.9)]], true), (["half": ["$lt": 3]], true), (["n": ["$gt": 1, "$lt": 3]], false),
      (["text": ["$gt": "B"]], true),
      (["n": ["$gt": "1"]], false), (["missing": ["$lt": 1]], false),
      (["big": 9_007_199_254_740_993], true), (["big": 9_007_199_254_740_992], false),
      (["big": ["$gt": .number(9_007_199_254_740_992)]], true),
      (["n": ["$in": [1, 3]]], true), (["n": ["$in": []]], false), (["n": ["$nin": [1, 3]]], false),
      (["missing": ["$nin": [1]]], true),
      (["n": ["$exists": true]], true), (["n": ["$exists": false]], false), (["missing": ["$exists": false]], true),
      (["nothing": ["$exists": true]], false),
      (["list": ["$contains": "a"]], true), (["list": ["$contains": "b"]], false), (["list": ["$contains": .number(2)]], true),
      (["text": ["$q": "NEWS"]], true), (["text": ["$q": "ity n"]], true), (["text": ["$q": "x"]], false),
      (["text": ["$autocomplete": "ne"]], true), (["text": ["$autocomplete": "ews"]], false),
      (["accent": ["$q": "CAFE\u{301}"]], true), (["accent": ["$q": "\u{FF46}e"]], true),
      (["accent": ["$autocomplete": "Caf\u{E9}"]], true), (["accent": ["$q": "afk"]], false),
      (["street": ["$q": "strasse"]], true), (["street": ["$autocomplete": "STRA\u{1E9E}E"]], true),
      (["accent": "caf\u{E9}"], true), (["accent": "cafe\u{301}"], false), (["yes": true], true), (["yes": 1], false),
      (["$or": [["n": 4], ["yes": true]]], true), (["$or": [["n": 4], ["yes": false]]], false),
      (["$and": [["n": 3], ["yes": false]]], false), (["$nor": [["n": 4], ["yes": false]]], true),
      (["$nor": [["n": 4], ["yes": true]]], false), (["n": 3, "yes": false], false),
    ] as [(JSONValue, Bool)])
  func operatorsMeanWhatTheySay(_ filter: JSONValue, _ isMet: Bool) throws {
    #expect(try Filter(filter).matches(Self.object) == isMet, "\(filter.text)")
  }

  /// Time that grew with the product of both lengths would be days.
  @Test(.timeLimit(.minutes(1)), arguments: ["$q", "$autocomplete"])
  func longTextsAreSearchedInTimeThatGrowsWithThem(_ word: String) throws {
    let long = String(repeating: "a", count: 4_000_000)
    let filter = try Filter(["text": [word: .string(long.prefix(2_000_000) + "b")]])
    #expect(!filter.matches(["text": .string(long)]) && filter.matches(["text": .string(long + "b")]) == (word == "$q"))
    #expect(!filter.matches(["text": ""]))
    // What is invisible is left out of a search.
    #expect(try Filter(["text": ["$q": "\u{200B}"]]).matches(["text": ""]))
  }
}
