import Channels
import RelayNetwork
import SimpleX
import Testing

/// Base64url and hosts, the parts of every address.
struct HostTests {
  // MARK: Base64url

  @Test("Base64url gives back every number of bytes", arguments: 0...70)
  func base64Inverse(count: Int) throws {
    var generator = SplitMix64(seed: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
  }

  @Test("Base64url follows the vectors of RFC 4648")
  func base64Vectors() {
    let vectors = ["": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE", "foobar": "Zm9vYmFy"]
    for (plain, encoded) in vectors {
      #expect(Base64URL.encode(plain.utf8) == encoded)
      #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }
    #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
  }

  @Test("Base64url has one text per value", arguments: ["Zh", "Zm9", "Z", "Zg==", "+/8", "Zm 8", "Zm9vYg\n", "Zmü"])
  func base64Strict(text: String) { #expect(Base64URL.decode(text) == nil) }

  // MARK: Hosts

  @Test(
    "A host has one normal form",
    arguments: [
      ("SMP8.Simplex.IM", "smp8.simplex.im", SimpleXHost.Kind.domain), ("localhost", "localhost", .domain),
      ("_x.a-b.example", "_x.a-b.example", .domain), (AddressSamples.onion.uppercased(), AddressSamples.onion, .onion),
      ("abc.onion", "abc.onion", .onion),
      ("192.168.0.1", "192.168.0.1", .ipv4), ("0.0.0.0", "0.0.0.0", .ipv4), ("::1", "::1", .ipv6), ("[::1]", "::1", .ipv6),
      ("::", "::", .ipv6), ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1", .ipv6), ("1:0:0:2:0:0:0:3", "1:0:0:2::3", .ipv6),
      ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4", .ipv6), ("1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8", .ipv6), ("1::", "1::", .ipv6),
      ("::ffff:1.2.3.4", "::ffff:1.2.3.4", .ipv6), ("64:ff9b::1.2.3.4", "64:ff9b::102:304", .ipv6),
      ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", .ipv6),
      (String(repeating: "a", count: 63), String(repeating: "a", count: 63), .domain),
    ])
  func host(given: String, name: String, kind: SimpleXHost.Kind) throws {
    let host = try SimpleXHost(given)
    #expect(host.name == name)
    #expect(host.kind == kind)
    #expect(host.bracketed == (kind == .ipv6 ? "[\(name)]" : name))
    #expect(try SimpleXHost(host.bracketed) == host)
  }

  @Test(
    "What is no host is refused with reason and place",
    arguments: [
      ("a..b", "the host name has one dot too many", 2), ("a.", "the host name has one dot too many", 1),
      (".a", "the host name has one dot too many", 0), ("a.-b", "a part of the host name begins or ends with '-'", 2),
      ("b-.a", "a part of the host name begins or ends with '-'", 0), ("256.1.1.1", "the host is not an IPv4 address", 0),
      ("1.2.3", "the host is not an IPv4 address", 0), ("01.2.3.4", "the host is not an IPv4 address", 0),
      ("0x7f000001", "the host is not an IPv4 address", 0), ("1:2", "the host is not an IPv6 address", 0),
      ("1::2::3", "the host is not an IPv6 address", 0), (":::", "the host is not an IPv6 address", 0),
      ("12345::", "the host is not an IPv6 address", 0), ("1:2:3:4:5:6:7:8:9", "the host is not an IPv6 address", 0),
      ("1.2.3.4::", "the host is not an IPv6 address", 0), ("fe80::1%eth0", "the host is not an IPv6 address", 0),
      ("fe80::1%lo", "the host is not an IPv6 address", 0),
      ("1:2:3:4:5:6:7::8", "the host is not an IPv6 address", 0),
      ("[::1", "the bracket around the IPv6 address is not closed", 0),
      ("[a]", "the host is not an IPv6 address", 0),
      ("ab$c", "a host name may only hold letters, digits, '-', '_' and dots", 2),
      (".onion", "the host name has one dot too many", 0), ("onion", "the host is not an onion name", 0),
      ("a.b.onion", "the host is not an onion name", 0),
      ("0" + AddressSamples.onion.dropFirst(), "the host is not an onion name", 0),
      ("a" + AddressSamples.onion, "the host is not an onion name", 0),
      ("x." + String(repeating: "a", count: 64), "a part of the host name is longer than 63 characters", 2),
      (String(repeating: "a.", count: 127), "the host name is longer than 253 characters", 0),
      ("bücher.example", "it holds a space, a control character or a character outside ASCII", 1),
      ("a\r\nb", "it holds a space, a control character or a character outside ASCII", 1),
    ])
  func badHost(text: String, reason: String, position: Int) throws {
    let fault = try #require(AddressSamples.fault { try SimpleXHost(text) })
    #expect(fault.reason == reason)
    #expect(fault.position == position)
  }

  @Test(
    "Only names below a preset domain are preset servers",
    arguments: [
      ("smp4.simplex.im", true), ("smp1.simplexonflux.com", true), ("notsimplex.im", false), ("simplex.im", false),
      ("smp4.simplex.im.example.com", false), (AddressSamples.onion, false),
    ])
  func presetHosts(name: String, isPreset: Bool) throws { #expect(try SimpleXHost(name).isPreset == isPreset) }
}
