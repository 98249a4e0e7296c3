import Channels
import ControlAPI
import Coordinator
import Filters
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import BatonClient

/// Lists that follow the daemon's objects.
@Suite(.timeLimit(.minutes(10)))
struct LiveListTests {
  /// The list as a client reconstructs it from events alone.
  private actor Mirror<Element: LiveElement> {
    private(set) var elements: [Element] = []
    private(set) var states: [LiveList<Element>.State] = []
    private(set) var replacements = 0

    func take(_ event: LiveList<Element>.Event) {
      switch event {
      case .state(let state): states.append(state)
      case .changes(let changes): elements.apply(changes)
      case .replaced(let all):
        elements = all
        replacements += 1
      }
    }
  }

  /// Follows `list` until `isDone` holds for what its events make of it.
  private func follow<Element: LiveElement>(
    _ events: inout AsyncStream<LiveList<Element>.Event>.AsyncIterator, _ mirror: Mirror<Element>,
    until isDone: @Sendable ([Element], [LiveList<Element>.State]) -> Bool
  ) async {
    while !isDone(await mirror.elements, await mirror.states), let event = await events.next(isolation: #isolation) {
      await mirror.take(event)
    }
  }

  /// Whatever is said, read, hidden and renamed, the list becomes what the daemon lists.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func listFollowsWhatIsSaid(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: Seeds.repeated ?? seed)
    let bench = try await Bench.reading((1...8).map { "c\($0)" })
    let filter: JSONValue = ["$or": [["unread": ["$gt": 0]], ["hidden": true]]]
    let sort: [JSONValue] = [["field": "lastMessageAt", "direction": -1]]
    let list = try LiveList<Channel>(socket: bench.path, filter: filter, sort: sort, pageSize: 3)
    let mirror = Mirror<Channel>()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { _, states in states.last == .loaded }
    func listed() async throws -> [Channel] {
      let reply = try await bench.client.call(ChannelsMethod.list, ["filter": filter, "sort": .array(sort)])
      return try [Channel](json: reply["channels"] ?? [])
    }
    var lengths: Set<Int> = []
    for round in 1...60 {
      let channel = Int64.random(in: 1...8, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1, 2: try await bench.hear(["m\(round)"], in: channel, from: Double(round))
      case 3: _ = try await bench.client.messages.markRead(channelId: channel)
      case 4: _ = try await bench.client.channels.setHidden(id: channel, hidden: .random(using: &random))
      case 5: _ = try await bench.client.channels.update(UpdateChannel(id: channel, displayName: "c\(channel) r\(round)"))
      default:
        while await list.hasMore { try await list.loadNext() }
      }
      guard round % 5 == 0 else { continue }
      // What lies beyond the loaded part is loaded now.
      while await list.hasMore { try await list.loadNext() }
      // The mirror may have been like that before, while the list is further on. Relays may still be changing channels, so what is listed is
      // read after the list: whatever differs comes with another event.
      while true {
        let (seen, now) = (await mirror.elements, await list.elements)
        let wanted = try await listed()
        lengths.insert(wanted.count)
        guard seen != wanted || now != wanted else { break }
        guard let event = await events.next() else { return #expect(Bool(false), "the list ended") }
        await mirror.take(event)
      }
    }
    #expect(lengths.count > 1 && lengths.max() ?? 0 > 3)
    await list.stop()
    try await bench.stop()
  }

  @Test func listFollowsMessagesOnlyIfItIsAskedTo() async throws {
    let bench = try await Bench.reading(["a", "b"])
    let (plain, following) = (
      try LiveList<Channel>(socket: bench.path), try LiveList<Channel>(socket: bench.path, followsMessages: true)
    )
    var (plainEvents, events) = (plain.events.makeAsyncIterator(), following.events.makeAsyncIterator())
    let (plainMirror, mirror) = (Mirror<Channel>(), Mirror<Channel>())
    for list in [plain, following] { await list.start() }
    await follow(&events, mirror) { _, states in states.last == .loaded }
    await follow(&plainEvents, plainMirror) { _, states in states.last == .loaded }
    try await bench.hear(["m1"], in: 2, from: 1)
    await follow(&events, mirror) { elements, _ in elements.map(\.unread) == [0, 1] }
    #expect(await mirror.elements.map(\.lastMessage) == [nil, "m1"])
    // A change of the channel does not take back what is known of its messages.
    _ = try await bench.client.channels.setPinned(id: 2, pinned: true)
    await follow(&events, mirror) { elements, _ in elements.last?.pinned == true }
    #expect(await mirror.elements.map(\.unread) == [0, 1])
    await follow(&plainEvents, plainMirror) { elements, _ in elements.last?.pinned == true }
    await plain.stop()
    await following.stop()
    try await bench.stop()
  }

  @Test func listFollowsWhatHappens() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(2)
    for name in ["c", "a", "d"] { _ = try await bench.create(name) }
    let list = try LiveList<Channel>(
      socket: bench.folder.path + "/c", filter: ["custom.hidden": ["$exists": false]], sort: [["field": "profile.displayName"]])
    #expect(await list.state == .initial)
    let mirror = Mirror<Channel>()
    var events = list.events.makeAsyncIterator()
    await list.start()
    func names(_ channels: [Channel]) -> [String] { channels.map(\.profile.displayName) }
    await follow(&events, mirror) { elements, _ in elements.map(\.profile.displayName) == ["a", "c", "d"] }

    _ = try await bench.create("b")
    await follow(&events, mirror) { elements, _ in elements.map(\.profile.displayName) == ["a", "b", "c", "d"] }
    // One moves, one leaves the filter, one is deleted.
    _ = try await bench.client.channels.update(UpdateChannel(id: 2, displayName: "z"))
    _ = try await bench.client.channels.update(UpdateChannel(id: 1, custom: ["hidden": true]))
    _ = try await bench.client.channels.delete(id: 4)
    await follow(&events, mirror) { elements, _ in elements.map(\.profile.displayName) == ["d", "z"] }
    _ = try await bench.client.channels.update(UpdateChannel(id: 1, custom: [:]))
    await follow(&events, mirror) { elements, _ in elements.map(\.profile.displayName) == ["c", "d", "z"] }
    #expect(await mirror.elements == list.elements)
    #expect(await mirror.states == [.loading, .loaded])
    await list.stop()
    try await bench.stop()
  }

  @Test func pagesAreLoadedOnDemandAndStayRight() async throws {
    let bench = try await Bench()
    for number in 1...12 {
      _ = try await bench.client.relays.add(AddRelay(address: "ws://r\(number)", name: String(format: "r%02d", number)))
    }
    let list = try LiveList<Relay>(socket: bench.folder.path + "/c", sort: [["field": "name"]], pageSize: 4)
    let mirror = Mirror<Relay>()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { elements, _ in elements.map(\.id) == [1, 2, 3, 4] }
    #expect(await list.hasMore)
    // An object beyond the loaded part does not matter yet; one before its end does.
    _ = try await bench.client.relays.add(AddRelay(address: "ws://late", name: "r11b"))
    _ = try await bench.client.relays.add(AddRelay(address: "ws://early", name: "r02b"))
    await follow(&events, mirror) { elements, _ in elements.map(\.name) == ["r01", "r02", "r02b", "r03", "r04"] }
    try await list.loadNext()
    await follow(&events, mirror) { elements, _ in elements.count == 9 }
    while await list.hasMore { try await list.loadNext() }
    await follow(&events, mirror) { elements, _ in elements.count == 14 }
    #expect(await mirror.elements.map(\.name).suffix(3) == ["r11", "r11b", "r12"])
    // Everything is loaded, so an object at the end belongs to the list.
    _ = try await bench.client.relays.add(AddRelay(address: "ws://last", name: "z"))
    await follow(&events, mirror) { elements, _ in elements.last?.name == "z" }
    #expect(await mirror.elements == list.elements)
    await list.stop()
    try await bench.stop()
  }

  @Test func clientThatDoesNotReadTheStepsGetsTheWholeList() async throws {
    let bench = try await Bench()
    let list = try LiveList<Relay>(socket: bench.folder.path + "/c", eventsWaitingMax: 4)
    let mirror = Mirror<Relay>()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { _, states in states.last == .loaded }
    for number in 1...40 { _ = try await bench.client.relays.add(AddRelay(address: "ws://r\(number)")) }
    while await list.elements.count < 40 { await Task.yield() }
    #expect(await mirror.elements.isEmpty)
    await follow(&events, mirror) { elements, _ in elements.count == 40 }
    #expect(await mirror.elements == list.elements)
    #expect(await mirror.replacements > 0)
    // Then steps again, from there.
    _ = try await bench.client.relays.add(AddRelay(address: "ws://last"))
    await follow(&events, mirror) { elements, _ in elements.count == 41 }
    #expect(await mirror.elements == list.elements)
    await list.stop()
    await follow(&events, mirror) { _, _ in false }
    try await bench.stop()
  }

  private func relay(_ id: Int64, _ name: String, revision: Int64) -> Relay {
    Relay(
      id: id, network: "nostr", address: "ws://r\(id)", name: name, domains: [], enabled: true, preset: false,
      undeclared: false, deleted: false, capabilities: [], health: "up", revision: revision)
  }

  /// A page and the changes that arrive while it loads may each be ahead of the other.
  @Test func laterOfPageAndChangeWins() throws {
    var window = LiveWindow<Relay>(filter: try Filter([:]), order: try ListOrder([]))
    window.willLoad()
    for change in [relay(1, "old", revision: 5), relay(2, "new", revision: 9)] { #expect(try window.take(change).isEmpty) }
    let steps = try window.load([relay(1, "new", revision: 7), relay(2, "old", revision: 6)], isLast: true)
    #expect(window.elements.map(\.name) == ["new", "new"])
    #expect(steps.count == 2, "no one sees how an object was before: \(steps)")
  }

  /// After a restore, revisions mean something else: the new listing is right, however low its revisions are, and changes count from there.
  @Test func newListingWinsWhateverItsRevisions() throws {
    var window = LiveWindow<Relay>(filter: try Filter([:]), order: try ListOrder([]))
    window.willLoad()
    var mirror: [Relay] = []
    mirror.apply(try window.load([relay(1, "late", revision: 100), relay(2, "gone", revision: 101)], isLast: true))
    #expect(mirror.map(\.name) == ["late", "gone"])
    let restored = [relay(1, "early", revision: 7)]
    mirror.apply(try window.replace(with: restored, isComplete: true))
    #expect(mirror == restored && window.elements == restored)
    #expect(try window.replace(with: restored, isComplete: true).isEmpty, "nothing has changed")
    mirror.apply(try window.take(relay(1, "next", revision: 8)))
    #expect(mirror.map(\.name) == ["next"] && window.elements == mirror)
    #expect(try window.take(relay(1, "old", revision: 7)).isEmpty, "a change that is late is none")
  }

  /// The merged changes of a watch that fell behind skip steps, but lead to the same list.
  @Test func mergedChangesLeadToTheListAsItIs() async throws {
    let bench = try await Bench(hub: ChangeHub(queueMax: 200))
    _ = try await bench.addRelays(1)
    try await bench.fill(1...30)
    let filter: JSONValue = ["custom.hidden": ["$exists": false]]
    var window = LiveWindow<Channel>(filter: try Filter(filter), order: try ListOrder([]))
    window.willLoad()
    var mirror: [Channel] = []
    mirror.apply(try window.load(try await bench.client.channels.all(), isLast: true))
    let watcher = try LazyWatcher(
      bench.path, WatchRequest(since: try await bench.client.daemon.status().revision, kinds: ["channel"]))
    while bench.coordinator.hub.subscriberCount == 0 { await Task.yield() }

    // Some come, some go, some come and go; some leave the filter and come back.
    try await bench.fill(31...40, untilStuck: 1)
    try await bench.fill(41...80)
    let text = JSONValue.string(String(repeating: "y", count: 15_000))
    for id in 5...14 as ClosedRange<Int64> {
      _ = try await bench.client.channels.update(UpdateChannel(id: id, custom: ["hidden": true, "text": text]))
      if id > 9 { _ = try await bench.client.channels.update(UpdateChannel(id: id, custom: ["text": text])) }
    }
    for id in [15, 16, 79, 80] as [Int64] { _ = try await bench.client.channels.delete(id: id) }
    for _ in 0..<6 { try await bench.coordinator.barrier() }
    let all = try await bench.client.channels.all(filter: ["phase": ["$exists": true]])

    var merged: Set<Int64> = []
    for message in try await watcher.all(through: all.map(\.revision).max() ?? 0) {
      let channel = try Channel(json: try #require(message.after))
      if message.merged == true { #expect(merged.insert(channel.id).inserted, "each object comes once") }
      mirror.apply(try window.take(channel))
    }
    #expect(merged.count > 10)
    #expect(try await mirror == bench.client.channels.all(filter: filter) && mirror == window.elements)
    watcher.close()
    try await bench.stop()
  }

  @Test func invalidQueriesAreRefused() {
    #expect(throws: Filter.Invalid.self) { try LiveList<Channel>(filter: ["phase": ["$like": 1]]) }
    #expect(throws: Filter.Invalid.self) { try LiveList<Channel>(sort: [["field": "name", "direction": 2]]) }
  }

  /// Whatever happens to objects, the reported steps lead from the old list to the new one, and the new one is right.
  /// `BATON_SEED=n scripts/test ControlTests --filter LiveList` repeats a failure.
  @Test func stepsLeadFromTheOldListToTheNew() async throws {
    let seed = Seeds.repeated ?? 20_261_121
    var random = SplitMix64(seed: seed)
    for round in 0..<60 {
      await Task.yield()
      let filter: JSONValue = Bool.random(using: &random) ? ["health": ["$ne": "down"]] : [:]
      let sort: [JSONValue] =
        [
          [], [["field": "name", "direction": -1]], [["field": "health"], ["field": "name"]],
          [["field": "operatorId", "direction": -1]],
        ].randomElement(using: &random) ?? []
      let pageSize = Int.random(in: 1...6, using: &random)
      var world: [Int64: Relay] = [:]
      var window = LiveWindow<Relay>(filter: try Filter(filter), order: try ListOrder(sort))
      let (condition, order) = (try Filter(filter), try ListOrder(sort))
      // The id breaks ties in the direction of the key before it.
      #expect(order.keys.last?.isDescending == order.keys.dropLast().last?.isDescending ?? false)
      func all() throws -> [Relay] {
        try world.values.map { (relay: $0, json: try $0.json) }
          .filter { !$0.relay.deleted && condition.matches($0.json) }
          .sorted { order.isBefore(order.values(of: $0.json), order.values(of: $1.json)) }.map(\.relay)
      }
      var mirror: [Relay] = []
      var end: [JSONValue]?
      var isComplete = false
      var revision: Int64 = 0
      func loadPage() throws {
        let rest = try all().filter { relay in
          try end.map { order.isBefore($0, order.values(of: try relay.json)) } ?? true
        }
        let page = Array(rest.prefix(pageSize))
        window.willLoad()
        // Meanwhile things happen that the page does not know of.
        for _ in 0..<Int.random(in: 0...3, using: &random) { try change() }
        isComplete = rest.count <= pageSize
        if let last = page.last { end = order.values(of: try last.json) }
        mirror.apply(try window.load(page, isLast: isComplete))
      }
      func change() throws {
        revision += 1
        let id = Int64.random(in: 1...12, using: &random)
        let changed = relay(id, revision: revision, &random)
        world[id] = changed
        for _ in 0..<2 { mirror.apply(try window.take(changed)) }
      }
      for step in 0..<80 {
        revision += 1
        switch Int.random(in: 0..<12, using: &random) {
        case 0 where !isComplete: try loadPage()
        case 1:
          // Loaded again, as after a long absence in which changes were missed.
          for missed in 1...3 {
            world[Int64(missed)] = relay(Int64(missed), revision: revision, &random)
            revision += 1
          }
          let count = max(window.elements.count, 1)
          let now = try all()
          isComplete = now.count <= count
          end = isComplete ? nil : try now.prefix(count).last.map { order.values(of: try $0.json) }
          mirror.apply(try window.replace(with: Array(now.prefix(count)), isComplete: isComplete))
        default: try change()
        }
        let expected = try all().filter { relay in
          if isComplete { return true }
          return try end.map { !order.isBefore($0, order.values(of: try relay.json)) } ?? true
        }
        let hasBegun = isComplete || end != nil
        guard mirror == window.elements, window.elements == (hasBegun ? expected : []) else {
          Issue.record("round \(round), step \(step); repeat with BATON_SEED=\(seed)")
          return
        }
      }
    }
  }

  private func relay(_ id: Int64, revision: Int64, _ random: inout SplitMix64) -> Relay {
    Relay(
      id: id, network: "nostr", address: "ws://r\(id)", name: "n\(Int.random(in: 0..<5, using: &random))", domains: [],
      operatorId: Bool.random(using: &random) ? nil : .random(in: 1...3, using: &random), enabled: true, preset: false,
      undeclared: false, deleted: Int.random(in: 0..<8, using: &random) == 0, capabilities: [],
      health: ["up", "down", "unknown"].randomElement(using: &random) ?? "up", revision: revision)
  }
}
