internal import Foundation
internal import Glibc

/// The characters that batonctl draws, apart from people's texts. Terminals that show only ASCII get ASCII characters.
struct Marks: Sendable {
  static let current = Marks(
    ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1)

  let dot, done, failed, ellipsis, arrow, full, empty, rule: String
  /// Whether they are all ASCII.
  let isPlain: Bool

  /// - Parameters:
  ///   - environment: the environment of this process. The first of LC_ALL, LC_CTYPE and LANG that is set names the character set.
  ///   - isTerminal: whether a terminal shows the output. Pipes and files accept any character.
  init(_ environment: [String: String], isTerminal: Bool) {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    let isUnicode = ["utf-8", "utf8"].contains { locale.lowercased().hasSuffix($0) || locale.lowercased().contains($0 + "@") }
    isPlain = isTerminal && (!isUnicode || environment["TERM"] == "dumb")
    (dot, done, failed) = isPlain ? ("*", "+", "x") : ("●", "✓", "✗")
    (ellipsis, arrow) = isPlain ? ("~", "->") : ("…", "→")
    (full, empty, rule) = isPlain ? ("#", ".", "-") : ("█", "░", "─")
  }
}
