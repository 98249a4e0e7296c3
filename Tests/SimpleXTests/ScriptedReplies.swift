import Foundation
import ScriptedCore
import StrictJSON
import TestTools
import Testing

@testable import SimpleX

/// What a scripted core says, read as if it had come over a socket.
enum ScriptedReplies {
  /// The answer to a command.
  /// - Returns: `notSent` if it is no answer at all.
  static func result(_ answer: JSONValue) -> Result<CoreReply, CoreFailure> {
    guard case .reply("1", let result) = CoreFrame(JSONValue.object(["corrId": "1", "resp": answer]).bytes) else {
      return .failure(.notSent(.ended))
    }
    return result
  }

  /// What an event tells; nothing if it is none.
  static func events(_ event: JSONValue) -> [CoreEvent] {
    if case .events(let events) = CoreFrame(JSONValue.object(["resp": event]).bytes) { events } else { [] }
  }

  /// What in answers and events does not fit the types of the official package, line by line; the last line names what it has no types for.
  static func faults(in said: [JSONValue]) async throws -> [String] {
    let folder = try TemporaryFolder()
    let file = folder.path + "/said.jsonl"
    try said.map { $0.text + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
    let (status, lines) = try await Program.run(
      Program.repository + "/.build/venv/bin/python3",
      ["-B", Program.repository + "/Tests/SimpleXTests/python/conform.py", file])
    #expect(status == 0)
    return lines
  }

  /// Expects that Baton knows every answer and event, and can read it.
  static func expectReadable(_ said: [JSONValue]) {
    for message in said {
      switch result(message) {
      case .success(.unknown(let tag)):
        let events = events(message)
        #expect(!events.isEmpty && events.allSatisfy { $0.uses != nil }, "\(tag)")
      case .success(.page(let page)): #expect(page.faults.isEmpty && page.group != nil, "\(page.faults)")
      case .failure(.unreadable(let tag, let fault)): Issue.record("\(tag): \(fault)")
      case .failure(.notSent): Issue.record("\(message.text)")
      case .success, .failure: break
      }
    }
  }
}
