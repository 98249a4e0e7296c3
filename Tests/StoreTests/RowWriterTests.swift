import Channels
import Foundation
import GRDB
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Rows that are bound value by value: what stands in the database is the same as if GRDB had written it.
struct RowWriterTests {
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)

  /// Every kind of value that a column can have, and its limits.
  private static let kinds: [DatabaseValue] =
    [
      .null, Int64.min.databaseValue, Int64.max.databaseValue, (-1).databaseValue, 0.databaseValue, 1.databaseValue,
      "".databaseValue, "a".databaseValue, "abcdefg".databaseValue, "abcdefgh".databaseValue, "abcdefghi".databaseValue,
      "näïve — 日本語 🙂".databaseValue, String(repeating: "é\n", count: 3_000).databaseValue, "7".databaseValue,
      Data().databaseValue, Data([0]).databaseValue, Data(0...255).databaseValue, Data("abc".utf8).databaseValue,
    ]

  private static func bind(_ values: [DatabaseValue], to row: inout BoundRow) {
    for value in values {
      switch value.storage {
      case .null: row.bindNull()
      case .int64(let number): row.bind(number)
      case .string(let text): row.bind(text)
      case .blob(let data): row.bind([UInt8](data))
      case .double: Issue.record("no column has such values")
      }
    }
  }

  /// A table in memory with the columns of a summed one, of any type.
  private static func database(_ table: SummedTable) throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write { db in
      try db.execute(
        sql: "CREATE TABLE \(table.name) (\((table.columns + ["sum"]).joined(separator: ", ")), "
          + "UNIQUE (\(table.key.joined(separator: ", "))))")
    }
    return database
  }

  private static func rows(_ table: SummedTable, _ db: Database) throws -> [[DatabaseValue]] {
    try Row.fetchAll(db, sql: table.selection + " ORDER BY rowid").map { Array($0.databaseValues) }
  }

  @Test(arguments: SummedTable.all.indices)
  func sumsAndValuesAreThoseOfGRDB(_ index: Int) throws {
    let table = SummedTable.all[index]
    var random = SplitMix64(seed: UInt64(index))
    try Self.database(table).write { db in
      let (insert, upsert) = (try RowWriter(table.insertion, db), try RowWriter(table.upsertion, db))
      let replace = try RowWriter(table.replacement, db)
      for round in 0..<40 {
        func values() -> [DatabaseValue] {
          let key = table.key.indices.map { (round * 10 + $0).databaseValue }
          return key + table.columns.dropFirst(key.count).map { _ in Self.kinds.randomElement(using: &random) ?? .null }
        }
        for writer in [insert, upsert, replace] {
          let values = values()
          try writer.write(base: 0) { Self.bind(values, to: &$0) }
          let stored = try #require(try Self.rows(table, db).last)
          #expect(Array(stored.dropLast()) == values)
          #expect(stored.last == RowSum.of(values).databaseValue)
        }
        #expect(try Self.rows(table, db).count == round + 1)
      }
      // Of a text with a NUL, too, which GRDB reads up to there.
      let last = ["a\0b".databaseValue, "\0".databaseValue]
      let values = (0..<table.columns.count).map { $0 < table.key.count ? (-$0 - 1).databaseValue : last[$0 % 2] }
      try insert.write(base: 0) { Self.bind(values, to: &$0) }
      #expect(try Self.rows(table, db).last?.last == RowSum.of(values).databaseValue)
    }
  }

  @Test func rowThatIsRefusedLeavesNothingBehind() throws {
    let table = SummedTable.changes
    try Self.database(table).write { db in
      var rows = HotRows(db, base: 0)
      func change(_ revision: Int64, _ object: ChangeRow.Object) throws {
        let row = ChangeRow(revision: revision, at: Self.now, object: object)
        try rows.write(.appendChange) { row.bind(to: &$0) }
      }
      try change(1, .channel(ChannelID(rawValue: 5)))
      #expect { try change(1, .relay(RelayID(rawValue: 6))) } throws: {
        ($0 as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT && ($0 as? DatabaseError)?.message?.contains("UNIQUE") == true
      }
      try change(2, .server(ServerID(rawValue: 7)))
      let stored = try Self.rows(table, db).map { $0.dropLast().map { Int64.fromDatabaseValue($0) } }
      #expect(stored == [[1, Self.now.milliseconds, 5, nil, nil, nil], [2, Self.now.milliseconds, nil, nil, nil, 7]])
    }
  }

  @Test(arguments: [5, 7])
  func rowWithAnotherNumberOfValuesIsNotWritten(_ count: Int) throws {
    let table = SummedTable.changes
    try Self.database(table).write { db in
      let writer = try RowWriter(table.insertion, db)
      #expect { try writer.write(base: 0) { row in for value in 0..<count { row.bind(value) } } } throws: {
        ($0 as? DatabaseError)?.resultCode == .SQLITE_RANGE
      }
      #expect(try Self.rows(table, db).isEmpty)
    }
  }

  // MARK: - The store's own rows

  private static let channel = ChannelRow(
    id: ChannelID(rawValue: 4), kind: .group, network: .nostr, identity: IdentityID(rawValue: 1),
    profile: Profile(displayName: "Näws", fullName: "Full", description: "About", image: "data:"),
    preferences: ["history": "on"], networkID: "nid", trustAnchor: "ab", document: "{}", edition: 3,
    newestEdition: ChannelEdition(networkID: "n3", document: "{3}", signedAt: 77, earlier: ["n1", "n2"]),
    namedRelays: [RelayID(rawValue: 8), RelayID(rawValue: 9)], wantedRelays: 2, heal: true, custom: ["team": "news"],
    idempotencyKey: "k", createdAt: Timestamp(milliseconds: 11), updatedAt: Timestamp(milliseconds: 12),
    deletedAt: Timestamp(milliseconds: 13), revision: 14, relayCount: 1, requestDigest: "d", keySalt: [0, 1, 2],
    marks: ChannelMarks(
      isMuted: true, isFrozen: true, truncatedAt: Timestamp(milliseconds: 15),
      following: FollowingChoice(isOn: false, days: 16, count: 17, keep: 18)))

  /// What stands in each column, in the order of the table.
  private static let stored: [String: [DatabaseValue]] = [
    "channels": Store.values(
      4, "group", "nostr", 1, "Näws", "Full", "About", "data:", channel.preferences?.text, "nid", "ab", "{}", 2, true,
      channel.custom?.text, "k", 11, 12, 13, 14, 3, "n3", "{3}", 77, "8 9", "n1 n2", 1, "d", Data([0, 1, 2]), true, false, true,
      15, false, 16, 17, 18),
    "channel_relays": Store.values(
      4, 8, 5, "failed", 21, 22, "ws://r/4", "timeout", "no answer", nil, 23, nil, false, nil, 24, 25),
    "transitions": Store.values(31, 4, 8, "accepted", "failed", "timeout", "no answer", 2, 32),
    "changes": Store.values(33, 34, 4, nil, nil, nil),
  ]

  private func store(_ folder: TemporaryFolder) async throws -> Store {
    let store = try Store(directory: folder.path + "/state")
    try await store.commit([
      .insertIdentity(
        IdentityRow(
          id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicName: "ab", sealedKey: [1], createdAt: Self.now)),
      .saveRelay(RelayRow(id: RelayID(rawValue: 8), network: .nostr, address: "ws://r", name: "r", revision: 1)),
    ])
    return store
  }

  @Test func eachValueStandsInItsColumn() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(folder)
    let record = ChannelRelayRecord(
      status: .failed, since: Timestamp(milliseconds: 21), operation: 22, relayLink: "ws://r/4",
      trouble: Trouble(.timeout, "no answer"), task: nil, attempt: 23, startedAt: nil, isUnderWay: false, timer: nil,
      verifyDue: Timestamp(milliseconds: 24), shown: 25)
    let transition = TransitionRow(
      revision: 31, channel: Self.channel.id, relay: RelayID(rawValue: 8),
      transition: .init(
        from: .accepted, to: .failed, cause: .timeout, detail: "no answer", attempt: 2, at: Timestamp(milliseconds: 32)))
    try await store.commit([
      .insertChannel(Self.channel),
      .saveChannelRelay(Self.channel.id, position: 5, ChannelRelayRow(relay: RelayID(rawValue: 8), record: record)),
      .appendTransition(transition),
      .appendChange(ChangeRow(revision: 33, at: Timestamp(milliseconds: 34), object: .channel(Self.channel.id))),
    ])
    #expect(try store.transitions(of: Self.channel.id, limit: 5) == [transition])
    let change = ChangeRow(revision: 33, at: Timestamp(milliseconds: 34), object: .channel(Self.channel.id))
    let failure = ChangeRow(revision: 31, at: Timestamp(milliseconds: 32), object: .channelRelay(transition))
    #expect(try store.changes(after: 0, limit: 5) == [failure, change])
    for table in [SummedTable.channels, .channelRelays, .transitions, .changes] {
      let rows = try store.pool.read { db in try Row.fetchAll(db, sql: table.selection) }
      #expect(rows.map { Array($0.databaseValues.dropLast()) } == [Self.stored[table.name]], "\(table.name)")
      for row in rows { try table.verify(row) }
    }
    store.close()
  }

  /// The columns that a statement leaves alone are in the sum all the same.
  @Test func touchedAndRevisedRowsHaveTheSumOfAllColumns() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(folder)
    var row = Self.channel
    row.relayCount = 0
    try await store.commit([.insertChannel(row)])
    row.revision = 40
    row.updatedAt = Timestamp(milliseconds: 41)
    row.deletedAt = nil
    row.wantedRelays = 3
    row.relayCount = nil
    try await store.commit([.touchChannel(row)])
    #expect(try store.channel(row.id)?.row == row)
    row.profile.fullName = nil
    row.newestEdition = nil
    row.namedRelays = nil
    row.custom = nil
    try await store.commit([.rewriteChannel(row)])
    #expect(try store.channel(row.id)?.row == row)
    #expect(try store.check().problems.isEmpty)
    store.close()
  }

  @Test func relaysComeInTheOrderInWhichTheyJoined() async throws {
    let folder = try TemporaryFolder()
    let store = try await store(folder)
    var row = Self.channel
    row.relayCount = 3
    var mutations: [StoreMutation] = [.insertChannel(row)]
    for (position, id) in [10, 8, 9].enumerated() {
      let relay = RelayID(rawValue: Int64(id))
      let record = ChannelRelayRecord(ChannelRelayMachine(salt: 0, now: Self.now))
      mutations += [
        .saveRelay(RelayRow(id: relay, network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: 1)),
        .saveChannelRelay(row.id, position: position, ChannelRelayRow(relay: relay, record: record)),
      ]
    }
    try await store.commit(mutations)
    #expect(try store.channel(row.id)?.relays.map(\.relay.rawValue) == [10, 8, 9])
    // The first of those that are damaged is named.
    try await store.pool.write { db in try db.execute(sql: "UPDATE channel_relays SET attempt = attempt + 1 WHERE relay_id > 8")
    }
    #expect { try store.channel(row.id) } throws: { "\($0)".hasPrefix("relay 10 of channel 4 was changed on the disk") }
    store.close()
  }
}
