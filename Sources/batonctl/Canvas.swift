/// Lines on a terminal that are drawn over again; elsewhere they follow each other.
struct Canvas {
  private let terminal: Terminal
  /// Columns of each line that stands there.
  private var widths: [Int] = []

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Draws over what was drawn before. What the terminal has no room for is cut: rows that have left it cannot be drawn again.
  /// - Throws: `Output.Failure`.
  mutating func draw(_ lines: [String]) throws {
    guard let size = terminal.size else { return try Output.line(lines.joined(separator: "\n")) }
    // The cursor has the last row, and its place behind the longest line.
    let shown = lines.prefix(max(1, size.rows - 1)).map { $0.cutPainted(to: max(1, size.columns - 1)) }
    // When the terminal has become narrower, its lines go on in further rows.
    let rows = widths.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
    let up = min(rows, size.rows - 1)
    widths = shown.map(\.unpainted.displayWidth)
    try Output.write((up > 0 ? "\u{1B}[\(up)A\r" : "") + shown.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J")
  }
}
