import Channels
import Coordinator
import PostgreSQL
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Coordinators on one database, with sessions, and relays inside the process.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SharedCoordinatorTests {
  private func wait(until isDone: () async throws -> Bool) async throws {
    while try await !isDone() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  private func create(_ name: String, by daemon: TestDaemon, on relays: [RelayID]) async throws -> ChannelID {
    let coordinator = try #require(daemon.coordinator)
    return try await coordinator.create(ChannelRequest(profile: Profile(displayName: name), relays: relays)).row.id
  }

  private func statuses(_ id: ChannelID, _ daemon: TestDaemon) async throws -> [RelayStatus] {
    try await daemon.store?.channel(id)?.relays.map(\.record.status) ?? []
  }

  /// Stops the process of the server that renews a daemon's session.
  private func freezeSession(of daemon: TestDaemon, _ cluster: PostgreSQLCluster) async throws -> Int32 {
    let connection = try await PostgreSQLConnection.open(
      try PostgreSQLAddress(cluster.address()), name: "test", schema: DatabaseSchema.name, hostTimeout: .seconds(60))
    let name = SessionDatabase.name(of: try #require(daemon.session), in: DatabaseSchema.name)
    let rows = try await connection.run(
      SQLStatement("SELECT pid::int8 FROM pg_stat_activity WHERE application_name = $1", [.text(name)]), within: .seconds(60))
    await connection.close()
    let backend = Int32(try #require(rows.int(0, 0)))
    cluster.freeze(backend)
    return backend
  }

  /// Channels move to a daemon that comes, and to the one that is left when the other is not answered any more.
  @Test func channelsHaveADaemonWhateverHappens() async throws {
    try await withDaemons { daemons in
      let a = try daemons.start("a")
      try await wait { a.slots.isAll }
      let first = try #require(a.coordinator)
      var relays: [RelayID] = []
      for number in 1...2 {
        relays.append(try await first.addRelay(network: .nostr, RelayEdit(address: "ws://r\(number)"), force: false).id)
      }
      // The second relay never answers the first daemon.
      a.network.set(.silent, at: "ws://r2")
      let place = relays[0]
      // So many that some are in slots that will move.
      try await withThrowingTaskGroup { group in
        for number in 1...506 { group.addTask { _ = try await create("Filler \(number)", by: a, on: [place]) } }
        try await group.waitForAll()
      }
      var ids: [ChannelID] = []
      for number in 1...12 { ids.append(try await create("News \(number)", by: a, on: relays)) }
      for id in ids { try await wait { try await statuses(id, a).first == .active } }

      let b = try daemons.start("b", relaysOf: a)
      try await wait { b.slots.numbers.count == 512 && a.slots.numbers.count == 512 }
      #expect(a.slots.intersection(b.slots).isEmpty && a.slots.union(b.slots).isAll)
      // Those that moved become active, because the new daemon reaches the relay; the others do not.
      let moved = ids.filter { b.slots.contains($0) }
      #expect(!moved.isEmpty && moved.count < ids.count)
      for id in moved { try await wait { try await statuses(id, b) == [.active, .active] } }
      for id in ids where !moved.contains(id) { #expect(try await statuses(id, a) != [.active, .active]) }
      // Whoever watches one daemon gets what both do, in order and without gaps.
      let watching = try [a, b].map { daemon in
        let subscription = try #require(daemon.coordinator?.hub.subscribe())
        return (
          subscription.revision,
          Task {
            var revisions: [Int64] = []
            for await change in subscription.changes {
              revisions.append(change.revision)
              if change.revision >= subscription.revision + 100 { break }
            }
            return revisions
          }
        )
      }
      defer { for (_, task) in watching { task.cancel() } }
      // Both create, at the same time.
      async let some = (1...5).asyncMap { try await create("A \($0)", by: a, on: [place]) }
      async let others = (1...5).asyncMap { try await create("B \($0)", by: b, on: [place]) }
      let new = try await some + others
      #expect(Set(ids + new).count == 22)
      for id in new { try await wait { try await statuses(id, a) == [.active] } }
      for number in 1...40 { _ = try await create("More \(number)", by: number % 2 == 0 ? a : b, on: [place]) }
      for (start, task) in watching {
        let revisions = await task.value
        #expect(revisions == Array(start + 1...(revisions.last ?? 0)), "after \(start)")
      }
      b.network.adopt(a.network)

      // The first one is not answered, so it does nothing more before the other one begins.
      let backend = try await freezeSession(of: a, daemons.cluster)
      try await wait { b.slots.isAll }
      let performed = a.network.performed
      for id in ids { try await wait { try await statuses(id, b) == [.active, .active] } }
      for id in new { #expect(try await statuses(id, b) == [.active]) }
      let refusal = await a.coordinator?.refusal(ofChange: ids[0])
      guard case .storageUnavailable? = refusal else {
        daemons.cluster.thaw(backend)
        Issue.record("a daemon whose session is over changes a channel: \(String(describing: refusal))")
        return
      }
      #expect(a.network.performed == performed && a.network.abandoned.last == .all)
      #expect(a.network.violations == [] && b.network.violations == [])
      // One order of changes without gaps, whoever made them.
      let store = try #require(b.store)
      let revisions = try await store.changes(after: 0, limit: 100_000).map(\.revision)
      #expect(revisions == Array(1...Int64(revisions.count)))

      // It begins again with another session, and has its share.
      daemons.cluster.thaw(backend)
      try await wait { b.slots.numbers.count == 512 && a.slots.numbers.count == 512 }
    }
  }

  /// What people decide at one daemon holds at the others, and at one that comes later.
  @Test func decisionsHoldAtEveryDaemon() async throws {
    let folders = [try TemporaryFolder(isInMemory: true), try TemporaryFolder(isInMemory: true)]
    let stores = try folders.map { try MessageStore(directory: $0.path) }
    let keepers = stores.map { MessageKeeperStore($0) }
    try await withDaemons { daemons in
      let a = try daemons.start("a", messages: keepers[0])
      try await wait { a.slots.isAll }
      try await a.coordinator?.mute("eve", true)
      #expect(try await a.store?.decisions(after: 0, limit: 9).map(\.name) == ["eve"])
      let b = try daemons.start("b", relaysOf: a, messages: keepers[1])
      try await wait { try await keepers[1].lastDecision()?.revision == 1 }
      try await b.coordinator?.mute("eve", false)
      try await wait { try await keepers[0].lastDecision()?.revision == 2 }
      #expect(try await keepers[0].lastDecision() == PersonalDecision(.muted, name: "eve", at: nil, revision: 2))
    }
    for store in stores { store.close() }
    withExtendedLifetime(folders) {}
  }

  /// Tables get columns of a newer Baton while daemons run. They go on, and so does one that begins after that.
  @Test func daemonsGoOnWhileTablesGetColumns() async throws {
    try await withDaemons { daemons in
      let a = try daemons.start("a")
      try await wait { a.slots.isAll }
      let relay = try #require(
        try await a.coordinator?.addRelay(network: .nostr, RelayEdit(address: "ws://r1"), force: false).id)
      var ids = [try await create("Before", by: a, on: [relay])]
      let connection = try await PostgreSQLConnection.open(
        try PostgreSQLAddress(daemons.cluster.address()), name: "test", schema: DatabaseSchema.name, hostTimeout: .seconds(60))
      let tables = try await connection.run(
        SQLStatement(
          "SELECT tablename::text FROM pg_tables WHERE schemaname = $1 AND tablename <> 'migrations'",
          [.text(DatabaseSchema.name)]),
        within: .seconds(60))
      #expect(tables.count >= 18)
      let additions = (0..<tables.count).compactMap { tables.text($0, 0) }.map {
        SQLStatement("ALTER TABLE \($0) ADD COLUMN of_tomorrow text NOT NULL DEFAULT 'unknown today'")
      }
      let migration = SQLStatement("INSERT INTO migrations VALUES (98, \(DatabaseSchema.version), now())")
      // Each by itself: the daemon asks for several tables at once, and would wait for one while this waits for another.
      for statement in additions + [migration] { _ = try await connection.run(statement, within: .seconds(60)) }
      await connection.close()
      ids.append(try await create("Meanwhile", by: a, on: [relay]))
      let b = try daemons.start("b", relaysOf: a)
      try await wait { b.slots.numbers.count == 512 && a.slots.numbers.count == 512 }
      for daemon in [a, b] { ids.append(try await create("After by \(daemon.name)", by: daemon, on: [relay])) }
      for id in ids {
        for daemon in [a, b] { try await wait { try await statuses(id, daemon) == [.active] } }
        let owner = try #require([a, b].first { $0.slots.contains(id) })
        #expect(await owner.coordinator?.refusal(ofChange: id) == nil)
      }
    }
  }
}

extension Sequence where Element: Sendable {
  fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
    var all: [T] = []
    for element in self { all.append(try await body(element)) }
    return all
  }
}

extension Coordinator {
  /// Why a change of a channel is refused; `nil` if it is not.
  fileprivate func refusal(ofChange channel: ChannelID) async -> BatonError? {
    do throws(BatonError) {
      _ = try await update(channel, ChannelEdit(displayName: "Mine"))
      return nil
    } catch {
      return error
    }
  }
}
