import BatonClient
import Channels
import ControlAPI
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

/// The history of the health of relays and servers, as clients get it.
struct HealthPagesTests {
  /// Two relays, the second with an operator, and lines of them and of two servers that are gone.
  private func filled() async throws -> (bench: Bench, all: [HealthChange]) {
    let bench = try await Bench()
    _ = try await bench.client.operators.add(AddOperator(name: "Harbour", domains: ["r2"]))
    _ = try await bench.addRelays(2)
    let base = try bench.store.counters().revision
    var rows: [StoreMutation] = []
    for number in 1...40 as ClosedRange<Int64> {
      let peer = number % 4 < 2 ? Probed.relay(.init(rawValue: number % 4 + 1)) : .server(.init(rawValue: number % 4))
      rows.append(
        .appendHealth(
          HealthRow(
            revision: base + number, peer: peer, from: number % 8 < 4 ? .up : .down, to: number % 8 < 4 ? .down : .up,
            cause: number % 8 < 4 ? .timeout : nil, detail: number % 8 < 4 ? "no answer" : "",
            at: Timestamp(milliseconds: 1_750_000_000_000 + number * 1_000))))
    }
    rows.append(
      .appendChange(ChangeRow(revision: base + 40, at: Timestamp(milliseconds: 0), object: .relay(.init(rawValue: 1)))))
    try await bench.write(rows)
    return (bench, try await bench.client.monitor.healthChanges(limit: 1_000).healthChanges)
  }

  @Test func everythingIsListedTheLatestFirst() async throws {
    let (bench, all) = try await filled()
    #expect(all.count == 40 && all.map(\.revision) == all.map(\.revision).sorted(by: >))
    #expect(Set(all.compactMap { $0.relayId.map { "\($0) " } }.map { $0 }) == ["1 ", "2 "])
    #expect(Set(all.map(\.name)) == ["r1", "r2", "server 2", "server 3"])
    #expect(all.allSatisfy { ($0.relayId == nil) != ($0.serverId == nil) && ($0.cause == "timeout") == ($0.to == "down") })
    #expect(all.allSatisfy { ($0.operatorId != nil) == ($0.relayId == 2) })
    try await bench.stop()
  }

  @Test func filtersAndPagesFindWhatTheyWant() async throws {
    let (bench, all) = try await filled()
    let middle = all[20].time
    let cases: [(JSONValue?, (HealthChange) -> Bool)] = [
      (nil, { _ in true }), (["relayId": 2], { $0.relayId == 2 }), (["serverId": ["$in": [2, 3]]], { $0.serverId != nil }),
      (["relayId": 1, "serverId": 2], { _ in false }), (["name": "r1", "to": "down"], { $0.name == "r1" && $0.to == "down" }),
      (["operatorId": ["$exists": true]], { $0.operatorId != nil }), (["cause": "timeout"], { $0.cause == "timeout" }),
      (["time": ["$gte": .string(middle)]], { $0.time >= middle }),
      (["$or": [["relayId": 1], ["serverId": 3]]], { $0.relayId == 1 || $0.serverId == 3 }),
    ]
    for (filter, isWanted) in cases {
      for limit in [1, 7, 1_000] {
        var (found, cursor): ([HealthChange], String?) = ([], nil)
        repeat {
          let page = try await bench.client.monitor.healthChanges(filter: filter, limit: limit, cursor: cursor)
          #expect(page.healthChanges.count <= limit)
          found += page.healthChanges
          cursor = page.nextCursor
        } while cursor != nil
        #expect(found == all.filter(isWanted), "\(filter?.text ?? "all") in pages of \(limit)")
      }
    }
    // Lines are found whatever their dates: a daemon that takes over dates some of them earlier.
    let early = HealthRow(
      revision: all[0].revision + 1, peer: .relay(.init(rawValue: 1)), from: .up, to: .down, cause: nil, detail: "",
      at: Timestamp(milliseconds: 1_000_000))
    try await bench.write([
      .appendHealth(early),
      .appendChange(ChangeRow(revision: early.revision, at: early.at, object: .relay(.init(rawValue: 1)))),
    ])
    let since = try await bench.client.monitor.healthChanges(filter: ["time": ["$gte": .string(middle)]], limit: 5)
    #expect(since.healthChanges == Array(all.prefix(5)))
    for (filter, path) in [(["relay": 1], "filter.relay"), (["to": "broken"], "filter.to")] as [(JSONValue, String)] {
      await #expect { try await bench.client.monitor.healthChanges(filter: filter) } throws: {
        ($0 as? VarlinkError)?.name == "org.batond.Monitor.InvalidFilter"
          && ($0 as? VarlinkError)?.parameters["path"]?.string == path
      }
    }
    try await bench.stop()
  }
}
