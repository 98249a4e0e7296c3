/// Base64url without padding (RFC 4648 §5), the alphabet of keys and fingerprints in addresses.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Reads `text`.
  ///
  /// There is only one text for every sequence of bytes: padding, characters outside the alphabet and surplus bits are
  /// refused, so that equal bytes mean equal texts.
  /// - Returns: `nil` if `text` is not in the form that `encode` writes.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    decode(bytes: text.utf8)
  }

  /// Writes `bytes`.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      pending = (pending << 8 | UInt32(byte)) & 0xFFFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(pending >> bits & 0x3F)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pending << (6 - bits) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  static func decode(bytes text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending: UInt32 = 0
    var bits: UInt32 = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
      pending = (pending << 6 | value) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
    }
    // Six surplus bits are a character that does not begin a byte. Other surplus bits must be zero.
    guard bits < 6, pending & (1 << bits - 1) == 0 else { return nil }
    return bytes
  }

  static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
