import Channels
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// What changed, for those who catch up.
struct ChangesTests {
  private let folder: TemporaryFolder
  private static let now = Timestamp(milliseconds: 1_750_000_000_123)

  init() throws { folder = try TemporaryFolder() }

  private static func relay(_ id: Int64, revision: Int64 = 1) -> RelayRow {
    RelayRow(id: RelayID(rawValue: id), network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: revision)
  }

  private static func channel(_ id: Int64, revision: Int64 = 1) -> ChannelRow {
    ChannelRow(
      id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: 1),
      profile: Profile(displayName: "News \(id)"), preferences: nil, networkID: "id\(id)", trustAnchor: "ab", document: "{}",
      wantedRelays: 1, heal: true, custom: nil, idempotencyKey: nil, createdAt: now, updatedAt: now, revision: revision)
  }

  /// A store with four channels and three relays.
  private func filled() async throws -> Store {
    let store = try Store(directory: folder.path + "/state")
    let identity = IdentityRow(
      id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicName: "ab", sealedKey: [1], createdAt: Self.now)
    var mutations: [StoreMutation] = [.insertIdentity(identity)]
    for id in 1...3 as ClosedRange<Int64> { mutations.append(.saveRelay(Self.relay(id))) }
    for id in 1...4 as ClosedRange<Int64> { mutations.append(.insertChannel(Self.channel(id))) }
    try await store.commit(mutations)
    return store
  }

  /// Stores one change.
  private func change(_ store: Store, _ object: ChangeRow.Object, _ revision: Int64) async throws -> ChangeRow {
    let row = ChangeRow(revision: revision, at: Self.now, object: object)
    switch object {
    case .channelRelay(let transition): try await store.commit([.appendTransition(transition)])
    case .channel(let id):
      try await store.commit([.touchChannel(Self.channel(id.rawValue, revision: revision)), .appendChange(row)])
    case .relay(let id):
      try await store.commit([.saveRelay(Self.relay(id.rawValue, revision: revision)), .appendChange(row)])
    case .operator, .server: break
    }
    return row
  }

  /// What changed, as far as a later change may be one of the same.
  private func subject(_ row: ChangeRow) -> String {
    switch row.object {
    case .channel(let id): "channel \(id.rawValue)"
    case .relay(let id): "relay \(id.rawValue)"
    case .operator(let id): "operator \(id.rawValue)"
    case .server(let id): "server \(id.rawValue)"
    case .channelRelay(let row): "relay \(row.relay.rawValue) of channel \(row.channel.rawValue)"
    }
  }

  @Test func newestChangesAreThoseThatNoLaterOneFollows() async throws {
    let store = try await filled()
    var random = SplitMix64(seed: 22)
    var rows: [ChangeRow] = []
    for revision in 10...90 as ClosedRange<Int64> {
      let channel = ChannelID(rawValue: .random(in: 1...4, using: &random))
      let relay = RelayID(rawValue: .random(in: 1...3, using: &random))
      let transition = TransitionRow(
        revision: revision, channel: channel, relay: relay,
        transition: .init(from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Self.now))
      let objects: [ChangeRow.Object] = [.channelRelay(transition), .channel(channel), .relay(relay)]
      rows.append(try await change(store, objects[.random(in: 0..<3, using: &random)], revision))
    }
    for after in [0, 9, 40, 85, 90] as [Int64] {
      for end in [50, 90] as [Int64] {
        let expected = rows.filter { row in
          row.revision > after && row.revision <= end
            && !rows.contains { $0.revision > row.revision && subject($0) == subject(row) }
        }
        for limit in [1, 4, 100] {
          let found = try store.newestChanges(after: after, through: end, limit: limit)
          #expect(found == Array(expected.prefix(limit)), "after \(after), through \(end), at most \(limit)")
        }
      }
    }
    #expect(try store.changes(after: 9, limit: 1000) == rows)
    store.close()
  }

  /// A row that was damaged, so that it seems to be about an object that has changed since, is not passed over in silence.
  @Test(arguments: ["changes", "transitions"])
  func damagedChangesAreNotTakenForOlderOnes(_ table: String) async throws {
    let store = try await filled()
    for revision in 10...11 as ClosedRange<Int64> {
      let channel = ChannelID(rawValue: revision - 9)
      let transition = TransitionRow(
        revision: revision, channel: channel, relay: RelayID(rawValue: 1),
        transition: .init(from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Self.now))
      _ = try await change(store, table == "changes" ? .channel(channel) : .channelRelay(transition), revision)
    }
    #expect(try store.newestChanges(after: 0, through: 11, limit: 10).map(\.revision) == [10, 11])
    try await store.pool.write { db in try db.execute(sql: "UPDATE \(table) SET channel_id = 2 WHERE revision = 10") }
    #expect { try store.newestChanges(after: 0, through: 11, limit: 10) } throws: { ($0 as? StoreError)?.code == .corrupt }
    store.close()
  }
}
