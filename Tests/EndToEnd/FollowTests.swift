import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

@testable import ControlProgram

/// Commands with --watch show changes, even after the daemon restarted.
@Suite(.serialized, .timeLimit(.minutes(10)))
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
    _ = try await baton.client().operators.add(AddOperator(name: "First"))
    let revision = try await baton.client().daemon.status().revision
    try await text.line(containing: "revision \(revision)  0 channels")
    try await json.line(containing: "\"operators\":1")

    await stop(daemon)
    let again = try await baton.start()
    _ = try await baton.client().operators.add(AddOperator(name: "Second"))
    let later = try await baton.client().daemon.status().revision
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
    _ = try await baton.client().operators.add(AddOperator(name: "First"))
    try await watch.line(containing: "operators   1")
    #expect(watch.seen.allSatisfy { $0.displayWidth < 60 }, "\(watch.seen)")
    // Each time from where it began.
    let moves = watch.lines.flatMap { $0.matches(of: /\u{1B}\[([0-9]+)A/).compactMap { Int($0.1) } }
    #expect(!moves.isEmpty && moves.allSatisfy((7...12).contains), "\(moves)")

    await stop(daemon)
    try await watch.line(containing: "not up to date: ")
    let again = try await baton.start()
    let count = watch.lines.count
    _ = try await baton.client().operators.add(AddOperator(name: "Second"))
    try await watch.line(containing: "operators   2", from: count)

    watch.signal(SIGUSR1)
    try await watch.line(containing: "… and ")
    await interrupt(watch)
    await stop(again)
  }

  @Test func listsAreFollowedLineByLine() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    func watch(_ kind: String, _ more: [String] = []) throws -> Program {
      try Program("batonctl", [kind, "list", "--watch", "--socket", baton.socket] + more)
    }
    let (relays, channels, identities) = (try watch("relay"), try watch("channel", ["--json"]), try watch("identity"))
    try await identities.line(containing: "+ 1  main  nostr")
    try await baton.addRelays(["ws://127.0.0.1:\(Program.freePort())"])
    try await relays.line(containing: "+ 1  r1  nostr  yes")
    #expect(try await baton.control("relay", "disable", "r1").status == 0)
    try await relays.line(containing: "~ 1  r1  nostr  no")

    #expect(try await baton.control("channel", "create", "News", "--relay", "r1", "--wait", "none").status == 0)
    let added = try JSONParser.parse(try await channels.line(containing: "\"change\":\"added\""))
    #expect(added["channel"]?["profile"]?["displayName"] == "News", "\(added.text)")

    await stop(daemon)
    let again = try await baton.start()
    #expect(try await baton.control("channel", "delete", "News", "--yes").status == 0)
    try await channels.line(containing: "\"change\":\"removed\"")
    #expect(channels.lines.filter { $0.contains("\"change\":\"added\"") }.count == 1, "\(channels.lines)")
    #expect(try await baton.control("relay", "remove", "r1", "--force", "--yes").status == 0)
    try await relays.line(containing: "- 1  r1  nostr  no")
    // Not everything changes with an event.
    #expect(try await baton.control("identity", "add", "desk").status == 0)
    try await identities.line(containing: "+ 2  desk  nostr")
    for program in [relays, channels, identities] { await interrupt(program) }
    #expect(!(relays.lines + identities.lines).joined().contains("\u{1B}"))
    await stop(again)
  }

  @Test func listsAreShownInTheirPlaceOnATerminal() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let watch = try Program.onTerminal("6x50", ["operator", "list", "--watch", "--socket", baton.socket])
    try await watch.line(containing: "No operators.")
    let client = try await baton.client()
    for number in 1...8 { _ = try await client.operators.add(AddOperator(name: "Operator number \(number)")) }
    try await watch.line(containing: "… and 5 more")
    #expect(watch.seen.allSatisfy { $0.displayWidth < 50 }, "\(watch.seen)")
    for operation in try await client.operators.all().dropFirst() { _ = try await client.operators.remove(id: operation.id) }
    _ = try await client.operators.update(
      UpdateOperator(id: 1, revision: try await client.operators.get(id: 1).operator.revision, name: "The last"))
    try await watch.line(containing: "1   The last")
    await interrupt(watch)
    let yaml = try await baton.control("operator", "list", "--watch", "-o", "yaml")
    #expect(yaml.status == 64 && yaml.lines.first?.contains("--watch cannot be combined with -o yaml") == true, "\(yaml)")
    await stop(daemon)
  }

  @Test func whatFailsAtOnceIsNotFollowed() async throws {
    let missing = try await Program.run("batonctl", ["status", "--watch", "--socket", "/nonexistent/socket"])
    #expect(missing.status == 69 && missing.lines.count == 1, "\(missing)")
  }
}
