import Channels
import RelayNetwork
import Storage
import Store
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// Commits that fail: the reports about them, and their consequences.
struct FailedCommitTests {
  @Test func commitThatFailedAndIsDurableAllTheSameIsCarriedOn() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.storage.isDoubtful = true
    await #expect(throws: BatonError.outcomeUnknown(reason: "the answer was lost")) {
      try await bench.create("Doubtful", relays: relays)
    }
    bench.storage.isDoubtful = false
    let before = try bench.store.counters()
    #expect(before.channel == 1)
    let next = try await bench.create("Next", relays: relays)
    #expect(next.row.id.rawValue == 2 && next.row.revision > before.revision, "nothing is given out twice")
    let doubtful = try await bench.channel(ChannelID(rawValue: 1)) { $0.phase == .active }
    #expect(doubtful.row.profile.displayName == "Doubtful")
    #expect(bench.coordinator.storageTrouble == nil)
    try await bench.stop()
  }

  @Test func refusalForTheSakeOfARequestThatDidNotHappenIsTakenBack() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    bench.storage.isBroken = true
    let deletion = Task { try await bench.coordinator.delete(id) }
    while bench.coordinator.inputsWaiting < 1 { await Task.yield() }
    let removal = Task { try await bench.coordinator.removeRelay(relays[0], from: id) }
    while bench.coordinator.inputsWaiting < 2 { await Task.yield() }
    bench.storage.release()
    _ = try await other
    let reason = BatonError.storageUnavailable(reason: "database or disk is full")
    await #expect(throws: reason) { try await deletion.value }
    await #expect(throws: reason, "the channel is still there") { try await removal.value }
    try await bench.stop()
  }

  @Test func heartbeatWritesAndReportsABrokenStore() async throws {
    let bench = try await Bench()
    let (commits, revision) = (bench.storage.commits, bench.coordinator.hub.revision)
    try await bench.coordinator.heartbeat()
    #expect(bench.storage.commits == commits + 1 && bench.coordinator.hub.revision == revision)
    bench.storage.isBroken = true
    await #expect(throws: BatonError.storageUnavailable(reason: "database or disk is full")) {
      try await bench.coordinator.heartbeat()
    }
    bench.storage.isBroken = false
    // A store that hangs gives no sign of life.
    let isAnswered = Mutex(false)
    bench.storage.hold()
    let heartbeat = Task {
      try? await bench.coordinator.heartbeat()
      isAnswered.withLock { $0 = true }
    }
    while !bench.storage.isCommitWaiting { await Task.yield() }
    for _ in 0..<1_000 { await Task.yield() }
    #expect(!isAnswered.withLock { $0 })
    bench.storage.release()
    await heartbeat.value
    try await bench.stop()
  }

  @Test func newRulesApplyAtOnce() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    bench.network.set(.silent, at: "ws://r1")
    var policy = RelayPolicy()
    policy.attemptsMax = 1
    policy.backOffJitterPercent = 0
    try await bench.coordinator.adopt(Rules(policy: policy))
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .failed }
    // By the earlier rules it would have tried eight times.
    let transitions = try bench.store.transitions(of: id, limit: 100)
    #expect(transitions.filter { $0.transition.cause == .timeout }.count == 1, "\(transitions)")
    try await bench.stop()
  }

  @Test func journalSaysThatAChannelWasCreatedAgainOnceThatIsStored() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    func entries(_ event: JournalEvent) -> [RecordingLog.Entry] {
      bench.log.entries.filter { $0.fields["MESSAGE_ID"] == event.rawValue }
    }
    bench.storage.isBroken = true
    bench.network.send(.named(channel: id, networkID: "12", trustAnchor: "https://smp.example/c#A"))
    bench.network.relayWent(false, relays[0])
    try await bench.settle()
    #expect(entries(.linkChanged).isEmpty, "it did not happen")
    #expect(entries(.relayHealth).count { $0.fields["BATON_HEALTH"] == "down" } == 1, "that holds all the same")
    bench.storage.isBroken = false
    for _ in 0..<50 where bench.coordinator.storageTrouble != nil {
      if let next = bench.clock.nextWake { bench.clock.advance(by: max(next - bench.clock.now, .zero)) }
      try await bench.settle()
    }
    bench.network.send(.named(channel: id, networkID: "12", trustAnchor: "https://smp.example/c#A"))
    try await bench.settle()
    #expect(entries(.linkChanged).count == 1)
    #expect(entries(.relayHealth).count { $0.fields["BATON_HEALTH"] == "down" } == 1)
    // Only the answer of the commit is lost.
    bench.storage.isDoubtful = true
    bench.network.send(.named(channel: id, networkID: "13", trustAnchor: "https://smp.example/c#B"))
    try await bench.settle()
    bench.storage.isDoubtful = false
    try await bench.settle()
    #expect(entries(.linkChanged).count == 2)
    try await bench.stop()
  }

  @Test func journalSaysInWordsWhyACreationWasRefused() async throws {
    let bench = try await Bench()
    await #expect(throws: BatonError.noSuchRelay(RelayID(rawValue: 7))) {
      try await bench.create(relays: [RelayID(rawValue: 7)])
    }
    let entries = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.channelRefused.rawValue }
    #expect(entries.map(\.message) == ["the creation of a channel was refused: there is no relay with id 7"])
    try await bench.stop()
  }

  @Test func journalSaysOnceThatAChannelWasCreated() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    bench.network.set(.silent, at: "ws://r2")
    // On a clock that stands still everything that follows happens in the same millisecond.
    let id = try await bench.create(relays: relays).row.id
    try await bench.settle()
    let entries = bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.channelCreated.rawValue }
    #expect(entries.map(\.message) == ["channel \(id.rawValue) 'News' was created"])
    try await bench.stop()
  }

  @Test func journalSaysWhatADoubtfulCommitHasChanged() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    func messages() -> [String] {
      bench.log.entries.filter { $0.fields["MESSAGE_ID"] == JournalEvent.channelCreated.rawValue }.map(\.message)
    }
    bench.storage.isDoubtful = true
    await #expect(throws: BatonError.self) { try await bench.create("Doubtful", relays: relays) }
    #expect(messages().isEmpty, "it is not known")
    bench.storage.isDoubtful = false
    try await bench.settle()
    #expect(messages() == ["channel 1 'Doubtful' was created"])
    try await bench.stop()
  }

  @Test func subscribersHearThatTheyMissedADoubtfulCommit() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let subscription = try #require(bench.coordinator.hub.subscribe())
    bench.storage.isDoubtful = true
    await #expect(throws: BatonError.self) { try await bench.create(relays: relays) }
    bench.storage.isDoubtful = false
    try await bench.settle()
    let revision = try bench.store.counters().revision
    #expect(bench.coordinator.hub.revision == revision)
    guard case .missed(subscription.revision, revision) = subscription.take() else {
      Issue.record("the subscriber does not hear of what it missed")
      return try await bench.stop()
    }
    // It gets later changes.
    try await bench.move { bench.coordinator.storageTrouble == nil }
    let created = try await bench.create("Later", relays: relays)
    let (changes, hasMissed) = subscription.drain()
    #expect(!hasMissed && changes.allSatisfy { $0.revision > revision })
    #expect(changes.contains { $0.revision == created.row.revision })
    try await bench.stop()
  }
}
