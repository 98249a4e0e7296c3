import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// `batond copy-store`, in both directions, between real stores.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CopyStoreTests {
  /// What a client sees of everything that is stored.
  private func everything(_ baton: Installation) async throws -> [String] {
    let client = try await baton.client()
    var lines: [String] = []
    for channel in try await client.channels.all() {
      // Figures of messages are read again by each daemon.
      lines.append(
        "\(channel.id) \(channel.profile) \(channel.link ?? "-") \(channel.custom?.text ?? "-") \(channel.relays) \(channel.edition)"
      )
      let history = try await baton.control("channel", "history", "\(channel.id)", "--json")
      lines += history.lines
    }
    for post in try await client.posts.list().posts { lines.append("\(post.id) \(post.text) \(post.networkId)") }
    lines += try await client.relays.all().map { "\($0.id) \($0.name) \($0.address)" }
    lines += try await client.identities.all().map { "\($0.id) \($0.name) \($0.publicKey)" }
    lines += try await client.operators.all().map { "\($0.id) \($0.name) \($0.domains)" }
    await client.close()
    return lines
  }

  private func copy(
    _ baton: Installation, to goal: String, _ more: [String: String] = [:], key: String? = nil
  ) async throws -> (status: Int32, lines: [String]) {
    try await Program.run(
      "batond",
      ["copy-store", "--to", goal, "--config", baton.folder.path + "/batond.yaml", "--state-dir", baton.folder.path + "/state"]
        + (key.map { ["--key", $0] } ?? []),
      environment: baton.settings.merging(more) { _, own in own })
  }

  private func stop(_ program: Program) async {
    program.signal(SIGTERM)
    #expect(await program.status() == 0)
  }

  @Test func everythingIsCarriedThereAndBack() async throws {
    let database = try await PostgreSQLCluster(["fsync": "off"])
    let sandbox = try Program("baton-sandbox", ["--relays", "2"])
    let relays = try await sandbox.sandboxRelays(2)
    let store = ["BATON_STORE": database.address(), "BATON_CLUSTER_NAME": "one"]
    let baton = try Installation()
    var daemon = try await baton.start()
    try await baton.addRelays(relays)
    #expect(try await baton.control("identity", "add", "press").status == 0)
    #expect(try await baton.control("operator", "add", "City", "--domain", "city.example").status == 0)
    for name in ["News", "Sports", "Weather"] {
      let made = try await baton.control(
        "channel", "create", name, "--identity", name == "News" ? "main" : "press", "--custom", "é={\"x\": [1, null]}",
        "--timeout",
        "120s")
      #expect(made.status == 0, "\(made.lines)")
    }
    #expect(try await baton.control("post", "News", "Hello, \u{1F30D}", "--wait", "all", "--timeout", "120s").status == 0)
    // An edit leaves a post that names a later one.
    #expect(try await baton.control("post", "edit", "1", "Hello, town", "--wait", "all", "--timeout", "120s").status == 0)
    #expect(try await baton.control("post", "Weather", "Rain", "--draft").status == 0)
    #expect(try await baton.control("identity", "add", "gone").status == 0)
    #expect(try await baton.control("identity", "remove", "gone", "--yes").status == 0)
    #expect(try await baton.control("channel", "delete", "Sports", "--yes").status == 0)
    #expect(try await baton.control("channel", "update", "Weather", "--description", "rain").status == 0)
    let weather = try await baton.client().channels.get(name: "Weather")
    _ = try await baton.channel(weather.id) { $0.relays.allSatisfy { $0.edition == 2 } }
    let revision = try await baton.client().daemon.status().revision
    let before = try await everything(baton)

    // Not while a daemon runs, and not without an address.
    let running = try await copy(baton, to: "database", store)
    #expect(running.status == 75 && running.lines.contains { $0.contains("in use by another batond") }, "\(running.lines)")
    let nowhere = try await copy(baton, to: "database")
    #expect(nowhere.status == 78 && nowhere.lines.contains { $0.contains("store: postgresql://") }, "\(nowhere.lines)")
    await stop(daemon)
    // Not with another key.
    let wrong = baton.folder.path + "/wrong.key"
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: wrong))
    chmod(wrong, 0o600)
    let other = try await copy(baton, to: "database", store, key: wrong)
    #expect(other.status == 77 && other.lines.contains { $0.contains("does not open") }, "\(other.lines)")

    let copied = try await copy(baton, to: "database", store)
    #expect(copied.status == 0, "\(copied.lines)")
    #expect(
      copied.lines.contains("channels: 3 rows, verified") && copied.lines.contains("posts: 3 rows, verified"), "\(copied.lines)"
    )
    let twice = try await copy(baton, to: "database", store)
    #expect(twice.status == 77 && twice.lines.contains { $0.contains("already contains data") }, "\(twice.lines)")

    // A daemon goes on with it.
    daemon = try await baton.start(store)
    try await daemon.line(containing: "this daemon has 1024 of 1024 slots")
    let carried = try await everything(baton)
    #expect(carried == before)
    #expect(try await baton.client().daemon.status().revision == revision)
    let late = try await baton.control("channel", "create", "Late", "--timeout", "120s")
    #expect(late.status == 0, "\(late.lines)")
    #expect(try await baton.control("post", "News", "again", "--wait", "all", "--timeout", "120s").status == 0)
    let changed = try await baton.control("channel", "update", "Weather", "--description", "sun")
    #expect(changed.status == 0, "\(changed.lines)")
    _ = try await baton.channel(weather.id) { $0.relays.allSatisfy { $0.edition == 3 } }
    let (later, end) = (try await everything(baton), try await baton.client().daemon.status().revision)
    #expect(end > revision)
    let busy = try await copy(baton, to: "file", store)
    #expect(busy.status == 75 && busy.lines.contains { $0.contains("in use by another batond") }, "\(busy.lines)")

    // And back, into another state directory.
    let back = try Installation()
    try FileManager.default.createDirectory(atPath: back.folder.path + "/state", withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: baton.folder.path + "/state/identity.key", toPath: back.folder.path + "/state/identity.key")
    let used = try await copy(back, to: "file", store)
    #expect(used.status == 75 && used.lines.contains { $0.contains("the daemon 'one' uses the database") }, "\(used.lines)")
    #expect(!FileManager.default.fileExists(atPath: back.folder.path + "/state/baton.db"))
    await stop(daemon)
    // One that was killed has left its folder behind.
    let rest = back.folder.path + "/state/copy-7"
    try FileManager.default.createDirectory(atPath: rest, withIntermediateDirectories: false)
    let returned = try await copy(back, to: "file", store)
    #expect(!FileManager.default.fileExists(atPath: rest))
    #expect(returned.status == 0 && returned.lines.contains("channels: 4 rows, verified"), "\(returned.lines)")
    daemon = try await back.start()
    let carriedBack = try await everything(back)
    #expect(carriedBack == later)
    #expect(try await back.client().daemon.status().revision == end)
    let last = try await back.control("channel", "create", "Last", "--timeout", "120s")
    #expect(last.status == 0, "\(last.lines)")
    // No number is given twice, not even that of a channel that was deleted.
    let ids = try await back.client().channels.all().sorted { $0.createdAt < $1.createdAt }.map(\.id)
    #expect(ids.count == 4 && ids.last == ids.max() && ids.max() ?? 0 > 4, "\(ids)")
    let checked = try await back.control("check")
    #expect(checked.status == 0, "\(checked.lines)")
    await stop(daemon)
    sandbox.signal(SIGKILL)
  }
}
