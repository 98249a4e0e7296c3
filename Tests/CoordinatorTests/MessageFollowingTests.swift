import Channels
import RelayNetwork
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

/// Which channels are read, and from which relays.
@Suite(.timeLimit(.minutes(10)))
struct MessageFollowingTests {
  private let messages = FakeMessages()

  @Test func newChannelIsReadFromItsRelaysAndHasAConversation() async throws {
    let bench = try await Bench(messages: messages)
    let start = bench.clock.now
    let (channel, relays) = try await bench.followedChannel(on: 2)
    let followed = try #require(bench.network.following.followed[channel])
    let row = try #require(try bench.store.channel(channel)?.row)
    #expect(followed.relays == [relays[0]: "ws://r1", relays[1]: "ws://r2"] && followed.content == row.content)
    #expect(followed.window == MessageWindow() && bench.network.following.violations.isEmpty)
    #expect((start...bench.clock.now).contains(try #require(messages.conversations[channel]?.since)))
    #expect(bench.coordinator.readsMessages)
    try await bench.stop()
    #expect(bench.network.following.followed.isEmpty, "nothing is read any more")
  }

  @Test func relayThatIsAddedIsReadAndOneThatIsRemovedIsNot() async throws {
    let bench = try await Bench(messages: messages)
    let relays = try await bench.addRelays(3)
    let channel = try await bench.create(relays: [relays[0], relays[1]]).row.id
    _ = try await bench.channel(channel) { $0.phase == .active }
    _ = try await bench.coordinator.addRelays([relays[2]], to: channel)
    try await bench.waitForMessages { bench.readFrom(channel) == ["ws://r1", "ws://r2", "ws://r3"] }
    _ = try await bench.coordinator.removeRelay(relays[0], from: channel)
    try await bench.waitForMessages { bench.readFrom(channel) == ["ws://r2", "ws://r3"] }
    #expect(bench.network.following.violations.isEmpty)
    try await bench.stop()
  }

  /// It may have taken the channel all the same, and serve what readers say there.
  @Test func relayThatFailedIsReadAsWell() async throws {
    let bench = try await Bench(messages: messages)
    let relays = try await bench.addRelays(2)
    bench.network.set(.refuses, at: "ws://r2")
    let channel = try await bench.create(relays: relays).row.id
    _ = try await bench.channel(channel) { $0.hasSettled }
    try await bench.settleMessages()
    #expect(bench.readFrom(channel) == ["ws://r1", "ws://r2"])
    try await bench.stop()
  }

  @Test func editionThatIsNewIsToldAndWhatReadersDoNotSeeIsNot() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, _) = try await bench.followedChannel()
    _ = try await bench.coordinator.update(channel, ChannelEdit(displayName: "Later"))
    try await bench.waitForMessages { bench.network.following.followed[channel]?.content.edition == 2 }
    let follows = bench.network.following.follows
    _ = try await bench.coordinator.verify(channel)
    try await bench.settle()
    try await bench.settleMessages()
    #expect(bench.network.following.follows == follows, "nothing has changed for readers")
    try await bench.stop()
  }

  @Test func channelIsReadAsFarAsIsDecidedOrNotAtAll() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    func follow(_ choice: FollowingChoice) async throws -> ChannelSnapshot {
      let snapshot = try await bench.coordinator.update(channel, ChannelEdit(following: choice))
      try await bench.coordinator.settleMessages(of: channel)
      return snapshot
    }
    func window() -> MessageWindow? { bench.network.following.followed[channel]?.window }
    #expect(window() == MessageWindow())
    _ = try await follow(FollowingChoice(days: 7, count: 50))
    #expect(window() == MessageWindow(days: 7, count: 50))
    _ = try await follow(FollowingChoice(days: 0))
    #expect(window() == MessageWindow(days: nil, count: MessageWindow().count))
    // It is not read, and what was read stays.
    bench.network.read(["a"], in: channel, from: relays[0])
    try await bench.settleMessages()
    let off = try await follow(FollowingChoice(isOn: false, days: 3))
    #expect(off.row.edition == 1 && off.row.marks.following == FollowingChoice(isOn: false, days: 3))
    #expect(bench.network.following.followed[channel] == nil && messages.conversations[channel] != nil)
    #expect(messages.messages(of: channel).map(\.networkID) == ["a"])
    let refusal = await bench.refusal { () throws(BatonError) in
      try await bench.coordinator.syncMessages(of: channel, within: .seconds(1))
    }
    #expect(refusal == .message(.notFollowed(channel)))
    // Others go on being read, and a new start changes nothing.
    let other = try await bench.create("Other", relays: relays).row.id
    try await bench.waitForMessages { bench.readFrom(other) != nil }
    #expect(bench.readFrom(channel) == nil)
    let on = try await follow(FollowingChoice())
    #expect(on.row.marks.following == FollowingChoice() && window() == MessageWindow())
    #expect(bench.network.following.violations.isEmpty)
    try await bench.stop()
  }

  @Test func channelThatIsNotReadStaysSoAfterAStart() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    _ = try await bench.coordinator.update(channel, ChannelEdit(following: FollowingChoice(isOn: false)))
    try await bench.stop()
    let again = try await Bench(bench, messages: messages)
    let other = try await again.create("Other", relays: relays).row.id
    try await again.waitForMessages { again.readFrom(other) != nil }
    #expect(again.readFrom(channel) == nil)
    // Nothing else of the channel is different.
    #expect(try again.store.channel(channel)?.row.marks == ChannelMarks(following: FollowingChoice(isOn: false)))
    try await again.stop()
  }

  @Test func whatIsDecidedAboutAChannelReachesItsMessages() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    bench.network.read(["a"], in: channel, from: relays[0])
    try await bench.settleMessages()
    let follows = bench.network.following.follows
    _ = try await bench.coordinator.update(channel, ChannelEdit(isMuted: true, isPinned: true))
    try await bench.coordinator.settleMessages(of: channel)
    #expect(messages.conversations[channel]?.marks == ConversationMarks(isMuted: true, isPinned: true))
    let truncated = try await bench.coordinator.truncate(channel).row.marks.truncatedAt
    #expect(truncated == bench.clock.timeOfDay && messages.conversations[channel]?.marks.truncatedAt == truncated)
    #expect(messages.messages(of: channel).isEmpty && bench.network.following.follows == follows, "it is read as before")
    let marks = messages.writes.count { $0 == .mark(channel) }
    _ = try await bench.coordinator.verify(channel)
    try await bench.settleMessages()
    #expect(messages.writes.count { $0 == .mark(channel) } == marks, "nothing is stored twice")
    // Time that runs back takes nothing back.
    let earlier = ChannelEdit(truncatedAt: Timestamp(milliseconds: 1))
    #expect(try await bench.coordinator.update(channel, earlier).row.marks.truncatedAt == truncated)
    try await bench.stop()
  }

  @Test func whatIsDecidedWhileMessagesCannotBeStoredIsStoredLater() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, _) = try await bench.followedChannel()
    messages.isBroken = true
    _ = try await bench.coordinator.update(channel, ChannelEdit(isMuted: true))
    let refusal = await bench.refusal { () throws(BatonError) in try await bench.coordinator.settleMessages(of: channel) }
    #expect(refusal == .storageUnavailable(reason: "messages.db: database or disk is full"))
    messages.isBroken = false
    try await bench.moveMessages { messages.conversations[channel]?.marks.isMuted == true }
    try await bench.stop()
  }

  @Test func channelThatIsDeletedIsReadNoMoreAndItsConversationEnds() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    bench.network.read(["a"], in: channel, from: relays[0])
    try await bench.settleMessages()
    #expect(messages.messages(of: channel).count == 1)
    _ = try await bench.coordinator.delete(channel)
    try await bench.waitForMessages { messages.conversations.isEmpty }
    #expect(bench.network.following.followed.isEmpty && messages.messages(of: channel).isEmpty)
    #expect(bench.coordinator.messageHub.revision == (try messages.messageCounters().revision))
    let notFollowed = BatonError.message(.notFollowed(channel))
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.markRead(channel, through: nil) }
        == notFollowed)
    #expect(
      await bench.refusal { () throws(BatonError) in
        try await bench.coordinator.syncMessages(of: channel, within: .seconds(30))
      } == notFollowed)
    // What was on its way is taken, so that others are read on.
    let late = bench.network.read(["b"], in: channel, from: relays[0])
    try await bench.settleMessages()
    #expect(bench.network.following.taken.last == late && messages.messages(of: channel).isEmpty)
    #expect(bench.network.following.violations.isEmpty)
    try await bench.stop()
  }

  @Test func restartGoesOnWithTheSameConversationsAndEndsThoseOfChannelsThatAreGone() async throws {
    let first = try await Bench(messages: messages)
    let (stays, relays) = try await first.followedChannel()
    let goes = try await first.create("Other", relays: relays).row.id
    try await first.waitForMessages { first.network.following.followed.count == 2 }
    let since = messages.conversations[stays]?.since
    try await first.stop()

    // No one reads for a while.
    let second = try await Bench(first)
    _ = try await second.coordinator.delete(goes)
    try await second.settle()
    #expect(second.network.following.followed.isEmpty && !second.coordinator.readsMessages)
    #expect(
      await second.refusal { () throws(BatonError) in try await second.coordinator.markRead(stays, through: nil) }
        == .message(.notFollowed(stays)))
    try await second.stop()

    second.clock.advance(by: .seconds(60))
    let third = try await Bench(second, messages: messages)
    try await third.waitForMessages { Set(messages.conversations.keys) == [stays] }
    #expect(third.readFrom(stays) == ["ws://r1"] && third.network.following.followed.count == 1)
    #expect(messages.conversations[stays]?.since == since, "it was begun before")
    #expect(messages.writes.count { $0 == .begin(stays) } == 1)
    #expect(third.coordinator.messageHub.revision == (try messages.messageCounters().revision))
    try await third.stop()
  }

  @Test func manyChannelsAreReadAfterARestartInPages() async throws {
    let first = try await Bench()
    let relays = try await first.addRelays(2)
    let count = ChannelWalk.pageMax * 2 + 3
    let ids = (1...count).map { ChannelID(rawValue: Int64($0)) }
    for id in ids { try await first.storage.write(ChannelRows.channel(id, on: relays, at: first.clock.now)) }
    try await first.stop()
    let second = try await Bench(first, messages: messages)
    try await second.waitForMessages { second.network.following.followed.count == count }
    #expect(Set(messages.conversations.keys) == Set(ids))
    #expect(second.network.following.follows == count && second.network.following.violations.isEmpty)
    // All of them are looked at again, and nothing is new.
    second.coordinator.tellMessages(.everythingChanged)
    try await second.settleMessages()
    #expect(second.network.following.follows == count)
    try await second.stop()
  }

  /// What is read before there is a conversation is lost.
  @Test func channelIsNotReadBeforeItHasAConversation() async throws {
    let bench = try await Bench(messages: messages)
    messages.isBroken = true
    let relays = try await bench.addRelays(1)
    let channel = try await bench.create(relays: relays).row.id
    try await bench.settle()
    try await bench.settleMessages()
    #expect(bench.network.following.followed.isEmpty)
    #expect(
      await bench.refusal { () throws(BatonError) in
        try await bench.coordinator.syncMessages(of: channel, within: .seconds(30))
      } == .storageUnavailable(reason: "messages.db: database or disk is full"))
    messages.isBroken = false
    try await bench.moveMessages { bench.readFrom(channel) == ["ws://r1"] }
    #expect(messages.conversations[channel] != nil)
    try await bench.stop()
  }
}
