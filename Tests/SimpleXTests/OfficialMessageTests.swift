import Channels
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// Messages made at random from the type definitions of the official Python package. Made by `scripts/venv`.
@Suite(.timeLimit(.minutes(20)))
struct OfficialMessageTests {
  /// A message, and what Baton uses of it according to Python; nil: it has no use for it.
  struct Sample {
    let tag: String
    let used: JSONValue?
    let frame: String

    init(_ line: String) throws {
      let reader = try CoreReader(try JSONParser.parse(line))
      tag = try reader.string("tag")
      used = reader.value("used")
      frame = try reader.string("frame")
    }

    static func make(seed: Int, count: Int) async throws -> [Sample] {
      let python = Program.repository + "/.build/venv/bin/python3"
      let script = Program.repository + "/Tests/SimpleXTests/python/instances.py"
      let (status, lines) = try await Program.run(python, ["-B", script, String(seed), String(count)])
      try #require(status == 0, "\(lines.suffix(5))")
      return try lines.map(Sample.init)
    }
  }

  private func dumped(_ value: Any) -> String {
    var text = "\(value)" + String(reflecting: value)
    dump(value, to: &text)
    return text
  }

  @Test func everyMessageIsReadAndNothingIsLost() async throws {
    let samples = try await Sample.make(seed: 1, count: 4000)
    #expect(samples.count == 4000)
    var secrets = 0
    var tags: Set<String> = []
    for sample in samples {
      tags.insert(sample.tag)
      if sample.frame.contains("SECRET-") { secrets += 1 }
      let frame = CoreFrame(sample.frame.utf8)
      #expect(!dumped(frame).contains("SECRET-"), "\(sample.tag)")
      switch frame {
      case .reply(_, .success(.unknown(let tag))): #expect(tag == sample.tag && sample.used == nil, "\(tag)")
      case .reply(_, .success(let reply)): #expect(reply.uses == sample.used, "\(sample.tag)")
      case .reply(_, .failure(let failure)):
        #expect(failure.uses != nil && failure.uses == sample.used, "\(sample.tag): \(failure)")
      case .events(let events): compare(events, sample)
      case .rubbish(let why): Issue.record("\(sample.tag): \(why)")
      }
    }
    #expect(secrets > 200 && tags.count > 80)
  }

  private func compare(_ events: [CoreEvent], _ sample: Sample) {
    if sample.tag == "chatErrors" {
      #expect(.array(events.compactMap { $0.uses?.array?.first }) == sample.used)
    } else if case .other(let tag) = events[0] {
      #expect(tag == sample.tag && sample.used == nil && events.count == 1, "\(tag)")
    } else {
      #expect(events.count == 1 && events[0].uses == sample.used, "\(sample.tag): \(events)")
    }
  }

  /// What goes back to the core holds no private keys either.
  @Test func profilesThatGoBackHoldNoSecrets() async throws {
    for sample in try await Sample.make(seed: 2, count: 400) {
      guard case .reply(_, .success(.profileUpdated(let group, _))) = CoreFrame(sample.frame.utf8) else { continue }
      #expect(!CoreCommand.updateProfile(group.id, group.profile).text.contains("SECRET-"))
    }
  }

  /// Bytes changed, cut out, doubled and swapped: any message may come, none may do harm.
  @Test func damagedMessagesDoNoHarm() async throws {
    var generator = SplitMix64(seed: 3)
    var kinds: [String: Int] = [:]
    for sample in try await Sample.make(seed: 3, count: 300) where sample.frame.utf8.count < 20_000 {
      for _ in 0..<20 {
        let bytes = damaged(Array(sample.frame.utf8), &generator)
        switch CoreFrame(bytes) {
        case .reply(_, .success): kinds["success", default: 0] += 1
        case .reply(_, .failure(.unreadable(let tag, let fault))):
          kinds["unreadable", default: 0] += 1
          #expect(tag.utf8.count <= 500 && !fault.reason.isEmpty)
        case .reply(_, .failure): kinds["failure", default: 0] += 1
        case .events: kinds["events", default: 0] += 1
        case .rubbish: kinds["rubbish", default: 0] += 1
        }
      }
    }
    #expect(kinds.count == 5, "\(kinds)")
  }

  /// Values are swapped for values of other kinds, or single bytes are damaged.
  private func damaged(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    if Bool.random(using: &generator), let value = try? JSONParser.parse(bytes) { return swapped(value, &generator).bytes }
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) where bytes.count > 2 {
      let at = Int.random(in: 0..<bytes.count - 1, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: at)
      case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 9)], at: at)
      default: bytes.swapAt(at, at + 1)
      }
    }
    return bytes
  }

  private func swapped(_ value: JSONValue, _ generator: inout SplitMix64) -> JSONValue {
    if Int.random(in: 0..<60, using: &generator) == 0 {
      let others: [JSONValue] = [nil, true, -1, "", "9", [], [:], .number(1e300), .integer(.max), [["type": "x"]]]
      return others[Int.random(in: 0..<others.count, using: &generator)]
    }
    switch value {
    case .object(let members):
      var changed: [String: JSONValue] = [:]
      for key in members.keys.sorted() where Int.random(in: 0..<80, using: &generator) > 0 {
        changed[key] = members[key].map { swapped($0, &generator) }
      }
      return .object(changed)
    case .array(let elements): return .array(elements.map { swapped($0, &generator) })
    case .null, .bool, .integer, .number, .string: return value
    }
  }
}
