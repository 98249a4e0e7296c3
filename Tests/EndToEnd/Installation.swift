import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools

/// An independent relay: nostr-relay from PyPI, with an SQLite file.
final class ThirdPartyRelay: Sendable {
  let port: Int
  private let configuration: String
  private let folder: TemporaryFolder
  private let environment: [String: String]

  static var python: String { Program.repository + "/.build/venv/bin" }
  static var scripts: String { Program.repository + "/Tests/EndToEnd/python" }

  /// - Parameters:
  ///   - demandsAuth: whether events are taken only after NIP-42.
  ///   - searches: whether it searches in messages (NIP-50), which it does with an index beside a database of another kind.
  init(demandsAuth: Bool = false, searches: Bool = false) throws {
    guard FileManager.default.fileExists(atPath: Self.python + "/nostr-relay") else {
      throw Program.Ended(description: "the third-party relays are not installed: run make test")
    }
    folder = try TemporaryFolder()
    port = Program.freePort()
    // On a busy machine, 20 seconds without an answer to a ping say nothing about a connection.
    var yaml = """
      relay_name: test relay
      storage:
        \(searches ? "class: nostr_relay.storage.kv.LMDBStorage" : "sqlalchemy.url: \"sqlite+aiosqlite:///\(folder.path)/relay.sqlite3\"")
        path: \(folder.path)/data
      fts_enabled: \(searches)
      fts_index_path: \(folder.path)/words
      fts_kinds: [9, 42]
      gunicorn:
        bind: 127.0.0.1:\(port)
        ws_ping_timeout: 600

      """
    if demandsAuth {
      yaml += """
        authentication:
          enabled: true
          authenticator_class: any_authenticated.AnyAuthenticated
          relay_urls: ["ws://127.0.0.1:\(port)", "ws://127.0.0.1:\(port)/"]
          actions: {save: w, query: a}

        """
    }
    configuration = folder.path + "/relay.yaml"
    environment = ["PYTHONPATH": Self.scripts + "/plugins"]
    try yaml.write(toFile: configuration, atomically: true, encoding: .utf8)
  }

  var url: String { "ws://127.0.0.1:\(port)" }

  /// Starts the relay, again after it was killed.
  func start() async throws -> Program {
    let program = try Program(
      Self.python + "/nostr-relay", ["-c", configuration, "serve", "--use-uvicorn"], environment: environment,
      directory: folder.path)
    try await program.line(containing: "Uvicorn running on")
    return program
  }

  /// Takes an event out of the relay's database. The relay must not run.
  func forget(_ id: String) async throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      count = db.execute("DELETE FROM events WHERE id = ?", (bytes.fromhex(sys.argv[2]),)).rowcount
      db.commit()
      sys.exit(0 if count == 1 else 1)
      """
    let result = try await Program.run("/usr/bin/python3", ["-c", script, folder.path + "/relay.sqlite3", id])
    guard result.status == 0 else { throw Program.Ended(description: "the relay has no event \(id): \(result.lines)") }
  }
}

/// A daemon with its own state, socket and settings.
final class Installation: Sendable {
  let folder: TemporaryFolder
  let settings: [String: String]
  var socket: String { folder.path + "/control" }

  /// Where the files that declare operators are.
  var operators: String { folder.path + "/operators.d" }

  /// - Parameter settings: environment variables of the daemon. Without any, nothing is tested in the background, because such tests
  ///   leave events on relays that other tests count; and relays have more time than usual, because the machine may have much to do.
  init(_ settings: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    let defaults = [
      "BATON_TESTS_BACKGROUND": "false", "BATON_OPERATORS_DIRECTORY": folder.path + "/operators.d",
      "BATON_NOSTR_DIAL_TIMEOUT": "60s", "BATON_NOSTR_PUBLISH_TIMEOUT": "60s", "BATON_NOSTR_CHANNEL_INVITATION_TIMEOUT": "2min",
      "BATON_NOSTR_CHANNEL_VERIFICATION_TIMEOUT": "2min",
    ]
    self.settings = settings.merging(defaults) { own, _ in own }
    try FileManager.default.createDirectory(atPath: folder.path + "/operators.d", withIntermediateDirectories: true)
    try "".write(toFile: folder.path + "/batond.yaml", atomically: true, encoding: .utf8)
  }

  /// Has a daemon begin, and does not wait for it.
  /// - Parameters:
  ///   - path: another build of `batond`; `nil` for this one.
  ///   - extra: environment variables beside the settings.
  ///   - arguments: further arguments of `batond run`.
  func launch(_ path: String? = nil, _ extra: [String: String] = [:], arguments: [String] = []) throws -> Program {
    try Program(
      path ?? "batond",
      ["run", "--config", folder.path + "/batond.yaml", "--state-dir", folder.path + "/state", "--listen", "unix:" + socket]
        + arguments,
      environment: settings.merging(extra) { _, own in own })
  }

  /// Has a daemon begin; returns once it serves. For the parameters see `launch`.
  func start(_ extra: [String: String] = [:], arguments: [String] = []) async throws -> Program {
    let daemon = try launch(nil, extra, arguments: arguments)
    try await daemon.line(containing: "is ready")
    return daemon
  }

  /// Has a daemon begin that ends by itself.
  func runToEnd(_ extra: [String: String] = [:]) async throws -> (status: Int32, lines: [String]) {
    let daemon = try launch(nil, extra)
    let status = await daemon.status()
    await daemon.drained()
    return (status, daemon.lines)
  }

  func client() async throws -> BatonClient { try await BatonClient(socket: socket, timeout: .seconds(300)) }

  /// Runs batonctl.
  func control(_ arguments: String...) async throws -> (status: Int32, lines: [String]) {
    try await Program.run("batonctl", arguments + ["--socket", socket])
  }

  func addRelays(_ addresses: [String]) async throws {
    for (index, address) in addresses.enumerated() {
      let added = try await control("relay", "add", address, "--name", "r\(index + 1)")
      guard added.status == 0 else { throw Program.Ended(description: "\(added.lines)") }
    }
  }

  /// The channel once `isDone`, as the daemon reports it.
  func channel(_ id: Int64, until isDone: (Channel) -> Bool) async throws -> Channel {
    let client = try await client()
    let revision = try await client.daemon.status().revision
    let now = try await client.channels.get(id: id)
    if isDone(now) { return now }
    for try await change in try await client.monitor.watch(WatchRequest(since: revision, kinds: ["channel"], channelIds: [id]))
    {
      guard let after = change.after else { continue }
      let channel = try Channel(json: after)
      if isDone(channel) { return channel }
    }
    throw Program.Ended(description: "the watch ended")
  }

  /// The output of an independent anonymous reader of a relay.
  func events(at relay: String, _ filter: JSONValue) async throws -> [JSONValue] {
    let result = try await Program.run(
      ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/read_events.py", relay, filter.text])
    guard result.status == 0 else { throw Program.Ended(description: "\(result.lines)") }
    return try JSONParser.parse(result.lines.first { $0.hasPrefix("{") } ?? "null")["events"]?.array ?? []
  }

  /// The output of an independent reader that opens the link.
  func read(_ link: String) async throws -> (status: Int32, json: JSONValue) {
    let script = link.hasPrefix("nostr:naddr") ? "read_group.py" : "read_channel.py"
    let result = try await Program.run(
      ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/" + script, link])
    return (result.status, try JSONParser.parse(result.lines.first { $0.hasPrefix("{") } ?? "null"))
  }
}
