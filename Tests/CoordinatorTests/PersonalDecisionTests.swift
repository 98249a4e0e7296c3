import Channels
import RelayNetwork
import Storage
import TestSupport
import Testing

@testable import Coordinator
@testable import Store

/// What people decide is kept with the channels: it outlives the messages, and other daemons learn of it.
@Suite(.timeLimit(.minutes(10)))
struct PersonalDecisionTests {
  /// Messages in a file, which can be lost.
  private final class Messages {
    private let folder: TemporaryFolder
    let store: MessageStore
    init() throws {
      folder = try TemporaryFolder(isInMemory: true)
      store = try MessageStore(directory: folder.path)
    }
    deinit { store.close() }

    var keeper: MessageKeeperStore { MessageKeeperStore(store) }
    func names(of channel: ChannelID, isHidden: Bool = false, isPinned: Bool = false) throws -> [String?] {
      try store.messages(MessageQuestion(channel: channel, isHidden: isHidden, isPinned: isPinned, limit: 99)).messages
        .map(\.row.networkID).reversed()
    }
  }

  private func message(_ name: String, by author: String, in channel: ChannelID, at time: Timestamp, isLive: Bool)
    -> MessageNews
  {
    MessageNews(
      channel: channel, isLive: isLive,
      what: .message(ReadMessage(networkID: name, author: author, text: name, createdAt: time)))
  }

  private func id(_ name: String, _ messages: Messages, _ channel: ChannelID) throws -> MessageID {
    let all = try messages.store.messages(MessageQuestion(channel: channel, limit: 99)).messages
    return try #require(all.first { $0.row.networkID == name }).row.id
  }

  @Test func decisionsOutliveTheFileOfMessages() async throws {
    let messages = try Messages()
    let bench = try await Bench(messages: messages.keeper)
    let (channel, relays) = try await bench.followedChannel()
    let said = bench.clock.now
    func read(_ bench: Bench, isLive: Bool) async throws {
      let news = [("a", "ann"), ("b", "eve"), ("c", "ann")].map {
        message($0.0, by: $0.1, in: channel, at: said, isLive: isLive)
      }
      bench.network.read(news, from: relays[0])
      try await bench.settleMessages()
    }
    try await read(bench, isLive: true)
    #expect(try messages.store.conversation(of: channel)?.row.unread == 3)
    bench.clock.advance(by: .seconds(10))
    try await bench.coordinator.hideMessage(try id("a", messages, channel), true)
    try await bench.coordinator.pinMessage(try id("c", messages, channel), true)
    try await bench.coordinator.mute("eve", true)
    _ = try await bench.coordinator.markRead(channel, through: nil)
    try await bench.coordinator.hideMessages(of: channel, true)
    let kept = try bench.store.decisions(after: 0, limit: 99)
    #expect(Set(kept.map(\.kind)) == [.hidden, .pinned, .muted, .read, .channelHidden])
    #expect(kept.first { $0.kind == .hidden }?.name == "a" && kept.first { $0.kind == .read }?.message == "c")
    try await bench.stop()

    // The file is lost, and relays are read again. Something was said meanwhile.
    let others = try Messages()
    let again = try await Bench(bench, messages: others.keeper)
    try await again.waitForMessages { again.network.following.followed[channel] != nil }
    try await read(again, isLive: false)
    #expect(try others.names(of: channel) == ["c"] && others.names(of: channel, isHidden: true) == ["a", "b"])
    #expect(try others.names(of: channel, isPinned: true) == ["c"])
    let row = try #require(try others.store.conversation(of: channel)?.row)
    #expect(row.isHidden && row.unread == 0)
    again.clock.advance(by: .seconds(60))
    again.network.read([message("d", by: "ann", in: channel, at: said + .seconds(30), isLive: false)], from: relays[0])
    try await again.settleMessages()
    #expect(try others.store.conversation(of: channel)?.row.unread == 1)
    #expect(try others.store.conversation(of: channel)?.row.isHidden == false)
    #expect(try again.store.decisions(after: 0, limit: 99) == kept, "nothing is decided anew")
    try await again.stop()
  }

  @Test func decisionsOfAnotherDaemonAreCarriedOut() async throws {
    let messages = try Messages()
    let bench = try await Bench(messages: messages.keeper)
    let (channel, relays) = try await bench.followedChannel()
    bench.network.read(["a", "b"], in: channel, from: relays[0])
    try await bench.settleMessages()
    let before = bench.coordinator.messageHub.revision
    try await bench.storage.write([.decide(PersonalDecision(.hidden, channel: channel, name: "a", at: bench.clock.now))])
    bench.coordinator.tellMessages(.decisionsChanged)
    try await bench.settleMessages()
    #expect(try messages.names(of: channel) == ["b"] && bench.coordinator.messageHub.revision > before)
    // Of a message that is not there yet, too.
    try await bench.storage.write([.decide(PersonalDecision(.hidden, channel: channel, name: "c", at: bench.clock.now))])
    bench.coordinator.tellMessages(.decisionsChanged)
    bench.network.read(["c"], in: channel, from: relays[0])
    try await bench.settleMessages()
    #expect(try messages.names(of: channel) == ["b"])
    try await bench.stop()
  }

  /// What cannot be kept is not acknowledged, and is kept later.
  @Test func decisionThatCannotBeKeptIsTriedAgain() async throws {
    let messages = try Messages()
    let bench = try await Bench(messages: messages.keeper)
    _ = try await bench.followedChannel()
    bench.storage.isBroken = true
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.coordinator.mute("eve", true) }
    guard case .storageUnavailable? = refusal else { throw StoreError(.inputOutput, "\(String(describing: refusal))") }
    #expect(try bench.store.decisions(after: 0, limit: 9).isEmpty)
    bench.storage.isBroken = false
    // The next one takes it along.
    try await bench.coordinator.mute("bob", true)
    #expect(try Set(bench.store.decisions(after: 0, limit: 9).map(\.name)) == ["bob", "eve"])
    try await bench.coordinator.messageBarrier()
    try await bench.stop()
  }

  /// The store of channels was set back: what it has counts, and what it never had, or has no more, is stored again.
  @Test func decisionsThatAreNotKeptAnyMoreAreStoredAgain() async throws {
    let messages = try Messages()
    let bench = try await Bench(messages: messages.keeper)
    try await bench.coordinator.mute("ann", true)
    try await bench.coordinator.mute("eve", true)
    try await bench.stop()

    let other = try await Bench(messages: FakeMessages())
    try await other.storage.write([.decide(PersonalDecision(.muted, name: "ann", at: nil))])
    try await other.stop()
    let again = try await Bench(other, messages: messages.keeper)
    try await again.settleMessages()
    let kept = try again.store.decisions(after: 0, limit: 9)
    #expect(kept.map { "\($0.name) \($0.at != nil)" } == ["ann false", "eve true"])
    #expect(try messages.store.person("ann") == nil && messages.store.person("eve")?.mutedAt != nil)
    try await again.stop()
  }
}
