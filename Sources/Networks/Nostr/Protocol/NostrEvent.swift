internal import Cryptography
public import StrictJSON

/// A Nostr event (NIP-01).
public struct NostrEvent: Hashable, Sendable {
  public let id: String
  public let publicKey: String
  /// Unix time in seconds.
  public let createdAt: Int64
  public let kind: Int
  public let tags: [[String]]
  public let content: String
  public let signature: String

  public init(
    id: String, publicKey: String, createdAt: Int64, kind: Int, tags: [[String]], content: String, signature: String
  ) {
    self.id = id
    self.publicKey = publicKey
    self.createdAt = createdAt
    self.kind = kind
    self.tags = tags
    self.content = content
    self.signature = signature
  }

  /// A signed event.
  /// - Parameters:
  ///   - createdAt: Unix time in seconds.
  ///   - auxiliary: 32 bytes of randomness for the signature, or `nil` to draw fresh ones.
  /// - Returns: `nil` if a text holds a control character on whose escaping relays disagree.
  public init?(
    signedBy key: SecretKey, createdAt: Int64, kind: Int, tags: [[String]] = [], content: String,
    auxiliary: [UInt8]? = nil
  ) {
    guard Self.isSignable(content), tags.allSatisfy({ $0.allSatisfy(Self.isSignable) }) else { return nil }
    let digest = Self.digest(
      publicKey: key.publicKey, createdAt: createdAt, kind: kind, tags: tags, content: content)
    guard let signature = key.sign(digest: digest, auxiliary: auxiliary) else { return nil }
    self.init(
      id: Hex.encode(digest), publicKey: key.publicKey, createdAt: createdAt, kind: kind, tags: tags, content: content,
      signature: Hex.encode(signature))
  }

  /// Whether every implementation hashes `text` alike: it has no control characters except line feed and tab.
  public static func isSignable(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A || $0 == 0x09 }
  }

  /// The reasons why an event cannot be believed.
  public enum Flaw: String, Error, Hashable, Sendable {
    case malformed = "the event is not of the form that NIP-01 prescribes"
    case wrongID = "the event's id is not the hash of its content"
    case wrongSignature = "the event's signature is not its author's"
  }

  /// Checks form, id and signature, in this order. Relays serve events whose id is a lie, so both checks are needed.
  public func verify() throws(Flaw) {
    guard let idBytes = Hex.decode(id, count: 32), let key = Hex.decode(publicKey, count: 32),
      let signatureBytes = Hex.decode(signature, count: 64), (0...65535).contains(kind)
    else { throw .malformed }
    let digest = Self.digest(publicKey: publicKey, createdAt: createdAt, kind: kind, tags: tags, content: content)
    guard digest == idBytes else { throw .wrongID }
    guard Signature.isValid(signatureBytes, of: digest, by: key) else { throw .wrongSignature }
  }

  /// Checks an event that a relay serves as `signed`, the text of an event that was signed here. If it is identical, it needs no
  /// verification. Bytes count, because Swift treats some different texts as equal.
  func verify(unlessItIs signed: String?) throws(Flaw) {
    if let signed, signed.utf8.elementsEqual(text.utf8) { return }
    try verify()
  }

  /// The bytes whose SHA-256 is the id (NIP-01). Written by hand: general encoders escape `/` and reorder members.
  public static func serialized(
    publicKey: String, createdAt: Int64, kind: Int, tags: [[String]], content: String
  ) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(content.utf8.count + 128)
    out.append(contentsOf: "[0,".utf8)
    JSONValue.write(publicKey, into: &out)
    out.append(contentsOf: ",\(createdAt),\(kind),".utf8)
    write(tags, into: &out)
    out.append(UInt8(ascii: ","))
    JSONValue.write(content, into: &out)
    out.append(UInt8(ascii: "]"))
    return out
  }

  static func digest(publicKey: String, createdAt: Int64, kind: Int, tags: [[String]], content: String) -> [UInt8] {
    SHA256.digest(
      of: serialized(publicKey: publicKey, createdAt: createdAt, kind: kind, tags: tags, content: content))
  }

  private static func write(_ tags: [[String]], into out: inout [UInt8]) {
    JSONValue.array(tags.map { .array($0.map(JSONValue.string)) }).write(into: &out)
  }

  /// The event as JSON, members in the order in which NIP-01 lists them.
  public var text: String {
    var out: [UInt8] = []
    out.append(contentsOf: "{\"id\":".utf8)
    JSONValue.write(id, into: &out)
    out.append(contentsOf: ",\"pubkey\":".utf8)
    JSONValue.write(publicKey, into: &out)
    out.append(contentsOf: ",\"created_at\":\(createdAt),\"kind\":\(kind),\"tags\":".utf8)
    Self.write(tags, into: &out)
    out.append(contentsOf: ",\"content\":".utf8)
    JSONValue.write(content, into: &out)
    out.append(contentsOf: ",\"sig\":".utf8)
    JSONValue.write(signature, into: &out)
    out.append(UInt8(ascii: "}"))
    return String(decoding: out, as: UTF8.self)
  }

  /// Reads an event. It checks the form only: call `verify` before relying on the event.
  /// - Returns: `nil` unless all seven members are there with the right types.
  public init?(json: JSONValue) {
    guard let id = json["id"]?.string, let publicKey = json["pubkey"]?.string,
      let createdAt = json["created_at"]?.integer, let kind = json["kind"]?.integer, let content = json["content"]?.string,
      let signature = json["sig"]?.string, let rawTags = json["tags"]?.array, (0...65535).contains(kind)
    else { return nil }
    var tags: [[String]] = []
    for tag in rawTags {
      guard let elements = tag.array else { return nil }
      let texts = elements.compactMap(\.string)
      guard texts.count == elements.count else { return nil }
      tags.append(texts)
    }
    self.init(
      id: id, publicKey: publicKey, createdAt: createdAt, kind: Int(kind), tags: tags, content: content,
      signature: signature)
  }

  /// Whether it replaces another version of a replaceable event: of two versions with one date, the lower id replaces the other (NIP-01).
  func isNewer(than other: NostrEvent) -> Bool { (createdAt, other.id) > (other.createdAt, id) }

  /// The first value of the first tag named `name`.
  public func tag(_ name: String) -> String? {
    tags.first { $0.first == name && $0.count > 1 }?[1]
  }
}
