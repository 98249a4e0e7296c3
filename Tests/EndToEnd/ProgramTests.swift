import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// The programs as their users meet them: exit statuses, one clear line, no surprises.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramTests {
  @Test func manualPagesSayWhatTheProgramsSay() async throws {
    let manual = Program.repository + "/scripts/manual"
    let result = try await Program.run("/usr/bin/python3", [manual, "--check", Program.products])
    #expect(result.status == 0, "\(result.lines)")
  }

  @Test func daemonSaysWhyItDoesNotStart() async throws {
    let folder = try TemporaryFolder()
    func start(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("batond", ["run"] + arguments)
    }
    let listen = "unix:\(folder.path)/c"
    let notADirectory = try await start("--state-dir", "/dev/null/x", "--listen", listen)
    #expect(notADirectory.status == 77 && notADirectory.lines.last?.contains("/dev/null/x") == true)

    let broken = folder.path + "/batond.yaml"
    try "log:\n  levle: info\n".write(toFile: broken, atomically: true, encoding: .utf8)
    let configuration = try await start("--config", broken, "--state-dir", folder.path + "/s", "--listen", listen)
    #expect(configuration.status == 78 && configuration.lines.last?.contains("batond.yaml:2:3") == true)
    let checked = try await Program.run("batond", ["check-config", "--config", broken])
    #expect(checked.status == 78 && checked.lines == ["\(broken):2:3: unknown option 'log.levle'"])
    #expect(try await Program.run("batond", ["check-config"]).status == 0)

    #expect(try await start("--nonsense").status == 64)
    #expect(try await start("--listen", "tcp:1").status == 64)

    let baton = try Installation()
    let daemon = try await baton.start()
    let inUse = try await start("--state-dir", folder.path + "/other", "--listen", "unix:" + baton.socket)
    #expect(inUse.status == 75 && inUse.lines.last?.contains("in use") == true)
    let sameState = try await start("--state-dir", baton.folder.path + "/state", "--listen", listen)
    #expect(sameState.status == 75 && sameState.lines.last?.contains("in use") == true)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)

    let database = baton.folder.path + "/state/baton.db"
    #expect(try await Program.run("/usr/bin/sqlite3", [database, "PRAGMA user_version = 999"]).status == 0)
    let newer = try await start("--state-dir", baton.folder.path + "/state", "--listen", listen)
    #expect(newer.status == 65 && newer.lines.last?.contains("schema 999") == true)
  }

  /// Clients never take the last descriptors, which files, lookups and libraries need.
  @Test func daemonWithTooFewDescriptorsSaysSoAndServesOn() async throws {
    let baton = try Installation()
    let daemon = try Program(
      "/bin/sh",
      [
        "-c", "ulimit -n $((48 + 8 * $(nproc))); exec \"$0\" \"$@\"", Program.products + "/batond", "run", "--config",
        baton.folder.path + "/batond.yaml", "--state-dir", baton.folder.path + "/state", "--listen", "unix:" + baton.socket,
      ], environment: baton.settings)
    try await daemon.line(containing: "is ready")
    var clients = try (0..<100).map { _ in try RawSocket(path: baton.socket) }
    try await daemon.line(containing: "raise LimitNOFILE")
    clients.removeAll()
    while try await baton.control("status").status != 0 {}
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func wrongMasterKeyIsNoReadiness() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    let key = baton.folder.path + "/state/identity.key"
    try Data(repeating: 1, count: 32).write(to: URL(fileURLWithPath: key))
    chmod(key, 0o600)
    let again = try await Program.run(
      "batond", ["run", "--state-dir", baton.folder.path + "/state", "--listen", "unix:" + baton.socket])
    #expect(again.status == 77 && again.lines.last?.contains("does not open") == true)
    #expect(!again.lines.contains { $0.contains("is ready") })
  }

  @Test func commandLineSaysWhatIsWrong() async throws {
    let missing = try await Program.run("batonctl", ["status", "--socket", "/nonexistent/socket"])
    #expect(missing.status == 69 && missing.lines.last?.contains("Is batond running?") == true)
    #expect(try await Program.run("batonctl", ["nonsense"]).status == 64)
    #expect(try await Program.run("batonctl", ["channel", "create", "x", "--pick", "2", "--relay", "r"]).status == 64)

    let baton = try Installation()
    let daemon = try await baton.start()
    for place in [["--socket", baton.socket, "--json", "status"], ["--json", "status", "--socket", baton.socket]] {
      let status = try await Program.run("batonctl", place)
      #expect(status.status == 0 && status.lines.first?.hasPrefix("{") == true, "\(status.lines)")
    }
    let none = try await baton.control("channel", "create", "News")
    #expect(
      none.status == 1
        && none.lines == ["batonctl: no relay on nostr is enabled. Add one with batonctl relay add ADDRESS, or enable one"])
    let json = try await baton.control("channel", "show", "99", "--json")
    #expect(json.status == 1)
    let error = try JSONParser.parse(json.lines.first ?? "")
    #expect(error["error"] == "org.batond.Channels.NoSuchChannel" && error["parameters"]?["id"] == 99)
    let bad = try await baton.control("relay", "add", "http://relay.example")
    #expect(bad.status == 1 && bad.lines.last?.contains("it must be ws or wss") == true)
    #expect(try await baton.control("status", "--json").lines.first.map { try JSONParser.parse($0)["channels"] } == 0)
    for command in [["relay", "list"], ["channel", "list"], ["version"]] {
      #expect(
        try await Program.run("batonctl", command + (command == ["version"] ? [] : ["--socket", baton.socket])).status == 0)
    }
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func everyCommandExplainsItself() async throws {
    for (program, command) in [
      ("batond", []), ("batond", ["run"]), ("batond", ["check-config"]), ("baton-sandbox", []), ("batonctl", []),
      ("batonctl", ["status"]), ("batonctl", ["relay"]), ("batonctl", ["relay", "test"]), ("batonctl", ["channel"]),
      ("batonctl", ["channel", "create"]), ("batonctl", ["watch"]),
    ] as [(String, [String])] {
      let help = try await Program.run(program, command + ["--help"])
      #expect(help.status == 0 && help.lines.contains { $0.hasPrefix("OVERVIEW:") }, "\(program) \(command)")
    }
    for program in ["batond", "batonctl", "baton-sandbox"] {
      #expect(try await Program.run(program, ["--version"]).lines.first?.hasPrefix(program + " ") == true)
    }
  }

  @Test func serviceManagerIsToldOfReadinessAndStop() async throws {
    let folder = try TemporaryFolder()
    let manager = try NotifySocket(path: folder.path + "/notify")
    let baton = try Installation(["NOTIFY_SOCKET": manager.path])
    let daemon = try await baton.start()
    #expect(await manager.next()?.contains("READY=1") == true)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    var stopping = false
    while let message = await manager.next() {
      stopping = message.contains("STOPPING=1")
      if stopping { break }
    }
    #expect(stopping)
  }

  /// No request is carried out twice either: a relay that was already added would be refused.
  @Test func restartRefusesNoRequest() async throws {
    let baton = try Installation()
    var daemon = try await baton.start()
    let (restarts, over) = AsyncStream.makeStream(of: Void.self)
    let isOver = Task { for await _ in restarts {} }
    var isQuick = true
    let asked = try await withThrowingTaskGroup(of: [(status: Int32, lines: [String])].self) { group in
      for asker in 1...3 {
        group.addTask {
          var results: [(status: Int32, lines: [String])] = []
          while !isOver.isCancelled, results.count < 500 {
            results.append(try await baton.control("relay", "add", "wss://relay-\(asker)-\(results.count).example"))
          }
          return results
        }
      }
      for _ in 0..<5 {
        let begin = ContinuousClock.now
        daemon.signal(SIGTERM)
        #expect(await daemon.status() == 0)
        daemon = try await baton.start()
        if ContinuousClock.now - begin > .seconds(2) { isQuick = false }
      }
      isOver.cancel()
      over.finish()
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let failed = asked.filter { $0.status != 0 }
    // A client that finds no daemon for three seconds is told so, and nothing was done. A slow restart may take that long.
    let refused = failed.filter { result in
      isQuick || result.status != 69 || result.lines.contains { $0.contains("is not known") }
    }
    #expect(refused.isEmpty && asked.count >= 5, "\(refused)")
    let relays = try await baton.client().relays.all()
    #expect(relays.count == asked.count - failed.count)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func secretsAreShownNowhere() async throws {
    let baton = try Installation(["BATON_LOG_LEVEL": "trace"])
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:\(Program.freePort())"])
    _ = try await baton.control("channel", "create", "News", "--wait", "none")
    let key = try Data(contentsOf: URL(fileURLWithPath: baton.folder.path + "/state/identity.key"))
    let hex = key.map { String(format: "%02x", $0) }.joined()
    #expect(!daemon.lines.contains { $0.contains(hex) || $0.contains("nsec1") })
    let files = try FileManager.default.contentsOfDirectory(atPath: baton.folder.path + "/state")
    for file in files {
      let mode = try FileManager.default.attributesOfItem(atPath: baton.folder.path + "/state/" + file)[.posixPermissions]
      if file == "identity.key" { #expect((mode as? NSNumber)?.intValue == 0o600) }
    }
    let directory = try FileManager.default.attributesOfItem(atPath: baton.folder.path + "/state")[.posixPermissions]
    #expect((directory as? NSNumber)?.intValue == 0o700)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func copyOfTheDatabaseBringsChannelsBack() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try await sandbox.line(containing: "ws://")
    let baton = try Installation()
    let key = baton.folder.path + "/credentials"
    try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: true)
    // The nsec of NIP-19's own example.
    try "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5\n".write(
      toFile: key + "/desk", atomically: true, encoding: .utf8)
    var daemon = try await baton.start(["CREDENTIALS_DIRECTORY": key])
    try await baton.addRelays([address])
    let added = try await baton.control("identity", "add", "desk", "--credential", "desk")
    #expect(
      added.lines.last?.contains("7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e") == true, "\(added.lines)")
    let created = try await baton.control("channel", "create", "City", "--identity", "desk", "--quiet")
    let link = try #require(created.lines.last)
    let copy = baton.folder.path + "/copy.db"
    #expect(try await baton.control("backup", copy).status == 0)
    let again = try await baton.control("backup", copy)
    #expect(again.status == 64 && again.lines.last?.contains("File exists") == true)
    #expect(try await baton.control("check").status == 0)
    #expect(try await baton.control("log-level", "warning").lines == ["warning"])
    #expect(try await baton.control("channel", "create", "Later", "--quiet").status == 0)

    let restore = ["restore", "--state-dir", baton.folder.path + "/state", copy]
    let refused = try await Program.run("batond", restore)
    #expect(refused.status == 75 && refused.lines.last?.contains("in use") == true)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    #expect(try await Program.run("batond", restore).status == 0)
    daemon = try await baton.start()
    let client = try await baton.client()
    #expect(try await client.channels.all().map(\.profile.displayName) == ["City"])
    #expect(try await client.channels.get(id: 1).link == link)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
