import Foundation
import Glibc
import QRCodes
import TestTools
import Testing

@testable import ControlProgram

/// Commands draw only on a terminal, and their drawing fits it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TerminalTests {
  private func sandbox(_ relays: Int, for baton: Installation) async throws -> Program {
    let sandbox = try Program("baton-sandbox", ["--relays", "\(relays)"])
    var addresses: [String] = []
    while addresses.count < relays {
      let from = addresses.last.flatMap { sandbox.lines.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      addresses.append(try await sandbox.line(containing: "ws://", from: from))
    }
    try await baton.addRelays(addresses)
    return sandbox
  }

  private func stop(_ daemon: Program, _ sandbox: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  /// The number of rows that the cursor was moved up.
  private func moves(_ lines: [String]) -> [Int] {
    lines.flatMap { $0.matches(of: /\u{1B}\[([0-9]+)A/).compactMap { Int($0.1) } }
  }

  @Test func progressFitsTheTerminal() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let sandbox = try await sandbox(10, for: baton)
    let create = { (name: String) in ["channel", "create", name, "--pick", "10", "--no-qr", "--socket", baton.socket] }
    let program = try Program.onTerminal("6x40", create("Low"))
    try await program.line(containing: "nostr:")
    #expect(await program.status() == 0, "\(program.seen)")
    // Each drawing begins where the one before did, within the terminal.
    let heights = moves(program.lines)
    #expect(!heights.isEmpty && heights.allSatisfy { $0 <= 5 }, "\(heights)")
    let drawn = program.seen.filter { $0.hasPrefix("  ●") || $0.hasPrefix("  …") || $0.hasSuffix(" relays active") }
    #expect(drawn.contains { $0.hasSuffix(" 10/10 relays active") } && drawn.contains { $0.contains("and 10 more: 10 active") })
    #expect(drawn.allSatisfy { $0.displayWidth < 40 }, "\(drawn)")
    #expect(program.lines.joined().contains("\u{1B}[32m"))

    // Without colours lines are drawn over all the same; a terminal that cannot do that gets plain lines, and so does a pipe.
    let colourless = try Program.onTerminal("24x80", create("Colourless"), environment: ["NO_COLOR": "1"])
    try await colourless.line(containing: "nostr:")
    let sequences = colourless.lines.joined()
    #expect(!moves(colourless.lines).isEmpty && !sequences.contains(/\u{1B}\[[0-9;]*m/), "\(colourless.lines)")
    let dumb = try Program.onTerminal("24x80", create("Dumb"), environment: ["TERM": "dumb"])
    try await dumb.line(containing: "nostr:")
    let piped = try await Program.run("batonctl", create("Piped"))
    // Each relay has one line there.
    #expect(piped.status == 0 && piped.lines.count { $0.hasPrefix("  ● ") } == 10, "\(piped)")
    #expect(!piped.lines.contains { $0.contains("relays active") })
    #expect(!(dumb.lines + piped.lines).joined().contains("\u{1B}"), "\(dumb.lines)")
    #expect(!dumb.lines.joined().utf8.contains { $0 >= 0x80 }, "\(dumb.lines)")
    let ascii = try Program.onTerminal("24x80", create("ASCII"), environment: ["LC_ALL": "C"])
    try await ascii.line(containing: "nostr:")
    #expect(
      !ascii.lines.joined().utf8.contains { $0 >= 0x80 } && ascii.seen.contains { $0.hasPrefix("  * ") }, "\(ascii.lines)")
    await stop(daemon, sandbox)
  }

  @Test func qrCodeIsDrawnWhereItFitsOrIsWanted() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let sandbox = try await sandbox(1, for: baton)
    func code(_ result: (status: Int32, lines: [String])) throws -> (isWhole: Bool, isThere: Bool) {
      #expect(result.status == 0, "\(result)")
      let link = try #require(result.lines.first { $0.hasPrefix("nostr:") })
      let code = try #require(QRCode(link)).text(hasColor: false).components(separatedBy: "\n")
      let drawn = result.lines.filter { $0.contains("▀") || $0.contains("▄") }
      return (code.allSatisfy(result.lines.contains), !drawn.isEmpty)
    }
    func create(_ name: String, on size: String, _ more: [String] = []) async throws -> (status: Int32, lines: [String]) {
      try await Program.runOnTerminal(
        size, ["channel", "create", name, "--relay", "r1", "--socket", baton.socket] + more, environment: ["NO_COLOR": "1"])
    }
    let large = try await create("Large", on: "60x120")
    #expect(try code(large) == (true, true), "\(large)")
    for size in ["24x120", "60x30"] {
      let small = try await create("Small \(size.prefix(2))", on: size)
      #expect(try code(small) == (false, false), "\(small)")
      #expect(small.lines.joined().contains("--qr-file FILE.svg"), "\(small)")
    }
    #expect(try code(try await create("Not wanted", on: "60x120", ["--no-qr"])) == (false, false))
    #expect(try code(try await create("Wanted", on: "24x120", ["--qr"])) == (true, true))

    let link = try await baton.control("channel", "link", "Large")
    #expect(link.lines.count == 1 && link.lines[0].hasPrefix("nostr:"))
    // Drawn into a pipe too, on request.
    #expect(try code(try await baton.control("channel", "link", "Large", "--qr")) == (true, true))
    let piped = try await baton.control("channel", "create", "Piped", "--relay", "r1")
    #expect(try code(piped) == (false, false))
    #expect(!piped.lines.joined().contains("--qr-file"))
    await stop(daemon, sandbox)
  }
}
