import Channels
import Testing

@testable import ConsoleProgram

/// Forms and the part of addresses behind the question mark, as browsers send them.
struct FormTests {
  @Test func namesAndValuesAreDecoded() throws {
    let form = try Form("q=caf%C3%A9+au+lait&relay=3&relay=4&empty=&flag&a%26b=1%3D2")
    #expect(form["q"] == "café au lait")
    #expect(form.all("relay") == ["3", "4"])
    #expect(form["empty"] == "" && form.text("empty") == nil)
    #expect(form["flag"] == "")
    #expect(form["a&b"] == "1=2")
    #expect(form["nothing"] == nil)
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "%ff=1", "a=%C3", "a=%C3%28", "a=%ED%A0%80"])
  func whatIsNoTextIsRefused(_ text: String) {
    #expect(throws: Form.Refusal.malformed) { try Form(text) }
  }

  @Test func aFormHasAMostOfNames() throws {
    let most = Array(repeating: "a=1", count: Form.fieldsMax).joined(separator: "&")
    #expect(try Form(most).all("a").count == Form.fieldsMax)
    #expect(throws: Form.Refusal.tooLarge) { try Form(most + "&a=1") }
    // Separators alone are no names.
    #expect(try Form(String(repeating: "&", count: 100_000)).fields.isEmpty)
  }

  @Test func spacesAroundATextDoNotCount() throws {
    #expect(try Form("q=++a+b++").text("q") == "a b")
    #expect(try Form("q=%09%20").text("q") == nil)
  }

  @Test(arguments: ["plain", "two words", "a&b=c+d%", "ü→😀", "\u{0}\n", "..//?#"])
  func whatIsWrittenIsReadAgain(_ text: String) throws {
    let form = Form().with("name \(text)", text)
    #expect(try Form(form.query.dropFirst()) == form)
    #expect(form.query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
  }

  @Test func oneValueTakesThePlaceOfOthers() throws {
    let form = try Form("a=1&b=2&a=3")
    #expect(form.with("a", "4").query == "?b=2&a=4")
    #expect(form.with("a", nil).query == "?b=2")
    #expect(form.with("a", nil).with("b", "").query == "")
  }

  /// Whatever a client sends: it is read or refused, and what was read says the same when it is written and read again.
  @Test(arguments: 0..<50) func anyBytesAreReadOrRefused(_ seed: UInt64) throws {
    var chance = SplitMix64(seed: seed)
    let alphabet = Array("%+&=aF0\u{C3}\u{A9} /".utf8)
    var (read, refused) = (0, 0)
    for _ in 0..<200 {
      let bytes = (0..<Int.random(in: 0...12, using: &chance)).map { _ in alphabet.randomElement(using: &chance) ?? 0 }
      do {
        let form = try Form(String(decoding: bytes, as: UTF8.self))
        read += 1
        let again = try Form(form.query.dropFirst())
        // What has no value is left out of addresses.
        let (kept, found) = (form.fields.filter { !$0.value.isEmpty }, again.fields)
        #expect(found.map(\.name) == kept.map(\.name) && found.map(\.value) == kept.map(\.value), "\(bytes)")
      } catch {
        #expect(error == .malformed)
        refused += 1
      }
    }
    #expect(read > 20 && refused > 20)
  }
}
