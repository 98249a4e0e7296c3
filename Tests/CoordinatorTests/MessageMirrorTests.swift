import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Posts of ours are messages.
@Suite(.timeLimit(.minutes(10)))
struct MessageMirrorTests {
  private let messages = FakeMessages()

  private func message(_ post: PostID, in channel: ChannelID) -> MessageRow? {
    messages.messages(of: channel).first { $0.post == post }
  }

  @Test func postIsAMessageUnderItsNameAndStaysOne() async throws {
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, _) = try await bench.followedChannel()
    let first = try await bench.publish("a", in: channel).row
    let answer = try await bench.publish("b", in: channel, replyTo: first.id).row
    try await bench.waitForMessages { message(answer.id, in: channel) != nil }
    let rows = messages.messages(of: channel)
    #expect(rows.map(\.text) == ["a", "b"] && rows.map(\.networkID) == ["post1", "post2"])
    #expect(rows.allSatisfy { $0.isOwn && $0.author == "key" && $0.createdAt == first.createdAt })
    #expect(rows.map(\.replyTo) == [nil, "post1"])
    _ = try await bench.coordinator.deletePost(first.id)
    try await bench.waitForMessages { message(first.id, in: channel)?.deletedAt == bench.clock.now }
    #expect(messages.messages(of: channel).map(\.id) == rows.map(\.id))
    #expect(bench.coordinator.messageHub.revision == (try messages.messageCounters().revision))
    try await bench.stop()
  }

  /// Other people see a reaction that was forgotten here, so it still counts.
  @Test func forgottenPostIsAnEmptyMessage() async throws {
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, _) = try await bench.followedChannel()
    let target = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    let reaction = try await bench.coordinator.react(to: target, with: "+").post.row.id
    _ = try await bench.publish("b", in: channel)
    try await bench.waitForMessages { messages.messages(of: channel).map(\.text) == ["a", "b"] }
    try await bench.settlePosts()
    _ = try await bench.coordinator.setRetention(PostRetention(channel: channel, count: 1))
    try await bench.waitForPosts { try bench.store.post(reaction)?.row.forgottenAt != nil }
    try await bench.waitForMessages { message(target, in: channel)?.deletedAt != nil }
    #expect(messages.messages(of: channel).map(\.text) == ["", "b"] && messages.reactions[reaction]?.text == "+")
    try await bench.stop()
  }

  @Test func reactionIsAReactionUntilItIsDeleted() async throws {
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, _) = try await bench.followedChannel()
    let target = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    let reaction = try await bench.coordinator.react(to: target, with: "+").post.row
    try await bench.waitForMessages { messages.reactions[reaction.id] != nil }
    let mirrored = try #require(messages.reactions[reaction.id])
    #expect(mirrored.reactionTo == "post1" && mirrored.text == "+" && mirrored.networkID == reaction.document.networkID)
    #expect(messages.messages(of: channel).map(\.post) == [target])
    _ = try await bench.coordinator.deletePost(reaction.id)
    try await bench.waitForMessages { messages.reactions.isEmpty }
    try await bench.stop()
  }

  @Test func scheduledPostIsAMessageOnceItIsPublished() async throws {
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, _) = try await bench.followedChannel()
    let due = bench.clock.now + .seconds(600_000)
    let post = try await bench.publish("later", in: channel, at: due).row.id
    let other = try await bench.publish("now", in: channel).row.id
    try await bench.settlePosts()
    try await bench.waitForMessages { message(other, in: channel) != nil }
    #expect(messages.messages(of: channel).map(\.post) == [other])
    bench.clock.advance(by: due - bench.clock.now)
    try await bench.waitForMessages { message(post, in: channel) != nil }
    let name = try #require(try bench.store.post(post)?.row.document.networkID)
    #expect(message(post, in: channel)?.networkID == name && !name.isEmpty)
    try await bench.stop()
  }

  /// Posts of channels without a conversation are left out for good.
  @Test func postsFromBeforeAreMessagesOnceAllChannelsWereLookedAt() async throws {
    let first = try await Bench(posts: true)
    let channel = try await first.readyChannel(on: 1)
    let relays = [RelayID(rawValue: 1)]
    let others = (0..<Int64(ChannelWalk.pageMax)).map { ChannelID(rawValue: 1_000 + $0) }
    for id in others { try await first.storage.write(ChannelRows.channel(id, on: relays, at: first.clock.now)) }
    try await first.stop()
    let second = try await Bench(first, posts: true)
    let last = try #require(others.last)
    let late = try await second.publish("late", in: last).row.id
    let count = MessageKeeper.postsMax * (MessageKeeper.postPagesMax + 1)
    for number in 1...count { _ = try await second.publish("post \(number)", in: channel) }
    try await second.settlePosts()
    try await second.stop()

    let third = try await Bench(second, posts: true, messages: messages)
    try await third.waitForMessages { messages.messages(of: channel).count == count && message(late, in: last) != nil }
    #expect(Set(messages.messages(of: channel).map(\.text)) == Set((1...count).map { "post \($0)" }))
    #expect(try messages.messageCounters().mirrored == third.store.postCounters().revision)
    try await third.stop()
    // All of that is known at the next start.
    let mirrors = messages.writes.count { if case .mirror = $0 { true } else { false } }
    let fourth = try await Bench(third, posts: true, messages: messages)
    try await fourth.settleMessages()
    #expect(messages.writes.count { if case .mirror = $0 { true } else { false } } == mirrors)
    try await fourth.stop()
  }

  @Test func postsThatCannotBeReadAreMirroredLaterAndHoldUpNothing() async throws {
    let bench = try await Bench(posts: true, messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.waitForMessages { message(post, in: channel) != nil }
    try await bench.settlePosts()
    try await bench.settleMessages()
    bench.storage.arePostsUnreadable = true
    bench.coordinator.tellMessages(.postsChanged)
    bench.network.read(["said"], in: channel, from: relays[0])
    try await bench.waitForMessages { messages.messages(of: channel).count == 2 }
    #expect(bench.count(.messagesNotStored) == 1)
    bench.storage.arePostsUnreadable = false
    let next = try await bench.publish("b", in: channel).row.id
    try await bench.moveMessages { message(next, in: channel) != nil }
    #expect(bench.count(.messagesStoredAgain) == 1)
    try await bench.stop()
  }

  @Test func postsThatWereSetBackAreMirroredAgain() async throws {
    let bench = try await Bench(posts: true)
    let channel = try await bench.readyChannel(on: 1)
    let post = try await bench.publish("a", in: channel).row.id
    try await bench.settlePosts()
    try await bench.stop()
    // The other database is from a time that has not come again.
    _ = try messages.mirror([], through: 1_000_000)
    let again = try await Bench(bench, posts: true, messages: messages)
    try await again.waitForMessages { message(post, in: channel) != nil }
    #expect(try messages.messageCounters().mirrored == again.store.postCounters().revision)
    try await again.stop()
  }

  // MARK: - What a post is

  private func post(_ id: Int64, _ text: String, name: String, _ change: (inout PostRow) -> Void = { _ in }) -> StoredPost {
    var row = PostRow(
      id: PostID(rawValue: id), channel: ChannelID(rawValue: 1),
      document: PostDocument(networkID: name, author: "key", text: text), text: text, createdAt: Timestamp(milliseconds: 5),
      deliveryCount: 0, revision: id)
    change(&row)
    return StoredPost(row: row, deliveries: [])
  }

  @Test func pinsAndWhatWasNotPublishedAreNoMessages() {
    let target = post(1, "a", name: "a1")
    let posts = [
      target,
      post(2, PostRow.pinText, name: "") { $0.reactionTo = target.row.id },
      post(3, PostRow.pinText, name: "a3"),
      post(4, "", name: "") {
        $0.schedule = PostSchedule(publishAt: Timestamp(milliseconds: 9), tolerance: 60, request: "{}")
      },
      post(5, "", name: "") {
        $0.schedule = PostSchedule(publishAt: Timestamp(milliseconds: 1), tolerance: 60, request: "{}", trouble: "too late")
      },
      post(6, "b", name: "a6") {
        $0.schedule = PostSchedule(publishAt: Timestamp(milliseconds: 1), tolerance: 60, request: nil)
      },
    ]
    let messages = PostMirror.messages(of: posts, targets: [:])
    #expect(messages.map(\.post.rawValue) == [1, 3, 6] && messages.allSatisfy { $0.reactionTo == nil })
  }

  @Test func namesAreThoseThatReadersKnow() {
    let parent = post(1, "a", name: "17/c2hhcmVk")
    let posts = [
      post(2, "b", name: "") { $0.replyTo = parent.row.id }, post(3, "c", name: "after-17"),
      post(4, "d", name: "18") { $0.replyTo = PostID(rawValue: 3) },
      post(5, "+", name: "") { $0.reactionTo = parent.row.id },
      post(6, "+", name: "") { $0.reactionTo = PostID(rawValue: 3) },
      post(7, "+", name: "") { $0.reactionTo = PostID(rawValue: 99) },
    ]
    #expect(PostMirror.targets(of: posts) == [parent.row.id, PostID(rawValue: 99)])
    let messages = PostMirror.messages(of: posts, targets: [parent.row.id: parent])
    #expect(messages.map(\.post.rawValue) == [2, 3, 4, 5], "a reaction to nothing is no message")
    #expect(messages.map(\.networkID) == [nil, nil, "18", nil])
    #expect(messages.map(\.replyTo) == ["17/c2hhcmVk", nil, nil, nil])
    #expect(messages.map(\.reactionTo) == [nil, nil, nil, "17/c2hhcmVk"])
  }

  @Test func removalTakesTheMessageAwayOnceNoRelayShowsIt() {
    func removal(_ statuses: [(DeliveryStatus, hasDeparted: Bool)]) -> StoredPost {
      var post = post(1, "", name: "m") {
        $0.about = AboutMessage(act: .removal, networkID: "m", author: "alice")
        $0.deletedAt = Timestamp(milliseconds: 9)
      }
      post.deliveries = statuses.enumerated().map { index, status in
        var record = DeliveryRecord(DeliveryMachine(deleting: 1, now: Timestamp(milliseconds: 9)))
        record.status = status.0
        return DeliveryRow(relay: RelayID(rawValue: Int64(index + 1)), record: record, hasDeparted: status.hasDeparted)
      }
      return post
    }
    func removed(_ statuses: (DeliveryStatus, hasDeparted: Bool)...) -> [String?] {
      PostMirror.messages(of: [removal(statuses)], targets: [:]).map(\.removed)
    }
    #expect(removed((.deleted, false)) == ["m"] && removed((.deleted, false), (.deleting, true)) == ["m"])
    for status in DeliveryStatus.allCases where status != .deleted {
      #expect(removed((status, false)).isEmpty && removed((.deleted, false), (status, false)).isEmpty, "\(status)")
    }
    #expect(removed((.deleted, true)).isEmpty, "the channel left the relay before that was known")
  }
}
