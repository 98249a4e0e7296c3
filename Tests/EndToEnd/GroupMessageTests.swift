import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// What members of a group say, on a relay that takes nothing that is more than a minute old.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GroupMessageTests {
  @Test func messagesOfMembersAreListedOnceAndThoseOfOtherGroupsNever() async throws {
    let club = try await GroupPostTests.Club()
    let baton = club.baton
    #expect(try await baton.control("channel", "create", "Other", "--kind", "group", "--relay", "r1").status == 0)
    let link = try #require(try await baton.client().channels.get(id: 2).link)
    let other = try #require(try await baton.read(link).json["id"]?.string)
    let post = try await baton.publish("The bridge is open.")
    let published = try await baton.post(1, until: \.isPublished)
    let (name, owner) = (try #require(published["networkId"]?.string), try #require(post["author"]?.string))

    var plan = MessagePlan(group: club.id, relay: club.url)
    let members = (0..<6).map { "member \($0)" }
    for member in members { plan.add(9_021, "", label: "\(member) joins", by: member, tags: [["h", club.id]]) }
    for number in 1...120 { plan.say("said \(number)", by: members[number % 6], at: -Int64(number % 3)) }
    plan.answer(name, of: owner, "Since when?", by: "member 1")
    plan.react("+", to: name, of: owner, by: "member 2")
    // Events of other kinds are no messages of the group.
    plan.add(42, "of another kind", by: "member 3", tags: [["h", club.id]])
    plan.add(9, "elsewhere", by: "member 4", tags: [["h", other]])
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    try await baton.sync()
    let state = try await baton.watchMessages { state in
      state.message("Since when?") != nil && state.message("elsewhere") != nil && state.present.count == 122 + 1
    }

    let listed = try await baton.allMessages()
    let served = try await club.served()
    #expect(Set(listed.compactMap { $0["networkId"]?.string }) == Set(served.compactMap { $0["id"]?.string }))
    #expect(listed.count == 122 && served.count == 122, "\(listed.count) of \(served.count)")
    #expect(state.message("elsewhere")?["channelId"] == 2 && state.message("of another kind") == nil)
    let answer = try #require(state.message("Since when?"))
    let own = try #require(state.messages.values.first { $0["post"]?["id"] == 1 })
    #expect(answer["replyTo"] == own["id"] && answer["mention"] == true && answer["own"] == false, "\(answer)")
    #expect(own["networkId"]?.string == name && own["reactions"] == [["reaction": "+", "count": 1, "own": false]], "\(own)")

    // A post that was deleted is deleted as a message too.
    #expect(try await baton.control("post", "delete", "1", "--yes").status == 0)
    _ = try await baton.post(1) { $0.statuses == ["r1": "deleted"] }
    _ = try await baton.watchMessages { $0.messages.values.contains { $0["post"]?["id"] == 1 && $0["deletedAt"] != nil } }
    #expect(try await baton.allMessages().count == 121)

    await club.kill()
    plan = MessagePlan(group: club.id, relay: club.url)
    for number in 1...20 { plan.say("meanwhile \(number)", by: members[number % 6]) }
    try await baton.write(plan)
    try await club.startAgain()
    _ = try await baton.watchMessages { state in state.texts.count { $0.hasPrefix("meanwhile") } == 20 }
    try await baton.sync()
    let after = try await baton.allMessages()
    let known = Set(listed.compactMap { $0["id"]?.integer }).subtracting([own["id"]?.integer ?? 0])
    #expect(
      after.compactMap { $0["id"]?.integer }.filter(known.contains)
        == listed.compactMap { $0["id"]?.integer }.filter(known.contains))
    #expect(Set(after.compactMap { $0["networkId"]?.string }) == Set(try await club.served().compactMap { $0["id"]?.string }))
    await club.stop()
  }

  /// Whoever runs a group answers, reacts and removes what a member wrote; a deletion by the author (kind 5) is refused by the relay.
  @Test func groupAnswersReactsToAndRemovesWhatMembersWrote() async throws {
    let club = try await GroupPostTests.Club()
    let baton = club.baton
    var plan = MessagePlan(group: club.id, relay: club.url)
    plan.add(9_021, "", label: "joins", by: "ann", tags: [["h", club.id]])
    plan.say("When do we meet?", by: "ann")
    plan.say("Buy my stuff", by: "ann")
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let state = try await baton.watchMessages { $0.messages.count == 2 }
    let (question, spam) = (try #require(state.message("When do we meet?")), try #require(state.message("Buy my stuff")))
    let (id, author) = (try #require(question["networkId"]?.string), try #require(question["author"]?.string))

    let reply = try await baton.control("messages", "reply", "\(question["id"]?.integer ?? 0)", "At nine.", "--wait", "all")
    #expect(reply.status == 0, "\(reply.lines)")
    let react = try await baton.control("messages", "react", "\(question["id"]?.integer ?? 0)", "👍", "--wait", "all")
    #expect(react.status == 0, "\(react.lines)")
    let events = try await club.served() + club.served(kind: 7)
    let meaning = try await baton.meaning(of: events)
    let answer = try #require(meaning.values.first { $0["text"]?.string?.hasSuffix("At nine.") == true })
    #expect(answer["quotes"] == [[.string(id), .string(club.url), .string(author)]], "\(answer)")
    let like = try #require(meaning.values.first { $0["kind"] == 7 })
    #expect(like["to"] == [.string(id), .string(club.url), .string(author)] && like["kinds"] == [9], "\(like)")

    let removed = try await baton.control("messages", "remove", "\(spam["id"]?.integer ?? 0)", "--reason", "no advertising")
    #expect(removed.status == 0 && removed.lines.first == "Message is being removed.", "\(removed.lines)")
    _ = try await baton.post(3) { $0.statuses == ["r1": "deleted"] }
    #expect(try await club.served().allSatisfy { $0["content"]?.string?.hasSuffix("my stuff") != true })
    let after = try await baton.watchMessages { $0.messages[spam["id"]?.integer ?? 0]?["deletedAt"] != nil }
    #expect(after.texts.sorted() == ["At nine.", "When do we meet?"] && after.message("Buy my stuff") == nil)
    #expect(after.messages[question["id"]?.integer ?? 0]?["reactions"] == [["reaction": "👍", "count": 1, "own": true]])
    let shown = try await baton.control("post", "show", "3")
    #expect(shown.lines.contains { $0.hasPrefix("removes   message ") } && shown.status == 0, "\(shown.lines)")
    await club.stop()
  }

  /// The name of a post in a group changes with each attempt.
  @Test func ownPostThatIsSignedAgainStaysOneMessage() async throws {
    let club = try await GroupPostTests.Club()
    try await club.set("lose")
    try await club.baton.publish("news")
    _ = try await club.baton.post(1) { ["accepted", "failed"].contains($0.statuses["r1"]) }
    let early = try await club.baton.watchMessages { !$0.messages.isEmpty }
    try await club.set("none")
    _ = try await club.baton.post(1) { $0.statuses == ["r1": "failed"] }
    #expect(try await club.baton.control("post", "retry", "1").status == 0)
    let post = try await club.baton.post(1, until: \.isPublished)
    try await club.baton.sync()
    let state = try await club.baton.watchMessages(from: early) { state in
      state.messages.values.contains { $0["networkId"] == post["networkId"] && $0["post"]?["phase"] == "published" }
    }
    #expect(Set(state.present.keys) == Set(early.present.keys))
    #expect(try await club.baton.allMessages().map { $0["networkId"] } == [post["networkId"]])
    await club.stop()
  }
}
