import BatonClient
import ControlAPI
import Coordinator
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Many clients that watch, and slow ones.
@Suite(.timeLimit(.minutes(10)))
struct WatchTests {
  /// The object of a message, which a later message may share.
  private func subject(_ message: ChangeMessage) -> String {
    guard let transition = message.transition else { return "\(message.kind) \(message.after?["id"]?.integer ?? 0)" }
    return "relay \(transition["relayId"]?.integer ?? 0) of channel \(transition["channelId"]?.integer ?? 0)"
  }

  private func isGrowing(_ messages: [ChangeMessage]) -> Bool {
    zip(messages, messages.dropFirst()).allSatisfy { $0.revision < $1.revision }
  }

  @Test func changeIsEncodedOnceForAllWhoWatch() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(2)
    let watchers = try (0..<30).map { _ in try LazyWatcher(bench.path) }
    for watcher in watchers { #expect(try await watcher.next()?.kind == "snapshot") }
    let start = bench.coordinator.hub.revision
    try await bench.fill(1...5)
    let end = bench.coordinator.hub.revision
    var first: [ChangeMessage]?
    for watcher in watchers {
      let messages = try await watcher.all(through: end)
      #expect(messages.map(\.revision) == Array((start + 1)...end))
      #expect(first == nil || first == messages)
      first = messages
    }
    #expect(bench.coordinator.hub.figures.messages == Int(end - start))
    for watcher in watchers { watcher.close() }
    try await bench.stop()
  }

  /// What is written without a `ChangeMessage` is one, letter for letter.
  @Test func changesAreSentInTheFormOfTheirMessage() async throws {
    let bench = try await Bench()
    let subscription = try #require(bench.coordinator.hub.subscribe(ChangeSelection()))
    _ = try await bench.addRelays(2)
    let relay = try await bench.client.relays.add(AddRelay(address: "ws://other"))
    _ = try await bench.client.relays.update(UpdateRelay(id: relay.id, revision: relay.revision, name: "another"))
    try await bench.fill(1...2)
    let end = bench.coordinator.hub.revision
    var kinds: Set<String> = []
    var latest: Int64 = 0
    while latest < end {
      guard case .change(let entry) = subscription.take() else {
        await subscription.wait()
        continue
      }
      latest = entry.change.revision
      for isMerged in [nil, true] {
        var change = try SentChange(entry.change, bench.coordinator, ChannelActivity())
        change.merged = isMerged
        let message = try ChangeMessage(json: try JSONParser.parse(change.jsonBytes))
        #expect(message.jsonBytes == change.jsonBytes && message.revision == latest && message.merged == isMerged)
        #expect(message.after != nil && (message.kind == "channelRelay") == (message.transition != nil))
        kinds.insert(message.kind + (message.before == nil ? "" : " before"))
      }
    }
    #expect(kinds == ["relay", "relay before", "channel", "channelRelay before"])
    subscription.cancel()
    try await bench.stop()
  }

  @Test func slowClientGetsTheNewestOfEachObjectAndIsCurrentThen() async throws {
    let hub = ChangeHub(queueMax: 200)
    let bench = try await Bench(hub: hub)
    _ = try await bench.addRelays(2)
    let slow = try LazyWatcher(bench.path)
    #expect(try await slow.next()?.kind == "snapshot")
    let start = hub.revision
    // Far more than the buffers on the way hold.
    try await bench.fill(1...10, untilStuck: 1)
    try await bench.fill(11...100)
    let end = hub.revision
    let messages = try await slow.all(through: end)
    #expect(isGrowing(messages) && messages.last?.revision == end && hub.figures.falls == 1)

    // First everything, then only the newest change of each object.
    let told = messages.prefix { $0.merged == nil }
    let merged = messages.dropFirst(told.count)
    #expect(!told.isEmpty && told.map(\.revision) == Array((start + 1)...(start + Int64(told.count))))
    #expect(merged.allSatisfy { $0.merged == true } && Set(merged.map(subject)).count == merged.count)
    // Nearly every channel has a change of its own and one transition per relay.
    #expect((200...300).contains(merged.count))

    // A client that keeps the newest of each object is right.
    let newest = Dictionary(messages.map { (subject($0), $0) }) { _, last in last }
    let channels = try await bench.client.channels.all()
    #expect(channels.count == 100)
    for channel in channels {
      let known = try #require(newest["channel \(channel.id)"]?.after)
      #expect(try Channel(json: known) == channel)
      for relay in channel.relays {
        let transition = newest["relay \(relay.relayId) of channel \(channel.id)"]
        #expect(transition?.transition?["to"] == "active" && transition?.after?["status"] == "active")
      }
    }

    _ = try await bench.client.relays.add(AddRelay(address: "ws://later"))
    let later = try await slow.next()
    #expect(later?.kind == "relay" && later?.merged == nil && later?.revision == hub.revision)
    slow.close()
    try await bench.stop()
  }

  @Test func clientThatFallsBehindTwiceInARowIsTooSlow() async throws {
    let hub = ChangeHub(queueMax: 200)
    let bench = try await Bench(hub: hub)
    _ = try await bench.addRelays(2)
    let slow = try LazyWatcher(bench.path)
    #expect(try await slow.next()?.kind == "snapshot")
    try await bench.fill(1...10, untilStuck: 1)
    try await bench.fill(11...120)
    let end = hub.revision
    // Wait until the daemon has seen that the client fell behind. It missed more than the buffers hold.
    var messages: [ChangeMessage] = []
    while hub.figures.falls == 0 { messages.append(try #require(try await slow.next())) }
    for number in 1...210 { _ = try await bench.client.relays.add(AddRelay(address: "ws://more\(number)")) }
    do {
      while let message = try await slow.next() { messages.append(message) }
      Issue.record("the connection ends in silence")
    } catch let error as VarlinkError {
      #expect(error == VarlinkError("org.batond.Monitor.TooSlow", ["revision": .integer(end)]))
    }
    #expect(isGrowing(messages.filter { $0.kind != "snapshot" }) && messages.last?.revision == end)

    // From there the client continues without a gap.
    let again = try LazyWatcher(bench.path, WatchRequest(since: end))
    let rest = try await again.all(through: hub.revision)
    #expect(rest.map(\.revision) == Array((end + 1)...hub.revision) && rest.allSatisfy { $0.merged == nil })
    again.close()
    slow.close()
    try await bench.stop()
  }

  @Test func clientsThatDoNotReadCostOneBatchEach() async throws {
    let hub = ChangeHub(queueMax: 128, bytesMax: 1 << 20)
    let bench = try await Bench(hub: hub)
    _ = try await bench.addRelays(2)
    let deaf = try (0..<40).map { _ in try LazyWatcher(bench.path) }
    for watcher in deaf { #expect(try await watcher.next()?.kind == "snapshot") }
    // A batch has at least 16 KiB, and its last message may exceed that.
    let most = (16 << 10) + 20_000
    try await bench.fill(1...6, untilStuck: deaf.count)
    for numbers in [7...60, 61...120] {
      try await bench.fill(numbers)
      while await bench.server.unsentBytes().count(where: { $0 > 0 }) < deaf.count { await Task.yield() }
      #expect(await bench.server.unsentBytes().max() ?? 0 <= most)
      #expect(hub.figures.changes <= 128 && hub.figures.bytes <= 1 << 20 && hub.subscriberCount == deaf.count)
    }
    for watcher in deaf { watcher.close() }
    try await bench.stop()
  }

  /// A list may include a change that watchers have yet to receive.
  @Test func whatAListHasShownDoesNotComeAgain() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    // As if the next change were stored already.
    let known = bench.coordinator.hub.revision + 1
    try await bench.store.commit([.compactChanges(through: known)])
    let watcher = try LazyWatcher(bench.path, WatchRequest(since: known))
    while bench.coordinator.hub.subscriberCount == 0 { await Task.yield() }
    for number in 2...3 { _ = try await bench.client.relays.add(AddRelay(address: "ws://r\(number)")) }
    #expect(try await watcher.next()?.revision == known + 1)
    watcher.close()
    try await bench.stop()
  }

  /// A creation is followed to its end, whatever it misses of its own channel.
  @Test func creationIsFollowedToItsEndThoughChangesWereMissed() async throws {
    let hub = ChangeHub(queueMax: 1)
    let bench = try await Bench(hub: hub)
    _ = try await bench.addRelays(3)
    for number in 1...10 {
      var phases: [String] = []
      let request = CreateChannel(profile: .init(displayName: "Channel \(number)"))
      for try await channel in try await bench.client.channels.createAndFollow(request) { phases.append(channel.phase) }
      #expect(phases.first == "creating" && phases.last == "active", "\(phases)")
    }
    #expect(hub.figures.falls > 0, "there was something to miss")
    #expect(hub.subscriberCount == 0)
    try await bench.stop()
  }

  /// Clients that wait when the daemon stops are told so, with the revision up to which they have everything.
  @Test func waitingClientsAreToldThatTheDaemonStops() async throws {
    let bench = try await Bench()
    let watcher = try LazyWatcher(bench.path, WatchRequest(kinds: ["channel"]))
    #expect(try await watcher.next()?.kind == "snapshot")
    // This client does not want these changes.
    _ = try await bench.addRelays(2)
    try await bench.stop()
    let last = try await watcher.next()
    #expect(last?.kind == "end" && last?.revision == bench.coordinator.hub.revision)
    #expect(try await watcher.next() == nil)
    watcher.close()
  }

  @Test func unknownKindsAreRefused() async throws {
    let bench = try await Bench()
    let watcher = try LazyWatcher(bench.path, WatchRequest(kinds: ["channel", "identity"]))
    await #expect(throws: VarlinkError.invalidParameter("kinds")) { try await watcher.next() }
    #expect(bench.coordinator.hub.subscriberCount == 0)
    try await bench.stop()
  }
}
