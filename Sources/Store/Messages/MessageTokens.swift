internal import Channels
internal import Filters

/// The words of a text in the form in which searches compare, one after the other: letters and digits next to each other. In scripts
/// without spaces each letter is one, so that every part of a sentence is words next to each other.
struct MessageTokens: Sequence, IteratorProtocol {
  struct Token {
    var text: String
    /// The scalars of the text that it comes from.
    var range: Range<Int>
  }

  private let scalars: [Unicode.Scalar]
  private var place = 0
  private var folding = TextFolding()
  private var open: Token?
  private var isOpenAlone = false
  private var complete: [Token] = []

  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  mutating func next() -> Token? {
    while complete.isEmpty, place < scalars.count { read() }
    if complete.isEmpty { end() }
    return complete.isEmpty ? nil : complete.removeFirst()
  }

  private mutating func read() {
    var parts = String.UnicodeScalarView()
    folding.add(scalars[place], to: &parts)
    let isSilent = parts.isEmpty
    place += 1
    // An accent belongs to the letter before it.
    if isSilent, let begin = open?.range.lowerBound { open?.range = begin..<place }
    for part in parts {
      if part.isMark, open != nil {
        add(part)
      } else if Self.isPartOfWords(part) {
        let isAlone = part.isWord
        if isAlone || isOpenAlone { end() }
        isOpenAlone = isAlone
        add(part)
      } else {
        end()
      }
    }
  }

  private mutating func add(_ part: Unicode.Scalar) {
    open?.text.unicodeScalars.append(part)
    if let begin = open?.range.lowerBound {
      open?.range = begin..<place
    } else {
      open = Token(text: String(part), range: place - 1..<place)
    }
  }

  private mutating func end() {
    if let open { complete.append(open) }
    open = nil
  }

  private static func isPartOfWords(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber, .privateUse:
      true
    default: false
    }
  }
}

extension MessageTokens {
  /// The limit of the stored words of one text, in UTF-8 bytes. Ordinary texts grow less, but a single scalar may become eighteen.
  private static let storedMax = 3 * ReadMessage.textMax

  /// The words of a text for the table of words, or `nil` if it finds them itself, because they are ASCII.
  static func stored(_ text: String) -> String? {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var words = ""
    for token in MessageTokens(Array(text.unicodeScalars)) {
      guard words.utf8.count + token.text.utf8.count < storedMax else { break }
      if !words.isEmpty { words += " " }
      words += token.text
    }
    return words
  }
}

extension Unicode.Scalar {
  /// Whether it is of a script that puts no spaces between words.
  fileprivate var isWord: Bool {
    switch value {
    // Thai and Lao, Burmese, Khmer, scripts of Tai languages, Balinese.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF, 0x1B00...0x1B7F: true
    // Marks of iteration and numbers, kana and Bopomofo, Han and Yi, Javanese, Burmese and Tai Viet.
    case 0x3005...0x3007, 0x3041...0x312F, 0x31A0...0x31FF, 0x3400...0xA4CF, 0xA980...0xA9FF, 0xAA60...0xAADF: true
    // Han, Tangut, kana, Nüshu.
    case 0xF900...0xFAFF, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFF: true
    default: false
    }
  }
}
