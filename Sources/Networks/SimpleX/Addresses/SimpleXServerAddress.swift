public import Channels
public import RelayNetwork

/// Reads and writes the addresses of message servers (`smp://`) and file servers (`xftp://`):
/// `scheme://fingerprint[:password]@host[,host]*[:port]`.
public enum SimpleXServerAddress {
  /// Upper bound of an address, in bytes.
  public static let bytesMax = AddressReader.bytesMax

  /// Reads `text`.
  /// - Throws: `InvalidAddress` with the fault and its place, without the password.
  public static func parse(_ text: String) throws(InvalidAddress) -> ServerAddress {
    try AddressReader.read(text, normalForm: { Self.text(of: $0, includingPassword: true) }) { bytes throws(AddressFault) in
      try parse(bytes: bytes).address
    }
  }

  /// The normal form: lower case, without a default port, IPv6 addresses in brackets, the fingerprint with its `=` as the
  /// official programs print it.
  /// - Parameter includingPassword: whether to include the password, which only the server's operator needs. Everything else shows
  ///   `address.text`.
  public static func text(of address: ServerAddress, includingPassword: Bool) -> String {
    text(
      transport: address.transport, fingerprint: address.fingerprint, hosts: address.hosts, port: address.port,
      password: includingPassword ? address.password : nil)
  }

  /// The port of an address without a port.
  public static func defaultPort(of transport: ServerProtocol) -> Int {
    switch transport {
    case .smp: 5223
    case .xftp: 443
    }
  }

  private static func text(
    transport: ServerProtocol, fingerprint: String, hosts: [String], port: Int?, password: String?
  ) -> String {
    let secret = password.map { ":" + $0 } ?? ""
    let places = hosts.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
    let ending = port.map { ":\($0)" } ?? ""
    return "\(transport.rawValue)://\(fingerprint)=\(secret)@\(places)\(ending)"
  }

  static func parse(bytes: ArraySlice<UInt8>) throws(AddressFault) -> (address: ServerAddress, hosts: [SimpleXHost]) {
    let (transport, start) = try scheme(of: bytes)
    guard let at = bytes[start...].lastIndex(of: UInt8(ascii: "@")) else {
      throw AddressFault(
        "the server's fingerprint is missing: an address reads \(transport.rawValue)://FINGERPRINT@HOST", at: start)
    }
    let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":"))
    let fingerprint = try Self.fingerprint(bytes[start..<(colon ?? at)])
    let password = try colon.map { colon throws(AddressFault) in try Self.password(bytes[(colon + 1)..<at]) }
    let place = bytes[(at + 1)...]
    if let end = place.firstIndex(where: { "/?#".utf8.contains($0) }) {
      throw AddressFault("nothing may follow the hosts and the port", at: end)
    }
    let list = try HostList(place)
    let hosts = list.hosts.map(\.name)
    // The protocol's default port is left out, so that equal addresses are equal values. At preset servers a missing port means
    // another one, so there it is kept.
    let isOwn = list.port == defaultPort(of: transport) && list.hosts.first?.isPreset != true
    let port = isOwn ? nil : list.port
    let address = ServerAddress(
      transport: transport, fingerprint: fingerprint, hosts: hosts, port: port, password: password,
      text: text(transport: transport, fingerprint: fingerprint, hosts: hosts, port: port, password: nil))
    return (address, list.hosts)
  }

  private static func scheme(of bytes: ArraySlice<UInt8>) throws(AddressFault) -> (ServerProtocol, Int) {
    for transport in ServerProtocol.allCases {
      if let end = bytes.end(ofPrefix: transport.rawValue + "://") { return (transport, end) }
    }
    if bytes.end(ofPrefix: "ntf://") != nil {
      throw AddressFault(
        "this is a notification server's address, and only message servers (smp://) and file servers (xftp://) are managed",
        at: 0)
    }
    if bytes.end(ofPrefix: "https://") != nil || bytes.end(ofPrefix: "simplex:") != nil {
      throw AddressFault("this is a link, not the address of a server", at: 0)
    }
    throw AddressFault("it must start with smp:// or xftp://", at: 0)
  }

  private static func fingerprint(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> String {
    guard !bytes.isEmpty else { throw AddressFault("the server's fingerprint is missing", at: bytes.startIndex) }
    let isPadded = bytes.last == UInt8(ascii: "=")
    return try Base64URL.check(isPadded ? bytes.dropLast() : bytes, name: "the fingerprint")
  }

  private static func password(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> String {
    guard !bytes.isEmpty else { throw AddressFault("the password is empty: leave out the ':' too", at: bytes.startIndex) }
    if let wrong = bytes.firstIndex(where: { "@:/".utf8.contains($0) }) {
      throw AddressFault("the password may not hold '@', ':' or '/'", at: wrong)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
