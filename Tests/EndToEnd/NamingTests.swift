import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Objects on the command line: by id, by name, and never the wrong one.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct NamingTests {
  @Test func numberThatIsAlsoANameIsRefused() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    #expect(try await baton.control("relay", "add", "ws://127.0.0.1:\(Program.freePort())", "--name", "r1").status == 0)
    // Channel 1 is called 2, channel 3 is called 3, channels 4 and 5 are called 9.
    var made: [String] = []
    for name in ["2", "News", "3", "9", "9"] {
      let isSecond = made.contains(name)
      made.append(name)
      let create = ["channel", "create", name, "--relay", "id:1", "--wait", "none"]
      if isSecond {
        let refused = try await baton.control(create)
        #expect(
          refused.status == 1 && refused.lines.first?.contains("channel 4 already has the name '9'") == true, "\(refused)")
      }
      #expect(try await baton.control(create + (isSecond ? ["--allow-duplicate"] : [])).status == 0)
    }
    func shown(_ name: String) async throws -> String? {
      try await baton.control("channel", "show", name).lines.first.map { String($0.drop { $0 != " " }.dropFirst()) }
    }
    #expect(try await shown("1") == "2 (channel 1)")
    #expect(try await shown("id:2") == "News (channel 2)")
    #expect(try await shown("name:2") == "2 (channel 1)")
    #expect(try await shown("name:News") == "News (channel 2)")
    #expect(try await shown("3") == "3 (channel 3)")
    for (name, words) in [
      ("2", "2 is also the name of channel 1: write id:2 or name:2"),
      ("9", "9 is also the name of more than one channel: write id:9"),
    ] {
      let refused = try await baton.control("channel", "delete", name, "--yes")
      #expect(refused.status == 64 && refused.lines == ["batonctl: \(words)"], "\(refused)")
    }
    let json = try await baton.control("channel", "delete", "2", "--yes", "--json")
    #expect(try JSONParser.parse(json.lines.last ?? "")["error"] == "local.AmbiguousName")
    let several = try await baton.control("channel", "show", "name:9")
    #expect(
      several.status == 1
        && several.lines == ["batonctl: more than one channel is called '9': 4, 5. Use its id, for example id:4"])
    #expect(try await baton.control("channel", "show", "id:News").status == 64)
    #expect(
      try await baton.control("channel", "show", "99").lines == [
        "batonctl: there is no channel with id 99. See batonctl channel list"
      ])
    #expect(try await baton.control("channel", "delete", "id:2", "--yes").status == 0)
    #expect(try await baton.client().channels.all().map(\.id) == [1, 3, 4, 5])
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func everyCommandTakesBothForms() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
    func works(_ arguments: String...) async throws {
      let result = try await Program.run("batonctl", arguments + ["--socket", baton.socket])
      #expect(result.status == 0, "\(arguments): \(result.lines)")
    }
    try await works("operator", "add", "O", "--domain", "o.example")
    try await works("server", "add", "smp://\(key)@h.example", "--operator", "id:1", "--force")
    try await works("relay", "add", "ws://127.0.0.1:\(Program.freePort())", "--name", "r", "--operator", "name:O")
    try await works("identity", "add", "desk")
    for name in ["id:1", "name:O", "1", "O"] { try await works("operator", "show", name) }
    for name in ["id:1", "name:h.example", "name:smp://\(key)@h.example", "1", "h.example"] {
      try await works("server", "show", name)
    }
    for name in ["id:1", "name:r", "1", "r"] { try await works("relay", "show", name) }
    for (number, name) in ["id:2", "name:desk", "2", "desk"].enumerated() {
      try await works("identity", "show", name)
      try await works("channel", "create", "C \(number)", "--identity", name, "--relay", "name:r", "--wait", "none")
    }
    #expect(try await baton.client().channels.all().allSatisfy { $0.identity == "desk" })
    try await works("channel", "retry", "id:1", "name:r")
    try await works("channel", "history", "name:C 0")
    try await works("operator", "disable", "name:O", "--force")
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }
}
