import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// Who belongs to a group, from its relay to the command line and back. The relay is one of the sandbox; what it serves is read by an
/// independent client.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GroupMemberTests {
  /// The people whom the relay names in one of its lists, each with what follows the key.
  private static func listed(_ kind: Int64, _ club: GroupPostTests.Club) async throws -> [String: [String]] {
    let events = try await club.baton.events(at: club.url, ["kinds": [.integer(kind)], "#d": [.string(club.id)]])
    let tags = events.last?["tags"]?.array ?? []
    return tags.reduce(into: [:]) { people, tag in
      let parts = tag.array?.compactMap(\.string) ?? []
      if parts.first == "p", parts.count > 1 { people[parts[1]] = Array(parts.dropFirst(2)) }
    }
  }

  /// Waits until the daemon lists exactly these with these roles, besides itself.
  private static func wait(for people: [String: [String]], _ club: GroupPostTests.Club) async throws -> [Member] {
    let client = try await club.baton.client()
    defer { Task { await client.close() } }
    for try await _ in try await client.members.watch(since: 0) {
      let found = try await client.members.list(MembersListRequest(channelId: 1)).members
      let others = found.filter { !$0.own }.map { ($0.author, $0.roles) }
      if Dictionary(others, uniquingKeysWith: { first, _ in first }) == people { return found }
    }
    return []
  }

  @Test func peopleAreLetInAndOutAndGivenRoles() async throws {
    let club = try await GroupPostTests.Club()
    let baton = club.baton
    let (ann, bob) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
    let add = try await baton.control("member", "add", "Club", ann)
    #expect(add.status == 0 && add.lines.last == "a1a1a1a1…a1a1a1a1 is a member.", "\(add.lines)")
    let admin = try await baton.control("member", "add", "Club", bob, "--role", "admin", "--role", "herald")
    #expect(admin.status == 0 && admin.lines.last?.hasSuffix("with the role admin, herald.") == true, "\(admin.lines)")
    #expect(try await Self.listed(39_002, club)[ann] == [])
    #expect(try await Self.listed(39_001, club)[bob] == ["admin", "herald"])
    let members = try await Self.wait(for: [ann: [], bob: ["admin", "herald"]], club)
    #expect(members.count == 3)
    #expect(members.contains { $0.own && $0.roles == ["admin"] })
    let shown = try await baton.control("member", "list", "Club", "--columns", "KEY,ROLES")
    #expect(shown.status == 0 && shown.lines.contains { $0.hasPrefix("b2b2b2b2…b2b2b2b2") && $0.hasSuffix("admin, herald") })
    #expect(
      shown.lines.contains { $0.contains(" (you)") } && shown.lines.last?.hasPrefix("3 members, read ") == true,
      "\(shown.lines)")
    let channel = try await baton.control("channel", "show", "Club")
    #expect(channel.lines.contains { $0 == "members   3" }, "\(channel.lines)")

    let role = try await baton.control("member", "role", "Club", bob, "editor")
    #expect(role.status == 0, "\(role.lines)")
    #expect(try await Self.listed(39_001, club)[bob] == ["editor"])
    #expect(try await baton.control("member", "role", "Club", bob).status == 0)
    #expect(try await Self.listed(39_001, club)[bob] == nil)
    let out = try await baton.control("member", "remove", "Club", ann, "--reason", "spam")
    #expect(out.status == 0 && out.lines.last == "a1a1a1a1…a1a1a1a1 is no longer a member.", "\(out.lines)")
    #expect(try await Self.listed(39_002, club)[ann] == nil)
    _ = try await Self.wait(for: [bob: []], club)
    let posts = try await baton.control("post", "list", "Club", "--reactions")
    #expect(posts.lines.contains { $0.contains("(membership) removed: spam") }, "\(posts.lines)")
    let plain = try await baton.control("post", "list", "Club")
    #expect(plain.lines == ["No posts. Publish one with batonctl post CHANNEL TEXT."], "\(plain.lines)")

    // The relay is away: the change waits, another takes its place, and it is made once the relay is back.
    try await club.set("down")
    let waiting = try await baton.control("member", "add", "Club", ann, "--wait", "none")
    #expect(waiting.status == 0)
    let other = try await baton.control("member", "add", "Club", ann, "--role", "editor", "--wait", "none")
    #expect(other.status == 0, "\(other.lines)")
    await club.kill()
    try await club.set("none")
    try await club.startAgain()
    _ = try await Self.wait(for: [ann: ["editor"], bob: []], club)
    #expect(try await Self.listed(39_001, club)[ann] == ["editor"])
    await club.stop()
  }

  @Test func whoAsksIsListedUntilTheyAreLetInOrDeclined() async throws {
    let club = try await GroupPostTests.Club()
    let baton = club.baton
    try await club.set("waiting-room")
    var plan = MessagePlan(group: club.id, relay: club.url)
    for person in ["ann", "bob"] {
      plan.add(9_021, "I am \(person).\u{1B}[2J", label: person, by: person, tags: [["h", club.id]])
    }
    let written = try await baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let client = try await baton.client()
    var asking: [String: String] = [:]
    for try await reply in try await client.members.watch(since: 0) {
      if let member = reply.member, member.standing == "asking" { asking[member.askedText ?? ""] = member.author }
      if asking.count == 2 { break }
    }
    let ann = try #require(asking["I am ann.\u{1B}[2J"])
    let bob = try #require(asking["I am bob.\u{1B}[2J"])
    let shown = try await baton.control("member", "list", "Club", "--asking", "--columns", "KEY,ASKED")
    #expect(
      shown.lines.count { $0.contains(#"I am ann.\u{1B}[2J"#) || $0.contains(#"\e[2J"#) || $0.contains("[2J") } == 2,
      "\(shown.lines)")
    #expect(shown.lines.allSatisfy { !$0.contains("\u{1B}") })
    let declined = try await baton.control("member", "decline", "Club", bob)
    #expect(declined.status == 0, "\(declined.lines)")
    #expect(try await baton.control("member", "add", "Club", ann).status == 0)
    _ = try await Self.wait(for: [ann: []], club)
    #expect(try await baton.control("member", "list", "Club", "--asking").lines == ["No join requests."])
    // When the relay is read again, what was declined stays declined.
    try await baton.sync()
    #expect(try await baton.control("member", "list", "Club", "--asking").lines == ["No join requests."])
    await client.close()
    await club.stop()
  }

  /// The group is created at a relay and its people are let in, though the relay has no such group when that is asked for.
  @Test func samePeopleGiveTheSameGroup() async throws {
    let club = try await GroupPostTests.Club()
    let baton = club.baton
    let (ann, bob) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
    func create(_ name: String, _ people: [String]) async throws -> (id: Int64, access: [JSONValue]) {
      let people = people.flatMap { ["--member", $0] }
      let made = try await baton.control(["channel", "create", name, "--kind", "group", "--relay", "1", "--json"] + people)
      let channel = try JSONParser.parse(try #require(made.lines.last))
      try #require(made.status == 0, "\(made.lines)")
      return (try #require(channel["id"]?.integer), channel["access"]?.array ?? [])
    }
    let first = try await create("Ann and Bob", [ann, bob])
    #expect(first.access == ["closed", "restricted"])
    let client = try await baton.client()
    for try await _ in try await client.members.watch(since: 0) {
      let found = try await client.members.list(MembersListRequest(channelId: first.id)).members
      if Set(found.filter { !$0.own }.map(\.author)) == [ann, bob] { break }
    }
    #expect(try await create("Bob and Ann", [bob, ann, bob]).id == first.id)
    let other = try await create("Ann", [ann])
    #expect(other.id != first.id)
    // No one is asked to come back who was removed.
    #expect(try await baton.control("member", "remove", "Ann and Bob", bob).status == 0)
    #expect(try await create("Ann and Bob", [ann, bob]).id == first.id)
    let posts = try await client.posts.list(PostsListRequest(channelId: first.id, reactions: true)).posts
    #expect(posts.filter { $0.about?.author == bob }.map(\.text) == ["removed"])
    // What was deleted is not that group any more.
    #expect(try await baton.control("channel", "delete", "Ann", "--yes").status == 0)
    #expect(try await create("Ann", [ann]).id != other.id)
    let wrong = try await baton.control("channel", "create", "No one", "--kind", "group", "--relay", "1", "--member", "nobody")
    #expect(wrong.status != 0 && wrong.lines.joined().contains("names no one"), "\(wrong.lines)")
    // Whoever runs the group is in it anyway, and is not wished for.
    let own = try #require(try await client.members.list(MembersListRequest(channelId: first.id)).members.first { $0.own })
    #expect(try await create("Ann and I", [own.author, ann]).id == create("Ann", [ann]).id)
    let alone = try await baton.control(
      "channel", "create", "I", "--kind", "group", "--relay", "1", "--member", own.author)
    #expect(alone.status != 0 && alone.lines.joined().contains("a member besides its owner"), "\(alone.lines)")
    // What was given up is not wished again.
    let gone = try #require(posts.first { $0.about?.author == ann })
    #expect(try await baton.control("post", "delete", "\(gone.id)", "--yes").status == 0)
    #expect(try await create("Ann and Bob", [ann, bob]).id == first.id)
    let after = try await client.posts.list(PostsListRequest(channelId: first.id, reactions: true)).posts
    #expect(!after.contains { $0.about?.author == ann }, "\(after.map(\.text))")
    let open = try await baton.control("channel", "create", "Open", "--member", ann)
    #expect(open.status == 64 || open.status == 2, "\(open.status) \(open.lines)")
    await client.close()
    await club.stop()
  }

  @Test func whatCannotBeDoneIsSaid() async throws {
    let club = try await GroupPostTests.Club()
    let baton = club.baton
    #expect(try await baton.control("channel", "create", "News", "--relay", "r1").status == 0)
    let person = String(repeating: "a1", count: 32)
    for (arguments, words) in [
      (["member", "add", "News", person], "anyone may read and write in a channel on Nostr (NIP-28)"),
      (["member", "remove", "Club", "ada"], "invalid member: it must be a public key"),
      (["member", "role", "Club", person, "admin"], "no member or join request called"),
      (["member", "decline", "Club", person], "no member or join request called"),
      (["member", "add", "Club", person, "--role", "a,b"], "invalid roles"),
      (["member", "add", "Nowhere", person], "Nowhere"),
    ] {
      let refused = try await baton.control(arguments)
      #expect(refused.status == 1 && refused.lines.joined().contains(words), "\(arguments): \(refused.lines)")
    }
    try await club.set("refuse")
    let refused = try await baton.control("member", "add", "Club", person)
    #expect(refused.status == 1 && refused.lines.joined().contains("the change is not done"), "\(refused.lines)")
    let listed = try await baton.control("member", "list", "News")
    #expect(listed.lines.last?.hasPrefix("The network does not list members") == true, "\(listed.lines)")
    await club.stop()
  }
}
