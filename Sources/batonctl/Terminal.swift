internal import Foundation
internal import Glibc

/// What standard output can show.
struct Terminal: Sendable {
  /// Whether lines can be drawn again.
  let isTerminal: Bool
  let hasColor: Bool
  /// Whether somebody can answer questions.
  let isInteractive: Bool

  init(noColor: Bool) {
    isTerminal = isatty(1) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    isInteractive = isTerminal && isatty(0) == 1
    let denied = getenv("NO_COLOR").map { !String(cString: $0).isEmpty } ?? false
    hasColor = isTerminal && !noColor && !denied
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

  /// A dot in the colour of a status.
  func dot(_ status: String) -> String { paint("●", .of(status)) }
}

extension Terminal.Color {
  /// The colour of a status: green active, red failed, yellow on the way, grey gone.
  static func of(_ status: String) -> Terminal.Color {
    switch status {
    case "active", "up": .green
    case "failed", "down": .red
    case "removed", "deleted", "unknown": .gray
    default: .yellow
    }
  }
}
