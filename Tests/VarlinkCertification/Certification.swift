internal import StrictJSON
internal import Varlink

/// `org.varlink.certification`: a conversation that uses every type of the language, a stream and a call without an answer. A client passes
/// on in each call what the one before returned; the server checks that each call is, member for member, the one that must come.
public enum Certification {
  /// The interface's name.
  public static let name = "org.varlink.certification"

  /// One call of the conversation.
  struct Step: Sendable {
    let method: String
    let mode: VarlinkCall.Mode
    /// The parameters that the client must send, besides its identifier.
    let parameters: [String: JSONValue]
    /// The server's replies: several if the call asks for more, none if it wants none.
    let replies: [[String: JSONValue]]

    init(
      _ method: String, _ parameters: [String: JSONValue], mode: VarlinkCall.Mode = .single, replies: [[String: JSONValue]]
    ) {
      self.method = method
      self.mode = mode
      self.parameters = parameters
      self.replies = replies
    }
  }

  /// All calls after `Start`, in order.
  static let steps: [Step] = [
    Step("Test01", [:], replies: [["bool": true]]),
    Step("Test02", ["bool": true], replies: [["int": 1]]),
    Step("Test03", ["int": 1], replies: [["float": .number(1)]]),
    Step("Test04", ["float": .number(1)], replies: [["string": "ping"]]),
    Step("Test05", ["string": "ping"], replies: [mixture]),
    Step("Test06", mixture, replies: [["struct": .object(mixture)]]),
    Step("Test07", ["struct": .object(mixture)], replies: [["map": dictionary]]),
    Step("Test08", ["map": dictionary], replies: [["set": set]]),
    Step("Test09", ["set": set], replies: [["mytype": .object(everything)]]),
    Step("Test10", ["mytype": .object(everything)], mode: .more, replies: lines.map { ["string": $0] }),
    Step("Test11", ["last_more_replies": .array(lines)], mode: .oneway, replies: []),
    Step("End", [:], replies: [["all_ok": true]]),
  ]

  private static let mixture: [String: JSONValue] = [
    "bool": false, "int": 2, "float": .number(.pi), "string": "a lot of string",
  ]
  private static let dictionary: JSONValue = ["foo": "Foo", "bar": "Bar"]
  private static let set: JSONValue = ["one": [:], "two": [:], "three": [:]]
  private static let lines = (1...10).map { JSONValue.string("Reply number \($0)") }
  private static let everything: [String: JSONValue] = [
    "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": dictionary]],
    "enum": "two", "struct": ["first": 1, "second": "2"], "array": ["one", "two", "three"], "dictionary": dictionary,
    "stringset": set, "nullable": nil, "nullable_array_struct": nil,
    "interface": [
      "foo": [nil, ["foo": "foo", "bar": "bar"], nil, ["one": "foo", "two": "bar"]], "anon": ["foo": true, "bar": false],
    ],
  ]

  /// Whether two values mean the same: an optional member may be absent or null, a whole float may be written as an integer.
  static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    switch (one, other) {
    case (.object(let one), .object(let other)):
      Set(one.keys).union(other.keys).allSatisfy { isSame(one[$0] ?? .null, other[$0] ?? .null) }
    case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy(isSame)
    case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)): Double(integer) == number
    default: one == other
    }
  }
}
