import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// What one batch reads and commits, and what a failed commit leaves behind.
struct BatchTests {
  /// A channel with nothing left to do.
  private func settled() async throws -> (Bench, ChannelID) {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.settle()
    return (bench, id)
  }

  /// All channels named by requests that arrive during a commit are read in one go, or in two: the engine may have begun to wait for the
  /// commit with the first of them.
  @Test func channelsThatABatchNamesAreReadAtOnce() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    var ids: [ChannelID] = []
    for number in 0..<20 { ids.append(try await bench.create("c\(number)", relays: relays).row.id) }
    for _ in 0..<100 where bench.coordinator.liveChannelCount > 0 { try await bench.settle() }
    #expect(bench.coordinator.liveChannelCount == 0)
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    let requests = ids.map { id in Task { try await bench.coordinator.verify(id) } }
    while bench.coordinator.inputsWaiting < ids.count { await Task.yield() }
    bench.storage.release()
    _ = try await other
    for request in requests { #expect(try await request.value.phase == .active) }
    let read = bench.storage.channelsRead
    #expect(read.count <= 2 && read.reduce(0, +) == ids.count, "\(read)")
    try await bench.stop()
  }

  /// Nothing else happens after the batch in which the channel is let go.
  @Test(.timeLimit(.minutes(10))) func channelThatIsLetGoDoesNotCount() async throws {
    let (bench, id) = try await settled()
    _ = try await bench.coordinator.update(id, ChannelEdit())
    while bench.coordinator.liveChannelCount > 0, !Task.isCancelled { await Task.yield() }
    #expect(bench.coordinator.liveChannelCount == 0)
    try await bench.stop()
  }

  /// The next commit begins before channels of the last one are let go. What it says of them is answered all the same.
  @Test(.timeLimit(.minutes(10))) func channelOfTheNextCommitIsNotLetGo() async throws {
    let (bench, id) = try await settled()
    bench.storage.hold()
    async let first = bench.coordinator.update(id, ChannelEdit(isMuted: true))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    let unchanged = Task { try await bench.coordinator.update(id, ChannelEdit()) }
    while bench.coordinator.inputsWaiting < 1 { await Task.yield() }
    // So many that they are decided on while the first commit is under way.
    let others = (0..<100).map { number in Task { try await bench.coordinator.addOperator(OperatorEdit(name: "o\(number)")) } }
    while bench.coordinator.directory.read({ $0.inputsOpen }) < 64 { await Task.yield() }
    bench.storage.release()
    _ = try await first
    #expect(try await unchanged.value.row.id == id)
    for other in others { _ = try await other.value }
    while bench.coordinator.liveChannelCount > 0, !Task.isCancelled { await Task.yield() }
    try await bench.stop()
  }

  /// A channel that changes in the same batch is stored already.
  @Test func identityInUseSaysHowManyChannelsThereAre() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let identity = try await bench.coordinator.addIdentity("Desk", on: .nostr).id
    let id = try await bench.coordinator.create(
      ChannelRequest(profile: Profile(displayName: "News"), identity: "Desk", relays: relays)
    ).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.settle()
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    async let updated = bench.coordinator.update(id, ChannelEdit(displayName: "Later News"))
    while bench.coordinator.inputsWaiting < 1 { await Task.yield() }
    let removal = Task { try await bench.coordinator.removeIdentity(identity) }
    while bench.coordinator.inputsWaiting < 2 { await Task.yield() }
    bench.storage.release()
    _ = try await (other, updated)
    await #expect(throws: BatonError.identityInUse(channels: 1)) { try await removal.value }
    try await bench.stop()
  }

  @Test func manyCreationsShareACommit() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    let before = bench.storage.commits
    bench.storage.hold()
    async let other = bench.coordinator.addOperator(OperatorEdit(name: "Other"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 { group.addTask { _ = try await bench.create("c\(number)", relays: relays) } }
      while bench.coordinator.inputsWaiting < 200 { await Task.yield() }
      bench.storage.release()
      try await group.waitForAll()
    }
    _ = try await other
    for id in 1...200 as ClosedRange<Int64> {
      _ = try await bench.channel(ChannelID(rawValue: id)) { $0.phase == .active }
    }
    #expect(bench.storage.commits - before < 200, "there were \(bench.storage.commits - before) commits for 200 channels")
    #expect(bench.coordinator.liveChannelCount == 0, "settled channels cost no memory")
    try await bench.stop()
  }

  @Test func subscribersSeeEveryCommittedChangeOnceAndInOrder() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(3)
    let subscription = try #require(bench.coordinator.hub.subscribe())
    let created = try await bench.create(relays: relays)
    _ = try await bench.channel(created.row.id) { $0.phase == .active }
    try await bench.stop()
    var live: [Int64] = []
    for await change in subscription.changes { live.append(change.revision) }
    let again = try await Bench(bench)
    let stored = try again.store.changes(after: subscription.revision, limit: 1000).map(\.revision)
    #expect(live == stored && live == Array((subscription.revision + 1)...(live.last ?? 0)))
    try await again.stop()
  }

  @Test func failedStorageRefusesChangesAndLosesNothing() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    let created = try await bench.create(relays: relays)
    bench.storage.isBroken = true
    await #expect { try await bench.create("Other", relays: relays) } throws: { error in
      if case .storageUnavailable = error as? BatonError { true } else { false }
    }
    #expect(bench.coordinator.storageTrouble?.contains("full") == true)
    #expect(try bench.store.channel(created.row.id) != nil, "reading still works")
    bench.storage.isBroken = false
    let done = try await bench.channel(created.row.id) { $0.phase == .active }
    #expect(done.relays.count == 2)
    try await bench.move { bench.coordinator.storageTrouble == nil }
    #expect(bench.coordinator.storageTrouble == nil)
    #expect(try await bench.create("Third", relays: relays).row.id == ChannelID(rawValue: 2), "the refused one left no trace")
    try await bench.stop()
  }

  /// The relay's row, to be written for its health, names an operator that the same commit makes.
  @Test func relayReportsAndNewOperatorsShareACommit() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    _ = try await bench.create(relays: relays)
    try await bench.settle()
    bench.storage.hold()
    async let first = bench.coordinator.addOperator(OperatorEdit(name: "First"))
    while !bench.storage.isCommitWaiting { await Task.yield() }
    let commits = bench.storage.commits
    bench.network.relayWent(false, relays[0])
    async let second = bench.coordinator.addOperator(OperatorEdit(name: "Second", domains: ["r1"]))
    while bench.coordinator.inputsWaiting < 2 { await Task.yield() }
    bench.storage.release()
    _ = try await (first, second)
    #expect(bench.storage.commits == commits + 1, "both were one batch")
    #expect(bench.coordinator.storageTrouble == nil)
    let relay = try #require(try bench.store.relays().first)
    #expect(relay.condition.health == .down && relay.relayOperator == OperatorID(rawValue: 2))
    try await bench.stop()
  }

  @Test func whatWasHeardOfARelayOutlivesSeveralFailuresOfStorage() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(2)
    _ = try await bench.create(relays: relays)
    try await bench.settle()
    bench.storage.isBroken = true
    bench.network.relayWent(false, relays[0])
    try await bench.settle()
    bench.network.relayWent(false, relays[1])
    try await bench.settle()
    #expect(bench.coordinator.relays.map(\.condition.health) == [.down, .down])
    bench.storage.isBroken = false
    try await bench.move { bench.coordinator.storageTrouble == nil }
    #expect(try bench.store.relays().map(\.condition.health) == [.down, .down])
    try await bench.stop()
  }
}
