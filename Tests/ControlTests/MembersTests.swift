import BatonClient
import Channels
import ControlAPI
import RelayNetwork
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// `org.batond.Members`, from a client down to the store.
@Suite(.timeLimit(.minutes(10)))
struct MembersTests {
  private static func list(_ list: ReadMembers.List, _ people: [String], roles: [String] = []) -> MessageNews.What {
    let entries = people.map { ReadMembers.Entry(author: $0, roles: roles, isOwn: $0 == "us") }
    return .members(ReadMembers(list: list, entries: entries, count: entries.count))
  }

  /// A channel and a group with us as the admin, with ann and bob; carol asks to be let in.
  private static func bench() async throws -> Bench {
    let bench = try await Bench.reading(["News"])
    let group = CreateChannel(profile: .init(displayName: "Club"), kind: "group", relayIds: [1])
    for try await _ in try await bench.client.channels.createAndFollow(group) {}
    try await bench.begin(2)
    try await bench.hear(["a1"], in: 2, by: "ann", from: 60)
    let asked = ReadJoinRequest(networkID: "j", author: "carol", text: "please", createdAt: Bench.time(5))
    try await bench.hear(
      [list(.roles, ["us"], roles: ["admin"]), list(.members, ["us", "ann", "bob"]), .joinRequest(asked)], in: 2, at: 70)
    return bench
  }

  private static func names(_ bench: Bench, _ request: MembersListRequest) async throws -> [String] {
    try await bench.client.members.list(request).members.map(\.author)
  }

  // MARK: - Reading

  @Test func membersAreListedWithWhatIsKnownOfThem() async throws {
    let bench = try await Self.bench()
    let page = try await bench.client.members.list(MembersListRequest(channelId: 2))
    #expect(page.members.map(\.author) == ["us", "ann", "bob"] && page.listed && page.count == 3)
    #expect(page.readAt == Bench.time(70).text && page.nextCursor == nil)
    let (us, ann) = (page.members[0], page.members[1])
    #expect(us.own && us.roles == ["admin"] && us.standing == "member" && us.lastMessageAt == nil)
    #expect(ann.roles.isEmpty && ann.lastMessageId == 1 && ann.lastMessageAt == Bench.time(60).text && ann.revision > 0)
    let asking = try await bench.client.members.list(MembersListRequest(channelId: 2, standing: "asking")).members
    #expect(asking.map(\.author) == ["carol"] && asking[0].askedText == "please" && asking[0].askedAt == Bench.time(5).text)
    #expect(try await Self.names(bench, MembersListRequest(channelId: 2, role: "admin")) == ["us"])
    #expect(try await Self.names(bench, MembersListRequest(channelId: 2, text: "npub of bob")) == ["bob"])
    #expect(try await Self.names(bench, MembersListRequest(channelId: 2, order: "lastMessage")).first == "ann")
    #expect(try await bench.client.channels.get(id: 2).memberCount == 3)
    #expect(try await bench.client.channels.get(id: 1).memberCount == nil)
    let found = try await bench.client.channels.all(filter: ["memberCount": ["$gte": 3]])
    #expect(found.map(\.id) == [2])
    #expect(try await bench.client.messages.inbox().conversations.first { $0.channelId == 2 }?.memberCount == 3)
    try await bench.stop()
  }

  @Test func channelsWithoutAListHaveThoseWhoWrote() async throws {
    let bench = try await Self.bench()
    try await bench.hear(["x"], by: "dave", from: 80)
    let page = try await bench.client.members.list(MembersListRequest(channelId: 1))
    #expect(page.members.map(\.author) == ["dave"] && page.members[0].standing == "author" && !page.listed)
    #expect(page.count == nil && page.readAt == nil)
    #expect(try await Self.names(bench, MembersListRequest(channelId: 1, standing: "member")).isEmpty)
    try await bench.stop()
  }

  @Test func pagesFollowEachOther() async throws {
    let bench = try await Self.bench()
    var (found, request) = ([String](), MembersListRequest(channelId: 2, limit: 1))
    repeat {
      let page = try await bench.client.members.list(request)
      found += page.members.map(\.author)
      request.cursor = page.nextCursor
    } while request.cursor != nil
    #expect(found == ["us", "ann", "bob"])
    try await bench.stop()
  }

  @Test func watchersSeeWhoComesAndGoes() async throws {
    let bench = try await Self.bench()
    let since = try await bench.client.members.list(MembersListRequest(channelId: 2)).revision
    // Whoever changes twice before they are sent is sent once.
    async let changes: [String: String] = {
      var seen: [String: String] = [:]
      let request = MembersWatchRequest(channelIds: [2], since: since)
      for try await reply in try await bench.client.members.watch(request) {
        guard let member = reply.member else { continue }
        #expect(member.revision == reply.revision)
        seen[member.author] = "\(member.standing) \(member.name ?? "")"
        if member.name == "Carol" { break }
      }
      return seen
    }()
    try await bench.hear([Self.list(.members, ["us", "bob", "carol"])], in: 2, at: 90)
    let carol = ReadProfile(author: "carol", name: "Carol", createdAt: Bench.time(91))
    try await bench.hear([.profile(carol)], in: 2, at: 91)
    #expect(try await changes == ["carol": "member Carol", "ann": "former "])
    // Everything is sent that is known.
    var all: [String] = []
    for try await reply in try await bench.client.members.watch(since: 0) {
      if let member = reply.member { all.append(member.author) }
      if all.count == 4 { break }
    }
    #expect(Set(all) == ["us", "ann", "bob", "carol"])
    try await bench.stop()
  }

  // MARK: - Changes

  @Test func changesAreFollowedUntilTheyAreDone() async throws {
    let bench = try await Self.bench()
    var phases: [String] = []
    var last: MemberChange?
    let request = MembersAddRequest(channelId: 2, author: "npub of dave", roles: ["admin"])
    let all = Self.list(.members, ["us", "ann", "bob", "dave"])
    try await bench.hear([all, Self.list(.roles, ["us", "dave"], roles: ["admin"])], in: 2, at: 71)
    for try await reply in try await bench.client.members.addAndFollow(request) {
      phases.append(reply.change.phase)
      last = reply.change
      #expect(reply.isNew)
    }
    #expect(phases.last == "published" && last?.author == "dave" && last?.roles == ["admin"] && last?.wish == "member")
    #expect(last?.settled == true && last?.summary == "Change is done.")
    let post = try await bench.client.posts.get(id: Int64(last?.postId ?? 0)).post
    #expect(post.about?.act == "membership" && post.about?.author == "dave" && post.text == "member: admin")
    var removal: MemberChange?
    let out = MembersRemoveRequest(channelId: 2, author: "ann", reason: "spam")
    try await bench.hear(
      [Self.list(.members, ["us", "bob", "dave"]), Self.list(.roles, ["bob"], roles: ["editor"])], in: 2, at: 72)
    for try await reply in try await bench.client.members.removeAndFollow(out) { removal = reply.change }
    #expect(removal?.wish == "removed" && removal?.roles.isEmpty == true && removal?.phase == "published")
    var role: MemberChange?
    let admin = MembersSetRoleRequest(channelId: 2, author: "npub of bob", role: "editor")
    for try await reply in try await bench.client.members.setRoleAndFollow(admin) { role = reply.change }
    #expect(role?.roles == ["editor"] && role?.author == "bob")
    #expect(try await bench.client.members.setRole(channelId: 2, author: "bob").change.roles.isEmpty)
    try await bench.stop()
  }

  /// Whoever is told that a change is done finds it in the list.
  @Test func changeIsDoneOnceTheListShowsIt() async throws {
    let bench = try await Self.bench()
    async let listed: [String] = {
      for try await _ in try await bench.client.members.addAndFollow(channelId: 2, author: "dave") {}
      return try await Self.names(bench, MembersListRequest(channelId: 2))
    }()
    let request = PostsListRequest(channelId: 2, reactions: true)
    while try await bench.client.posts.list(request).posts.first?.phase != "published" { await Task.yield() }
    try await bench.hear([Self.list(.members, ["us", "ann", "bob", "dave"])], in: 2, at: 80)
    #expect(try await listed.contains("dave"))
    try await bench.stop()
  }

  /// What is said in channels is a copy: trouble with it does not make a change fail that is done.
  @Test func changeIsDoneWithoutAListThatCanBeRead() async throws {
    let bench = try await Self.bench()
    let path = bench.folder.path + "/state/messages.db"
    let (status, lines) = try await Program.run(
      "/usr/bin/sqlite3", ["-cmd", ".timeout 60000", path, "ALTER TABLE members RENAME TO gone"])
    #expect(status == 0, "\(lines)")
    var removal: MemberChange?
    let request = MembersRemoveRequest(channelId: 2, author: "ann")
    for try await reply in try await bench.client.members.removeAndFollow(request) { removal = reply.change }
    #expect(removal?.phase == "published" && removal?.wish == "removed")
    try await bench.stop()
  }

  /// What `Create` takes of groups for certain people, and of what groups keep to members.
  @Test func wrongGroupsForPeopleAreRefusedByName() async throws {
    let bench = try await Self.bench()
    let profile: JSONValue = ["displayName": "Us"]
    let people: JSONValue = ["npub of ann"]
    let many = JSONValue.array((1...101).map { .string("npub of \($0)") })
    let wrong: [(JSONValue, VarlinkError)] = [
      (["kind": "group", "access": ["open"]], .invalidParameter("access")),
      (["kind": "group", "members": []], .invalidParameter("members")),
      (["kind": "group", "members": many], .invalidParameter("members")),
      (["kind": "group", "members": people, "idempotencyKey": "k"], .invalidParameter("idempotencyKey")),
    ]
    for (parameters, error) in wrong {
      await #expect(throws: error, "\(parameters)") {
        try await bench.client.call(ChannelsMethod.create, (parameters.object ?? [:]).merging(["profile": profile]) { $1 })
      }
    }
    let refused: [(JSONValue, String)] = [
      (["access": ["closed"]], "NotSupported"), (["members": people], "NotSupported"),
      (["kind": "group", "members": people, "network": "simplex"], "NetworkUnavailable"),
      (["kind": "group", "members": ["no one at all"], "relayIds": [1]], "InvalidProfile"),
    ]
    for (parameters, name) in refused {
      let error = await #expect(throws: VarlinkError.self, "\(parameters)") {
        try await bench.client.call(ChannelsMethod.create, (parameters.object ?? [:]).merging(["profile": profile]) { $1 })
      }
      #expect(error?.name == "org.batond.Channels.\(name)", "\(parameters): \(String(describing: error))")
    }
    #expect(try await bench.client.channels.all().count == 2, "nothing was created")
    let group = CreateChannel(profile: .init(displayName: "Us"), kind: "group", members: ["npub of ann"], relayIds: [1])
    let made = try await bench.client.channels.create(group)
    var again = group
    again.profile.displayName = "We"
    #expect(try await bench.client.channels.create(again).id == made.id)
    let wishes = try await bench.client.posts.list(PostsListRequest(channelId: made.id, reactions: true)).posts
    #expect(wishes.map(\.text) == ["member"] && wishes.first?.about?.author == "ann")
    try await bench.stop()
  }

  @Test func bansAreFollowedAndListed() async throws {
    let bench = try await Self.bench()
    var changes: [MemberChange] = []
    let request = MembersBanRequest(channelId: 2, author: "ann")
    for try await reply in try await bench.client.members.banAndFollow(request) { changes.append(reply.change) }
    #expect(changes.last?.wish == "banned" && changes.last?.phase == "published" && changes.last?.settled == true)
    let entries = ["us", "ann"].map { ReadMembers.Entry(author: $0, isOwn: $0 == "us", isBanned: $0 == "ann") }
    try await bench.hear([.members(ReadMembers(list: .members, entries: entries, count: 2))], in: 2, at: 80)
    let members = try await bench.client.members.list(MembersListRequest(channelId: 2)).members
    #expect(members.map(\.author) == ["us", "ann"] && members.map(\.banned) == [false, true])
    let unban = MembersUnbanRequest(channelId: 2, author: "ann")
    for try await reply in try await bench.client.members.unbanAndFollow(unban) { changes.append(reply.change) }
    #expect(changes.last?.wish == "unbanned" && changes.last?.phase == "published")
    #expect(try await bench.client.members.ban(request).isNew)
    #expect(try await bench.client.members.unban(unban).isNew)
    try await bench.stop()
  }

  @Test func declinedRequestIsLeftOut() async throws {
    let bench = try await Self.bench()
    let member = try await bench.client.members.decline(channelId: 2, author: "npub of carol")
    #expect(member.author == "carol" && member.standing == "declined" && member.askedAt == nil)
    #expect(try await Self.names(bench, MembersListRequest(channelId: 2, standing: "asking")).isEmpty)
    await #expect(throws: MembersRefusal.noSuchMember(channelId: 2, author: "carol").error) {
      _ = try await bench.client.members.decline(channelId: 2, author: "carol")
    }
    try await bench.stop()
  }

  private static let nobody = MembersRefusal.notSupported(network: "nostr", reason: "no one belongs to channels").error
  private static let refusals: [(MembersMethod, JSONValue, VarlinkError)] = [
    (.list, ["channelId": 9], MembersRefusal.noSuchChannel(id: 9, name: nil).error),
    (.list, ["channelId": 2, "limit": 0], .invalidParameter("limit")),
    (.list, ["channelId": 2, "limit": 101], .invalidParameter("limit")),
    (.list, ["channelId": 2, "text": ""], .invalidParameter("text")),
    (.list, ["channelId": 2, "role": ""], .invalidParameter("role")),
    (.list, ["channelId": 2, "order": "age"], .invalidParameter("order")),
    (.list, ["channelId": 2, "standing": "guest"], .invalidParameter("standing")),
    (.list, ["channelId": 2, "cursor": "zoe"], .invalidParameter("cursor")),
    (.add, ["channelId": 9, "author": "dave"], MembersRefusal.noSuchChannel(id: 9, name: nil).error),
    (.add, ["channelId": 1, "author": "dave"], nobody), (.remove, ["channelId": 1, "author": "dave"], nobody),
    (.setRole, ["channelId": 1, "author": "dave"], nobody),
    (
      .add, ["channelId": 2, "author": "us"],
      MembersRefusal.invalidMember(field: "author", reason: "that is us; name another").error
    ),
    (
      .add, ["channelId": 2, "author": "dave", "roles": ["refuse me"]],
      MembersRefusal.invalidMember(field: "roles", reason: "the role asks to be refused; name another").error
    ),
    (.setRole, ["channelId": 2, "author": "dave"], MembersRefusal.noSuchMember(channelId: 2, author: "dave").error),
    (.setRole, ["channelId": 2, "author": "carol"], MembersRefusal.noSuchMember(channelId: 2, author: "carol").error),
    (.decline, ["channelId": 2, "author": "ann"], MembersRefusal.noSuchMember(channelId: 2, author: "ann").error),
    (.ban, ["channelId": 9, "author": "ann"], MembersRefusal.noSuchChannel(id: 9, name: nil).error),
  ]

  @Test func wrongRequestsAreRefusedByName() async throws {
    let bench = try await Self.bench()
    for (method, parameters, refusal) in Self.refusals {
      await #expect(throws: refusal, "\(method): \(parameters)") {
        try await bench.client.call(method, parameters.object ?? [:])
      }
    }
    for method in [MembersMethod.ban, .unban] {
      await #expect(throws: Self.nobody) { try await bench.client.call(method, ["channelId": 1, "author": "ann"]) }
    }
    try await bench.stop()
  }

  @Test func nobodyIsKnownWhereNoMessagesAreRead() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    _ = try await bench.create("News")
    for (method, parameters) in [
      (MembersMethod.list, ["channelId": 1]), (.decline, ["channelId": 1, "author": "ann"]),
    ] as [(MembersMethod, [String: JSONValue])] {
      await #expect(throws: MembersRefusal.notFollowed(id: 1).error) { try await bench.client.call(method, parameters) }
    }
    try await bench.stop()
  }
}
