import BatonClient
import ControlAPI
import Coordinator
import StrictJSON
import TestSupport
import Testing

@testable import ControlServer

/// What channels show of their newest posts, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct LastPostTests {
  /// A bench with one relay and these channels, which have the ids 1, 2, …
  private static func bench(_ channels: [String]) async throws -> Bench {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    for name in channels { _ = try await bench.create(name) }
    return bench
  }

  /// Publishes a post and follows it to its end. Posts have different times, so that lists have one order.
  private static func publish(_ text: String, _ bench: Bench, channel: Int64) async throws -> Post {
    let before = bench.coordinator.now
    while bench.coordinator.now == before { await Task.yield() }
    var last: Post?
    let request = PostsPublishRequest(channelId: channel, text: text)
    for try await reply in try await bench.client.posts.publishAndFollow(request) { last = reply.post }
    return try #require(last)
  }

  private static func ids(_ bench: Bench, _ parameters: [String: JSONValue]) async throws -> [Int64] {
    var (parameters, ids) = (parameters, [Int64]())
    repeat {
      let reply = try await bench.client.call("org.batond.Channels.List", parameters)
      ids += try [Channel](json: reply["channels"] ?? []).map(\.id)
      parameters["cursor"] = reply["nextCursor"]
    } while parameters["cursor"] != nil
    return ids
  }

  @Test func channelShowsItsNewestPostThatWasNotDeleted() async throws {
    let bench = try await Self.bench(["News", "Quiet"])
    #expect(try await bench.client.channels.get(id: 1).lastPostAt == nil)
    let revision = try await bench.client.channels.get(id: 1).revision
    let first = try await Self.publish("We open at nine.", bench, channel: 1)
    let second = try await Self.publish("The bridge\nis closed. " + String(repeating: "x", count: 100), bench, channel: 1)
    let channel = try await bench.client.channels.get(id: 1)
    #expect(channel.lastPostAt == second.createdAt && channel.lastPost?.hasPrefix("The bridge is closed. xxx") == true)
    #expect(channel.lastPost?.hasSuffix("x…") == true && channel.lastPost?.unicodeScalars.count == 100)
    #expect(channel.revision == revision, "a post is no change of its channel")
    let listed = try await bench.client.call("org.batond.Channels.List", [:])
    #expect(try [Channel](json: listed["channels"] ?? []).map(\.lastPostAt) == [second.createdAt, nil])

    _ = try await bench.client.posts.delete(id: second.id)
    let after = try await bench.client.channels.get(id: 1)
    #expect(after.lastPostAt == first.createdAt && after.lastPost == "We open at nine.")
    _ = try await bench.client.posts.delete(id: first.id)
    let empty = try await bench.client.channels.get(id: 1)
    #expect(empty.lastPostAt == nil && empty.lastPost == nil)
    try await bench.stop()
  }

  @Test func listsAreSortedAndFilteredByTheLastPost() async throws {
    let bench = try await Self.bench(["a", "b", "c", "d"])
    for channel in [3, 1, 4, 3] as [Int64] { _ = try await Self.publish("in \(channel)", bench, channel: channel) }
    let newest: JSONValue = [["field": "lastPostAt", "direction": -1]]
    for limit in [1, 2, 3, 100] as [JSONValue] {
      #expect(try await Self.ids(bench, ["sort": newest, "limit": limit]) == [3, 4, 1, 2])
      #expect(try await Self.ids(bench, ["sort": [["field": "lastPostAt"]], "limit": limit]) == [2, 1, 4, 3])
    }
    let time = try #require(try await bench.client.channels.get(id: 1).lastPostAt)
    for (test, ids) in [
      (["$gt": .string(time)], [3, 4]), (["$exists": false], [2]), (["$exists": true], [1, 3, 4]),
      (["$lte": .string(time)], [1]),
    ] as [(JSONValue, [Int64])] {
      #expect(try await Self.ids(bench, ["filter": ["lastPostAt": test]]) == ids, "\(test.text)")
    }
    #expect(try await Self.ids(bench, ["filter": ["lastPost": ["$q": "IN 4"]]]) == [4])
    await #expect(throws: (any Error).self) { try await Self.ids(bench, ["sort": [["field": "lastPost"]]]) }
    try await bench.stop()
  }

  /// Whatever shows a channel has its newest post, so that no client sees it come and go.
  @Test func changesAndRepliesShowTheLastPost() async throws {
    let bench = try await Self.bench(["News"])
    let post = try await Self.publish("Hello", bench, channel: 1)
    let begin = bench.coordinator.hub.revision
    let watcher = try LazyWatcher(bench.path)
    _ = try await watcher.next()
    let changed = try await bench.client.channels.update(UpdateChannel(id: 1, description: "of the city"))
    #expect(changed.lastPostAt == post.createdAt && changed.lastPost == "Hello")
    let late = try LazyWatcher(bench.path, WatchRequest(since: begin))
    for watcher in [watcher, late] {
      var seen: Channel?
      while seen == nil, let message = try await watcher.next() {
        if message.kind == "channel" { seen = try Channel(json: try #require(message.after)) }
      }
      #expect(seen?.lastPostAt == post.createdAt && seen?.lastPost == "Hello")
      watcher.close()
    }
    try await bench.stop()
  }

  @Test func liveListsKeepTheirOrderByTheLastPost() async throws {
    let bench = try await Self.bench(["a", "b", "c"])
    for channel in [1, 2] as [Int64] { _ = try await Self.publish("in \(channel)", bench, channel: channel) }
    let list = try LiveList<Channel>(socket: bench.path, sort: [["field": "lastPostAt", "direction": -1]])
    await list.start()
    while await list.elements.map(\.id) != [2, 1, 3] { await Task.yield() }
    // A change that has nothing to do with posts leaves the channel where it is.
    _ = try await bench.client.channels.update(UpdateChannel(id: 1, description: "new"))
    while await list.elements[1].profile.description != "new" { await Task.yield() }
    #expect(await list.elements.map(\.lastPost) == ["in 2", "in 1", nil])
    _ = try await Self.publish("again", bench, channel: 1)
    _ = try await bench.client.channels.update(UpdateChannel(id: 1, description: "newer"))
    while await list.elements.map(\.id) != [1, 2, 3] { await Task.yield() }
    #expect(await list.elements.first?.lastPost == "again")
    await list.stop()
    try await bench.stop()
  }
}
