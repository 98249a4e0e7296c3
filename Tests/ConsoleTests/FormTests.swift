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

  /// Whatever a client sends: it is read or refused, and nothing else happens.
  @Test func anyBytesAreReadOrRefused() {
    var source = SystemRandomNumberGenerator()
    let alphabet = Array("%+&=aF0\u{C3}\u{A9} /".utf8)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0...40, using: &source)).map { _ in alphabet.randomElement(using: &source) ?? 0 }
      if let form = try? Form(String(decoding: bytes, as: UTF8.self)) {
        #expect((try? Form(form.query.dropFirst()))?.fields.count ?? 0 <= form.fields.count)
      }
    }
  }
}
