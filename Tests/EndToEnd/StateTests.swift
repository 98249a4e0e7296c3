import Foundation
import Glibc
import TestTools
import Testing

/// The daemon's behaviour when its database or key is missing, damaged or a different one, and their care by root.
@Suite(.timeLimit(.minutes(10)))
struct StateTests {
  private let baton: Installation
  private var state: String { baton.folder.path + "/state" }

  init() throws { baton = try Installation() }

  /// Runs the daemon once, so that there is something to lose, and makes a copy of it.
  private func begin() async throws -> String {
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:9"])
    let copy = baton.folder.path + "/copy.db"
    #expect(try await baton.control("backup", copy).status == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    return copy
  }

  private func run(_ extra: String..., environment: [String: String] = [:]) async throws -> (status: Int32, lines: [String]) {
    let arguments = [
      "run", "--config", baton.folder.path + "/batond.yaml", "--state-dir", state, "--listen", "unix:" + baton.socket,
    ]
    return try await Program.run("batond", arguments + extra, environment: baton.settings.merging(environment) { $1 })
  }

  private func identities() async throws -> [String] {
    try await Program.run("/usr/bin/sqlite3", [state + "/baton.db", "SELECT network, hex(sealed_key) FROM identities"]).lines
  }

  @Test func lostDatabaseHasItsOwnExitStatusAndAWayOn() async throws {
    let copy = try await begin()
    try FileManager.default.removeItem(atPath: state + "/baton.db")
    let refused = try await run()
    #expect(refused.status == 66)
    #expect(refused.lines.last?.contains("restore a backup with 'batond restore FILE'") == true, "\(refused.lines)")
    #expect(try await Program.run("batond", ["restore", "--state-dir", state, copy]).status == 0)
    let daemon = try await baton.start()
    #expect(try await baton.control("relay", "show", "r1").status == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  /// An index is reported when it is made, and when its key is no longer declared.
  @Test func indexesOnCustomDataAreMadeAtTheStartAndReported() async throws {
    func indexes() async throws -> [String] {
      let question = "SELECT name FROM sqlite_schema WHERE name LIKE 'channels_by_custom.%' ORDER BY name"
      return try await Program.run("/usr/bin/sqlite3", [state + "/baton.db", question]).lines
    }
    func run(_ keys: String) async throws -> [String] {
      let daemon = try await baton.start(["BATON_STATE_INDEXED_KEYS": keys])
      let listed = try await baton.control(
        "channel", "list", "--filter", "{\"custom.team\": \"news\"}", "--sort", "custom.team", "--json")
      #expect(listed.status == 0, "\(listed.lines)")
      let checked = try await baton.control("check")
      #expect(checked.status == 0, "\(checked.lines)")
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      return daemon.lines.filter { $0.contains("of custom data") }
    }
    let first = try await run("team,customer.id")
    #expect(first.count == 4 && first.first?.contains("creating an index on 'team' of custom data") == true, "\(first)")
    #expect(try await indexes() == ["channels_by_custom.customer.id", "channels_by_custom.team"])
    #expect(try await run("team,customer.id") == [])
    let last = try await run("team")
    #expect(last.count == 1 && last.first?.contains("the index on 'customer.id' of custom data was removed") == true, "\(last)")
    #expect(try await indexes() == ["channels_by_custom.team"])
  }

  @Test func killedDaemonWithoutItsLogIsNotTakenForANewOne() async throws {
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:9"])
    daemon.signal(SIGKILL)
    #expect(await daemon.status() == -SIGKILL)
    try FileManager.default.removeItem(atPath: state + "/baton.db-wal")
    #expect(try await run().status == 66)
    let empty = try Program(
      "batond",
      [
        "run", "--config", baton.folder.path + "/batond.yaml", "--state-dir", state, "--listen", "unix:" + baton.socket,
        "--start-empty",
      ], environment: baton.settings)
    // The key stays: the new database has nothing that is sealed, so it serves on.
    try await empty.line(containing: "is ready")
    empty.signal(SIGTERM)
    #expect(await empty.status() == 0)
  }

  @Test(arguments: [false, true])
  func wrongKeyStopsTheDaemonBeforeAnythingIsSealed(hasCore: Bool) async throws {
    let copy = try await begin()
    let before = try await identities()
    let key = try Data(contentsOf: URL(fileURLWithPath: state + "/identity.key"))
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: state + "/identity.key"))
    chmod(state + "/identity.key", 0o600)
    let core = hasCore ? ["BATON_SIMPLEX_CORE": "127.0.0.1:\(Program.freePort())"] : [:]
    let refused = try await run(environment: core)
    #expect(refused.status == 77, "\(refused.lines)")
    #expect(refused.lines.last?.contains("the identity 'main' does not open with this master key") == true, "\(refused.lines)")
    #expect(try await identities() == before)
    // Nor is a copy restored beside it.
    let restored = try await Program.run("batond", ["restore", "--state-dir", state, copy])
    #expect(restored.status == 77 && restored.lines.last?.contains("another key") == true, "\(restored.lines)")
    try FileManager.default.removeItem(atPath: state + "/identity.key")
    let missing = try await run(environment: core)
    #expect(missing.status == 77 && missing.lines.last?.contains("is missing") == true, "\(missing.lines)")
    #expect(!FileManager.default.fileExists(atPath: state + "/identity.key"), "no key is made beside what is sealed")
    try key.write(to: URL(fileURLWithPath: state + "/identity.key"))
    chmod(state + "/identity.key", 0o600)
    let daemon = try await baton.start(core)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test func damagedDatabaseIsNamedToWhoeverAsks() async throws {
    let relay = try await ThirdPartyRelay().start()
    relay.signal(SIGKILL)
    var daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:9"])
    #expect(try await baton.control("channel", "create", "News", "--yes", "--wait", "none").status == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    _ = try await Program.run(
      "/usr/bin/sqlite3", [state + "/baton.db", "UPDATE channels SET display_name = 'Nevs' WHERE id = 1"])
    daemon = try await baton.start()
    let shown = try await baton.control("channel", "show", "1")
    #expect(
      shown.status == 1 && shown.lines.contains { $0.contains("database is damaged") && $0.contains("channel 1") }, "\(shown)")
    try await daemon.line(containing: "channel 1 was changed on the disk")
    let status = try await baton.control("status")
    #expect(status.lines.contains { $0.hasPrefix("DAMAGED") && $0.contains("channel 1") }, "\(status.lines)")
    #expect(try await baton.control("check").status == 1)
    let copy = try await baton.control("backup", baton.folder.path + "/no.db")
    #expect(copy.status == 1 && !FileManager.default.fileExists(atPath: baton.folder.path + "/no.db"))
    let list = try await baton.control("channel", "list", "--json")
    #expect(list.status == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  /// An attacker who controls the daemon can place links in its directory; root must neither write through them nor give files away.
  @Test(.enabled(if: geteuid() == 0, "only root can hand the state directory to another user"))
  func rootLooksAfterTheStateAsItsOwner() async throws {
    let copy = try await begin()
    let precious = baton.folder.path + "/precious"
    let key = baton.folder.path + "/key"
    try FileManager.default.copyItem(atPath: state + "/identity.key", toPath: key)
    try Data("precious".utf8).write(to: URL(fileURLWithPath: precious))
    chmod(precious, 0o600)
    chmod(copy, 0o600)
    chmod(baton.folder.path, 0o755)
    let nobody: uid_t = 65_534
    for name in try FileManager.default.contentsOfDirectory(atPath: state) { chown(state + "/" + name, nobody, nobody) }
    chown(state, nobody, nobody)
    for name in ["lock", "baton.db.new", "identity.key.new", "baton.db-wal"] {
      let path = state + "/" + name
      let kept = try? Data(contentsOf: URL(fileURLWithPath: path))
      unlink(path)
      symlink(precious, path)
      _ = try await Program.run("batond", ["restore", "--state-dir", state, copy])
      _ = try await Program.run("batond", ["rotate-key", "--state-dir", state])
      var status = stat()
      #expect(lstat(precious, &status) == 0 && status.st_uid == 0 && status.st_mode & 0o777 == 0o600, "through \(name)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: precious)) == Data("precious".utf8))
      unlink(path)
      if let kept {
        try kept.write(to: URL(fileURLWithPath: path))
        chown(path, nobody, nobody)
        chmod(path, 0o600)
      }
    }
    // The copy belongs to root alone, and can still be restored.
    let restored = try await Program.run("batond", ["restore", "--state-dir", state, "--key", key, copy])
    #expect(restored.status == 0, "\(restored.lines)")
    for name in try FileManager.default.contentsOfDirectory(atPath: state) {
      var status = stat()
      #expect(lstat(state + "/" + name, &status) == 0 && status.st_uid == nobody, "\(name)")
      #expect(!name.hasPrefix("copy-"))
    }
  }
}
