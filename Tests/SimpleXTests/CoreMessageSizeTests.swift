import StrictJSON
import Testing

@testable import SimpleX

struct CoreMessageSizeTests {
  private func size(_ text: String) -> Int { CoreMessageSize(of: CoreMessage(text: text), for: .new(quotedBytes: 0)).bytes }

  /// What the core writes, with ids, times and versions as they are now.
  private func written(_ params: String, event: String = "x.msg.new") -> Int {
    #"{"v":"1-17","msgId":"MDEyMzQ1Njc4OWFi","event":"\#(event)","params":{\#(params)}}"#.utf8.count
  }

  @Test func textsAreCountedExactly() {
    let empty = size("")
    for (text, bytes) in [
      ("a", 1), ("é", 2), ("日", 3), ("😀", 4), ("\"\\\n\r\t", 10), ("\u{8}\u{C}\u{1}\u{1F}", 24), ("\u{7F}/", 2),
    ] {
      #expect(size(text) - empty == bytes, "\(text.debugDescription)")
    }
  }

  /// An estimate that is too low would let the core or a relay refuse what seemed to fit; one that is much too high wastes room.
  @Test func estimatesAreNeverTooLow() throws {
    let plain = written(#""content":{"type":"text","text":"Hello"},"asGroup":true"#)
    #expect((plain + 20...plain + 120).contains(size("Hello")))
    let mentioning = try CoreMessage(text: "@bob", mentions: ["bob": .init(rawValue: 1)])
    let mention = written(
      #""content":{"type":"text","text":"@bob"},"mentions":{"bob":{"memberId":"MDEyMzQ1Njc4OWFi"}},"asGroup":true"#)
    #expect(CoreMessageSize(of: mentioning, for: .new(quotedBytes: 0)).bytes > mention)
    let edit = written(
      #""msgId":"MDEyMzQ1Njc4OWFi","content":{"type":"text","text":"Hello"},"asGroup":true"#, event: "x.msg.update")
    #expect(CoreMessageSize(of: CoreMessage(text: "Hello"), for: .edit).bytes > edit)
    let reply = written(
      #""content":{"type":"text","text":"Hi"},"asGroup":true,"quote":{"msgRef":{"msgId":"MDEyMzQ1Njc4OWFi","#
        + #""sentAt":"2026-01-01T00:00:00.000000Z","sent":true,"memberId":"MDEyMzQ1Njc4OWFi"},"content":{"type":"text","text":"Hello"}}"#
    )
    let quoted = CoreMessageSize.quoted(CoreMessage(text: "Hello"))
    #expect(CoreMessageSize(of: CoreMessage(text: "Hi"), for: .new(quotedBytes: quoted)).bytes > reply)
    let file = written(
      #""content":{"type":"file","text":"Look"},"file":{"fileName":"a.jpg","fileSize":1073741824,"fileDescr":{"fileDescrText":"","#
        + #""fileDescrPartNo":0,"fileDescrComplete":false}},"asGroup":true"#)
    let look = CoreMessage(text: "Look", file: "/srv/files/a.jpg")
    #expect((file + 20...file + 400).contains(CoreMessageSize(of: look, for: .new(quotedBytes: 0)).bytes))
    #expect(CoreMessageSize(of: look, for: .edit).bytes < file + 100, "an edit says nothing of the file")
    let bare = CoreMessage(text: "", file: "/srv/files/" + String(repeating: "a", count: 300))
    #expect(CoreMessageSize.quoted(bare) > CoreMessageSize.quoted(CoreMessage(text: "")) + 300, "the name is quoted")
    let signed = CoreMessageSize(of: CoreMessage(text: "Hello"), for: .new(quotedBytes: 0), isSigned: true)
    #expect(signed.bytes > plain + 64 + 300, "a signature, and the name of its author")
  }

  @Test func previewsCount() {
    let image = String(repeating: "A", count: 15_602)
    let preview = CoreLinkPreview(link: "https://a.example", title: "A", image: image)
    #expect(!CoreMessageSize(of: CoreMessage(text: "x", preview: preview), for: .edit).fits)
  }

  @Test func theLargestThatFits() {
    let room = CoreMessageSize.bytesMax - size("")
    let largest = CoreMessage(text: String(repeating: "a", count: room))
    let larger = CoreMessage(text: String(repeating: "a", count: room + 1))
    #expect(CoreMessageSize(of: largest, for: .new(quotedBytes: 0)).fits)
    #expect(!CoreMessageSize(of: larger, for: .new(quotedBytes: 0)).fits)
    #expect(!CoreMessageSize(of: largest, for: .new(quotedBytes: 1)).fits)
    #expect(!CoreMessageSize(of: largest, for: .new(quotedBytes: 0), isSigned: true).fits)
    #expect(room > 15_300, "little is lost to estimates")
  }
}
