import BatonClient
import Channels
import ControlAPI
import Coordinator
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// `Export` and `Adopt` of `org.batond.Posts`, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct PostExportTests {
  /// A bench with the channel News on one relay, which has the id 1.
  private static func bench(clock: any CoordinatorClock = SystemClock()) async throws -> Bench {
    let bench = try await Bench(clock: clock)
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    return bench
  }

  /// Publishes a post and follows it to its end.
  private static func publish(_ text: String, _ bench: Bench, channel: Int64 = 1) async throws -> Int64 {
    var last: Post?
    let request = PostsPublishRequest(channelId: channel, text: text)
    for try await reply in try await bench.client.posts.publishAndFollow(request) { last = reply.post }
    return try #require(last).id
  }

  /// All posts of an export. It must say that it is complete.
  private static func export(_ bench: Bench, channel: Int64 = 1, after: Int? = nil) async throws -> [ExportedPost] {
    var (posts, isComplete) = ([ExportedPost](), false)
    for try await post in try await bench.client.posts.export(channelId: channel, after: after) {
      #expect(!isComplete, "nothing follows the last reply")
      if let post { posts.append(post) } else { isComplete = true }
    }
    #expect(isComplete)
    return posts
  }

  private static func document(_ number: Int64, _ text: String) -> ExportedPost {
    ExportedPost(id: number, document: "post|post\(number)|0|\(text)", deletion: false)
  }

  @Test func postsAreExportedInTheirOrder() async throws {
    let bench = try await Self.bench()
    _ = try await bench.create("Sports")
    #expect(try await Self.export(bench).isEmpty)
    for number in 1...40 { _ = try await Self.publish("\(number)", bench, channel: number % 4 == 0 ? 2 : 1) }
    let expected = (1...40 as ClosedRange<Int64>).filter { $0 % 4 != 0 }.map { Self.document($0, "\($0)") }
    #expect(try await Self.export(bench) == expected)
    #expect(try await Self.export(bench, after: 38) == [Self.document(39, "39")])
    #expect(try await Self.export(bench, after: 39).isEmpty)
    #expect(try await Self.export(bench, after: -1) == expected)
    #expect(try await Self.export(bench, channel: 2).count == 10)
    try await bench.stop()
  }

  @Test func onlyWhatWasPublishedIsExported() async throws {
    let clock = ManualClock()
    let bench = try await Self.bench(clock: clock)
    let at = RFC3339.text(milliseconds: clock.now.milliseconds + 3_600_000)
    let later = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "later", at: at)).post.id
    let gone = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "gone")).post.id
    _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "unsigned"))
    _ = try await bench.client.posts.delete(id: gone)
    let posts = try await Self.export(bench)
    #expect(posts.map(\.id) == [gone, gone + 1] && !posts.map(\.id).contains(later))
    #expect(posts[0] == ExportedPost(id: gone, document: "deletion|post2", deletion: true), "also where it was never sent")
    #expect(posts[1] == ExportedPost(id: gone + 1, deletion: false, omission: "unsigned"))
    try await bench.stop()
  }

  @Test func damagedPostIsNamedAndLeftOut() async throws {
    let bench = try await Self.bench()
    for number in 1...20 { _ = try await Self.publish("\(number)", bench) }
    let spoiled = try await Program.run(
      "/usr/bin/sqlite3",
      [
        bench.folder.path + "/state/baton.db",
        "PRAGMA busy_timeout=60000; UPDATE posts SET text = 'other' WHERE id IN (1, 17, 20)",
      ])
    #expect(spoiled.status == 0, "\(spoiled.lines)")
    let posts = try await Self.export(bench)
    #expect(posts.map(\.id) == Array(1...20))
    #expect(posts.filter { $0.omission == "unreadable" }.map(\.id) == [1, 17, 20])
    #expect(posts.filter { $0.document == nil }.map(\.id) == [1, 17, 20])
    try await bench.stop()
  }

  /// What a slow client does not take is not read, and keeps no one waiting.
  @Test func slowClientGetsEverything() async throws {
    let bench = try await Self.bench()
    let text = String(repeating: "x", count: 30_000)
    for number in 1...120 {
      _ = try await bench.client.posts.adopt(channelId: 1, document: "post|old\(number)|7|\(number) \(text)")
    }
    let slow = try RawSocket(path: bench.path)
    slow.send(VarlinkCall(method: "org.batond.Posts.Export", parameters: ["channelId": 1], mode: .more).message)
    while await bench.server.unsentBytes().allSatisfy({ $0 == 0 }) { await Task.yield() }
    // A page of the largest posts, and not the 3.6 MB that there are.
    #expect(await bench.server.unsentBytes().max() ?? 0 < 1 << 20)
    // Others are served meanwhile, and what changes meanwhile is exported as it is when its turn comes.
    #expect(try await bench.client.posts.list(PostsListRequest(limit: 1)).posts.map(\.id) == [120])
    _ = try await bench.client.posts.delete(id: 120)
    let replies = await slow.receive(replies: 121)
    #expect(replies.count == 121)
    let posts = try replies.map { try PostsExportReply(json: .object(VarlinkReply(message: Array($0.utf8)).parameters)).post }
    #expect(posts.compactMap { $0?.id } == Array(1...120) && posts.last == .some(nil))
    #expect(posts[118]?.deletion == false && posts[119]?.deletion == true)
    try await bench.stop()
  }

  // MARK: - Adopt

  @Test func exportedPostsAreKnownAgain() async throws {
    let bench = try await Self.bench()
    for text in ["one", "two", "three"] { _ = try await Self.publish(text, bench) }
    _ = try await bench.client.posts.delete(id: 2)
    let before = try await bench.client.posts.list(PostsListRequest(deleted: true)).posts.map(\.id)
    for post in try await Self.export(bench) {
      let adopted = try await bench.client.posts.adopt(channelId: 1, document: try #require(post.document))
      #expect(!adopted.isNew && adopted.post.id == post.id)
    }
    #expect(try await bench.client.posts.list(PostsListRequest(deleted: true)).posts.map(\.id) == before)
    #expect(bench.network.posts.mostDepartures == 1)
    try await bench.stop()
  }

  @Test func adoptedPostIsShownWithItsDateAndNoted() async throws {
    let log = RecordingLog()
    let bench = try await Bench(logger: log.logger)
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    let request = PostsAdoptRequest(channelId: 1, document: "post|old1|1600000000|seventeen zebras")
    let adopted = try await bench.client.posts.adopt(request)
    #expect(adopted.isNew && adopted.post.createdAt == "2020-09-13T12:26:40.000Z" && adopted.post.networkId == "old1")
    #expect(adopted.post.text == "seventeen zebras" && adopted.post.relayCount == 1)
    #expect(try await !bench.client.posts.adopt(request).isNew)
    let deletion = PostsAdoptRequest(channelId: 1, document: "deletion|old1")
    let deleted = try await bench.client.posts.adopt(deletion)
    #expect(deleted.isNew && deleted.post.id == adopted.post.id && deleted.post.deletedAt != nil)
    #expect(try await !bench.client.posts.adopt(deletion).isNew)
    // The journal says who, once for each change, and nothing of the text.
    let lines = log.entries.map(\.message)
    #expect(lines.count { $0.hasPrefix("org.batond.Posts.Adopt of post 1 by uid ") } == 2, "\(lines)")
    #expect(!lines.contains { $0.contains("zebras") })
    try await bench.stop()
  }

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Self.bench()
    let unknown = PostsRefusal.noSuchChannel(id: 9, name: nil).error
    await #expect(throws: unknown) {
      for try await _ in try await bench.client.posts.export(channelId: 9) {}
    }
    await #expect(throws: VarlinkError.self) { try await bench.client.call(PostsMethod.export, ["channelId": 1]) }
    await #expect(throws: unknown) {
      try await bench.client.posts.adopt(channelId: 9, document: "post|old1|7|a")
    }
    await #expect(throws: PostsRefusal.invalidPost(field: "document", reason: "no one signed it").error) {
      try await bench.client.posts.adopt(channelId: 1, document: "anything")
    }
    await #expect(throws: VarlinkError.invalidParameter("document")) {
      try await bench.client.call(PostsMethod.adopt, ["channelId": 1, "document": ["id": 7]])
    }
    #expect(try await bench.client.posts.list().posts.isEmpty)
    try await bench.stop()
  }
}
