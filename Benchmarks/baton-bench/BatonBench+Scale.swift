import BatonClient
import Channels
import ControlAPI
import Coordinator
import Foundation
import Glibc
import Logging
import Storage
import Store
import TestSupport

// Ten thousand channels on three relays, created in one go.
extension BatonBench {
  static let many = 10_000

  /// Resident memory of a process, in MiB.
  static func memory(_ process: Int32) -> Double {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
  }

  /// Processor time that a process has taken so far, in seconds.
  static func processorSeconds(_ process: Int32) -> Double {
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    // The name before it may hold anything.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ").dropFirst()
    return fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The daemon with 2,000 relays of the sandbox and 8,000 channels on them, when all is done.
  static func manyRelays() async throws {
    let (relays, channels) = (2_000, 8_000)
    // One sandbox has a thousand at most.
    let sandboxes = try (0..<2).map { _ in try Program("baton-sandbox", ["--relays", "\(relays / 2)"]) }
    var urls: [String] = []
    for sandbox in sandboxes { urls += try await sandbox.sandboxRelays(relays / 2) }
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    for (index, relay) in urls.enumerated() {
      _ = try await client.relays.add(AddRelay(address: relay, name: "r\(index)"))
    }
    try await createMany(channels, socket: folder.path + "/c")
    while try await client.daemon.status().channelRelays.active < 3 * channels { try await client.service.ping() }
    // Tests of relays and connections that no one needs any more are over by then.
    try await Task.sleep(for: .seconds(90))
    let before = processorSeconds(daemon.pid)
    try await Task.sleep(for: .seconds(60))
    let share = (processorSeconds(daemon.pid) - before) / 60
    row(
      "\(relays) relays, \(channels) channels, at rest: memory; processor",
      "\(format(memory(daemon.pid))) MiB; \(format(share * 100, 1)) %", "budget 90 MiB; 1 %",
      "\(format(memory(daemon.pid) / 90, 2)); \(format(share * 100, 2))")
    await client.close()
    await stop(daemon)
    for sandbox in sandboxes {
      sandbox.signal(SIGKILL)
      _ = await sandbox.status()
    }
  }

  /// In the process: what is left in memory when all have settled.
  static func manyInProcess() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    let coordinator = Coordinator(
      storage: store, networks: [FakeNetwork()], rules: Rules(policy: RelayPolicy()), clock: SystemClock(),
      secrets: try .atFile(folder.path + "/key"), logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let (ready, readiness) = AsyncStream.makeStream(of: Void.self)
    let run = Task { try await coordinator.run { readiness.finish() } }
    for await _ in ready {}
    for number in 1...3 {
      _ = try await coordinator.addRelay(network: .nostr, RelayEdit(address: "ws://r\(number)"), force: false)
    }
    var figures: [Double] = []
    for round in 0..<3 {
      let started = ContinuousClock.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<1_000 {
          group.addTask {
            for number in stride(from: worker, to: many, by: 1_000) {
              _ = try await coordinator.create(
                ChannelRequest(profile: Profile(displayName: "Channel \(round) \(number)"), pick: 3))
            }
          }
        }
        try await group.waitForAll()
      }
      while try store.totals().relays[.active] ?? 0 < (round + 1) * many * 3 { try await coordinator.barrier() }
      if round == 0 {
        row(
          "\(many) channels × 3 relays in one go, in-process network, all active after",
          "\(format(seconds(ContinuousClock.now - started), 1)) s")
      }
      for _ in 0..<10 { try await coordinator.barrier() }
      figures.append(memory(getpid()))
    }
    row(
      "resident after each of three such rounds; machines in memory at the end",
      "\(figures.map { format($0) }.joined(separator: ", ")) MiB; \(coordinator.liveChannelCount)")
    coordinator.stop()
    try await run.value
    store.close()
  }

  /// The daemon with three relays of the sandbox: how long it takes, how much memory stays, and whether a relay that answers nothing
  /// holds the others up.
  static func manyOnRelays() async throws {
    var times: [Double] = []
    for isStalled in [false, true] {
      let sandbox = try Program("baton-sandbox", ["--relays", "3"] + (isStalled ? ["--fault", "3=stall"] : []))
      let relays = try await sandbox.sandboxRelays(3)
      let folder = try TemporaryFolder()
      let daemon = try await daemon(folder)
      let client = try await BatonClient(socket: folder.path + "/c")
      for (index, relay) in relays.enumerated() {
        _ = try await client.relays.add(AddRelay(address: relay, name: "r\(index)"))
      }
      let before = memory(daemon.pid)
      for round in 0..<(isStalled ? 1 : 2) {
        let started = ContinuousClock.now
        try await createMany(many, socket: folder.path + "/c")
        let wanted = (round + 1) * many * (isStalled ? 2 : 3)
        while try await client.daemon.status().channelRelays.active < wanted { try await client.service.ping() }
        let time = seconds(ContinuousClock.now - started)
        if round == 0 { times.append(time) }
        guard !isStalled else { continue }
        row(
          "\(many) channels × 3 sandbox relays in one go, round \(round + 1), all active after",
          "\(format(time, 1)) s; resident \(format(memory(daemon.pid))) MiB, before \(format(before))")
      }
      await client.close()
      daemon.signal(isStalled ? SIGKILL : SIGTERM)
      _ = await daemon.status()
      sandbox.signal(SIGKILL)
      _ = await sandbox.status()
    }
    row(
      "the same until two relays have all of them, the third answers nothing", "\(format(times[1], 1)) s",
      "all three answer: \(format(times[0], 1)) s", format(times[1] / times[0], 2))
  }
}
