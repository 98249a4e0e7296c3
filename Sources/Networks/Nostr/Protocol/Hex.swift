internal import Cryptography

/// Lower-case hexadecimal, the notation of NIP-01 for ids, keys and signatures.
enum Hex {
  static func encode(_ bytes: some Sequence<UInt8>) -> String { bytes.hexadecimal }

  /// The bytes, or `nil` unless `text` is exactly `count` bytes in lower-case digits.
  static func decode(_ text: String, count: Int) -> [UInt8]? {
    let utf8 = Array(text.utf8)
    guard utf8.count == count * 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in stride(from: 0, to: utf8.count, by: 2) {
      guard let high = value(utf8[index]), let low = value(utf8[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
