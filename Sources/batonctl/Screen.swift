internal import Glibc

// How much a terminal shows at once.
extension Terminal {
  struct Size: Hashable, Sendable {
    let columns: Int
    let rows: Int
  }

  /// How large the terminal is at this moment; nil when lines cannot be drawn again.
  var size: Size? {
    guard isTerminal else { return nil }
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
    func known(_ said: UInt16, _ variable: String, _ usual: Int) -> Int {
      if said > 0 { return Int(said) }
      return getenv(variable).flatMap { Int(String(cString: $0)) }.flatMap { $0 > 0 ? $0 : nil } ?? usual
    }
    return Size(columns: known(size.ws_col, "COLUMNS", 80), rows: known(size.ws_row, "LINES", 24))
  }
}

// Text that may hold colours, as `Terminal.paint` gives them.
extension String {
  /// What can be seen of it.
  var unpainted: String {
    guard utf8.contains(0x1B) else { return self }
    var text = ""
    var isInside = false
    for scalar in unicodeScalars {
      if scalar == "\u{1B}" {
        isInside = true
      } else if isInside {
        isInside = scalar != "m"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// How many rows of a terminal the text takes, where long lines go on in the next row.
  /// - Parameter columns: of the terminal.
  func rows(in columns: Int) -> Int {
    split(separator: "\n", omittingEmptySubsequences: false).reduce(0) { rows, line in
      rows + max(1, (String(line).unpainted.displayWidth + columns - 1) / columns)
    }
  }

  /// One line, or its beginning with … where it is cut; colours end with it.
  /// - Parameter width: the most columns that it may take.
  func cutPainted(to width: Int) -> String {
    guard utf8.contains(0x1B) else { return cut(to: width) }
    guard unpainted.displayWidth > width else { return self }
    var line = ""
    var used = 0
    var rest = self[...]
    while let next = rest.popFirst() {
      if next == "\u{1B}" {
        line.append(next)
        while let part = rest.popFirst() {
          line.append(part)
          if part.unicodeScalars.first == "m" { break }
        }
        continue
      }
      let columns = String(next).displayWidth
      guard used + columns < width else { break }
      line.append(next)
      used += columns
    }
    return line + (width > 0 ? "…" : "") + "\u{1B}[0m"
  }
}
