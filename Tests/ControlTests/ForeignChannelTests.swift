import BatonClient
import Channels
import ControlAPI
import Coordinator
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Channels that others run, as clients see them.
@Suite(.timeLimit(.minutes(10)))
struct ForeignChannelTests {
  private static let link = "fake|channel|town|theirs|ws://r1|ws://r2"

  /// A bench with an own channel, 1, and one that is followed, 2.
  private func bench() async throws -> Bench {
    let bench = try await Bench.reading(["News"])
    bench.network.following.foreign["town"] = ForeignChannel("Town", about: "talk", at: ["ws://r1"])
    let followed = try await bench.client.channels.follow(ChannelsFollowRequest(link: Self.link))
    #expect(followed.id == 2)
    try await bench.begin(2)
    return bench
  }

  private func names(_ bench: Bench, _ filter: JSONValue, sort: JSONValue = []) async throws -> [String] {
    let reply = try await bench.client.call(ChannelsMethod.list, ["filter": filter, "sort": sort])
    return try [Channel](json: reply["channels"] ?? []).map(\.profile.displayName)
  }

  @Test func channelOfOthersIsAChannelThatIsOnlyRead() async throws {
    let bench = try await bench()
    let channel = try await bench.client.channels.get(id: 2)
    #expect(!channel.owned && channel.phase == "followed" && channel.relays.isEmpty && channel.readRelayIds == [1, 2])
    #expect(channel.wantedRelays == 0 && !channel.heal && channel.key == nil && channel.identity == "main")
    #expect(channel.summary == "Channel is read from 2 relays." && channel.profile.description == "talk")
    #expect(channel.linkUsable && channel.link != nil)
    let link = try await bench.client.call(ChannelsMethod.link, ["id": 2])
    #expect(link["link"]?.string == channel.link && link["usable"] == true && link["activeRelays"] == 0)
    let own = try await bench.client.channels.get(id: 1)
    #expect(own.owned && own.readRelayIds.isEmpty)
    // Lists find it by all of that, and count it like others.
    #expect(try await names(bench, ["owned": false]) == ["Town"])
    #expect(try await names(bench, ["owned": true]) == ["News"])
    #expect(try await names(bench, ["phase": "followed"]) == ["Town"])
    #expect(try await names(bench, ["phase": ["$in": ["failed", "creating", "degraded"]]]) == [])
    #expect(try await names(bench, ["linkUsable": true, "owned": false]) == ["Town"])
    #expect(try await names(bench, ["key": ["$exists": false]]) == ["Town"])
    #expect(try await names(bench, ["readRelayIds": ["$contains": 2]]) == ["Town"])
    #expect(try await names(bench, [:], sort: [["field": "owned", "direction": 1]]) == ["Town", "News"])
    // Following it once more gives the same.
    #expect(try await bench.client.channels.follow(ChannelsFollowRequest(link: Self.link)).id == 2)
    try await bench.stop()
  }

  @Test func messagesOfOthersChannelsAreMessages() async throws {
    let bench = try await bench()
    try await bench.hear(
      [
        .message(
          ReadMessage(networkID: "a", author: "ann", text: "hello", createdAt: Bench.time(1), isMention: true))
      ], in: 2, at: 2)
    let page = try await bench.client.messages.list(MessagesListRequest(channelId: 2))
    #expect(page.messages.map(\.text) == ["hello"] && page.messages.first?.channelName == "Town")
    #expect(page.conversation?.owned == false && page.conversation?.unreadMentions == 1)
    #expect(try await bench.client.messages.inbox(MessagesInboxRequest()).conversations.map(\.channelId) == [2])
    #expect(try await bench.client.channels.get(id: 2).unread == 1)
    #expect(try await bench.client.channels.setMuted(id: 2, muted: true).muted)
    #expect(try await bench.client.channels.setPinned(id: 2, pinned: true).pinned)
    let id = try #require(page.messages.first?.id)
    let refusal = PostsRefusal.notOwned(id: 2).error
    await #expect(throws: refusal) {
      try await bench.client.call(PostsMethod.react, ["messageId": .integer(id), "reaction": "+"])
    }
    await #expect(throws: refusal) { try await bench.client.call(PostsMethod.remove, ["messageId": .integer(id)]) }
    await #expect(throws: refusal) {
      try await bench.client.call(PostsMethod.publish, ["channelId": 2, "text": "hello", "replyToMessage": .integer(id)])
    }
    try await bench.stop()
  }

  @Test func whatIsForOwnChannelsIsRefusedByName() async throws {
    let bench = try await bench()
    let refusal = ChannelsRefusal.notOwned(id: 2).error
    for (method, parameters) in [
      (ChannelsMethod.retryRelay, [:]), (.verify, [:]), (.delete, [:]), (.addRelays, ["pick": 1]),
      (.removeRelay, ["relayId": 1]), (.setFrozen, ["frozen": true]), (.update, ["description": "x"]),
      (.truncate, ["posts": true]),
    ] as [(ChannelsMethod, [String: JSONValue])] {
      await #expect(throws: refusal, "\(method)") {
        try await bench.client.call(method, parameters.merging(["id": 2]) { $1 })
      }
    }
    await #expect(throws: MembersRefusal.notOwned(id: 2).error) {
      try await bench.client.call(MembersMethod.add, ["channelId": 2, "author": "ann"])
    }
    await #expect(throws: ChannelsRefusal.owned(id: 1).error) { try await bench.client.channels.unfollow(id: 1) }
    for (parameters, refusal) in [
      (["link": "x"], "InvalidLink"), (["link": "fake|channel|x|k|ws://far"], "NoKnownRelay"),
      (["link": "fake|channel|x|k", "relayIds": [1]], "NotFollowable"),
      (["link": "fake|channel|x|k", "relayIds": [9]], "NoSuchRelay"),
      (["link": "fake|channel|unheard|k"], "NotSupported"),
      (["link": "fake|channel|new|k|ws://r1", "identity": "x"], "NoSuchIdentity"),
      (["link": .string(Self.link), "displayName": "\u{3164}"], "InvalidDisplayName"),
    ] as [([String: JSONValue], String)] {
      let error = await #expect(throws: VarlinkError.self) {
        try await bench.client.call(ChannelsMethod.follow, parameters)
      }
      #expect(error?.name == "org.batond.Channels.\(refusal)", "\(parameters)")
    }
    let truncated = try await bench.client.call(ChannelsMethod.truncate, ["id": 2])
    #expect(truncated["channel"]?["truncatedAt"]?.string != nil)
    let left = try await bench.client.channels.unfollow(id: 2)
    #expect(left.phase == "deleted" && !left.owned)
    await #expect(throws: ChannelsRefusal.noSuchChannel(id: 9, name: nil).error) {
      try await bench.client.channels.unfollow(id: 9)
    }
    try await bench.stop()
  }
}
