import Channels
import Storage
import Synchronization
import Testing

@testable import Store

/// The two ways to the store of messages.
struct MessageReadingStoreTests {
  /// Threads that nobody gets: what asks for one is noted, and refused.
  private final class NoThreads: BlockingWork {
    struct Taken: Error {}
    private let state = Mutex<[WorkSize]>([])

    var asked: [WorkSize] { state.withLock { $0 } }

    func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T {
      state.withLock { $0.append(size) }
      throw Taken()
    }
  }

  /// None of them reads before it has a thread for that.
  @Test func everyQuestionWaitsForAThread() async throws {
    let bench = try MessageBench()
    let threads = NoThreads()
    let reading = MessageReadingStore(bench.store, on: threads)
    let questions: [(WorkSize, @Sendable () async throws -> Void)] = [
      (.little, { _ = try await reading.message(MessageID(rawValue: 1)) }),
      (.much, { _ = try await reading.messages([MessageID(rawValue: 1)]) }),
      (.much, { _ = try await reading.messages(MessageQuestion(limit: 1)) }),
      (.much, { _ = try await reading.messages(holding: MessageSearch(text: "a", limit: 1)) }),
      (.much, { _ = try await reading.conversations(ConversationQuestion(limit: 1)) }),
      (.little, { _ = try await reading.conversation(of: MessageBench.channel) }),
      (.much, { _ = try await reading.changedMessages(after: 0, channels: nil, limit: 1) }),
      (.little, { _ = try await reading.messageCounters() }),
    ]
    for (_, question) in questions { await #expect(throws: NoThreads.Taken.self) { try await question() } }
    #expect(threads.asked == questions.map(\.0))
    withExtendedLifetime(bench) {}
  }

  @Test func theTaskWritesWhatIsRead() async throws {
    let bench = try MessageBench()
    let keeper: any MessageStorage = MessageKeeperStore(bench.store)
    let other = ChannelID(rawValue: 2)
    try await keeper.begin(other, since: MessageBench.now)
    let news = MessageNews(channel: other, isLive: true, what: MessageBench.message("a"))
    let receipt = try await keeper.take([ReadNews(relay: nil, news: news)], at: MessageBench.now, within: MessageLimits())
    #expect(receipt.new == 1)
    #expect(try await keeper.markRead(other, through: nil)?.unread == 0)
    #expect(try await keeper.markUnread(other, from: MessageID(rawValue: 1))?.unread == 1)
    #expect(try await keeper.mirror([MessageBench.post(1, "b", channel: other)], through: 9).new == 1)
    #expect(try await keeper.messageCounters().mirrored == 9)
    try await keeper.note([])
    #expect(try await Set(keeper.channelsWithConversation().keys) == [MessageBench.channel, other])
    _ = try await keeper.end([other])
    #expect(try await Set(keeper.channelsWithConversation().keys) == [MessageBench.channel])
    withExtendedLifetime(bench) {}
  }
}
