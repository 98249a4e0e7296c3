import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing
import Varlink

/// systemd's own client against the daemon, as people use it in a shell.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Varlinkctl.isThere, Varlinkctl.reason))
struct VarlinkctlTests {
  private func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func infoNamesTheDaemonAndItsInterfaces() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let info = try await Varlinkctl.run("info", "--json=short", baton.socket)
    #expect(info.status == 0, "\(info.lines)")
    let seen = try JSONParser.parse(info.lines.first ?? "")
    #expect(seen["vendor"] == "Baton" && seen["product"] == "batond")
    #expect(seen["interfaces"]?.array?.count == Interfaces.all.count + 1)
    let plain = try await Varlinkctl.run("info", baton.socket)
    #expect(plain.lines.contains { $0.contains("org.batond.Channels") }, "\(plain.lines)")
    await stop(daemon)
  }

  /// The daemon serves the committed file, byte by byte, and systemd's own reader and writer make the same of both.
  @Test func everyInterfaceIsServedAsCommitted() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    for interface in Interfaces.all {
      let file = Program.repository + "/Sources/ControlAPI/interfaces/\(interface.name).varlink"
      let raw = try await Varlinkctl.run("introspect", "--json=short", baton.socket, interface.name)
      #expect(try JSONParser.parse(raw.lines.first ?? "")["description"]?.string == ConformanceTests.committed(interface.name))
      let valid = try await Varlinkctl.run("validate-idl", file)
      #expect(valid.status == 0, "\(interface.name): \(valid.lines.suffix(2))")
      let served = try await Varlinkctl.run("introspect", baton.socket, interface.name)
      #expect(served.status == 0 && served.lines == valid.lines && served.lines.count > 5, "\(interface.name)")
    }
    let own = try await Varlinkctl.run("introspect", baton.socket, "org.varlink.service")
    #expect(own.status == 0 && own.lines.contains { $0.hasPrefix("method GetInfo(") }, "\(own.lines)")
    await stop(daemon)
  }

  @Test func callsAreAnsweredOrRefusedByName() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let added = try await Varlinkctl.run(
      "call", "--json=short", baton.socket, "org.batond.Relays.Add", #"{"address":"ws://127.0.0.1:9/one","name":"one"}"#)
    #expect(added.status == 0, "\(added.lines)")
    #expect(try JSONParser.parse(added.lines.first ?? "")["relay"]?["id"] == 1)
    #expect(try await Varlinkctl.run("call", "--json=short", baton.socket, "io.systemd.service.Ping", "{}").lines == ["{}"])

    for (method, parameters, error, fields) in [
      ("io.systemd.service.Ping", #"{"x":1}"#, "org.varlink.service.InvalidParameter", #"{"parameter":"x"}"#),
      ("org.batond.Relays.Get", #"{"id":"one"}"#, "org.varlink.service.InvalidParameter", #"{"parameter":"id"}"#),
      (
        "io.systemd.service.Nope", "{}", "org.varlink.service.MethodNotFound", #"{"method":"io.systemd.service.Nope"}"#
      ),
      ("org.batond.Nope.Get", "{}", "org.varlink.service.InterfaceNotFound", #"{"interface":"org.batond.Nope"}"#),
      ("org.batond.Monitor.Watch", "{}", "org.varlink.service.ExpectedMore", "{}"),
      ("org.batond.Relays.Get", #"{"id":99}"#, "org.batond.Relays.NoSuchRelay", #"{"id":99}"#),
    ] {
      let refused = try await Varlinkctl.run("call", "--json=short", baton.socket, method, parameters)
      #expect(refused.status == 1 && refused.lines.contains(fields), "\(method): \(refused.lines)")
      #expect(refused.lines.contains { $0.hasSuffix("failed: \(error)") }, "\(method): \(refused.lines)")
    }
    await stop(daemon)
  }

  @Test func onewayCallIsDoneAndLeavesNoReply() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let call = try await Varlinkctl.run(
      "call", "--oneway", baton.socket, "org.batond.Relays.Add", #"{"address":"ws://127.0.0.1:9/one","name":"one"}"#)
    #expect(call.status == 0 && call.lines.isEmpty, "\(call.lines)")
    for try await change in try await baton.client().monitor.watch(WatchRequest(since: 0)) {
      #expect(change.after?["name"] == "one")
      break
    }
    await stop(daemon)
  }

  /// `exec:` starts a daemon for one conversation.
  @Test func daemonIsStartedByTheClient() async throws {
    let baton = try Installation()
    let environment = baton.settings.merging(["BATON_STATE_DIRECTORY": baton.folder.path + "/state"]) { own, _ in own }
    let address = "exec:" + Program.products + "/batond"
    let call = try await Varlinkctl.run(
      "call", "--json=short", address, "org.batond.Relays.Add", #"{"address":"ws://127.0.0.1:9/one","name":"one"}"#,
      environment: environment)
    #expect(call.status == 0 && call.lines.contains { $0.contains(#""name":"one""#) }, "\(call.lines)")
    // Its work is kept for the next one.
    let daemon = try await baton.start()
    #expect(try await baton.client().relays.all().map(\.name) == ["one"])
    await stop(daemon)
  }

  /// A stream that ends because the only relay is dead and given up, and one that does not end.
  @Test func streamsAreFollowedAndCollected() async throws {
    let baton = try Installation(["BATON_CHANNEL_BACK_OFF_FIRST": "100ms", "BATON_CHANNEL_ATTEMPTS_MAX": "2"])
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:\(Program.freePort())"])

    let followed = try await Varlinkctl.run(
      "call", "--more", "--json=short", baton.socket, "org.batond.Channels.Create", #"{"profile":{"displayName":"One"}}"#)
    #expect(followed.status == 0, "\(followed.lines)")
    // A text sequence (RFC 7464): each reply after a record separator.
    let phases = try followed.lines.map { line in
      try JSONParser.parse(String(line.drop { $0 == "\u{1E}" }))["channel"]?["phase"]?.string
    }
    #expect(phases.count >= 2 && phases.first == "creating" && phases.last == "failed", "\(phases)")

    let collected = try await Varlinkctl.run(
      "call", "--collect", "--json=short", baton.socket, "org.batond.Channels.Create", #"{"profile":{"displayName":"Two"}}"#)
    #expect(collected.status == 0, "\(collected.lines)")
    let list = try JSONParser.parse(collected.lines.last ?? "").array
    #expect(list.map { $0.count >= 2 } == true && list?.last?["channel"]?["phase"] == "failed", "\(collected.lines)")

    let watch = try Varlinkctl.start(
      "call", "--more", "--json=short", baton.socket, "org.batond.Monitor.Watch", #"{"since":0,"kinds":["relay","channel"]}"#)
    try await watch.line(containing: #""revision":1,"#)
    try await watch.line(containing: #""displayName":"Two""#)
    // Later changes arrive too.
    #expect(try await baton.control("relay", "add", "ws://127.0.0.1:9/late", "--name", "late").status == 0)
    try await watch.line(containing: "ws://127.0.0.1:9/late")
    watch.signal(SIGKILL)
    _ = await watch.status()
    await stop(daemon)
  }
}

/// `varlinkctl` as `scripts/varlinkctl` found it.
enum Varlinkctl {
  private static let folder = Program.repository + "/.build/varlinkctl"
  static let isThere = FileManager.default.isExecutableFile(atPath: folder + "/varlinkctl")

  /// The reason why it is not there.
  static var reason: Comment {
    let missing = try? String(contentsOfFile: folder + "/missing", encoding: .utf8)
    return Comment(
      rawValue: "no varlinkctl: " + (missing?.split(separator: "\n").first.map(String.init) ?? "run scripts/varlinkctl"))
  }

  static func start(_ arguments: String...) throws -> Program {
    try Program(folder + "/varlinkctl", arguments, environment: ["SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""])
  }

  static func run(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> (status: Int32, lines: [String]) {
    try await Program.run(
      folder + "/varlinkctl", arguments,
      environment: environment.merging(["SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""]) { own, _ in own })
  }
}
