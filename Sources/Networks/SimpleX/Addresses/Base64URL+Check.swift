extension Base64URL {
  /// The length of a SHA-256 or SHA3-256 hash, such as the fingerprint of a server and the key of a link.
  static let hashBytes = 32
  /// The length of such a hash in base64url.
  static let hashCharacters = 43

  /// Checks that `slice` contains this many bytes in base64url, and nothing else.
  /// - Parameter name: the name of the text in a sentence.
  static func check(_ slice: ArraySlice<UInt8>, name: String, bytes: Int = hashBytes) throws(AddressFault) -> String {
    if let wrong = slice.firstIndex(where: { value(of: $0) == nil }) {
      throw AddressFault("\(name) may only hold letters, digits, '-' and '_'", at: wrong)
    }
    let length = (bytes * 8 + 5) / 6
    guard slice.count == length else {
      throw AddressFault("\(name) has \(slice.count) characters, it must have \(length)", at: slice.startIndex)
    }
    guard decode(bytes: slice) != nil else {
      throw AddressFault("the last character of \(name) cannot end it", at: slice.endIndex - 1)
    }
    return String(decoding: slice, as: UTF8.self)
  }
}
