import Channels
import ControlAPI
import Foundation
import Storage
import Store
import TestSupport
import Testing

@testable import BatonClient

/// The members of a channel as a client keeps them.
@Suite(.timeLimit(.minutes(10)))
struct LiveMembersTests {
  private static func member(
    _ author: String, name: String? = nil, roles: [String] = [], standing: String = "member", revision: Int64
  ) -> Member {
    Member(
      channelId: 1, author: author, standing: standing, roles: roles, own: false, banned: false, name: name, muted: false,
      revision: revision)
  }

  private static func list(_ list: ReadMembers.List, _ people: [String], roles: [String] = []) -> MessageNews.What {
    .members(ReadMembers(list: list, entries: people.map { .init(author: $0, roles: roles) }, count: people.count))
  }

  // MARK: - The list as a value

  @Test func thoseWithRolesComeFirstAndThenNames() {
    var (list, mirror) = (LiveMemberList(standing: "member"), [Member]())
    let people: [(String, String?, [String])] = [
      ("k1", "zoe", []), ("k2", nil, []), ("k3", "Ångström", []), ("k4", "bob", ["admin"]), ("k5", nil, ["x"]),
      ("k6", "ANNA", []), ("k0", nil, []),
    ]
    for (index, (author, name, roles)) in people.enumerated() {
      mirror.apply(list.take(Self.member(author, name: name, roles: roles, revision: Int64(index))))
    }
    #expect(list.elements.map(\.author) == ["k4", "k5", "k3", "k6", "k1", "k0", "k2"] && mirror == list.elements)
    #expect(list.take(Self.member("k1", name: "old", revision: 0)).isEmpty, "what is older says nothing")
    let steps = list.take(Self.member("k1", name: "Aaron", revision: 9))
    #expect(steps.count == 1 && list.elements.map(\.author) == ["k4", "k5", "k1", "k3", "k6", "k0", "k2"])
    guard case .move(_, from: 4, to: 2)? = steps.first else { return #expect(Bool(false), "\(steps)") }
    #expect(list.take(Self.member("k9", standing: "asking", revision: 10)).isEmpty)
    guard case .remove(_, at: 2)? = list.take(Self.member("k1", standing: "former", revision: 11)).first else {
      return #expect(Bool(false))
    }
  }

  /// Random changes and loads lead to the same as in a list that is sorted anew each time, step by step for whoever applies them.
  @Test(arguments: 1...30) func listIsAsOneThatIsSorted(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func somebody(_ revision: Int64) -> Member {
      let names: [String?] = [nil, "Ada", "äda", "ADB", "bob", "Bob "]
      return Self.member(
        "k\(number(0...9))", name: names[number(0...5)], roles: number(0...2) == 0 ? ["admin"] : [],
        standing: ["member", "member", "asking", "former"][number(0...3)], revision: revision)
    }
    func sorted(_ members: [Member]) -> [Member] {
      func key(_ member: Member) -> [String] {
        let name = member.name?.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        return [member.roles.isEmpty ? "1" : "0", name.map { "0" + $0 } ?? "1", member.author]
      }
      return members.sorted { a, b in
        for (x, y) in zip(key(a), key(b)) where x != y { return x.utf8.lexicographicallyPrecedes(y.utf8) }
        return false
      }
    }
    var (list, mirror, model) = (LiveMemberList(standing: "member"), [Member](), [String: Member]())
    for step in 1...200 {
      if number(0...19) == 0 {
        let all = Dictionary(
          (0..<number(0...8)).map { _ in somebody(Int64(step)) }.map { ($0.author, $0) }, uniquingKeysWith: { $1 })
        model = all.filter { $0.value.standing == "member" }
        mirror.apply(list.replace(with: sorted(Array(model.values))))
      } else {
        let change = somebody(Int64(step - number(0...3)))
        mirror.apply(list.take(change))
        let isNews = model[change.author].map { $0.revision < change.revision } ?? true
        if isNews { model[change.author] = change.standing == "member" ? change : nil }
      }
      #expect(list.elements == sorted(Array(model.values)) && mirror == list.elements)
    }
  }

  // MARK: - The list that follows a daemon

  /// Follows until the list is as the daemon's own, which is read meanwhile.
  private func follow(
    _ events: inout AsyncStream<LiveMembers.Event>.AsyncIterator, _ mirror: inout [Member], until names: [String]
  ) async {
    while mirror.map(\.author) != names, let event = await events.next(isolation: #isolation) {
      switch event {
      case .state: break
      case .changes(let changes): mirror.apply(changes)
      case .replaced(let all): mirror = all
      }
    }
  }

  @Test func membersFollowWhoComesAndGoes() async throws {
    let bench = try await Bench.reading(["Club", "Other"])
    let many = (100..<250).map { "k\($0)" }
    try await bench.hear([Self.list(.roles, ["us"], roles: ["admin"]), Self.list(.members, ["us"] + many)], at: 1)
    let list = LiveMembers(channelID: 1, socket: bench.path)
    var (events, mirror) = (list.events.makeAsyncIterator(), [Member]())
    await list.start()
    await follow(&events, &mirror, until: ["us"] + many)
    try await bench.hear([Self.list(.members, ["stranger"])], in: 2, at: 2)
    try await bench.hear([Self.list(.members, ["us", "k101", "ann"])], at: 3)
    await follow(&events, &mirror, until: ["us", "ann", "k101"])
    try await bench.hear([.profile(ReadProfile(author: "k101", name: "Ada", createdAt: Bench.time(4)))], at: 4)
    await follow(&events, &mirror, until: ["us", "k101", "ann"])
    let listed = try await bench.client.members.list(MembersListRequest(channelId: 1)).members
    #expect(mirror == listed)
    #expect(await list.elements == mirror)
    #expect(await list.state == .loaded)
    await list.stop()
    try await bench.stop()
  }

  @Test func requestsHaveAListOfTheirOwn() async throws {
    let bench = try await Bench.reading(["Club"])
    try await bench.hear([Self.list(.members, ["us"])], at: 1)
    let list = LiveMembers(channelID: 1, standing: .asking, socket: bench.path)
    var (events, mirror) = (list.events.makeAsyncIterator(), [Member]())
    await list.start()
    let asked = ReadJoinRequest(networkID: "j", author: "ann", text: "please", createdAt: Bench.time(2))
    try await bench.hear([.joinRequest(asked)], at: 2)
    await follow(&events, &mirror, until: ["ann"])
    #expect(mirror.first?.askedText == "please")
    _ = try await bench.client.members.decline(channelId: 1, author: "ann")
    await follow(&events, &mirror, until: [])
    await list.stop()
    try await bench.stop()
  }

  @Test func listOfNoChannelEnds() async throws {
    let bench = try await Bench.reading(["Club"])
    let list = LiveMembers(channelID: 9, socket: bench.path)
    await list.start()
    for await event in list.events {
      if case .state(.failed(let reason)) = event {
        #expect(reason.contains("NoSuchChannel"), "\(reason)")
        break
      }
    }
    await list.stop()
    try await bench.stop()
  }
}
