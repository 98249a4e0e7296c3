import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestSupport

// How fast channels become active on relays by others, and on relays that are far away.
extension BatonBench {
  /// Three third-party relays, whose databases are in a folder.
  static func nostrRelays(_ folder: TemporaryFolder) async throws -> (programs: [Program], urls: [String]) {
    var programs: [Program] = []
    var urls: [String] = []
    for number in 1...3 {
      let port = Program.freePort()
      let yaml =
        "storage:\n  sqlalchemy.url: \"sqlite+aiosqlite:///\(folder.path)/r\(number).sqlite3\"\ngunicorn:\n  bind: 127.0.0.1:\(port)\n"
      try yaml.write(toFile: folder.path + "/r\(number).yaml", atomically: true, encoding: .utf8)
      let relay = try Program(
        python + "/nostr-relay", ["-c", folder.path + "/r\(number).yaml", "serve", "--use-uvicorn"], directory: folder.path)
      try await relay.line(containing: "Uvicorn running on")
      programs.append(relay)
      urls.append("ws://127.0.0.1:\(port)")
    }
    return (programs, urls)
  }

  /// What a publisher without state or retry does per second.
  static func bareRate(_ count: Int, on urls: [String], _ options: String...) async throws -> Double {
    let publisher = repository + "/Benchmarks/limits/bare_publisher.py"
    let run = try await Program.run(python + "/python3", [publisher] + options + ["\(count)"] + urls)
    return Double(run.lines.first ?? "") ?? .nan
  }

  private static var python: String { repository + "/.build/venv/bin" }

  /// Channels per second to three third-party relays, beside a publisher without state or retry that does the same work.
  static func realRelays() async throws {
    let folder = try TemporaryFolder()
    let (programs, urls) = try await nostrRelays(folder)
    let count = 1_000
    var (bare, reading, ours): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<3 {
      bare.append(try await bareRate(count, on: urls))
      reading.append(try await bareRate(count, on: urls, "--read-back"))
      ours.append(try await activeRate(count, on: urls))
    }
    let (a, b, c) = (median(ours), median(reading), median(bare))
    row(
      "channels to active on three nostr-relay 1.14, read back", rate(a),
      "publisher without state that reads back: \(rate(b)); that does not: \(rate(c))", format(a / b, 2))
    for program in programs { await kill(program) }
  }

  /// Channels per second to three relays of the sandbox whose answers take 100 ms.
  static func distantRelays() async throws {
    let milliseconds = 100
    let sandbox = try Program("baton-sandbox", ["--relays", "3"])
    let ports = try await sandbox.sandboxRelays(3).compactMap { $0.split(separator: ":").last.map(String.init) }
    let proxy = try Program(
      python + "/python3",
      [repository + "/Benchmarks/limits/delaying_proxy.py", "\(milliseconds)"] + ports)
    for port in ports { try await proxy.line(containing: "\(port) on ") }
    let urls = proxy.lines.compactMap { $0.split(separator: " ").last.map { "ws://127.0.0.1:\($0)" } }
    let rates = [
      try await activeRate(1_000, on: urls), try await activeRate(1_000, on: urls), try await activeRate(1_000, on: urls),
    ]
    row(
      "channels to active on three relays that answer after \(milliseconds) ms", "\(format(median(rates)))/s",
      "two events each, one at a time: \(1_000 / milliseconds / 2)/s",
      format(median(rates) * Double(milliseconds) * 2 / 1_000, 1))
    await kill(proxy)
    await kill(sandbox)
  }

  /// Channels per second from the first request until all are active on these relays, by a daemon of their own.
  private static func activeRate(_ count: Int, on urls: [String]) async throws -> Double {
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    for (index, url) in urls.enumerated() { _ = try await client.relays.add(AddRelay(address: url, name: "r\(index)")) }
    let changes = try await client.monitor.watch(WatchRequest(kinds: ["channel"]))
    let started = ContinuousClock.now
    let creating = Task { try await createMany(count, socket: folder.path + "/c") }
    var active: Set<Int64> = []
    for try await change in changes {
      if change.after?["phase"] == "active", let id = change.after?["id"]?.integer { active.insert(id) }
      if active.count == count { break }
    }
    let rate = Double(count) / seconds(ContinuousClock.now - started)
    try await creating.value
    await client.close()
    await stop(daemon)
    return rate
  }

  static func kill(_ program: Program) async {
    program.signal(SIGKILL)
    _ = await program.status()
  }
}
