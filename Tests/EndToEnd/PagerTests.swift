import BatonClient
import ControlAPI
import Foundation
import Glibc
import TestTools
import Testing

/// Output longer than the terminal is shown page by page.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PagerTests {
  /// Marks each line that comes through it.
  private static let marker = "sed 's/^/page: /'"

  private func isPaged(_ lines: [String]) -> Bool { lines.contains { $0.hasPrefix("page: batond ") } }

  private func status(
    _ baton: Installation, on size: String = "5x80", _ environment: [String: String], _ more: [String] = []
  ) async throws -> (status: Int32, lines: [String]) {
    try await Program.runOnTerminal(size, ["status", "--socket", baton.socket] + more, environment: environment)
  }

  @Test func longOutputGoesThroughThePager() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let paged = try await status(baton, ["BATON_PAGER": Self.marker, "PAGER": "false"])
    #expect(paged.status == 0 && isPaged(paged.lines), "\(paged)")
    #expect(paged.lines.allSatisfy { $0.hasPrefix("page: ") }, "\(paged)")

    let whole: [([String: String], [String], String)] = [
      (["BATON_PAGER": Self.marker], [], "24x80"), (["BATON_PAGER": Self.marker], ["--no-pager"], "5x80"),
      (["BATON_PAGER": Self.marker], ["--json"], "5x80"), (["BATON_PAGER": Self.marker, "TERM": "dumb"], [], "5x80"),
      (["BATON_PAGER": "", "PAGER": Self.marker], [], "5x80"), (["BATON_PAGER": "cat"], [], "5x80"),
    ]
    for (environment, more, size) in whole {
      let result = try await status(baton, on: size, environment, more)
      #expect(result.status == 0 && !result.lines.joined().contains("page: "), "\(environment) \(more): \(result)")
    }
    // No one turns pages in a pipe.
    let piped = try await Program.run(
      "batonctl", ["status", "--socket", baton.socket], environment: ["BATON_PAGER": Self.marker])
    #expect(piped.status == 0 && !isPaged(piped.lines), "\(piped)")
    // A pager that does not exist hides no output.
    let missing = try await status(baton, ["BATON_PAGER": "/nonexistent/pager --option"])
    #expect(missing.status == 0 && missing.lines.contains { $0.hasPrefix("batond ") }, "\(missing)")
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func pagerMayEndEarlierAndHasTheTerminalToItself() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let client = try await baton.client()
    // More than a pipe holds.
    let name = String(repeating: "a-long-label-in-the-name-of-a-domain.", count: 5)
    for number in 0..<6 {
      let domains = (0..<100).map { "\(name)d\(number)-\($0).example" }
      _ = try await client.operators.add(AddOperator(name: "Operator \(number)", domains: domains))
    }
    let early = try Program.onTerminal(
      "24x80", ["operator", "export", "--socket", baton.socket], environment: ["BATON_PAGER": "echo enough"])
    try await early.line(containing: "enough")
    #expect(await early.status() == 0, "\(early.seen.suffix(3))")

    // Ctrl-C is for the pager, which gets signals as programs usually do.
    let pager = #"cat >/dev/null; trap "echo caught; echo over; exit 0" INT; echo ready; read answer </dev/tty"#
    let interrupted = try Program.onTerminal(
      "5x80", ["status", "--socket", baton.socket], environment: ["BATON_PAGER": pager])
    try await interrupted.line(containing: "ready")
    interrupted.signal(SIGINT)
    try await interrupted.line(containing: "caught")
    try await interrupted.line(containing: "over")
    #expect(await interrupted.status() == 0, "\(interrupted.seen)")
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }
}
