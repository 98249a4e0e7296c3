import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Lists and objects at the terminal: what they show, in which form, and which of them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ListTests {
  private static let long = "Everything that happens in the city and around it"
  private static let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="

  /// A daemon with an operator, a server, a relay that works and one that does not; and on each relay a channel.
  private final class City: Sendable {
    let baton: Installation
    let daemon: Program
    private let sandbox: Program

    init() async throws {
      // The relay that does not work is not given up, however long the test takes.
      baton = try Installation(["BATON_CHANNEL_BACK_OFF_FIRST": "5min"])
      daemon = try await baton.start()
      sandbox = try Program("baton-sandbox", ["--relays", "1"])
      let address = try await sandbox.line(containing: "ws://")
      for arguments in [
        ["operator", "add", "Example", "--domain", "example.org"],
        ["server", "add", "smp://\(ListTests.key)@smp.example.org", "--force"],
        ["relay", "add", address, "--name", "good", "--operator", "Example"],
        ["relay", "add", "ws://127.0.0.1:\(Program.freePort())", "--name", "dead, and with a very long name"],
        ["relay", "disable", "id:2"],
        ["channel", "create", ListTests.long, "--relay", "good"],
        ["channel", "create", "Late", "--relay", "id:2", "--wait", "none"],
      ] {
        let done = try await control(arguments)
        #expect(done.status == 0, "\(arguments): \(done.lines)")
      }
    }

    func control(_ arguments: [String]) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("batonctl", arguments + ["--socket", baton.socket])
    }

    /// The output on a terminal.
    func shown(_ columns: Int, _ arguments: [String], color: Bool = false) async throws -> [String] {
      // Tall, so that nothing scrolls away.
      let result = try await Program.runOnTerminal(
        "200x\(columns)", arguments + ["--socket", baton.socket],
        environment: ["NO_COLOR": color ? "" : "1", "COLUMNS": "7"], isPlain: !color)
      #expect(result.status == 0, "\(result.lines)")
      return result.lines
    }

    func stop() async {
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      sandbox.signal(SIGKILL)
      _ = await sandbox.status()
    }
  }

  private func words(_ line: String?) -> [String] { (line ?? "").split(separator: " ").map(String.init) }

  @Test func tablesFitTheTerminal() async throws {
    let city = try await City()
    let tables = [
      ["channel", "list"], ["relay", "list"], ["server", "list"], ["operator", "list"], ["identity", "list"],
      ["channel", "history", "1"], ["metrics"],
    ]
    for table in tables {
      for columns in [40, 80] {
        let lines = try await city.shown(columns, table)
        #expect(lines.count > 1 && lines.allSatisfy { $0.count <= columns }, "\(table) \(columns): \(lines)")
      }
    }
    let narrow = try await city.shown(40, ["channel", "list"])
    #expect(words(narrow[0]) == ["ID", "NAME", "PHASE", "RELAYS", "WORK"], "\(narrow)")
    #expect(narrow[1].hasPrefix("1   Everything") && narrow[1].contains("…") && narrow[1].contains("1/1"), "\(narrow)")
    let relays = try await city.shown(40, ["relay", "list"])
    #expect(words(relays[0]).starts(with: ["ID", "NAME", "HEALTH"]) && relays[2].contains("…"), "\(relays)")

    // Colours take no room, and are for terminals only.
    let colored = try await city.shown(40, ["channel", "list"], color: true)
    #expect(colored[1].contains("\u{1B}[32mactive\u{1B}[0m"), "\(colored)")
    #expect(colored.map(Program.seen) == narrow)

    // Nothing is cut where everything fits, or where no terminal is.
    #expect(try await city.shown(40, ["channel", "list", "-o", "wide"]).first { $0.contains(Self.long) } != nil)
    let piped = try await city.control(["channel", "list"]).lines
    #expect(piped.contains { $0.contains(Self.long) } && !piped.joined().contains { "…\u{1B}".contains($0) }, "\(piped)")
    #expect(words(piped[0]) == ["ID", "NAME", "PHASE", "RELAYS", "WORK", "CHANGED"])
    await city.stop()
  }

  @Test func listsSayWhatPeopleWantToKnow() async throws {
    let city = try await City()
    #expect(try await city.control(["relay", "test", "good"]).status == 0)
    let relays = try await city.control(["relay", "list"]).lines
    #expect(
      words(relays[0]) == [
        "ID", "NAME", "NETWORK", "ENABLED", "HEALTH", "LATENCY", "CHANNELS", "TESTED", "OPERATOR", "ADDRESS",
      ], "\(relays)")
    #expect(relays[1].contains(/good +nostr +yes +up +[0-9]+ ms +1 +(just now|[0-9]+ (s|min) ago) +Example +ws:/), "\(relays)")
    #expect(relays[2].contains(/name +nostr +no .* 1 +never +own +ws:/), "\(relays)")
    let operators = try await city.control(["operator", "list", "--columns", "name,relays,servers"]).lines
    #expect(operators.map(words) == [["NAME", "RELAYS", "SERVERS"], ["Example", "1", "1"]], "\(operators)")
    let servers = try await city.control(["server", "list", "--columns", "host,operator,health"]).lines
    #expect(servers.map(words) == [["HOST", "OPERATOR", "HEALTH"], ["smp.example.org", "Example", "unknown"]], "\(servers)")
    let channels = try await city.control(["channel", "list", "--columns", "id,relays,work,doing"]).lines
    #expect(
      channels.map(words) == [["ID", "RELAYS", "WORK", "DOING"], ["1", "1/1", "-", "-"], ["2", "0/1", "1", "1", "joining"]],
      "\(channels)")
    let show = try await city.control(["relay", "show", "good"]).lines
    #expect(show.contains("operator  Example (operator 1)") && show.contains { $0.hasPrefix("health    up for ") }, "\(show)")

    // Times are relative, and exact on request or for programs.
    let exact = /20[0-9-]{8}T[0-9:.]{12}Z/
    for command in [
      ["channel", "list"], ["channel", "show", "1"], ["channel", "history", "1"], ["relay", "show", "good"],
    ] {
      #expect(try await !city.control(command).lines.contains { $0.contains(exact) }, "\(command)")
      #expect(try await city.control(command + ["--utc"]).lines.contains { $0.contains(exact) }, "\(command)")
      #expect(try await city.control(command + ["-o", "yaml"]).lines.contains { $0.contains(exact) }, "\(command)")
    }
    await city.stop()
  }

  @Test func resultsComeInEveryForm() async throws {
    let city = try await City()
    let script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1], encoding='utf-8'))))"
    // The state of the dead relay may change between two calls.
    for command in [
      ["channel", "list", "--limit", "1"], ["relay", "list", "--enabled"], ["server", "list"], ["operator", "list"],
      ["identity", "list"], ["channel", "show", "1"], ["relay", "show", "1"], ["server", "show", "1"],
      ["operator", "show", "1"],
      ["identity", "show", "1"],
    ] {
      let json = try await city.control(command + ["-o", "json"]).lines
      #expect(try await city.control(command + ["--json"]).lines == json)
      let value = try JSONParser.parse(try #require(json.first))
      let yaml = city.baton.folder.path + "/yaml"
      try await city.control(command + ["-o", "yaml"]).lines.joined(separator: "\n").write(
        toFile: yaml, atomically: true, encoding: .utf8)
      let read = try await Program.run(ThirdPartyRelay.python + "/python3", ["-c", script, yaml]).lines
      #expect(try JSONParser.parse(read.first ?? "") == value, "\(command)")
      let ids = (value.array ?? [value]).compactMap { $0["id"]?.integer }
      #expect(try await city.control(command + ["-o", "name"]).lines == ids.map { "id:\($0)" }, "\(command)")
      let wide = try await city.control(command + ["-o", "wide"])
      #expect(wide.status == 0 && !wide.lines.isEmpty, "\(command)")
    }
    #expect(try await city.control(["channel", "list", "-o", "wide"]).lines[0].hasSuffix("LINK"))
    // Names are arguments for other commands; an empty list prints no line.
    #expect(try await city.control(["channel", "show", "id:2", "-o", "name"]).lines == ["id:2"])
    #expect(try await city.control(["channel", "list", "--phase", "failed", "-o", "name"]).lines == [])
    #expect(try await city.control(["-o", "name", "relay", "list"]).lines == ["id:1", "id:2"])
    #expect(try await city.control(["-o=name", "relay", "list"]).lines == ["id:1", "id:2"])
    let misspelled = try await city.control(["relay", "list", "-o=json", "--bogus"]).lines
    #expect(misspelled.first?.hasPrefix(#"{"error":"local.Usage""#) == true, "\(misspelled)")
    let refused = try await city.control(["-o", "json", "channel", "show", "99"])
    #expect(refused.status == 1 && refused.lines.first?.hasPrefix(#"{"error":"org.batond.Channels.NoSuchChannel""#) == true)
    for arguments in [
      ["relay", "list", "--json", "-o", "yaml"], ["relay", "show", "1", "--json", "-o", "name"],
      ["relay", "list", "-o", "jsn"],
      ["relay", "list", "-o", "json", "--columns", "id"],
    ] { #expect(try await city.control(arguments).status == 64, "\(arguments)") }
    await city.stop()
  }

  @Test func columnsAreChosenByName() async throws {
    let city = try await City()
    let two = try await city.control(["channel", "list", "--columns", "Phase,id"]).lines
    #expect(two.map(words) == [["PHASE", "ID"], ["active", "1"], ["creating", "2"]], "\(two)")
    // Requested columns stay.
    let stay = try await city.shown(30, ["channel", "list", "--columns", "changed,name,phase"])
    #expect(words(stay[0]) == ["CHANGED", "NAME", "PHASE"] && stay.allSatisfy { $0.count <= 30 }, "\(stay)")
    let wrong = try await city.control(["channel", "list", "--columns", "id,nmae"])
    #expect(wrong.status == 64)
    #expect(
      wrong.lines.first?.hasPrefix("Error: There is no column 'nmae'. Did you mean name? The columns are id, name, ") == true,
      "\(wrong)")
    await city.stop()
  }

  @Test func listsAreShortenedByWhatTheyShow() async throws {
    let city = try await City()
    func ids(_ arguments: String...) async throws -> [String] {
      let result = try await city.control(arguments + ["-o", "name"])
      #expect(result.status == 0, "\(arguments): \(result.lines)")
      return result.lines
    }
    #expect(try await ids("channel", "list", "--phase", "creating") == ["id:2"])
    #expect(try await ids("channel", "list", "--phase", "creating", "--phase", "active") == ["id:1", "id:2"])
    #expect(try await ids("channel", "list", "--relay", "good") == ["id:1"])
    #expect(try await ids("channel", "list", "--relay", "id:2", "--relay", "good") == ["id:1", "id:2"])
    #expect(try await ids("channel", "list", "--status", "active") == ["id:1"])
    #expect(try await ids("channel", "list", "--relay", "id:2", "--status", "active") == [])
    #expect(try await ids("channel", "list", "--busy") == ["id:2"])
    #expect(try await ids("channel", "list", "--busy", "--relay", "good") == [])
    #expect(try await ids("channel", "list", "--relay", "good", "--filter", #"{"phase": "failed"}"#) == [])
    #expect(try await ids("channel", "list", "--limit", "1") == ["id:1"])
    #expect(try await city.control(["channel", "list", "--limit", "1"]).lines.last == "There are more channels: add --all.")
    #expect(try await city.control(["channel", "list", "--phase", "failed"]).lines == ["No channels match."])

    #expect(try await city.control(["relay", "test", "good"]).status == 0)
    #expect(try await ids("relay", "list", "--health", "up") == ["id:1"])
    #expect(try await ids("relay", "list", "--disabled") == ["id:2"])
    #expect(try await ids("relay", "list", "--disabled", "--health", "up") == [])
    #expect(try await ids("relay", "list", "--enabled") == ["id:1"])
    #expect(try await ids("relay", "list", "--operator", "Example") == ["id:1"])
    #expect(try await ids("relay", "list", "--operator", "own") == ["id:2"])
    #expect(try await ids("relay", "list", "--network", "simplex") == [])
    #expect(try await ids("server", "list", "--protocol", "smp", "--operator", "id:1", "--health", "unknown") == ["id:1"])
    #expect(try await ids("server", "list", "--protocol", "xftp") == [])
    #expect(try await ids("operator", "list", "--disabled") == [])
    #expect(try await ids("identity", "list", "--network", "nostr") == ["id:1"])

    for (arguments, hint) in [
      (["channel", "list", "--phase", "actve"], "did you mean active?"),
      (["channel", "list", "--status", "inivted"], "did you mean invited?"),
      (["relay", "list", "--health", "dwon"], "did you mean down?"),
      (["server", "list", "--protocol", "http"], "the values are smp, xftp"),
    ] {
      let wrong = try await city.control(arguments)
      #expect(wrong.status == 64 && wrong.lines.first?.contains(hint) == true, "\(wrong)")
    }
    #expect(try await city.control(["channel", "list", "--relay", "nobody"]).status == 1)
    await city.stop()
  }
}
