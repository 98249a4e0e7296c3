internal import NIOCore
internal import NIOSSL

/// The hosts that a certificate is for, and whether one of them is the host that was asked for (RFC 9525).
///
/// The TLS library looks too, but not closely enough: when a name was asked for, it accepts the address to which the name led, and anyone
/// who can forge an answer to the lookup controls that address. To it, `*elay.example` is good for `relay.example` too.
struct CertificateNames: Hashable, Sendable {
  /// Host names as the certificate has them. They are bytes, because Swift counts some texts as equal that differ.
  private var names: [[UInt8]] = []
  /// IP addresses in their normal spelling.
  private var addresses: [String] = []

  init(names: [String] = [], addresses: [String] = []) {
    self.names = names.map { Array($0.utf8) }
    self.addresses = addresses
  }

  init(_ certificate: NIOSSLCertificate) {
    for name in certificate._subjectAlternativeNames() {
      switch name.nameType {
      case .dnsName: names.append(Array(name.contents))
      case .ipAddress:
        let packed = ByteBuffer(bytes: name.contents)
        guard let address = try? SocketAddress(packedIPAddress: packed, port: 0).ipAddress else { continue }
        addresses.append(address)
      default: continue
      }
    }
  }

  /// Whether the certificate is for `host`. An address needs the same address. A name needs the same name, or a name with `*` in place of
  /// its first label. Names are never compared with addresses.
  func include(_ host: String) -> Bool {
    if let address = IPAddress.version4(host) ?? IPAddress.version6(host) { return addresses.contains(address) }
    let wanted = Self.labels(Array(host.utf8))
    return names.contains { Self.isMatch(Self.labels($0), wanted) }
  }

  private static func labels(_ name: [UInt8]) -> [[UInt8]] {
    let small = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    return small.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
  }

  private static func isMatch(_ pattern: [[UInt8]], _ host: [[UInt8]]) -> Bool {
    guard pattern.count == host.count else { return false }
    if pattern == host { return true }
    // `*.example` would be valid for everyone below a top-level domain. Other programs refuse it too.
    return pattern.count > 2 && pattern.first == [UInt8(ascii: "*")] && pattern.dropFirst() == host.dropFirst()
  }

  /// The names for people. The certificate may hold anything, which is cut and cleaned with the text that it becomes part of.
  var words: String {
    let all = names.map { String(decoding: $0, as: UTF8.self) } + addresses
    guard !all.isEmpty else { return "no host at all" }
    return all.prefix(3).joined(separator: ", ") + (all.count > 3 ? " and \(all.count - 3) more" : "")
  }
}
