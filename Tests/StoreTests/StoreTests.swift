import Channels
import Foundation
import GRDB
import StrictJSON
import TestSupport
import Testing

@testable import Store

struct StoreTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)

  init() throws { folder = try TemporaryFolder() }

  private static func relay(_ id: Int64, revision: Int64 = 1) -> RelayRow {
    RelayRow(id: RelayID(rawValue: id), network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: revision)
  }

  private static let identity = IdentityRow(
    id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicKey: "ab", sealedKey: [1, 2, 3], createdAt: now)

  private static func channel(_ id: Int64, key: String? = nil) -> ChannelRow {
    ChannelRow(
      id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: 1),
      profile: Profile(displayName: "News \(id)", description: "about"), preferences: ["history": "on"],
      networkID: "id\(id)", author: "ab", document: "{}", wantedRelays: 1, heal: true, custom: ["team": "news"],
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
    #expect(try again.hasChannels(RelayID(rawValue: 1)))
    again.close()
  }

  @Test func failedCommitLeavesNothing() async throws {
    let store = try Store(directory: path)
    try await store.commit([.insertIdentity(Self.identity), .saveRelay(Self.relay(1))])
    await #expect(throws: StoreError.self) {
      try await store.commit([
        .insertChannel(Self.channel(1)),
        .saveChannelRelay(ChannelID(rawValue: 1), position: 0, Self.record(99)),  // no such relay
      ])
    }
    #expect(try store.channel(ChannelID(rawValue: 1)) == nil)
    await #expect(throws: StoreError.self) {
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
      var after: ChannelID?
      while true {
        let page = try store.channels(after: after, isDescending: isDescending, limit: 10)
        if page.channels.isEmpty { break }
        seen += page.channels.map(\.row.id.rawValue)
        after = page.channels.last?.row.id
      }
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
    try await store.pool.write { db in try db.execute(sql: "UPDATE channel_relays SET status = 'dancing'") }
    #expect { try store.channel(ChannelID(rawValue: 1)) } throws: { ($0 as? StoreError)?.code == .corrupt }
    let page = try store.channels(after: nil, isDescending: false, limit: 10)
    #expect(page.channels.map(\.row.id) == [ChannelID(rawValue: 2)] && page.unreadable == [ChannelID(rawValue: 1)])
    try store.quarantine(ChannelID(rawValue: 1), reason: "status", at: Self.now)
    try store.quarantine(ChannelID(rawValue: 1), reason: "again", at: Self.now)
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
    try store.compactChanges(through: 6)
    #expect(try store.oldestRevision() == 6)
    #expect(try store.changes(after: 6, limit: 100).map(\.revision) == [7, 8, 9, 10])
    #expect(try store.counters().revision == 10)
    try store.compactChanges(through: 10)
    #expect(try store.counters().revision == 10, "a revision must never be used again")
    store.close()
  }

  @Test func installationSeedIsDrawnOnce() throws {
    let store = try Store(directory: path)
    #expect(try store.installationSeed { 7 } == 7)
    #expect(try store.installationSeed { 8 } == 7)
    store.close()
  }
}

struct SecretBoxTests {
  @Test func keysOpenOnlyForTheirNameAndMasterKey() throws {
    let box = try SecretBox(masterKey: [UInt8](repeating: 1, count: 32))
    let sealed = try box.seal([9, 8, 7], name: "main")
    #expect(try box.open(sealed, name: "main") == [9, 8, 7])
    #expect(throws: StoreError.self) { try box.open(sealed, name: "other") }
    #expect(throws: StoreError.self) {
      try SecretBox(masterKey: [UInt8](repeating: 2, count: 32)).open(sealed, name: "main")
    }
    var changed = sealed
    changed[14] ^= 1
    #expect(throws: StoreError.self) { try box.open(changed, name: "main") }
    #expect(try box.seal([9, 8, 7], name: "main") != sealed)
  }

  @Test func keyFileIsPrivateAndStays() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/identity.key"
    let sealed = try SecretBox.atFile(path).seal([1], name: "n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect(try SecretBox.atFile(path).open(sealed, name: "n") == [1])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect { try SecretBox.atFile(path) } throws: { "\($0)".contains("chmod 600") }
  }
}
