import Testing

@testable import Dialing

/// The hosts that a certificate is for (RFC 9525).
struct CertificateNamesTests {
  private static let names = CertificateNames(
    names: [
      "Relay.Example", "*.wild.example", "*ocalhost", "*", "*.example", "a.*.example", "x*.part.example", "127.0.0.1", "",
    ],
    addresses: ["192.0.2.1", "2001:db8::1"])

  @Test(arguments: ["relay.example", "RELAY.example", "a.wild.example", "xn--a.wild.example", "192.0.2.1", "2001:db8::1"])
  func certificateIsForTheseHosts(_ host: String) { #expect(Self.names.include(host)) }

  @Test(arguments: [
    "localhost", "wild.example", "a.b.wild.example", "other.example", "a.b.example", "xy.part.example", "example",
    "relay.example.",
    "127.0.0.1", "192.0.2.2", "::1",
    // The Kelvin sign: Swift's strings count it as equal to a K.
    "relay.example\u{0}.evil.example", "\u{212A}.wild.example.org",
  ])
  func certificateIsNotForTheseHosts(_ host: String) { #expect(!Self.names.include(host)) }

  @Test func equalTextsAreNotEqualNames() {
    #expect(!CertificateNames(names: ["\u{212A}.example"]).include("K.example"))
    #expect(!CertificateNames(names: ["192.0.2.1"]).include("192.0.2.1"))
    #expect(!CertificateNames(addresses: ["192.0.2.1"]).include("relay.example"))
  }

  @Test func fewNamesAreListed() {
    #expect(CertificateNames().words == "no host at all")
    #expect(CertificateNames(names: ["a", "b"], addresses: ["192.0.2.1", "::1"]).words == "a, b, 192.0.2.1 and 1 more")
  }
}
