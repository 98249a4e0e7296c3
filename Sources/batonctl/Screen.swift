internal import Glibc

// The size of the terminal.
extension Terminal {
  struct Size: Hashable, Sendable {
    let columns: Int
    let rows: Int
  }

  /// The current width of the terminal in columns, or `nil` if there is no terminal or its width is unknown.
  var columns: Int? { isatty(1) == 1 ? Self.known(Self.window.ws_col, "COLUMNS") : nil }

  /// The current size of the terminal, or `nil` if lines cannot be redrawn.
  var size: Size? {
    guard isTerminal else { return nil }
    return Size(columns: columns ?? 80, rows: Self.known(Self.window.ws_row, "LINES") ?? 24)
  }

  /// The size that the terminal reports, or zeros if it reports none.
  private static var window: winsize {
    var size = winsize()
    return ioctl(1, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
  }

  /// The number that the terminal reported, or an environment variable in its place.
  private static func known(_ said: UInt16, _ variable: String) -> Int? {
    said > 0 ? Int(said) : getenv(variable).flatMap { Int(String(cString: $0)) }.flatMap { $0 > 0 ? $0 : nil }
  }
}

// Text that may contain colours, as `Terminal.paint` adds them.
extension String {
  /// The visible part of the text.
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

  /// Returns the number of rows that the text needs on a terminal if long lines wrap.
  /// - Parameter columns: the width of the terminal.
  func rows(in columns: Int) -> Int {
    split(separator: "\n", omittingEmptySubsequences: false).reduce(0) { rows, line in
      rows + max(1, (String(line).unpainted.displayWidth + columns - 1) / columns)
    }
  }

  /// One line, or its beginning followed by … if it is cut. Colours end with it.
  /// - Parameter width: the largest width, in columns.
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
    return line + (width > 0 ? Marks.current.ellipsis : "") + "\u{1B}[0m"
  }
}
