import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// What comes in while a commit is under way, and what becomes of it when that commit fails or is a conflict.
struct PipelineTests {
  /// Waits until the commit that was held is under way.
  private func flight(_ bench: Bench) async { while !bench.storage.isCommitWaiting { await Task.yield() } }

  /// Waits until so many inputs are decided, or wait, while a commit is under way.
  private func open(_ count: Int, _ bench: Bench) async {
    while bench.coordinator.directory.read({ $0.inputsOpen }) < count { await Task.yield() }
  }

  private func active(_ bench: Bench, relays count: Int) async throws -> ChannelID {
    let relays = try await bench.addRelays(count)
    let id = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(id) { $0.phase == .active }
    try await bench.settle()
    return id
  }

  // MARK: - The commit fails

  /// The next commit would be stored, but it was decided as if the first one were.
  @Test func whatWasDecidedOnTopOfACommitThatFailedIsRefusedWithIt() async throws {
    let bench = try await Bench()
    bench.storage.isBroken = true
    bench.storage.hold()
    let first = Task { try await bench.coordinator.addOperator(OperatorEdit(name: "First")) }
    await flight(bench)
    bench.storage.isBroken = false
    let second = Task { try await bench.coordinator.addOperator(OperatorEdit(name: "Second")) }
    await open(1, bench)
    bench.storage.release()
    let reason = BatonError.storageUnavailable(reason: "database or disk is full")
    await #expect(throws: reason) { _ = try await first.value }
    await #expect(throws: reason) { _ = try await second.value }
    #expect(try bench.store.operators().isEmpty && bench.coordinator.operators.isEmpty)
    try await bench.move { bench.coordinator.storageTrouble == nil }
    let third = try await bench.coordinator.addOperator(OperatorEdit(name: "Third"))
    #expect(try third.id == OperatorID(rawValue: 1) && bench.store.operators().map(\.name) == ["Third"])
    try await bench.stop()
  }

  @Test func requestsAreDecidedAsIfThoseBeforeThemWereStored() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 2)
    bench.storage.hold()
    let deletion = Task { try await bench.coordinator.delete(id) }
    await flight(bench)
    let removal = Task { try await bench.coordinator.removeRelay(RelayID(rawValue: 1), from: id) }
    await open(1, bench)
    bench.storage.release()
    #expect(try await deletion.value.row.deletedAt != nil)
    await #expect(throws: BatonError.noSuchChannel(id), "the deletion is decided already") { _ = try await removal.value }
    try await bench.stop()
  }

  // MARK: - Counts and lists

  /// The channel is in no count of what is stored.
  @Test func identityOfAChannelThatIsBeingStoredIsInUse() async throws {
    let bench = try await Bench()
    let relays = try await bench.addRelays(1)
    let identity = try await bench.coordinator.addIdentity("Desk", on: .nostr).id
    bench.storage.hold()
    let creation = Task {
      try await bench.coordinator.create(
        ChannelRequest(profile: Profile(displayName: "News"), identity: "Desk", relays: relays))
    }
    await flight(bench)
    let removal = Task { try await bench.coordinator.removeIdentity(identity) }
    await open(1, bench)
    bench.storage.release()
    #expect(try await creation.value.row.identity == identity)
    await #expect(throws: BatonError.identityInUse(channels: 1)) { _ = try await removal.value }
    try await bench.stop()
  }

  // MARK: - Someone else has changed the channel

  @Test func requestsAboutAChannelThatWasChangedElsewhereAreDecidedAgain() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 1)
    let subscription = try #require(bench.coordinator.hub.subscribe())
    let elsewhere: JSONValue = ["by": "another"]
    bench.storage.conflictOnce(id, custom: elsewhere)
    bench.storage.hold()
    let first = Task { try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News")) }
    await flight(bench)
    let second = Task { try await bench.coordinator.update(id, ChannelEdit(description: "about")) }
    await open(1, bench)
    bench.storage.release()
    #expect(try await first.value.row.custom == elsewhere)
    let updated = try await second.value
    #expect(updated.row.custom == elsewhere && updated.row.profile.displayName == "Later News")
    #expect(updated.row.profile.description == "about")
    let settled = try await bench.channel(id) { $0.relays[0].record.shown == $0.row.edition }
    #expect(settled.row.profile == updated.row.profile && settled.row.custom == elsewhere)
    #expect(bench.coordinator.storageTrouble == nil, "nothing is wrong with storage")
    // Nothing was published that is not stored so.
    let (changes, hasMissed) = subscription.drain()
    #expect(!hasMissed && !changes.isEmpty)
    for change in changes {
      if case .channel(let channel) = change.object { #expect(channel.row.custom == elsewhere) }
    }
    let stored = Set(try bench.store.changes(after: subscription.revision, limit: 1_000).map(\.revision))
    #expect(changes.allSatisfy { stored.contains($0.revision) })
    #expect(Set(changes.map(\.revision)).count == changes.count)
    try await bench.stop()
  }

  @Test func revisionThatWasChangedElsewhereIsStale() async throws {
    let bench = try await Bench()
    let id = try await active(bench, relays: 1)
    let known = try #require(try bench.store.channel(id)).row.revision
    bench.storage.conflictOnce(id, custom: ["by": "another"])
    do {
      _ = try await bench.coordinator.update(id, ChannelEdit(displayName: "Later News", revision: known))
      Issue.record("it was based on what is not stored any more")
    } catch BatonError.staleChannel(let channel) {
      #expect(channel.row.custom == ["by": "another"] && channel.row.revision > known)
    }
    try await bench.stop()
  }
}
