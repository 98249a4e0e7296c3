// Wraps text between words, because a terminal would break lines anywhere.
extension String {
  /// The text in lines, broken between words. A word that is longer than a line is broken inside, and loses its colour.
  /// - Parameters:
  ///   - width: the largest width of a line, in columns, or `nil` to leave lines whole.
  ///   - first: the text before the first line.
  ///   - rest: the text before the other lines.
  func wrapped(to width: Int?, first: String = "", rest: String = "") -> [String] {
    guard let width, (first + self).unpainted.displayWidth > width else { return [first + self] }
    var lines: [String] = []
    var (line, used, isBegun) = (first, first.displayWidth, false)
    func end() {
      lines.append(line)
      (line, used, isBegun) = (rest, rest.displayWidth, false)
    }
    func add(_ part: some StringProtocol, _ columns: Int) {
      line += part
      used += columns
      isBegun = true
    }
    for word in split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      let columns = word.unpainted.displayWidth
      if isBegun, used + 1 + columns <= width {
        add(" " + word, columns + 1)
        continue
      }
      if isBegun { end() }
      if used + columns <= width {
        add(word, columns)
        continue
      }
      for character in word.unpainted.map(String.init) {
        let columns = character.displayWidth
        if isBegun, used + columns > width { end() }
        add(character, columns)
      }
    }
    lines.append(line)
    return lines
  }

  /// The text on one line, with single spaces between words, and safe for a terminal.
  var shownOnOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ").shown }
}
