import Channels
import Filters
import Foundation
import GRDB
import Storage
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import Store

/// Keys of custom data with an index: what becomes of the indexes, and that lists use them.
struct KeyIndexTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)

  init() throws { folder = try TemporaryFolder() }

  /// Twenty channels, of five teams, with numbers; each fourth has a flag.
  private func filled(_ keys: [String]) async throws -> Store {
    let store = try Store(directory: path)
    var mutations: [StoreMutation] = [
      .insertIdentity(
        IdentityRow(
          id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicName: "ab", sealedKey: [1, 2, 3],
          createdAt: Self.now
        ))
    ]
    for id in Int64(1)...20 {
      var custom: [String: JSONValue] = [
        "team": .string("t\(id % 5)"), "n": .integer(id), "customer": ["id": .integer(id % 3)],
      ]
      if id % 4 == 0 { custom["flag"] = true }
      mutations.append(
        .insertChannel(
          ChannelRow(
            id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: 1),
            profile: Profile(displayName: "News \(id)"), preferences: nil, networkID: "id\(id)", trustAnchor: "ab",
            document: "{}",
            wantedRelays: 0,
            heal: true, custom: .object(custom), idempotencyKey: nil, createdAt: Self.now, updatedAt: Self.now, revision: id)))
    }
    try await store.commit(mutations)
    try store.keepKeyIndexes(keys)
    return store
  }

  private func changes(_ store: Store, _ keys: [String]) throws -> [String] {
    var told: [String] = []
    try store.keepKeyIndexes(keys) { told.append("\($0) \($1)") }
    return told
  }

  @Test func indexesAreMadeKeptAndRemovedAsDeclared() async throws {
    let first = try await filled([])
    #expect(
      try changes(first, ["team", "customer.id"]) == ["team begun", "team made", "customer.id begun", "customer.id made"])
    #expect(try changes(first, ["customer.id", "team"]) == [])
    #expect(try first.check().problems == [])
    first.close()
    // Whoever does not know of indexes leaves them as they are.
    let second = try Store(directory: path)
    #expect(try changes(second, ["team", "customer.id"]) == [])
    #expect(try changes(second, ["Team", "team", "with ^ and 'quote'"]).contains("customer.id removed"))
    #expect(try second.check().problems == [])
    second.close()
    let third = try Store(directory: path)
    #expect(try changes(third, ["with ^ and 'quote'", "team"]) == ["Team removed"])
    #expect(try changes(third, []).sorted() == ["team removed", "with ^ and 'quote' removed"])
    #expect(try third.check().problems == [])
    third.close()
    try Store(directory: path).close()
  }

  /// An index that another version has made in another way is not one that lists can use.
  @Test func indexOfAnotherFormIsMadeAgain() async throws {
    let store = try await filled(["team"])
    try await store.pool.write { db in
      try db.execute(
        sql: "DROP INDEX \"channels_by_custom.team\"; CREATE INDEX \"channels_by_custom.team\" ON channels (custom)")
      try Schema.storeSum(db)
    }
    #expect(try changes(store, ["team"]) == ["team begun", "team made"])
    #expect(try plans(store, ["custom.team": "t1"], []).allSatisfy { $0.contains("USING INDEX channels_by_custom.team") })
    store.close()
  }

  @Test func copiesKeepTheirIndexes() async throws {
    let store = try await filled(["team"])
    try store.backUp(to: folder.path + "/copy")
    store.close()
    let other = folder.path + "/other"
    _ = try Store.restore(from: folder.path + "/copy", directory: other, stamp: "1")
    let restored = try Store(directory: other)
    #expect(try changes(restored, ["team"]) == [])
    #expect(try list(restored, ["custom.team": "t1"], []) == [1, 6, 11, 16])
    restored.close()
  }

  /// SQLite trusts what is described in the file, so nothing may stand there that acts by itself.
  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON channels BEGIN DELETE FROM relays; END", "CREATE VIEW t AS SELECT * FROM relays",
  ])
  func triggersAndViewsAreRefused(sql: String) async throws {
    let store = try await filled([])
    try await store.pool.write { db in
      try db.execute(sql: sql)
      try Schema.storeSum(db)
    }
    let copy = folder.path + "/copy"
    try store.backUp(to: copy)
    store.close()
    #expect { try Store(directory: path) } throws: { ($0 as? StoreError)?.code == .corrupt && "\($0)".contains(" named t") }
    #expect { try Store.restore(from: copy, directory: folder.path + "/other", stamp: "1") } throws: {
      ($0 as? StoreError)?.code == .corrupt
    }
  }

  // MARK: - Lists

  private func order(_ fields: [JSONValue]) throws -> ListOrder { try ListOrder(fields, isSortable: ChannelField.canSort) }

  private func list(
    _ store: Store, _ filter: JSONValue, _ sort: [JSONValue], after: [JSONValue]? = nil, limit: Int = 100
  ) throws -> [Int64] {
    try store.channels(matching: Filter(filter), in: order(sort), withDeleted: false, after: after, limit: limit).channels
      .map(\.row.id.rawValue)
  }

  /// What SQLite does for each of the statements that a list runs.
  private func plans(
    _ store: Store, _ filter: JSONValue, _ sort: [JSONValue], after: [JSONValue]? = nil, fewMax: Int = ChannelListPlan.fewMax
  ) throws -> [String] {
    let indexes = store.keyIndexes.withLock { $0 }
    return try store.pool.read { db in
      // What explains a plan does not look whether the schema has changed since this connection last read it.
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM channels")
      let plan = try ChannelListPlan(
        matching: Filter(filter), in: order(sort), withDeleted: false, after: after, indexes: indexes, fewMax: fewMax, db)
      return try plan.statements.map { statement in
        let rows = try Row.fetchAll(
          db, sql: "EXPLAIN QUERY PLAN " + statement.sql,
          arguments: StatementArguments(statement.arguments + [100.databaseValue]))
        return rows.map { $0["detail"] as String }.joined(separator: "; ")
      }
    }
  }

  /// The list is the same with and without indexes; with them SQLite goes straight to the channels, and sorts nothing.
  @Test(
    arguments: [
      (["custom.team": "t1"], [], nil, "(<expr>=? AND <expr>=?)"),
      (["custom.team": "t1"], [["field": "custom.team", "direction": -1]], nil, "(<expr>=? AND <expr>=?)"),
      (["custom.team": "t1"], [], [6], "(<expr>=? AND <expr>=? AND rowid>?)"),
      (["custom.team": "t1"], [["field": "custom.team"]], ["t1", 6], "(<expr>=? AND <expr>=? AND rowid>?)"),
      (["custom.flag": ["$exists": false]], [], nil, "(<expr>=? AND <expr>=?)"),
      (["custom.flag": true], [["field": "id", "direction": -1]], [12], "(<expr>=? AND <expr>=? AND rowid<?)"),
      (["custom.customer.id": 2], [], nil, "(<expr>=? AND <expr>=?)"),
      (["custom.n": ["$gt": 3, "$lte": 15]], [["field": "custom.n"]], nil, "(<expr>=? AND <expr>>? AND <expr><?)"),
      (["custom.n": ["$in": [3, 5, 99]]], [["field": "custom.n", "direction": -1]], nil, "(<expr>=? AND <expr>=?)"),
      (["custom.flag": ["$exists": true]], [["field": "custom.flag"]], nil, "(<expr>=?)"),
      ([:], [["field": "custom.n"]], nil, "SCAN c USING INDEX channels_by_custom.n"),
      ([:], [["field": "custom.n", "direction": -1]], nil, "SCAN c USING INDEX channels_by_custom.n"),
    ] as [(JSONValue, [JSONValue], [JSONValue]?, String)])
  func listsUseTheIndex(filter: JSONValue, sort: [JSONValue], after: [JSONValue]?, words: String) async throws {
    let store = try await filled([])
    let without = try list(store, filter, sort, after: after)
    try store.keepKeyIndexes(["team", "n", "flag", "customer.id"])
    #expect(try list(store, filter, sort, after: after) == without && !without.isEmpty)
    let plans = try plans(store, filter, sort, after: after)
    #expect(plans.count == 1)
    for plan in plans {
      #expect(plan.contains("USING INDEX channels_by_custom.") && plan.contains(words), "\(plan)")
      #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }
    store.close()
  }

  /// A page of a list by a key begins where the one before ended, without reading what lies before.
  @Test(arguments: [1, -1]) func pagesByAKeyGoOnWithinTheIndex(direction: Int64) async throws {
    let store = try await filled(["team"])
    let sort: [JSONValue] = [["field": "custom.team", "direction": .integer(direction)]]
    let plans = try plans(store, [:], sort, after: ["t2", 7])
    let (sign, behind) = direction == 1 ? (">", "rowid>?") : ("<", "rowid<?")
    #expect(plans.count == 3)
    for (plan, words) in zip(
      plans, ["(<expr>=? AND <expr>=? AND \(behind))", "(<expr>=? AND <expr>\(sign)?)", "(<expr>\(sign)?)"])
    {
      #expect(
        plan.hasPrefix("SEARCH c USING INDEX channels_by_custom.team \(words)") && !plan.contains("TEMP B-TREE"), "\(plan)")
    }
    var (got, after): ([Int64], [JSONValue]?) = ([], nil)
    repeat {
      let part = try store.channels(matching: Filter([:]), in: order(sort), withDeleted: false, after: after, limit: 3)
      got += part.channels.map(\.row.id.rawValue)
      after = part.last
    } while after != nil && got.count <= 20
    let all = (Int64(1)...20).sorted { ($0 % 5, $0) < ($1 % 5, $1) }
    #expect(got == (direction == 1 ? all : all.reversed()))
    store.close()
  }

  /// A cursor holds for every list with its order, whatever the filter was.
  @Test(
    arguments: [
      (["custom.team": "t1"], 1, ["t0", 10], [1, 6, 11, 16]), (["custom.team": "t1"], 1, ["t2", 2], []),
      (["custom.team": "t1"], -1, ["t2", 2], [16, 11, 6, 1]), (["custom.team": "t1"], 1, ["t1", 6], [11, 16]),
      (["custom.team": ["$gt": "t2"]], 1, [true, 1], [3, 8, 13, 18, 4, 9, 14, 19]),
      (["custom.team": ["$gt": "t2"]], 1, [["a"], 1], []),
      (["custom.team": ["$in": ["t1", "t3"]]], 1, [.null, 20], [1, 6, 11, 16, 3, 8, 13, 18]),
      (["custom.team": ["$exists": true]], -1, [.null, 20], []),
    ] as [(JSONValue, Int64, [JSONValue], [Int64])])
  func cursorsOfOtherFiltersHold(filter: JSONValue, direction: Int64, after: [JSONValue], expected: [Int64]) async throws {
    let store = try await filled([])
    let sort: [JSONValue] = [["field": "custom.team", "direction": .integer(direction)]]
    #expect(try list(store, filter, sort, after: after) == expected)
    try store.keepKeyIndexes(["team"])
    #expect(try list(store, filter, sort, after: after) == expected)
    store.close()
  }

  /// Equal numbers may be written in two ways; a page goes on within the index all the same.
  @Test func equalNumbersAreOnePlace() async throws {
    let store = try await filled(["n"])
    let plans = try plans(store, ["custom.n": 3], [["field": "custom.n"]], after: [.number(3), 1])
    #expect(plans.count == 1 && plans.allSatisfy { $0.contains("(<expr>=? AND <expr>=? AND rowid>?)") }, "\(plans)")
    store.close()
  }

  /// Sorting half of a million channels takes longer than going through them in order; sorting a few does not.
  @Test func anotherOrderUsesTheIndexWhereFewChannelsMatch() async throws {
    let store = try await filled(["team", "n"])
    let sort: [JSONValue] = [["field": "updatedAt", "direction": -1]]
    let filter: JSONValue = ["custom.team": "t1"]
    #expect(try plans(store, filter, sort, fewMax: 4).allSatisfy { $0.contains("channels_by_custom.team") })
    #expect(try plans(store, filter, sort, fewMax: 3).allSatisfy { $0.contains("channels_by_change") })
    // Of two conditions the one that fewer channels meet.
    let both: JSONValue = ["custom.team": "t1", "custom.n": ["$lt": 4]]
    #expect(try plans(store, both, sort).allSatisfy { $0.contains("channels_by_custom.n ") })
    #expect(try list(store, both, sort) == [1])
    let either: JSONValue = ["$or": [["custom.team": "t1"], ["custom.n": 3]]]
    #expect(try plans(store, either, []).allSatisfy { $0.contains("MULTI-INDEX OR") })
    #expect(try list(store, either, []) == [1, 3, 6, 11, 16])
    store.close()
  }

  /// A channel whose custom data is no JSON any more does not end lists by its keys.
  @Test func damagedCustomDataDoesNotEndListsByAKey() async throws {
    let store = try await filled(["team"])
    try await store.pool.write { db in try db.execute(sql: "UPDATE channels SET custom = '{\"team' WHERE id = 6") }
    #expect(try list(store, ["custom.team": "t1"], []) == [1, 11, 16])
    let part = try store.channels(
      matching: Filter([:]), in: order([["field": "custom.team"]]), withDeleted: false, after: nil, limit: 100)
    #expect(part.channels.count == 19 && part.unreadable == [ChannelID(rawValue: 6)])
    #expect(try store.check().problems.contains { $0.hasPrefix("channel 6 ") })
    store.close()
  }
}
