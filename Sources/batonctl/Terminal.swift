internal import Foundation
internal import Glibc

/// The abilities of standard output.
struct Terminal: Sendable {
  /// Whether lines can be redrawn.
  let isTerminal: Bool
  let hasColor: Bool
  /// Whether a person can answer questions.
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
  func dot(_ status: String) -> String { paint(Marks.current.dot, .of(status)) }
}

extension Terminal.Color {
  /// The colour of a status: green for active, red for failed, yellow for under way, grey for removed.
  static func of(_ status: String) -> Terminal.Color {
    switch status {
    case "active", "up", "verified", "published": .green
    case "failed", "expired", "down", "stillServed", "unsupported": .red
    case "removed", "deleted", "unknown", "skipped": .gray
    default: .yellow
    }
  }
}
