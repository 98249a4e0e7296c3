import Foundation
import StrictJSON
import TestTools
import Testing

/// What other people say in a channel, for an independent client to sign and to send (`write_messages.py`). Relays get it in this order.
struct MessagePlan {
  /// The tag that ties a message to its channel or group.
  private let root: [String]
  /// The kind of messages: 42, in groups 9.
  private let kind: Int64
  private let relays: [String]
  /// How many events each relay gets in a second; as many as it takes if `nil`.
  var perSecond: Int64?
  private(set) var events: [JSONValue] = []
  private var isGroup: Bool { kind == 9 }

  /// What others say in a channel (NIP-28).
  init(channel: String, relays: [String]) {
    (root, kind, self.relays) = (["e", channel, relays.first ?? "", "root"], 42, relays)
  }

  /// What others say in a group (NIP-29).
  init(group: String, relay: String) { (root, kind, relays) = (["h", group], 9, [relay]) }

  /// - Parameters:
  ///   - text: also the label of the message.
  ///   - at: seconds from now; before that if negative.
  ///   - on: the indexes of the relays that get it; all if `nil`.
  ///   - tags: more tags; "#LABEL" in them is the id of an earlier event.
  ///   - isLate: whether relays get it after all that is not late.
  mutating func say(
    _ text: String, by author: String, at: Int64 = 0, on: [Int]? = nil, tags: [[String]] = [], isLate: Bool = false
  ) {
    add(kind, text, by: author, at: at, on: on, tags: [root] + tags, isLate: isLate)
  }

  /// Answers a message.
  /// - Parameters:
  ///   - target: "#LABEL" or the id.
  ///   - parent: the public key of the author of that message.
  mutating func answer(_ target: String, of parent: String, _ text: String, by author: String, at: Int64 = 0) {
    let reference = isGroup ? ["q", target, relays[0], parent] : ["e", target, relays[0], "reply", parent]
    say(text, by: author, at: at, tags: [reference, ["p", parent]])
  }

  /// Asks relays to delete something, whoever wrote it.
  /// - Parameter target: "#LABEL" or the id.
  mutating func delete(_ target: String, by author: String, kind: Int64 = 42, on: [Int]? = nil) {
    add(5, "", label: "\(author) deletes \(target)", by: author, on: on, tags: [["e", target], ["k", "\(kind)"]])
  }

  /// - Parameters:
  ///   - target: "#LABEL" or the id.
  ///   - parent: the public key of the author of that message.
  mutating func react(_ reaction: String, to target: String, of parent: String, by author: String) {
    let tags = [["e", target, relays[0]], ["p", parent], ["k", "\(kind)"]] + (isGroup ? [root] : [])
    add(7, reaction, label: "\(reaction) by \(author) to \(target)", by: author, tags: tags)
  }

  /// Adds any event.
  mutating func add(
    _ kind: Int64, _ text: String, label: String? = nil, by author: String, at: Int64 = 0, on: [Int]? = nil,
    tags: [[String]], isLate: Bool = false
  ) {
    var event: [String: JSONValue] = [
      "kind": .integer(kind), "text": .string(text), "author": .string(author), "at": .integer(at), "late": .bool(isLate),
      "tags": .array(tags.map { .array($0.map(JSONValue.string)) }),
    ]
    event["label"] = label.map(JSONValue.string)
    event["on"] = on.map { .array($0.map { .integer(Int64($0)) }) }
    events.append(.object(event))
  }

  /// Messages by twelve authors in turn: every other one on all relays, the others on one of them each.
  /// - Parameter second: when each was written, by its number, in seconds from now.
  mutating func sayMany(_ numbers: ClosedRange<Int>, _ word: String, second: (Int) -> Int64) {
    for number in numbers {
      let isEverywhere = number % 2 == 0
      say(
        "\(word) \(number)", by: "author \(number % 12)", at: second(number),
        on: isEverywhere ? nil : [number / 2 % relays.count])
    }
  }

  var json: JSONValue {
    var plan: [String: JSONValue] = ["relays": .array(relays.map(JSONValue.string)), "events": .array(events)]
    plan["perSecond"] = perSecond.map(JSONValue.integer)
    return .object(plan)
  }
}

/// What became of a plan.
struct WrittenMessages {
  /// The ids of the events, by label.
  var ids: [String: String]
  /// The public keys of the authors, by name.
  var authors: [String: String]
  /// The labels of what a relay did not take.
  var refused: [String]

  init(_ json: JSONValue) {
    ids = (json["ids"]?.object ?? [:]).compactMapValues(\.string)
    authors = (json["authors"]?.object ?? [:]).compactMapValues(\.string)
    refused = (json["refused"]?.array ?? []).compactMap { $0.array?.first?.string }
  }
}

extension Installation {
  /// Starts to write what a plan says.
  func beginWriting(_ plan: MessagePlan) throws -> Program {
    let file = folder.path + "/plan-\(UUID().uuidString).json"
    try plan.json.text.write(toFile: file, atomically: true, encoding: .utf8)
    return try Program(
      ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/write_messages.py", file])
  }

  /// Waits until everything is written.
  func written(_ writer: Program) async throws -> WrittenMessages {
    let line = try await writer.line(containing: "\"ids\"")
    #expect(await writer.status() == 0, "\(writer.lines.suffix(3))")
    return WrittenMessages(try JSONParser.parse(line))
  }

  /// Writes what a plan says.
  @discardableResult
  func write(_ plan: MessagePlan) async throws -> WrittenMessages { try await written(try beginWriting(plan)) }
}
