import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// A channel that another daemon runs on independent relays, where independent clients speak: it is read, and no one there notices.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FollowedChannelTests {
  private func link(of baton: Installation) async throws -> String {
    let shown = try await baton.control("channel", "link", "1", "--no-qr")
    return try #require(shown.lines.first { $0.hasPrefix("nostr:") }, "\(shown.lines)")
  }

  private func key(of baton: Installation) async throws -> String {
    let client = try await baton.client()
    let reply = try await client.call("org.batond.Identities.List")
    await client.close()
    return try #require(reply["identities"]?.array?.first?["publicKey"]?.string, "\(reply)")
  }

  @Test func channelOfOthersIsReadWithoutGapsAndLeft() async throws {
    let relays = try await PostRelays()
    let (owner, ownerDaemon, channel) = try await MessageTests.start(relays)
    _ = try await owner.publish("The bridge is open.")
    _ = try await owner.post(1, until: \.isPublished)
    let link = try await link(of: owner)

    let reader = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    var readerDaemon = try await reader.start()
    // None of the relays is known yet.
    let alone = try await reader.control("channel", "follow", link)
    #expect(alone.status == 1 && alone.lines.joined().contains("none of the link's relays"), "\(alone.lines)")
    for (index, url) in relays.urls.prefix(2).enumerated() {
      #expect(try await reader.control("relay", "add", url, "--name", "r\(index + 1)", "--disabled").status == 0)
    }
    let followed = try await reader.control("channel", "follow", "\u{FEFF}<\(link)>\r")
    #expect(
      followed.status == 0
        && followed.lines == ["Channel 1 'News' is followed from 2 relays. See batonctl messages 1."], "\(followed.lines)"
    )
    #expect(try await reader.control("channel", "follow", link).lines == followed.lines)
    let shown = try await reader.control("channel", "show", "News")
    #expect(shown.lines.contains("phase     followed: Channel is read from 2 relays."), "\(shown.lines)")
    #expect(shown.lines.contains("read from r1, r2"), "\(shown.lines)")
    let listed = try await reader.control("channel", "list", "--phase", "followed", "--columns", "NAME,PHASE,RELAYS")
    #expect(listed.lines.last?.split(separator: " ").map(String.init) == ["News", "followed", "2"], "\(listed.lines)")

    let own = try await key(of: reader)
    var plan = MessagePlan(channel: channel, relays: relays.urls)
    plan.sayMany(1...60, "by the way") { $0 <= 20 ? 0 : Int64($0) - 90 }
    plan.say("for the reader", by: "ann", tags: [["p", own]])
    let written = try await owner.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let state = try await reader.watchMessages {
      $0.texts.contains("for the reader") && $0.texts.contains("The bridge is open.")
    }
    #expect(state.message("for the reader")?["mention"] == true)
    #expect(state.message("The bridge is open.")?["own"] == false, "it is someone else's")
    #expect(try await reader.conversation()["owned"] == false)
    try await reader.sync()
    let before = try await reader.expectServed(in: channel, at: Array(relays.urls.prefix(2)))
    #expect(before.count > 40)

    // What is said while the daemon is dead is there afterwards, once.
    readerDaemon.signal(SIGKILL)
    #expect(await readerDaemon.status() != 0)
    var meanwhile = MessagePlan(channel: channel, relays: relays.urls)
    meanwhile.sayMany(1...40, "meanwhile") { -Int64($0) }
    #expect(try await owner.write(meanwhile).refused.isEmpty)
    readerDaemon = try await reader.start()
    try await reader.sync()
    let after = try await reader.expectServed(in: channel, at: Array(relays.urls.prefix(2)))
    #expect(after.count > before.count)
    let known = before.compactMap { $0["id"]?.integer }
    let knownSet = Set(known)
    #expect(after.compactMap { $0["id"]?.integer }.filter(knownSet.contains) == known, "the order survives")

    // Nothing is published, and nothing can be.
    for (arguments, words) in [
      (["post", "News", "hello"], "is not yours"), (["messages", "react", "1", "+"], "is not yours"),
      (["channel", "delete", "News", "--yes"], "is not yours"), (["channel", "freeze", "News"], "is not yours"),
      (["channel", "verify", "News"], "is not yours"), (["channel", "follow", "nostr:news"], "is malformed"),
      (["channel", "follow", "https://smp.example/c#key"], "simplex"),
    ] {
      let refused = try await reader.control(arguments)
      #expect(refused.status == 1 && refused.lines.joined().contains(words), "\(arguments): \(refused.lines)")
    }
    for url in relays.urls {
      #expect(try await owner.events(at: url, ["authors": [.string(own)]]).isEmpty, "\(url)")
    }
    #expect(try await owner.channel(1) { _ in true }.phase == "active")

    let left = try await reader.control("channel", "unfollow", "News", "--yes")
    #expect(left.lines == ["Channel 1 is no longer followed."], "\(left.lines)")
    #expect(try await reader.control("messages", "1").lines.allSatisfy { !$0.contains("by the way") })
    let inbox = try await reader.control("inbox")
    #expect(inbox.lines == ["No conversations."], "\(inbox.lines)")
    let again = try await reader.control("channel", "follow", link, "--name", "Neighbours", "--relay", "r2")
    #expect(
      again.lines.first == "Channel 2 'Neighbours' is followed from 1 relay. See batonctl messages 2.", "\(again.lines)")
    // The whole history is there again, though it was told before.
    _ = try await reader.watchMessages { state in
      state.messages.values.contains { $0["channelId"] == 2 && $0["text"]?.string == "The bridge is open." }
        && state.messages.values.count { $0["channelId"] == 2 } > 40
    }
    let unowned = try await owner.control("channel", "unfollow", "News", "--yes")
    #expect(unowned.status == 1 && unowned.lines.joined().contains("batonctl channel delete 1"), "\(unowned.lines)")
    #expect(try await owner.control("channel", "follow", link).lines == ["Channel 1 'News' is your own."])
    readerDaemon.signal(SIGTERM)
    #expect(await readerDaemon.status() == 0)
    await relays.stop(ownerDaemon)
  }

  /// A group of others shows who belongs to it, and lets no one in on our word.
  @Test func groupOfOthersIsReadWithItsMembers() async throws {
    let club = try await GroupPostTests.Club()
    let link = try await link(of: club.baton)
    let reader = try Installation(["BATON_NOSTR_REDIAL_MAX": "500ms"])
    let daemon = try await reader.start()
    #expect(try await reader.control("relay", "add", club.url, "--disabled").status == 0)
    let followed = try await reader.control("channel", "follow", link)
    #expect(
      followed.lines == ["Channel 1 'Club' is followed from 1 relay. See batonctl messages 1."], "\(followed.lines)")
    var plan = MessagePlan(group: club.id, relay: club.url)
    plan.say("hello", by: "ann")
    let written = try await club.baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    _ = try await reader.watchMessages { $0.texts.contains("hello") }
    let client = try await reader.client()
    for try await _ in try await client.members.watch(since: 0) {
      if try await client.members.list(MembersListRequest(channelId: 1)).members.contains(where: { $0.roles == ["admin"] }) {
        break
      }
    }
    let added = try await reader.control("member", "add", "Club", String(repeating: "a1", count: 32))
    #expect(added.status == 1 && added.lines.joined().contains("is not yours"), "\(added.lines)")
    // A moderator there removes it.
    let id = try #require(
      try await client.messages.list(MessagesListRequest(channelId: 1)).messages.first { $0.text == "hello" }?.id)
    await client.close()
    let heard = try await club.baton.watchMessages { $0.texts.contains("hello") }
    let number = try #require(heard.message("hello")?["id"]?.integer)
    #expect(try await club.baton.control("messages", "remove", "\(number)", "--yes").status == 0)
    _ = try await reader.watchMessages { $0.messages[id]?["deletedAt"] != nil }
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    await club.stop()
  }
}
