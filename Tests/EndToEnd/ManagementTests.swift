import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Operators, servers and relays as an administrator manages them: by files, by commands, on real relays and servers.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ManagementTests {
  private func write(_ baton: Installation, _ name: String, _ text: String) throws {
    try text.write(toFile: baton.operators + "/" + name, atomically: true, encoding: .utf8)
  }

  /// The relay once `isDone`, as the daemon reports it.
  private func relay(_ baton: Installation, _ name: String, until isDone: (Relay) -> Bool) async throws -> Relay {
    let client = try await baton.client()
    let revision = try await client.daemon.status().revision
    let now = try await client.relays.get(name: name)
    if isDone(now) { return now }
    for try await change in try await client.monitor.watch(WatchRequest(since: revision, kinds: ["relay"], relayIds: [now.id]))
    {
      guard let after = change.after else { continue }
      let relay = try Relay(json: after)
      if isDone(relay) { return relay }
    }
    throw Program.Ended(description: "the watch ended")
  }

  @Test func relaysAreProvisionedByFileTestedAndUsed() async throws {
    let relays = try [ThirdPartyRelay(), ThirdPartyRelay(demandsAuth: true)]
    var running: [Program] = []
    for relay in relays { running.append(try await relay.start()) }
    let baton = try Installation([
      "BATON_TESTS_BACKGROUND": "true", "BATON_TESTS_INTERVAL": "1s", "BATON_TESTS_AFTER_FAILURE": "500ms",
    ])
    let file = """
      operators:
        - name: Example
          legalName: Example Ltd
          domains: [example.org]
          relays:
            - {address: "\(relays[0].url)", name: one}
            - {address: "\(relays[1].url)", name: two}
            - {address: "ws://127.0.0.1:\(Program.freePort())", name: dead, enabled: false}
      """
    try write(baton, "10-example.yaml", file)
    let daemon = try await baton.start()
    // From a file to a tested relay without any command.
    for name in ["one", "two"] {
      // Its description of itself may come late, with a later test.
      let up = try await relay(baton, name) { $0.health == "up" && $0.tested == true && $0.profile != nil }
      #expect(up.preset && up.declaredIn == baton.operators + "/10-example.yaml" && up.operatorId == 1)
      #expect(!up.capabilities.isEmpty && up.profile?.name == "test relay", "\(up)")
    }
    let client = try await baton.client()
    let kept = try await client.relays.get(name: "one").roundTrips
    #expect(kept?.isEmpty == false)
    #expect(try await client.relays.get(name: "dead").tested == nil, "what is disabled is left alone")

    // An outage shows, and its end too.
    running[0].signal(SIGKILL)
    let down = try await relay(baton, "one") { $0.health == "down" }
    #expect(down.lastError?.hasPrefix("connect: ") == true && down.healthSince != nil)
    running[0] = try await relays[0].start()
    _ = try await relay(baton, "one") { $0.health == "up" }

    let created = try await baton.control("channel", "create", "News", "--pick", "2", "--timeout", "10min")
    #expect(created.status == 0, "\(created.lines)")
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func filesAreLoadedAgainOnReloadAndBrokenOnesChangeNothing() async throws {
    let baton = try Installation()
    func relays(_ names: String...) -> String {
      "operators:\n  - name: Example\n    relays:\n"
        + names.map { "      - {address: 'ws://127.0.0.1:9/\($0)', name: \($0)}\n" }.joined()
    }
    try write(baton, "a.yaml", relays("one", "two"))
    let daemon = try await baton.start()
    let client = try await baton.client()
    #expect(try await client.relays.all().map(\.name) == ["one", "two"])

    // May be disabled, and stays so.
    #expect(try await baton.control("relay", "disable", "one").status == 0)
    // Comes back if removed.
    #expect(try await baton.control("relay", "remove", "two").status == 0)
    let address = try await baton.control("relay", "update", "one", "--address", "ws://127.0.0.1:9/x")
    #expect(address.status == 1 && address.lines.last?.contains("\(baton.operators)/a.yaml declares it") == true)
    let reload = try await baton.control("reload")
    #expect(reload.status == 0 && reload.lines == ["1 file declares 1 operator, 0 servers and 2 relays."])
    #expect(try await client.relays.all().map { "\($0.name) \($0.enabled)" } == ["one false", "two true"])

    // A broken file: file, line, what is wrong; the old state stays.
    try write(baton, "b.yaml", "relays:\n  - address: ws://127.0.0.1:9/three\n    nam: three\n")
    let broken = try await baton.control("reload")
    #expect(
      broken.status == 1 && broken.lines.last?.contains("\(baton.operators)/b.yaml:3:5: a relay has no member 'nam'") == true)
    #expect(try await client.relays.all().count == 2)
    #expect(try await client.daemon.status().declarationsTrouble?.contains("b.yaml:3:5") == true)
    let checked = try await Program.run("batond", ["check-config"], environment: baton.settings)
    #expect(checked.status == 78 && checked.lines.first?.contains("b.yaml:3:5") == true)
    var failure: VarlinkErrorName?
    do { _ = try await client.daemon.reload() } catch { failure = VarlinkErrorName(error) }
    #expect(failure?.name == "org.batond.Daemon.InvalidConfiguration")

    // The configuration is broken too: then nothing of either applies.
    let options = baton.folder.path + "/batond.yaml"
    try "log:\n  levle: debug\n".write(toFile: options, atomically: true, encoding: .utf8)
    do { _ = try await client.daemon.reload() } catch { failure = VarlinkErrorName(error) }
    let said = try await baton.control("reload")
    #expect(
      said.lines.contains { $0.contains("batond.yaml:2:3") } && said.lines.contains { $0.contains("b.yaml:3:5") },
      "\(said.lines)")
    try FileManager.default.removeItem(atPath: baton.operators + "/b.yaml")
    try "log:\n  level: debug\ncontrol:\n  subscribersMax: 7\n".write(toFile: options, atomically: true, encoding: .utf8)
    let applied = try await baton.control("reload")
    #expect(
      applied.lines == [
        "1 file declares 1 operator, 0 servers and 2 relays.", "Changed options: log.level.",
        "These take effect at the next start of the daemon: control.subscribersMax.",
      ])
    #expect(try await client.call("io.systemd.service.GetLogLevel")["level"] == 7)
    // A level that is set by request stays until the configured one changes.
    _ = try await client.call("io.systemd.service.SetLogLevel", ["level": 6])
    let report = try await client.daemon.reload()
    #expect(report.options.isEmpty && report.needRestart == ["control.subscribersMax"])
    #expect(try await client.call("io.systemd.service.GetLogLevel")["level"] == 6)
    try write(baton, "b.yaml", "relays:\n  - address: ws://127.0.0.1:9/three\n    nam: three\n")

    // What vanishes is disabled and marked. SIGHUP reloads, too.
    try FileManager.default.removeItem(atPath: baton.operators + "/b.yaml")
    try write(baton, "a.yaml", relays("two"))
    let revision = try await client.daemon.status().revision
    daemon.signal(SIGHUP)
    for try await change in try await client.monitor.watch(WatchRequest(since: revision, kinds: ["relay"])) {
      #expect(change.after?["name"] == "one" && change.after?["undeclared"] == true && change.after?["enabled"] == false)
      break
    }
    // A load waits for the one before it to be over.
    _ = try await client.daemon.reload()
    #expect(try await client.daemon.status().declarationsTrouble == nil)

    // The folder itself must not vanish unnoticed.
    try FileManager.default.moveItem(atPath: baton.operators, toPath: baton.operators + ".gone")
    let gone = try await baton.control("reload")
    #expect(gone.status == 1 && gone.lines.last?.contains("the folder does not exist") == true)
    #expect(try await client.relays.get(name: "two").enabled)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    // Nor does a start without the folder remove anything.
    let again = try await baton.start()
    #expect(try await baton.client().relays.get(name: "two").enabled)
    again.signal(SIGTERM)
    _ = await again.status()
  }

  private struct VarlinkErrorName {
    let name: String
    init(_ error: any Error) { name = String("\(error)".prefix { $0 != " " }) }
  }

  @Test func commandsManageOperatorsServersAndRelays() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
    func control(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
      try await Program.run("batonctl", arguments + ["--socket", baton.socket])
    }
    #expect(try await control("operator", "add", "Example", "--domain", "example.org").lines == ["Added operator 1 'Example'."])
    #expect(
      try await control("relay", "add", "ws://relay.example.org", "--name", "r").lines == [
        "Added relay 1 'r' at ws://relay.example.org."
      ])
    let other = try await control(
      "relay", "add", "https://smp4.simplex.im/r#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M", "--operator", "1")
    #expect(other.status == 0 && other.lines.first?.contains("'smp4.simplex.im'") == true)

    // A password is never on a command line.
    let onLine = try await control("server", "add", "smp://\(key):hunter2@smp.example.org")
    #expect(onLine.status == 64 && onLine.lines.contains { $0.contains("--password-file") })
    let passwordFile = baton.folder.path + "/password"
    try "hunter2\r\nrest".write(toFile: passwordFile, atomically: true, encoding: .utf8)
    let added = try await control("server", "add", "smp://\(key)@smp.example.org", "--password-file", passwordFile)
    #expect(added.status == 0, "\(added.lines)")
    #expect(try await control("server", "add", "xftp://\(key)@files.example.org", "--role", "proxy=on").status == 0)
    let shown = try await control("server", "show", "smp.example.org")
    #expect(shown.lines.contains { $0.contains("with a password") } && !shown.lines.contains { $0.contains("hunter2") })

    // A change that would break the whole is refused, with the reason.
    let refused = try await control("server", "disable", "1")
    #expect(
      refused.status == 1 && refused.lines.last?.contains("no SMP server is enabled") == true
        && refused.lines.last?.contains("--force") == true)
    #expect(try await control("server", "disable", "1", "--force").status == 0)
    let validated = try await control("validate")
    #expect(validated.status == 1 && validated.lines.first?.contains("no SMP server is enabled") == true)
    #expect(try await control("server", "enable", "1").status == 0)
    let good = try await control("validate", "--json")
    #expect(good.status == 0)
    #expect(try JSONParser.parse(good.lines.first ?? "")["errors"] == [])

    // An export can be loaded by another daemon, and gives the same there.
    let export = try await control("operator", "export")
    #expect(export.status == 0 && !export.lines.contains { $0.contains("hunter2") })
    let second = try Installation()
    try write(second, "all.yaml", export.lines.joined(separator: "\n"))
    let secondDaemon = try await second.start()
    let again = try await Program.run("batonctl", ["operator", "export", "--socket", second.socket])
    #expect(again.lines == export.lines)
    secondDaemon.signal(SIGTERM)

    #expect(try await control("operator", "disable", "Example", "--force").lines == ["Operator 1 'Example' is disabled."])
    let none = try await control("channel", "create", "News")
    #expect(none.status == 1 && none.lines.last?.contains("no relay on nostr is enabled") == true)
    #expect(try await control("operator", "enable", "Example").status == 0)
    let inUse = try await control("operator", "remove", "Example")
    #expect(inUse.status == 1 && inUse.lines.last?.contains("2 servers and 2 relays belong to this operator") == true)
    let update = try await control(
      "operator", "update", "Example", "--legal-name", "Example Ltd", "--smp-role", "names=off", "--accept-conditions")
    #expect(update.status == 0, "\(update.lines)")
    let details = try await control("operator", "show", "Example")
    #expect(details.lines.first == "Example (operator 1), Example Ltd" && details.lines.contains { $0.hasPrefix("accepted ") })
    #expect(try await control("operator", "remove", "Example", "--force", "--yes").status == 0)
    let lists = try await control("relay", "list", "--filter", "{\"deleted\": true}", "--sort=-name", "--json")
    #expect(try JSONParser.parse(lists.lines.first ?? "").array?.map { $0["name"] } == ["smp4.simplex.im", "r"])
    for (arguments, status) in [
      (["operator", "show", "No one"], 1), (["server", "test"], 64), (["relay", "list", "--filter", "x"], 64),
      (["server", "test", "smp://x@y"], 1), (["relay", "list", "--sort", "nope"], 1), (["operator", "add", "12"], 1),
      (["server", "add", "smp://\(key)@h.example", "--role", "storage"], 64),
    ] as [([String], Int32)] {
      let result = try await Program.run("batonctl", arguments + ["--socket", baton.socket])
      #expect(result.status == status && result.lines.last?.isEmpty == false, "\(arguments): \(result)")
    }
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func serversAndRelaysAreTestedFromTheCommandLine() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let peer = try Program(
      ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/server_peer.py", "--key", "ed448"])
    let address = String(try await peer.line(containing: "ADDRESS ").dropFirst("ADDRESS ".count))
    #expect(try await baton.control("server", "add", address, "--force").status == 0)
    let steps = ["resolve", "connect", "tls", "identity", "hello", "version"]
    let known = try await baton.control("server", "test", "1")
    #expect(known.status == 0 && known.lines.count == 7, "\(known.lines)")
    for (step, line) in zip(steps, known.lines.dropFirst()) { #expect(line.hasPrefix("  ✓ \(step)")) }
    let show = try await baton.control("server", "show", "1", "--json")
    let server = try Server(json: try JSONParser.parse(show.lines.first ?? ""))
    #expect(server.tested == true && server.health == "up" && server.roundTrips?.count == 1)

    let stranger = address.replacing("smp://" + server.fingerprint, with: "smp://" + String(server.fingerprint.reversed()))
    let wrong = try await baton.control(
      "server", "test", stranger.contains("=@") ? stranger : address.replacing("//", with: "//A"), "--json")
    #expect(wrong.status == 1)

    let relay = try ThirdPartyRelay(demandsAuth: true)
    let running = try await relay.start()
    #expect(try await baton.control("relay", "add", relay.url, "--name", "auth").status == 0)
    let full = try await baton.control("relay", "test", "--all", "--json")
    #expect(full.status == 0, "\(full.lines)")
    let names = try full.lines.map { try JSONParser.parse($0) }
    #expect(names.map { $0["name"] } == ["resolve", "connect", "tls", "info", "auth", "publish", "readBack", "verify"])
    #expect(names.allSatisfy { $0["of"] == "auth" && $0["passed"] == true })
    running.signal(SIGKILL)
    _ = await running.status()
    let dead = try await baton.control("relay", "test", "auth")
    #expect(
      dead.status == 1 && dead.lines.last?.contains("✗ connect") == true && dead.lines.last?.contains("(unreachable)") == true)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    peer.signal(SIGTERM)
  }
}
