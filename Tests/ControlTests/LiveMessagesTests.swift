import Channels
import ControlAPI
import Glibc
import Storage
import Store
import TestSupport
import Testing

@testable import BatonClient

/// The messages of a channel as a client follows them.
@Suite(.timeLimit(.minutes(10)))
struct LiveMessagesTests {
  /// The messages as a client reconstructs them from events alone.
  private actor Mirror {
    private(set) var elements: [Message] = []
    private(set) var conversation: Conversation?
    private(set) var states: [LiveMessages.State] = []
    private(set) var replacements = 0

    var names: [String] { elements.map { $0.networkId ?? "" } }

    func take(_ event: LiveMessages.Event) {
      switch event {
      case .state(let state): states.append(state)
      case .changes(let changes): elements.apply(changes)
      case .conversation(let conversation): self.conversation = conversation
      case .replaced(let all):
        elements = all
        replacements += 1
      }
    }
  }

  /// Follows the messages until `isDone` holds for what their events make of them.
  private func follow(
    _ events: inout AsyncStream<LiveMessages.Event>.AsyncIterator, _ mirror: Mirror, until isDone: (Mirror) async -> Bool
  ) async {
    while await !isDone(mirror), let event = await events.next(isolation: #isolation) { await mirror.take(event) }
  }

  @Test func messagesFollowWhatIsSaid() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    try await bench.hear(["m1", "m2"], from: 1)
    let list = LiveMessages(channelID: 1, socket: bench.path)
    #expect(await list.state == .initial)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.names == ["m2", "m1"] }
    try await bench.hear(["other"], in: 2, from: 3)
    try await bench.hear(["m4"], from: 4)
    // It was missed at first, and belongs between others.
    try await bench.hear([Bench.said("m3", at: 3)], isLive: false, at: 5)
    await follow(&events, mirror) { await $0.names == ["m4", "m3", "m2", "m1"] }
    try await bench.hear([.edited(networkID: "m2", text: "better"), .deleted(networkID: "m1", author: "alice")], at: 6)
    await follow(&events, mirror) { await $0.elements.map(\.text) == ["m4", "m3", "better"] }
    await follow(&events, mirror) { await $0.conversation?.unread == 2 }
    #expect(await mirror.elements == list.elements)
    #expect(await mirror.conversation == list.conversation)
    #expect(await mirror.states == [.loading, .loaded])
    #expect(await !list.hasOlder)
    await list.stop()
    try await bench.stop()
  }

  @Test func truncatedMessagesLeaveTheList() async throws {
    let bench = try await Bench.reading()
    try await bench.hear(["m1", "m2"], from: 1)
    let list = LiveMessages(channelID: 1, socket: bench.path)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.names == ["m2", "m1"] }
    let truncated = try await bench.client.channels.truncate(id: 1).channel.truncatedAt
    await follow(&events, mirror) { await $0.elements.isEmpty }
    #expect(await mirror.conversation?.truncatedAt == truncated)
    try await bench.hear([Bench.said("m3", at: 3e9)], at: 3e9)
    await follow(&events, mirror) { await $0.names == ["m3"] }
    await list.stop()
    try await bench.stop()
  }

  @Test func olderMessagesAreLoadedOnDemand() async throws {
    let bench = try await Bench.reading()
    try await bench.hear((1...9).map { "m\($0)" }, from: 1)
    let list = LiveMessages(channelID: 1, socket: bench.path, pageSize: 3)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.names == ["m9", "m8", "m7"] }
    #expect(await list.hasOlder)
    // What belongs beyond the loaded part does not matter yet.
    try await bench.hear([Bench.said("m2b", at: 2.5)], isLive: false, at: 20)
    try await bench.hear(["new"], from: 21)
    await follow(&events, mirror) { await $0.names == ["new", "m9", "m8", "m7"] }
    while await list.hasOlder { try await list.loadOlder() }
    let all = ["new", "m9", "m8", "m7", "m6", "m5", "m4", "m3", "m2b", "m2", "m1"]
    await follow(&events, mirror) { await $0.names == all }
    // Everything is loaded, so what belongs at the end is there.
    try await bench.hear([Bench.said("m0", at: 0)], isLive: false, at: 22)
    await follow(&events, mirror) { await $0.names == all + ["m0"] }
    #expect(await mirror.elements == list.elements)
    await list.stop()
    try await bench.stop()
  }

  @Test func messagesGoOnWhereTheDaemonWasAway() async throws {
    let first = try await Bench.reading()
    try await first.hear(["m1", "m2", "m3"], from: 1)
    let list = LiveMessages(channelID: 1, socket: first.path, pageSize: 2)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.names == ["m3", "m2"] }
    try await first.stop()
    await follow(&events, mirror) { if case .failed = await $0.states.last { true } else { false } }

    // It reads on before anyone can ask it.
    let store = try MessageStore(directory: first.folder.path + "/state")
    let news = Bench.read([.deleted(networkID: "m2", author: "alice"), Bench.said("m4", at: 5)])
    _ = try await MessageKeeperStore(store).take(news, at: Bench.time(5), within: MessageLimits())
    store.close()

    let second = try await Bench(folder: first.folder, readsMessages: true)
    await follow(&events, mirror) { await $0.names == ["m4", "m3"] }
    await follow(&events, mirror) { await $0.states.last == .loaded }
    #expect(await mirror.states.count { $0 == .loading } == 1, "it goes on from what it has")
    #expect(await mirror.elements == list.elements)
    await list.stop()
    try await second.stop()
  }

  /// The database was lost and begun again: its revisions are lower than those that the client knows.
  @Test func messagesAreLoadedAgainFromAnotherDatabase() async throws {
    let first = try await Bench.reading()
    try await first.hear((1...40).map { "m\($0)" }, from: 1)
    let list = LiveMessages(channelID: 1, socket: first.path)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.elements.count == 25 }
    try await first.stop()
    for suffix in ["", "-wal", "-shm"] { unlink(first.folder.path + "/state/messages.db" + suffix) }

    let second = try await Bench(folder: first.folder, readsMessages: true)
    try await second.begin(1)
    try await second.hear(["n1", "n2"], from: 100)
    await follow(&events, mirror) { await $0.names == ["n2", "n1"] }
    #expect(await mirror.elements == list.elements)
    await list.stop()
    try await second.stop()
  }

  /// The message at which the next page would end is there no more, nor is anything before it.
  @Test func droppedMessagesAreNoObstacle() async throws {
    let bench = try await Bench.reading()
    try await bench.hear((1...6).map { "m\($0)" }, from: 1)
    let list = LiveMessages(channelID: 1, socket: bench.path, pageSize: 3)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.names == ["m6", "m5", "m4"] }
    try await bench.hear([Bench.said("m7", at: 7)], at: 7, within: MessageLimits(keepMax: 3))
    await follow(&events, mirror) { await $0.names == ["m7", "m6", "m5", "m4"] }
    try await list.loadOlder()
    await follow(&events, mirror) { await $0.names == ["m7", "m6", "m5"] }
    await follow(&events, mirror) { await $0.states.last == .loaded }
    #expect(await !list.hasOlder)
    try await bench.hear(["m8"], from: 8)
    await follow(&events, mirror) { await $0.names == ["m8", "m7", "m6", "m5"] }
    #expect(await mirror.elements == list.elements)
    await list.stop()
    try await bench.stop()
  }

  @Test func clientThatDoesNotReadTheStepsGetsAllMessages() async throws {
    let bench = try await Bench.reading()
    let list = LiveMessages(channelID: 1, socket: bench.path, eventsWaitingMax: 4)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { await $0.states.last == .loaded }
    try await bench.hear((1...40).map { "m\($0)" }, from: 1)
    while true {
      let unread = await list.conversation?.unread
      if await list.elements.count == 40, unread == 40 { break }
      await Task.yield()
    }
    #expect(await mirror.elements.isEmpty)
    await follow(&events, mirror) { mirror in
      let unread = await mirror.conversation?.unread
      return await mirror.elements.count == 40 && unread == 40
    }
    #expect(await mirror.replacements > 0)
    #expect(await mirror.elements == list.elements)
    await list.stop()
    await follow(&events, mirror) { _ in false }
    try await bench.stop()
  }

  @Test func channelThatDoesNotExistIsNotFollowed() async throws {
    let bench = try await Bench.reading()
    let list = LiveMessages(channelID: 9, socket: bench.path)
    let mirror = Mirror()
    var events = list.events.makeAsyncIterator()
    await list.start()
    await follow(&events, mirror) { if case .failed = await $0.states.last { true } else { false } }
    #expect(await mirror.states.count == 2)
    #expect(await mirror.elements.isEmpty)
    await list.stop()
    await follow(&events, mirror) { _ in false }
    try await bench.stop()
  }
}
