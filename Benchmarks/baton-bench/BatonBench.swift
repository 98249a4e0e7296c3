import BatonClient
import Channels
import ControlAPI
import Coordinator
import Foundation
import Glibc
import Logging
import Storage
import Store
import StrictJSON
import TestSupport

/// Measures Baton beside limits in the same run. Figures are for reading; nothing passes or fails here.
@main
struct BatonBench {
  static let limits = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ""
  static let repository = Program.repository

  static func main() async throws {
    guard !limits.isEmpty else {
      print("usage: baton-bench DIRECTORY-OF-LIMITS [PART]…; run make bench")
      exit(64)
    }
    let parts: [(name: String, run: () async throws -> Void)] = [
      ("creation", creation), ("calls", controlCalls), ("rude", rudeClients), ("create", createCalls), ("relays", realRelays),
      ("distance", distantRelays),
      ("many", manyInProcess), ("manyOnRelays", manyOnRelays), ("manyRelays", manyRelays), ("million", million),
      ("watchers", watchers), ("console", console),
      ("posts", publishCalls), ("posting", postsToRelays), ("manyPosts", manyPosts), ("burst", burst), ("reading", reading),
      ("manyMessages", manyMessages), ("talkingChannels", talkingChannels),
      ("shared", sharedCreation), ("sharedDaemons", sharedDaemons),
      ("rest", atRest),
    ]
    let wanted = Set(CommandLine.arguments.dropFirst(2))
    guard wanted.isSubset(of: parts.map(\.name)) else {
      print("the parts are: \(parts.map(\.name).joined(separator: " "))")
      exit(64)
    }
    print("| what | Baton | limit in the same run | ratio |\n|---|---|---|---|")
    for part in parts where wanted.isEmpty || wanted.contains(part.name) { try await part.run() }
  }

  static func row(_ what: String, _ ours: String, _ limit: String = "", _ ratio: String = "") {
    print("| \(what) | \(ours) | \(limit) | \(ratio) |")
    fflush(nil)
  }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  /// The median; not a number if a run gave none.
  static func median(_ values: [Double]) -> Double {
    values.allSatisfy(\.isFinite) ? values.sorted()[values.count / 2] : .nan
  }

  static func format(_ value: Double, _ digits: Int = 0) -> String {
    value.isFinite ? String(format: "%.\(digits)f", value) : "not measured"
  }

  /// A number of times per second.
  static func rate(_ value: Double) -> String { value.isFinite ? "\(format(value))/s" : format(value) }

  /// Creation to active, three relays each, against a network in the process. Bare SQLite writes the same rows in the same batches; the
  /// fixed yardstick writes what it always does.
  static func creation() async throws {
    var ours: [Double] = []
    var bare: [Double] = []
    var fixed: [Double] = []
    var commits: [Double] = []
    let count = 5_000
    for _ in 0..<3 {
      let folder = try TemporaryFolder()
      let store = try Store(directory: folder.path + "/state")
      let storage = RecordingStorage(store)
      let coordinator = Coordinator(
        storage: storage, networks: [FakeNetwork()], rules: Rules(policy: RelayPolicy()), clock: SystemClock(),
        secrets: try .atFile(folder.path + "/key"), logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
        // The one that counts is to miss nothing.
        hub: ChangeHub(queueMax: 1_000_000, bytesMax: 1 << 30))
      let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
      let run = Task { try await coordinator.run { readiness.finish() } }
      for await _ in ready {}
      var relays: [RelayID] = []
      for number in 1...3 {
        relays.append(
          try await coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r\(number)"), force: false).id)
      }
      let before = folder.path + "/bare.db"
      _ = try await Program.run("/usr/bin/sqlite3", [folder.path + "/state/baton.db", "VACUUM INTO '\(before)'"])
      guard let subscription = coordinator.hub.subscribe() else { throw CancellationError() }
      let started = ContinuousClock.now
      let (chosen, commitsBefore) = (relays, storage.commits)
      let creating = Task {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for worker in 0..<256 {
            group.addTask {
              for number in stride(from: worker, to: count, by: 256) {
                _ = try await coordinator.create(
                  ChannelRequest(profile: Profile(displayName: "Channel \(number)"), relays: chosen))
              }
            }
          }
          try await group.waitForAll()
        }
      }
      // A subscriber of its own counts the channels that are done.
      var active: Set<ChannelID> = []
      for await change in subscription.changes {
        if case .channel(let channel) = change.object, channel.phase == .active { active.insert(channel.row.id) }
        if active.count == count { break }
      }
      // Cut off or not, all must be active in the end.
      while try store.totals().relays[.active] ?? 0 < count * 3 { try await coordinator.barrier() }
      ours.append(Double(count) / seconds(ContinuousClock.now - started))
      commits.append(Double(storage.commits - commitsBefore) / Double(count))
      try await creating.value
      coordinator.stop()
      try await run.value
      store.close()
      try storage.trace.write(toFile: folder.path + "/trace", atomically: true, encoding: .utf8)
      bare.append(Double(count) / (try await secondsOfLimit("bare_sqlite", [before, folder.path + "/trace"])))
      fixed.append(Double(count) / (try await secondsOfLimit("fixed_sqlite", [folder.path + "/fixed.db", "\(count)"])))
    }
    let (a, b, c) = (median(ours), median(bare), median(fixed))
    row(
      "creation to active, 3 relays, in-process network", "\(format(a)) channels/s",
      "bare SQLite, same rows and batches: \(format(b))",
      format(a / b, 2))
    row("the same", "\(format(a)) channels/s", "25 small rows each, ten channels per commit: \(format(c))", format(a / c, 2))
    row("commits (one sync each) per channel in that run", format(median(commits), 3))
  }

  /// The seconds that a limit says it took; not a number if it failed.
  static func secondsOfLimit(_ name: String, _ arguments: [String]) async throws -> Double {
    let limit = try await Program.run(limits + "/" + name, arguments)
    return (limit.lines.first ?? "").split(separator: " ").first.flatMap { Double($0) } ?? .nan
  }

  static func daemon(
    _ folder: TemporaryFolder, environment: [String: String] = [:], under tracer: [String] = []
  ) async throws -> Program {
    let arguments = [
      "run", "--state-dir", folder.path + "/state", "--listen", "unix:" + folder.path + "/c", "--log-level", "warning",
    ]
    // What is measured is the work that was asked for.
    let environment = environment.merging(
      ["BATON_TESTS_BACKGROUND": "false", "BATON_OPERATORS_DIRECTORY": folder.path + "/operators.d"]) { own, _ in own }
    let program: Program
    if let first = tracer.first {
      program = try Program(
        first, tracer.dropFirst() + [Program.products + "/batond"] + arguments, environment: environment)
    } else {
      program = try Program("batond", arguments, environment: environment)
    }
    while true {
      if let client = try? await BatonClient(socket: folder.path + "/c") {
        try await client.service.ping()
        await client.close()
        return program
      }
      if access(folder.path, F_OK) != 0 { return program }
      await Task.yield()
    }
  }

  static func stop(_ program: Program) async {
    program.signal(SIGTERM)
    _ = await program.status()
  }

  /// A control call beside an echo, by one client and by sixteen.
  static func controlCalls() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder)
    let echo = try Program(limits + "/echo", ["server", folder.path + "/echo"])
    try await echo.line(containing: "ready")
    let call = "{\"method\":\"io.systemd.service.Ping\"}"
    func measure(_ socket: String, _ connections: Int) async throws -> [Double] {
      var runs: [[Double]] = []
      for _ in 0..<3 {
        let result = try await Program.run(limits + "/echo", ["client", socket, "\(connections)", "2", call])
        runs.append((result.lines.first ?? "").split(separator: " ").compactMap { Double($0) })
      }
      return [median(runs.map { $0[0] }), median(runs.map { $0[2] })]
    }
    let (ours1, limit1) = (try await measure(folder.path + "/c", 1), try await measure(folder.path + "/echo", 1))
    row(
      "control call, 1 connection, median", "\(format(ours1[0], 1)) µs", "echo in C: \(format(limit1[0], 1)) µs",
      format(ours1[0] / limit1[0], 2))
    let (ours16, limit16) = (try await measure(folder.path + "/c", 16), try await measure(folder.path + "/echo", 16))
    row(
      "control calls, 16 connections", "\(format(ours16[1]))/s", "echo in C: \(format(limit16[1]))/s",
      format(ours16[1] / limit16[1], 2))
    await stop(daemon)
    echo.signal(SIGKILL)
    _ = await echo.status()
  }

  /// Creates channels by sixteen clients, one call in flight each.
  static func createMany(_ count: Int, socket: String) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          let client = try await BatonClient(socket: socket)
          for number in stride(from: worker, to: count, by: 16) {
            _ = try await client.channels.create(CreateChannel(profile: .init(displayName: "Channel \(number)"), pick: 3))
          }
          await client.close()
        }
      }
      try await group.waitForAll()
    }
  }

  /// `Channels.Create` answered durably by sixteen clients, and how many syncs that takes.
  static func createCalls() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "3"])
    let relays = try await sandbox.sandboxRelays(3)
    let count = 2_000
    for isTraced in [false, true] {
      let folder = try TemporaryFolder()
      let summary = folder.path + "/strace"
      let daemon = try await daemon(
        folder, under: isTraced ? ["/usr/bin/strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", summary] : [])
      let client = try await BatonClient(socket: folder.path + "/c")
      for (index, relay) in relays.enumerated() { _ = try await client.relays.add(AddRelay(address: relay, name: "r\(index)")) }
      let started = ContinuousClock.now
      try await createMany(count, socket: folder.path + "/c")
      let rate = Double(count) / seconds(ContinuousClock.now - started)
      if !isTraced {
        row("Channels.Create answered durably, 16 clients, while relays are served", "\(format(rate))/s")
        while try await client.daemon.status().channelRelays.active < 3 * count { try await client.service.ping() }
        row(
          "processor time of the daemon per channel until it is active",
          "\(format(processorSeconds(daemon.pid) / Double(count) * 1e6)) µs", "budget 300 µs",
          format(processorSeconds(daemon.pid) / Double(count) * 1e6 / 300, 2))
      }
      await client.close()
      if isTraced {
        // The tracer holds signals back: the daemon itself is told.
        _ = try await Program.run("/usr/bin/pkill", ["-TERM", "-P", "\(daemon.pid)"])
        _ = await daemon.status()
        let text = (try? String(contentsOfFile: summary, encoding: .utf8)) ?? ""
        let syncs = text.split(separator: "\n").filter { $0.hasSuffix("sync") }
          .compactMap { $0.split(separator: " ").dropFirst(3).first.flatMap { Double($0) } }.reduce(0, +)
        row("syncs per channel in such a run (strace)", format(syncs / Double(count), 3))
      } else {
        await stop(daemon)
      }
    }
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  /// Memory of an idle daemon, and how long it takes to answer after its start.
  static func atRest() async throws {
    var starts: [Double] = []
    var memory: [Double] = []
    for _ in 0..<5 {
      let folder = try TemporaryFolder()
      let started = ContinuousClock.now
      let daemon = try await daemon(folder)
      starts.append(seconds(ContinuousClock.now - started) * 1000)
      memory.append(Self.memory(daemon.pid))
      await stop(daemon)
    }
    row("start to first answer", "\(format(median(starts))) ms", "budget 200 ms", format(median(starts) / 200, 2))
    row("memory at rest (resident)", "\(format(median(memory), 1)) MiB", "budget 40 MiB", format(median(memory) / 40, 2))
  }
}
