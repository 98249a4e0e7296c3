/// A short link: `https://HOST/T#KEY[?h=..&p=..&c=..]` or `simplex:/T#KEY?h=..[&p=..&c=..]`.
public struct SimpleXShortLink: Hashable, Sendable {
  public let kind: SimpleXLink.Kind
  /// The names and addresses of the server, at least one.
  public let hosts: [SimpleXHost]
  /// The port. `nil` for the protocol's default, or the port that clients have built in.
  public let port: Int?
  /// The fingerprint in base64url, of any length, because tests of the network have short ones. `nil` if clients have it built in.
  public let serverFingerprint: String?
  /// The place of an invitation, 24 bytes in base64url, or `nil` in every other kind.
  public let linkID: String?
  /// The key, 32 bytes in base64url.
  public let key: String

  static let linkIDBytes = 24
  private static let portReason = "the port does not stand after the host: add p=PORT to the parameters"

  init(_ bytes: ArraySlice<UInt8>) throws(AddressFault) {
    let (authority, path) = try Self.split(bytes)
    // A misplaced port is reported before any other fault.
    let first = try authority.map { authority throws(AddressFault) in try Self.host(authority) }
    let (kind, secret) = try Self.kind(bytes[path...])
    let mark = secret.firstIndex(of: UInt8(ascii: "?"))
    let identity = secret[..<(mark ?? secret.endIndex)]
    if kind == .invitation {
      guard let slash = identity.firstIndex(of: UInt8(ascii: "/")) else {
        throw AddressFault("the key is missing: an invitation reads /i#ID/KEY", at: identity.endIndex)
      }
      linkID = try Base64URL.check(identity[..<slash], name: "the invitation's id", bytes: Self.linkIDBytes)
      key = try Self.key(identity[(slash + 1)...])
    } else {
      linkID = nil
      key = try Self.key(identity)
    }
    let query = try mark.map { mark throws(AddressFault) in try LinkQuery(secret[(mark + 1)...], names: ["h", "p", "c"]) }
    let further = try query?["h"]?.read { bytes throws(AddressFault) in
      try HostList(bytes, portReason: "the port does not stand among the hosts: add p=PORT to the parameters").hosts
    }
    port = try query?["p"]?.read(HostList.port)
    serverFingerprint = try query?["c"]?.read(Self.fingerprint)
    self.kind = kind
    hosts = (first.map { [$0] } ?? []) + (further ?? [])
    guard !hosts.isEmpty else {
      throw AddressFault("the server is missing: a link that starts with simplex: needs ?h=HOST", at: bytes.endIndex)
    }
  }

  /// The bytes of the host, if the link begins with one, and the index of the letter.
  private static func split(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> (ArraySlice<UInt8>?, Int) {
    if let start = bytes.end(ofPrefix: "https://") {
      let authority = bytes[start...].prefix { !"/?#".utf8.contains($0) }
      guard authority.endIndex < bytes.endIndex, bytes[authority.endIndex] == UInt8(ascii: "/") else {
        throw AddressFault("a '/' and the letter of the link must follow the host", at: authority.endIndex)
      }
      return (authority, authority.endIndex + 1)
    }
    if let start = bytes.end(ofPrefix: "simplex:") {
      guard start < bytes.endIndex, bytes[start] == UInt8(ascii: "/") else {
        throw AddressFault("a '/' and the letter of the link must follow simplex:", at: start)
      }
      return (nil, start + 1)
    }
    for (scheme, server) in [("smp", "message"), ("xftp", "file"), ("ntf", "notification")] {
      if bytes.end(ofPrefix: scheme + "://") != nil {
        throw AddressFault("this is the address of a \(server) server, not a link", at: 0)
      }
    }
    throw AddressFault("it must start with https:// or simplex:/", at: 0)
  }

  private static func host(_ authority: ArraySlice<UInt8>) throws(AddressFault) -> SimpleXHost {
    if let at = authority.firstIndex(of: UInt8(ascii: "@")) {
      throw AddressFault("the link may not hold a user name or password", at: at)
    }
    if let comma = authority.firstIndex(of: UInt8(ascii: ",")) {
      throw AddressFault("further hosts do not stand here: add h=HOST,HOST to the parameters", at: comma)
    }
    let list = try HostList(authority, portReason: portReason)
    return list.hosts[list.hosts.startIndex]
  }

  /// Reads the letter, an optional `/`, and `#`.
  private static func kind(_ path: ArraySlice<UInt8>) throws(AddressFault) -> (SimpleXLink.Kind, ArraySlice<UInt8>) {
    let word = path.prefix { !"/?#".utf8.contains($0) }
    guard let kind = SimpleXLink.Kind(rawValue: String(decoding: word, as: UTF8.self).lowercased()) else {
      throw AddressFault(
        "the letter of the link must be a (contact), c (channel), g (group), i (invitation) or r (relay)", at: path.startIndex)
    }
    var rest = path[word.endIndex...]
    if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
    guard rest.first == UInt8(ascii: "#") else {
      throw AddressFault("a '#' and the key must follow the letter of the link", at: rest.startIndex)
    }
    return (kind, rest.dropFirst())
  }

  private static func key(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> String {
    guard !bytes.isEmpty else { throw AddressFault("the key is missing", at: bytes.startIndex) }
    return try Base64URL.check(bytes, name: "the key")
  }

  /// Reads the fingerprint. Some programs write it with the padding of base64, as in server addresses. The normal form has no padding.
  private static func fingerprint(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> String {
    let bare = bytes.last == UInt8(ascii: "=") ? bytes.dropLast() : bytes
    if let wrong = bare.firstIndex(where: { Base64URL.value(of: $0) == nil }) ?? (bare.isEmpty ? bytes.startIndex : nil) {
      throw AddressFault("the fingerprint may only hold letters, digits, '-' and '_', and one '=' at its end", at: wrong)
    }
    return String(decoding: bare, as: UTF8.self)
  }

  private var identity: String { linkID.map { $0 + "/" + key } ?? key }

  /// The normal form: `https:` if a browser could follow it, `simplex:` if the first host is an onion name.
  public var text: String {
    let isWeb = hosts.first.map { $0.kind != .onion } ?? false
    let further = hosts.dropFirst(isWeb ? 1 : 0).map(\.bracketed).joined(separator: ",")
    var parameters: [String] = []
    if !further.isEmpty { parameters.append("h=" + LinkQuery.encode(further)) }
    if let port { parameters.append("p=\(port)") }
    if let serverFingerprint { parameters.append("c=" + serverFingerprint) }
    let start = isWeb ? "https://" + (hosts.first?.bracketed ?? "") : "simplex:"
    let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
    return "\(start)/\(kind.rawValue)#\(identity)\(query)"
  }

  var comparisonKey: String { "\(kind.rawValue) \(hosts.first?.name ?? "") \(identity)" }
}
