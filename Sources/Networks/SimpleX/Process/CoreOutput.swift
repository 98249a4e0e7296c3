/// Turns the output of a core into lines that may be logged.
///
/// The core prints every command that it is sent, with the passwords of servers in it, and several of its threads may print at the same
/// time, so that a long line can come in pieces. Everything that could be part of a command is left out.
struct CoreOutput {
  /// The longest line in bytes. Longer lines are left out, because nothing that is meant for people is that long.
  static let lineBytesMax = 4096

  private var line: [UInt8] = []
  private var isTooLong = false

  /// - Returns: the lines that are now complete and may be shown, without control characters and bounded.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
    var shown: [String] = []
    for byte in bytes {
      if byte == 0x0A {
        if let text = finish() { shown.append(text) }
      } else if line.count < Self.lineBytesMax {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return shown
  }

  /// Ends the output after the core ended.
  /// - Returns: the last line, if it has no line feed and may be shown.
  mutating func finish() -> String? {
    defer { (line, isTooLong) = ([], false) }
    return isTooLong ? nil : Self.shown(String(decoding: line, as: UTF8.self))
  }

  /// `line` in a form that may be logged, or `nil` if it may not.
  static func shown(_ line: String) -> String? {
    guard !isPartOfCommand(line) else { return nil }
    let text = CoreText.bounded(line).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  private static func isPartOfCommand(_ line: String) -> Bool {
    if ["received command", "/_", "\\\"", "{\"", "\":"].contains(where: line.contains) { return true }
    // Passwords come before the @ of an address. In a complete address they are hidden. A possible part of an address is not shown.
    return line.split(whereSeparator: \.isWhitespace).contains { $0.contains("@") && !$0.contains("://") }
  }
}
