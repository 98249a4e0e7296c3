internal import Channels
internal import Filters

/// The words of a search, for FTS5. Each is a string for FTS5, so that nothing in it has a special meaning.
struct MessageWords {
  struct Word: Hashable {
    /// Adjacent tokens.
    let tokens: [String]
    /// Whether longer words match too.
    let isPrefix: Bool
  }
  private(set) var all: [Word] = []

  /// - Parameter text: a search as someone typed it: words, and words between quotation marks. An unpaired quotation mark reaches to the
  ///   end.
  init(_ text: String) {
    var known: Set<Word> = []
    var (current, isQuoted) = ("", false)
    func end() -> Word? {
      defer { current = "" }
      let isPrefix = !isQuoted && current.last == "*"
      let tokens = MessageTokens(Array(current.unicodeScalars)).map(\.text)
      // No message contains a word without letters and digits.
      return tokens.isEmpty ? nil : Word(tokens: tokens, isPrefix: isPrefix)
    }
    func add(_ word: Word?) {
      if let word, known.insert(word).inserted { all.append(word) }
    }
    // Quotation marks, stars and spaces may be full-width.
    for scalar in text.folded.unicodeScalars {
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

  /// The expression that finds the messages, or `nil` without words.
  func query(in channel: ChannelID?) -> String? {
    guard !all.isEmpty else { return nil }
    var parts = all.map { "text : \"\($0.tokens.joined(separator: " "))\"\($0.isPrefix ? " *" : "")" }
    if let channel { parts.insert("channel : \"c\(channel.rawValue)\"", at: 0) }
    return parts.joined(separator: " AND ")
  }
}
