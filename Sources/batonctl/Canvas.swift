/// Lines that are redrawn in place on a terminal. Without a terminal they follow each other, without repeating a line.
struct Canvas {
  private let terminal: Terminal
  /// The width of each line that is drawn, in columns.
  private var widths: [Int] = []
  /// The lines that were written without a terminal.
  private var written: Set<String> = []

  init(_ terminal: Terminal) { self.terminal = terminal }

  /// Replaces the lines that were drawn before. Lines for which the terminal has no room are cut: rows that have scrolled off cannot be
  /// redrawn.
  /// - Throws: `Output.Failure`.
  mutating func draw(_ lines: [String]) throws {
    guard let size = terminal.size else {
      let new = lines.filter { !written.contains($0) }
      written = Set(lines)
      return new.isEmpty ? () : try Output.line(new.joined(separator: "\n"))
    }
    // The cursor needs the last row, and a column after the longest line.
    let shown = lines.prefix(max(1, size.rows - 1)).map { $0.cutPainted(to: max(1, size.columns - 1)) }
    // If the terminal has become narrower, its lines wrap into further rows.
    let rows = widths.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
    let up = min(rows, size.rows - 1)
    widths = shown.map(\.unpainted.displayWidth)
    try Output.write((up > 0 ? "\u{1B}[\(up)A\r" : "") + shown.map { "\($0)\u{1B}[K\n" }.joined() + "\u{1B}[J")
  }
}
