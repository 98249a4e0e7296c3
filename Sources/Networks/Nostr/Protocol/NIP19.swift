/// An object that NIP-19 can name.
public enum NIP19: Hashable, Sendable {
  case npub(publicKey: String)
  case nsec(secret: [UInt8])
  case note(id: String)
  case nprofile(publicKey: String, relays: [String])
  case nevent(id: String, relays: [String], author: String?, kind: UInt32?)
  case naddr(identifier: String, relays: [String], author: String, kind: UInt32)

  public enum Failure: String, Error, Hashable, Sendable {
    case notBech32 = "it is not bech32 with a right checksum"
    case unknownPrefix = "its prefix is not one of NIP-19"
    case truncated = "it ends too early"
    case wrongLength = "a part has the wrong length"
    case missingPart = "a required part is missing"
  }

  private enum Kind {
    static let special: UInt8 = 0
    static let relay: UInt8 = 1
    static let author: UInt8 = 2
    static let kind: UInt8 = 3
  }

  /// Reads a name. Unknown parts are skipped, their order does not matter (NIP-19).
  public init(_ text: String) throws(Failure) {
    guard let (prefix, bytes) = Bech32.decode(text) else { throw .notBech32 }
    switch prefix {
    case "npub": self = .npub(publicKey: try Self.hex(bytes))
    case "nsec":
      guard bytes.count == 32 else { throw .wrongLength }
      self = .nsec(secret: bytes)
    case "note": self = .note(id: try Self.hex(bytes))
    case "nprofile":
      let parts = try Self.parts(bytes)
      guard let key = parts.special else { throw .missingPart }
      self = .nprofile(publicKey: try Self.hex(key), relays: parts.relays)
    case "nevent":
      let parts = try Self.parts(bytes)
      guard let id = parts.special else { throw .missingPart }
      self = .nevent(id: try Self.hex(id), relays: parts.relays, author: parts.author, kind: parts.kind)
    case "naddr":
      let parts = try Self.parts(bytes)
      guard let name = parts.special, let author = parts.author, let kind = parts.kind else { throw .missingPart }
      guard let identifier = String(validating: name, as: UTF8.self) else { throw .wrongLength }
      self = .naddr(identifier: identifier, relays: parts.relays, author: author, kind: kind)
    default: throw .unknownPrefix
    }
  }

  /// The bech32 form. Relay addresses of more than 255 bytes cannot be written and are left out.
  public var text: String {
    switch self {
    case .npub(let key): Bech32.encode(prefix: "npub", bytes: Hex.decode(key, count: 32) ?? [])
    case .nsec(let secret): Bech32.encode(prefix: "nsec", bytes: secret)
    case .note(let id): Bech32.encode(prefix: "note", bytes: Hex.decode(id, count: 32) ?? [])
    case .nprofile(let key, let relays):
      Bech32.encode(prefix: "nprofile", bytes: Self.write(Hex.decode(key, count: 32) ?? [], relays, nil, nil))
    case .nevent(let id, let relays, let author, let kind):
      Bech32.encode(prefix: "nevent", bytes: Self.write(Hex.decode(id, count: 32) ?? [], relays, author, kind))
    case .naddr(let identifier, let relays, let author, let kind):
      Bech32.encode(prefix: "naddr", bytes: Self.write(Array(identifier.utf8), relays, author, kind))
    }
  }

  /// The beginnings of names of events, and of people.
  static let eventMarks = ["nevent1", "naddr1", "note1"]
  static let personMarks = ["npub1", "nprofile1"]

  /// The name in a link as people have them: alone, behind `nostr:`, or in the address of a page that shows the named object.
  /// - Parameters:
  ///   - link: the link, without anything around it.
  ///   - marks: with which of these the name begins, unless it stands behind `nostr:`.
  static func name(inLink link: String, _ marks: [String]) -> String? {
    let text = link.lowercased()
    func isMarked(_ word: some StringProtocol) -> Bool { marks.contains { word.hasPrefix($0) } }
    for scheme in ["nostr:", "web+nostr:"] where text.hasPrefix(scheme) {
      return words(link.dropFirst(scheme.count)).first.map { String($0) } ?? ""
    }
    if let words = wordsOfPage(link) { return words.first(where: isMarked) }
    return isMarked(text) ? link : nil
  }

  /// The words in the address of a page, in lower case, or `nil` if it is not one.
  static func wordsOfPage(_ link: String) -> [String]? {
    let text = link.lowercased()
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return nil }
    return words(text.replacing("%3a", with: ":")).map { String($0) }
  }

  private static func words(_ text: some StringProtocol) -> [Substring] {
    Substring(text).split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
  }

  private static func hex(_ bytes: [UInt8]) throws(Failure) -> String {
    guard bytes.count == 32 else { throw .wrongLength }
    return Hex.encode(bytes)
  }

  private struct Parts {
    var special: [UInt8]?
    var relays: [String] = []
    var author: String?
    var kind: UInt32?
  }

  private static func parts(_ bytes: [UInt8]) throws(Failure) -> Parts {
    var parts = Parts()
    var at = 0
    while at < bytes.count {
      guard at + 2 <= bytes.count, at + 2 + Int(bytes[at + 1]) <= bytes.count else { throw .truncated }
      let value = Array(bytes[(at + 2)..<(at + 2 + Int(bytes[at + 1]))])
      switch bytes[at] {
      case Kind.special: parts.special = parts.special ?? value
      case Kind.relay:
        if let relay = String(validating: value, as: UTF8.self) { parts.relays.append(relay) }
      // Programs write parts that they have no value for with another size. Whether the name is of use without them is seen later.
      case Kind.author: parts.author = value.count == 32 ? Hex.encode(value) : parts.author
      case Kind.kind: parts.kind = value.count == 4 ? value.reduce(0) { $0 << 8 | UInt32($1) } : parts.kind
      default: break
      }
      at += 2 + value.count
    }
    return parts
  }

  private static func write(_ special: [UInt8], _ relays: [String], _ author: String?, _ kind: UInt32?) -> [UInt8] {
    var bytes: [UInt8] = []
    func part(_ type: UInt8, _ value: [UInt8]) {
      guard value.count <= 255 else { return }
      bytes.append(type)
      bytes.append(UInt8(value.count))
      bytes += value
    }
    part(Kind.special, special)
    for relay in relays { part(Kind.relay, Array(relay.utf8)) }
    if let author, let key = Hex.decode(author, count: 32) { part(Kind.author, key) }
    if let kind { part(Kind.kind, (0..<4).map { UInt8(truncatingIfNeeded: kind >> (24 - 8 * UInt32($0))) }) }
    return bytes
  }
}
