import BatonClient
import Channels
import ControlAPI
import Filters
import Foundation
import RelayNetwork
import Storage
import Store
import StrictJSON
import Testing
import Varlink

@testable import ControlServer

/// For any filter, order and page size, the database gives the same lists as a naive search through every channel.
/// `BATON_SEED=n scripts/test ControlTests --filter ListProperty` repeats a failure.
struct ListPropertyTests {
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)
  private static let texts = [
    "news", "News", "NEWS flash", "sport", "", "é", "e\u{301}", "ß", "SS", "Straße 7", "a b", "z%_*", "新聞", "1", "10", "2",
    "x'y", "quo\"te", "null", "true", "caf\u{E9}", "cafe\u{301}",
  ]
  private static let numbers: [JSONValue] = [
    0, 1, 2, 10, -3, .number(1.5), .number(2), .number(-0.25), .integer(.max), .integer(.min), .number(9.223372036854775e18),
    .number(1e300), .integer(9_007_199_254_740_993), .number(9_007_199_254_740_992),
  ]

  @Test(arguments: [[], ["a", "0", "with space", "b.a.a", "nowhere"]])
  func listsMatchANaiveSearch(indexedKeys: [String]) async throws {
    let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init) ?? 20_261_121
    let bench = try await Bench(indexedKeys: indexedKeys, readsMessages: true)
    try await compareLists(of: bench, seed)
    try await bench.stop()
  }

  /// The same from a store that several daemons share.
  @Test func listsOfASharedStoreMatchANaiveSearch() async throws {
    let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init) ?? 20_261_126
    let bench = try await Bench(readsMessages: true, hasSharedLists: true)
    try await compareLists(of: bench, seed)
    try await bench.stop()
  }

  private func compareLists(of bench: Bench, _ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await fill(bench, count: 100, &random)
    var all: [JSONValue] = []
    for id in 1...100 { all.append(try await bench.client.channels.get(id: Int64(id)).json) }
    var filters = 0
    while filters < 120 {
      await Task.yield()
      let condition = Self.condition(&random, depth: 0)
      let sort = Self.sort(&random)
      let fields = ChannelsInterface.fields
      guard let filter = try? Filter(condition, known: fields), let order = try? ListOrder(sort, known: fields) else {
        continue
      }
      filters += 1
      let expected = all.filter {
        filter.fields.contains("phase") || !["deleted", "deleting"].contains($0["phase"]?.string ?? "")
      }
      .filter(filter.matches).map { (values: order.values(of: $0), id: $0["id"]) }
      .sorted { order.isBefore($0.values, $1.values) }.map(\.id)
      var parameters: [String: JSONValue] = [
        "filter": condition, "sort": .array(sort), "limit": .integer(.random(in: 20...80, using: &random)),
      ]
      var got: [JSONValue?] = []
      repeat {
        let reply = try await bench.client.call("org.batond.Channels.List", parameters)
        got += (reply["channels"]?.array ?? []).map { $0["id"] }
        parameters["cursor"] = reply["nextCursor"]
      } while parameters["cursor"] != nil && got.count <= all.count
      guard got == expected else {
        Issue.record(
          "\(condition.text) \(JSONValue.array(sort).text): \(got.count) instead of \(expected.count); repeat with BATON_SEED=\(seed)"
        )
        break
      }
    }
  }

  /// Queries about few keys, so that conditions and orders meet the same index, in small pages.
  @Test func listsByIndexedKeysMatchANaiveSearch() async throws {
    let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init) ?? 20_261_123
    var random = SplitMix64(seed: seed)
    let bench = try await Bench(indexedKeys: ["a", "b"])
    try await fill(bench, count: 60, &random)
    var all: [JSONValue] = []
    for id in 1...60 { all.append(try await bench.client.channels.get(id: Int64(id)).json) }
    all.removeAll { ["deleted", "deleting"].contains($0["phase"]?.string ?? "") }
    var questions = 0
    while questions < 120 {
      await Task.yield()
      let paths = ["custom.a", "custom.b", "custom.a", "custom.0"]
      var condition: [String: JSONValue] = [:]
      for path in paths.prefix(.random(in: 0...2, using: &random)) {
        var tests: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          let word = Self.words(path).randomElement(using: &random) ?? "$eq"
          tests[word] =
            switch word {
            case "$in", "$nin": .array((0..<Int.random(in: 0...3, using: &random)).map { _ in Self.value(&random, depth: 0) })
            case "$exists": .bool(.random(using: &random))
            case "$q", "$autocomplete": "n"
            default: Self.value(&random, depth: 0)
            }
        }
        condition[path] = .object(tests)
      }
      let sort: [JSONValue] = (0..<Int.random(in: 0...2, using: &random)).map { _ in
        ["field": .string(paths.randomElement(using: &random) ?? "id"), "direction": Bool.random(using: &random) ? 1 : -1]
      }
      let filter = JSONValue.object(condition)
      guard let test = try? Filter(filter, known: ChannelsInterface.fields),
        let order = try? ListOrder(sort, known: ChannelsInterface.fields)
      else { continue }
      questions += 1
      let expected = all.filter(test.matches).map { (values: order.values(of: $0), id: $0["id"]) }
        .sorted { order.isBefore($0.values, $1.values) }.map(\.id)
      var parameters: [String: JSONValue] = [
        "filter": filter, "sort": .array(sort), "limit": .integer(.random(in: 4...15, using: &random)),
      ]
      var got: [JSONValue?] = []
      repeat {
        let reply = try await bench.client.call("org.batond.Channels.List", parameters)
        got += (reply["channels"]?.array ?? []).map { $0["id"] }
        parameters["cursor"] = reply["nextCursor"]
      } while parameters["cursor"] != nil && got.count <= all.count
      guard got == expected else {
        Issue.record(
          "\(filter.text) \(JSONValue.array(sort).text): \(got.count) instead of \(expected.count); repeat with BATON_SEED=\(seed)"
        )
        break
      }
    }
    try await bench.stop()
  }

  @Test func listsShowChannelsAsGetDoes() async throws {
    var random = SplitMix64(seed: 2)
    let bench = try await Bench(readsMessages: true)
    try await fill(bench, count: 40, &random)
    var all: [JSONValue] = []
    for id in 1...40 { all.append(try await bench.client.channels.get(id: Int64(id)).json) }
    all.removeAll { ["deleted", "deleting"].contains($0["phase"]?.string ?? "") }
    let page = try await bench.client.call("org.batond.Channels.List", ["limit": 100])
    #expect(all.count > 10 && page["channels"]?.array == all && page["nextCursor"] == nil)
    try await bench.stop()
  }

  @Test func cursorsCannotBeMadeByOthers() async throws {
    var random = SplitMix64(seed: 1)
    let bench = try await Bench()
    try await fill(bench, count: 20, &random)
    let page = try await bench.client.call(
      "org.batond.Channels.List", ["limit": 2, "sort": [["field": "custom.a"]]])
    let cursor = try #require(page["nextCursor"]?.string)
    let text = String(decoding: try #require(Data(base64Encoded: cursor)), as: UTF8.self)
    let others = [
      Data((text + ",").utf8).base64EncodedString(), Data(text.dropLast(2).utf8).base64EncodedString(),
      Data((String(repeating: "0", count: 32) + text.dropFirst(32)).utf8).base64EncodedString(), String(cursor.dropLast(4)),
    ]
    for other in others {
      await #expect(throws: VarlinkError.self, "\(other)") {
        try await bench.client.call(
          "org.batond.Channels.List", ["limit": 2, "sort": [["field": "custom.a"]], "cursor": .string(other)])
      }
    }
    // One key with a comma in its name is not two keys.
    for sort: JSONValue in [
      [["field": "custom.a,id"]], [["field": "custom."]], [["field": "id.x"]], [["field": "custom.caf\u{E9}"]],
    ] {
      await #expect(throws: VarlinkError.self, "\(sort.text)") {
        let page = try await bench.client.call("org.batond.Channels.List", ["limit": 2, "sort": sort])
        let two: JSONValue = [["field": "custom.a"], ["field": "id"]]
        _ = try await bench.client.call(
          "org.batond.Channels.List", ["limit": 2, "sort": two, "cursor": page["nextCursor"] ?? "none"])
      }
    }
    // Nor may it come from a list with another order.
    await #expect(throws: VarlinkError.self) {
      try await bench.client.call("org.batond.Channels.List", ["limit": 2, "cursor": .string(cursor)])
    }
    try await bench.stop()
  }

  @Test func filtersAreBoundedAsAWhole() async throws {
    let bench = try await Bench()
    let many = JSONValue.array((0..<200).map { .integer($0) })
    let filters: [JSONValue] = [
      ["$or": .array((0..<1500).map { _ in [:] })], ["id": ["$in": .array((0..<501).map { .integer($0) })]],
      ["$and": .array((0..<10).map { _ in ["custom.a": ["$in": many, "$nin": many]] })],
    ]
    for filter in filters {
      await #expect { try await bench.client.call("org.batond.Channels.List", ["filter": filter]) } throws: {
        ($0 as? VarlinkError)?.name == "org.batond.Channels.InvalidFilter"
      }
    }
    try await bench.stop()
  }

  // MARK: - Channels of all kinds

  private func fill(_ bench: Bench, count: Int, _ random: inout SplitMix64) async throws {
    for number in 2...3 { _ = try await bench.client.operators.add(AddOperator(name: "O\(number)", domains: ["r\(number)"])) }
    _ = try await bench.addRelays(4)
    // A shared store has to know them, too.
    var mutations = try bench.store.relays().map(StoreMutation.saveRelay)
    for number in 1...count {
      let id = ChannelID(rawValue: Int64(number))
      var relays: [ChannelRelayRow] = []
      for relay in 1...Int64.random(in: 1...4, using: &random) {
        relays.append(ChannelRelayRow(relay: RelayID(rawValue: relay), record: Self.record(&random)))
      }
      let isDeleted = Int.random(in: 0..<10, using: &random) == 0
      let isForeign = Int.random(in: 0..<8, using: &random) == 0
      if isDeleted { for index in relays.indices { relays[index].record = Self.removed(&random) } }
      // As in a real channel, the number of members is the wanted number.
      if !isDeleted, relays.allSatisfy({ $0.record.status == .removed }) { relays[0].record = Self.active }
      let members = relays.count { $0.record.status != .removed }
      let named = relays.map(\.relay)
      if isForeign { relays = [] }
      func text() -> String { Self.texts.randomElement(using: &random) ?? "" }
      let name = "c\(text().filter { !".,;/\\#@'\"`~".contains($0) })"
      let profile = Profile(
        displayName: name, fullName: Bool.random(using: &random) ? nil : text(),
        description: Bool.random(using: &random) ? nil : text())
      let created = Self.now + .milliseconds(.random(in: 0...5_000, using: &random))
      mutations.append(
        .insertChannel(
          ChannelRow(
            id: id, kind: Int.random(in: 0..<5, using: &random) == 0 ? .group : .channel, network: .nostr,
            identity: IdentityID(rawValue: 1), profile: profile,
            preferences: ["history": Bool.random(using: &random) ? "on" : "off"], networkID: String(repeating: "0", count: 64),
            trustAnchor: String(repeating: "1", count: 64), document: "{}", namedRelays: isForeign ? named : nil,
            wantedRelays: isForeign ? 0 : max(1, members),
            heal: Bool.random(using: &random), custom: Self.custom(&random), idempotencyKey: nil, createdAt: created,
            updatedAt: created + .milliseconds(.random(in: 0...3, using: &random)), deletedAt: isDeleted ? created : nil,
            revision: .random(in: 1...50, using: &random), keySalt: Bool.random(using: &random) ? [1, 2] : nil,
            marks: ChannelMarks(
              isMuted: .random(using: &random), isPinned: .random(using: &random), isFrozen: .random(using: &random),
              truncatedAt: Bool.random(using: &random) ? created : nil,
              following: FollowingChoice(
                isOn: .random(using: &random), days: Bool.random(using: &random) ? .random(in: 0...4, using: &random) : nil,
                count: Bool.random(using: &random) ? .random(in: 0...4, using: &random) : nil)))))
      for (position, relay) in relays.enumerated() { mutations.append(.saveChannelRelay(id, position: position, relay)) }
    }
    try await bench.write(mutations)
    try await bench.write(Self.posts(channels: count, &random))
    if let messages = bench.messages { try await Self.talk(MessageKeeperStore(messages), channels: count, &random) }
  }

  /// Conversations in about half of the channels; some have messages, and some of these were read, and some are hidden.
  private static func talk(_ messages: MessageKeeperStore, channels count: Int, _ random: inout SplitMix64) async throws {
    for number in 1...Int64(count) where Bool.random(using: &random) {
      let channel = ChannelID(rawValue: number)
      try await messages.begin(channel, since: now)
      for message in 0..<Int64.random(in: 0...4, using: &random) {
        let read = ReadMessage(
          networkID: "m\(number).\(message)", author: "ann", text: texts.randomElement(using: &random) ?? "",
          createdAt: now + .milliseconds(.random(in: 0...5_000, using: &random)), isMention: .random(using: &random))
        let news = MessageNews(channel: channel, isLive: true, what: .message(read))
        _ = try await messages.take(
          [ReadNews(relay: nil, news: news)], at: now + .milliseconds(.random(in: 0...5_000, using: &random)),
          within: MessageLimits())
      }
      if Int.random(in: 0..<3, using: &random) == 0 { _ = try await messages.markRead(channel, through: nil) }
      if Int.random(in: 0..<3, using: &random) == 0 { _ = try await messages.hide(channel, at: now) }
      if Bool.random(using: &random) {
        let list = ReadMembers(list: .members, entries: [], count: .random(in: 0...4, using: &random))
        let news = MessageNews(channel: channel, isLive: true, what: .members(list))
        _ = try await messages.take([ReadNews(relay: nil, news: news)], at: now, within: MessageLimits())
      }
    }
  }

  /// Posts in about half of the channels, some of them deleted.
  private static func posts(channels count: Int, _ random: inout SplitMix64) -> [StoreMutation] {
    (1...count as ClosedRange<Int>).map { number in
      let id = Int64(number)
      let created = now + .milliseconds(.random(in: 0...5_000, using: &random))
      return .insertPost(
        PostRow(
          id: PostID(rawValue: id), channel: ChannelID(rawValue: .random(in: 1...Int64(count), using: &random)),
          document: PostDocument(networkID: "p\(id)", author: "ab", text: "{}"),
          text: texts.randomElement(using: &random) ?? "",
          createdAt: created, deletedAt: Int.random(in: 0..<4, using: &random) == 0 ? created : nil, deliveryCount: 0,
          revision: id))
    }
  }

  private static let active = ChannelRelayRecord(
    status: .active, since: now, operation: 1, relayLink: "ws://r", trouble: nil, task: nil, attempt: 0, startedAt: nil,
    isUnderWay: false, timer: nil, verifyDue: now, shown: 1)

  private static func removed(_ random: inout SplitMix64) -> ChannelRelayRecord {
    var record = active
    record.status = .removed
    record.relayLink = nil
    if Bool.random(using: &random) { (record.task, record.attempt, record.startedAt, record.timer) = (.withdraw, 1, now, now) }
    return record
  }

  private static func record(_ random: inout SplitMix64) -> ChannelRelayRecord {
    var record = active
    switch RelayStatus.allCases.randomElement(using: &random) ?? .active {
    case .active: break
    case .new, .invited:
      record.status = .invited
      (record.task, record.attempt, record.startedAt, record.timer) = (.invite, 1, now, now)
    case .accepted:
      record.status = .accepted
      (record.task, record.attempt, record.startedAt, record.timer) = (.verify, 1, now, now)
    case .inactive:
      record.status = .inactive
      record.trouble = Trouble(.unreachable, "down")
      (record.task, record.attempt, record.startedAt, record.timer) = (.verify, 1, now, now)
    case .failed:
      record.status = .failed
      record.trouble = Trouble(.rejected, "no")
    case .removed: return removed(&random)
    }
    return record
  }

  private static func custom(_ random: inout SplitMix64) -> JSONValue? {
    guard Int.random(in: 0..<6, using: &random) > 0 else { return nil }
    var members: [String: JSONValue] = [:]
    for key in ["a", "b", "0", "with space", "caf\u{E9}", "new\nline"] where Bool.random(using: &random) {
      members[key] = value(&random, depth: 0)
    }
    return .object(members)
  }

  private static func value(_ random: inout SplitMix64, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 1 ? 7 : 9), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2..<4: return numbers.randomElement(using: &random) ?? 0
    case 4..<7: return .string(texts.randomElement(using: &random) ?? "")
    case 7: return .array((0..<2).map { _ in value(&random, depth: depth + 1) })
    default: return ["a": value(&random, depth: depth + 1)]
    }
  }

  // MARK: - Queries of all kinds

  private static let paths = [
    "id", "kind", "network", "owned", "followed", "followDays", "followCount", "followKeep", "identity", "key", "phase",
    "edition",
    "linkUsable", "link", "wantedRelays", "heal",
    "createdAt",
    "updatedAt", "lastPostAt", "lastPost", "lastMessageAt", "lastMessage", "unread", "unreadMentions", "memberCount", "hidden",
    "muted",
    "pinned",
    "frozen", "frozenEnforced", "truncatedAt", "revision", "profile.displayName", "profile.fullName", "profile.description",
    "profile.image",
    "profile.preferences.history", "custom.a", "custom.b", "custom.0", "custom.with space", "custom.a.a", "custom.b.a.a",
    "custom.nowhere", "custom", "custom.caf\u{E9}", "custom.cafe\u{301}", "custom.new\nline",
  ]

  private static func condition(_ random: inout SplitMix64, depth: Int) -> JSONValue {
    if depth < 3, Int.random(in: 0..<3, using: &random) == 0 {
      let word = ["$and", "$or", "$nor"].randomElement(using: &random) ?? "$and"
      return [word: .array((0..<Int.random(in: 1...3, using: &random)).map { _ in condition(&random, depth: depth + 1) })]
    }
    if Int.random(in: 0..<6, using: &random) == 0 { return ["relays": ["$elemMatch": relay(&random)]] }
    let path = paths.randomElement(using: &random) ?? "id"
    if path != "custom", Int.random(in: 0..<4, using: &random) == 0 { return [path: operand(path, "$eq", &random)] }
    let word = words(path).randomElement(using: &random) ?? "$eq"
    let value: JSONValue =
      switch word {
      case "$in", "$nin": .array((0..<Int.random(in: 0...3, using: &random)).map { _ in operand(path, "$eq", &random) })
      case "$exists": .bool(.random(using: &random))
      case "$q", "$autocomplete": .string(["n", "ne", "7", "stra", "é", "c"].randomElement(using: &random) ?? "n")
      default: operand(path, word, &random)
      }
    return [path: [word: value]]
  }

  /// What one relay of a channel is to meet.
  private static func relay(_ random: inout SplitMix64) -> JSONValue {
    let values: [String: [JSONValue]] = [
      "relayId": [1, 2, 3, 4], "operatorId": [1, 2], "status": RelayStatus.allCases.map { .string($0.rawValue) },
      "cause": ["unreachable", "rejected", "timeout"], "relayName": ["r1", "r2"],
    ]
    var wanted: [String: JSONValue] = [:]
    for (field, some) in values.sorted(by: { $0.key < $1.key }) where Bool.random(using: &random) {
      let value = some.randomElement(using: &random) ?? .null
      let several = JSONValue.array(
        (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in some.randomElement(using: &random) })
      wanted[field] = [value, ["$in": several], ["$ne": value], ["$eq": value, "$nin": several]].randomElement(using: &random)
    }
    return .object(wanted)
  }

  /// Operators that the field supports; refusals of the others are tested elsewhere.
  private static func words(_ path: String) -> [String] {
    let (equal, order) = (["$eq", "$ne", "$in", "$nin", "$exists"], ["$gt", "$gte", "$lt", "$lte"])
    switch path {
    case "phase", "kind", "network", "owned", "followed", "heal", "linkUsable", "key", "hidden", "muted", "pinned", "frozen",
      "frozenEnforced":
      return equal
    case "id", "revision", "wantedRelays", "edition", "createdAt", "updatedAt", "lastPostAt", "lastMessageAt", "truncatedAt",
      "unread", "unreadMentions", "memberCount", "followDays", "followCount", "followKeep":
      return equal + order
    case "identity", "link", "lastPost", "lastMessage": return equal + order + ["$q", "$autocomplete"]
    case _ where path.hasPrefix("profile.") && !path.hasPrefix("profile.preferences"):
      return equal + order + ["$q", "$autocomplete"]
    default: return equal + order + ["$contains", "$q", "$autocomplete"]
    }
  }

  private static func operand(_ path: String, _ word: String, _ random: inout SplitMix64) -> JSONValue {
    let isEqual = ["$eq", "$ne"].contains(word)
    switch path {
    case "phase": return .string(ChannelPhase.allCases.randomElement(using: &random)?.rawValue ?? "active")
    case "key": return Bool.random(using: &random) ? "own" : "identity"
    case "kind": return Bool.random(using: &random) ? "channel" : "group"
    case "network": return Bool.random(using: &random) ? "nostr" : "simplex"
    case "identity": return Bool.random(using: &random) ? "main" : "other"
    case "owned", "followed", "heal", "linkUsable", "hidden", "muted", "pinned", "frozen", "frozenEnforced":
      return .bool(.random(using: &random))
    case "memberCount" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "followDays" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "followCount" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "followKeep" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "unread", "unreadMentions", "memberCount", "followDays", "followCount", "followKeep":
      return .integer(.random(in: 0...4, using: &random))
    case "id", "revision", "wantedRelays", "edition": return .integer(.random(in: 0...60, using: &random))
    case "lastPostAt" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "lastMessageAt" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "truncatedAt" where isEqual && Int.random(in: 0..<4, using: &random) == 0: return .null
    case "createdAt", "updatedAt", "lastPostAt", "lastMessageAt", "truncatedAt":
      let text = (now + .milliseconds(.random(in: 0...5_000, using: &random))).text
      let length = isEqual ? text.count : [4, 7, 10, 13, 16, 19, 23, 24].randomElement(using: &random) ?? 24
      return .string(String(text.prefix(length)))
    case "profile.displayName": return .string("c" + (texts.randomElement(using: &random) ?? ""))
    case "profile.fullName", "profile.description", "profile.image", "link", "lastPost", "lastMessage":
      if isEqual, Int.random(in: 0..<4, using: &random) == 0 { return .null }
      return .string(texts.randomElement(using: &random) ?? "")
    case "profile.preferences.history" where Bool.random(using: &random): return Bool.random(using: &random) ? "on" : "off"
    default: return value(&random, depth: 0)
    }
  }

  private static func sort(_ random: inout SplitMix64) -> [JSONValue] {
    let sortable = paths.filter { path in
      !["link", "lastPost", "lastMessage", "frozenEnforced", "custom"].contains(path)
        && path.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
    return (0..<Int.random(in: 0...3, using: &random)).map { _ in
      ["field": .string(sortable.randomElement(using: &random) ?? "id"), "direction": Bool.random(using: &random) ? 1 : -1]
    }
  }
}
