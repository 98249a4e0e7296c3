import Channels
import GRDB
import Storage
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// What a commit gives and what it refuses.
struct CommitTests {
  private typealias Bench = CommitBench
  private let bench: CommitBench
  private var store: Store { bench.store }

  init() async throws { bench = try await CommitBench() }

  private func revisions() throws -> [Int64] { try store.changes(after: 0, limit: 100).map(\.revision) }

  // MARK: - Revisions

  @Test func revisionsAreGivenInOrder() async throws {
    let (id, place) = (ChannelID(rawValue: 7), PendingRevision.at)
    try await store.commit([.appendChange(Bench.change(41, id))])
    let transition = TransitionRow(
      revision: place(2), channel: id, relay: RelayID(rawValue: 1),
      transition: .init(from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Bench.now))
    let organisation = OperatorRow(id: OperatorID(rawValue: 1), name: "o", revision: place(4))
    let server = ServerRow(
      id: ServerID(rawValue: 1), transport: .smp, address: "smp://a@s", fingerprint: "a", hosts: ["s"], revision: place(5))
    let relay = RelayRow(id: RelayID(rawValue: 2), network: .nostr, address: "ws://r2", name: "r2", revision: place(6))
    let request = CommitRequest([
      CommitPart([
        .insertChannel(Bench.channel(7, revision: place(3))), .appendChange(Bench.change(place(1), id)),
        .appendTransition(transition), .appendChange(Bench.change(place(3), id)),
      ]),
      CommitPart([.saveOperator(organisation), .appendChange(Bench.change(place(4), .operator(organisation.id)))]),
      CommitPart([.saveServer(server), .appendChange(Bench.change(place(5), .server(server.id)))]),
      CommitPart([.saveRelay(relay), .appendChange(Bench.change(place(6), .relay(relay.id)))]),
    ])
    let receipt = try await store.commit(request)
    #expect(receipt == CommitReceipt(base: 41, revision: 47))
    #expect(try store.counters().revision == 47 && revisions() == Array(41...47))
    #expect(try store.channel(id)?.row.revision == 44)
    #expect(try store.transitions(of: id, limit: 10).map(\.revision) == [43])
    #expect(try store.operators().map(\.revision) == [45] && store.servers().map(\.revision) == [46])
    #expect(try store.relays().map(\.revision) == [0, 47])
    #expect(try store.check().problems.isEmpty, "sums are those of what is stored")

    let row = try #require(try store.channel(id)?.row)
    let changes = try store.changes(after: 41, limit: 100)
    let settled = request.settled(by: receipt)
    #expect(settled.contains(.insertChannel(row)) && settled.count == 10)
    for change in changes {
      guard case .channelRelay(let stored) = change.object else {
        #expect(settled.contains(.appendChange(change)))
        continue
      }
      #expect(settled.contains(.appendTransition(stored)))
    }
  }

  /// What `touch` and `revise` do not write is in the sum all the same.
  @Test func changedChannelsHaveTheirNewRevision() async throws {
    var row = try await bench.add(1)
    row.wantedRelays = 3
    row.revision = PendingRevision.at(1)
    let touched = try await store.commit([.touchChannel(row), .appendChange(Bench.change(PendingRevision.at(1), row.id))])
    row.profile.displayName = "Later"
    row.revision = PendingRevision.at(2)
    let revised = try await store.commit(
      [.rewriteChannel(row)] + (1...2).map { .appendChange(Bench.change(PendingRevision.at($0), row.id)) })
    row.revision = touched.revision + 2
    #expect(revised == CommitReceipt(base: touched.revision, revision: row.revision))
    #expect(try store.channel(row.id)?.row == row)
  }

  @Test func numbersGoOnBehindThoseThatWereLeftOut() async throws {
    try await store.pool.write { db in try Store.raiseOldestRevision(to: 1_000, db) }
    #expect(try await store.commit([.appendChange(Bench.change(-1, ChannelID(rawValue: 1)))]).revision == 1_001)
    #expect(try revisions() == [1_001])
  }

  // MARK: - Parts that are rejected

  @Test func rejectedPartsStopNoOthers() async throws {
    let (first, second) = (try await bench.add(1, key: "k"), try await bench.add(2))
    let base = second.revision
    #expect(base == 2)
    let receipt = try await store.commit(
      CommitRequest([
        Bench.touch(first, at: 1, expecting: first.revision),
        Bench.touch(second, at: 2, expecting: second.revision - 1),
        // All of it is undone, not only what was refused.
        CommitPart([
          .probe(Bench.now), .appendChange(Bench.change(-3, first.id)),
          .insertChannel(Bench.channel(3, key: "k", revision: -3)),
        ]),
        Bench.touch(Bench.channel(99), at: 4, expecting: 0),
        CommitPart([.insertChannel(Bench.channel(4, revision: -5)), .appendChange(Bench.change(-5, ChannelID(rawValue: 4)))]),
      ]))
    #expect(receipt.base == base && receipt.revision == base + 5)
    #expect(receipt.rejections[1] == .conflict && receipt.rejections[3] == .conflict && receipt.rejections.count == 3)
    guard case .refused(let words)? = receipt.rejections[2] else { throw Bench.Unexpected(receipt) }
    #expect(words.contains("idempotency_key"))
    #expect(try revisions() == [1, 2, base + 1, base + 5])
    #expect(try store.channel(first.id)?.row.revision == base + 1)
    #expect(try store.channel(second.id)?.row == second)
    #expect(try store.channel(ChannelID(rawValue: 3)) == nil && store.lastSignOfLife() == nil)
    #expect(try store.channel(ChannelID(rawValue: 4))?.row.revision == base + 5)
    #expect(try await store.commit([.probe(Bench.now)]) == CommitReceipt(base: base + 5, revision: base + 5))
    #expect(try store.check().problems.isEmpty)
  }

  @Test func onlyPartThatIsRefusedFailsTheRequest() async throws {
    _ = try await bench.add(1)
    let failure = await Bench.result(CommitRequest([.insertChannel(Bench.channel(1, revision: -1))]), store)
    guard case .failure(.refused(let words)) = failure else { throw Bench.Unexpected(failure) }
    #expect(words.contains("UNIQUE") && words.contains("channels"))
    // A reference to what is not there.
    let lost = await Bench.result(CommitRequest([.insertChannel(Bench.channel(2, identity: 9, revision: -1))]), store)
    guard case .failure(.refused) = lost else { throw Bench.Unexpected(lost) }
    #expect(try store.counters().revision == 1)
  }

  @Test func everyPartMayBeAConflict() async throws {
    let row = try await bench.add(1)
    let stale = Bench.touch(row, at: 1, expecting: row.revision + 1)
    let receipt = CommitReceipt(base: 1, revision: 1, rejections: [0: .conflict])
    #expect(try await store.commit(CommitRequest([stale])) == receipt)
    #expect(try await store.commit(CommitRequest([stale, stale])).rejections == [0: .conflict, 1: .conflict])
    #expect(CommitRequest([stale]).settled(by: receipt).isEmpty)
    #expect(try store.channel(row.id)?.row == row && revisions() == [1])
  }

  /// A part sees those before it.
  @Test func secondPartOfAChannelExpectsWhatTheFirstWrites() async throws {
    let row = try await bench.add(1)
    let receipt = try await store.commit(
      CommitRequest([
        Bench.touch(row, at: 1, expecting: row.revision), Bench.touch(row, at: 2, expecting: row.revision),
        Bench.touch(row, at: 3, expecting: PendingRevision.at(1)),
      ]))
    #expect(receipt == CommitReceipt(base: 1, revision: 4, rejections: [1: .conflict]))
  }

  /// Damage of one row is the matter of those who would change it.
  @Test func damagedRowRefusesItsPartOnly() async throws {
    try await store.pool.write { db in try db.execute(sql: "UPDATE identities SET name = 'other'") }
    let receipt = try await store.commit(
      CommitRequest([CommitPart([.removeIdentity(IdentityID(rawValue: 1))]), CommitPart([.probe(Bench.now)])]))
    guard case .refused(let words)? = receipt.rejections[0] else { throw Bench.Unexpected(receipt) }
    #expect(words.contains("identity 1") && store.damageFound == [words])
    #expect(try receipt.rejections.count == 1 && store.lastSignOfLife()?.at == Bench.now)
  }

  @Test func emptyRequestIsStored() async throws {
    #expect(try await store.commit(CommitRequest([CommitPart]())) == CommitReceipt())
  }

  // MARK: - History

  @Test func receiptsSayWhatWasForgotten() async throws {
    let id = ChannelID(rawValue: 1)
    try await store.commit(
      (1...9 as ClosedRange<Int64>).map { revision in
        .appendTransition(
          TransitionRow(
            revision: revision, channel: id, relay: RelayID(rawValue: 1),
            transition: .init(
              from: .new, to: .invited, cause: nil, detail: "", attempt: 1, at: Timestamp(milliseconds: revision))))
      })
    func forgetting(_ rows: Int) -> StoreMutation {
      .forgetHistory(before: Timestamp(milliseconds: 0), rowsMax: rows, limit: 100)
    }
    let bad = StoreMutation.insertIdentity(Bench.identity)
    let partly = try await store.commit(CommitRequest([CommitPart([forgetting(7)]), CommitPart([forgetting(2), bad])]))
    #expect(partly.forgotten == 2 && Set(partly.rejections.keys) == [1])
    #expect(try store.transitions(of: id, limit: 100).map(\.revision) == Array(3...9))
    #expect(try await store.commit(CommitRequest([CommitPart([forgetting(6)]), CommitPart([forgetting(4)])])).forgotten == 3)
    let both = await bench.together([CommitRequest([forgetting(3)]), CommitRequest([forgetting(1)])])
    #expect(try both.map { try $0.get().forgotten } == [1, 2])
    #expect(try store.transitions(of: id, limit: 100).map(\.revision) == [9])
    #expect(try store.oldestRevision() == 8 && store.counters().revision == 9)
  }

  // MARK: - Others that write

  @Test func writerElsewhereMakesAConflict() async throws {
    let row = try await bench.add(1)
    let storage = FaultyStorage(store)
    storage.conflictOnce(row.id, custom: ["by": "another"])
    try await storage.commit([.probe(Bench.now)])
    let touch = CommitRequest([Bench.touch(row, at: 1, expecting: row.revision)])
    #expect(try await storage.commit(touch) == CommitReceipt(base: 2, revision: 2, rejections: [0: .conflict]))
    let changed = try #require(try store.channel(row.id)?.row)
    #expect(changed.custom == ["by": "another"] && changed.revision == 2)
    let next = CommitRequest([Bench.touch(changed, at: 1, expecting: 2)])
    #expect(try await storage.commit(next) == CommitReceipt(base: 2, revision: 3))
  }
}
