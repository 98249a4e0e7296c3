import Foundation
import TestTools
import Testing

/// All programs in one file, as it is installed: the name says which of them it is.
@Suite(.timeLimit(.minutes(10)))
struct OneProgramTests {
  private static let names = ["batond", "batonctl", "baton-console", "baton-sandbox"]
  private static let baton = Program.products + "/baton"

  private func link(_ name: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.path + "/" + name
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Self.baton)
    return path
  }

  @Test(arguments: names) func nameOfALinkSaysWhichProgramItIs(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let link = try link(name, in: folder)
    for arguments in [["--version"], ["--help"], ["--experimental-dump-help"], ["--generate-completion-script", "bash"]] {
      let linked = try await Program.run(link, arguments)
      #expect(linked.status == 0 && linked.lines.contains { $0.contains(name) }, "\(arguments): \(linked.lines.prefix(3))")
      let named = try await Program.run(Self.baton, [name] + arguments)
      #expect(named.status == 0 && named.lines == linked.lines, "\(arguments): \(named.lines.prefix(3))")
    }
    #expect(try await Program.run(link, ["--nonsense"]).status == 64)
  }

  @Test func nameIsFoundInThePathToo() async throws {
    let folder = try TemporaryFolder()
    _ = try link("batonctl", in: folder)
    let found = try await Program.run("/usr/bin/env", ["batonctl", "version"], environment: ["PATH": folder.path])
    #expect(found.status == 0 && found.lines.first?.hasPrefix("batonctl ") == true, "\(found.lines)")
  }

  @Test func unknownNamesAreRefusedWithTheKnownOnes() async throws {
    let folder = try TemporaryFolder()
    let link = try link("batonctl-old", in: folder)
    for (path, arguments) in [(link, []), (link, ["--help"]), (Self.baton, []), (Self.baton, ["/usr/bin/batond"])]
      as [(String, [String])]
    {
      let refused = try await Program.run(path, arguments)
      #expect(refused.status == 64 && refused.lines.count == 1, "\(refused.lines)")
      for name in Self.names { #expect(refused.lines.first?.contains(name) == true, "\(refused.lines)") }
    }
  }

  /// A conversation with `exec:/usr/bin/batond`, where that is a link.
  @Test func linkIsStartedForOneConversation() async throws {
    let folder = try TemporaryFolder()
    let baton = try Installation()
    let conversation = try await Program.run(
      "/usr/bin/python3",
      [
        ThirdPartyRelay.scripts + "/activate.py", "connected", "-", try link("batond", in: folder), "run", "--state-dir",
        baton.folder.path + "/state", "--listen", "unix:" + baton.socket,
      ], environment: baton.settings)
    #expect(conversation.status == 0 && conversation.lines.contains("STATUS 0"), "\(conversation.lines)")
  }
}
