public import RelayNetwork

/// A link that clients of the network exchange: the short kind that names a server and a key, or the older full kind that
/// carries a queue.
public enum SimpleXLink: Hashable, Sendable {
  case short(SimpleXShortLink)
  case full(SimpleXContactLink)

  /// What a link leads to; the raw value is the letter in a short link.
  public enum Kind: String, Sendable, CaseIterable {
    case contact = "a"
    case channel = "c"
    /// A group, or what a relay gives out for one channel.
    case group = "g"
    case invitation = "i"
    case relay = "r"
  }

  /// Upper bound of a link, in bytes.
  public static let bytesMax = AddressReader.bytesMax

  /// Reads `text`.
  /// - Throws: `InvalidAddress` that says what is wrong where.
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

  /// Names and addresses of the server that keeps what the link leads to; never empty.
  public var hosts: [SimpleXHost] {
    switch self {
    case .short(let link): link.hosts
    case .full(let link): link.hosts
    }
  }

  /// nil: not said in the link.
  public var port: Int? {
    switch self {
    case .short(let link): link.port
    case .full(let link): link.server.port
    }
  }

  /// nil: not said in the link.
  public var serverFingerprint: String? {
    switch self {
    case .short(let link): link.serverFingerprint
    case .full(let link): link.server.fingerprint
    }
  }

  /// 32 bytes of base64url; nil in a full link.
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

  /// What people recognise the link by.
  public var displayHost: String { hosts.first?.name ?? "" }

  /// Equal for two links to one thing, however they are written: same letter, same server, same key.
  public var comparisonKey: String {
    switch self {
    case .short(let link): link.comparisonKey
    case .full(let link): link.comparisonKey
    }
  }
}
