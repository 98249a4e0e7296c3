import Channels
import Storage
import Synchronization
import Testing

@testable import Store

/// The two ways to the store of messages.
struct MessageReadingStoreTests {
  /// Threads that no one gets: what asks for one is noted, and refused.
  private final class NoThreads: BlockingWork {
    struct Taken: Error {}
    private let state = Mutex<[WorkSize]>([])

    var asked: [WorkSize] { state.withLock { $0 } }

    func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T {
      state.withLock { $0.append(size) }
      throw Taken()
    }

    func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T { throw Taken() }
  }

  /// What clients can ask, and how much each is.
  private static func questions(_ reading: MessageReadingStore) -> [(WorkSize, @Sendable () async throws -> Void)] {
    let (message, channel) = (MessageID(rawValue: 1), MessageBench.channel)
    func search(_ text: String, _ isNewestFirst: Bool = false) -> (WorkSize, @Sendable () async throws -> Void) {
      let search = MessageSearch(text: text, channel: channel, isNewestFirst: isNewestFirst, limit: 100)
      return (.much, { _ = try await reading.messages(holding: search) })
    }
    return [
      (.little, { _ = try await reading.message(message) }), (.much, { _ = try await reading.messages([message]) }),
      (.much, { _ = try await reading.messages(MessageQuestion(channel: channel, limit: 1_000)) }),
      search("a"), search("a*", true), search("a* b", true), search("\"\(String(repeating: "a ", count: 100))b\""),
      search("\(String(repeating: "中", count: 100))文"),
      (.much, { _ = try await reading.conversations(ConversationQuestion(limit: 1_000)) }),
      (.little, { _ = try await reading.conversation(of: channel) }),
      (.little, { _ = try await reading.summaries(of: [channel]) }),
      (.much, { _ = try await reading.changedMessages(after: 0, channels: nil, limit: 1_000) }),
      (.little, { _ = try await reading.messageCounters() }),
      (.much, { _ = try await reading.people(PeopleQuestion(text: String(repeating: "a", count: 500), limit: 1_000)) }),
      (.much, { _ = try await reading.people(PeopleQuestion(channel: channel, text: "ab", limit: 1_000)) }),
      (.little, { _ = try await reading.person("ann") }),
      (.much, { _ = try await reading.members(MemberQuestion(channel: channel, text: "ab", limit: 1_000)) }),
      (.little, { _ = try await reading.member("ann", in: channel) }),
      (.much, { _ = try await reading.changedMembers(after: 0, channels: nil, limit: 1_000) }),
    ]
  }

  /// None of them reads before it has a thread for that.
  @Test func everyQuestionWaitsForAThread() async throws {
    let bench = try MessageBench()
    let threads = NoThreads()
    let questions = Self.questions(MessageReadingStore(bench.store, on: threads))
    for (_, question) in questions { await #expect(throws: NoThreads.Taken.self) { try await question() } }
    #expect(threads.asked == questions.map(\.0))
    withExtendedLifetime(bench) {}
  }

  @Test func everyQuestionEndsWhenNobodyWaits() async throws {
    let bench = try MessageBench()
    for (_, question) in Self.questions(MessageReadingStore(bench.store, on: ImpatientThreads(stepsMax: 0))) {
      let failure = await #expect(throws: StoreError.self) { try await question() }
      #expect(failure?.code == .inputOutput)
    }
    withExtendedLifetime(bench) {}
  }

  /// Strangers choose what messages say, and how long they are. An answer that takes SQLite a few hundred thousand instructions is there
  /// in milliseconds; none of the rest of its work grows faster than the texts.
  @Test(.timeLimit(.minutes(1))) func noTextMakesAQuestionLong() async throws {
    let bench = try MessageBench()
    let texts = ["a ", "a b ", "ab", "A\u{301}", "\"a ", "a\u{200B}", "é ", "中"].map { text in
      String(String(repeating: text, count: ReadMessage.textMax).prefix(ReadMessage.textMax / 2))
    }
    try bench.take(
      texts.enumerated().map { place, text in
        MessageBench.message("\(place)", text, author: "ann\(place)", authorName: String(repeating: "a", count: 500))
      })
    for (place, (_, question)) in Self.questions(MessageReadingStore(bench.store, on: ImpatientThreads(stepsMax: 300)))
      .enumerated()
    {
      await #expect(throws: Never.self, "question \(place)") { try await question() }
    }
    // A search is ended in the middle, wherever that is.
    let long = MessageSearch(text: "\"\(String(repeating: "a ", count: 400))b\"", limit: 100)
    let reading = MessageReadingStore(bench.store, on: ImpatientThreads(stepsMax: 2))
    await #expect(throws: StoreError.self) { try await reading.messages(holding: long) }
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

/// Threads on which whoever reads has only so much time, counted in steps of SQLite.
struct ImpatientThreads: BlockingWork {
  let stepsMax: Int

  func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T {
    let steps = Steps()
    return try Reading.$current.withValue(Reading { steps.next() > stepsMax }) { try body() }
  }

  func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T { try await body() }

  private final class Steps: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }
}
