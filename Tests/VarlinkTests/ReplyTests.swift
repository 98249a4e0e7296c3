import StrictJSON
import Testing

@testable import Varlink

/// Messages that a client accepts as replies.
struct ReplyTests {
  @Test func repliesAreRead() throws {
    let last = try VarlinkReply(message: Array(#"{"parameters":{"a":1}}"#.utf8))
    #expect(last.parameters == ["a": 1] && !last.continues)
    #expect(try VarlinkReply(message: Array(#"{"parameters":{},"continues":true}"#.utf8)).continues)
    #expect { try VarlinkReply(message: Array(#"{"error":"a.B","parameters":{"x":true}}"#.utf8)) } throws: { error in
      (error as? VarlinkError).map { $0.name == "a.B" && $0.parameters == ["x": true] } ?? false
    }
  }

  @Test(arguments: [
    "", "[]", "{", #"{"parameters":[]}"#, #"{"continues":1}"#, #"{"error":1}"#, #"{"errors":"a.B"}"#,
    #"{"error":"a.B","continues":true}"#,
  ])
  func invalidReplyBreaksTheProtocol(_ text: String) {
    #expect(throws: VarlinkProtocolError.self) { try VarlinkReply(message: Array(text.utf8)) }
  }
}
