import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// The decider as a value: what it decides follows from what goes in, and its layers hold nothing but what was decided.
struct DeciderValueTests {
  private func channel(_ id: Int64) -> ChannelID { ChannelID(rawValue: id) }

  @Test func copyIsIndependent() async throws {
    let shell = try await DeciderShell(relays: 2)
    let empty = shell.decider
    await shell.take([shell.creation("News")])
    shell.close()
    let inFlight = shell.decider
    #expect(empty.open.isEmpty && empty.flight == nil && !empty.isAwake && empty.ids.channel == 0)
    shell.fail(.unavailable("full"))
    #expect(inFlight.flight?.order == [channel(1)] && inFlight.recovery.isOver && inFlight.alarms[.recovery] == nil)
    #expect(shell.decider.flight == nil && shell.decider.alarms[.recovery] != nil)
    shell.store.close()
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func equalInputsGiveEqualDecisions(_ seed: UInt64) async throws {
    let shell = try await DeciderShell(relays: 5, schedule: TestSchedule(), upkeep: UpkeepPolicy(), seed: seed)
    var random = SplitMix64(seed: seed)
    var own: [Engine.Input] = []
    for step in 1...60 {
      shell.now = shell.now + .milliseconds(Int64.random(in: 0...90_000, using: &random))
      var inputs = own
      for _ in 0...Int.random(in: 0...3, using: &random) { inputs.append(randomInput(shell, step, &random)) }
      var twin = scattered(shell.decider)
      let unfolded = shell.decider.unfold(inputs, at: shell.now)
      #expect(twin.unfold(inputs, at: shell.now) == unfolded)
      let reads = shell.decider.reads(for: unfolded, at: shell.now)
      #expect(twin.reads(for: unfolded, at: shell.now) == reads)
      let facts = await Questions(shell.storage, shell.directory).answer(reads)
      shell.decider.decide(unfolded, facts, at: shell.now)
      twin.decide(unfolded, facts, at: shell.now)
      checkWaiting(shell, "seed \(seed), step \(step)")
      #expect(shell.decider.open == twin.open, "seed \(seed), step \(step)")
      let (request, other) = (shell.close(), twin.close() ?? CommitRequest([CommitPart]()))
      #expect(request == other && shell.decider.flight == twin.flight, "seed \(seed), step \(step)")
      own = try await land(shell, &twin, request, isFailing: Int.random(in: 0..<12, using: &random) == 0)
      #expect(shell.decider.base.live == twin.base.live && shell.decider.base.catalog == twin.base.catalog)
      #expect(shell.decider.base.counters == twin.base.counters && shell.decider.base.healing == twin.base.healing)
      #expect(shell.decider.alarms.times == twin.alarms.times && shell.decider.open == twin.open)
      checkWaiting(shell, "seed \(seed), step \(step)")
    }
    shell.store.close()
  }

  /// Compares the channels that are found to wait for relays with a look at all that are awake.
  private func checkWaiting(_ shell: DeciderShell, _ hint: String) {
    let decider = shell.decider
    let layers = [decider.open.live, decider.flight?.live ?? [:], decider.base.live.channels]
    let awake = Set(layers.flatMap(\.keys)).sorted()
    for relay in shell.relays {
      let expected = awake.filter { id in
        guard let machine = decider[id]?.machine(of: relay), machine.underWay == nil, !machine.isSettled else { return false }
        return [.active, .removed].contains(machine.state.status)
      }
      #expect(decider.waiting(for: relay) == expected, "relay \(relay.rawValue), \(hint)")
    }
  }

  /// Lets the decision of both be durable, or fail.
  /// - Returns: inputs of the decider's own.
  private func land(
    _ shell: DeciderShell, _ twin: inout Decider, _ request: CommitRequest, isFailing: Bool
  ) async throws -> [Engine.Input] {
    guard !isFailing else {
      let expected = twin.failed(.unavailable("full"), at: shell.now)
      guard case .failed(_, let effects, let answers) = shell.fail(.unavailable("full")) else { return [] }
      #expect(effects == expected.effects && answers == expected.answers)
      return effects.inputs
    }
    let revision = shell.decider.base.counters.revision
    let none = CommitReceipt(base: revision, revision: revision)
    let receipt = request.isEmpty ? none : try await shell.storage.commit(request)
    let expected = twin.landed(receipt, at: shell.now)
    let landing = shell.land(receipt)
    guard case .landed(_, let decision, let effects) = landing else { return [] }
    #expect(decision == expected.decision && effects == expected.effects)
    shell.letGo(landing)
    twin.letGo(expected.decision, after: expected.effects)
    _ = (shell.decider.chores.take(), twin.chores.take())
    return effects.inputs
  }

  /// The same decider, whose dictionaries have another order.
  private func scattered(_ decider: Decider) -> Decider {
    func scatter<Key: Hashable, Value>(_ table: [Key: Value]) -> [Key: Value] {
      var other = [Key: Value](minimumCapacity: 5_000)
      for (key, value) in table.reversed() { other[key] = value }
      return other
    }
    var twin = decider
    twin.base.live = AwakeChannels(scatter(twin.base.live.channels))
    twin.base.catalog.relays = scatter(twin.base.catalog.relays)
    twin.open.live = scatter(twin.open.live)
    twin.open.seen = Set(scatter(Dictionary(uniqueKeysWithValues: twin.open.seen.map { ($0, true) })).keys)
    return twin
  }

  private func randomInput(_ shell: DeciderShell, _ step: Int, _ random: inout SplitMix64) -> Engine.Input {
    let relay = shell.relays[Int.random(in: 0..<shell.relays.count, using: &random)]
    let id = Int64.random(in: 1...max(1, shell.decider.ids.channel), using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: return shell.creation("News \(step)", on: Array(shell.relays.prefix(Int.random(in: 1...4, using: &random))))
    case 2: return shell.creation("Same", on: [relay], key: "key \(step % 3)")
    case 3: return shell.update(id, name: "Name \(step)")
    case 4: return .delete(channel(id), Reply { _ in })
    case 5: return .joinRelays(channel(id), [], pick: 1, Reply { _ in })
    case 6: return .report(.relayDown(relay, Trouble(.unreachable, "gone")))
    case 7: return .report(.relayUp(relay, roundTrip: .milliseconds(4)))
    case 8: return shell.renaming(relay, to: "name \(step)")
    case 9: return .change(.removeRelay(relay), force: false, Reply { _ in })
    case 10: return shell.outcome(id, relay, .troubled(Trouble(.timeout, "silent"), retryAfter: nil))
    case 11: return shell.outcome(id, relay, .missing)
    case 12: return shell.outcome(id, relay, .verified(edition: 1))
    case 13: return shell.outcome(id, relay, .accepted(link: "ws://\(relay.rawValue)"))
    default: return .timersDue
    }
  }

  // MARK: - What must wait

  @Test func whatCountsOrListsChannelsWaitsForWhatIsBeingCommitted() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (id, relay) = (channel(1), shell.relays[0])
    let elsewhere = try shell.network.parse(address: "ws://elsewhere")
    let same = try shell.network.parse(address: "ws://r1")
    func move(_ address: RelayAddress?) -> CatalogChange { .updateRelay(relay, revision: 1, address, RelayEdit()) }
    let resting: [Engine.Input] = [
      .change(.removeRelay(relay), force: false, Reply { _ in }), .change(move(elsewhere), force: true, Reply { _ in }),
      .change(move(same), force: false, Reply { _ in }),
      .sweep(relay, .active, .relayReturned, after: nil), .verifyChannels(relay, atMost: 1),
      .removeIdentity(IdentityID(rawValue: 1), Reply { _ in }),
      .lookForNeighbour(of: id, IdentityID(rawValue: 1), relay), .alarm(.upkeep),
    ]
    for input in resting { #expect(shell.decider.needsRest(input), "\(DecisionLines.words(input))") }
    let key = try shell.network.makeIdentity(secret: nil)
    let identity = IdentityRow(
      id: IdentityID(rawValue: 0), name: "other", network: .nostr, publicName: key.publicName, sealedKey: [],
      createdAt: shell.now
    )
    let others: [Engine.Input] = [
      .change(.removeRelay(relay), force: true, Reply { _ in }),
      .change(move(nil), force: false, Reply { _ in }),
      .change(.addOperator(OperatorEdit(name: "Other")), force: false, Reply { _ in }),
      .report(.relayUp(relay, roundTrip: .zero)), .timersDue, shell.creation("News", key: "k"), shell.update(1, name: "Other"),
      .retry(id, nil, Reply { _ in }), .verify(id, Reply { _ in }), .delete(id, Reply { _ in }),
      .joinRelays(id, [relay], pick: 0, Reply { _ in }), .leaveRelay(id, relay, Reply { _ in }),
      .tested(.relay(relay), address: "", .overdue, nil), .forgetHistory, .addIdentity(identity, key, Reply { _ in }),
      .adopt(shell.decider.rules, Reply { _ in }), .heartbeat(Reply { _ in }), .barrier(Reply { _ in }),
      .takeUp([id]), .alarm(.channel(id)), .alarm(.grace(relay)), .alarm(.recovery), .alarm(.digest),
      .alarm(.test(.relay(relay))), .alarm(.testOverdue(.relay(relay))), .recover([id], [.relay(relay)]),
    ]
    for input in others { #expect(!shell.decider.needsRest(input), "\(DecisionLines.words(input))") }
    shell.store.close()
  }

  // MARK: - What it costs

  @Test func decisionHoldsWhatItTouchedAndNotAllThatIsAwake() async throws {
    let shell = try await DeciderShell(relays: 3)
    let count: Int64 = 10_000
    for id in 1...count {
      let row = ChannelRow(
        id: channel(id), kind: .channel, network: .nostr, identity: IdentityID(rawValue: 1),
        profile: Profile(displayName: "c\(id)"), preferences: nil, networkID: "event \(id)", trustAnchor: "key", document: "",
        wantedRelays: 3, heal: true, custom: nil, idempotencyKey: nil, createdAt: shell.now, updatedAt: shell.now, revision: id)
      var machine = ChannelMachine(id: row.id, wantedRelays: 3, relays: shell.relays, now: shell.now)
      _ = machine.handle(.begun, now: shell.now, policy: RelayPolicy())
      shell.decider.base.live[row.id] = Decider.Live(row: row, machine: machine)
    }
    let relay = shell.relays[1]
    #expect(await shell.take([shell.outcome(7, relay, .accepted(link: "ws://r2"))]).isEmpty)
    let open = shell.decider.open
    #expect(open.live.count == 1 && open.touches.count == 1 && open.order == [channel(7)] && open.seen == [channel(7)])
    #expect(open.catalog == nil && open.identities == nil && open.ids == nil && open.healing == nil)
    let request = shell.close()
    #expect(request.parts.count == 2 && shell.decider.flight?.live.count == 1 && shell.decider.open.live.isEmpty)
    await shell.take([shell.update(8, name: "Other")])
    let base = shell.decider.base.counters.revision
    let landing = shell.land(CommitReceipt(base: base, revision: base + 3))
    shell.letGo(landing)
    #expect(shell.decider.base.live.channels.count == Int(count) && shell.decider.open.live.count == 1)
    #expect(landing.effects.operations.map(\.operation.task) == [.verify] && shell.decider.alarms.times.count == 1)
    shell.fail(.unavailable("full"))
    #expect(shell.decider.base.live.channels.count == Int(count) - 1 && shell.decider.recovery.channels == [channel(8)])
    shell.store.close()
  }
}
