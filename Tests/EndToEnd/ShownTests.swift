import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Text from outside is shown so that nothing in it acts on the terminal.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ShownTests {
  private static let nasty = "before\u{202E}after\u{E0041} \u{2066}x\u{2069}\u{AD}"

  private func isClean(_ lines: [String]) -> Bool {
    lines.allSatisfy { line in
      line.unicodeScalars.allSatisfy { $0.value >= 0x20 && ![.format, .control].contains($0.properties.generalCategory) }
    }
  }

  @Test func textsOfChannelsAndArgumentsAreEscaped() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    #expect(try await baton.control("relay", "add", "ws://127.0.0.1:\(Program.freePort())", "--name", "r").status == 0)
    let created = try await baton.control(
      "channel", "create", "News", "--description", Self.nasty, "--custom", "note=\(Self.nasty)", "--relay", "r", "--wait",
      "none")
    #expect(created.status == 0, "\(created.lines)")
    let shown = try await baton.control("channel", "show", "News")
    #expect(shown.status == 0 && isClean(shown.lines))
    #expect(shown.lines.contains { $0.contains(#"before\u{202E}after\u{E0041} \u{2066}x\u{2069}\u{AD}"#) }, "\(shown.lines)")

    // The same as JSON, which every reader decodes to the same text.
    let json = try await baton.control("channel", "show", "News", "--json")
    #expect(isClean(json.lines) && json.lines.first?.contains(#"before\u202eafter\udb40\udc41"#) == true, "\(json.lines)")
    let channel = try Channel(json: try JSONParser.parse(json.lines.first ?? ""))
    #expect(channel.profile.description == Self.nasty)

    // The text survives the round trip.
    #expect(try await baton.control("channel", "update", "News", "--custom", "other=1").status == 0)
    #expect(try await baton.client().channels.get(id: 1).custom == ["note": .string(Self.nasty), "other": "1"])

    for arguments in [
      ["relay", "show", "\u{1B}]0;title\u{7}\u{202E}"], ["relay", "add", "\u{1B}[31m"], ["\u{1B}[31mnonsense"],
      ["channel", "list", "--sort", "\u{202E}"], ["status", "--socket", "/nonexistent/\u{1B}[2J"], ["log-level", "\u{9B}31m"],
    ] {
      let socket = arguments.contains("--socket") ? [] : ["--socket", baton.socket]
      for more in [[], ["--json"]] {
        let refused = try await Program.run("batonctl", arguments + socket + more)
        #expect(refused.status != 0 && isClean(refused.lines) && !refused.lines.isEmpty, "\(arguments): \(refused.lines)")
      }
    }
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func wordsOfAForeignServerAreEscaped() async throws {
    let folder = try TemporaryFolder()
    let reply = #"{"error":"org.example.\u001b[2JGone","parameters":{"reason":"\u202e\u0007"}}"#
    for answer in [reply, "{\"\u{1B}[2J\":1}", "\u{1B}[2J"] {
      let path = folder.path + "/s"
      unlink(path)
      let script = """
        import socket, sys
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        server.listen()
        print("ready", flush=True)
        connection, _ = server.accept()
        connection.recv(65536)
        connection.sendall(sys.argv[2].encode() + b"\\0")
        connection.recv(65536)
        """
      let foreign = try Program("/usr/bin/python3", ["-c", script, path, answer])
      try await foreign.line(containing: "ready")
      let status = try await Program.run("batonctl", ["status", "--socket", path])
      #expect(status.status != 0 && isClean(status.lines) && !status.lines.isEmpty, "\(status.lines)")
      foreign.signal(SIGKILL)
      _ = await foreign.status()
    }
  }

  @Test func passwordOfAMistypedAddressIsNotShown() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let text = "wss://user:hunter2@relay.example"
    for command in [["relay", "add"], ["relay", "test"], ["relay", "show"], ["relay", "remove"]] {
      let refused = try await Program.run("batonctl", command + [text, "--socket", baton.socket])
      #expect(refused.status == 1 && !refused.lines.joined().contains("hunter2"), "\(command): \(refused.lines)")
    }
    #expect(!daemon.lines.joined().contains("hunter2"))
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }
}
