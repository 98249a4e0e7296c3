import Foundation
import TestTools
import Testing

/// README.md says what works.
struct ReadmeTests {
  /// The commands of the section, block by block.
  private func typed(in section: String) throws -> [String] {
    let readme = try String(contentsOfFile: Program.repository + "/README.md", encoding: .utf8)
    let text = try #require(readme.components(separatedBy: "\n## \(section)\n").dropFirst().first)
    let blocks = (text.components(separatedBy: "\n## ").first ?? "").components(separatedBy: "\n```\n")
    return blocks.indices.filter { $0 % 2 == 1 }.map { blocks[$0] }
  }

  @Test(.timeLimit(.minutes(10))) func typedCommandsLeadToAnActiveChannelAndPostsOnAllOfItsRelays() async throws {
    let home = try TemporaryFolder()
    let blocks = try typed(in: "Use it")
    #expect(blocks.count == 3)
    let search = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    let session = try await Program.run(
      "/bin/bash", ["-eu", "-o", "pipefail", "-c", blocks.joined(separator: "\n")],
      environment: ["HOME": home.path, "PATH": "\(Program.products):\(search)"])
    #expect(session.status == 0, "\(session.lines)")
    #expect(session.lines.contains { $0.contains("Channel works with 3 of 3 relays.") }, "\(session.lines)")
    #expect(session.lines.contains { $0.hasPrefix("nostr:nevent1") })
    // The first post, then the second one before and after the relay is back.
    let places = session.lines.compactMap { $0.firstMatch(of: /on ([0-3]) of 3 relays/)?.1 }
    let first = try #require(places.firstIndex(of: "3"), "\(session.lines)")
    #expect(places[first...].contains { $0 == "1" || $0 == "2" } && places.last == "3", "\(session.lines)")
    #expect(session.lines.last?.hasPrefix("Channel 1 is delet") == true, "\(session.lines.suffix(3))")
  }

  @Test func waitingForADaemonEndsWithItOrInTime() async throws {
    let baton = try Installation()
    let waiting = try Program("batonctl", ["status", "--wait", "--socket", baton.socket])
    let daemon = try await baton.start()
    #expect(await waiting.status() == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    let late = try await Program.run("batonctl", ["status", "--wait", "--timeout", "300ms", "--socket", baton.socket])
    #expect(late.status == 75 && late.lines == ["batonctl: the daemon did not answer within 300ms"], "\(late.lines)")
  }
}
