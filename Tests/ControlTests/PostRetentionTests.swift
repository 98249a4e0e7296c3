import BatonClient
import ControlAPI
import Logging
import Sentences
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Retention of posts, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct PostRetentionTests {
  private func bench(posts: Int = 0, logger: Logger? = nil) async throws -> Bench {
    let bench =
      if let logger { try await Bench(logger: logger) } else { try await Bench() }
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    for number in 0..<posts {
      let request = PostsPublishRequest(channelId: 1, text: "post \(number + 1)")
      for try await _ in try await bench.client.posts.publishAndFollow(request) {}
    }
    return bench
  }

  @Test func retentionIsSetAndRead() async throws {
    let log = RecordingLog()
    let bench = try await bench(logger: log.logger)
    let client = bench.client
    #expect(try await client.posts.getRetention(channelId: 1) == Retention(channelId: 1))
    let both = Retention(channelId: 1, keepDays: 30, keepCount: 1_000)
    #expect(try await client.posts.setRetention(channelId: 1, keepDays: 30, keepCount: 1_000) == both)
    #expect(try await client.posts.getRetention(channelId: 1) == both)
    #expect(
      try await client.posts.setRetention(channelId: 1, keepDays: nil, keepCount: 5) == Retention(channelId: 1, keepCount: 5))
    #expect(try await client.posts.setRetention(channelId: 1, keepDays: nil, keepCount: nil) == Retention(channelId: 1))
    #expect(try await client.posts.getRetention(channelId: 1) == Retention(channelId: 1))
    let method = PostsMethod.setRetention.rawValue
    #expect(log.entries.count { $0.message.hasPrefix("\(method) of channel 1 by uid ") } == 3)
    try await bench.stop()
  }

  @Test func wrongLimitsAreRefusedByName() async throws {
    let bench = try await bench()
    for (days, count, field) in [
      (0, nil, "keepDays"), (36_501, nil, "keepDays"), (nil, -1, "keepCount"), (nil, 1_000_001, "keepCount"),
    ] as [(Int?, Int?, String)] {
      do {
        _ = try await bench.client.posts.setRetention(channelId: 1, keepDays: days, keepCount: count)
        Issue.record("\(field) is taken")
      } catch let error as VarlinkError {
        guard case .invalidRetention(field, let reason) = PostsRefusal(error) else {
          Issue.record("\(error)")
          continue
        }
        #expect(reason.hasPrefix("it must be 1 to "))
      }
    }
    let unknown = PostsRefusal.noSuchChannel(id: 9, name: nil).error
    await #expect(throws: unknown) { try await bench.client.posts.getRetention(channelId: 9) }
    await #expect(throws: unknown) { try await bench.client.posts.setRetention(channelId: 9, keepDays: 1, keepCount: nil) }
    #expect(try await bench.client.posts.getRetention(channelId: 1) == Retention(channelId: 1))
    try await bench.stop()
  }

  @Test func forgottenPostSaysSo() async throws {
    let bench = try await bench(posts: 2)
    let before = try await bench.client.posts.get(id: 1).post
    #expect(before.forgottenAt == nil && before.text == "post 1")
    _ = try await bench.client.posts.setRetention(channelId: 1, keepDays: nil, keepCount: 1)
    var forgotten: Post?
    for try await change in try await bench.client.posts.watch(since: before.revision) {
      guard let post = change.post, post.id == 1, post.forgottenAt != nil else { continue }
      forgotten = post
      break
    }
    let post = try #require(forgotten)
    #expect(post.text.isEmpty && post.phase == "published" && post.networkId == before.networkId && post.link == before.link)
    #expect(try await bench.client.posts.get(id: 1).post == post)
    #expect(try await bench.client.posts.list().posts.map(\.text) == ["post 2", ""])
    let refusal = PostsRefusal.invalidPost(
      field: "id",
      reason: "post 1 was forgotten, because its channel keeps posts only so long; it cannot be sent again. Publish another")
    await #expect(throws: refusal.error) { try await bench.client.posts.retry(id: 1) }
    #expect(try await bench.client.posts.delete(id: 1).deletedAt != nil)
    try await bench.stop()
  }

  @Test func channelWhoseNewestPostIsForgottenStillSaysWhenThatWas() async throws {
    let bench = try await bench(posts: 2)
    _ = try await bench.client.posts.delete(id: 2)
    _ = try await bench.client.posts.setRetention(channelId: 1, keepDays: nil, keepCount: 1)
    for try await change in try await bench.client.posts.watch(since: 0) {
      if change.post?.id == 1, change.post?.forgottenAt != nil { break }
    }
    let channel = try await bench.client.channels.get(id: 1)
    #expect(channel.lastPostAt != nil && channel.lastPost == nil)
    try await bench.stop()
  }
}
