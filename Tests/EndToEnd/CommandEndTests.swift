import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// How commands end: with readers that leave, disks that are full, daemons that do not answer, and people who lose patience.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CommandEndTests {
  private static let batonctl = Program.products + "/batonctl"

  /// Runs a line of shell in which `$0` is batonctl and `$1` the socket.
  private func shell(_ line: String, _ baton: Installation) async throws -> (status: Int32, lines: [String]) {
    try await Program.run("/bin/bash", ["-c", line, Self.batonctl, baton.socket])
  }

  private func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  /// This is the case of `yes | head -n 1`.
  @Test func readerThatLeavesEndsAStreamThatHasNothingToSay() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let watch = try await shell(#"timeout 300 "$0" watch --socket "$1" | head -n 1; exit ${PIPESTATUS[0]}"#, baton)
    #expect(watch.status == 128 + SIGPIPE && watch.lines.count == 1 && watch.lines[0].hasSuffix("snapshot"), "\(watch)")
    await stop(daemon)
  }

  @Test func outputThatCannotBeWrittenIsAFailure() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    for command in [
      #"status --socket "$1""#, #"status --json --socket "$1""#, "--help", "relay add --help", "--version", "version",
    ] {
      let result = try await shell(#""$0" \#(command) >/dev/full"#, baton)
      #expect(result.status == 74 && result.lines.count == 1, "\(command): \(result)")
      #expect(result.lines.first?.contains("No space left on device") == true, "\(command): \(result)")
    }
    await stop(daemon)
  }

  /// The one document of a command that prints nothing else.
  private func document(_ lines: [String]) throws -> JSONValue {
    #expect(lines.count == 1, "\(lines)")
    return try JSONParser.parse(lines.first ?? "")
  }

  @Test func daemonThatDoesNotAnswerIsWaitedForAsLongAsRequested() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    daemon.signal(SIGSTOP)
    for command in [["status"], ["watch"], ["channel", "create", "x"], ["relay", "test", "--all"], ["check"]] {
      let text = try await Program.run("batonctl", ["--timeout", "300ms"] + command + ["--socket", baton.socket])
      #expect(text.status == 75 && text.lines == ["batonctl: the daemon did not answer within 300ms"], "\(command): \(text)")
      let json = try await Program.run("batonctl", command + ["--json", "--timeout=300ms", "--socket", baton.socket])
      #expect(json.status == 75)
      #expect(try document(json.lines)["error"] == "local.TimedOut", "\(command)")
    }
    #expect(try await baton.control("status", "--timeout", "soon").status == 64)
    daemon.signal(SIGCONT)
    #expect(try await baton.control("status", "--timeout", "10min").status == 0)
    await stop(daemon)
  }

  @Test func creationGivesOneDocumentHoweverItEnds() async throws {
    let baton = try Installation(["BATON_CHANNEL_BACK_OFF_FIRST": "5min"])
    let daemon = try await baton.start()
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try await sandbox.line(containing: "ws://")
    #expect(try await baton.control("relay", "add", address, "--name", "good").status == 0)
    #expect(try await baton.control("relay", "add", "ws://127.0.0.1:\(Program.freePort())", "--name", "dead").status == 0)

    let good = try await baton.control("channel", "create", "Good", "--relay", "good", "--json")
    #expect(good.status == 0)
    #expect(try document(good.lines)["phase"] == "active")

    // A relay that cannot be reached is tried for a quarter of an hour. A busy machine needs more time to make the channel.
    var timedOut: JSONValue = [:]
    for time in ["500ms", "10s", "2min"] where timedOut["parameters"]?["channel"] == nil {
      let late = try await baton.control(
        "channel", "create", "Late", "--relay", "dead", "--timeout", time, "--json", "--allow-duplicate")
      #expect(late.status == 75)
      timedOut = try document(late.lines)
      #expect(timedOut["error"] == "local.TimedOut", "\(timedOut.text)")
    }
    #expect(timedOut["parameters"]?["channel"]?["profile"]?["displayName"] == "Late", "\(timedOut.text)")

    let client = try await baton.client()
    let revision = try await client.daemon.status().revision
    let impatient = try Program(
      "batonctl", ["channel", "create", "Long", "--relay", "dead", "--json", "--socket", baton.socket])
    for try await change in try await client.monitor.watch(WatchRequest(since: revision, kinds: ["channel"])) {
      guard change.after?["profile"]?["displayName"] == "Long" else { continue }
      if change.after?["relays"]?.array?.first?["cause"] == "unreachable" { break }
    }
    impatient.signal(SIGINT)
    #expect(await impatient.status() == 130)
    try await impatient.line(containing: "local.Interrupted")
    #expect(impatient.lines.count == 1, "\(impatient.lines)")
    await stop(daemon)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  @Test func wrongUsageIsOneDocumentToo() async throws {
    for arguments in [
      ["--json", "nonsense"], ["channel", "create", "x", "--pick", "2", "--relay", "r", "--json"],
      ["status", "--json", "extra"],
    ] {
      let result = try await Program.run("batonctl", arguments)
      #expect(result.status == 64)
      let error = try document(result.lines)
      #expect(error["error"] == "local.Usage" && error["message"]?.string?.isEmpty == false, "\(arguments)")
    }
    #expect(try document(try await Program.run("batonctl", ["--json", "version"]).lines)["version"]?.string?.isEmpty == false)
  }

  /// For Python: runs its arguments as a command, and root becomes someone without rights first.
  private static let asNobody = """
    import os, sys
    os.getuid() or (os.setgroups([]), os.setresgid(65534, 65534, 65534), os.setresuid(65534, 65534, 65534))
    os.execv(sys.argv[1], sys.argv[1:])
    """

  /// Someone who may only read is refused by the daemon, and scripts can tell.
  @Test(.enabled(if: getuid() == 0)) func whatIsNotPermittedHasAStatusOfItsOwn() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    chmod(baton.folder.path, 0o755)
    chmod(baton.socket, 0o666)
    let denied = try await Program.run(
      "/usr/bin/python3",
      ["-c", Self.asNobody, Self.batonctl, "operator", "add", "Example", "--json", "--socket", baton.socket])
    #expect(denied.status == 77, "\(denied.lines)")
    let error = try document(denied.lines)["error"]?.string ?? ""
    #expect(error.hasSuffix(".PermissionDenied"), "\(denied.lines)")
    await stop(daemon)
  }

  /// The sentence ends where it should: NIO's own has a bracket too many.
  @Test func socketThatMayNotBeOpenedIsAMatterOfPermission() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    chmod(baton.socket, 0)
    let denied = try await Program.run(
      "/usr/bin/python3", ["-c", Self.asNobody, Self.batonctl, "status", "--socket", baton.socket])
    #expect(denied.status == 77, "\(denied.lines)")
    #expect(denied.lines.last?.contains("\(baton.socket): Permission denied. ") == true, "\(denied.lines)")
    let missing = try await Program.run("batonctl", ["status", "--socket", "/nonexistent/socket", "--json"])
    #expect(missing.status == 69)
    #expect(try document(missing.lines)["error"] == "local.NotReachable")
    await stop(daemon)
  }

  @Test func daemonWithoutRoomSaysSo() async throws {
    let baton = try Installation(["BATON_CONTROL_CONNECTIONS_PER_USER": "2"])
    let daemon = try await baton.start()
    // Root has some in reserve.
    var open: [RawSocket] = []
    var refused: String?
    while open.count < 64, refused == nil {
      let socket = try RawSocket(path: baton.socket)
      socket.send(Array(#"{"method":"io.systemd.service.Ping"}"#.utf8) + [0])
      let reply = await socket.receive(replies: 1).first
      if reply == #"{"parameters":{}}"# { open.append(socket) } else { refused = reply }
    }
    #expect(refused?.hasPrefix(#"{"error":"org.batond.Daemon.TooManyConnections","#) == true, "\(refused ?? "nothing")")
    let status = try await baton.control("status")
    #expect(status.status == 1 && status.lines.last?.contains("you already have") == true, "\(status.lines)")
    open = []
    // As soon as the daemon has noticed that they are gone.
    while try await baton.control("status").status != 0 {}
    await stop(daemon)
  }
}
