import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// The examples in docs/client.md#programs-with-a-screen work.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ScreenExampleTests {
  @Test func examplesRunAsTheyStand() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "2"])
    let relays = try await sandbox.sandboxRelays(2)
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(relays)
    let channel = try await createChannel(socket: baton.socket, name: "News", key: "news")
    #expect(channel.phase == "active")
    #expect(try await createChannel(socket: baton.socket, name: "News", key: "news").id == channel.id)
    let update = try await baton.control("channel", "update", "News", "--custom", "state=LA", "--custom", "team=desk")
    #expect(update.status == 0, "\(update.lines)")
    #expect(try await listByCustomData(socket: baton.socket).map(\.id) == [channel.id])

    try await baton.publish("The bridge is open.")
    let post = try await baton.post(1, until: \.isPublished)
    let link = try #require(channel.link)
    let root = try #require(try await baton.read(link).json["id"]?.string)
    let key = try #require(post["author"]?.string)
    var plan = MessagePlan(channel: root, relays: relays)
    plan.add(0, #"{"name":"Ada"}"#, label: "profile", by: "ada", tags: [])
    plan.answer(try #require(post["networkId"]?.string), of: key, "Since when?", by: "ada")
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let (found, messages) = try await readChannel(socket: baton.socket, name: "News")
    #expect(found.id == channel.id && Set(messages.map(\.text)) == ["The bridge is open.", "Since when?"])
    _ = try await baton.watchMessages { $0.message("Since when?")?["authorName"] == "Ada" }
    let ada = try #require(written.authors["ada"])
    #expect(try await findPeople(socket: baton.socket, typed: "ADA").map(\.author) == [ada])
    #expect(try await findPeople(socket: baton.socket, typed: "").count == 1)
    #expect(try await whoWrites(socket: baton.socket, channel: channel.id).map(\.name) == ["Ada"])

    try await answerWhatIsUnread(socket: baton.socket, channel: channel.id)
    let state = try await baton.watchMessages {
      $0.message("Thank you!")?["post"]?["phase"] == "published" && $0.conversations[channel.id]?["unread"] == 0
    }
    #expect(state.message("Thank you!")?["replyTo"] == state.message("Since when?")?["id"])
    // Asked again, there is nothing to answer.
    try await answerWhatIsUnread(socket: baton.socket, channel: channel.id)
    #expect(try await baton.posts { $0.count == 2 }.count == 2)

    let screens = [
      Task { [socket = baton.socket] in try await showChannelList(socket: socket) },
      Task { [socket = baton.socket] in try await showConversation(socket: socket, channel: 1) },
      Task { [socket = baton.socket] in try await showMembers(socket: socket, channel: 1) },
    ]
    try await actOnChannel(socket: baton.socket, channel: channel.id)
    for screen in screens {
      screen.cancel()
      _ = await screen.result
    }
    #expect(try await readChannel(socket: baton.socket, name: "News").messages.isEmpty)
    let people = [String(repeating: "a1", count: 32)]
    let group = try await createGroup(socket: baton.socket, name: "Us", relay: 1, people: people)
    #expect(try await createGroup(socket: baton.socket, name: "We", relay: 1, people: people).id == group.id)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }
}
