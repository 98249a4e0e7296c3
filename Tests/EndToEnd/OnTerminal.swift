import Foundation
import TestTools

extension Program {
  /// Starts batonctl on a terminal of its own.
  /// - Parameters:
  ///   - size: rows and columns of the terminal, such as `24x80`; a second size after a comma applies from SIGUSR1 on.
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
      "TERM": "xterm", "LC_ALL": "C.UTF-8", "BATON_PAGER": "", "NO_COLOR": "", "SUDO_UID": "", "DOAS_USER": "",
      "PKEXEC_UID": "",
    ]
    return (
      "/usr/bin/python3", [ThirdPartyRelay.scripts + "/terminal.py", size, products + "/batonctl"] + arguments,
      defaults.merging(environment) { _, own in own }
    )
  }

  /// Runs batonctl to its end on a terminal of its own.
  /// - Parameter isPlain: whether colours and cursor movements are left out.
  /// - Returns: the exit status, and the terminal's input.
  static func runOnTerminal(
    _ size: String, _ arguments: [String], environment: [String: String] = [:], isPlain: Bool = true
  ) async throws -> (status: Int32, lines: [String]) {
    let (path, words, settings) = onTerminal(size, arguments, environment)
    let result = try await run(path, words, environment: settings)
    return (result.status, isPlain ? result.lines.map(seen) : result.lines)
  }

  /// The terminal's input so far, line by line, without cursor movements and colours.
  var seen: [String] { lines.map(Self.seen) }

  /// A line without cursor movements and colours.
  static func seen(_ line: String) -> String {
    line.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").replacing("\r", with: "")
  }
}
