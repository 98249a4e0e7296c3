import Channels
import Dispatch
import GRDB
import Storage
import Synchronization
import TestSupport

@testable import Store

/// A store with an identity and a relay, and requests to it.
final class CommitBench: Sendable {
  struct Unexpected: Error {
    let words: String
    init(_ what: some Any) { words = "\(what)" }
  }

  static let now = Timestamp(milliseconds: 1_750_000_000_123)
  static let identity = IdentityRow(
    id: IdentityID(rawValue: 1), name: "main", network: .nostr, publicName: "ab", sealedKey: [1, 2, 3], createdAt: now)

  private let folder: TemporaryFolder
  let store: Store

  init() async throws {
    folder = try TemporaryFolder()
    store = try Store(directory: folder.path + "/state")
    let relay = RelayRow(id: RelayID(rawValue: 1), network: .nostr, address: "ws://r1", name: "r1", revision: 0)
    try await store.commit([.insertIdentity(Self.identity), .saveRelay(relay)])
  }

  deinit { store.close() }

  // MARK: - Rows

  static func channel(
    _ id: Int64, key: String? = nil, identity: Int64 = 1, document: String = "{}", revision: Int64 = 0
  ) -> ChannelRow {
    ChannelRow(
      id: ChannelID(rawValue: id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: identity),
      profile: Profile(displayName: "News \(id)"), preferences: nil, networkID: "id\(id)", trustAnchor: "ab",
      document: document,
      wantedRelays: 1, heal: true, custom: nil, idempotencyKey: key, createdAt: now, updatedAt: now, revision: revision)
  }

  static func change(_ revision: Int64, _ object: ChangeRow.Object) -> ChangeRow {
    ChangeRow(revision: revision, at: now, object: object)
  }

  static func change(_ revision: Int64, _ channel: ChannelID) -> ChangeRow { change(revision, .channel(channel)) }

  /// A part that touches a channel.
  static func touch(_ row: ChannelRow, at place: Int, expecting revision: Int64?) -> CommitPart {
    var row = row
    row.revision = PendingRevision.at(place)
    row.wantedRelays += 1
    return CommitPart(
      [.touchChannel(row), .appendChange(change(row.revision, row.id))],
      expected: revision.map { .init(row.id, at: $0) })
  }

  /// Stores a channel.
  func add(_ id: Int64, key: String? = nil) async throws -> ChannelRow {
    var row = Self.channel(id, key: key, revision: PendingRevision.at(1))
    row.revision = try await store.commit([.insertChannel(row), .appendChange(Self.change(row.revision, row.id))]).revision
    return row
  }

  // MARK: - Commits

  static func result(_ request: CommitRequest, _ store: Store) async -> Result<CommitReceipt, CommitFailure> {
    do { return .success(try await store.commit(request)) } catch { return .failure(error) }
  }

  /// What becomes of requests that came, in this order, while the writer was busy.
  func together(_ requests: [CommitRequest]) async -> [Result<CommitReceipt, CommitFailure>] {
    let gate = DispatchSemaphore(value: 0)
    store.pool.asyncWriteWithoutTransaction { _ in gate.wait() }
    var tasks: [Task<Result<CommitReceipt, CommitFailure>, Never>] = []
    for request in requests {
      tasks.append(Task { [store] in await Self.result(request, store) })
      while store.commits.count < tasks.count { await Task.yield() }
    }
    gate.signal()
    var results: [Result<CommitReceipt, CommitFailure>] = []
    for task in tasks { results.append(await task.value) }
    return results
  }

  /// Counts the transactions of a store, and keeps them from being committed.
  final class Observer: TransactionObserver, Sendable {
    private let state = Mutex((committed: 0, isRefusing: false))

    var committed: Int { state.withLock { $0.committed } }
    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseWillCommit() throws {
      if state.withLock({ $0.isRefusing }) { throw DatabaseError(resultCode: .SQLITE_IOERR, message: "disk I/O error") }
    }
    func databaseDidCommit(_ db: Database) { state.withLock { $0.committed += 1 } }
    func databaseDidRollback(_ db: Database) {}
  }

  func observed() async throws -> Observer {
    let observer = Observer()
    try await store.pool.writeWithoutTransaction { db in
      db.add(transactionObserver: observer, extent: .databaseLifetime)
    }
    return observer
  }
}
