internal import RelayNetwork

/// The links in a text to people and posts (NIP-27), in their order.
struct PostLinks {
  struct Event: Hashable {
    let id: String
    /// The author according to the link.
    let author: String?
  }

  private(set) var people: [String] = []
  private(set) var events: [Event] = []

  private static let scheme = Array("nostr:".utf8)

  init(in text: String) {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      guard Self.isOfName(bytes[start]) else {
        start += 1
        continue
      }
      let end = bytes[start...].firstIndex { !Self.isOfName($0) } ?? bytes.count
      if bytes[..<start].suffix(Self.scheme.count).elementsEqual(Self.scheme) {
        take(String(decoding: bytes[start..<end], as: UTF8.self))
      }
      start = end
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Records the word behind the scheme.
  private mutating func take(_ word: String) {
    guard let name = try? NIP19(word) else { return }
    switch name {
    case .npub(let key), .nprofile(let key, _): people.append(key)
    case .note(let id): events.append(Event(id: id, author: nil))
    case .nevent(let id, _, let author, _): events.append(Event(id: id, author: author))
    case .nsec, .naddr: break
    }
  }

  /// The characters of a secret key: `nsec1`, 52 for its bytes, 6 for the checksum.
  private static let secretLength = 63

  /// Whether a text contains a secret key (NIP-19), no matter which characters surround it: people paste two in a row.
  static func holdsSecretKey(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= secretLength else { return false }
    return (0...(bytes.count - secretLength)).contains { start in
      // The checksum is computed only where a key may begin.
      guard bytes[start] | 0x20 == UInt8(ascii: "n"), bytes[start + 4] == UInt8(ascii: "1") else { return false }
      // Keyboards write the first letter of a line large.
      let name = try? NIP19(String(decoding: bytes[start..<(start + secretLength)], as: UTF8.self).lowercased())
      if case .nsec? = name { return true } else { return false }
    }
  }

  /// Whether the text links this post.
  func names(_ post: PostReference) -> Bool { events.contains { $0.id == post.networkID } }

  /// Characters that may follow an address without being part of it.
  private static let punctuation = Set(".,;:!?)]}>'\"".unicodeScalars)

  /// Whether `text` contains this address, and not only a longer address that begins with it.
  static func holds(_ text: String, url: String) -> Bool {
    // Scalars count, because Swift treats some different texts as equal.
    let address = Array(url.unicodeScalars)
    var rest = Array(text.unicodeScalars)[...]
    while let place = rest.firstRange(of: address) {
      rest = rest[place.upperBound...]
      // No further than punctuation goes: a text may repeat the address a thousand times without a space.
      let next = rest.first { !punctuation.contains($0) }
      if next?.properties.isWhitespace ?? true { return true }
    }
    return false
  }
}
