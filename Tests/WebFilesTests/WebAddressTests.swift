import Testing

@testable import WebFiles

/// Addresses of servers, and names at domains.
struct WebAddressTests {
  @Test func addressesHaveANormalForm() throws {
    for (text, normal) in [
      ("https://Files.Example", "https://files.example"), ("HTTPS://files.example:443/", "https://files.example"),
      ("https://files.example.:8443", "https://files.example:8443"), ("http://127.0.0.1:3000/", "http://127.0.0.1:3000"),
      ("http://[::1]:80", "http://[::1]"), ("http://localhost:3000", "http://localhost:3000"),
      ("https://[2001:DB8::1]", "https://[2001:db8::1]"), ("https://192.0.2.1", "https://192.0.2.1"),
    ] {
      #expect(try WebAddress(server: text).server == normal)
    }
    #expect(try WebAddress("https://a.example/x?y=1").text == "https://a.example/x?y=1")
  }

  @Test(arguments: [
    ("", "https://"), ("files.example", "https://"), ("ftp://files.example", "https://"), ("https://", "host"),
    ("https:///upload", "host"), ("http://files.example", "this machine"), ("http://127.0.0.1.example", "this machine"),
    ("http://128.0.0.1", "this machine"), ("https://user@files.example", "user name"),
    ("https://:secret@files.example", "user name"), ("https://files.example/#x", "'#'"), ("https://files.example:0", "port"),
    ("https://files.example:65536", "must"), ("https://files.example/a b", "ASCII"), ("https://b\u{FC}cher.example", "ASCII"),
    ("https://files.example\r\nX: y", "ASCII"), ("https://-a.example", "host"), ("https://a..example", "host"),
    ("https://[::1%25eth0]", "must"), ("https://files.example/upload", "path"), ("https://files.example?x", "path"),
    ("https://a%2eexample", "must"), ("https://\(String(repeating: "a", count: 2_000))", "bytes"),
  ])
  func otherTextsAreRefusedWithTheReason(_ text: String, _ word: String) {
    let flaw = #expect(throws: WebAddress.Flaw.self) { try WebAddress(server: text) }
    #expect(flaw?.description.contains(word) == true, "\(text): \(String(describing: flaw))")
    #expect(flaw?.description.contains("secret") == false)
  }

  @Test func namesAtDomainsAreRead() throws {
    for (text, shown) in [
      ("bob@example.com", "bob@example.com"), ("Bob@Example.COM", "bob@example.com"), ("_@example.com", "example.com"),
      ("example.com", "example.com"), ("a-b_c.d@example.com", "a-b_c.d@example.com"), ("x@127.0.0.1:81", "x@127.0.0.1:81"),
      ("x@[::1]:81", "x@[::1]:81"),
    ] {
      #expect(try DomainName(text).text == shown)
    }
    for text in ["x@127.0.0.1:81", "x@[::1]:81", "x@LOCALHOST", "127.0.0.9", "x@localhost.:81"] {
      #expect(try DomainName(text).isLocal, "\(text)")
    }
    for text in ["x@example.com", "x@localhost.example", "x@192.0.2.1"] { #expect(try !DomainName(text).isLocal, "\(text)") }
    #expect(DomainName.isMeant(by: "a@b") && DomainName.isMeant(by: "example.com"))
    for key in ["npub1abc", "nprofile1abc", "nostr:npub1abc", String(repeating: "a", count: 64)] {
      #expect(!DomainName.isMeant(by: key))
    }
  }

  @Test(arguments: [
    "@example.com", "bob@", "a@b@example.com", "b ob@example.com", "bob@example.com/x", "bob@example.com?x",
    "bob@example.com#x",
    "bob@example.com:8443", "bob@user:pw@example.com", "b/ob@example.com", "bo&b@example.com", "b\u{F6}b@example.com",
    "bob@b\u{FC}cher.example", "https://example.com", "bob@https://example.com", "bob@example..com", "", "bob@exam\r\nple.com",
  ])
  func otherNamesAreRefused(_ text: String) {
    #expect(throws: DomainName.Flaw.self) { try DomainName(text) }
  }
}
