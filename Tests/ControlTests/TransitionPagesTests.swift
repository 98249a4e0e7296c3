import BatonClient
import Channels
import ControlAPI
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

/// The history of all channels, as clients get it.
@Suite(.timeLimit(.minutes(10)))
struct TransitionPagesTests {
  /// Two channels on three relays, the second of which refuses them.
  private func filled() async throws -> (bench: Bench, all: [ChannelTransition]) {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    bench.network.set(.refuses, at: "ws://r2")
    for name in ["One", "Two"] {
      let request = CreateChannel(profile: .init(displayName: name), relayIds: relays)
      for try await _ in try await bench.client.channels.createAndFollow(request) {}
    }
    // Relays that are active are told of those that are, which is in the history as well.
    while true {
      let all = try await bench.client.monitor.transitions(limit: 1_000).transitions
      if all.count(where: { $0.detail == "readers find edition 2 of the profile" }) == 4 { return (bench, all) }
      try Task.checkCancellation()
    }
  }

  private func refusal(_ body: () async throws -> Void) async throws -> VarlinkError {
    do { try await body() } catch let error as VarlinkError { return error }
    return VarlinkError("nothing was refused")
  }

  @Test func everythingIsListedTheLatestFirst() async throws {
    let (bench, all) = try await filled()
    var channels: [Transition] = []
    for id in [1, 2] as [Int64] { channels += try await bench.client.channels.transitions(id: id) }
    #expect(all.map(\.revision) == channels.map(\.revision).sorted(by: >))
    let failed = try #require(all.first { $0.to == "failed" })
    #expect(failed.relayName == "r2" && failed.cause == "rejected" && ["One", "Two"].contains(failed.channelName))
    #expect(Set(all.map { "\($0.channelId) \($0.channelName ?? "-")" }) == ["1 One", "2 Two"])
    try await bench.stop()
  }

  @Test func filtersFindWhatTheyWant() async throws {
    let (bench, all) = try await filled()
    func revisions(_ filter: JSONValue) async throws -> [Int64] {
      try await bench.client.monitor.transitions(filter: filter, limit: 1_000).transitions.map(\.revision)
    }
    let newest = try #require(all.first)
    let cases: [(JSONValue, (ChannelTransition) -> Bool)] = [
      (["relayId": 2], { $0.relayId == 2 }),
      (["relayName": "r3", "channelName": "Two"], { $0.relayId == 3 && $0.channelId == 2 }),
      (["cause": "rejected"], { $0.cause == "rejected" }), (["cause": .null], { $0.cause == nil }),
      (["to": ["$in": ["active", "failed"]], "channelId": 1], { ["active", "failed"].contains($0.to) && $0.channelId == 1 }),
      (["$or": [["channelId": 2], ["relayId": 1]]], { $0.channelId == 2 || $0.relayId == 1 }),
      (["time": ["$gte": .string(newest.time)]], { $0.time >= newest.time }), (["time": ["$gt": "2999"]], { _ in false }),
      (["operatorId": ["$exists": true]], { $0.operatorId != nil }), (["attempt": ["$gt": 1]], { $0.attempt > 1 }),
    ]
    for (filter, isWanted) in cases {
      #expect(try await revisions(filter) == all.filter(isWanted).map(\.revision), "\(filter)")
    }
    try await bench.stop()
  }

  @Test(arguments: [nil, ["relayId": ["$ne": 2]]] as [JSONValue?])
  func pagesAreTheWholeList(_ filter: JSONValue?) async throws {
    let (bench, all) = try await filled()
    let wanted = all.filter { filter == nil || $0.relayId != 2 }
    for limit in [1, 4, 1_000] {
      var (found, cursor): ([ChannelTransition], String?) = ([], nil)
      repeat {
        let page = try await bench.client.monitor.transitions(filter: filter, limit: limit, cursor: cursor)
        #expect(page.transitions.count <= limit)
        found += page.transitions
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found == wanted, "pages of \(limit)")
      // With 'more' they come by themselves.
      found = []
      let request = MonitorTransitionsRequest(filter: filter, limit: limit)
      for try await page in try await bench.client.stream(MonitorMethod.transitions, try request.json.object ?? [:]) {
        found += try MonitorTransitionsReply(json: .object(page)).transitions
      }
      #expect(found == wanted, "pages of \(limit) with 'more'")
    }
    try await bench.stop()
  }

  /// Lines of many days, more than one question asks for, with a gap as a restore leaves one.
  @Test func listEndsWhereNothingCanBeWantedAnyMore() async throws {
    let bench = try await Bench()
    let (base, day) = (try bench.store.counters().revision + 1, Int64(86_400_000))
    var rows: [StoreMutation] = []
    for number in 1...900 as ClosedRange<Int64> {
      let revision = base + number + (number > 450 ? 1 << 32 : 0)
      rows.append(
        .appendTransition(
          TransitionRow(
            revision: revision, channel: ChannelID(rawValue: number % 3 + 1), relay: RelayID(rawValue: 1),
            transition: .init(
              from: .active, to: .active, cause: nil, detail: "", attempt: Int(number),
              at: Timestamp(milliseconds: 1_750_000_000_000 + number * day / 100)))))
    }
    try await bench.write(rows)
    // All of them come, although billions of revisions between them are missing, in few pages.
    var (all, cursor, pages): ([ChannelTransition], String?, Int) = ([], nil, 0)
    repeat {
      let page = try await bench.client.monitor.transitions(limit: 250, cursor: cursor)
      all += page.transitions
      cursor = page.nextCursor
      pages += 1
    } while cursor != nil && pages < 100
    #expect(all.map(\.attempt) == (1...900).reversed() && pages < 10)
    // What is wanted is found, and the list ends a day later, long before the lines do.
    let since = try #require(all.first { $0.attempt == 800 }).time
    let filter: JSONValue = ["time": ["$gte": .string(since)], "channelId": ["$ne": 7]]
    let page = try await bench.client.monitor.transitions(filter: filter, limit: 1_000)
    #expect(page.transitions.map(\.attempt) == (800...900).reversed() && page.nextCursor == nil)
    // A place that no one was given is the beginning.
    let first = try await bench.client.monitor.transitions(limit: 5, cursor: "9223372036854775807")
    #expect(first.transitions.map(\.attempt) == (896...900).reversed())
    try await bench.stop()
  }

  /// One damaged line is left out, and said; the others are there.
  @Test func damagedLineIsLeftOut() async throws {
    let (bench, all) = try await filled()
    let lost = all[all.count / 2].revision
    #expect(
      try await Program.run(
        "/usr/bin/sqlite3",
        [
          "-cmd", ".timeout 60000", bench.folder.path + "/state/baton.db",
          "UPDATE transitions SET detail = 'nonsense' WHERE revision = \(lost)",
        ]
      ).status == 0)
    for limit in [3, 1_000] {
      var (found, cursor): ([Int64], String?) = ([], nil)
      repeat {
        let page = try await bench.client.monitor.transitions(limit: limit, cursor: cursor)
        found += page.transitions.map(\.revision)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found == all.map(\.revision).filter { $0 != lost })
    }
    #expect(try await bench.client.daemon.status().damage?.contains("\(lost)") == true)
    try await bench.stop()
  }

  @Test func wrongQuestionsAreRefused() async throws {
    let bench = try await Bench()
    for (parameters, path) in [
      (["filter": ["relay": 1]], "filter.relay"), (["filter": ["to": "broken"]], "filter.to"), (["cursor": "x"], "cursor"),
      (["cursor": "-4"], "cursor"), (["cursor": "04"], "cursor"), (["cursor": "99999999999999999999"], "cursor"),
    ] as [([String: JSONValue], String)] {
      let refused = try await refusal { _ = try await bench.client.call(MonitorMethod.transitions, parameters) }
      #expect(refused.name == "org.batond.Monitor.InvalidFilter" && refused.parameters["path"]?.string == path, "\(refused)")
    }
    for limit in [0, 1_001] as [JSONValue] {
      let refused = try await refusal { _ = try await bench.client.call(MonitorMethod.transitions, ["limit": limit]) }
      #expect(refused.name == VarlinkError.invalidParameter("limit").name)
    }
    try await bench.stop()
  }
}
