import Channels
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

extension Bench {
  /// A channel that is active on this many relays, whose addresses are `ws://r1`, `ws://r2` and so on.
  func readyChannel(on count: Int, named name: String = "News") async throws -> ChannelID {
    let relays = try await addRelays(count)
    let id = try await create(name, relays: relays).row.id
    _ = try await channel(id) { $0.phase == .active }
    return id
  }

  func publish(
    _ text: String, in channel: ChannelID, replyTo: PostID? = nil, quotes: [PostID] = [], key: String? = nil,
    at: Timestamp? = nil, tolerance: Int? = nil
  ) async throws(BatonError) -> PostSnapshot {
    try await coordinator.publish(
      PostRequest(
        channel: channel, text: text, replyTo: replyTo, quotes: quotes, idempotencyKey: key, at: at, tolerance: tolerance)
    ).post
  }

  /// Why a request was refused; `nil` if it was not.
  func refusal<Value>(_ request: () async throws(BatonError) -> Value) async -> BatonError? {
    do throws(BatonError) {
      _ = try await request()
      return nil
    } catch {
      return error
    }
  }

  /// Waits until as many requests are prepared, or wait to be decided.
  func waitForRequests(_ count: Int) async {
    func open() -> Int { coordinator.postInbox.count + coordinator.directory.read { $0.postsOpen } }
    while count == 0 ? open() > 0 : open() < count { await Task.yield() }
  }

  /// Makes a request twice in one batch, behind a post, and expects that it is carried out once.
  func expectOnce(
    in channel: ChannelID, _ request: @Sendable () async throws -> (post: PostSnapshot, isNew: Bool)
  ) async throws {
    let before = try store.postCounters().post
    storage.hold()
    async let holder = publish("before", in: channel)
    while !storage.isCommitWaiting { await Task.yield() }
    await waitForRequests(0)
    async let first = request()
    async let second = request()
    await waitForRequests(2)
    storage.release()
    let (a, b) = (try await first, try await second)
    _ = try await holder
    #expect(a.post.row.id == b.post.row.id && a.isNew != b.isNew)
    #expect(try store.postCounters().post == before + 2)
  }

  /// The post as clients see it.
  func post(_ id: PostID) async throws -> PostSnapshot {
    let stored = try #require(try store.post(id))
    return try #require(try await coordinator.snapshots([stored]).first)
  }

  func statuses(_ id: PostID) throws -> [DeliveryStatus] { try store.post(id)?.deliveries.map(\.record.status) ?? [] }

  /// The history of a post on one relay, a word for each line.
  func history(_ id: PostID, at relay: Int64 = 1) throws -> [String] {
    try store.postTransitions(of: id, limit: 1_000).filter { $0.relay.rawValue == relay }
      .map { "\($0.transition.to)\($0.transition.cause.map { " \($0)" } ?? "")" }
  }

  /// Lets everything happen to posts that needs no clock.
  func settlePosts() async throws {
    var before = ""
    for _ in 0..<10_000 {
      for _ in 0..<4 {
        while clock.isWaking { await Task.yield() }
        // Storage may not work.
        try? await coordinator.barrier()
        try? await coordinator.postBarrier()
      }
      let now = "\(network.posts.operations) \(network.posts.withheld) \(try store.postCounters().revision)"
      if now == before { return }
      before = now
    }
    throw StoreError(.inputOutput, "it does not come to rest")
  }

  /// Waits until `isDone`, without moving the clock.
  func waitForPosts(until isDone: () throws -> Bool) async throws {
    for _ in 0..<10_000 {
      try await settlePosts()
      if try isDone() { return }
      await Task.yield()
    }
    throw StoreError(.inputOutput, "it does not happen")
  }

  /// Moves the clock from timer to timer until `isDone`.
  func movePosts(atMost max: Int = 400, until isDone: () throws -> Bool) async throws {
    try await move(atMost: max, settling: settlePosts, until: isDone)
  }
}
