import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// The history of the health of relays and servers: each change is a line, once, whatever becomes of commits.
struct HealthHistoryTests {
  /// A decider that watches its first relay, because a channel is there.
  private func watching() async throws -> DeciderShell {
    let shell = try await DeciderShell(relays: 2)
    try await shell.store(shell.creation("News"))
    return shell
  }

  /// The lines of all peers, the oldest first.
  private func lines(_ shell: DeciderShell) throws -> [String] {
    try shell.store.health(of: nil, before: .max, limit: 100).rows.reversed().map { row in
      let cause = row.cause.map { " (\($0.rawValue))" } ?? ""
      return "\(row.peer) \(row.from.rawValue) \(row.to.rawValue)\(cause) \(row.detail)"
    }
  }

  private func down(_ relay: RelayID, _ cause: Cause, _ words: String) -> Engine.Input {
    .report(.relayDown(relay, Trouble(cause, words)))
  }

  @Test func eachChangeOfHealthIsALine() async throws {
    let shell = try await watching()
    let (relay, peer) = (shell.relays[0], Probed.relay(shell.relays[0]))
    let start = shell.now
    for (number, input) in [
      Engine.Input.report(.relayUp(relay, roundTrip: .milliseconds(5))), down(relay, .timeout, "no answer"),
      // It stays down, for another reason.
      down(relay, .unreachable, "refused"), .report(.relayUp(relay, roundTrip: .milliseconds(5))),
    ].enumerated() {
      shell.now = start + .seconds(number)
      try await shell.store(input)
    }
    #expect(
      try lines(shell) == ["\(peer) unknown up ", "\(peer) up down (timeout) no answer", "\(peer) down up "])
    let rows = try shell.store.health(of: [peer], before: .max, limit: 100).rows
    #expect(rows.map(\.at) == [start + .seconds(3), start + .seconds(1), start])
    // A line has the revision of the relay's own change.
    #expect(rows.first?.revision == shell.decider.base.catalog.relays[relay]?.revision)
    let changed = try shell.store.changes(after: 0, limit: 1_000).filter { $0.object == .relay(relay) }.map(\.revision)
    #expect(Set(rows.map(\.revision)).isSubset(of: Set(changed)))
    #expect(try shell.store.health(of: [.server(ServerID(rawValue: relay.rawValue))], before: .max, limit: 100).rows.isEmpty)
    shell.store.close()
  }

  /// What happens within one commit is one line, and none if all is as before.
  @Test func commitHasOneLineForEachPeer() async throws {
    let shell = try await watching()
    let relay = shell.relays[0]
    try await shell.store(.report(.relayUp(relay, roundTrip: .milliseconds(5))))
    await shell.take([down(relay, .timeout, "no answer"), .report(.relayUp(relay, roundTrip: .milliseconds(5)))])
    try await shell.land()
    #expect(try lines(shell).count == 1)
    shell.store.close()
  }

  /// The line follows with the first commit that stores the relay, with the cause from before and its time.
  @Test func changeThatWasNotStoredIsALineLater() async throws {
    let shell = try await watching()
    let (relay, start) = (shell.relays[0], shell.now)
    await shell.take([down(relay, .timeout, "no answer")])
    shell.close()
    shell.fail(.unavailable("database or disk is full"))
    #expect(try lines(shell).isEmpty)
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    #expect(try lines(shell) == ["\(Probed.relay(relay)) unknown down (timeout) no answer"])
    #expect(try shell.store.health(of: nil, before: .max, limit: 1).rows.first?.at == start)
    shell.store.close()
  }

  /// - Parameter isDurable: whether the commit of which the answer was lost was written.
  @Test(arguments: [true, false]) func commitInDoubtLeadsToOneLine(isDurable: Bool) async throws {
    let shell = try await watching()
    let relay = shell.relays[0]
    await shell.take([down(relay, .timeout, "no answer")])
    let request = shell.close()
    if isDurable { _ = try await shell.storage.commit(request) }
    shell.fail(.inDoubt("the answer was lost"))
    _ = try await shell.settleDoubt()
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    try await shell.store(down(relay, .timeout, "no answer"))
    #expect(try lines(shell) == ["\(Probed.relay(relay)) unknown down (timeout) no answer"])
    try await shell.store(.report(.relayUp(relay, roundTrip: .milliseconds(5))))
    #expect(try lines(shell).last == "\(Probed.relay(relay)) down up ")
    shell.store.close()
  }

  @Test func testsOfServersAreInTheHistoryToo() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (id, address) = (ServerID(rawValue: 1), "smp://MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=@s.example")
    var row = ServerRow(id: id, transport: .smp, address: address, fingerprint: "f", hosts: ["s.example"])
    row.revision = 1
    shell.decider.base.catalog.servers[id] = row
    let failed = ProbeVerdict(
      [ProbeStep(name: "tls", duration: .zero, failure: Trouble(.wrongIdentity, "another key"))], isFull: true)
    try await shell.store(.tested(.server(id), address: address, failed, Reply { _ in }))
    #expect(try lines(shell) == ["\(Probed.server(id)) unknown down (wrongIdentity) tls: another key"])
    shell.store.close()
  }

  /// A connection that is back does not clear what a test found, and the line says that.
  @Test func faultOfATestIsTheCauseAgainOnceTheConnectionIsBack() async throws {
    let shell = try await watching()
    let relay = shell.relays[0]
    let failed = ProbeVerdict(
      [ProbeStep(name: "publish", duration: .zero, failure: Trouble(.rejected, "blocked"))], isFull: true)
    for input in [
      .report(.relayUp(relay, roundTrip: .milliseconds(5))), .tested(.relay(relay), address: "ws://r1", failed, Reply { _ in }),
      down(relay, .timeout, "no answer"), .report(.relayUp(relay, roundTrip: .milliseconds(5))),
    ] as [Engine.Input] {
      try await shell.store(input)
    }
    #expect(
      try lines(shell).dropFirst() == [
        "\(Probed.relay(relay)) up degraded (rejected) publish: blocked",
        "\(Probed.relay(relay)) degraded down (timeout) no answer",
        "\(Probed.relay(relay)) down degraded (rejected) publish: blocked",
      ])
    shell.store.close()
  }

  /// Who takes over goes on from what is stored, and not from what it knew itself.
  @Test func whoTakesOverGoesOnFromWhatIsStored() async throws {
    let shell = try await watching()
    let (relay, start) = (shell.relays[0], shell.now)
    try await shell.store(.report(.relayUp(relay, roundTrip: .milliseconds(5))))
    // Another daemon has found it up again an hour later; here it has been down for most of that time.
    shell.now = start + .seconds(60)
    await shell.take([down(relay, .timeout, "no answer")])
    shell.decider.slots = SlotSet.all.subtracting(SlotSet([SlotSet.catalog]))
    shell.close()
    shell.fail(.unavailable("gone"))
    var stored = try await StoredCatalog(shell.storage, addressing: shell.directory.addressing)
    stored.catalog.relays[relay]?.condition.healthSince = start + .seconds(3_600)
    shell.now = start + .seconds(7_200)
    shell.decider.slots = .all
    shell.decider.takeOver(stored, try await shell.storage.counters())
    shell.now = max(shell.now, try #require(shell.decider.alarms[.recovery]))
    try await shell.store(.timersDue)
    #expect(try lines(shell).last == "\(Probed.relay(relay)) up down (timeout) no answer")
    #expect(try shell.store.health(of: nil, before: .max, limit: 1).rows.first?.at == start + .seconds(3_600))
    shell.store.close()
  }
}
