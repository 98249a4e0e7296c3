import Channels
import Filters
import Foundation
import GRDB
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Store

struct StoreTests {
  private let folder: TemporaryFolder
  var path: String { folder.path + "/state" }
  static let now = Timestamp(milliseconds: 1_750_000_000_123)

  init() throws { folder = try TemporaryFolder() }

  private static func relay(_ id: Int64, revision: Int64 = 1) -> RelayRow {
    RelayRow(id: RelayID(rawValue: id), network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: revision)
  }

  private static let identity = IdentityRow(
    id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicName: "ab", sealedKey: [1, 2, 3], createdAt: now)

  private static func channel(_ id: Int64, key: String? = nil) -> ChannelRow {
    ChannelRow(
      id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: 1),
      profile: Profile(displayName: "News \(id)", description: "about"), preferences: ["history": "on"],
      networkID: "id\(id)", trustAnchor: "ab", document: "{}", wantedRelays: 1, heal: true, custom: ["team": "news"],
      idempotencyKey: key, createdAt: now, updatedAt: now, revision: 5)
  }

  private static func record(_ id: Int64) -> ChannelRelayRow {
    ChannelRelayRow(
      relay: RelayID(rawValue: id),
      record: ChannelRelayRecord(ChannelRelayMachine(salt: 0, now: now)))
  }

  @Test func writerSyncsFully() throws {
    let store = try Store(directory: path)
    #expect(try store.synchronousSetting() == 2)
    store.close()
  }

  @Test func everySyncSettingHoldsAfterWritingToo() async throws {
    let store = try Store(directory: path)
    try await store.commit([.insertIdentity(Self.identity)])
    #expect(try store.synchronousSetting() == 2)
    store.close()
  }

  @Test func whatIsCommittedIsReadBack() async throws {
    let store = try Store(directory: path)
    let transition = ChannelRelayMachine.Transition(
      from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Self.now)
    let row = TransitionRow(
      revision: 3, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), transition: transition)
    try await store.commit([
      .insertIdentity(Self.identity), .saveRelay(Self.relay(1)), .insertChannel(Self.channel(1, key: "k")),
      .saveChannelRelay(ChannelID(rawValue: 1), position: 0, Self.record(1)), .appendTransition(row),
      .appendChange(ChangeRow(revision: 4, at: Self.now, object: .channel(ChannelID(rawValue: 1)))),
    ])
    store.close()

    let again = try Store(directory: path)
    #expect(try again.identities() == [Self.identity])
    #expect(try again.relays() == [Self.relay(1)])
    #expect(
      try again.channel(ChannelID(rawValue: 1)) == StoredChannel(row: Self.channel(1, key: "k"), relays: [Self.record(1)]))
    #expect(try again.channel(idempotencyKey: "k") == ChannelID(rawValue: 1))
    #expect(try again.transitions(of: ChannelID(rawValue: 1), limit: 10) == [row])
    #expect(try again.changes(after: 0, limit: 10).map(\.revision) == [3, 4])
    #expect(try again.counters() == .init(revision: 4, channel: 1, operator: 0, server: 0, relay: 1, identity: 1))
    #expect(try again.unfinishedChannels() == [ChannelID(rawValue: 1)])
    #expect(try again.channelCounts() == [RelayID(rawValue: 1): 1])
    again.close()
  }

  @Test func saltOfAChannelsKeyStaysWhatItIs() async throws {
    let store = try Store(directory: path)
    var row = Self.channel(1)
    row.keySalt = (0..<32).map { UInt8($0) }
    try await store.commit([.insertIdentity(Self.identity), .insertChannel(row), .insertChannel(Self.channel(2))])
    #expect(row.key == .own && Self.channel(2).key == .identity)
    row.profile.displayName = "Later News"
    row.revision = 6
    try await store.commit([.touchChannel(row), .rewriteChannel(row)])
    store.close()
    let again = try Store(directory: path)
    #expect(try again.channel(ChannelID(rawValue: 1))?.row == row)
    #expect(try again.channel(ChannelID(rawValue: 2))?.row.keySalt == nil)
    again.close()
  }

  /// Which channel's edition a relay had that keeps one per author.
  @Test func neighbourIsTheOneThatWasEditedLastAndIsShown() async throws {
    let store = try Store(directory: path)
    var mutations: [StoreMutation] = [.insertIdentity(Self.identity), .saveRelay(Self.relay(1)), .saveRelay(Self.relay(2))]
    for id in 1...Int64(5) {
      var row = Self.channel(id)
      row.edition = 2
      row.newestEdition = ChannelEdition(networkID: "n\(id)", document: "{}", signedAt: 100 + id)
      if id == 5 { row.keySalt = [1] }
      mutations.append(.insertChannel(row))
      let record = ChannelRelayRecord(
        status: .active, since: Self.now, operation: 1, relayLink: "ws://r1", trouble: nil, task: nil, attempt: 0,
        startedAt: nil,
        isUnderWay: false, timer: nil, verifyDue: Self.now, shown: id == 4 ? 1 : 2)
      mutations.append(
        .saveChannelRelay(row.id, position: 0, ChannelRelayRow(relay: RelayID(rawValue: 1), record: record)))
    }
    try await store.commit(mutations)
    func neighbour(_ id: Int64, on relay: Int64 = 1) throws -> Int64? {
      try store.neighbour(of: ChannelID(rawValue: id), sharing: IdentityID(rawValue: 1), on: RelayID(rawValue: relay))?.rawValue
    }
    #expect(try neighbour(1) == 3 && neighbour(3) == 2 && neighbour(1, on: 2) == nil)
    store.close()
  }

  @Test func failedCommitLeavesNothing() async throws {
    let store = try Store(directory: path)
    try await store.commit([.insertIdentity(Self.identity), .saveRelay(Self.relay(1))])
    await #expect(throws: CommitFailure.self) {
      try await store.commit([
        .insertChannel(Self.channel(1)),
        .saveChannelRelay(ChannelID(rawValue: 1), position: 0, Self.record(99)),  // no such relay
      ])
    }
    #expect(try store.channel(ChannelID(rawValue: 1)) == nil)
    await #expect(throws: CommitFailure.self) {
      try await store.commit([.insertChannel(Self.channel(1, key: "k")), .insertChannel(Self.channel(2, key: "k"))])
    }
    #expect(try store.counters().channel == 0)
    store.close()
  }

  @Test func pagesFollowEachOtherByKey() async throws {
    let store = try Store(directory: path)
    try await store.commit(
      [.insertIdentity(Self.identity), .saveRelay(Self.relay(1))] + (1...25).map { .insertChannel(Self.channel($0)) })
    for isDescending in [false, true] {
      var seen: [Int64] = []
      var after: [JSONValue]?
      let order = try ListOrder([["field": "id", "direction": isDescending ? -1 : 1]])
      repeat {
        let page = try store.channels(matching: Filter([:]), in: order, withDeleted: true, after: after, limit: 10)
        seen += page.channels.map(\.row.id.rawValue)
        after = page.last
      } while after != nil
      #expect(seen == (isDescending ? Array((1...25).reversed()) : Array(1...25)))
    }
    store.close()
  }

  @Test func rowsThatCannotBeReadAreReportedAndKept() async throws {
    let store = try Store(directory: path)
    try await store.commit([
      .insertIdentity(Self.identity), .saveRelay(Self.relay(1)), .insertChannel(Self.channel(1)),
      .saveChannelRelay(ChannelID(rawValue: 1), position: 0, Self.record(1)), .insertChannel(Self.channel(2)),
    ])
    try await store.pool.write { db in
      try db.execute(
        sql:
          "UPDATE channel_relays SET status = 'dancing'; UPDATE channel_relays SET sum = \(SummedTable.channelRelays.expression)"
      )
    }
    #expect { try store.channel(ChannelID(rawValue: 1)) } throws: { ($0 as? StoreError)?.code == .corrupt }
    let page = try store.channels(matching: Filter([:]), in: ListOrder([]), withDeleted: true, after: nil, limit: 10)
    #expect(page.channels.map(\.row.id) == [ChannelID(rawValue: 2)] && page.unreadable == [ChannelID(rawValue: 1)])
    try await store.commit([.quarantine(ChannelID(rawValue: 1), reason: "status", at: Self.now)])
    try await store.commit([.quarantine(ChannelID(rawValue: 1), reason: "again", at: Self.now)])
    #expect(try store.totals().quarantined == 1)
    let count = try await store.pool.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM channel_relays") }
    #expect(count == 1)
    store.close()
  }

  @Test func newerSchemaIsRefused() async throws {
    let store = try Store(directory: path)
    try await store.pool.write { db in try db.execute(sql: "PRAGMA user_version = 999") }
    store.close()
    #expect { try Store(directory: path) } throws: {
      ($0 as? StoreError)?.code == .incompatible && "\($0)".contains("999")
    }
  }

  @Test func databaseOfAnotherProgramIsRefused() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let other = try DatabaseQueue(path: path + "/baton.db")
    try other.write { db in try db.execute(sql: "CREATE TABLE other (x)") }
    try other.close()
    #expect { try Store(directory: path) } throws: { ($0 as? StoreError)?.code == .incompatible }
  }

  @Test func rubbishIsNoDatabase() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data(repeating: 0x58, count: 8192).write(to: URL(fileURLWithPath: path + "/baton.db"))
    #expect { try Store(directory: path) } throws: { ($0 as? StoreError)?.code == .corrupt }
  }

  @Test func secondDaemonIsKeptOut() throws {
    let store = try Store(directory: path)
    #expect { try Store(directory: path) } throws: { ($0 as? StoreError)?.code == .inUse }
    store.close()
  }

  @Test func compactedChangesAreGoneAndSaidSo() async throws {
    let store = try Store(directory: path)
    try await store.commit(
      [.saveRelay(Self.relay(1))]
        + (1...10).map { .appendChange(ChangeRow(revision: $0, at: Self.now, object: .relay(RelayID(rawValue: 1)))) })
    try await store.commit([.compactChanges(through: 6)])
    #expect(try store.oldestRevision() == 6)
    #expect(try store.changes(after: 6, limit: 100).map(\.revision) == [7, 8, 9, 10])
    #expect(try store.counters().revision == 10)
    try await store.commit([.compactChanges(through: 10)])
    #expect(try store.counters().revision == 10, "a revision must never be used again")
    store.close()
  }

  /// The revisions that stand in `changes`, whatever readers are told.
  private static func storedChanges(_ store: Store) async throws -> [Int64] {
    try await store.pool.read { db in try Int64.fetchAll(db, sql: "SELECT revision FROM changes ORDER BY revision") }
  }

  @Test func compactionMakesRoom() async throws {
    let store = try Store(directory: path)
    let changes = (1...10).map { ChangeRow(revision: $0, at: Self.now, object: .relay(RelayID(rawValue: 1))) }
    try await store.commit([.saveRelay(Self.relay(1))] + changes.map(StoreMutation.appendChange))
    try await store.commit([.compactChanges(through: 6)])
    #expect(try await Self.storedChanges(store) == [7, 8, 9, 10])
    store.close()
  }

  /// Transitions are in the history of channels and among the changes; what else changed meanwhile goes with them.
  @Test func forgottenHistoryTakesChangesAlong() async throws {
    let store = try Store(directory: path)
    let id = ChannelID(rawValue: 1)
    try await store.commit([
      .insertIdentity(Self.identity), .saveRelay(Self.relay(1)), .insertChannel(Self.channel(1)),
      .saveChannelRelay(id, position: 0, Self.record(1)),
    ])
    // Revisions 1 to 8, each made at the millisecond of its number.
    for revision in 1...8 as ClosedRange<Int64> {
      let at = Timestamp(milliseconds: revision)
      let transition = ChannelRelayMachine.Transition(from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: at)
      try await store.commit([
        revision.isMultiple(of: 2)
          ? .appendChange(ChangeRow(revision: revision, at: at, object: .channel(id)))
          : .appendTransition(
            TransitionRow(revision: revision, channel: id, relay: RelayID(rawValue: 1), transition: transition))
      ])
    }
    #expect(
      try await store.commit([.forgetHistory(before: Timestamp(milliseconds: 6), rowsMax: .max, limit: 100)]).forgotten == 3)
    #expect(try store.oldestRevision() == 5)
    #expect(try store.transitions(of: id, limit: 10).map(\.revision) == [7])
    #expect(try await Self.storedChanges(store) == [6, 8])
    #expect(try store.changes(after: 5, limit: 10).map(\.revision) == [6, 7, 8])
    store.close()
  }

  /// A page in the middle is damaged, and all that says what the file is stands as it should.
  @Test func damagedCopyIsNotRestored() async throws {
    let store = try Store(directory: path)
    try await store.commit(
      [.insertIdentity(Self.identity), .saveRelay(Self.relay(1))] + (1...200).map { .insertChannel(Self.channel($0)) })
    let copy = folder.path + "/copy.db"
    try store.backUp(to: copy)
    store.close()
    let sound = try Data(contentsOf: URL(fileURLWithPath: copy))
    var damaged = sound
    let place = try #require(damaged.range(of: Data("News 150".utf8))).lowerBound
    let page = place / 4096 * 4096
    #expect(page > 0, "not the first page")
    // No page begins so.
    damaged.replaceSubrange(page..<page + 8, with: Data(repeating: 0xFF, count: 8))
    try damaged.write(to: URL(fileURLWithPath: copy))
    #expect { try Store.restore(from: copy, directory: path, stamp: "1") } throws: {
      ($0 as? StoreError)?.code == .corrupt
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).allSatisfy { !$0.contains("before") })
    // What was there is there, and the same copy without the damage is taken.
    try sound.write(to: URL(fileURLWithPath: copy))
    #expect(try Store.restore(from: copy, directory: path, stamp: "2").before != nil)
    let restored = try Store(directory: path)
    #expect(try restored.channel(ChannelID(rawValue: 150))?.row == Self.channel(150))
    restored.close()
  }

  /// SQLite finds nothing wrong with the copy; only the sum of the row tells.
  @Test func copyWithAnotherLetterInARowIsNotRestored() async throws {
    let store = try Store(directory: path)
    try await store.commit([.insertIdentity(Self.identity), .saveRelay(Self.relay(1)), .insertChannel(Self.channel(1))])
    let copy = folder.path + "/copy.db"
    try store.backUp(to: copy)
    store.close()
    let queue = try DatabaseQueue(path: copy)
    try await queue.write { db in
      try db.execute(sql: "UPDATE channels SET author = author || 'x'")
      #expect(db.changesCount == 1)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
    try queue.close()
    #expect { try Store.restore(from: copy, directory: path, stamp: "1") } throws: {
      ($0 as? StoreError)?.code == .corrupt && "\($0)".contains("nothing was changed")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).allSatisfy { !$0.contains("before") })
  }

  @Test func relaysOfDeletedChannelsAreNotLost() async throws {
    let store = try Store(directory: path)
    var deleted = Self.channel(2)
    deleted.deletedAt = Self.now
    let failed = ChannelRelayRecord(
      status: .failed, since: Self.now, operation: 1, relayLink: nil, trouble: Trouble(.timeout, "x"), task: nil, attempt: 0,
      startedAt: nil, isUnderWay: false, timer: nil)
    let row = ChannelRelayRow(relay: RelayID(rawValue: 1), record: failed)
    try await store.commit([
      .insertIdentity(Self.identity), .saveRelay(Self.relay(1)), .insertChannel(Self.channel(1)), .insertChannel(deleted),
      .saveChannelRelay(ChannelID(rawValue: 1), position: 0, row), .saveChannelRelay(ChannelID(rawValue: 2), position: 0, row),
    ])
    #expect(try store.lostRelays(before: Self.now, after: nil, limit: 10).map(\.0) == [ChannelID(rawValue: 1)])
    store.close()
  }

  /// What is forgotten is forgotten together with everything else of its commit, or stays.
  @Test func historyOfACommitThatFailsIsNotForgotten() async throws {
    let store = try Store(directory: path)
    let rows = (1...9 as ClosedRange<Int64>).map { revision in
      TransitionRow(
        revision: revision, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1),
        transition: .init(
          from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Timestamp(milliseconds: revision)))
    }
    try await store.commit(rows.map(StoreMutation.appendTransition) + [.insertIdentity(Self.identity)])
    let forgetting = StoreMutation.forgetHistory(before: Timestamp(milliseconds: 0), rowsMax: 4, limit: 100)
    await #expect(throws: CommitFailure.self, "there is such an identity") {
      try await store.commit([forgetting, .compactChanges(through: 9), .insertIdentity(Self.identity)])
    }
    #expect(try store.oldestRevision() == 0)
    #expect(try store.transitions(of: ChannelID(rawValue: 1), limit: 100).count == 9)
    #expect(try await store.commit([forgetting]).forgotten == 5)
    #expect(try await store.commit([forgetting]).forgotten == 0)
    #expect(try store.transitions(of: ChannelID(rawValue: 1), limit: 100).map(\.revision) == [6, 7, 8, 9])
    store.close()
  }

  @Test func historyIsBoundedByRowsAndItsSpaceIsUsedAgain() async throws {
    let store = try Store(directory: path)
    var revision: Int64 = 0
    func write(_ count: Int) async throws {
      let rows = (0..<count).map { _ in
        revision += 1
        return TransitionRow(
          revision: revision, channel: ChannelID(rawValue: revision % 50 + 1), relay: RelayID(rawValue: 1),
          transition: .init(
            from: .active, to: .inactive, cause: .unreachable, detail: "the relay is down for longer than 120 s", attempt: 1,
            at: Timestamp(milliseconds: revision)))
      }
      try await store.commit(rows.map { .appendTransition($0) })
    }
    func number(_ sql: String) throws -> Int { try store.pool.read { db in try Int.fetchOne(db, sql: sql) ?? 0 } }
    var pages: [Int] = []
    for _ in 0..<10 {
      try await write(2_000)
      var gone: [Int] = []
      repeat {
        gone.append(
          try await store.commit([.forgetHistory(before: Timestamp(milliseconds: 0), rowsMax: 2_000, limit: 700)]).forgotten)
      } while gone.last != 0
      #expect(gone == (revision == 2_000 ? [0] : [700, 700, 600, 0]))
      #expect(try number("SELECT count(*) FROM transitions") == 2_000)
      #expect(try number("SELECT min(revision) FROM transitions") == Int(revision) - 1_999)
      pages.append(try number("PRAGMA page_count"))
    }
    #expect(pages[9] <= pages[2] + 2, "\(pages)")
    // Those that are too old go however few there are, and who watches from before them is told.
    #expect(
      try await store.commit([.forgetHistory(before: Timestamp(milliseconds: revision - 10), rowsMax: 5_000, limit: 5_000)])
        .forgotten == 1_989)
    #expect(try store.oldestRevision() == revision - 11)
    // Counted anew after a start.
    store.close()
    let again = try Store(directory: path)
    #expect(try await again.commit([.forgetHistory(before: Timestamp(milliseconds: 0), rowsMax: 4, limit: 100)]).forgotten == 7)
    again.close()
  }

  @Test func installationSeedIsDrawnOnce() throws {
    let store = try Store(directory: path)
    #expect(try store.installationSeed { 7 } == 7)
    #expect(try store.installationSeed { 8 } == 7)
    store.close()
  }
}
