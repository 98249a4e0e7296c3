import Testing

@testable import ConsoleProgram

/// Which requests are answered, by the host that they name and the page that they come from.
struct HostRuleTests {
  private let plain = HostRule(publicURL: nil)
  private let proxied = HostRule(publicURL: PublicURL("https://Baton.Example/console/"))

  private func allows(_ rule: HostRule, _ host: String) -> Bool {
    HostRule.Authority(host).map(rule.allows) ?? false
  }

  @Test(arguments: [
    "localhost", "localhost:8790", "LOCALHOST:1", "baton.localhost:8790", "localhost.", "127.0.0.1", "127.0.0.1:65535", "[::1]",
    "[::1]:80",
  ])
  func loopbackIsAnswered(_ host: String) { #expect(allows(plain, host)) }

  @Test(arguments: [
    "", "evil.test", "evil.test:8790", "localhost.evil.test", "notlocalhost", "127.0.0.1.evil.test", "127.0.0.2", "0.0.0.0",
    "[::]", "[::1", "::1", "[::1]x", "localhost:", "localhost:0", "localhost:65536", "localhost:8790:1", "local host",
    "baton.example",
    "localhost/../x", "user@localhost", "localhost\u{0}", "lo\u{017F}t",
  ])
  func othersAreNot(_ host: String) { #expect(!allows(plain, host)) }

  @Test func thePublicNameIsAnsweredToo() {
    #expect(allows(proxied, "baton.example") && allows(proxied, "BATON.example:443") && allows(proxied, "localhost:1"))
    #expect(!allows(proxied, "x.baton.example") && !allows(proxied, "evil.test"))
  }

  private func objection(
    _ rule: HostRule, host: String = "baton.localhost:8790", site: String? = nil, origin: String? = nil
  ) -> HostRule.ForeignRequest? {
    HostRule.Authority(host).flatMap { rule.objection(fetchSite: site, origin: origin, authority: $0) }
  }

  @Test func whatABrowserSaysOfTheSiteCounts() {
    #expect(objection(plain, site: "same-origin") == nil)
    #expect(objection(plain, site: "none") == nil)
    // Another port of the same host is the same site, and not the console.
    #expect(objection(plain, site: "same-site", origin: "http://baton.localhost:9") == .otherSite("http://baton.localhost:9"))
    #expect(objection(plain, site: "cross-site", origin: "null") == .otherSite("null"))
    // It wins over an origin that would do.
    #expect(objection(plain, site: "cross-site", origin: "http://baton.localhost:8790") != nil)
    #expect(objection(plain, site: "") != nil)
  }

  @Test func withoutThatTheOriginMustBeTheHost() {
    #expect(objection(plain, origin: "http://baton.localhost:8790") == nil)
    #expect(objection(plain, origin: "HTTP://BATON.localhost:8790") == nil)
    for origin in [
      "http://baton.localhost", "http://baton.localhost:87900", "https://baton.localhost:8790", "http://evil.test", "null", "",
    ] {
      #expect(objection(plain, origin: origin) == .otherSite(origin), "\(origin)")
    }
    #expect(objection(plain) == .unknownOrigin)
    #expect(objection(proxied, host: "baton.example", origin: "https://baton.example") == nil)
    #expect(objection(proxied, host: "baton.example", origin: "http://baton.example") != nil)
  }

  /// Browsers send cookies to all ports of a name, so no other program may know it.
  @Test func nobodyGuessesTheNameOfAnAddress() {
    let names = Set((0..<100).map { _ in PublicURL.onLoopback(8790) })
    #expect(names.count == 100)
    for name in names {
      #expect(name.wholeMatch(of: #/http:\/\/b[0-9a-f]{2,16}\.baton\.localhost:8790/#) != nil, "\(name)")
      #expect(allows(plain, String(name.dropFirst(7))))
    }
  }

  @Test func addressesOfProxiesAreRead() throws {
    let url = try #require(PublicURL("https://baton.example:8443/a/b/"))
    #expect(url.text == "https://baton.example:8443/a/b" && url.path == "/a/b" && url.authority.port == 8443)
    #expect(PublicURL("http://localhost:8790")?.path == "" && PublicURL("https://baton.example")?.path == "")
    // The host that a proxy passes on may be without its port.
    let rule = HostRule(publicURL: url)
    #expect(objection(rule, host: "baton.example", origin: "https://baton.example:8443") == nil)
    #expect(objection(rule, host: "baton.example:8443", origin: "https://baton.example") != nil)
    #expect(PublicURL("http://baton.example") == nil, "browsers keep no cookie that was sent in the clear")
    for text in [
      "baton.example", "ftp://baton.example", "https://", "https://a b/", "https://baton.example/?x",
      "https://baton.example/#x",
    ] {
      #expect(PublicURL(text) == nil, "\(text)")
    }
  }
}
