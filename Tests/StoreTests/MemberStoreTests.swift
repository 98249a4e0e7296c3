import Channels
import Storage
import TestSupport
import Testing

@testable import Store

/// Who belongs to channels, as it is stored.
struct MemberStoreTests {
  private typealias Bench = MessageBench

  private static func members(_ people: String...) -> MessageNews.What {
    let entries = people.map { ReadMembers.Entry(author: $0, isOwn: $0 == "us") }
    return .members(ReadMembers(list: .members, entries: entries, count: entries.count))
  }

  /// - Parameter people: such as `ann+admin`.
  private static func roles(_ people: String...) -> MessageNews.What {
    let entries = people.map { text in
      let parts = text.split(separator: "+").map(String.init)
      return ReadMembers.Entry(author: parts[0], roles: Array(parts.dropFirst()), isOwn: parts[0] == "us")
    }
    return .members(ReadMembers(list: .roles, entries: entries, count: entries.count))
  }

  private static func request(_ author: String, _ text: String = "hello", at: Int64 = 0) -> MessageNews.What {
    .joinRequest(ReadJoinRequest(networkID: "\(author)@\(at)", author: author, text: text, createdAt: Bench.time(at)))
  }

  private static func words(_ member: StoredMember) -> String {
    member.author + member.roles.map { "+\($0)" }.joined() + (member.isOwn ? "!" : "")
  }

  private static func list(
    _ bench: Bench, _ standing: StoredMember.Standing? = nil, order: MemberQuestion.Order = .role, role: String? = nil,
    text: String? = nil, channel: ChannelID = Bench.channel
  ) throws -> [String] {
    let question = MemberQuestion(channel: channel, standing: standing, role: role, text: text, order: order, limit: 1_000)
    return try #require(try bench.store.members(question)).members.map(words)
  }

  @Test func listsTakeThePlaceOfEarlierOnes() throws {
    let bench = try Bench()
    #expect(try bench.store.members(MemberQuestion(channel: Bench.channel, limit: 5)) == MemberPage(members: [], revision: 1))
    try bench.take([Self.roles("us+admin", "ann+editor+ceo"), Self.members("us", "bob", "ann")])
    #expect(try Self.list(bench) == ["ann+editor+ceo", "us+admin!", "bob"])
    let page = try #require(try bench.store.members(MemberQuestion(channel: Bench.channel, limit: 2)))
    #expect(page.hasMore && page.isListed && page.count == 3 && page.readAt == Bench.time(0))
    #expect(try bench.conversation()?.memberCount == 3)
    #expect(try bench.store.summaries(of: [Bench.channel])[Bench.channel]?.memberCount == 3)
    // Whoever is in one of the two lists belongs to it.
    try bench.take([Self.members("us", "carol")], at: 5)
    #expect(try Self.list(bench) == ["ann+editor+ceo", "us+admin!", "carol"])
    #expect(try Self.list(bench, .former) == ["bob"] && bench.conversation()?.memberCount == 2)
    try bench.take([Self.roles("us+admin")], at: 9)
    #expect(try Self.list(bench) == ["us+admin!", "carol"] && Self.list(bench, .former) == ["ann", "bob"])
    #expect(try bench.store.member("ann", in: Bench.channel)?.standing == .former)
    #expect(try bench.store.member("dave", in: Bench.channel) == nil)
    try bench.take([Self.members("us", "carol", "bob")], at: 9)
    #expect(try Self.list(bench, .former) == ["ann"] && Self.list(bench) == ["us+admin!", "bob", "carol"])
    #expect(try Self.list(bench, role: "admin") == ["us+admin!"] && Self.list(bench, role: "dmi").isEmpty)
    try bench.reopen()
    #expect(try Self.list(bench) == ["us+admin!", "bob", "carol"])
    _ = try bench.store.end([Bench.channel])
    try bench.store.begin(Bench.channel, since: Bench.now)
    #expect(try Self.list(bench, .member).isEmpty && Self.list(bench, .former).isEmpty)
    #expect(try bench.store.members(MemberQuestion(channel: Bench.channel, limit: 1))?.isListed == false)
  }

  @Test func sameListChangesNothing() throws {
    let bench = try Bench()
    try bench.take([Self.roles("us+admin"), Self.members("us", "ann")])
    let before = try bench.store.messageCounters().revision
    try bench.take([Self.roles("us+admin"), Self.members("ann", "us")], at: 60)
    #expect(try bench.store.messageCounters().revision == before)
    #expect(try bench.store.members(MemberQuestion(channel: Bench.channel, limit: 1))?.readAt == Bench.time(60))
  }

  @Test func whoeverWroteIsListedWhereTheNetworkDoesNotSay() throws {
    let bench = try Bench(channels: 1...2)
    try bench.take(
      [
        Bench.message("a", author: "ann", authorName: "Zoë", at: 100), Bench.message("b", author: "bob", at: 300),
        Bench.message("c", author: "carol", authorName: "Ada"), Bench.message("d", author: "us", isOwn: true),
      ], at: 900)
    try bench.take([Bench.message("e", author: "dave")], channel: ChannelID(rawValue: 2))
    #expect(try Self.list(bench, order: .lastMessage) == ["bob", "ann", "carol"])
    #expect(try Self.list(bench, order: .name) == ["carol", "ann", "bob"], "those without a name come last")
    #expect(try Self.list(bench, text: "zoe") == ["ann"] && Self.list(bench, text: "bo") == ["bob"])
    #expect(try Self.list(bench, .member).isEmpty)
    let page = try #require(try bench.store.members(MemberQuestion(channel: Bench.channel, limit: 5)))
    #expect(page.members.allSatisfy { $0.standing == .author && $0.revision == 0 } && page.count == nil && !page.isListed)
    #expect(page.members.map(\.author) == ["carol", "ann", "bob"])
    #expect(page.members.last?.lastAt == Bench.time(300) && page.members.last?.last != nil)
    // Someone who asks to be let in does not make a list.
    try bench.take([Self.request("eve")])
    #expect(try Self.list(bench).count == 3 && Self.list(bench, .asking) == ["eve"])
  }

  @Test func requestsWaitUntilTheyAreSettled() throws {
    let bench = try Bench()
    try bench.take([Self.members("us")])
    try bench.take([Self.request("ann", "please", at: 10), Self.request("us", at: 11)], at: 12)
    #expect(try Self.list(bench, .asking) == ["ann"])
    let ann = try #require(try bench.store.member("ann", in: Bench.channel))
    #expect(ann.standing == .asking && ann.askedAt == Bench.time(10) && ann.askedText == "please")
    // Read again, it is the same; an older one says nothing, and a later one counts.
    let before = try bench.store.messageCounters().revision
    try bench.take([Self.request("ann", "please", at: 10), Self.request("ann", "older", at: 5)], at: 13)
    #expect(try bench.store.messageCounters().revision == before)
    try bench.take([Self.request("ann", "now?", at: 14)], at: 15)
    #expect(try bench.store.member("ann", in: Bench.channel)?.askedText == "now?")
    try bench.take([Self.members("us", "ann")], at: 20)
    #expect(try Self.list(bench, .asking).isEmpty && bench.store.member("ann", in: Bench.channel)?.askedText == nil)
    // After she has left, what she asked before does not count.
    try bench.take([Self.members("us")], at: 30)
    try bench.take([Self.request("ann", at: 14)], at: 31)
    #expect(try Self.list(bench, .former) == ["ann"])
    try bench.take([Self.request("ann", at: 9_999)], at: 32)
    #expect(try bench.store.member("ann", in: Bench.channel)?.askedAt == Bench.time(32), "no one asks in the future")
    let receipt = try bench.store.decline("ann", in: Bench.channel, at: Bench.time(33))
    #expect(try receipt?.revision == bench.store.messageCounters().revision)
    #expect(try bench.store.decline("ann", in: Bench.channel, at: Bench.time(33)) == nil)
    #expect(try Self.list(bench, .former) == ["ann"] && Self.list(bench, .asking).isEmpty)
    try bench.take([Self.request("ann", at: 9_999)], at: 40)
    #expect(try Self.list(bench, .asking).isEmpty, "it was declined, whatever its date")
    // Whoever never belonged to the channel was declined, and is no former member.
    try bench.take([Self.request("eve", at: 50)], at: 50)
    _ = try bench.store.decline("eve", in: Bench.channel, at: Bench.time(51))
    #expect(try Self.list(bench, .former) == ["ann"] && Self.list(bench, .declined) == ["eve"])
    try bench.take([Self.request("eve", at: 52)], at: 52)
    #expect(try Self.list(bench, .asking) == ["eve"], "she asks again")
    // What is dated ahead and was read while she was in does not count once she is out.
    try bench.take([Self.members("us", "eve"), Self.request("eve", at: 9_999)], at: 60)
    try bench.take([Self.members("us"), Self.request("eve", at: 9_999)], at: 70)
    #expect(try Self.list(bench, .former) == ["ann", "eve"] && Self.list(bench, .asking).isEmpty)
    #expect(try bench.store.decline("nobody", in: Bench.channel, at: Bench.time(33)) == nil)
  }

  @Test func whoeverHasARoleRemovesWhatOthersWrote() throws {
    let bench = try Bench()
    try bench.take([Self.roles("us+admin", "mod+x"), Self.members("us", "mod", "ann")])
    try bench.take(["a", "b", "c", "d"].map { Bench.message($0, author: $0 == "d" ? "bob" : "ann") })
    try bench.take([
      .removed(networkID: "a", by: "bob"), .removed(networkID: "b", by: "mod"), .removed(networkID: "c", by: "ann"),
      .removed(networkID: "d", by: "ann"),
    ])
    #expect(try bench.names() == ["a", "-b", "-c", "d"], "ann wrote c herself")
    // Whoever has no role any more does so in vain.
    try bench.take([Self.roles("us+admin"), .removed(networkID: "a", by: "mod"), .removed(networkID: "d", by: "us")])
    #expect(try bench.names() == ["a", "-b", "-c", "-d"])
    // What was asked for before its message, or before anyone knew of the role, waits for both.
    try bench.take([
      .removed(networkID: "e", by: "us"), .removed(networkID: "f", by: "new"), .deleted(networkID: "g", author: nil),
      .removed(networkID: "h", by: "eve"),
    ])
    try bench.take(["e", "f", "g", "h"].map { Bench.message($0, author: "ann") })
    #expect(try bench.names() == ["a", "-b", "-c", "-d", "-e", "f", "-g", "h"])
    try bench.take([Self.roles("us+admin", "new+x")])
    #expect(try bench.names() == ["a", "-b", "-c", "-d", "-e", "-f", "-g", "h"])
  }

  @Test func countCanComeWithoutAList() throws {
    let bench = try Bench()
    try bench.take([.memberCount(7)])
    #expect(try bench.conversation()?.memberCount == 7)
    try bench.take([.memberCount(-1)])
    #expect(try bench.conversation()?.memberCount == 0)
    #expect(try bench.store.members(MemberQuestion(channel: Bench.channel, limit: 1))?.isListed == false)
  }

  @Test func numbersAreBounded() throws {
    let bench = try Bench()
    let most = MessageWriting.askingMax
    try bench.take((0..<most + 5).map { Self.request("p\($0)", at: Int64($0)) }, at: 10_000)
    let asking = try Self.list(bench, .asking)
    #expect(asking.count == most && !asking.contains("p4") && asking.contains("p5"))
    // Whoever follows the changes learns who was left out.
    let told = try bench.store.changedMembers(after: 0, channels: nil, limit: 9_999).members
    #expect(told.filter { $0.standing == .declined }.map(\.author).sorted() == ["p0", "p1", "p2", "p3", "p4"])
    let many = (0..<MessageWriting.formerMax + 5).map { ReadMembers.Entry(author: "m\(1_000 + $0)") }
    try bench.take([.members(ReadMembers(list: .members, entries: many, count: 7_000)), Self.members("us")], at: 10_001)
    #expect(try Self.list(bench) == ["us!"])
    func former() throws -> Int {
      let question = MemberQuestion(channel: Bench.channel, standing: .former, limit: 9_999)
      return try #require(try bench.store.members(question)).members.count
    }
    #expect(try former() == MessageWriting.formerMax + 5, "no one goes before they were told to be gone")
    try bench.take([Self.members("us")], at: 10_002)
    #expect(try former() == MessageWriting.formerMax)
    #expect(try Self.list(bench, .asking).count == most)
  }

  @Test func namesComeWithProfilesAndMessages() throws {
    let bench = try Bench()
    try bench.take([Self.members("ann", "bob")])
    func profile(_ author: String, _ name: String, at: Int64) -> MessageNews.What {
      .profile(ReadProfile(author: author, name: name, createdAt: Bench.time(at)))
    }
    try bench.take([profile("ann", "Ångström", at: 5), profile("nobody", "No", at: 5)])
    #expect(try bench.store.member("ann", in: Bench.channel)?.name == "Ångström")
    let before = try bench.store.messageCounters().revision
    try bench.take([profile("ann", "older", at: 4), profile("ann", "same date", at: 5)])
    #expect(try bench.store.messageCounters().revision == before)
    #expect(try Self.list(bench, text: "angst") == ["ann"])
    try bench.take([Bench.message("a", author: "bob", authorName: "Bob"), Self.members("ann", "bob", "carol")])
    #expect(try Self.list(bench, order: .name) == ["ann", "bob", "carol"])
    #expect(try bench.store.member("ann", in: Bench.channel)?.name == "Ångström", "a list without names takes none away")
    try bench.take([profile("bob", "Robert", at: 9)])
    #expect(try bench.store.member("bob", in: Bench.channel)?.name == "Robert")
    try bench.take([
      .members(ReadMembers(list: .members, entries: [.init(author: "ann", name: "Ann")], count: 1))
    ])
    #expect(try bench.store.member("ann", in: Bench.channel)?.name == "Ann")
    _ = try bench.store.mute("ann", at: Bench.time(1))
    #expect(try bench.store.member("ann", in: Bench.channel)?.mutedAt == Bench.time(1))
  }

  /// They come after those who wrote, and are found by the same name when they write.
  @Test func membersWhoWroteNothingAreFoundAsPeople() throws {
    let bench = try Bench(channels: 1...2)
    let other = ChannelID(rawValue: 2)
    func profile(_ author: String, _ name: String) -> MessageNews.What {
      .profile(ReadProfile(author: author, name: name, createdAt: Bench.time(5)))
    }
    func found(_ text: String?, in channel: ChannelID? = nil, isMuted: Bool? = nil, limit: Int = 2) throws -> [String] {
      var (authors, question) = ([String](), PeopleQuestion(channel: channel, text: text, isMuted: isMuted, limit: limit))
      repeat {
        let page = try bench.store.people(question)
        authors += page.people.map(\.author)
        question.after = page.next
      } while question.after != nil
      return authors
    }
    let names = ["x1", "x2", "x3", "x4", "us", "gone"]
    try bench.take([
      .members(ReadMembers(list: .members, entries: names.map { .init(author: $0, isOwn: $0 == "us") }, count: 6))
    ])
    try bench.take([Self.members("x1", "x5")], channel: other)
    try bench.take([Self.members("x1", "x2", "x3", "x4", "us"), Self.request("asks")])
    try bench.take(["x1", "x2", "x3", "x4", "x5", "us", "gone", "asks"].map { profile($0, "Großer \($0)") })
    try bench.take([Bench.message("a", author: "x2"), Bench.message("b", author: "w", authorName: "Grosser W")])
    #expect(try found("GROSSER") == ["x2", "w", "x5", "x4", "x3", "x1"])
    #expect(try found("grosser", limit: 10) == found("grosser") && found("x4") == ["x4"])
    #expect(try found("grosser", in: Bench.channel) == ["x2", "w", "x4", "x3", "x1"])
    #expect(try found("grosser", in: other) == ["x5", "x1"])
    #expect(try found(nil) == ["x2", "w"] && found(nil, in: other).isEmpty)
    let person = try #require(try bench.store.person("x3"))
    #expect(person == StoredPerson(author: "x3", name: "Großer x3"))
    #expect(try bench.store.people(PeopleQuestion(text: "x3", limit: 5)).people == [person])
    #expect(try bench.store.person("gone") == nil && bench.store.person("asks") == nil && bench.store.person("us") == nil)
    #expect(try bench.named("a")?.row.authorName == "Großer x2")

    _ = try bench.store.mute("x4", at: Bench.time(9))
    #expect(try found("grosser") == ["x2", "w", "x5", "x4", "x3", "x1"] && found("grosser", isMuted: true) == ["x4"])
    #expect(try found("grosser", in: Bench.channel, isMuted: false) == ["x2", "w", "x3", "x1"])
  }

  @Test func pagesFollowEachOther() throws {
    let bench = try Bench()
    try bench.take([Self.roles("c+x", "us+x"), Self.members("a", "b", "c", "d", "us")])
    try bench.take([Bench.message("m", author: "d", at: 600), Bench.message("n", author: "a", at: 0)], at: 900)
    for (order, wanted) in [
      (MemberQuestion.Order.role, ["c", "us", "a", "b", "d"]), (.name, ["a", "b", "c", "d", "us"]),
      (.lastMessage, ["d", "a", "b", "c", "us"]),
    ] {
      var (found, after): ([String], String?) = ([], nil)
      repeat {
        let question = MemberQuestion(channel: Bench.channel, order: order, after: after, limit: 2)
        let page = try #require(try bench.store.members(question))
        found += page.members.map(\.author)
        after = page.hasMore ? page.members.last?.author : nil
      } while after != nil
      #expect(found == wanted, "\(order)")
    }
    #expect(try bench.store.members(MemberQuestion(channel: Bench.channel, after: "gone", limit: 2)) == nil)
  }

  // MARK: - Model

  /// What is stored of someone, as simple as possible.
  private struct Model {
    var members: Set<String> = []
    var roles: [String: [String]] = [:]
    /// The dates of requests, which may be ahead.
    var asked: [String: Int64] = [:]
    var belonged: Set<String> = []
    var settled: [String: Int64] = [:]
    var known: Set<String> = []

    func standing(_ person: String) -> String? {
      if members.contains(person) || roles[person] != nil {
        return "member" + (roles[person] ?? []).map { "+\($0)" }.joined()
      }
      if asked[person] != nil { return "asking" }
      return known.contains(person) ? belonged.contains(person) ? "former" : "declined" : nil
    }

    mutating func list(_ new: ReadMembers, at now: Int64) {
      let before = members.union(roles.keys)
      switch new.list {
      case .members: members = Set(new.entries.map(\.author))
      case .roles: roles = Dictionary(uniqueKeysWithValues: new.entries.map { ($0.author, $0.roles) })
      }
      let after = members.union(roles.keys)
      for person in before.subtracting(after) { settled[person] = max(settled[person] ?? 0, now) }
      for person in after {
        if let date = asked.removeValue(forKey: person) { settled[person] = max(settled[person] ?? 0, date) }
      }
      known.formUnion(after)
      belonged.formUnion(after)
    }

    mutating func ask(_ person: String, _ date: Int64) {
      guard date > settled[person] ?? 0, date > asked[person] ?? -1 else { return }
      guard !members.contains(person), roles[person] == nil else {
        settled[person] = date
        return
      }
      asked[person] = date
      known.insert(person)
    }
  }

  /// Random lists, requests and refusals lead to the same as in the model, also for whoever follows the changes.
  @Test(arguments: 1...20) func storeIsAsTheModel(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let people = ["a", "b", "c", "d", "e", "f"]
    let bench = try Bench()
    var (model, now, followed, revision) = (Model(), Int64(1_000), [String: String](), Int64(0))
    for _ in 0..<200 {
      now += Int64(number(0...3))
      let person = people[number(0...5)]
      switch number(0...9) {
      case 0...3:
        let chosen = people.filter { _ in number(0...1) == 0 }
        let list: ReadMembers.List = number(0...1) == 0 ? .members : .roles
        let entries = chosen.map { ReadMembers.Entry(author: $0, roles: list == .roles ? ["r\(number(0...1))"] : []) }
        let read = ReadMembers(list: list, entries: entries, count: entries.count)
        model.list(read, at: now)
        try bench.take([.members(read)], at: now)
      case 4...7:
        let date = now + Int64(number(-9...3))
        model.ask(person, date)
        try bench.take([Self.request(person, at: date)], at: now)
      case 8:
        let isAsking = model.asked[person] != nil
        if let asked = model.asked.removeValue(forKey: person) {
          model.settled[person] = max(now, asked)
        }
        #expect((try bench.store.decline(person, in: Bench.channel, at: Bench.time(now)) != nil) == isAsking)
      default: try bench.reopen()
      }
      func words(_ member: StoredMember) -> String {
        member.standing.rawValue + (member.standing == .member ? member.roles.map { "+\($0)" }.joined() : "")
      }
      for person in people {
        #expect(try bench.store.member(person, in: Bench.channel).map(words) == model.standing(person))
      }
      if number(0...3) == 0 {
        while true {
          let page = try bench.store.changedMembers(after: revision, channels: [Bench.channel], limit: number(1...3))
          for member in page.members { followed[member.author] = words(member) }
          guard page.through > revision else { break }
          revision = page.through
        }
        for person in people { #expect(followed[person] == model.standing(person), "changes lead to what is there") }
      }
    }
  }
}
