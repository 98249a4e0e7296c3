import BatonClient
import ControlAPI
import Foundation
import Glibc
import TestTools
import Testing

/// docs/client.md says what works.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ClientDocumentTests {
  private func blocks(_ language: String) throws -> [String] {
    let text = try String(contentsOfFile: Program.repository + "/docs/client.md", encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
  }

  @Test func swiftExamplesAreTheOnesThatAreCompiled() throws {
    let code = try ["ClientExample", "ScreenExample"].map {
      try String(contentsOfFile: Program.repository + "/Tests/EndToEnd/\($0).swift", encoding: .utf8)
    }.joined()
    let examples = try blocks("swift")
    // The page shows each function once.
    #expect(examples.count == code.components(separatedBy: "\nfunc ").count - 1)
    for example in examples {
      let function = example.components(separatedBy: "\n\n").last ?? ""
      #expect(function.hasPrefix("func ") && code.contains(function), "\(function.prefix(40))")
    }
  }

  @Test func examplesRunAsTheyStand() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "2"])
    let relays = try await sandbox.sandboxRelays(2)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays)
    try await makeAndList(socket: baton.socket)
    for _ in 0..<2 { try await announce(socket: baton.socket, channel: 1) }

    let python = try #require(try blocks("python").first)
    let script = baton.folder.path + "/example.py"
    try python.write(toFile: script, atomically: true, encoding: .utf8)
    for _ in 0..<2 {
      let result = try await Program.run(
        ThirdPartyRelay.python + "/python3", [script], environment: ["BATON_SOCKET": baton.socket])
      #expect(result.status == 0 && result.lines.first?.hasPrefix("nostr:nevent1") == true, "\(result.lines)")
    }
    // The same key twice gives one channel, and one post.
    let client = try await baton.client()
    #expect(try await client.channels.all().map(\.profile.displayName) == ["From Swift", "From Python"])
    let posts = try await client.posts.list().posts
    #expect(posts.map(\.text) == ["We open at nine."] && posts.map(\.phase) == ["published"], "\(posts)")

    // systemd's own client, where a new enough one is installed.
    let folder = Program.repository + "/.build/varlinkctl"
    if FileManager.default.isExecutableFile(atPath: folder + "/varlinkctl") {
      let shell = try #require(try blocks("sh").first)
      let result = try await Program.run(
        "/bin/sh", ["-ec", shell], environment: ["BATON_SOCKET": baton.socket, "PATH": "\(folder):/usr/bin:/bin"])
      #expect(result.status == 0 && result.lines.contains { $0.contains("From the shell") }, "\(result.lines)")
    }

    let following = Task { [socket = baton.socket] in try await follow(socket: socket) }
    let reading = Task { [socket = baton.socket] in try await readAlong(socket: socket, channel: 1) }
    for task in [following, reading] {
      task.cancel()
      _ = await task.result
    }
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
