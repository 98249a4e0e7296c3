import Channels
import RelayNetwork
import Storage
import Store
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// The engine for posts by itself, one step after the other, on a real store. There is one channel, and no one looks after it.
final class PostBench {
  /// A clock that wakes no one: the bench does.
  final class StillClock: CoordinatorClock {
    private let state = Mutex(Timestamp(milliseconds: 1_750_000_000_000))
    var now: Timestamp {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
    func sleep(until time: Timestamp) async throws { throw CancellationError() }
  }

  /// Where an answer goes.
  final class Answer<Value: Sendable>: Sendable {
    private let state = Mutex<Result<Value, BatonError>?>(nil)
    var result: Result<Value, BatonError>? { state.withLock { $0 } }
    var reply: Reply<Value> { Reply { [self] result in state.withLock { $0 = result } } }
  }

  let store: Store
  let storage: FaultyStorage
  let network = FakeNetwork()
  let clock = StillClock()
  let hub = PostHub()
  let channel = ChannelID(rawValue: 1)
  private(set) var engine: PostEngine
  let directory: RelayDirectory
  private let inbox = Inbox<PostInput>()
  private let folder: TemporaryFolder
  private let listener: Task<Void, Never>
  private var documents = 0

  init(relays count: Int = 1) async throws {
    folder = try TemporaryFolder(isInMemory: true)
    store = try Store(directory: folder.path + "/state")
    storage = FaultyStorage(store)
    let relays = (1...count).map { RelayID(rawValue: Int64($0)) }
    try await storage.write(ChannelRows.catalog(relays: count, at: clock.now))
    try await storage.write(ChannelRows.channel(channel, on: relays, at: clock.now))
    directory = RelayDirectory(networks: [network], addressing: [], servers: nil, seed: 1)
    let catalog = try await Catalog(stored: storage, addressing: directory.addressing)
    directory.write { $0.catalog = catalog }
    var policy = DeliveryPolicy()
    policy.backOffJitterPercent = 0
    engine = try await PostEngine(
      storage: storage, channels: storage, directory: directory, rules: Rules(policy: RelayPolicy(), delivery: policy),
      clock: clock, logger: RecordingLog().logger, hub: hub, isEager: false, put: { [inbox] in inbox.put($0) })
    listener = Task { [network, inbox] in
      await network.run { report in
        switch report {
        case .delivery(let post, let relay, let number, let outcome, let form):
          inbox.put(.outcome(post, relay, number: number, outcome, form: form))
        case .relayUp(let relay, _): inbox.put(.relayUp(relay))
        default: break
        }
      }
    }
    while !network.isRunning { await Task.yield() }
    try await engine.resume(stoppedAt: nil)
  }

  deinit {
    listener.cancel()
    store.close()
  }

  var decider: PostDecider { engine.decider }

  /// Asks for a post.
  @discardableResult
  func publish(
    _ text: String, in other: ChannelID? = nil, key: String? = nil, at: Timestamp? = nil
  ) -> Answer<PublishedPost> {
    documents += 1
    let request = PostRequest(channel: other ?? channel, text: text, idempotencyKey: key, at: at)
    let document = PostDocument(networkID: "post\(documents)", author: "key", text: text)
    let answer = Answer<PublishedPost>()
    var new = NewPost(
      request: request, document: document, digest: request.digest, schedule: request.schedule(at: clock.timeOfDay))
    if new.schedule != nil { new.document = .none }
    inbox.put(.publish(new, answer.reply))
    return answer
  }

  /// Puts in what others would.
  func put(_ input: PostInput) { inbox.put(input) }

  /// Says that a channel got relays or left some.
  func changeMembers(of channel: ChannelID) { inbox.put(.membershipChanged(channel)) }

  /// A scheduled post gets its form.
  func compose(_ post: PostID, as name: String) {
    inbox.put(.composed(post, in: channel, .success(PostDocument(networkID: name, author: "key", text: name))))
  }

  /// Reports an outcome of the operation with this number, in the place of the network.
  func report(_ outcome: DeliveryOutcome, of post: PostID, number: Int, form: PostDocument? = nil) {
    inbox.put(.outcome(post, RelayID(rawValue: 1), number: number, outcome, form: form))
  }

  /// Decides on what came in, and does not store it before `land`.
  func decide() async {
    guard inbox.count > 0, let inputs = await inbox.take(max: 512) else { return }
    await engine.process(inputs)
  }

  /// Stores what was decided, and goes on.
  func land() async {
    await engine.rest()
    await run()
  }

  func delete(_ post: PostID) -> Answer<StoredPost> {
    let answer = Answer<StoredPost>()
    inbox.put(.delete(post, PostDocument(networkID: "deletion", author: "key", text: ""), answer.reply))
    return answer
  }

  /// The channel is to keep this many posts.
  func keep(_ count: Int) -> Answer<PostRetention> {
    let answer = Answer<PostRetention>()
    inbox.put(.setRetention(PostRetention(channel: channel, count: count), answer.reply))
    return answer
  }

  /// Lets everything happen that needs no clock.
  /// - Parameter batch: how many inputs are decided at once.
  func run(batch: Int = 512, each: () -> Void = {}) async {
    for _ in 0..<100_000 {
      if let due = engine.wakeAt, due <= clock.now { inbox.put(.timersDue) }
      guard inbox.count > 0, let inputs = await inbox.take(max: batch) else { return }
      await engine.process(inputs)
      await engine.rest()
      each()
    }
    Issue.record("it does not come to rest")
  }

  /// Moves the clock from alarm to alarm until `isDone`.
  func move(atMost max: Int = 2_000, until isDone: () throws -> Bool) async throws {
    for _ in 0..<max {
      await run()
      if try isDone() { return }
      guard let next = engine.wakeAt else { break }
      clock.now = Swift.max(next, clock.now)
    }
    Issue.record("it does not get there")
  }

  func statuses(_ id: PostID) throws -> [DeliveryStatus] { try store.post(id)?.deliveries.map(\.record.status) ?? [] }

  /// How many posts have this status on all relays.
  func count(_ status: DeliveryStatus) throws -> Int {
    let ids = try store.posts(of: channel, before: PostID(rawValue: .max), limit: 100_000)
    return try store.posts(Set(ids)).found.values.count { $0.deliveries.allSatisfy { $0.record.status == status } }
  }
}
