/// Shows a text that is no address to the person who gave it, without the password that may be in it.
///
/// The text is malformed, so where the password stands is a guess. The guess errs on the side of hiding: of what stands before
/// the last `@` only the fingerprint stays readable.
enum AddressEcho {
  /// Counted in Unicode scalars, so that marks heaped on one letter do not get around the bound.
  static let charactersMax = 500

  /// Bound of the work; a longer text is no address anyway.
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

  /// The bytes of `text` without percent signs, since a link can hold an `@` as `%40`, and where each stood; one offset more for
  /// the end.
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
      // The `@` may be what is missing, and the `:` too.
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

  /// Where the fingerprint would begin: after the scheme. 0 when there is none.
  private static func userStart(ofServer bytes: [UInt8]) -> Int {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[colon...].starts(with: "://".utf8),
      bytes[..<colon].allSatisfy(isSchemeCharacter)
    else { return 0 }
    return colon + 3
  }

  /// A link has a server inside when it is a full one.
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
