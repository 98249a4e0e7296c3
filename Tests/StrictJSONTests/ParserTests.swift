import StrictJSON
import Testing

struct ParserTests {
  @Test(arguments: [
    "{}", "[]", "null", "true", "-0", "0.5", "1e3", "\"\"", "[1,2,3]", "{\"a\":{\"b\":[null]}}", " \n\t{ \"a\" : 1 } \r",
    "\"\\u00e9\\ud83d\\ude00\\n\\/\"", "9223372036854775807", "-9223372036854775808", "\"é😀\"",
  ])
  func goodTextIsTaken(_ text: String) throws {
    let value = try JSONParser.parse(text)
    #expect(try JSONParser.parse(value.bytes) == value)
  }

  @Test func membersAreWrittenInTheOrderOfTheirNames() throws {
    let value = try JSONParser.parse("{\"b\":{\"z\":1,\"y\":2},\"a\":[],\"B\":null,\"aa\":true}")
    #expect(value.text == "{\"B\":null,\"a\":[],\"aa\":true,\"b\":{\"y\":2,\"z\":1}}")
  }

  @Test(arguments: [
    ("", JSONParseError.Reason.unexpectedEnd), ("{", .unexpectedEnd), ("{\"a\":1,\"a\":2}", .duplicateKey),
    ("[1,]", .unexpectedCharacter), ("{\"a\" 1}", .unexpectedCharacter), ("01", .invalidNumber), ("-", .invalidNumber),
    ("1.", .invalidNumber), ("1e", .invalidNumber), ("1e999", .invalidNumber), ("\"\\x\"", .invalidString),
    ("\"\\ud800\"", .invalidString), ("\"\\ude00\"", .invalidString), ("\"\\ud800\\u0041\"", .invalidString),
    ("\"a\nb\"", .unexpectedEnd), ("{} x", .trailingBytes), ("nul", .unexpectedEnd), ("nulx", .unexpectedCharacter),
    ("'a'", .unexpectedCharacter), ("+1", .unexpectedCharacter), ("NaN", .unexpectedCharacter), ("// c", .unexpectedCharacter),
    ("\"\\n\n\"", .invalidString),
    (String(repeating: "[", count: 65) + String(repeating: "]", count: 65), .tooDeep),
  ])
  func badTextIsRefused(_ text: String, _ reason: JSONParseError.Reason) {
    #expect { try JSONParser.parse(text) } throws: { error in
      // A control character inside a string may be reported either way.
      let got = (error as? JSONParseError)?.reason
      return got == reason || text.contains("\n") && got == .invalidString
    }
  }

  @Test func invalidUTF8IsRefused() {
    for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
      #expect(throws: JSONParseError.self) { try JSONParser.parse(bytes) }
    }
  }

  @Test func depthIsBounded() {
    let fits = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
    #expect(throws: Never.self) { try JSONParser.parse(fits) }
    let deep = String(repeating: "[", count: 100_000)
    #expect { try JSONParser.parse(deep) } throws: { ($0 as? JSONParseError)?.reason == .tooDeep }
  }

  @Test func valuesThatAreTooDeepAreSkippedOnRequest() throws {
    for (open, close) in [("[", "]"), ("{\"x\":", "}"), ("[ {\"x\" : [1, {}, [], ", " ] } , {\"y\":[true]}]")] {
      let deep = String(repeating: open, count: 100) + "1" + String(repeating: close, count: 100)
      let text = "{\"a\":{\"b\":\(deep),\"c\":[2]},\"d\":{\"e\":\(deep)},\"f\":3}"
      let (value, flaws) = try JSONParser.parseSteppingOver(text.utf8)
      #expect(Set(flaws.map(\.path)) == [["a", "b"], ["d", "e"]] && flaws.allSatisfy { $0.reason == .tooDeep })
      #expect(value["a"]?["c"] == [2] && value["f"] == 3)
      #expect { try JSONParser.parse(text) } throws: { ($0 as? JSONParseError)?.reason == .tooDeep }
      for broken in [text.dropLast(), text.dropLast(2) + "]}", text.prefix(text.count / 2)] {
        #expect(throws: JSONParseError.self) { try JSONParser.parseSteppingOver(broken.utf8) }
      }
    }
  }

  @Test func keysThatOnlyLookDifferentAreAFlawAndEqualOnesAnError() throws {
    let (value, flaws) = try JSONParser.parseSteppingOver(#"{"a":{"\u00e9":1,"e\u0301":2,"x":3}}"#.utf8)
    #expect(flaws.map(\.path) == [["a", "\u{E9}"]] && flaws.first?.reason == .equivalentKeys && value["a"]?["x"] == 3)
    for (text, reason) in [
      (#"{"a":{"\u00e9":1,"e\u0301":2}}"#, JSONParseError.Reason.equivalentKeys), (#"{"\u00e9":1,"é":2}"#, .duplicateKey),
    ] {
      #expect { try JSONParser.parse(text) } throws: { ($0 as? JSONParseError)?.reason == reason }
    }
    #expect { try JSONParser.parseSteppingOver(#"{"a":1,"a":2}"#.utf8) } throws: {
      ($0 as? JSONParseError)?.reason == .duplicateKey
    }
  }

  /// What others wrote may be wrong in one place; the rest can be read, and the reader knows.
  @Test(
    arguments: [
      (#"["a","\ud83d"]"#, ["a", "\u{FFFD}"]), (#"["\ude00\u0041"]"#, ["\u{FFFD}A"]), (#"["\ud83d\u0041"]"#, ["\u{FFFD}A"]),
      (#"["\ud83d\ud83d\ude00"]"#, ["\u{FFFD}😀"]), (#"[{"a":1,"a":2},3]"#, [["a": 2], 3]),
      (#"[{"\u00e9":1,"e\u0301":2},3]"#, [["\u{E9}": 2], 3]), ("[1e999,-1e999,1]", [nil, nil, 1]),
      ("[NaN,Infinity,-Infinity,1]", [nil, nil, nil, 1]), ("[\"a\u{B}b\",1]", ["a b", 1]),
    ] as [(String, JSONValue)])
  func badPartsAreMendedOnRequest(_ text: String, _ expected: JSONValue) throws {
    let (value, isMended) = try JSONParser.parseMending(text.utf8)
    #expect(value == expected && isMended)
    #expect(throws: JSONParseError.self) { try JSONParser.parse(text) }
    #expect(throws: JSONParseError.self) { try JSONParser.parseMending(text.utf8.dropLast()) }
  }

  @Test func mendingCopesWithDepthAndBytesAndChangesNothingElse() throws {
    let deep = String(repeating: "[", count: 100) + "\"\\ud800\"" + String(repeating: "]", count: 100)
    let (value, isMended) = try JSONParser.parseMending("{\"a\":\(deep),\"b\":1}".utf8)
    #expect(value["b"] == 1 && isMended)
    let (text, isTextMended) = try JSONParser.parseMending([0x22, 0x61, 0xFF, 0x22] as [UInt8])
    #expect(text == "a\u{FFFD}" && isTextMended)
    let good = "{\"a\":[1,\"\\ud83d\\ude00\",-0.5,null]}"
    let (same, isSameMended) = try JSONParser.parseMending(good.utf8)
    #expect(try same == JSONParser.parse(good) && !isSameMended)
    for broken in ["", "hello", "[1", "[Nope]", "[\"\\x\"]", "[\"\\ud83d\\u12\"]", "[1]]"] {
      #expect(throws: JSONParseError.self) { try JSONParser.parseMending(broken.utf8) }
    }
  }

  @Test func integersStayExact() throws {
    #expect(try JSONParser.parse("9007199254740993") == .integer(9_007_199_254_740_993))
    #expect(try JSONParser.parse("1.0") == .number(1))
    #expect(try JSONParser.parse("92233720368547758080") == .number(92_233_720_368_547_758_080))
  }

  @Test func slashesAreNotEscaped() {
    #expect(JSONValue.string("a/b\u{7F}\u{2028}").text == "\"a/b\u{7F}\u{2028}\"")
    #expect(JSONValue.string("\u{08}\u{0C}\n\r\t\"\\\u{1F}").text == "\"\\b\\f\\n\\r\\t\\\"\\\\\\u001f\"")
  }

  /// Whatever the bytes, the parser ends with a value or an error.
  @Test func mutatedTextNeverCrashes() {
    var state: UInt64 = 42
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    let seedText = Array("{\"a\":[1,-2.5e3,\"x\\u00e9\\ud83d\\ude00\",null,true,{\"b\":{}}],\"c\":\"d\"}".utf8)
    for _ in 0..<50_000 {
      var bytes = seedText
      for _ in 0..<(1 + next() % 4) {
        switch next() % 3 {
        case 0: bytes[next() % bytes.count] = UInt8(next() % 256)
        case 1: bytes.remove(at: next() % bytes.count)
        default: bytes.insert(UInt8(next() % 256), at: next() % bytes.count)
        }
      }
      if let value = try? JSONParser.parse(bytes) { #expect((try? JSONParser.parse(value.bytes)) == value) }
    }
  }
}

struct CodingTests {
  struct Sample: Codable, Equatable {
    var name: String
    var count: Int64
    var ratio: Double?
    var tags: [String]
    var extra: JSONValue?
    var nested: [String: Int]
  }

  @Test func valuesSurviveTheRoundTrip() throws {
    let sample = Sample(
      name: "x", count: 1 << 60, ratio: 0.25, tags: ["a", "b"], extra: ["k": [1, nil, "v"]], nested: ["n": 3])
    #expect(try Sample(json: sample.json) == sample)
    let small = Sample(name: "", count: 0, ratio: nil, tags: [], extra: nil, nested: [:])
    #expect(try small.json["ratio"] == nil)
    #expect(try small.json["tags"] == [])
    #expect(try Sample(json: small.json) == small)
  }

  @Test func integersAreTakenAsTextAndAsWholeNumbers() throws {
    #expect(try Int64(json: "9007199254740993") == 9_007_199_254_740_993)
    #expect(try Int(json: .number(6)) == 6)
    #expect(throws: JSONShapeError.self) { try Int(json: .number(6.5)) }
    #expect(throws: JSONShapeError.self) { try UInt8(json: 300) }
  }

  @Test func errorsNameTheField() {
    #expect {
      try Sample(json: ["name": 1, "count": 1, "tags": [], "nested": [:]])
    } throws: { ($0 as? JSONShapeError)?.path == ["name"] }
    #expect {
      try Sample(json: ["name": "x", "count": 1, "tags": ["a", 2], "nested": [:]])
    } throws: { ($0 as? JSONShapeError)?.path == ["tags", "1"] }
    #expect { try Sample(json: ["name": "x"]) } throws: { ($0 as? JSONShapeError)?.path == ["count"] }
  }
}
