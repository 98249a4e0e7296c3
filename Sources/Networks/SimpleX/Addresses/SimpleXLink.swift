public import RelayNetwork

/// A link that clients of the network exchange: the short kind that names a server and a key, or the older full kind that
/// carries a queue.
public enum SimpleXLink: Hashable, Sendable {
  case short(SimpleXShortLink)
  case full(SimpleXContactLink)

  /// The kind of object that a link leads to. The raw value is the letter in a short link.
  public enum Kind: String, Sendable, CaseIterable {
    case contact = "a"
    case channel = "c"
    /// A group, or the link of a relay for one channel.
    case group = "g"
    case invitation = "i"
    case relay = "r"
  }

  /// Upper bound of a link, in bytes.
  public static let bytesMax = AddressReader.bytesMax

  /// Reads `text`.
  /// - Throws: `InvalidAddress` with the fault and its place.
  public init(_ text: String) throws(InvalidAddress) {
    self = try AddressReader.read(text, normalForm: \.text) { bytes throws(AddressFault) in try Self(bytes: bytes) }
  }

  init(bytes: ArraySlice<UInt8>) throws(AddressFault) {
    if let path = SimpleXContactLink.path(in: bytes) {
      if let end = bytes[path...].end(ofPrefix: "contact") {
        self = .full(try SimpleXContactLink(bytes[end...]))
        return
      }
      if bytes[path...].end(ofPrefix: "invitation") != nil {
        throw AddressFault("this is a full one-time invitation, which is good for one use only", at: path)
      }
    }
    self = .short(try SimpleXShortLink(bytes))
  }

  public var kind: Kind {
    switch self {
    case .short(let link): link.kind
    case .full: .contact
    }
  }

  /// The names and addresses, at least one, of the server that keeps the object of the link.
  public var hosts: [SimpleXHost] {
    switch self {
    case .short(let link): link.hosts
    case .full(let link): link.hosts
    }
  }

  /// The port, or `nil` if the link does not contain one.
  public var port: Int? {
    switch self {
    case .short(let link): link.port
    case .full(let link): link.server.port
    }
  }

  /// The fingerprint of the server, or `nil` if the link does not contain it.
  public var serverFingerprint: String? {
    switch self {
    case .short(let link): link.serverFingerprint
    case .full(let link): link.server.fingerprint
    }
  }

  /// The key, 32 bytes in base64url, or `nil` in a full link.
  public var key: String? {
    switch self {
    case .short(let link): link.key
    case .full: nil
    }
  }

  /// The normal form.
  public var text: String {
    switch self {
    case .short(let link): link.text
    case .full(let link): link.text
    }
  }

  /// The host by which people recognise the link.
  public var displayHost: String { hosts.first?.name ?? "" }

  /// A key that is equal for two links to one object, however they are written: same letter, same server, same key.
  public var comparisonKey: String {
    switch self {
    case .short(let link): link.comparisonKey
    case .full(let link): link.comparisonKey
    }
  }
}
