import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Short names of commands, and suggestions for misspelled ones.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CommandNameTests {
  @Test func commandsHaveTheirUsualShortNames() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let address = "ws://127.0.0.1:\(Program.freePort())"
    #expect(try await baton.control("relay", "add", address, "--name", "r").status == 0)
    #expect(try await baton.control("operator", "add", "O").status == 0)
    #expect(try await baton.control("identity", "add", "desk").status == 0)
    #expect(
      try await baton.control("server", "add", "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@h.example", "--force").status
        == 0)
    #expect(try await baton.control("channel", "create", "News", "--relay", "r", "--wait", "none").status == 0)
    for kind in ["relay", "operator", "server", "identity", "channel"] {
      let id = kind == "identity" ? "2" : "1"
      #expect(try await baton.control(kind, "ls", "-o", "name").lines.last == "id:\(id)")
      #expect(try await baton.control(kind, "get", "id:\(id)", "-o", "name").lines == ["id:\(id)"])
    }
    for arguments in [
      ["channel", "rm", "1", "--yes"], ["relay", "rm", "r", "--force", "--yes"], ["operator", "rm", "O"],
      ["server", "rm", "1", "--force"],
      ["identity", "rm", "desk", "--yes"],
    ] {
      let removed = try await Program.run("batonctl", arguments + ["--socket", baton.socket])
      #expect(removed.status == 0, "\(arguments): \(removed.lines)")
    }
    #expect(try await baton.control("relay", "ls", "-o", "name").lines == [])
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func misspelledCommandsAndOptionsAreRecognised() async throws {
    for (arguments, words) in [
      (["chanel", "list", "--all"], "There is no command 'batonctl chanel'. Did you mean 'channel'?"),
      (["mesages", "News"], "There is no command 'batonctl mesages'. Did you mean 'messages'?"),
      (["relay", "lst"], "There is no command 'batonctl relay lst'. Did you mean 'list'?"),
      (
        ["--quiet", "channel", "crate", "News", "--wait", "none"],
        "There is no command 'batonctl channel crate'. Did you mean 'create'?"
      ),
      (["relay", "frobnicate"], "There is no command 'batonctl relay frobnicate'. The commands are list, add, show, "),
      (["relay", "list", "--colums", "id"], "Unknown option '--colums'. Did you mean '--columns'?"),
    ] {
      let wrong = try await Program.run("batonctl", arguments)
      #expect(wrong.status == 64 && wrong.lines.first?.hasPrefix("Error: " + words) == true, "\(wrong)")
      let json = try await Program.run("batonctl", arguments + ["-o", "json"])
      #expect(json.status == 64 && json.lines.count == 1)
      let error = try JSONParser.parse(json.lines.first ?? "")
      #expect(error["error"] == "local.Usage" && error["message"]?.string?.hasPrefix(words) == true, "\(json)")
    }
    #expect(try await Program.run("batonctl", ["help", "relay", "list"]).status == 0)
  }

  @Test func hostIsNotAnAddress() async throws {
    for (text, address) in [
      ("relay.example", "wss://relay.example"), ("relay.example:7777/path", "wss://relay.example:7777/path"),
      ("localhost:7001", "ws://localhost:7001"), ("127.0.0.1:7001", "ws://127.0.0.1:7001"),
    ] {
      for command in [["relay", "add", text], ["relay", "update", "r", "--address", text]] {
        // This needs no daemon.
        let refused = try await Program.run("batonctl", command + ["--socket", "/nonexistent"])
        #expect(refused.status == 64 && refused.lines.first?.hasSuffix("Did you mean '\(address)'?") == true, "\(refused)")
      }
    }
    for text in ["user:hunter2@relay.example", "http://relay.example", "simplex:/contact", "News"] {
      #expect(try await Program.run("batonctl", ["relay", "add", text, "--socket", "/nonexistent"]).status == 69, "\(text)")
    }
  }

  @Test func misspelledSubcommandIsRecognised() async throws {
    let wrong = try await Program.run("batonctl", ["post", "lst"])
    #expect(wrong.status == 64 && wrong.lines.first?.hasSuffix("Did you mean 'batonctl post list'?") == true, "\(wrong)")
    let other = try await Program.run("batonctl", ["post", "News", "--json"])
    let error = try JSONParser.parse(other.lines.first ?? "")
    #expect(other.status == 64 && error["error"] == "local.Usage", "\(other)")
  }
}
