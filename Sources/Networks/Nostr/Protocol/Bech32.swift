/// Bech32 (BIP-173, constant 1) without its limit of 90 characters, as NIP-19 uses it.
enum Bech32 {
  static let charactersMax = 5000
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  static func encode(prefix: String, bytes: [UInt8]) -> String {
    let words = regroup(bytes, from: 8, to: 5, padded: true) ?? []
    let checksum = polymod(expand(prefix), words, [UInt8](repeating: 0, count: 6)) ^ 1
    var text = Array(prefix.utf8)
    text.reserveCapacity(text.count + 1 + words.count + 6)
    text.append(UInt8(ascii: "1"))
    for word in words { text.append(alphabet[Int(word)]) }
    for place in (0..<6).reversed() { text.append(alphabet[Int(checksum >> (5 * place) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The prefix and bytes of `text`, or `nil` if it is not bech32 in one case with a correct checksum.
  static func decode(_ text: String) -> (prefix: String, bytes: [UInt8])? {
    guard text.utf8.count <= charactersMax, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let lower = text.lowercased()
    guard text == lower || text == text.uppercased(), let separator = lower.lastIndex(of: "1") else { return nil }
    let prefix = String(lower[..<separator])
    var words: [UInt8] = []
    for byte in lower[lower.index(after: separator)...].utf8 {
      guard let word = alphabet.firstIndex(of: byte) else { return nil }
      words.append(UInt8(word))
    }
    guard !prefix.isEmpty, words.count >= 6, polymod(expand(prefix), words) == 1,
      let bytes = regroup(Array(words.dropLast(6)), from: 5, to: 8, padded: false)
    else { return nil }
    return (prefix, bytes)
  }

  private static func expand(_ prefix: String) -> [UInt8] {
    prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
  }

  /// The change that the five bits shifted out of the checksum make in it, for each value of them.
  private static let changes: [UInt32] = {
    let generators: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
    return (0..<32).map { top in
      generators.enumerated().reduce(0) { top >> $1.offset & 1 == 1 ? $0 ^ $1.element : $0 }
    }
  }()

  /// The checksum of words that come in several parts.
  private static func polymod(_ parts: [UInt8]...) -> UInt32 {
    let changes = Self.changes
    var checksum: UInt32 = 1
    for word in parts.joined() {
      checksum = (checksum & 0x1ff_ffff) << 5 ^ UInt32(word) ^ changes[Int(checksum >> 25)]
    }
    return checksum
  }

  private static func regroup(_ input: [UInt8], from: Int, to: Int, padded: Bool) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(input.count * from / to + 1)
    var buffer: UInt32 = 0
    var bits = 0
    for value in input {
      buffer = (buffer << from | UInt32(value)) & 0xFFFF
      bits += from
      while bits >= to {
        bits -= to
        output.append(UInt8(buffer >> bits & (1 << to - 1)))
      }
    }
    let rest = buffer & (1 << bits - 1)
    if padded {
      if bits > 0 { output.append(UInt8(rest << (to - bits))) }
    } else if bits >= from || rest != 0 {
      return nil
    }
    return output
  }
}
