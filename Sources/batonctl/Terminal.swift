internal import Foundation
internal import Glibc

/// What standard output can show.
struct Terminal: Sendable {
  /// Whether lines can be drawn again.
  let isTerminal: Bool
  let hasColor: Bool
  /// Columns of the terminal; nil when there is none or it does not say.
  let columns: Int?
  /// Whether somebody can answer questions.
  let isInteractive: Bool

  init(noColor: Bool) {
    isTerminal = isatty(1) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    var size = winsize()
    columns = isTerminal && ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    isInteractive = isTerminal && isatty(0) == 1
    let denied = getenv("NO_COLOR").map { !String(cString: $0).isEmpty } ?? false
    hasColor = isTerminal && !noColor && !denied
  }

  /// `text` cut to what fits beside `used` columns: a line that wraps cannot be drawn over.
  func fitted(_ text: String, beside used: Int) -> String {
    guard let columns, text.count + used >= columns else { return text }
    return text.prefix(max(0, columns - used - 2)) + "…"
  }

  enum Color: String {
    case green = "32"
    case yellow = "33"
    case red = "31"
    case gray = "90"
  }

  func paint(_ text: String, _ color: Color) -> String {
    hasColor ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// A dot in the colour of a status: green active, red failed, yellow on the way, grey gone.
  func dot(_ status: String) -> String {
    let color: Color =
      switch status {
      case "active", "up": .green
      case "failed", "down": .red
      case "removed", "deleted", "unknown": .gray
      default: .yellow
      }
    return paint("●", color)
  }

  /// Rows in columns as wide as their widest cell.
  static func table(_ head: [String], _ rows: [[String]]) -> String {
    let all = [head] + rows
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      .joined(separator: "  ")
    }
    .joined(separator: "\n")
  }
}
