import Foundation
import TestSupport

extension Program {
  /// Starts batonctl on a terminal of its own.
  /// - Parameters:
  ///   - size: rows and columns of the terminal, such as `24x80`; a second size behind a comma is taken at SIGUSR1.
  ///   - environment: added to the test's own, which names no pager.
  static func onTerminal(
    _ size: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Program {
    let (path, words, settings) = onTerminal(size, arguments, environment)
    return try Program(path, words, environment: settings)
  }

  private static func onTerminal(
    _ size: String, _ arguments: [String], _ environment: [String: String]
  ) -> (String, [String], [String: String]) {
    let defaults = [
      "TERM": "xterm", "BATON_PAGER": "", "NO_COLOR": "", "SUDO_UID": "", "DOAS_USER": "", "PKEXEC_UID": "",
    ]
    return (
      "/usr/bin/python3", [ThirdPartyRelay.scripts + "/terminal.py", size, products + "/batonctl"] + arguments,
      defaults.merging(environment) { _, own in own }
    )
  }

  /// Runs batonctl to its end on a terminal of its own.
  /// - Parameter isPlain: whether colours, and what moves the cursor, are left out.
  /// - Returns: its exit status, and what the terminal was sent.
  static func runOnTerminal(
    _ size: String, _ arguments: [String], environment: [String: String] = [:], isPlain: Bool = true
  ) async throws -> (status: Int32, lines: [String]) {
    let (path, words, settings) = onTerminal(size, arguments, environment)
    let result = try await run(path, words, environment: settings)
    return (result.status, isPlain ? result.lines.map(seen) : result.lines)
  }

  /// What the terminal was sent so far, line by line, without what moves the cursor and without colours.
  var seen: [String] { lines.map(Self.seen) }

  /// A line without what moves the cursor and without colours.
  static func seen(_ line: String) -> String {
    line.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").replacing("\r", with: "")
  }
}
