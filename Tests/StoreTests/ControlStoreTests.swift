import Channels
import Filters
import Storage
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import Store

/// The store as the control plane asks it.
struct ControlStoreTests {
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
  private static func questions(_ control: ControlStore) throws -> [(WorkSize, @Sendable () async throws -> Void)] {
    let (channel, relay) = (ChannelID(rawValue: 1), RelayID(rawValue: 1))
    let order = try ListOrder([], known: ListFields([]), isSortable: ChannelField.canSort)
    let filter = try Filter(nil, known: ListFields([]))
    return [
      (.much, { _ = try await control.channels(matching: filter, in: order, withDeleted: false, after: nil, limit: 1) }),
      (.little, { _ = try await control.channels(named: "a", limit: 1) }),
      (.little, { _ = try await control.channel(channel) }),
      (.much, { _ = try await control.channels([channel]) }),
      (.little, { _ = try await control.lastPosts(of: [channel]) }),
      (.little, { _ = try await control.transitions(of: channel, limit: 1) }),
      (.much, { _ = try await control.changes(after: 0, limit: 1) }),
      (.much, { _ = try await control.newestChanges(after: 0, through: 1, limit: 1) }),
      (.little, { _ = try await control.oldestRevision() }), (.little, { _ = try await control.counters() }),
      (.little, { _ = try await control.roundTrips(of: .relay(relay)) }),
      (.much, { _ = try await control.channelCount(of: relay) }), (.much, { _ = try await control.channelCounts(of: [relay]) }),
      (.much, { _ = try await control.channelCounts(of: [IdentityID(rawValue: 1)]) }),
      (.vital, { _ = try await control.totals() }), (.vital, { _ = try await control.census() }),
      (.vital, { _ = try await control.outcomes() }), (.vital, { _ = try await control.roundTripsOfRelays() }),
      (.much, { _ = try await control.losses() }),
      (.little, { _ = try await control.health(of: nil, before: 1, limit: 1) }),
      (.much, { _ = try await control.transitions(matching: TransitionSeek(), before: 9, limit: 1) }),
      (.much, { _ = try await control.failedChannelCount() }), (.whole, { _ = try await control.check() }),
      (.little, { _ = try await control.post(PostID(rawValue: 1)) }),
      (.much, { _ = try await control.posts(PostQuestion(limit: 1)) }),
      (.much, { _ = try await control.changedPosts(after: 0, channels: nil, limit: 1) }),
      (.little, { _ = try await control.postTransitions(of: PostID(rawValue: 1), limit: 1) }),
      (.little, { _ = try await control.postCounters() }),
      (.much, { _ = try await control.posts([PostID(rawValue: 1)]) }),
      (.little, { _ = try await control.postRetention(of: channel) }),
    ]
  }

  /// None of them reads before it has a thread for that.
  @Test func everyQuestionWaitsForAThread() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    let threads = NoThreads()
    let control = ControlStore(store, on: threads)
    var questions = try Self.questions(control)
    questions.append((.whole, { _ = try await control.makeCopy() }))
    for (_, question) in questions { await #expect(throws: NoThreads.Taken.self) { try await question() } }
    #expect(threads.asked == questions.map(\.0))
    store.close()
  }

  @Test func everyQuestionEndsWhenNobodyWaits() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    for (_, question) in try Self.questions(ControlStore(store, on: ImpatientThreads(stepsMax: 0))) {
      let failure = await #expect(throws: StoreError.self) { try await question() }
      #expect(failure?.code == .inputOutput)
    }
    #expect(store.damageFound.isEmpty)
    for (_, question) in try Self.questions(ControlStore(store, on: ImpatientThreads(stepsMax: .max))) { try await question() }
    store.close()
  }

  /// Anyone who may publish chooses what channels and posts say, and anyone who may read chooses what is looked for.
  @Test(.timeLimit(.minutes(1))) func noTextMakesAQuestionLong() async throws {
    let bench = try await PostBench()
    let long = String(repeating: "a ", count: 32 << 10)
    for id in 4...23 as ClosedRange<Int64> {
      var row = try #require(try bench.store.channel(ChannelID(rawValue: 1))?.row)
      (row.id, row.revision, row.networkID) = (ChannelID(rawValue: id), 100 + id, "n\(id)")
      row.custom = ["text": .string(String(long.prefix(16_000)))]
      row.profile = Profile(displayName: "News", description: String(long.prefix(2_000)))
      try await bench.store.commit([
        .insertChannel(row), .insertPost(PostBench.post(id, channel: id, text: long, revision: 200 + id)),
      ])
    }
    let control = ControlStore(bench.store, on: ImpatientThreads(stepsMax: 300))
    for (_, question) in try Self.questions(control) { try await question() }
    let text = JSONValue.string(long.prefix(15_000) + "b")
    let tests: [JSONValue] = [
      ["$q": text], ["$autocomplete": text], ["$gt": text], ["$in": .array(Array(repeating: text, count: 50))],
    ]
    for field in ["custom.text", "profile.description"] {
      for test in tests {
        let filter = try Filter([field: test], known: nil)
        let order = try ListOrder([["field": .string(field)]], known: nil, isSortable: ChannelField.canSort)
        let part = try await control.channels(matching: filter, in: order, withDeleted: true, after: nil, limit: 100)
        #expect(part.channels.count <= 20)
      }
    }
    withExtendedLifetime(bench) {}
  }
}
