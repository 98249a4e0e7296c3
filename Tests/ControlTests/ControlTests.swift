import BatonClient
import Channels
import ControlAPI
import Coordinator
import Foundation
import Logging
import NIOPosix
import RelayNetwork
import SimpleX
import Storage
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

struct ControlTests {
  @Test func creationIsFollowedToItsEnd() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(3)
    var phases: [String] = []
    let request = CreateChannel(profile: .init(displayName: "News", description: "d"), custom: ["team": "news"])
    var last: Channel?
    for try await channel in try await bench.client.channels.createAndFollow(request) {
      phases.append(channel.phase)
      last = channel
    }
    #expect(phases.first == "creating" && phases.last == "active")
    let channel = try #require(last)
    #expect(channel.linkUsable && channel.relays.count == 3 && channel.custom == ["team": "news"])
    #expect(try await bench.client.channels.get(name: "News") == channel)
    let history = try await bench.client.channels.transitions(id: channel.id)
    #expect(history.count == 9 && history.last?.to == "active")
    let status = try await bench.client.daemon.status()
    #expect(status.channels == 1 && status.channelRelays.active == 3 && status.storageWorks)
    try await bench.stop()
  }

  @Test func watchMissesNothingAndRepeatsNothing() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(2)
    var before: [ChangeMessage] = []
    let revision = try await bench.client.daemon.status().revision
    let live = try await bench.client.monitor.watch(WatchRequest(since: 0))
    _ = try await bench.create("One")
    let end = try await bench.client.daemon.status().revision
    for try await change in live {
      before.append(change)
      if change.revision == end { break }
    }
    #expect(before.map(\.revision) == Array(1...end))
    var later: [ChangeMessage] = []
    for try await change in try await bench.client.monitor.watch(WatchRequest(since: revision)) {
      later.append(change)
      if change.revision == end { break }
    }
    #expect(later.map(\.revision) == Array((revision + 1)...end))
    #expect(later.filter { $0.kind == "channelRelay" }.allSatisfy { $0.transition?["channelId"] == 1 && $0.before != nil })
    for try await change in try await bench.client.monitor.watch() {
      #expect(change.kind == "snapshot" && change.revision == end)
      break
    }
    try await bench.stop()
  }

  @Test func watchIsFiltered() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    _ = try await bench.create("One")
    _ = try await bench.create("Two")
    var seen: [ChangeMessage] = []
    let request = WatchRequest(since: 0, kinds: ["channelRelay"], channelIds: [2], relayIds: [relays[0]])
    for try await change in try await bench.client.monitor.watch(request) {
      seen.append(change)
      if change.transition?["to"] == "active" { break }
    }
    #expect(seen.map { $0.transition?["to"]?.string } == ["invited", "accepted", "active"])
    #expect(seen.allSatisfy { $0.transition?["channelId"] == 2 && $0.transition?["relayId"] == .integer(relays[0]) })
    try await bench.stop()
  }

  @Test func listsAreFilteredAndPaged() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    for number in 1...7 {
      _ = try await bench.client.channels.create(
        CreateChannel(
          profile: .init(displayName: "Channel \(number)"),
          custom: ["team": number % 2 == 0 ? "news" : "sport", "n": .integer(Int64(number))]))
    }
    func names(_ filter: JSONValue) async throws -> [String] {
      try await bench.client.channels.all(filter: filter).map { String($0.profile.displayName.dropFirst(8)) }
    }
    #expect(try await names(["custom.team": "news"]) == ["2", "4", "6"])
    #expect(try await names(["custom.n": ["$gt": 2, "$lte": 4]]) == ["3", "4"])
    #expect(try await names(["$or": [["custom.n": 1], ["id": ["$in": [7]]]]]) == ["1", "7"])
    #expect(try await names(["$nor": [["custom.team": "news"]], "id": ["$ne": 1]]) == ["3", "5", "7"])
    #expect(try await names(["profile.displayName": ["$q": "NEL 5"]]) == ["5"])
    #expect(try await names(["profile.displayName": ["$autocomplete": "chan"], "custom.x": ["$exists": false]]).count == 7)
    let page = try await bench.client.call(
      "org.batond.Channels.List", ["limit": 3, "sort": [["field": "id", "direction": -1]]])
    #expect(page["channels"]?.array?.map { $0["id"]?.integer } == [7, 6, 5])
    let next = try await bench.client.call(
      "org.batond.Channels.List",
      ["limit": 3, "sort": [["field": "id", "direction": -1]], "cursor": try #require(page["nextCursor"])])
    #expect(next["channels"]?.array?.map { $0["id"]?.integer } == [4, 3, 2])
    try await bench.stop()
  }

  @Test func channelsAreFoundByTheirRelaysAndValidationNamesWhatTheyLack() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    bench.network.set(.refuses, at: "ws://r2")
    for members in [[0, 1], [0, 1], [1], [0, 2]] {
      let request = CreateChannel(profile: .init(displayName: "News"), relayIds: members.map { relays[$0] })
      for try await _ in try await bench.client.channels.createAndFollow(request) {}
    }
    func ids(_ filter: JSONValue) async throws -> [Int64] { try await bench.client.channels.all(filter: filter).map(\.id) }
    #expect(try await ids(["relays": ["$elemMatch": ["relayId": 2, "status": "failed"]]]) == [1, 2, 3])
    #expect(try await ids(["relays": ["$elemMatch": ["relayId": 1, "status": "failed"]]]).isEmpty)
    #expect(
      try await ids(["relays": ["$elemMatch": ["status": ["$in": ["failed", "inactive"]]]], "phase": "degraded"]) == [1, 2])
    #expect(try await ids(["relays": ["$elemMatch": ["relayName": "r3"]]]) == [4])
    #expect(try await ids(["$nor": [["relays": ["$elemMatch": ["relayId": ["$in": [2, 7]]]]]]]) == [4])
    #expect(try await ids(["relays": ["$elemMatch": ["relayId": .number(2), "cause": ["$exists": true]]]]) == [1, 2, 3])

    let found = try await bench.client.operators.validate()
    let (errors, warnings) = (found.errors, found.warnings)
    #expect(errors.map(\.kind) == ["channelsFailed"] && errors[0].message.hasPrefix("1 channel works on no relay"))
    #expect(errors[0].message.contains("batonctl channel retry --filter"))
    #expect(warnings.map(\.kind) == ["relayLost"] && warnings[0].relayIds == [2])
    #expect(warnings[0].message.hasPrefix("3 channels lack relay 'r2': 3 failed (rejected). It refused them"))
    try await bench.stop()
  }

  @Test func validationNamesRelaysThatAreDown() {
    func findings(_ healths: [PeerCondition.Health], disabled: Set<Int> = [], lost: Int64? = nil) -> ChannelFindings {
      let relays = healths.enumerated().map { place, health in
        var relay = RelayRow(
          id: RelayID(rawValue: Int64(place)), network: .nostr, address: "ws://r\(place)", name: "r\(place)",
          isEnabled: !disabled.contains(place), revision: 1)
        relay.condition.health = health
        return relay
      }
      let losses = lost.map {
        [ChannelLoss(relay: RelayID(rawValue: $0), status: .inactive, cause: nil, channels: 1, healing: 0)]
      }
      return ChannelFindings(losses: losses ?? [], failedChannels: 0, relays: relays, disabledOperators: [])
    }
    #expect(findings([.up, .unknown]).errors.isEmpty && findings([.up, .unknown]).warnings.isEmpty)
    let some = findings([.down, .up, .down, .down], disabled: [3])
    #expect(some.errors.isEmpty && some.warnings.map(\.relayIds) == [[0, 2]])
    #expect(some.warnings.first?.message.hasPrefix("2 of 3 enabled relays on nostr are down ('r0', 'r2').") == true)
    #expect(findings([.down, .up], lost: 0).warnings.map(\.kind) == ["relayLost"], "reported once")
    #expect(findings([.down, .down, .up], lost: 0).warnings.map(\.kind) == ["relayLost", "relaysDown"])
    let all = findings([.down, .up], disabled: [1])
    #expect(all.warnings.isEmpty && all.errors.map(\.kind) == ["relaysDown"] && all.errors[0].severity == "error")
    #expect(all.errors[0].message.hasPrefix("the only enabled relay on nostr is down ('r0'), so no channel can be created"))
  }

  private static let refusals: [(String, JSONValue, String)] = [
    ("org.batond.Channels.Get", ["id": 99], "org.batond.Channels.NoSuchChannel"),
    ("org.batond.Channels.Get", [:], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.Get", ["id": "x"], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.Create", ["profile": ["displayName": ""]], "org.batond.Channels.InvalidDisplayName"),
    ("org.batond.Channels.Create", ["profile": ["displayName": "x"]], "org.batond.Channels.NoEnabledRelays"),
    ("org.batond.Channels.Create", ["profile": 1], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.Create", ["profile": ["displayName": "x", "image": "y"]], "org.batond.Channels.InvalidImage"),
    ("org.batond.Channels.Create", ["profile": ["displayName": "x"], "relayIds": [9]], "org.batond.Channels.NoSuchRelay"),
    (
      "org.batond.Channels.Create", ["profile": ["displayName": "x"], "network": "simplex"],
      "org.batond.Channels.NetworkUnavailable"
    ),
    (
      "org.batond.Channels.Create", ["profile": ["displayName": "x"], "network": "irc"], "org.varlink.service.InvalidParameter"
    ),
    ("org.batond.Channels.Create", ["profile": ["displayName": "x"], "pick": 0], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.Create", ["profile": ["displayName": "x"], "pick": 40], "org.batond.Channels.TooManyRelays"),
    (
      "org.batond.Channels.Create", ["profile": ["displayName": "x"], "pick": 1, "relayIds": [1]],
      "org.varlink.service.InvalidParameter"
    ),
    ("org.batond.Channels.AddRelays", ["id": 99, "pick": 40], "org.batond.Channels.TooManyRelays"),
    ("org.batond.Channels.List", ["limit": 0], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.List", ["filter": ["nope": 1]], "org.batond.Channels.InvalidFilter"),
    ("org.batond.Channels.List", ["filter": ["id": ["$like": 1]]], "org.batond.Channels.InvalidFilter"),
    ("org.batond.Channels.List", ["filter": ["relays": ["$elemMatch": 1]]], "org.batond.Channels.InvalidFilter"),
    (
      "org.batond.Channels.List", ["filter": ["relays": ["$elemMatch": ["status": ["$like": 1]]]]],
      "org.batond.Channels.InvalidFilter"
    ),
    ("org.batond.Channels.List", ["cursor": "rubbish"], "org.batond.Channels.InvalidFilter"),
    ("org.batond.Channels.List", ["sort": [["field": "link"]]], "org.batond.Channels.InvalidFilter"),
    ("org.batond.Channels.Link", ["id": 99], "org.batond.Channels.NoSuchChannel"),
    ("org.batond.Channels.Delete", ["id": 99], "org.batond.Channels.NoSuchChannel"),
    ("org.batond.Channels.RetryRelay", ["id": 99], "org.batond.Channels.NoSuchChannel"),
    ("org.batond.Channels.AddRelays", ["id": 99, "relayIds": [1]], "org.batond.Channels.NoSuchChannel"),
    ("org.batond.Channels.AddRelays", ["id": 99, "relayIds": []], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.AddRelays", ["id": 99, "relayIds": [1], "pick": 1], "org.varlink.service.InvalidParameter"),
    ("org.batond.Channels.RemoveRelay", ["id": 99, "relayId": 1], "org.batond.Channels.NoSuchChannel"),
    ("org.batond.Relays.Add", ["address": "http://x"], "org.batond.Relays.InvalidAddress"),
    ("org.batond.Relays.Add", ["address": "ws://x", "name": "12"], "org.batond.Relays.InvalidDisplayName"),
    ("org.batond.Relays.Add", ["address": "ws://x", "domains": ["a b"]], "org.batond.Relays.InvalidDomain"),
    ("org.batond.Relays.Add", ["address": "ws://x", "operatorId": 99], "org.batond.Relays.NoSuchOperator"),
    ("org.batond.Relays.Update", ["id": 99, "revision": 1], "org.batond.Relays.NoSuchRelay"),
    ("org.batond.Relays.Update", ["id": 99], "org.varlink.service.InvalidParameter"),
    ("org.batond.Relays.Test", ["id": 99], "org.batond.Relays.NoSuchRelay"),
    ("org.batond.Relays.Test", ["address": "https://h/r#x", "network": "simplex"], "org.batond.Relays.InvalidAddress"),
    ("org.batond.Relays.List", ["sort": [["field": "nope"]]], "org.batond.Relays.InvalidFilter"),
    ("org.batond.Relays.List", ["sort": [["field": "id", "direction": 2]]], "org.batond.Relays.InvalidFilter"),
    ("org.batond.Relays.List", ["cursor": "bm8="], "org.batond.Relays.InvalidFilter"),
    ("org.batond.Relays.List", ["limit": 0], "org.varlink.service.InvalidParameter"),
    ("org.batond.Operators.Add", ["name": " "], "org.batond.Operators.InvalidDisplayName"),
    ("org.batond.Operators.Add", ["name": "O", "domains": ["-x"]], "org.batond.Operators.InvalidDomain"),
    ("org.batond.Operators.Add", ["name": "O", "conditionsAcceptedAt": "now"], "org.varlink.service.InvalidParameter"),
    ("org.batond.Operators.Get", ["id": 99], "org.batond.Operators.NoSuchOperator"),
    ("org.batond.Operators.Get", ["name": "nope"], "org.batond.Operators.NoSuchOperator"),
    ("org.batond.Operators.Update", ["id": 99, "revision": 1], "org.batond.Operators.NoSuchOperator"),
    ("org.batond.Operators.Remove", ["id": 99], "org.batond.Operators.NoSuchOperator"),
    ("org.batond.Servers.Add", ["address": "smp://x@y"], "org.batond.Servers.InvalidAddress"),
    ("org.batond.Servers.Get", ["name": "nope"], "org.batond.Servers.NoSuchServer"),
    ("org.batond.Servers.Update", ["id": 99, "revision": 1], "org.batond.Servers.NoSuchServer"),
    ("org.batond.Servers.Remove", ["id": 99], "org.batond.Servers.NoSuchServer"),
    ("org.batond.Servers.Test", ["id": 99], "org.batond.Servers.NoSuchServer"),
    ("org.batond.Servers.Test", [:], "org.varlink.service.InvalidParameter"),
    ("org.batond.Relays.Add", [:], "org.varlink.service.InvalidParameter"),
    ("org.batond.Relays.Get", ["name": "nope"], "org.batond.Relays.NoSuchRelay"),
    ("org.batond.Relays.Remove", ["id": 99], "org.batond.Relays.NoSuchRelay"),
    ("org.batond.Relays.Test", [:], "org.varlink.service.InvalidParameter"),
    ("org.batond.Monitor.Watch", [:], "org.varlink.service.ExpectedMore"),
    ("org.batond.Daemon.Status", ["x": 1], "org.varlink.service.InvalidParameter"),
  ]

  @Test(arguments: refusals)
  func badRequestsGetTheErrorThatTheInterfaceDeclares(_ method: String, _ parameters: JSONValue, _ error: String) async throws {
    let bench = try await Bench()
    do {
      _ = try await bench.client.call(method, parameters.object ?? [:])
      Issue.record("\(method) was not refused")
    } catch let refused as VarlinkError {
      #expect(refused.name == error)
      let interface = try #require(Interfaces.all.first { error.hasPrefix($0.name + ".") || error.hasPrefix("org.varlink") })
      if !error.hasPrefix("org.varlink") {
        let declared = try #require(
          interface.errors.first { "\(interface.name).\($0.name)" == error }, "\(error) is not declared")
        #expect(Set(refused.parameters.keys).isSubset(of: Set(declared.fields.map(\.name))))
      }
    }
    try await bench.stop()
  }

  @Test func nameMustBeUniqueAndBelongToTheIdGivenWithIt() async throws {
    let bench = try await Bench()
    let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
    _ = try await bench.addRelays(2)
    for protocolName in ["smp", "xftp"] {
      _ = try await bench.client.servers.add(AddServer(address: "\(protocolName)://\(key)@h.example", force: true))
    }
    _ = try await bench.client.operators.add(AddOperator(name: "O", domains: ["o.example"]))
    for name in ["One", "Same", "Same"] { _ = try await bench.create(name) }
    func get(_ list: String, _ parameters: [String: JSONValue]) async -> VarlinkError? {
      do {
        _ = try await bench.client.call("org.batond.\(list).Get", parameters)
        return nil
      } catch {
        return error as? VarlinkError
      }
    }
    #expect(
      await get("Channels", ["name": "Same"])
        == VarlinkError("org.batond.Channels.AmbiguousName", ["name": "Same", "channelIds": [2, 3]]))
    #expect(
      await get("Servers", ["name": "h.example"])
        == VarlinkError("org.batond.Servers.AmbiguousName", ["name": "h.example", "serverIds": [1, 2]]))
    for (list, name, error) in [
      ("Channels", "One", "NoSuchChannel"), ("Relays", "r1", "NoSuchRelay"), ("Operators", "O", "NoSuchOperator"),
      ("Servers", "smp://\(key)@h.example", "NoSuchServer"), ("Identities", "main", "NoSuchIdentity"),
    ] {
      #expect(await get(list, ["id": 1, "name": .string(name)]) == nil, "\(list)")
      let other = await get(list, ["id": 1, "name": "other"])
      #expect(other == VarlinkError("org.batond.\(list).\(error)", ["id": 1, "name": "other"]), "\(list)")
      #expect(await get(list, ["id": 99, "name": .string(name)])?.name == "org.batond.\(list).\(error)", "\(list)")
      #expect(await get(list, [:])?.name == "org.varlink.service.InvalidParameter", "\(list)")
    }
    #expect(await get("Servers", ["id": 2, "name": "h.example"]) == nil, "the id says which of both")
    try await bench.stop()
  }

  @Test func relayThatTheChannelDoesNotHaveIsNotOneThatDoesNotExist() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let channel = try await bench.client.channels.create(
      CreateChannel(profile: .init(displayName: "News"), relayIds: [relays[0]], idempotencyKey: "k"))
    let other = VarlinkError(
      "org.batond.Channels.NotInChannel", ["relayId": .integer(relays[1]), "relayName": "r2"])
    await #expect(throws: other) { try await bench.client.channels.retryRelay(id: channel.id, relayId: relays[1]) }
    await #expect(throws: other) { try await bench.client.channels.removeRelay(id: channel.id, relayId: relays[1]) }
    let none = VarlinkError("org.batond.Channels.NoSuchRelay", ["id": 99])
    await #expect(throws: none) { try await bench.client.channels.retryRelay(id: channel.id, relayId: 99) }
    await #expect(throws: none) { try await bench.client.channels.removeRelay(id: channel.id, relayId: 99) }
    await #expect(
      throws: VarlinkError("org.batond.Channels.IdempotencyKeyReused", ["id": .integer(channel.id), "deleted": false])
    ) {
      try await bench.client.channels.create(CreateChannel(profile: .init(displayName: "Other"), idempotencyKey: "k"))
    }
    try await bench.stop()
  }

  /// Someone mistakes an address with a password for that of a relay, or for its name.
  @Test func passwordOfAMistypedRelayIsNeverRepeated() async throws {
    let bench = try await Bench()
    for text in ["wss://user:hunter2@relay.example", "wss://user:hunter2%40relay.example", "user:hunter2@relay.example"] {
      for (method, key) in [("Add", "address"), ("Test", "address"), ("Get", "name")] {
        do {
          _ = try await bench.client.call("org.batond.Relays.\(method)", [key: .string(text)])
          Issue.record("\(text) is taken by \(method)")
        } catch let error as VarlinkError {
          #expect(!error.description.contains("hunter2"), "\(method): \(error)")
        }
      }
    }
    try await bench.stop()
  }

  @Test func watchFromTheFutureIsRefused() async throws {
    let bench = try await Bench()
    await #expect(throws: VarlinkError.invalidParameter("since")) {
      for try await _ in try await bench.client.monitor.watch(WatchRequest(since: 1_000)) {}
    }
    try await bench.stop()
  }
}
