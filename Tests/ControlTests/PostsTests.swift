import BatonClient
import Channels
import ControlAPI
import Coordinator
import Logging
import Sentences
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// `org.batond.Posts`, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct PostsTests {
  /// A bench with relays r1, r2, … and the channel News on all of them, which has the id 1.
  private static func bench(relays: Int = 2, logger: Logger? = nil) async throws -> Bench {
    let bench =
      if let logger { try await Bench(logger: logger) } else { try await Bench() }
    _ = try await bench.addRelays(relays)
    _ = try await bench.create("News")
    return bench
  }

  /// Publishes a post and follows it to its end.
  private static func publish(_ text: String, _ bench: Bench, channel: Int64 = 1) async throws -> Post {
    var last: Post?
    let request = PostsPublishRequest(channelId: channel, text: text)
    for try await reply in try await bench.client.posts.publishAndFollow(request) { last = reply.post }
    return try #require(last)
  }

  /// Waits until a post is as it should be.
  private static func wait(for id: Int64, _ bench: Bench, until isDone: (Post) -> Bool) async throws -> Post {
    for try await change in try await bench.client.posts.watch(since: 0) {
      if let post = change.post, post.id == id, isDone(post) { return post }
    }
    throw Violation("the watch ended before post \(id) was as it should be")
  }

  @Test func publicationIsFollowedToItsEnd() async throws {
    let bench = try await Self.bench(relays: 3)
    var replies: [PostsPublishReply] = []
    let request = PostsPublishRequest(channelId: 1, text: "We open at nine.\nSee you.", hashtags: ["opening"])
    for try await reply in try await bench.client.posts.publishAndFollow(request) { replies.append(reply) }
    #expect(replies.allSatisfy { $0.isNew && $0.post.id == 1 })
    #expect(zip(replies, replies.dropFirst()).allSatisfy { $0.post.revision < $1.post.revision })
    let post = try #require(replies.last?.post)
    #expect(post.phase == "published" && post.shownCount == 3 && post.relayCount == 3)
    #expect(post.link == "fake:post1?ws://r1,ws://r2,ws://r3")
    #expect(post.channelName == "News" && post.text == request.text && post.author == "key" && post.networkId == "post1")
    #expect(post.relays.map(\.relayName) == ["r1", "r2", "r3"])
    #expect(post.relays.allSatisfy { $0.status == "verified" && $0.shown && !$0.departed && $0.nextAttemptAt == nil })
    #expect(try await bench.client.posts.get(id: 1).post == post)
    let history = try await bench.client.posts.transitions(id: 1)
    #expect(history.last?.to == "verified" && Set(history.map(\.relayName)) == ["r1", "r2", "r3"])
    #expect(try await bench.client.posts.transitions(id: 1, limit: 1) == history.suffix(1))
    #expect(bench.network.posts.mostDepartures == 1)
    try await bench.stop()
  }

  @Test func publicationReturnsOnceItIsDurable() async throws {
    let bench = try await Self.bench(relays: 1)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let reply = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "a"))
    #expect(reply.isNew && reply.post.phase == "pending" && reply.post.shownCount == 0 && reply.post.link == nil)
    #expect(try await bench.client.posts.get(id: reply.post.id).post.text == "a")
    try await bench.stop()
  }

  @Test func keyMakesRepetitionHarmless() async throws {
    let bench = try await Self.bench()
    let request = PostsPublishRequest(channelId: 1, text: "once", idempotencyKey: "k")
    let first = try await bench.client.posts.publish(request)
    let again = try await bench.client.posts.publish(request)
    #expect(first.isNew && !again.isNew && again.post.id == first.post.id)
    await #expect(throws: PostsRefusal.idempotencyKeyReused(id: first.post.id, deleted: false).error) {
      try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "twice", idempotencyKey: "k"))
    }
    _ = try await bench.client.posts.delete(id: first.post.id)
    await #expect(throws: PostsRefusal.idempotencyKeyReused(id: first.post.id, deleted: true).error) {
      try await bench.client.posts.publish(request)
    }
    try await bench.stop()
  }

  @Test func listsArePagedAndNarrowed() async throws {
    let bench = try await Self.bench()
    _ = try await bench.create("Sports")
    for number in 1...5 { _ = try await Self.publish("\(number)", bench) }
    bench.network.set(.refuses, at: "ws://r2")
    _ = try await Self.publish("6", bench, channel: 2)
    func list(_ request: PostsListRequest) async throws -> (ids: [Int64], older: Bool, newer: Bool) {
      let page = try await bench.client.posts.list(request)
      #expect(page.revision > 0 && page.unreadable == nil)
      return (page.posts.map(\.id), page.hasOlder, page.hasNewer)
    }
    #expect(try await list(PostsListRequest()) == ([6, 5, 4, 3, 2, 1], false, false))
    #expect(try await list(PostsListRequest(limit: 2)) == ([6, 5], true, false))
    #expect(try await list(PostsListRequest(before: 5, limit: 2)) == ([4, 3], true, true))
    #expect(try await list(PostsListRequest(after: 1, limit: 2)) == ([3, 2], true, true))
    #expect(try await list(PostsListRequest(channelId: 1, around: 3)) == ([5, 4, 3, 2, 1], false, false))
    #expect(try await list(PostsListRequest(channelId: 2)) == ([6], false, false))
    #expect(try await list(PostsListRequest(relayId: 2, status: "failed")).ids == [6])
    #expect(try await list(PostsListRequest(relayId: 1, status: "failed")).ids.isEmpty)
    #expect(try await list(PostsListRequest(cause: "rejected")).ids == [6])
    _ = try await bench.client.posts.delete(id: 3)
    #expect(try await list(PostsListRequest(channelId: 1)).ids == [5, 4, 2, 1])
    #expect(try await list(PostsListRequest(channelId: 1, deleted: true)).ids == [5, 4, 3, 2, 1])
    try await bench.stop()
  }

  @Test func deletedPostIsOnNoRelayAndStaysKnown() async throws {
    let bench = try await Self.bench()
    let post = try await Self.publish("wrong", bench)
    #expect(bench.network.posts.names(at: "ws://r1") == ["post1"])
    let asked = try await bench.client.posts.delete(id: post.id, reason: "mistake")
    #expect(asked.deletedAt != nil && ["deleting", "deleted"].contains(asked.phase) && asked.link == nil)
    let deleted = try await Self.wait(for: post.id, bench) { $0.phase == "deleted" }
    #expect(deleted.relays.allSatisfy { $0.status == "deleted" && !$0.shown })
    #expect(bench.network.posts.names(at: "ws://r1").isEmpty && bench.network.posts.names(at: "ws://r2").isEmpty)
    // Once more does no harm.
    #expect(try await bench.client.posts.delete(id: post.id).phase == "deleted")
    // A list leaves it out, unless it asks for what only deleted posts have.
    #expect(try await bench.client.posts.list(PostsListRequest()).posts.isEmpty)
    #expect(try await bench.client.posts.list(PostsListRequest(status: "deleted")).posts.map(\.id) == [post.id])
    #expect(try await bench.client.posts.list(PostsListRequest(status: "deleted", deleted: false)).posts.isEmpty)
    try await bench.stop()
  }

  @Test func cancelledPostNeverLeavesUntilSomebodyRetriesIt() async throws {
    let bench = try await Self.bench(relays: 1)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let post = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "later")).post
    let cancelled = try await bench.client.posts.cancel(id: post.id)
    #expect(cancelled.phase == "skipped" && cancelled.relays.map(\.cause) == ["cancelled"])
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = false }
    #expect(bench.network.posts.mostDepartures == 0)
    _ = try await bench.client.posts.retry(id: post.id, relayId: 1)
    _ = try await Self.wait(for: post.id, bench) { $0.phase == "published" }
    await #expect(throws: PostsRefusal.notCancellable(id: post.id).error) { try await bench.client.posts.cancel(id: post.id) }
    try await bench.stop()
  }

  @Test func scheduledPostHasATimeAndCanBeTakenBack() async throws {
    let clock = ManualClock()
    let bench = try await Bench(clock: clock)
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    let at = RFC3339.text(milliseconds: clock.now.milliseconds + 3_600_000)
    var replies: [PostsPublishReply] = []
    let request = PostsPublishRequest(channelId: 1, text: "later", at: at, tolerance: 60)
    for try await reply in try await bench.client.posts.publishAndFollow(request) { replies.append(reply) }
    let post = try #require(replies.first?.post)
    #expect(replies.count == 1 && post.phase == "scheduled" && post.publishAt == at && post.scheduleTrouble == nil)
    #expect(post.networkId.isEmpty && post.author.isEmpty && post.relays.isEmpty && post.text == "later")
    #expect(try await bench.client.posts.list().posts == [post])
    let cancelled = try await bench.client.posts.cancel(id: post.id)
    #expect(cancelled.phase == "expired" && cancelled.scheduleTrouble == "it was cancelled")
    _ = try await bench.client.posts.retry(id: post.id)
    let published = try await Self.wait(for: post.id, bench) { $0.relayCount == 1 }
    #expect(published.publishAt != nil && published.scheduleTrouble == nil && !published.networkId.isEmpty)
    let other = try await bench.client.posts.publish(request).post
    #expect(try await bench.client.posts.delete(id: other.id).phase == "deleted")
    try await bench.stop()
  }

  @Test func draftIsListedAndReleased() async throws {
    let clock = ManualClock()
    let bench = try await Bench(clock: clock)
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    _ = try await bench.create("Sports")
    var replies: [PostsPublishReply] = []
    let request = PostsPublishRequest(channelId: 1, text: "one day", draft: true)
    for try await reply in try await bench.client.posts.publishAndFollow(request) { replies.append(reply) }
    let draft = try #require(replies.first?.post)
    #expect(replies.count == 1 && draft.phase == "draft" && draft.publishAt == nil && draft.scheduleTrouble == nil)
    #expect(draft.summary == "Draft, which is not published yet." && draft.relays.isEmpty)
    _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "now"))
    let other = try await bench.client.posts.publish(PostsPublishRequest(channelId: 2, text: "too", draft: true)).post
    func drafts(_ channel: Int64? = nil) async throws -> [Int64] {
      try await bench.client.posts.list(PostsListRequest(channelId: channel, drafts: true)).posts.map(\.id)
    }
    #expect(try await drafts() == [other.id, draft.id])
    #expect(try await drafts(1) == [draft.id])
    #expect(try await bench.client.posts.list(PostsListRequest(channelId: 1)).posts.count == 2)
    let at = RFC3339.text(milliseconds: clock.now.milliseconds + 3_600_000)
    let released = try await bench.client.posts.release(id: draft.id, at: at)
    #expect(released.phase == "scheduled" && released.publishAt == at)
    _ = try await bench.client.posts.release(id: draft.id)
    let published = try await Self.wait(for: draft.id, bench) { $0.relayCount == 1 }
    #expect(published.text == "one day")
    #expect(try await drafts() == [other.id])
    #expect(try await bench.client.posts.delete(id: other.id).phase == "deleted")
    #expect(try await drafts().isEmpty)
    let error = await #expect(throws: VarlinkError.self) {
      try await bench.client.posts.release(id: draft.id, at: "soon")
    }
    #expect(error?.name == "org.batond.Posts.InvalidPost")
    try await bench.stop()
  }

  @Test func watchSendsEveryPostThatChangedSince() async throws {
    let bench = try await Self.bench()
    _ = try await bench.create("Sports")
    for number in 1...20 { _ = try await Self.publish("\(number)", bench, channel: number % 2 == 0 ? 1 : 2) }
    let end = try await bench.client.posts.list().revision
    func seen(_ request: PostsWatchRequest) async throws -> [PostsWatchReply] {
      var seen: [PostsWatchReply] = []
      for try await change in try await bench.client.posts.watch(request) {
        seen.append(change)
        if change.revision >= end { break }
      }
      return seen
    }
    let all = try await seen(PostsWatchRequest(since: 0))
    #expect(Set(all.compactMap { $0.post?.id }) == Set(1...20))
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.revision <= $1.revision })
    #expect(all.allSatisfy { change in change.post.map { change.revision <= $0.revision } ?? true })
    let half = try await seen(PostsWatchRequest(channelIds: [2], since: 0))
    #expect(Set(half.compactMap { $0.post?.id }) == Set((1...20).filter { $0 % 2 == 1 }))
    #expect(half.last?.revision == end, "the place is known though the latest post is in another channel")
    #expect(try await seen(PostsWatchRequest()) == [PostsWatchReply(revision: end)])
    try await bench.stop()
  }

  @Test func watchGoesOnWhileThePostsChange() async throws {
    let bench = try await Self.bench()
    var changes = try await bench.client.posts.watch().makeAsyncIterator()
    let begin = try #require(try await changes.next())
    #expect(begin.post == nil)
    let post = try await Self.publish("now", bench)
    var latest = begin
    while latest.post?.phase != "published" { latest = try #require(try await changes.next()) }
    #expect(latest.post == post && latest.revision > begin.revision)
    try await bench.stop()
  }

  @Test func editedPostIsReplacedAndSaysBy() async throws {
    let bench = try await Self.bench()
    let parent = try await Self.publish("parent", bench)
    let reply = PostsPublishRequest(channelId: 1, text: "wrong", replyTo: Int(parent.id), quotes: [Int(parent.id)])
    let old = try await bench.client.posts.publish(reply).post
    _ = try await Self.wait(for: old.id, bench) { $0.phase == "published" }
    var replies: [PostsEditReply] = []
    let request = PostsEditRequest(id: old.id, text: "right", hashtags: ["a"], idempotencyKey: "k")
    for try await reply in try await bench.client.posts.editAndFollow(request) { replies.append(reply) }
    let new = try #require(replies.last?.post)
    #expect(replies.allSatisfy { $0.isNew && $0.post.id == new.id && $0.post.replaces == Int(old.id) })
    #expect(new.phase == "published" && new.text == "right" && new.replyTo == Int(parent.id) && new.replacedBy == nil)
    let gone = try await Self.wait(for: old.id, bench) { $0.phase == "deleted" }
    #expect(gone.replacedBy == Int(new.id) && gone.deletedAt != nil && gone.summary.hasSuffix("Post 3 takes its place."))
    #expect(bench.network.posts.names(at: "ws://r1") == ["post1", "post3"])
    let again = try await bench.client.posts.edit(request)
    #expect(!again.isNew && again.post == new)
    #expect(try await bench.client.posts.list().posts.map(\.id) == [new.id, parent.id])
    try await bench.stop()
  }

  @Test func postThatAwaitsItsReplacementIsStillThere() async throws {
    let bench = try await Self.bench(relays: 1)
    let old = try await Self.publish("wrong", bench)
    bench.network.posts.change(at: "ws://r1") { $0.holdsTurns = true }
    let new = try await bench.client.posts.edit(PostsEditRequest(id: old.id, text: "right")).post
    #expect(new.phase == "pending" && new.replaces == Int(old.id))
    let waiting = try await bench.client.posts.get(id: old.id).post
    #expect(waiting.phase == "published" && waiting.replacedBy == Int(new.id) && waiting.deletedAt == nil)
    _ = try await bench.client.posts.cancel(id: new.id)
    let kept = try await Self.wait(for: old.id, bench) { $0.replacedBy == nil }
    #expect(kept.phase == "published" && bench.network.posts.names(at: "ws://r1") == ["post1"])
    try await bench.stop()
  }

  @Test func forecastSaysWhatWillHappenOnEachRelay() async throws {
    let bench = try await Self.bench(relays: 2)
    bench.network.posts.change(at: "ws://r2") { $0.holdsTurns = true }
    let post = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "a")).post
    _ = try await Self.wait(for: post.id, bench) { $0.shownCount == 1 }
    let before = try await bench.client.posts.get(id: post.id)
    #expect(before.post.id == post.id && before.actions.map(\.relayId) == [1, 2])
    #expect(before.actions.map(\.canEdit) == [true, true])
    #expect(before.actions.allSatisfy { ($0.until ?? "") > post.createdAt })
    #expect(before.actions.map(\.canDelete) == [false, true], "what a relay does not have never gets there")
    #expect(before.actions[0].deleteNote == "relays keep everything")
    #expect(before.actions[1].deleteNote == "the relay does not have the post, and will not get it")
    let new = try await bench.client.posts.edit(PostsEditRequest(id: post.id, text: "b")).post
    let after = try await bench.client.posts.get(id: post.id).actions
    #expect(after.allSatisfy { !$0.canEdit && $0.editNote?.contains("post \(new.id) takes its place") == true })
    _ = try await bench.client.call(ChannelsMethod.removeRelay, ["id": 1, "relayId": 2])
    _ = try await Self.wait(for: new.id, bench) { $0.relays.last?.departed == true && $0.shownCount == 1 }
    let departed = try await bench.client.posts.get(id: new.id).actions
    #expect(departed.map(\.canEdit) == [true, false] && departed.map(\.canDelete) == [false, false])
    try await bench.stop()
  }

  private static let refusals: [(PostsMethod, JSONValue, VarlinkError)] = [
    (.publish, ["channelId": 9, "text": "a"], PostsRefusal.noSuchChannel(id: 9, name: nil).error),
    (.publish, ["channelId": 1], .invalidParameter("text")), (.publish, ["text": "a"], .invalidParameter("channelId")),
    (.publish, ["channelId": 1, "text": "a", "emoji": [["shortcode": 1]]], .invalidParameter("emoji")),
    (
      .publish, ["channelId": 1, "text": "not here"], PostsRefusal.notSupported(network: "nostr", reason: "no such texts").error
    ),
    (.edit, ["id": 9, "text": "a"], PostsRefusal.noSuchPost(id: 9).error), (.edit, ["id": 1], .invalidParameter("text")),
    (.get, ["id": 9], PostsRefusal.noSuchPost(id: 9).error), (.get, [:], .invalidParameter("id")),
    (.transitions, ["id": 9], PostsRefusal.noSuchPost(id: 9).error),
    (.transitions, ["id": 1, "limit": 0], .invalidParameter("limit")),
    (.delete, ["id": 9], PostsRefusal.noSuchPost(id: 9).error), (.retry, ["id": 9], PostsRefusal.noSuchPost(id: 9).error),
    (.cancel, ["id": 9], PostsRefusal.noSuchPost(id: 9).error),
    (.retry, ["id": 1, "relayId": 9], PostsRefusal.noSuchRelay(id: 9).error),
    (.list, ["channelId": 9], PostsRefusal.noSuchChannel(id: 9, name: nil).error),
    (.list, ["relayId": 9], PostsRefusal.noSuchRelay(id: 9).error), (.list, ["limit": 0], .invalidParameter("limit")),
    (.list, ["limit": 101], .invalidParameter("limit")), (.list, ["status": "active"], .invalidParameter("status")),
    (.list, ["cause": "weather"], .invalidParameter("cause")), (.list, ["before": 3, "after": 1], .invalidParameter("after")),
    (.list, ["after": 3, "around": 1], .invalidParameter("around")),
  ]

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Self.bench(relays: 1)
    _ = try await Self.publish("a", bench)
    for (method, parameters, refusal) in Self.refusals {
      await #expect(throws: refusal, "\(method): \(parameters)") {
        try await bench.client.call(method, parameters.object ?? [:])
      }
    }
    for since in [-1, 1 << 40] as [Int64] {
      await #expect(throws: VarlinkError.invalidParameter("since")) {
        for try await _ in try await bench.client.posts.watch(since: since) {}
      }
    }
    try await bench.stop()
  }

  private static let invalid: [(PostsPublishRequest, field: String)] = [
    (PostsPublishRequest(channelId: 1, text: " "), "text"), (PostsPublishRequest(channelId: 1, text: "a\u{7}"), "text"),
    (PostsPublishRequest(channelId: 1, text: String(repeating: "x", count: 32_769)), "text"),
    (PostsPublishRequest(channelId: 1, text: "a", replyTo: 9), "replyTo"),
    (PostsPublishRequest(channelId: 1, text: "a", hashtags: ["#a"]), "hashtags"),
    (PostsPublishRequest(channelId: 1, text: "a", idempotencyKey: ""), "idempotencyKey"),
    (
      PostsPublishRequest(
        channelId: 1, text: "a", emoji: [Emoji(shortcode: "s", url: "https://h/1"), Emoji(shortcode: "s", url: "https://h/2")]),
      "emoji"
    ),
    (PostsPublishRequest(channelId: 1, text: "a", attachments: [Attachment(url: "https://h/f", width: 3)]), "attachments"),
    (PostsPublishRequest(channelId: 1, text: "a", attachments: [Attachment(url: "ftp://h/f")]), "attachments"),
    (PostsPublishRequest(channelId: 1, text: "a", at: "tomorrow"), "at"),
    (PostsPublishRequest(channelId: 1, text: "a", at: "2001-01-01T00:00:00Z"), "at"),
    (PostsPublishRequest(channelId: 1, text: "a", at: "9999-01-01T00:00:00Z"), "at"),
    (PostsPublishRequest(channelId: 1, text: "a", tolerance: 60), "tolerance"),
  ]

  @Test func invalidPostsAreRefusedWithTheirField() async throws {
    let bench = try await Self.bench(relays: 1)
    for (request, field) in Self.invalid {
      let error = await #expect(throws: VarlinkError.self) { try await bench.client.posts.publish(request) }
      #expect(error?.name == PostsRefusal.invalidPost(field: "", reason: "").error.name, "\(field)")
      #expect(error?.parameters["field"] == .string(field))
      let words = error?.sentence.text ?? ""
      #expect(!words.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(words)")
    }
    #expect(try await bench.client.posts.list().posts.isEmpty)
    try await bench.stop()
  }

  @Test func journalNamesThePostOfAChange() async throws {
    let log = RecordingLog()
    let bench = try await Self.bench(relays: 1, logger: log.logger)
    let request = PostsPublishRequest(channelId: 1, text: "seventeen zebras", idempotencyKey: "zebras")
    // The client does not stay until the post is everywhere.
    for try await _ in try await bench.client.posts.publishAndFollow(request) { break }
    let post = try await bench.client.posts.publish(request).post
    _ = try await bench.client.posts.delete(id: post.id)
    let lines = log.entries.map(\.message)
    for method in [PostsMethod.publish, .delete] {
      #expect(lines.count { $0.hasPrefix("\(method.rawValue) of post 1 by uid ") } == 1, "\(method)")
    }
    let event = try #require(log.entries.first { $0.fields["MESSAGE_ID"] == JournalEvent.postPublished.rawValue })
    #expect(event.fields["BATON_POST"] == "1" && event.fields["BATON_CHANNEL"] == "1", "the limit knows it by its kind")
    #expect(!lines.contains { $0.contains("zebras") })
    try await bench.stop()
  }
}
