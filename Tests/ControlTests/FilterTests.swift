import BatonClient
import ControlAPI
import Filters
import StrictJSON
import Testing
import Varlink

@testable import ControlServer

/// A condition that can never hold is refused with a suggestion, not answered with an empty list.
struct FilterTests {
  /// Filter, place of the error, and what its reason must hold.
  private static let hopeless: [(String, String, String, [String])] = [
    (
      "Channels", #"{"phase":"actve"}"#, "filter.phase",
      ["'actve' is not one of creating, partial, active,", "Did you mean active?"]
    ),
    ("Channels", #"{"phase":{"$in":["active","degrded"]}}"#, "filter.phase.$in", ["'degrded'", "Did you mean degraded?"]),
    ("Channels", #"{"phase":{"$gt":"active"}}"#, "filter.phase.$gt", ["phase does not accept $gt", "$in"]),
    ("Channels", #"{"phase":{"in":["active"]}}"#, "filter.phase", ["Operators begin with $"]),
    ("Channels", #"{"phase":null}"#, "filter.phase", ["never absent", "one of creating"]),
    ("Channels", #"{"id":{"$gt":"50"}}"#, "filter.id.$gt", ["must be a whole number, not \"50\""]),
    ("Channels", #"{"id":1.5}"#, "filter.id", ["must be a whole number"]),
    ("Channels", #"{"id":{"$q":"5"}}"#, "filter.id.$q", ["id does not accept $q"]),
    ("Channels", #"{"id.x":1}"#, "filter.id.x", ["there is no field 'id.x'"]),
    ("Channels", #"{"heal":"on"}"#, "filter.heal", ["must be true or false"]),
    ("Channels", #"{"displayName":"News"}"#, "filter.displayName", ["Did you mean profile.displayName?", "custom.NAME"]),
    ("Channels", #"{"profile.displayNme":"News"}"#, "filter.profile.displayNme", ["Did you mean profile.displayName?"]),
    (
      "Channels", #"{"profile":{"displayName":"News"}}"#, "filter.profile",
      ["profile has members", "such as profile.displayName"]
    ),
    ("Channels", #"{"createdAt":{"$gt":"yesterday"}}"#, "filter.createdAt.$gt", ["2026-01-31T12:00:00.000Z", "2026-01-31"]),
    ("Channels", #"{"createdAt":{"$gt":"2026-01-31T12:00:00+02:00"}}"#, "filter.createdAt.$gt", ["2026-01-31T12:00:00.000Z"]),
    ("Channels", #"{"createdAt":"2026-01-31"}"#, "filter.createdAt", ["2026-01-31T12:00:00.000Z"]),
    ("Channels", #"{"$or":[{"id":1},{"kind":"groups"}]}"#, "filter.$or.1.kind", ["Did you mean group?"]),
    ("Channels", #"{"id":{"$lk":1}}"#, "filter.id.$lk", ["there is no operator '$lk'", "Did you mean $lt?"]),
    ("Channels", #"{"$ro":[{"id":1}]}"#, "filter.$ro", ["there is no operator '$ro'", "Did you mean $or?"]),
    ("Channels", #"{"relays":{"$contains":1}}"#, "filter.relays.$contains", ["relays does not accept $contains"]),
    ("Channels", #"{"relays":{"$elemMatch":{"state":"failed"}}}"#, "filter.relays.$elemMatch.state", ["Did you mean status?"]),
    ("Relays", #"{"health":"Up"}"#, "filter.health", ["Did you mean up?"]),
    ("Relays", #"{"nme":"r"}"#, "filter.nme", ["Did you mean name?", "There are id, network, address,"]),
    ("Relays", #"{"channels":3}"#, "filter.channels", ["there is no field 'channels'"]),
    ("Relays", #"{"domains":"example.org"}"#, "filter.domains", [#"write {"$contains": "example.org"}"#]),
    ("Relays", #"{"domains":{"$contains":1}}"#, "filter.domains.$contains", ["must be a text"]),
    ("Servers", #"{"protocol":"smtp"}"#, "filter.protocol", ["one of smp, xftp", "Did you mean smp?"]),
    ("Servers", #"{"roles.storge":true}"#, "filter.roles.storge", ["Did you mean roles.storage?"]),
    ("Operators", #"{"enabled":"yes"}"#, "filter.enabled", ["must be true or false"]),
    ("Identities", #"{"network":"nostrr"}"#, "filter.network", ["Did you mean nostr?"]),
    ("Identities", #"{"channels":{"$gte":"1"}}"#, "filter.channels.$gte", ["must be a whole number"]),
  ]

  @Test func conditionThatCanNeverHoldIsRefused() async throws {
    let bench = try await Bench()
    for (list, filter, path, words) in Self.hopeless {
      do {
        _ = try await bench.client.call("org.batond.\(list).List", ["filter": try JSONParser.parse(filter)])
        Issue.record("\(filter) was not refused")
      } catch let error as VarlinkError {
        let reason = error.parameters["reason"]?.string ?? ""
        #expect(
          error.name == "org.batond.\(list).InvalidFilter" && error.parameters["path"] == .string(path), "\(filter): \(error)")
        for word in words { #expect(reason.contains(word), "\(filter): \(reason)") }
      }
    }
    try await bench.stop()
  }

  @Test func conditionThatMayHoldIsTaken() async throws {
    let bench = try await Bench()
    let filters = [
      ("Channels", #"{"id":{"$gt":2.0},"custom.a":{"$gt":"x"},"custom.b":{"c":[1]},"profile.preferences.history":"on"}"#),
      ("Channels", #"{"createdAt":{"$gte":"2026","$lt":"2026-01-31T12"},"updatedAt":"2026-01-31T12:00:00.000Z"}"#),
      ("Channels", #"{"link":null,"profile.fullName":{"$in":[null,"x"]},"phase":{"$nin":[]},"custom":{"$exists":true}}"#),
      (
        "Relays",
        #"{"profile":{"$exists":true},"profile.name":{"$q":"x"},"operatorId":null,"domains":[],"capabilities":{"$contains":"nip1"}}"#
      ),
      ("Servers", #"{"roleOverrides.names":{"$ne":true},"port":{"$exists":false},"hosts":{"$in":[["h"]]}}"#),
    ]
    for (list, filter) in filters {
      _ = try await bench.client.call("org.batond.\(list).List", ["filter": try JSONParser.parse(filter)])
    }
    try await bench.stop()
  }

  @Test func refusedSortsNameTheFieldsThatCanBeUsed() async throws {
    let bench = try await Bench()
    for (list, field, words) in [
      ("Channels", "link", ["cannot sort by 'link'", "only by id, kind,", "custom.NAME"]),
      ("Channels", "name", ["there is no field 'name'", "profile.displayName"]),
      ("Relays", "nme", ["Did you mean name?", "There are id, network,"]),
      ("Relays", "profile.nme", ["Did you mean profile.name?"]),
    ] {
      await #expect("\(list) by \(field)") {
        try await bench.client.call("org.batond.\(list).List", ["sort": [["field": .string(field)]]])
      } throws: { error in
        let error = error as? VarlinkError
        let reason = error?.parameters["reason"]?.string ?? ""
        return error?.parameters["path"] == "sort.0.field" && words.allSatisfy { reason.contains($0) }
      }
    }
    try await bench.stop()
  }

  /// The tables follow from the interfaces; where Varlink has no type, the wording of the comments decides.
  @Test func timesAreKnownByTheirComments() {
    func times(_ table: ListFields) -> [String] { table.fields.filter { $0.kind == .time }.map(\.name) }
    #expect(times(ChannelsInterface.fields) == ["createdAt", "updatedAt", "lastPostAt", "lastMessageAt", "truncatedAt"])
    #expect(times(RelaysInterface.fields) == ["testedAt", "healthSince"])
    #expect(times(ServersInterface.fields) == ["testedAt", "healthSince"])
    #expect(times(OperatorsInterface.fields) == ["conditionsAcceptedAt"])
    #expect(times(IdentitiesInterface.fields) == ["createdAt"])
  }

  @Test(arguments: [
    ("actve", "active"), ("ACTIVE", "active"), ("catve", "active"), ("dlete", "deleted"), ("nothing", nil), ("", nil),
    (String(repeating: "active", count: 20), nil),
  ])
  func nearestWordIsFoundIfOneIsNear(_ word: String, _ expected: String?) {
    #expect(Nearest.to(word, among: ["creating", "active", "deleted", "deleting"]) == expected)
  }
}
