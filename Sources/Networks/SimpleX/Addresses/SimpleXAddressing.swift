public import Channels
public import RelayNetwork

/// Reads the addresses of SimpleX relays: short links with the letter `r`.
public struct SimpleXAddressing: RelayAddressing {
  public let kind = NetworkKind.simplex

  /// The upper bound of an address, in bytes.
  public static let bytesMax = AddressReader.bytesMax

  public let readsAsMember = true

  public init() {}

  /// The core makes the link when it makes the channel.
  public func fixedLink(of content: ChannelContent) -> String? { content.trustAnchor }

  /// The normal form of a relay address. Its comparison key is the same for all spellings of one link.
  /// - Throws: `InvalidAddress` with the fault and its place, or with the kind of text that was found instead.
  public func parse(address: String) throws(InvalidAddress) -> RelayAddress {
    try AddressReader.read(address, normalForm: \.text) { bytes throws(AddressFault) in
      let link = try SimpleXLink(bytes: bytes)
      switch link {
      case .full: throw AddressFault("this is the full link of a contact, not the address of a relay", at: nil)
      case .short(let short):
        guard short.kind == .relay else {
          throw AddressFault("this is the link of \(Self.name(of: short.kind)), not the address of a relay", at: nil)
        }
        try Self.checkServer(of: short, in: bytes)
      }
      return RelayAddress(text: link.text, displayHost: link.displayHost, comparisonKey: link.comparisonKey)
    }
  }

  private static func name(of kind: SimpleXLink.Kind) -> String {
    switch kind {
    case .contact: "a contact"
    case .channel: "a channel"
    case .group: "a group"
    case .invitation: "an invitation"
    case .relay: "a relay"
    }
  }

  /// Checks that a fingerprint is given where one is needed. Clients have the fingerprints of preset servers built in. Without its
  /// fingerprint any other server could be impersonated.
  private static func checkServer(of link: SimpleXShortLink, in bytes: ArraySlice<UInt8>) throws(AddressFault) {
    if let fingerprint = link.serverFingerprint {
      guard Base64URL.decode(fingerprint)?.count == Base64URL.hashBytes else {
        throw AddressFault(
          "the server's fingerprint has \(fingerprint.utf8.count) characters or is damaged: it must be 43 of base64url",
          at: fingerprintStart(in: bytes))
      }
    } else if link.hosts.first?.isPreset != true {
      throw AddressFault("the server's fingerprint is missing: add ?c=FINGERPRINT", at: bytes.endIndex)
    }
  }

  private static func fingerprintStart(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.dropFirst().first {
      bytes[$0...].starts(with: "c=".utf8) && "?&".utf8.contains(bytes[$0 - 1])
    }.map { $0 + 2 }
  }
}
