internal import Dialing
public import RelayNetwork

/// A host in a SimpleX address, in normal form.
public struct SimpleXHost: Hashable, Sendable {
  public enum Kind: Sendable {
    case domain, onion, ipv4, ipv6
  }

  public let kind: Kind
  /// The host in lower case. An IPv6 address is without brackets, as RFC 5952 writes it.
  public let name: String

  private static let onionEnding = ".onion"
  /// A version 3 onion name: key, checksum and version in base32.
  private static let onionNameMax = 56
  /// The endings of the hosts of servers that clients have built in. The dot keeps `notsimplex.im` out.
  private static let presetEndings = [".simplex.im", ".simplexonflux.com"]

  /// Reads `text`: a domain name, an onion name, an IPv4 address, or an IPv6 address with or without brackets.
  /// - Throws: `InvalidAddress` with the fault and its place.
  public init(_ text: String) throws(InvalidAddress) {
    self = try AddressReader.read(text, normalForm: \.bracketed) { bytes throws(AddressFault) in try Self(bytes: bytes) }
  }

  init(bytes: ArraySlice<UInt8>) throws(AddressFault) {
    let start = bytes.startIndex
    guard let first = bytes.first, let last = bytes.last else { throw AddressFault("the host is missing", at: start) }
    let text = String(decoding: bytes, as: UTF8.self)
    if first == UInt8(ascii: "[") {
      guard last == UInt8(ascii: "]") else {
        throw AddressFault("the bracket around the IPv6 address is not closed", at: start)
      }
      self = try Self(ipv6: text.dropFirst().dropLast(), at: start)
    } else if text.contains(":") {
      self = try Self(ipv6: text[...], at: start)
    } else if Self.endsInNumber(text) {
      guard IPAddress.version4(text) != nil else { throw AddressFault("the host is not an IPv4 address", at: start) }
      (kind, name) = (.ipv4, text)
    } else {
      try Self.checkLabels(bytes)
      name = text.lowercased()
      kind = name.hasSuffix(Self.onionEnding) || name == Self.onionEnding.dropFirst() ? .onion : .domain
      if kind == .onion { try Self.checkOnion(name, at: start) }
    }
  }

  private init(ipv6 text: Substring, at start: Int) throws(AddressFault) {
    guard let address = IPAddress.version6(String(text)) else {
      throw AddressFault("the host is not an IPv6 address", at: start)
    }
    (kind, name) = (.ipv6, address)
  }

  /// Whether a resolver could read `text` as a number, which a domain name must not be.
  private static func endsInNumber(_ text: String) -> Bool {
    let label = text.split(separator: ".").last ?? ""
    let isHexadecimal = label.lowercased().hasPrefix("0x") && label.dropFirst(2).allSatisfy(\.isHexDigit)
    return isHexadecimal || (!label.isEmpty && label.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
  }

  private static func checkLabels(_ bytes: ArraySlice<UInt8>) throws(AddressFault) {
    if let wrong = bytes.firstIndex(where: { !isLabelCharacter($0) && $0 != UInt8(ascii: ".") }) {
      throw AddressFault("a host name may only hold letters, digits, '-', '_' and dots", at: wrong)
    }
    guard bytes.count <= 253 else { throw AddressFault("the host name is longer than 253 characters", at: bytes.startIndex) }
    for label in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let first = label.first, let last = label.last else {
        throw AddressFault(
          "the host name has one dot too many", at: max(bytes.startIndex, min(label.startIndex, bytes.endIndex - 1)))
      }
      guard label.count <= 63 else {
        throw AddressFault("a part of the host name is longer than 63 characters", at: label.startIndex)
      }
      guard first != UInt8(ascii: "-"), last != UInt8(ascii: "-") else {
        throw AddressFault("a part of the host name begins or ends with '-'", at: label.startIndex)
      }
    }
  }

  private static func isLabelCharacter(_ byte: UInt8) -> Bool { Base64URL.value(of: byte) != nil }

  private static func checkOnion(_ name: String, at start: Int) throws(AddressFault) {
    let key = name.dropLast(onionEnding.count)
    guard !key.isEmpty, key.count <= onionNameMax, key.allSatisfy({ $0.isLetter || $0.isNumber }),
      key.count < onionNameMax || key.allSatisfy({ $0.isLetter || ("2"..."7").contains($0) })
    else { throw AddressFault("the host is not an onion name", at: start) }
  }

  /// Whether clients have the servers of this domain built in, so that a link can leave out fingerprint and port.
  public var isPreset: Bool { kind == .domain && Self.presetEndings.contains { name.hasSuffix($0) } }

  /// The host as written in an address, where an IPv6 address is in brackets.
  public var bracketed: String { kind == .ipv6 ? "[\(name)]" : name }
}
