import BatonClient
import ControlAPI
import Foundation
import Glibc
import TestTools
import Testing

/// The daemon on sockets that others made for it.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ActivationTests {
  private func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  /// The arguments of a daemon that would listen at `baton.socket` by default.
  private func daemon(_ baton: Installation) -> [String] {
    [Program.products + "/batond", "run", "--state-dir", baton.folder.path + "/state", "--listen", "unix:" + baton.socket]
  }

  private func activate(_ kind: String, _ socket: String, _ baton: Installation) throws -> Program {
    try Program(
      "/usr/bin/python3", [ThirdPartyRelay.scripts + "/activate.py", kind, socket] + daemon(baton), environment: baton.settings)
  }

  @Test(arguments: ["listening", "unnamed", "second"]) func socketThatWasHandedOverIsServed(_ kind: String) async throws {
    let baton = try Installation()
    let socket = baton.folder.path + "/handed-over"
    let daemon = try activate(kind, socket, baton)
    try await daemon.line(containing: "is ready at the socket that was handed over")
    #expect(!FileManager.default.fileExists(atPath: baton.socket))
    let client = try await BatonClient(socket: socket)
    #expect(try await client.daemon.status().pid == Int64(daemon.pid))
    await client.close()
    await stop(daemon)
    #expect(FileManager.default.fileExists(atPath: socket), "whoever made it keeps it")
  }

  @Test func socketForAnotherProcessIsNotOurs() async throws {
    let baton = try Installation()
    let daemon = try activate("foreign", baton.folder.path + "/foreign", baton)
    try await daemon.line(containing: "is ready at " + baton.socket)
    let client = try await baton.client()
    #expect(try await client.daemon.status().pid == Int64(daemon.pid))
    await client.close()
    await stop(daemon)
  }

  @Test func daemonForOneConversationEndsWithIt() async throws {
    let baton = try Installation()
    let conversation = try activate("connected", "-", baton)
    #expect(await conversation.status() == 0)
    try await conversation.line(containing: #"REPLY {"parameters":{}}"#)
    try await conversation.line(containing: "STATUS 0")
    try await conversation.line(containing: "stopping: the connection that was handed over has ended")
    #expect(!FileManager.default.fileExists(atPath: baton.socket))
  }

  @Test func placeToListenMayComeFromSystemd() async throws {
    let baton = try Installation()
    let base = ["run", "--state-dir", baton.folder.path + "/state"]
    for place in [baton.folder.path + "/systemd", "unix:" + baton.folder.path + "/systemd"] {
      let environment = baton.settings.merging(["SYSTEMD_VARLINK_LISTEN": place]) { own, _ in own }
      let daemon = try Program("batond", base, environment: environment)
      try await daemon.line(containing: "is ready at \(baton.folder.path)/systemd:")
      let client = try await BatonClient(socket: baton.folder.path + "/systemd")
      #expect(try await client.daemon.status().pid == Int64(daemon.pid))
      await client.close()
      await stop(daemon)
    }
    // Baton's own setting comes first.
    let both = baton.settings.merging([
      "SYSTEMD_VARLINK_LISTEN": baton.folder.path + "/systemd", "BATON_CONTROL_SOCKET": baton.socket,
    ]) { own, _ in own }
    let daemon = try Program("batond", base, environment: both)
    try await daemon.line(containing: "is ready at \(baton.socket):")
    await stop(daemon)
    let refused = try await Program.run("batond", base, environment: ["SYSTEMD_VARLINK_LISTEN": "-"])
    #expect(refused.status == 78 && refused.lines.last?.contains("SYSTEMD_VARLINK_LISTEN must be a path") == true)
  }
}
