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
  /// Whether the text contains a secret key, as a link or not.
  private(set) var hasSecretKey = false

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
      let isLink = bytes[..<start].suffix(Self.scheme.count).elementsEqual(Self.scheme)
      take(String(decoding: bytes[start..<end], as: UTF8.self), isLink: isLink)
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

  /// Takes a word in.
  private mutating func take(_ word: String, isLink: Bool) {
    // Most words are too short for a name.
    guard word.utf8.count > 60, let name = try? NIP19(word) else { return }
    switch name {
    case .nsec: hasSecretKey = true
    case .npub(let key) where isLink: people.append(key)
    case .nprofile(let key, _) where isLink: people.append(key)
    case .note(let id) where isLink: events.append(Event(id: id, author: nil))
    case .nevent(let id, _, let author, _) where isLink: events.append(Event(id: id, author: author))
    case .npub, .nprofile, .note, .nevent, .naddr: break
    }
  }

  /// Whether the text links this post.
  func names(_ post: PostReference) -> Bool { events.contains { $0.id == post.networkID } }

  /// What may follow an address without being part of it.
  private static let punctuation = Set(".,;:!?)]}>'\"".unicodeScalars)

  /// Whether `text` contains this address, and not only a longer one that begins with it.
  static func holds(_ text: String, url: String) -> Bool {
    // Scalars count, because Swift takes some texts as equal that differ.
    let address = Array(url.unicodeScalars)
    var rest = Array(text.unicodeScalars)[...]
    while let place = rest.firstRange(of: address) {
      rest = rest[place.upperBound...]
      if rest.prefix(while: { !$0.properties.isWhitespace }).allSatisfy(punctuation.contains) { return true }
    }
    return false
  }
}
