/// Shows a text that is not an address to the person who entered it, without the password that may be in it.
///
/// The text is malformed, so the place of the password is a guess. The guess errs on the side of hiding: of the text before the last `@`
/// only the fingerprint remains readable.
enum AddressEcho {
  /// The bound of the result in Unicode scalars, so that many marks on one letter do not get around it.
  static let charactersMax = 500

  /// The bound of the work. A longer text cannot be an address.
  private static let charactersReadMax = 4_000

  private static let linkPrefixes = ["https://", "http://", "simplex:"]

  /// `text` with a `*` in place of every character that may belong to a password, cut to `charactersMax` characters.
  static func echo(_ text: String) -> String {
    var shown = String(text.unicodeScalars.prefix(charactersReadMax))
    let (bytes, offsets) = decoded(shown)
    if let hidden = hidden(in: bytes) {
      let start = shown.utf8.index(shown.startIndex, offsetBy: offsets[hidden.lowerBound])
      let end = shown.utf8.index(shown.startIndex, offsetBy: offsets[hidden.upperBound])
      shown.replaceSubrange(start..<end, with: String(repeating: "*", count: shown[start..<end].count))
    }
    return String(shown.unicodeScalars.prefix(charactersMax))
  }

  /// The bytes of `text` with percent-encoding removed, because a link can contain an `@` as `%40`, and the offset of each. One more offset
  /// marks the end.
  private static func decoded(_ text: String) -> (bytes: [UInt8], offsets: [Int]) {
    let source = Array(text.utf8)
    var bytes: [UInt8] = []
    var offsets: [Int] = []
    var index = 0
    while index < source.count {
      offsets.append(index)
      if source[index] == UInt8(ascii: "%"), let byte = LinkQuery.byte(source[(index + 1)...].prefix(2)) {
        bytes.append(byte)
        index += 3
      } else {
        bytes.append(source[index])
        index += 1
      }
    }
    return (bytes, offsets + [source.count])
  }

  private static func hidden(in bytes: [UInt8]) -> Range<Int>? {
    let isLink = linkPrefixes.contains { bytes[...].end(ofPrefix: $0) != nil }
    let start = isLink ? userStart(ofLink: bytes) : userStart(ofServer: bytes)
    let fingerprint = fingerprintEnd(in: bytes[start...])
    let from: Int
    let end: Int
    if let at = bytes[start...].lastIndex(of: UInt8(ascii: "@")) {
      end = at
      if start == 0 {
        // Without a scheme the fingerprint cannot be told from the rest.
        from = 0
      } else {
        from = fingerprint < at && bytes[fingerprint] == UInt8(ascii: ":") ? fingerprint + 1 : fingerprint
      }
    } else if isLink {
      return nil
    } else {
      // The `@` may be missing, and the `:` too.
      end = bytes.count
      let limit = fingerprint - start >= Base64URL.hashCharacters ? fingerprint : end
      if let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")), colon <= limit {
        from = colon + 1
      } else {
        from = limit
      }
    }
    return from < end ? from..<end : nil
  }

  /// The offset at which the fingerprint would begin: after the scheme, or 0 without one.
  private static func userStart(ofServer bytes: [UInt8]) -> Int {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[colon...].starts(with: "://".utf8),
      bytes[..<colon].allSatisfy(isSchemeCharacter)
    else { return 0 }
    return colon + 3
  }

  /// The index after the scheme of the server inside a full link, or else after the link's own scheme.
  private static func userStart(ofLink bytes: [UInt8]) -> Int {
    var index = bytes.startIndex
    while let letter = bytes[index...].firstIndex(where: { $0 | 0x20 == UInt8(ascii: "s") }) {
      if let end = bytes[letter...].end(ofPrefix: "smp://"), !bytes[..<letter].contains(UInt8(ascii: "@")) { return end }
      index = letter + 1
    }
    return linkPrefixes.lazy.compactMap { bytes[...].end(ofPrefix: $0) }.first ?? 0
  }

  private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "_") && (Base64URL.value(of: byte) != nil || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "."))
  }

  private static func fingerprintEnd(in bytes: ArraySlice<UInt8>) -> Int {
    let run = bytes.prefix(Base64URL.hashCharacters).prefix { Base64URL.value(of: $0) != nil }
    return run.endIndex < bytes.endIndex && bytes[run.endIndex] == UInt8(ascii: "=") ? run.endIndex + 1 : run.endIndex
  }
}
