import StrictJSON
import Testing

/// What is written without a tree has the bytes of the tree.
struct WriterTests {
  private struct Sample: Codable, JSONWritable {
    var absent: String?
    var count: Int
    var id: Int64
    var list: [String]
    var map: [String: Int]
    var nested: [Inner]
    var ratio: Double?
    var tree: JSONValue?
    var yes: Bool

    struct Inner: Codable, JSONWritable {
      var name: String?

      func writeJSON(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.endObject()
      }
    }

    func writeJSON(to writer: inout JSONWriter) {
      writer.beginObject()
      writer.member("absent", absent)
      writer.member("count", count)
      writer.member("id", id)
      writer.member("list", list)
      writer.member("map", map)
      writer.member("nested", nested)
      writer.member("ratio", ratio)
      writer.member("tree", tree)
      writer.member("yes", yes)
      writer.endObject()
    }
  }

  private static let texts = [
    "", "plain", "{", "[", "a[", "quote\" and \\ and / ", "\u{0}\u{1}\u{1F}\u{7F}\u{80}", "\n\r\t\u{8}\u{C}",
    "é e\u{301} ß 日本語 🙂",
    "\u{2028}\u{FEFF}", String(repeating: "long ", count: 100) + "\"", "\\\"\\\"", "</script>",
  ]

  @Test(arguments: texts)
  func bytesAreThoseOfTheTree(_ text: String) throws {
    let full = Sample(
      absent: text, count: .min, id: .max, list: [text, "", text], map: [text: 1, "b": -2, "a": 3],
      nested: [.init(name: text), .init(), .init(name: "")], ratio: -0.25,
      tree: [text: .string(text), "a": [nil, true, 1, .number(1e300), [:], []]], yes: true)
    let empty = Sample(count: 0, id: 0, list: [], map: [:], nested: [], ratio: .infinity, tree: .null, yes: false)
    for sample in [full, empty] {
      #expect(String(decoding: sample.jsonBytes, as: UTF8.self) == (try sample.json.text))
      #expect(try JSONParser.parse(sample.jsonBytes) == JSONParser.parse(sample.json.bytes))
    }
  }

  @Test func treeIsWrittenCompactlyWithItsKeysInOrder() {
    let tree: JSONValue = ["b": [[], [:], ["[", "{"], 1, true], "a": .number(-.infinity), "": ["y": "z\n", "x": nil]]
    #expect(tree.text == #"{"":{"x":null,"y":"z\n"},"a":null,"b":[[],{},["[","{"],1,true]}"#)
  }

  @Test func textFollowsWhatStandsBeforeIt() {
    var writer = JSONWriter(after: Array("{\"parameters\":".utf8))
    [1, 2].writeJSON(to: &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"parameters\":[1,2]")
    for before in ["{\"parameters\":", "[", "{", "1"] {
      var bytes = Array(before.utf8)
      JSONValue.array([1, 2]).write(into: &bytes)
      JSONValue.string("a").write(into: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == before + "[1,2]\"a\"")
    }
  }
}
