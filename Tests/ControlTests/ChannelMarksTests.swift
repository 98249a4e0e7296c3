import BatonClient
import Channels
import ControlAPI
import Foundation
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// What whoever runs a channel decides about it, and what its lists show of what is said.
@Suite(.timeLimit(.minutes(10)))
struct ChannelMarksTests {
  private func names(_ bench: Bench, _ filter: JSONValue?, sort: JSONValue = []) async throws -> [String] {
    var parameters: [String: JSONValue] = ["sort": sort]
    parameters["filter"] = filter
    let reply = try await bench.client.call(ChannelsMethod.list, parameters)
    return try [Channel](json: reply["channels"] ?? []).map(\.profile.displayName)
  }

  @Test func readingIsDecidedAndRefusedByName() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    let first = try await bench.client.channels.get(id: 1)
    #expect(first.followed && first.followDays == nil && first.followCount == nil)
    let some = try await bench.client.channels.setFollowing(
      ChannelsSetFollowingRequest(id: 1, followed: true, days: 0, count: 20))
    #expect(some.followed && some.followDays == 0 && some.followCount == 20 && some.revision > first.revision)
    #expect(try await names(bench, ["followDays": 0]) == ["News"])
    #expect(try await names(bench, ["followCount": ["$exists": false]]) == ["Sports"])
    let off = try await bench.client.channels.setFollowing(ChannelsSetFollowingRequest(id: 1, followed: false))
    #expect(!off.followed && off.followDays == nil && off.followCount == nil && off.edition == 1)
    #expect(try await names(bench, ["followed": false]) == ["News"])
    #expect(try await names(bench, [:], sort: [["field": "followed", "direction": -1]]) == ["Sports", "News"])
    for (name, value) in [("days", -1), ("days", 36_501), ("count", 0), ("count", 100_001), ("keep", 0), ("keep", 100_001)]
      as [(String, JSONValue)]
    {
      await #expect(throws: VarlinkError.invalidParameter(name)) {
        try await bench.client.call(ChannelsMethod.setFollowing, ["id": 1, "followed": true, name: value])
      }
    }
    await #expect(throws: ChannelsRefusal.noSuchChannel(id: 9, name: nil).error) {
      try await bench.client.channels.setFollowing(ChannelsSetFollowingRequest(id: 9, followed: true))
    }
    try await bench.stop()
  }

  @Test func channelKeepsNoMoreThanWasDecided() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    for channel in 1...2 as ClosedRange<Int64> {
      try await bench.hear((1...5).map { "m\(channel)\($0)" }, in: channel, by: "ann", from: 100)
    }
    func texts(_ channel: Int64) async throws -> [String] {
      try await bench.client.messages.list(MessagesListRequest(channelId: channel)).messages.map(\.text)
    }
    let kept = try await bench.client.channels.setFollowing(ChannelsSetFollowingRequest(id: 1, followed: true, keep: 2))
    #expect(kept.followKeep == 2 && kept.followDays == nil)
    try await bench.hear(["m16"], in: 1, by: "ann", from: 200)
    #expect(try await texts(1) == ["m16", "m15"])
    #expect(try await texts(2).count == 5)
    #expect(try await names(bench, ["followKeep": ["$lte": 2]]) == ["News"])
    #expect(try await bench.client.channels.setFollowing(ChannelsSetFollowingRequest(id: 1, followed: true)).followKeep == nil)
    try await bench.hear(["m17"], in: 1, by: "ann", from: 300)
    #expect(try await texts(1) == ["m17", "m16", "m15"])
    try await bench.stop()
  }

  @Test func decisionsAreStoredAndTold() async throws {
    let bench = try await Bench.reading(["News", "Sports"])
    let revision = try await bench.client.channels.get(id: 1).revision
    #expect(try await bench.client.channels.setMuted(id: 1, muted: true).muted)
    #expect(try await bench.client.channels.setPinned(id: 1, pinned: true).pinned)
    let frozen = try await bench.client.channels.setFrozen(id: 1, frozen: true)
    #expect(frozen.muted && frozen.pinned && frozen.frozen && !frozen.frozenEnforced && frozen.edition == 1)
    var seen: [Channel] = []
    for try await change in try await bench.client.monitor.watch(WatchRequest(since: revision, kinds: ["channel"])) {
      seen.append(try Channel(json: change.after ?? .null))
      if change.revision == frozen.revision { break }
    }
    #expect(seen.last == frozen)
    #expect(try await names(bench, ["muted": true]) == ["News"])
    #expect(try await names(bench, ["frozen": false]) == ["Sports"])
    #expect(try await names(bench, nil, sort: [["field": "pinned", "direction": 1]]) == ["Sports", "News"])
    // What is so already changes nothing.
    #expect(try await bench.client.channels.setMuted(id: 1, muted: true).revision == frozen.revision)
    #expect(try await !bench.client.channels.setPinned(id: 1, pinned: false).pinned)
    await #expect(throws: ChannelsRefusal.noSuchChannel(id: 9, name: nil).error) {
      try await bench.client.channels.setMuted(id: 9, muted: true)
    }
    // The inbox does without muted channels only where unread ones are asked for.
    for channel in [1, 2] as [Int64] { try await bench.hear(["m\(channel)"], in: channel, from: 1) }
    #expect(try await bench.client.messages.inbox().conversations.map(\.channelId) == [2, 1])
    let unread = try await bench.client.messages.inbox(MessagesInboxRequest(unread: true)).conversations
    #expect(unread.map(\.channelId) == [2])
    #expect(try await bench.client.messages.inbox().conversations.map(\.muted) == [false, true])
    try await bench.stop()
  }

  @Test func listsKnowWhatIsSaid() async throws {
    let bench = try await Bench.reading(["a", "b", "c"])
    try await bench.hear(["m1", "m2"], in: 1, from: 10)
    try await bench.hear([Bench.said("m3", "Until  when?\n\u{1B}[2J", at: 20, isMention: true)], in: 2, at: 20)
    let channel = try await bench.client.channels.get(id: 2)
    #expect(channel.lastMessage == "Until when? \u{1B}[2J" && channel.unread == 1 && channel.unreadMentions == 1)
    #expect(channel.lastMessageAt == "2023-11-14T22:13:40.000Z" && !channel.hidden && channel.truncatedAt == nil)
    let other = try await bench.client.channels.get(id: 3)
    #expect(other.lastMessageAt == nil && other.lastMessage == nil && other.unread == 0)
    let latest: JSONValue = [["field": "lastMessageAt", "direction": -1]]
    #expect(try await names(bench, nil, sort: latest) == ["b", "a", "c"])
    #expect(try await names(bench, ["unread": ["$gt": 0]], sort: [["field": "unread", "direction": -1]]) == ["a", "b"])
    #expect(try await names(bench, ["lastMessageAt": ["$exists": false]]) == ["c"])
    #expect(try await names(bench, ["lastMessage": ["$q": "until"]]) == ["b"])
    #expect(try await names(bench, ["lastMessageAt": ["$lt": "2023-11-14T22:13:35"]]) == ["a"])
    _ = try await bench.client.messages.markRead(channelId: 1)
    #expect(try await names(bench, ["unread": 0]) == ["a", "c"])
    for field in ["lastMessage", "frozenEnforced"] {
      await #expect(throws: VarlinkError.self, "\(field)") { try await names(bench, nil, sort: [["field": .string(field)]]) }
    }
    try await bench.stop()
  }

  @Test func hiddenChannelsComeBackWithTheNextMessage() async throws {
    let bench = try await Bench.reading(["a", "b"])
    for channel in [1, 2] as [Int64] { try await bench.hear(["m\(channel)"], in: channel, from: Double(channel)) }
    #expect(try await bench.client.channels.setHidden(id: 1, hidden: true).hidden)
    func inbox(_ hidden: Bool? = nil) async throws -> [Int64] {
      try await bench.client.messages.inbox(MessagesInboxRequest(hidden: hidden)).conversations.map(\.channelId)
    }
    #expect(try await inbox() == [2])
    #expect(try await inbox(true) == [1])
    #expect(try await names(bench, ["hidden": true]) == ["a"])
    // What was said before is no reason.
    try await bench.hear([Bench.said("old", at: -1_000)], in: 1, isLive: false, at: 5)
    #expect(try await inbox() == [2])
    try await bench.hear(["new"], in: 1, from: 9)
    #expect(try await inbox() == [1, 2])
    #expect(try await inbox(true).isEmpty)
    #expect(try await bench.client.channels.get(id: 1).hidden == false)
    _ = try await bench.client.channels.setHidden(id: 2, hidden: true)
    #expect(try await !bench.client.channels.setHidden(id: 2, hidden: false).hidden)
    #expect(try await inbox() == [1, 2])

    // An own post is something new, too.
    _ = try await bench.client.channels.setHidden(id: 1, hidden: true)
    _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "Hello"))
    try await bench.settleMessages()
    #expect(try await !bench.client.channels.get(id: 1).hidden)

    let cleared = try await bench.client.channels.setHidden(id: 1, hidden: true, clearHistory: true)
    #expect(cleared.hidden && cleared.truncatedAt != nil && cleared.unread == 0 && cleared.lastMessageAt == nil)
    #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).messages.isEmpty)
    await #expect(throws: VarlinkError.invalidParameter("clearHistory")) {
      try await bench.client.channels.setHidden(id: 1, hidden: false, clearHistory: true)
    }
    await #expect(throws: ChannelsRefusal.noSuchChannel(id: 9, name: nil).error) {
      try await bench.client.channels.setHidden(id: 9, hidden: true)
    }
    try await bench.stop()
  }

  @Test func channelsWhoseMessagesAreNotReadAreNotHidden() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    await #expect(throws: ChannelsRefusal.notFollowed(id: 1).error) {
      try await bench.client.channels.setHidden(id: 1, hidden: true)
    }
    // What needs no messages works.
    #expect(try await bench.client.channels.setMuted(id: 1, muted: true).muted)
    #expect(try await bench.client.channels.truncate(id: 1).channel.truncatedAt != nil)
    #expect(try await names(bench, ["unread": 0, "hidden": false, "lastMessageAt": .null]) == ["News"])
    try await bench.stop()
  }

  /// Messages are a copy: what is wrong with their file is no damage of channels.
  @Test func listsDoWithoutADamagedFileOfMessages() async throws {
    let bench = try await Bench.reading(["a", "b"])
    try await bench.hear(["m1"], in: 1, from: 1)
    #expect(try await names(bench, ["unread": ["$gt": 0]]) == ["a"])
    let messages = try #require(bench.messages)
    let path = bench.folder.path + "/state/messages.db"
    // Everything is in the file itself then.
    let question =
      "PRAGMA wal_checkpoint(TRUNCATE); SELECT rootpage FROM sqlite_schema WHERE name = 'conversations'; PRAGMA page_size"
    let numbers = try await Program.run("/usr/bin/sqlite3", [path, question]).lines.compactMap { Int($0) }
    let (page, size) = (try #require(numbers.first), try #require(numbers.last))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64((page - 1) * size))
    try file.write(contentsOf: Data(repeating: 0xAA, count: size))
    try file.close()
    // Connections that are opened later read what is there.
    bench.store.read(messages)
    #expect(try await names(bench, nil, sort: [["field": "lastMessageAt", "direction": -1]]).sorted() == ["a", "b"])
    #expect(try await names(bench, ["unread": ["$gt": 0]]).isEmpty)
    #expect(bench.store.damageFound.isEmpty)
    #expect(try await bench.client.call(DaemonMethod.check)["problems"] == [])
    try await bench.stop()
  }

  @Test func truncatedMessagesAreGoneAndStayGone() async throws {
    let bench = try await Bench.reading()
    try await bench.hear(["m1", "m2"], from: 1)
    // It is dated after the channel is truncated.
    let ahead = Bench.said("ahead", at: 4e9)
    try await bench.hear([ahead], at: 3)
    let before = try await bench.client.messages.list(MessagesListRequest(channelId: 1))
    #expect(before.messages.count == 3 && before.conversation?.unread == 3)
    let reply = try await bench.client.channels.truncate(id: 1)
    #expect(reply.deletedPosts == 0 && reply.failedPostId == nil && reply.channel.unread == 0)
    let replies = try await MessagesTests.watch(bench, MessagesWatchRequest(since: before.revision)) {
      $0.contains { $0.conversation != nil }
    }
    #expect(replies.compactMap(\.conversation).last?.truncatedAt == reply.channel.truncatedAt)
    // They are read again from another relay, and again as if they were said now.
    for isLive in [false, true] {
      try await bench.hear(
        [Bench.said("m1", at: 1), Bench.said("m2", at: 2), ahead], from: 2, isLive: isLive, at: 1e9)
    }
    #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).messages.isEmpty)
    #expect(try await bench.client.messages.search(MessagesSearchRequest(text: "m1")).hits.isEmpty)
    try await bench.hear([Bench.said("later", at: 3e9)], at: 3e9)
    let after = try await bench.client.messages.list(MessagesListRequest(channelId: 1))
    #expect(after.messages.map(\.networkId) == ["later"] && after.conversation?.unread == 1)
    try await bench.stop()
  }

  @Test func truncatingDeletesPostsOnRequest() async throws {
    let bench = try await Bench.reading()
    for text in ["one", "two", "three"] {
      _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: text))
    }
    let first = try await bench.client.posts.list(PostsListRequest(channelId: 1)).posts.map(\.id)
    try await bench.settleMessages()
    #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).messages.count == 3)
    #expect(try await bench.client.channels.truncate(id: 1).deletedPosts == 0)
    try await bench.settleMessages()
    #expect(try await bench.client.messages.list(MessagesListRequest(channelId: 1)).messages.isEmpty)
    #expect(try await bench.client.posts.list(PostsListRequest(channelId: 1)).posts.map(\.id) == first, "posts stay")
    let reply = try await bench.client.channels.truncate(id: 1, posts: true)
    #expect(reply.deletedPosts == 3 && reply.failedPostId == nil)
    for id in first { #expect(try await bench.client.posts.get(id: id).post.deletedAt != nil) }
    #expect(try await bench.client.channels.truncate(id: 1, posts: true).deletedPosts == 0)
    try await bench.stop()
  }

  @Test func nothingIsPublishedInFrozenChannels() async throws {
    let bench = try await Bench.reading(["a", "b"])
    let request = PostsPublishRequest(channelId: 1, text: "before", idempotencyKey: "k")
    let post = try await bench.client.posts.publish(request).post
    _ = try await bench.client.channels.setFrozen(id: 1, frozen: true)
    let frozen = PostsRefusal.channelFrozen(id: 1).error
    await #expect(throws: frozen) { try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "x")) }
    await #expect(throws: frozen) { try await bench.client.posts.edit(PostsEditRequest(id: post.id, text: "y")) }
    await #expect(throws: frozen) {
      try await bench.client.call(PostsMethod.react, ["id": .integer(post.id), "reaction": "+"])
    }
    await #expect(throws: frozen) {
      try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "x", at: "2099-01-01T00:00:00Z"))
    }
    #expect("\(PostsRefusal.channelFrozen(id: 1).sentence)".contains("frozen"))
    // What was accepted before is known all the same, and can be deleted; other channels go on.
    #expect(try await bench.client.posts.publish(request).post.id == post.id)
    _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 2, text: "x"))
    #expect(try await bench.client.posts.delete(id: post.id).deletedAt != nil)
    _ = try await bench.client.channels.setFrozen(id: 1, frozen: false)
    _ = try await bench.client.posts.publish(PostsPublishRequest(channelId: 1, text: "after"))
    try await bench.stop()
  }
}
