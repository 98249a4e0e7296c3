internal import Channels

/// The words of a search, as FTS5 takes them. Each is a string for FTS5, so that nothing in it means anything else than itself.
struct MessageWords {
  private struct Word: Hashable {
    let text: String
    /// Whether the word may go on.
    let isPrefix: Bool
  }
  private var words: [Word] = []

  /// - Parameter text: what somebody has typed: words, and words between quotation marks. A quotation mark without another reaches to the
  ///   end.
  init(_ text: String) {
    var known: Set<Word> = []
    var (current, isQuoted) = ("", false)
    func end() -> Word? {
      defer { current = "" }
      let isPrefix = !isQuoted && current.last == "*"
      // FTS5 finds letters and digits. A word without any would be held by no message.
      guard current.unicodeScalars.contains(where: Self.isPartOfWords) else { return nil }
      return Word(text: current, isPrefix: isPrefix)
    }
    func add(_ word: Word?) {
      if let word, known.insert(word).inserted { words.append(word) }
    }
    for scalar in text.unicodeScalars {
      if scalar == "\"" {
        add(end())
        isQuoted.toggle()
      } else if scalar.value < 0x20 || scalar.properties.isWhitespace {
        // A control character may be the end of the text for SQLite.
        if isQuoted { current.unicodeScalars.append(" ") } else { add(end()) }
      } else {
        current.unicodeScalars.append(scalar)
      }
    }
    add(end())
  }

  /// How many different words there are.
  var count: Int { words.count }

  /// The words as they were typed, and whether each may go on.
  var all: [(text: String, isPrefix: Bool)] {
    words.map { word in (word.isPrefix ? String(word.text.dropLast()) : word.text, word.isPrefix) }
  }

  /// The expression that finds the messages; `nil` if there are no words.
  func query(in channel: ChannelID?) -> String? {
    guard !words.isEmpty else { return nil }
    var parts = words.map { "text : \"\($0.text)\"\($0.isPrefix ? " *" : "")" }
    if let channel { parts.insert("channel : \"c\(channel.rawValue)\"", at: 0) }
    return parts.joined(separator: " AND ")
  }

  /// What the tokenizer `unicode61` takes for a part of a word.
  static func isPartOfWords(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber, .privateUse:
      true
    default: false
    }
  }
}
