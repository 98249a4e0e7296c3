import Channels
import RelayNetwork
import Storage
import Store
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// Two coordinators on one store, each of which acts for some of the channels.
struct SlotTests {
  private let odd = SlotSet(stride(from: 1, to: SlotSet.count, by: 2))
  private var even: SlotSet { SlotSet.all.subtracting(odd) }

  private func whyNotCreated(by bench: Bench, _ relays: [RelayID]) async -> BatonError? {
    await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.create(ChannelRequest(profile: Profile(displayName: "News"), relays: relays))
    }
  }

  @Test func eachGivesIDsInItsOwnSlots() async throws {
    let a = try await Bench(slots: even)
    let relays = try await a.addRelays(1)
    let b = try await Bench(beside: a, slots: odd)
    var ids: [[Int64]] = [[], []]
    for _ in 0..<3 {
      ids[0].append(try await a.create(relays: relays).row.id.rawValue)
      ids[1].append(try await b.create(relays: relays).row.id.rawValue)
    }
    #expect(ids == [[2, 4, 6], [1, 3, 5]])
    // No one does anything for the channels of the other.
    let (first, second) = (ChannelID(rawValue: 1), ChannelID(rawValue: 2))
    #expect(
      await a.refusal { () throws(BatonError) in try await a.coordinator.retry(first, relay: nil) } == .elsewhere(first))
    #expect(await b.refusal { () throws(BatonError) in try await b.coordinator.delete(second) } == .elsewhere(second))
    #expect(await b.refusal { () throws(BatonError) in try await b.coordinator.unfollow(second) } == .elsewhere(second))
    // A creation that the other has answered is answered with its channel.
    let one = try await a.create("Twice", relays: relays, key: "k")
    #expect(try await b.create("Twice", relays: relays, key: "k").row.id == one.row.id)
    for bench in [b, a] { try await bench.stop() }
  }

  @Test func channelIsTakenUpByTheOther() async throws {
    let a = try await Bench()
    let relays = try await a.addRelays(2)
    // It begins before there are any channels, and knows of no ids.
    let b = try await Bench(beside: a, slots: .none)
    a.network.set(.silent, at: "ws://r2")
    let id = try await a.create(relays: relays).row.id
    _ = try await a.channel(id) { $0.relays[0].view.status == .active }
    // Another daemon creates it: this one has no id to give.
    #expect(await whyNotCreated(by: b, relays) == .elsewhere(nil))
    try await a.coordinator.lose(.all)
    #expect(a.network.abandoned == [.all] && a.coordinator.liveChannelCount == 0)
    #expect(await a.refusal { () throws(BatonError) in try await a.coordinator.verify(id) } == .elsewhere(id))
    #expect(a.coordinator.directory.read { $0.loads.carried } == [:])
    let performed = a.network.performed
    b.network.adopt(a.network)
    b.coordinator.gain(.all)
    let channel = try await b.channel(id) { $0.phase == .active }
    #expect(channel.relays.map(\.view.status) == [.active, .active])
    #expect(b.coordinator.directory.read { $0.loads.carried } == [relays[0]: 1, relays[1]: 1])
    try await a.settle()
    #expect(a.network.performed == performed && b.network.violations == [])
    // The former owner gives no id that the new one gives, nor the other way round.
    #expect(try await b.create(relays: relays).row.id.rawValue == 2)
    #expect(await whyNotCreated(by: a, relays) == .elsewhere(nil))
    try await b.coordinator.lose(odd)
    a.network.adopt(b.network)
    a.coordinator.gain(odd)
    try await a.coordinator.barrier()
    #expect(try await a.create(relays: relays).row.id.rawValue == 3)
    #expect(try await b.create(relays: relays).row.id.rawValue == 4)
    for bench in [b, a] { try await bench.stop() }
  }

  /// A relay that went down while someone else acted for the channel: its channels learn of it all the same.
  @Test func whatRelaysHaveReportedConcernsChannelsThatComeLater() async throws {
    let a = try await Bench()
    let relays = try await a.addRelays(2)
    let id = try await a.create(relays: relays).row.id
    _ = try await a.channel(id) { $0.phase == .active }
    let b = try await Bench(beside: a, slots: .none)
    // It keeps a connection to the relay for the sake of another channel.
    try await a.coordinator.lose(even)
    b.network.adopt(a.network)
    b.coordinator.gain(even)
    try await b.coordinator.barrier()
    let other = try await b.create(relays: relays).row.id
    _ = try await b.channel(other) { $0.phase == .active }
    b.network.relayWent(false, relays[1])
    _ = try await b.channel(other) { $0.relays[1].view.status == .inactive }
    try await a.coordinator.lose(odd)
    b.coordinator.gain(odd)
    let channel = try await b.channel(id) { $0.relays[1].view.status == .inactive }
    #expect(channel.relays[0].view.status == .active)
    for bench in [b, a] { try await bench.stop() }
  }

  /// One daemon at a time changes operators, servers, relays and identities, and begins with what the one before has stored.
  @Test func oneDaemonLooksAfterTheCatalog() async throws {
    let a = try await Bench(slots: even)
    _ = try await a.addRelays(1)
    let b = try await Bench(beside: a, slots: odd)
    func whyNotAdded(_ address: String, by bench: Bench) async -> BatonError? {
      await bench.refusal { () throws(BatonError) in
        try await bench.coordinator.addRelay(network: .nostr, RelayEdit(address: address), force: false)
      }
    }
    #expect(await whyNotAdded("ws://late", by: b) == .elsewhere(nil))
    #expect(
      await b.refusal { () throws(BatonError) in
        try await b.coordinator.addIdentity("press", on: .nostr)
      } == .elsewhere(nil))
    #expect(await whyNotAdded("ws://late", by: a) == nil)
    try await a.coordinator.lose(SlotSet([SlotSet.catalog]))
    #expect(await whyNotAdded("ws://later", by: a) == .elsewhere(nil))
    b.coordinator.gain(SlotSet([SlotSet.catalog]))
    try await b.coordinator.barrier()
    #expect(b.coordinator.relays.map(\.address) == ["ws://r1", "ws://late"])
    #expect(await whyNotAdded("ws://later", by: b) == nil)
    #expect(b.coordinator.relays.map(\.id.rawValue) == [1, 2, 3])
    for bench in [b, a] { try await bench.stop() }
  }

  /// While its session is not trusted, a daemon publishes nothing; it goes on once the session is trusted again.
  @Test func nothingIsPublishedWithoutTrust() async throws {
    let isTrusted = Mutex(true)
    let bench = try await Bench(mayAct: { isTrusted.withLock { $0 } }, posts: true)
    let id = try await bench.readyChannel(on: 1)
    isTrusted.withLock { $0 = false }
    await bench.coordinator.suspend()
    #expect(bench.network.abandoned == [.all])
    let (performed, operations) = (bench.network.performed, bench.network.posts.operations)
    let other = try await bench.create("Other").row.id
    let post = try await bench.publish("Hello", in: id).row.id
    try await bench.settlePosts()
    #expect(bench.network.performed == performed && bench.network.posts.operations == operations)
    isTrusted.withLock { $0 = true }
    bench.coordinator.resume()
    // No one has to wait for that.
    try await bench.waitForPosts { bench.network.posts.isStored(post, at: "ws://r1") }
    #expect(bench.network.performed > performed)
    _ = try await bench.channel(other) { $0.phase == .active }
    #expect(bench.network.posts.departures(of: post, for: "ws://r1") == 1)
    try await bench.stop()
  }

  @Test func postsAreTakenUpByTheOther() async throws {
    let a = try await Bench(posts: true)
    let id = try await a.readyChannel(on: 2)
    let b = try await Bench(beside: a, slots: .none, posts: true)
    a.network.posts.change(at: "ws://r2") { $0.holdsTurns = true }
    let post = try await a.publish("early", in: id).row.id
    let later = try await a.publish("later", in: id, at: a.clock.now + .seconds(600)).row.id
    try await a.waitForPosts { a.network.posts.isStored(post, at: "ws://r1") }
    try await a.coordinator.lose(.all)
    #expect(await a.refusal { () throws(BatonError) in try await a.publish("no", in: id) } == .elsewhere(id))
    #expect(await a.refusal { () throws(BatonError) in try await a.coordinator.retryPost(post) } == .elsewhere(id))
    let operations = a.network.posts.operations
    b.network.adopt(a.network)
    b.network.posts.change(at: "ws://r2") { $0.holdsTurns = false }
    b.coordinator.gain(.all)
    try await b.movePosts { b.network.posts.isStored(post, at: "ws://r2") }
    try await b.movePosts {
      let stored = try b.store.post(later)
      return stored?.deliveries.count == 2 && stored?.deliveries.allSatisfy { $0.record.status == .verified } == true
    }
    let more = try await b.publish("more", in: id).row.id
    #expect(more > later)
    try await b.movePosts { b.network.posts.isStored(more, at: "ws://r2") }
    #expect(a.network.posts.operations == operations)
    for bench in [b, a] { try await bench.stop() }
  }
}
