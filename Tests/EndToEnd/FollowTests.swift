import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestSupport
import Testing

@testable import batonctl

/// Commands with --watch show what changes, also after the daemon was started again.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FollowTests {
  private func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  private func interrupt(_ program: Program) async {
    program.signal(SIGINT)
    #expect([-SIGINT, 128 + SIGINT].contains(await program.status()), "\(program.seen)")
  }

  @Test func statusIsFollowedLineByLine() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let text = try Program("batonctl", ["status", "--watch", "--socket", baton.socket])
    let json = try Program("batonctl", ["status", "--watch", "--json", "--socket", baton.socket])
    try await text.line(containing: "revision ")
    try await json.line(containing: "\"operators\":0")
    _ = try await baton.client().addOperator(AddOperator(name: "First"))
    let revision = try await baton.client().status().revision
    try await text.line(containing: "revision \(revision)  0 channels")
    try await json.line(containing: "\"operators\":1")

    await stop(daemon)
    let again = try await baton.start()
    _ = try await baton.client().addOperator(AddOperator(name: "Second"))
    let later = try await baton.client().status().revision
    try await text.line(containing: "revision \(later)  0 channels")
    try await json.line(containing: "\"operators\":2")
    await interrupt(text)
    await interrupt(json)
    #expect(!text.lines.joined().contains("\u{1B}"), "\(text.lines)")
    for line in json.lines where !line.contains("local.Interrupted") {
      #expect(try JSONParser.parse(line)["version"] != nil, "\(line)")
    }
    await stop(again)
  }

  @Test func statusIsShownInItsPlaceOnATerminal() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let watch = try Program.onTerminal("24x60,4x30", ["status", "--watch", "--socket", baton.socket])
    try await watch.line(containing: "operators   0")
    _ = try await baton.client().addOperator(AddOperator(name: "First"))
    try await watch.line(containing: "operators   1")
    #expect(watch.seen.allSatisfy { $0.displayWidth < 60 }, "\(watch.seen)")
    // Each time from where it began.
    let moves = watch.lines.flatMap { $0.matches(of: /\u{1B}\[([0-9]+)A/).compactMap { Int($0.1) } }
    #expect(!moves.isEmpty && moves.allSatisfy((7...12).contains), "\(moves)")

    await stop(daemon)
    try await watch.line(containing: "not up to date: ")
    let again = try await baton.start()
    let count = watch.lines.count
    _ = try await baton.client().addOperator(AddOperator(name: "Second"))
    try await watch.line(containing: "operators   2", from: count)

    watch.signal(SIGUSR1)
    try await watch.line(containing: "… and ")
    await interrupt(watch)
    await stop(again)
  }

  @Test func whatFailsAtOnceIsNotFollowed() async throws {
    let missing = try await Program.run("batonctl", ["status", "--watch", "--socket", "/nonexistent/socket"])
    #expect(missing.status == 69 && missing.lines.count == 1, "\(missing)")
  }
}
