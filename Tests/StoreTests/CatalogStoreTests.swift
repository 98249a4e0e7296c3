import Channels
import GRDB
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Store

struct CatalogStoreTests {
  private let folder: TemporaryFolder
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)

  init() throws { folder = try TemporaryFolder() }

  private static let origin = Origin(isPreset: true, isUndeclared: true, file: "/f.yaml", declaration: ["enabled": true])
  private static let condition = PeerCondition(
    health: .degraded, healthSince: now, lastError: "e", fault: "f", tested: false, testedAt: now, fullyTestedAt: now,
    roundTripMilliseconds: 7, failures: 3, failedAt: now)

  @Test func everyFieldOfOperatorsServersAndRelaysIsReadBack() async throws {
    let store = try Store(directory: folder.path + "/state")
    let owner = OperatorRow(
      id: OperatorID(rawValue: 1), name: "O", legalName: "O Ltd", domains: ["a.example", "b.example"], isEnabled: false,
      isDeleted: true, smpRoles: ServerRoles(storage: false, proxy: true, names: false),
      xftpRoles: ServerRoles(storage: true, proxy: false, names: false), conditionsAcceptedAt: Self.now, origin: Self.origin,
      revision: 4)
    let server = ServerRow(
      id: ServerID(rawValue: 1), transport: .xftp, address: "xftp://f@h", fingerprint: "f", hosts: ["h", "x.onion"], port: 7,
      sealedPassword: [1, 0, 255], serverOperator: owner.id, isOperatorAssigned: true, isEnabled: false, isDeleted: true,
      roles: .init(storage: false, proxy: nil, names: true), condition: Self.condition, origin: Self.origin, revision: 5)
    let relay = RelayRow(
      id: RelayID(rawValue: 1), network: .simplex, address: "a", host: "h", comparisonKey: "k", name: "n",
      domains: ["d.example"],
      relayOperator: owner.id, isOperatorAssigned: true, isEnabled: false, isDeleted: true,
      profile: .init(name: "p", text: nil, software: "s"), capabilities: ["nip1", "nip42"], condition: Self.condition,
      origin: Self.origin, revision: 6)
    try await store.commit([.saveOperator(owner), .saveServer(server), .saveRelay(relay)])
    #expect(try store.operators() == [owner])
    #expect(try store.servers() == [server])
    #expect(try store.relays() == [relay])

    var plain = ServerRow(id: server.id, transport: .xftp, address: "xftp://f@h", fingerprint: "f", hosts: ["h"])
    plain.revision = 9
    try await store.commit([.saveServer(plain)])
    #expect(try store.servers() == [plain], "a second save replaces every column")
    let counters = try store.counters()
    #expect(counters.operator == 1 && counters.server == 1 && counters.relay == 1)
    store.close()
  }

  @Test func hundredLatestConnectionsAreKept() async throws {
    let store = try Store(directory: folder.path + "/state")
    let peer = Probed.server(ServerID(rawValue: 3))
    for number in 1...130 as ClosedRange<Int64> {
      try await store.commit([.recordRoundTrip(peer, at: Timestamp(milliseconds: number), milliseconds: number * 2)])
    }
    try await store.commit([.recordRoundTrip(.relay(RelayID(rawValue: 3)), at: Self.now, milliseconds: 1)])
    let kept = try store.roundTrips(of: peer)
    #expect(kept.map(\.milliseconds) == (31...130).map { $0 * 2 } && kept.last?.at == Timestamp(milliseconds: 130))
    #expect(try store.roundTrips(of: .relay(RelayID(rawValue: 3))).count == 1)
    store.close()
  }

  @Test func changesNameOperatorsServersAndRelays() async throws {
    let store = try Store(directory: folder.path + "/state")
    let objects: [ChangeRow.Object] = [
      .operator(OperatorID(rawValue: 1)), .server(ServerID(rawValue: 2)), .relay(RelayID(rawValue: 3)),
      .channel(ChannelID(rawValue: 4)),
    ]
    let rows = objects.enumerated().map { ChangeRow(revision: Int64($0 + 1), at: Self.now, object: $1) }
    try await store.commit(rows.map(StoreMutation.appendChange))
    #expect(try store.changes(after: 0, limit: 10) == rows)
    store.close()
  }

  /// A database as the first schema left it, with a relay that a channel uses.
  @Test func databaseOfTheFirstSchemaIsBroughtUpToDate() throws {
    let path = folder.path + "/old.db"
    let pool = try DatabasePool(path: path)
    try Schema.migrate(pool, to: 1)
    try pool.write { db in
      try db.execute(
        sql: """
          INSERT INTO relays (id, network, address, name, enabled, preset, deleted, tested, health, revision)
          VALUES (1, 'nostr', 'wss://r.example', 'r', 1, 0, 0, 1, 'up', 3);
          INSERT INTO identities (id, name, network, public_key, sealed_key, created_at) VALUES (1, 'main', 'nostr', 'k', x'00', 1);
          INSERT INTO channels (id, kind, network, identity_id, display_name, network_id, author, document, wanted_relays, heal,
            created_at, updated_at, revision) VALUES (1, 'channel', 'nostr', 1, 'News', 'i', 'k', '{}', 1, 1, 1, 1, 2);
          INSERT INTO channel_relays (channel_id, relay_id, position, status, since, operation, attempt, under_way)
          VALUES (1, 1, 0, 'active', 1, 1, 1, 0);
          """)
    }
    try Schema.migrate(pool)
    try pool.read { (db: Database) throws in
      #expect(try Int32.fetchOne(db, sql: "PRAGMA user_version") == Schema.version)
      #expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty)
      #expect(try String.fetchOne(db, sql: "SELECT domains FROM relays") == "[]")
      // The identity signs what it has signed so far.
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM channels WHERE key_salt IS NULL") == 1)
    }
    try pool.close()
  }
}
