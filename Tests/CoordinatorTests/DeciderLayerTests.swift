import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// What is decided while a commit is under way, and what becomes of both.
struct DeciderLayerTests {
  private func channel(_ id: Int64) -> ChannelID { ChannelID(rawValue: id) }

  // MARK: - It is durable

  @Test func inputsSeeWhatIsBeingCommitted() async throws {
    let shell = try await DeciderShell(relays: 2)
    await shell.take([shell.creation("News", key: "k"), shell.renaming(shell.relays[0], to: "harbour")])
    shell.close()
    #expect(shell.decider.base.live.channels.isEmpty && shell.decider.relays[shell.relays[0]]?.name == "harbour")
    let reads = await shell.take([
      shell.creation("News", key: "k"), shell.creation("Weather"), shell.update(1, name: "Novelties"),
      shell.renaming(shell.relays[1], to: "harbour"),
    ])
    #expect(reads.isEmpty, "all of it is in memory")
    let open = shell.decider.open
    #expect(open.answers.map(\.outcome).prefix(3) == [.channel(channel(1)), .channel(channel(2)), .channel(channel(1))])
    #expect(open.live[channel(1)]?.row.profile.displayName == "Novelties" && open[channel(2)].isNew)
    guard case .refused(.duplicateName)? = open.answers.last?.outcome else {
      Issue.record("\(String(describing: open.answers.last?.outcome))")
      return
    }
    #expect(shell.decider.flight?.live[channel(1)]?.row.profile.displayName == "News", "the flight stays as it is")
    try await shell.land()
    #expect(shell.decider.base.live.channels.keys.sorted() == [channel(1)])
    try await shell.land()
    #expect(shell.decider.base.live.channels.keys.sorted() == [channel(1), channel(2)])
    #expect(try shell.store.channel(channel(1))?.row.profile.displayName == "Novelties")
    shell.store.close()
  }

  @Test func identityOfTheFlightOwnsChannels() async throws {
    let shell = try await DeciderShell(relays: 1)
    let key = try shell.network.makeIdentity(secret: nil)
    let row = IdentityRow(
      id: IdentityID(rawValue: 0), name: "other", network: .nostr, publicName: key.publicName, sealedKey: [1],
      createdAt: shell.now)
    await shell.take([.addIdentity(row, key, Reply { _ in })])
    shell.close()
    #expect(shell.decider.identities.map(\.id.rawValue) == [1, 2] && shell.directory.read { $0.identities.count } == 1)
    await shell.take([.addIdentity(row, key, Reply { _ in })])
    #expect(shell.decider.open.answers.map(\.outcome) == [.refused(.duplicateName("other"))])
    let landing = try await shell.land()
    #expect(landing.effects.keys == [.unlock(IdentityID(rawValue: 2), .nostr, key)])
    #expect(landing.effects.identities?.map(\.name) == [Coordinator.mainIdentity, "other"])
    shell.store.close()
  }

  @Test func landingSettlesRevisionsInTheOpenLayerToo() async throws {
    let shell = try await DeciderShell(relays: 3)
    let id = try await shell.createActive("News")
    await shell.take([shell.update(1, name: "Novelties"), shell.renaming(shell.relays[0], to: "harbour")])
    shell.close()
    await shell.take([shell.update(1, name: "Weather"), shell.renaming(shell.relays[1], to: "mill")])
    #expect(shell.decider.open.live[id].map { $0.row.revision < 0 } == true, "it is not known yet")
    try await shell.land()
    let stored = try #require(try shell.store.channel(id)?.row.revision)
    #expect(shell.decider.base.live[id]?.row.revision == stored && shell.decider.open.live[id]?.row.revision == stored)
    let relay = try #require(try shell.store.relays().first { $0.name == "harbour" })
    #expect(shell.decider.base.catalog.relays[relay.id]?.revision == relay.revision && relay.revision > 0)
    #expect(shell.decider.open.catalog?.relays[relay.id]?.revision == relay.revision)
    #expect(shell.decider.open.catalog?.relays[shell.relays[1]]?.revision == PendingRevision.unplaced)
    let request = shell.close()
    #expect(request.parts.compactMap(\.expected) == [.init(id, at: stored)])
    guard case .landed(let receipt?, _, let effects) = try await shell.land() else {
      Issue.record("it is not stored")
      return
    }
    #expect(receipt.rejections.isEmpty && effects.changes.allSatisfy { $0.revision > receipt.base })
    #expect(shell.decider.base.live[id]?.row.revision == (try shell.store.channel(id)?.row.revision))
    #expect(shell.decider.base.catalog.relays == Dictionary(uniqueKeysWithValues: try shell.store.relays().map { ($0.id, $0) }))
    shell.store.close()
  }

  @Test func objectThatChangesAgainIsNotTakenForSettled() async throws {
    let shell = try await DeciderShell(relays: 1)
    let relay = shell.relays[0]
    await shell.take([shell.renaming(relay, to: "harbour")])
    shell.close()
    // Its revision is a place in the commit, which the second change goes on from.
    await shell.take([shell.renaming(relay, to: "mill")])
    #expect(shell.decider.open.catalog?.relays[relay]?.revision == PendingRevision.unplaced)
    let first = try await shell.land()
    let second = try await shell.land()
    let revisions = (first.effects.changes + second.effects.changes).map(\.revision)
    #expect(revisions.count == 2 && revisions == revisions.sorted())
    #expect(
      try shell.store.relays().first?.revision == revisions.last && shell.decider.base.catalog.relays[relay]?.name == "mill")
    shell.store.close()
  }

  @Test func editOfAChannelThatIsBeingChangedIsLate() async throws {
    let shell = try await DeciderShell(relays: 1)
    let id = try await shell.createActive("News")
    let revision = try #require(try shell.store.channel(id)?.row.revision)
    await shell.take([shell.update(1, name: "Novelties", revision: revision)])
    shell.close()
    await shell.take([shell.update(1, name: "Weather", revision: revision)])
    #expect(shell.decider.flight?.answers.map(\.outcome) == [.channel(id)])
    #expect(shell.decider.open.answers.map(\.outcome) == [.stale(id)] && shell.decider.open.touches.isEmpty)
    try await shell.land()
    guard case .landed(_, let decision, _) = try await shell.land(), let answer = decision.answers.first,
      case .failure(.staleChannel(let current))? = shell.decider.channel(in: answer.outcome)
    else {
      Issue.record("it is not late")
      return
    }
    #expect(current.row.profile.displayName == "Novelties" && current.row.revision > revision)
    shell.store.close()
  }

  // MARK: - Nothing is stored

  @Test func droppingLeavesTheBaseAsItWasExceptWhatWasLearned() async throws {
    let shell = try await DeciderShell(relays: 3)
    let (first, second) = (shell.relays[0], shell.relays[1])
    try await shell.store(shell.creation("News"), shell.creation("Weather"))
    let before = shell.decider.base
    await shell.take([shell.creation("Sports"), .report(.relayDown(first, Trouble(.unreachable, "gone")))])
    shell.close()
    await shell.take([shell.outcome(1, second, .accepted(link: "ws://r2")), shell.renaming(second, to: "harbour")])
    let landing = shell.fail(.unavailable("full"))
    let after = shell.decider.base
    #expect(shell.decider.flight == nil && shell.decider.open.isEmpty && shell.decider.doubt == nil)
    #expect(after.counters == before.counters && after.healing == before.healing)
    var catalog = before.catalog
    catalog.relays[first]?.condition.disconnected("gone", at: shell.now)
    #expect(after.catalog == catalog, "the name did not change, the relay is down")
    #expect(after.live.channels == before.live.channels.filter { $0.key == channel(2) }, "what was touched is read again")
    #expect(
      shell.decider.recovery.channels == [channel(1), channel(3)] && shell.decider.recovery.objects.contains(.relay(first)))
    #expect(shell.decider.alarms[.channel(channel(1))] == nil && shell.decider.alarms[.channel(channel(2))] != nil)
    #expect(shell.decider.alarms[.recovery] == shell.now + Decider.recoveryWait)
    #expect(landing.answers.map(\.outcome) == [.channel(channel(3)), .object(.relay(second))], "both are refused")
    #expect(landing.effects.changes.isEmpty && landing.effects.loads.isEmpty && landing.effects.created.isEmpty)
    #expect(landing.effects.operations.isEmpty && landing.effects.publication == nil)
    // It was not stored either: nothing may follow from it once storage works.
    shell.now = shell.now + Decider.recoveryWait
    try await shell.store(.timersDue)
    #expect(shell.decider.recovery.isOver && shell.decider.base.live.channels.keys.sorted() == [channel(1), channel(2)])
    #expect(try shell.store.relays().first { $0.id == first }?.condition.health == .down)
    shell.store.close()
  }

  @Test func waitingTimesAllowForTheAbsenceOnceThoughTheAnswerWasLost() async throws {
    let shell = try await DeciderShell(relays: 1)
    try await shell.store(shell.creation("News"))
    let id = channel(1)
    shell.decider.base.live[id] = nil
    shell.decider.absence = Absence(.seconds(100), [id])
    await shell.take([.takeUp([id])])
    _ = try await shell.storage.commit(shell.close())
    shell.fail(.inDoubt("the connection broke"))
    #expect(shell.decider.absence.span(of: id) == .seconds(100), "it may not be stored")
    _ = try await shell.settleDoubt()
    #expect(shell.decider.absence.span(of: id) == nil && shell.decider.base.live[id] == nil, "it is, and is read again")
    shell.store.close()
  }

  // MARK: - One object is not stored

  @Test func conflictTakesOneChannelOutOfTheCommit() async throws {
    let shell = try await DeciderShell(relays: 1)
    let (first, second) = (try await shell.createActive("News"), try await shell.createActive("Weather"))
    shell.storage.conflictOnce(first, custom: "of someone else")
    let edit = shell.update(1, name: "Novelties")
    await shell.take([edit, shell.update(2, name: "Climate")])
    guard case .landed(let receipt?, let decision, let effects) = try await shell.land() else {
      Issue.record("nothing is stored")
      return
    }
    #expect(receipt.rejections == [0: .conflict] && decision.answers.map(\.outcome) == [.channel(second)])
    let stored = try #require(try shell.store.channel(second))
    #expect(!effects.changes.isEmpty && effects.changes.allSatisfy { $0.channel == second })
    #expect(effects.changes.last?.revision == stored.row.revision && stored.row.profile.displayName == "Climate")
    #expect(effects.operations.map(\.operation.channel) == [second], "nothing is asked for the other channel")
    #expect(shell.decider.base.live[first] == nil && shell.decider.base.live[second]?.row == stored.row)
    #expect(shell.decider.recovery.channels == [first] && shell.decider.alarms[.recovery] == shell.now)
    #expect(shell.decider.recovery.trouble == nil, "storage works")
    // The request comes in again, and is decided on what someone else has written.
    let again = try await shell.land()
    #expect(again.effects.inputs == [edit])
    shell.letGo(again)
    let settled = try await shell.store(edit)
    #expect(settled.answers.map(\.outcome) == [.channel(first)])
    let row = try #require(try shell.store.channel(first)?.row)
    #expect(row.profile.displayName == "Novelties" && row.custom == "of someone else")
    shell.store.close()
  }

  @Test func conflictTakesWhatFollowsOutOfTheOpenLayerToo() async throws {
    let shell = try await DeciderShell(relays: 1)
    let first = try await shell.createActive("News")
    shell.storage.conflictOnce(first, custom: "of someone else")
    let edits = [shell.update(1, name: "Novelties"), shell.update(1, name: "Weather")]
    await shell.take([edits[0]])
    shell.close()
    await shell.take([edits[1], shell.creation("Sports")])
    try await shell.land()
    #expect(shell.decider.open.live.keys.sorted() == [channel(2)] && shell.decider.open.order == [channel(2)])
    let landing = try await shell.land()
    #expect(landing.effects.inputs == edits, "in their order")
    #expect(landing.answers.map(\.outcome) == [.channel(channel(2))])
    #expect(Set(landing.effects.operations.map(\.operation.channel)) == [channel(2)])
    shell.store.close()
  }

  @Test func newChannelThatCannotBeStoredIsRefusedWithTheReason() async throws {
    let shell = try await DeciderShell(relays: 1)
    await shell.take([shell.creation("News", key: "k"), shell.creation("Weather")])
    shell.close()
    let base = shell.decider.base.counters.revision
    let landing = shell.land(CommitReceipt(base: base, revision: base + 2, rejections: [0: .refused("too large")]))
    #expect(landing.effects.created == [channel(2)] && landing.effects.changes.map(\.revision) == [base + 2])
    #expect(landing.effects.loads == [shell.relays[0]: 1] && landing.answers.map(\.outcome) == [.channel(channel(2))])
    #expect(landing.effects.operations.map(\.operation.channel) == [channel(2)])
    #expect(shell.decider.base.live.channels.keys.sorted() == [channel(2)] && shell.decider.quarantined.isEmpty)
    #expect(shell.decider.recovery.isOver && shell.decider.chores.take().isEmpty)
    let refusal = shell.decider.open
    #expect(refusal.answers.map(\.outcome) == [.refused(.storageUnavailable(reason: "too large"))])
    #expect(refusal.effects.journal.map(\.message) == ["channel 1 could not be stored: too large"])
    #expect(shell.decider.known("k") == nil, "the key is free")
    shell.store.close()
  }

  @Test func oldChannelThatCannotBeStoredIsLeftAlone() async throws {
    let shell = try await DeciderShell(relays: 1)
    let id = try await shell.createActive("News")
    await shell.take([shell.update(1, name: "Novelties")])
    shell.close()
    let base = shell.decider.base.counters.revision
    let landing = shell.land(CommitReceipt(base: base, revision: base, rejections: [0: .refused("damaged")]))
    #expect(landing.effects.changes.isEmpty && landing.effects.operations.isEmpty && landing.answers.isEmpty)
    #expect(shell.decider.quarantined == [id] && shell.decider.base.live.channels.isEmpty)
    #expect(shell.decider.chores.take() == [.quarantine(id, reason: "damaged", at: shell.now)])
    #expect(shell.decider.open.effects.journal.map(\.event) == [.quarantined])
    let answered = try await shell.land()
    #expect(answered.answers.map(\.outcome) == [.refused(.storageUnavailable(reason: "damaged"))])
    // It is not read any more, and requests hear that it is not there.
    #expect(await shell.take([shell.update(1, name: "Weather")]).isEmpty)
    #expect(shell.decider.open.answers.map(\.outcome) == [.refused(.noSuchChannel(id))])
    shell.store.close()
  }

  @Test func rejectedCatalogKeepsWhatWasLearnedOfRelays() async throws {
    let shell = try await DeciderShell(relays: 2)
    let (first, second) = (shell.relays[0], shell.relays[1])
    try await shell.store(shell.creation("News"))
    await shell.take([shell.renaming(second, to: "harbour"), .report(.relayDown(first, Trouble(.unreachable, "gone")))])
    let request = shell.close()
    #expect(shell.decider.flight?.parts == [.catalog, .signOfLife] && request.parts.count == 2)
    await shell.take([.report(.relayDown(second, Trouble(.timeout, "silent"))), shell.renaming(first, to: "mill")])
    let base = shell.decider.base.counters.revision
    let landing = shell.land(CommitReceipt(base: base, revision: base, rejections: [0: .refused("a name is taken")]))
    let relays = shell.decider.base.catalog.relays
    #expect(relays[first]?.condition.health == .down && relays[second]?.condition.health == .down)
    #expect(relays[first]?.name == "r1" && relays[second]?.name == "r2", "neither change happened")
    #expect(shell.decider.recovery.objects == [.relay(first), .relay(second)], "both are stored later")
    #expect(landing.effects.changes.isEmpty && shell.decider.open.objects.isEmpty && shell.decider.open.catalog == nil)
    let refused = Answer.Outcome.refused(.storageUnavailable(reason: "a name is taken"))
    #expect(shell.decider.open.answers.map(\.outcome) == [refused, refused])
    #expect(landing.effects.journal.contains { $0.event == .relayHealth }, "that holds all the same")
    shell.store.close()
  }
}

extension Change {
  /// The channel that it is about.
  var channel: ChannelID? {
    switch object {
    case .channel(let snapshot): snapshot.row.id
    case .channelRelay(_, let row): row.channel
    case .catalog: nil
    }
  }
}
