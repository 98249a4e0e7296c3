import BatonClient
import Channels
import ControlAPI
import Foundation
import Glibc
import Logging
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport

// A million settled channels: how soon the daemon is there, how much memory it takes, how long a page of a list takes.
extension BatonBench {
  static func million() async throws {
    let folder = try TemporaryFolder()
    let count = 1_000_000
    // A first start makes schema and identity.
    let first = try await daemon(folder)
    first.signal(SIGTERM)
    _ = await first.status()
    try await fill(folder, count)

    // The first start with the key makes its index.
    let indexed = ["BATON_STATE_INDEXED_KEYS": "project"]
    let begun = ContinuousClock.now
    let indexing = try await daemon(folder, environment: indexed)
    row(
      "\(count) settled channels: a start that makes an index on custom data",
      "\(format(seconds(ContinuousClock.now - begun), 1)) s")
    indexing.signal(SIGTERM)
    _ = await indexing.status()

    let started = ContinuousClock.now
    let daemon = try await daemon(folder, environment: indexed)
    row(
      "\(count) settled channels: start to first answer", "\(format(seconds(ContinuousClock.now - started) * 1000)) ms",
      "budget 2,000 ms")
    let client = try await BatonClient(socket: folder.path + "/c")
    let latest: JSONValue = [["field": "updatedAt", "direction": -1]]
    let questions: [(String, [String: JSONValue], budget: Double)] = [
      ("by id", ["limit": 100], 10),
      ("the latest changes first", ["limit": 100, "sort": latest], 10),
      ("by name", ["limit": 100, "sort": [["field": "profile.displayName"]]], 10),
      ("those that are degraded, 1 in 10,000", ["limit": 100, "filter": ["phase": "degraded"]], 10),
      ("those with indexed custom data that 1 in 100 has", ["limit": 100, "filter": ["custom.project": "p7"]], 5),
      ("the same, the latest changes first", ["limit": 100, "filter": ["custom.project": "p7"], "sort": latest], 20),
      ("by indexed custom data", ["limit": 100, "sort": [["field": "custom.project"]]], 5),
      ("those with other custom data that 1 in 100 has", ["limit": 100, "filter": ["custom.team": "t7"]], 20),
    ]
    for (name, parameters, budget) in questions {
      var times: [Double] = []
      for _ in 0..<5 {
        let begin = ContinuousClock.now
        _ = try await client.call(ChannelsMethod.list, parameters)
        times.append(seconds(ContinuousClock.now - begin) * 1000)
      }
      row(
        "the same: a page of 100, \(name)", "\(format(median(times), 1)) ms", "budget \(format(budget)) ms",
        format(median(times) / budget, 2))
    }
    row(
      "the same: memory after that (resident)", "\(format(memory(daemon.pid), 1)) MiB", "budget 150 MiB",
      format(memory(daemon.pid) / 150, 2))
    await client.close()
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  static func fill(_ folder: TemporaryFolder, _ count: Int) async throws {
    let store = try Store(directory: folder.path + "/state")
    let now = Self.now
    let identity = try store.identities()[0].id
    try await addFarRelays(to: store)
    for start in stride(from: 1, through: count, by: 10_000) {
      var mutations: [StoreMutation] = []
      for number in start..<min(start + 10_000, count + 1) {
        mutations += settledChannel(number, of: identity, at: now, hasFailed: number % 10_000 == 0)
      }
      try await store.commit(mutations)
    }
    store.close()
  }
}
