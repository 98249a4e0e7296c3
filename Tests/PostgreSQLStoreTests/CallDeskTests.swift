import Channels
import Cluster
import PostgreSQL
import Storage
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Calls that daemons leave for each other in a real database.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CallDeskTests {
  private static let patience = Duration.seconds(60)
  private static let call = ForwardedCall(
    method: "org.batond.Test.Do", parameters: [0, 255, 7], hasMore: true, user: 4_294_967_295)

  private final class Bench: Sendable {
    let cluster: PostgreSQLCluster
    let administrator: PostgreSQLConnection
    /// Which session a desk's daemon trusts.
    let trusted = Mutex<Set<SessionMachine.ID>>([])

    init() async throws {
      cluster = try await PostgreSQLCluster(["fsync": "off"])
      administrator = try await PostgreSQLConnection.open(
        try PostgreSQLAddress(cluster.address()), name: "test", schema: DatabaseSchema.name, hostTimeout: patience)
      try await DatabaseSchema.prepare(administrator, within: patience)
    }

    func desk(_ name: String, slots: [Int] = [], expires: String = "infinity") async throws -> (
      desk: CallDesk, id: SessionMachine.ID
    ) {
      let rows = try await ask(
        "INSERT INTO sessions (name, version, schema, expires) VALUES ('\(name)', '1.2', 1, '\(expires)') RETURNING id")
      let id = try #require(rows.int(0, 0))
      trusted.withLock { _ = $0.insert(id) }
      if !slots.isEmpty {
        try await ask("UPDATE slots SET session = \(id) WHERE id IN (\(slots.map(String.init).joined(separator: ",")))")
      }
      var settings = SharedStore.Settings(address: try PostgreSQLAddress(cluster.address()))
      (settings.timeout, settings.hostTimeout) = (patience, patience)
      return (CallDesk(settings, session: id) { self.trusted.withLock { $0.contains(id) ? id : nil } }, id)
    }

    @discardableResult
    func ask(_ sql: String) async throws -> SQLRows { try await administrator.run(SQLStatement(sql), within: patience) }
  }

  private func withBench(_ body: (Bench) async throws -> Void) async throws {
    let bench = try await Bench()
    do { try await body(bench) } catch {
      await bench.administrator.close()
      await bench.cluster.stop()
      throw error
    }
    await bench.administrator.close()
    await bench.cluster.stop()
  }

  @Test func aCallIsTakenOnceAndAnswered() async throws {
    try await withBench { bench in
      let (a, _) = try await bench.desk("a")
      let (b, _) = try await bench.desk("b", slots: [7, 8])
      let (c, _) = try await bench.desk("c", slots: [9])
      let number = try await a.send(Self.call, to: 7)
      #expect(try await a.look(.none, sent: [number], taken: []) == CallNews())
      #expect(try await c.look(SlotSet([9]), sent: [], taken: []) == CallNews())
      #expect(try await b.look(SlotSet([7, 8]), sent: [], taken: []).hasCalls)
      // Whoever believes to have the slot, and does not, gets nothing.
      #expect(try await c.take(SlotSet([7, 9]), limit: 9).isEmpty)
      let taken = try await b.take(SlotSet([7, 8]), limit: 9)
      #expect(taken.map(\.number) == [number] && taken.first?.call == Self.call)
      #expect(try await b.take(SlotSet([7, 8]), limit: 9).isEmpty)
      // What is taken cannot be withdrawn, and no one else answers it.
      #expect(try await a.forget(number, ifFree: true) == false)
      try await c.answer(number, [1])
      #expect(try await a.look(.none, sent: [number], taken: []) == CallNews())
      try await b.answer(number, [2, 0])
      #expect(try await a.look(.none, sent: [number], taken: []).replies == [number: [2, 0]])
      #expect(try await b.look(SlotSet([7, 8]), sent: [], taken: [number]).abandoned.isEmpty)
      #expect(try await a.forget(number, ifFree: false))
      #expect(try await b.look(SlotSet([7, 8]), sent: [], taken: [number]).abandoned == [number])
      for desk in [a, b, c] { await desk.close() }
    }
  }

  @Test func whatIsNotDoneIsPutBackAndWhatIsLostIsKnown() async throws {
    try await withBench { bench in
      let (a, sender) = try await bench.desk("a")
      let (b, taker) = try await bench.desk("b", slots: [1])
      let first = try await a.send(Self.call, to: 1)
      _ = try await b.take(SlotSet([1]), limit: 9)
      // The slot has moved meanwhile.
      try await b.answer(first, nil)
      let (c, _) = try await bench.desk("c")
      try await bench.ask("UPDATE slots SET session = (SELECT id FROM sessions WHERE name = 'c') WHERE id = 1")
      #expect(try await b.take(SlotSet([1]), limit: 9).isEmpty)
      #expect(try await c.take(SlotSet([1]), limit: 9).map(\.number) == [first])
      #expect(try await a.look(.none, sent: [first], taken: []).lost.isEmpty)
      // The one that took it ends; the call is not made again.
      try await bench.ask("DELETE FROM sessions WHERE name = 'c'")
      #expect(try await a.look(.none, sent: [first], taken: []).lost == [first])
      try await bench.ask("UPDATE slots SET session = \(taker) WHERE id = 1")
      #expect(try await b.take(SlotSet([1]), limit: 9).isEmpty)
      // A session that is not trusted, or over, sends and takes nothing.
      bench.trusted.withLock { _ = $0.remove(taker) }
      await #expect(throws: StoreError.self) { try await b.send(Self.call, to: 1) }
      bench.trusted.withLock { _ = $0.insert(taker) }
      try await bench.ask("DELETE FROM sessions WHERE id = \(taker)")
      await #expect(throws: StoreError.self) { try await b.take(SlotSet([1]), limit: 9) }
      // Calls go with the session that has sent them.
      #expect(try await bench.ask("SELECT count(*) FROM calls").int(0, 0) == 1)
      try await bench.ask("DELETE FROM sessions WHERE id = \(sender)")
      #expect(try await bench.ask("SELECT count(*) FROM calls").int(0, 0) == 0)
      for desk in [a, b, c] { await desk.close() }
    }
  }

  @Test func daemonsAreListed() async throws {
    try await withBench { bench in
      let (a, id) = try await bench.desk("a", slots: [0, 3])
      _ = try await bench.desk("silent", slots: [4], expires: "-infinity")
      _ = try await bench.desk("Zed")
      try await bench.ask("UPDATE sessions SET stopped = true WHERE name = 'Zed'")
      let all = try await a.daemons()
      #expect(all.map(\.name) == ["Zed", "a", "silent"] && all.map(\.slots) == [0, 2, 1])
      #expect(all.map(\.state) == [.stopped, .alive, .silent] && all.map(\.hasCatalog) == [false, true, false])
      #expect(all.map(\.isOwn) == [false, true, false] && all[1].session == id && all[1].version == "1.2")
      #expect(try await a.drain("silent", true))
      #expect(try await a.daemons().map(\.isDraining) == [false, false, true])
      #expect(try await a.drain("silent", false))
      #expect(try await a.daemons().map(\.isDraining) == [false, false, false])
      // A connection that has ended meanwhile is made again, and whoever asks does not notice.
      let others = "FROM pg_stat_activity WHERE application_name LIKE 'batond/%'"
      try await bench.ask("SELECT pg_terminate_backend(pid) \(others)")
      while try await bench.ask("SELECT count(*) \(others)").int(0, 0) != 0 {}
      #expect(try await a.drain("nobody", true) == false)
      await a.close()
    }
  }
}
