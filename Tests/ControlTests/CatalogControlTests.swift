import BatonClient
import Channels
import ControlAPI
import Coordinator
import Filters
import Storage
import StrictJSON
import Testing
import Varlink

@testable import ControlServer

/// Operators, servers and relays through the control socket.
struct CatalogControlTests {
  private static let fingerprint = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
  private static func smp(_ host: String, password: String = "") -> String { "smp://\(fingerprint)\(password)@\(host)" }

  private func error(_ body: () async throws -> Void) async throws -> VarlinkError {
    do {
      try await body()
    } catch let error as VarlinkError {
      return error
    }
    throw VarlinkError("nothing was refused", [:])
  }

  @Test func operatorsServersAndRelaysAreManaged() async throws {
    let bench = try await Bench()
    let client = bench.client
    let owner = try await client.operators.add(
      AddOperator(
        name: "Example", legalName: "Example Ltd", domains: ["Example.org"], smpRoles: RoleOverrides(storage: false),
        conditionsAcceptedAt: "2026-01-31T12:00:00Z"))
    #expect(owner.domains == ["example.org"] && owner.conditionsAcceptedAt == "2026-01-31T12:00:00.000Z")
    #expect(owner.smpRoles == Roles(storage: false, proxy: true, names: true))
    let server = try await client.servers.add(AddServer(address: Self.smp("S.example.org:5223"), enabled: true))
    #expect(server.operatorId == owner.id && server.address == Self.smp("s.example.org") && server.roles == owner.smpRoles)
    let relay = try await client.relays.add(AddRelay(address: "ws://r1", name: "one", domains: ["example.org"]))
    #expect(relay.operatorId == owner.id)
    let found = try await client.operators.get(name: "Example")
    #expect(found.operator == owner && found.servers.map(\.id) == [server.id] && found.relays.map(\.id) == [relay.id])

    let changed = try await client.operators.update(
      UpdateOperator(id: owner.id, revision: owner.revision, legalName: "", domains: [], conditionsAcceptedAt: ""))
    #expect(changed.legalName == nil && changed.conditionsAcceptedAt == nil && changed.revision > owner.revision)
    #expect(try await client.relays.get(id: relay.id).operatorId == nil, "without the domain it is one's own")
    let named = try await client.relays.update(
      UpdateRelay(id: relay.id, revision: try await client.relays.get(id: relay.id).revision, name: "two", enabled: false))
    #expect(named.name == "two" && !named.enabled)
    #expect(try await client.servers.get(name: "s.example.org").id == server.id)
    #expect(try await client.servers.get(name: Self.smp("s.example.org:5223")).id == server.id)
    #expect(try await client.servers.remove(id: server.id, force: true).deleted)
    #expect(try await client.relays.remove(id: relay.id).deleted)
    #expect(try await client.operators.remove(id: owner.id).deleted)
    #expect(try await client.operators.all().isEmpty)
    #expect(try await client.servers.all().isEmpty)
    #expect(try await client.relays.all().isEmpty)
    let status = try await client.daemon.status()
    #expect(status.operators == 0 && status.servers == 0)
    try await bench.stop()
  }

  @Test func staleUpdateIsRefusedWithTheCurrentObject() async throws {
    let bench = try await Bench()
    let relay = try await bench.client.relays.add(AddRelay(address: "ws://r1"))
    let now = try await bench.client.relays.update(UpdateRelay(id: relay.id, revision: relay.revision, name: "new"))
    let refused = try await error {
      _ = try await bench.client.relays.update(UpdateRelay(id: relay.id, revision: relay.revision, name: "newer"))
    }
    #expect(refused.name == "org.batond.Relays.StaleRevision")
    #expect(try Relay(json: refused.parameters["current"] ?? .null) == now)
    try await bench.stop()
  }

  @Test func changeThatWouldAddAnErrorIsRefusedUnlessForced() async throws {
    let bench = try await Bench()
    let client = bench.client
    let smp = try await client.servers.add(AddServer(address: Self.smp("a.example")))
    _ = try await client.servers.add(AddServer(address: "xftp://\(Self.fingerprint)@f.example"))
    #expect(try await client.operators.validate().errors.isEmpty)
    let refused = try await error {
      _ = try await client.servers.update(UpdateServer(id: smp.id, revision: smp.revision, enabled: false))
    }
    #expect(refused.name == "org.batond.Servers.ValidationFailed")
    let findings = try [Finding](json: refused.parameters["findings"] ?? [])
    #expect(findings.map(\.kind) == ["noServers"] && findings.map(\.protocol) == ["smp"])
    #expect(try await client.servers.get(id: smp.id).enabled, "nothing was changed")
    let forced = try await client.servers.update(UpdateServer(id: smp.id, revision: smp.revision, enabled: false, force: true))
    #expect(!forced.enabled)
    let found = try await client.operators.validate()
    #expect(found.errors.map(\.kind) == ["noServers"] && found.warnings.map(\.kind) == ["noEnabledRelays"])
    #expect(found.errors.allSatisfy { $0.severity == "error" && !$0.message.isEmpty })
    try await bench.stop()
  }

  @Test func passwordGoesInAndNeverComesOut() async throws {
    let bench = try await Bench()
    let client = bench.client
    let live = try await client.monitor.watch(WatchRequest(since: 0))
    var seen: [String] = []
    func note(_ value: some Encodable) throws { seen.append(try value.json.text) }
    let server = try await client.servers.add(AddServer(address: Self.smp("s.example", password: ":hunter2")))
    #expect(server.hasPassword)
    try note(server)
    try note(
      try await client.servers.update(UpdateServer(id: server.id, revision: server.revision, password: "hunter3", force: true)))
    for address in [
      Self.smp("s.example", password: ":hunter2"), Self.smp("h ost", password: ":hunter2"), "smp://short:hunter2@host",
      "wss://user:hunter2@host", "hunter2@host",
    ] {
      for (method, parameters) in [
        ("Servers.Add", ["address": .string(address)]), ("Servers.Test", ["address": .string(address + "/x")]),
        ("Servers.Get", ["name": .string(address.replacing("s.example", with: "t.example"))]),
        ("Relays.Add", ["address": .string(address), "network": "simplex"]),
      ] as [(String, [String: JSONValue])] {
        do {
          _ = try await client.call("org.batond.\(method)", parameters)
        } catch let error as VarlinkError {
          seen.append(JSONValue.object(error.parameters).text)
        }
      }
    }
    let end = try await client.daemon.status().revision
    for try await change in live {
      try note(change)
      if change.revision == end { break }
    }
    try note(try await client.servers.all())
    #expect(seen.count > 15 && !seen.contains { $0.contains("hunter") }, "\(seen.filter { $0.contains("hunter") })")
    let none = try await client.servers.get(id: server.id)
    #expect(
      try await client.servers.update(UpdateServer(id: none.id, revision: none.revision, password: "")).hasPassword == false)
    try await bench.stop()
  }

  @Test func changesOfOperatorsServersAndRelaysAreWatchedWithWhatWasBefore() async throws {
    let bench = try await Bench()
    let client = bench.client
    let live = try await client.monitor.watch(WatchRequest(since: 0, kinds: ["operator", "server"]))
    // What is committed before the daemon has the call comes from the store, which does not know the old values.
    while bench.coordinator.hub.subscriberCount == 0 { await Task.yield() }
    let owner = try await client.operators.add(AddOperator(name: "Example", domains: ["example.org"]))
    _ = try await client.relays.add(AddRelay(address: "ws://r1"))
    let server = try await client.servers.add(AddServer(address: Self.smp("s.example.org")))
    _ = try await client.operators.update(UpdateOperator(id: owner.id, revision: owner.revision, domains: []))
    var changes: [ChangeMessage] = []
    for try await change in live {
      changes.append(change)
      if changes.count == 4 { break }
    }
    #expect(changes.map(\.kind) == ["operator", "server", "operator", "server"])
    #expect(changes.map { $0.before == nil } == [true, true, false, false])
    #expect(changes[3].before?["operatorId"] == .integer(owner.id) && changes[3].after?["operatorId"] == nil)
    #expect(try Server(json: changes[1].after ?? .null) == server)
    // The stored changes say the same, although the old values are no longer known.
    var again: [ChangeMessage] = []
    for try await change in try await client.monitor.watch(WatchRequest(since: 0, kinds: ["operator", "server"])) {
      again.append(change)
      if again.count == 4 { break }
    }
    #expect(again.map(\.revision) == changes.map(\.revision) && again.allSatisfy { $0.before == nil })
    try await bench.stop()
  }

  @Test func operatorsAreListedWithTheirServersAndRelays() async throws {
    let bench = try await Bench()
    let client = bench.client
    for name in ["B", "A"] {
      _ = try await client.operators.add(AddOperator(name: name, domains: ["\(name.lowercased()).example"]))
    }
    _ = try await client.servers.add(AddServer(address: Self.smp("s.a.example")))
    _ = try await client.relays.add(AddRelay(address: "ws://own"))
    var told: [String] = []
    for try await reply in try await client.stream("org.batond.Operators.List", ["sort": [["field": "name"]], "limit": 1]) {
      let names = (reply["operators"]?.array ?? []).compactMap { $0["name"]?.string }
      told.append("\(names.first ?? "own") \(reply["servers"]?.array?.count ?? -1) \(reply["relays"]?.array?.count ?? -1)")
    }
    #expect(told == ["A 1 0", "B 0 0", "own 0 1"])
    try await bench.stop()
  }

  @Test func listsSayHowManyChannelsEachRelayHas() async throws {
    let bench = try await Bench()
    let client = bench.client
    let relays = try await bench.addRelays(3)
    let first = try await client.channels.create(
      CreateChannel(profile: .init(displayName: "A"), relayIds: [relays[0], relays[1]]))
    _ = try await client.channels.create(CreateChannel(profile: .init(displayName: "B"), relayIds: [relays[0]]))
    #expect(try await client.relays.all().map(\.channels) == [2, 1, 0])
    _ = try await client.channels.removeRelay(id: first.id, relayId: relays[1])
    #expect(try await client.relays.all().map(\.channels) == [2, 0, 0])
    #expect(try await client.relays.all(filter: ["id": .integer(relays[0])]).map(\.channels) == [2])
    #expect(try await client.relays.get(id: relays[0]).channels == 2)
    try await bench.stop()
  }

  /// Any filter, sort and page size give exactly the result of evaluating everything in memory.
  @Test func pagesAreTheWholeListWhateverFilterSortAndSize() async throws {
    let bench = try await Bench()
    let client = bench.client
    _ = try await client.operators.add(AddOperator(name: "O", domains: ["op.example"]))
    var random = SplitMix64(seed: 11)
    for number in 0..<40 {
      let host = Bool.random(using: &random) ? "r\(number).op.example" : "r\(number)"
      _ = try await client.relays.add(
        AddRelay(
          address: "ws://\(host)", name: "n\(Int.random(in: 0..<5, using: &random)) \(number)",
          enabled: Bool.random(using: &random)))
    }
    let all = try await client.relays.all()
    let filters: [(JSONValue, (Relay) -> Bool)] = [
      ([:], { _ in true }), (["enabled": true], \.enabled), (["operatorId": ["$exists": true]], { $0.operatorId != nil }),
      (["name": ["$autocomplete": "n1"]], { $0.name.hasPrefix("n1 ") }),
      (["id": ["$gt": 7, "$lte": 30]], { (8...30).contains($0.id) }),
      (["$or": [["enabled": false], ["id": ["$in": [1, 2]]]]], { !$0.enabled || $0.id <= 2 }),
    ]
    for (filter, holds) in filters {
      for keys in [[], ["name"], ["-name"], ["enabled", "-id"], ["operatorId", "name"], ["-operatorId", "enabled"]] {
        let order =
          keys.map { (field: String($0.trimmingPrefix("-")), isDown: $0.hasPrefix("-")) } + [
            (field: "id", isDown: keys.last?.hasPrefix("-") ?? false)
          ]
        let expected = try all.filter(holds).map { try $0.json }.sorted { a, b in
          for key in order {
            let way = JSONOrder.compare(a[key.field] ?? .null, b[key.field] ?? .null)
            if way != 0 { return key.isDown ? way > 0 : way < 0 }
          }
          return false
        }
        let sort = JSONValue.array(
          keys.map { ["field": .string(String($0.trimmingPrefix("-"))), "direction": $0.hasPrefix("-") ? -1 : 1] })
        var parameters: [String: JSONValue] = [
          "filter": filter, "sort": sort, "limit": .integer(.random(in: 1...12, using: &random)),
        ]
        var got: [JSONValue] = []
        repeat {
          let reply = try await client.call("org.batond.Relays.List", parameters)
          got += reply["relays"]?.array ?? []
          parameters["cursor"] = reply["nextCursor"]
        } while parameters["cursor"] != nil
        #expect(got.map { $0["id"] } == expected.map { $0["id"] }, "\(filter.text) \(keys)")
      }
    }
    try await bench.stop()
  }

  @Test func pagesMissAndRepeatNothingWhileOthersChange() async throws {
    let bench = try await Bench()
    let client = bench.client
    for number in 1...9 { _ = try await client.relays.add(AddRelay(address: "ws://r\(number)")) }
    var parameters: [String: JSONValue] = ["limit": 3, "sort": [["field": "name", "direction": -1]]]
    var got: [Int64] = []
    var removed: Int64 = 5
    repeat {
      let reply = try await client.call("org.batond.Relays.List", parameters)
      got += (reply["relays"]?.array ?? []).compactMap { $0["id"]?.integer }
      parameters["cursor"] = reply["nextCursor"]
      if removed < 7 {
        // A listed object goes, and another comes before the cursor; the objects still to come stay where they are.
        _ = try await client.relays.remove(id: got[Int(removed) - 5], force: true)
        _ = try await client.relays.add(AddRelay(address: "ws://x\(removed)", name: "z \(removed)"))
        removed += 1
      }
    } while parameters["cursor"] != nil
    #expect(got == [9, 8, 7, 6, 5, 4, 3, 2, 1])
    try await bench.stop()
  }

  /// All lists are sorted by id, yet a cursor of one list is not valid in another.
  @Test func cursorOfAnotherListIsRefused() async throws {
    let bench = try await Bench()
    for number in 1...2 { _ = try await bench.client.relays.add(AddRelay(address: "ws://r\(number)")) }
    let page = try await bench.client.call("org.batond.Relays.List", ["limit": 1])
    let cursor = try #require(page["nextCursor"])
    #expect(try await bench.client.call("org.batond.Relays.List", ["cursor": cursor])["relays"]?.array?.count == 1)
    for list in ["Channels", "Identities", "Operators", "Servers"] {
      let refused = try await error { _ = try await bench.client.call("org.batond.\(list).List", ["cursor": cursor]) }
      #expect(refused.name == "org.batond.\(list).InvalidFilter" && refused.parameters["path"] == "cursor", "\(refused)")
    }
    // Nor is it valid in the same list with another order.
    let backwards: [String: JSONValue] = ["cursor": cursor, "sort": [["field": "id", "direction": -1]]]
    let refused = try await error { _ = try await bench.client.call("org.batond.Relays.List", backwards) }
    #expect(refused.parameters["path"] == "cursor", "\(refused)")
    // The orders have as many fields, so that only their names and directions tell them apart.
    let byName: [String: JSONValue] = ["limit": 1, "sort": [["field": "name"]]]
    let place = try #require(try await bench.client.call("org.batond.Relays.List", byName)["nextCursor"])
    for sort: JSONValue in [[["field": "name", "direction": -1]], [["field": "address"]]] {
      let refused = try await error {
        _ = try await bench.client.call("org.batond.Relays.List", ["sort": sort, "cursor": place])
      }
      #expect(refused.parameters["path"] == "cursor", "\(sort.text): \(refused)")
    }
    try await bench.stop()
  }

  @Test func simplexRelaysAreManagedThoughTheirNetworkIsNotServed() async throws {
    let bench = try await Bench()
    let client = bench.client
    let address = "https://smp4.simplex.im/r#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M"
    let relay = try await client.relays.add(AddRelay(address: address, network: "simplex"))
    #expect(relay.network == "simplex" && relay.name == "smp4.simplex.im")
    let refused = try await error { for try await _ in try await client.relays.testAndFollow(id: relay.id) {} }
    #expect(refused.name == "org.batond.Relays.NetworkUnavailable")
    let none = try await error {
      _ = try await client.channels.create(CreateChannel(profile: .init(displayName: "News"), network: "simplex"))
    }
    #expect(none.name == "org.batond.Channels.NetworkUnavailable")
    // It is never picked for a channel on another network.
    let alone = try await error { _ = try await client.channels.create(CreateChannel(profile: .init(displayName: "News"))) }
    #expect(alone.name == "org.batond.Channels.NoEnabledRelays")
    try await bench.stop()
  }

  @Test func relaysOfADisabledOperatorAreNotPicked() async throws {
    let bench = try await Bench()
    let client = bench.client
    let owner = try await client.operators.add(AddOperator(name: "Off", domains: ["off.example"], enabled: false))
    _ = try await client.relays.add(AddRelay(address: "ws://r.off.example"))
    let own = try await client.relays.add(AddRelay(address: "ws://own"))
    let tooMany = try await error {
      _ = try await client.channels.create(CreateChannel(profile: .init(displayName: "News"), pick: 2))
    }
    #expect(tooMany.name == "org.batond.Channels.NotEnoughRelays" && tooMany.parameters == ["wanted": 2, "available": 1])
    let channel = try await client.channels.create(CreateChannel(profile: .init(displayName: "News")))
    #expect(channel.relays.map(\.relayId) == [own.id])
    _ = try await client.operators.update(UpdateOperator(id: owner.id, revision: owner.revision, enabled: true))
    let second = try await client.channels.create(CreateChannel(profile: .init(displayName: "More"), pick: 2))
    #expect(second.relays.count == 2)
    try await bench.stop()
  }
}
