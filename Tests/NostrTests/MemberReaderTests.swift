import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Who belongs to followed groups, as their relay says it.
struct MemberReaderTests {
  private static let relayKey = SecretKey.random()

  private static func group(_ number: Int64) -> ChannelReading {
    let content = ChannelContent(
      kind: .group, identity: NetworkBench.identityID, networkID: "club\(number)", trustAnchor: relayKey.publicKey,
      document: "{}")
    return ChannelReading(
      FollowedChannel(id: ChannelID(rawValue: number), content: content, relays: [:]), identityKey: sessionKey.publicKey)
  }

  private static func list(
    _ kind: Int, _ people: [[String]], of group: Int64 = 1, at date: Int64 = FollowingDesk.noon - 100,
    by key: SecretKey = relayKey
  ) -> NostrEvent {
    Saying.event(kind, [["d", "club\(group)"]] + people.map { ["p"] + $0 }, at: date, by: key)
  }

  /// The lists that were told, each as its channel, its kind, its people, and how many there are.
  private static func told(_ desk: FollowingDesk) -> [String] {
    desk.news.compactMap { news in
      guard case .members(let list) = news.what else { return nil }
      let names = [Saying.alice.publicKey: "alice", Saying.bob.publicKey: "bob", sessionKey.publicKey: "us"]
      let people = list.entries.map { entry in
        (names[entry.author] ?? entry.author) + entry.roles.map { "+\($0)" }.joined() + (entry.isOwn ? "!" : "")
      }
      return "\(news.channel.rawValue) \(list.list) \(people.joined(separator: " ")) (\(list.count))"
    }
  }

  private static func requests(_ desk: FollowingDesk) -> [FollowingDesk.Request] {
    desk.requests.filter { $0.name.hasPrefix("fg") }
  }

  @Test func listsOfAllGroupsComeWithOneRequest() throws {
    let (alice, bob) = (Saying.alice.publicKey, Saying.bob.publicKey)
    let desk = FollowingDesk.following(
      [Self.group(1), Saying.channel(2), Self.group(3)],
      stored: [
        Self.list(39_001, [[sessionKey.publicKey, "admin"], [alice, "editor", "ceo"]]),
        Self.list(39_002, [[sessionKey.publicKey], [alice], [bob], [bob], ["no key"]]),
        Self.list(39_002, [[bob]], of: 3),
      ])
    let request = try #require(Self.requests(desk).first)
    #expect(Self.requests(desk).count == 1)
    #expect(request.filters == [["kinds": [39_001, 39_002], "#d": ["club1", "club3"]]])
    #expect(
      Self.told(desk) == [
        "1 roles us+admin! alice+editor+ceo (2)", "1 members us! alice bob (3)", "3 members bob (1)",
      ])
    #expect(!desk.subscriptions.keys.contains(request.name), "nothing stays open")
  }

  @Test func changesAreAskedForWhenSomebodyComesOrGoes() {
    var desk = FollowingDesk.following([Self.group(1)], stored: [Self.list(39_002, [[Saying.bob.publicKey]])])
    #expect(Self.told(desk).count == 1)
    desk.pass(ticks: 20)
    #expect(Self.requests(desk).count == 1)
    for (number, kind) in [9_000, 9_001, 9_022].enumerated() {
      desk.stored.append(Self.list(39_002, [[Saying.alice.publicKey]], at: FollowingDesk.noon + Int64(number)))
      desk.publish(Saying.event(kind, [["h", "club1"], ["p", Saying.alice.publicKey]], at: desk.now))
      desk.settle()
      #expect(Self.requests(desk).count == number + 2 && Self.told(desk).last == "1 members alice (1)")
      desk.pass(ticks: 2)
    }
    // However many come and go, there is one request in five seconds.
    for number in 0..<20 {
      desk.publish(Saying.event(9_000, [["h", "club1"], ["p", Saying.name(Int64(number))]], at: desk.now))
      desk.settle()
    }
    #expect(Self.requests(desk).count == 5)
    desk.pass(ticks: 1)
    #expect(Self.requests(desk).count == 6)
    desk.pass(ticks: 20)
    #expect(Self.requests(desk).count == 6)
  }

  /// Someone waits for the answer to a change of Baton's own.
  @Test func ownChangesWaitForNoPause() {
    var desk = FollowingDesk.following([Self.group(1)], stored: [Self.list(39_002, [[Saying.bob.publicKey]])])
    for number in 0..<3 {
      let list = Self.list(39_002, [[Saying.alice.publicKey]], at: FollowingDesk.noon + Int64(number))
      desk.stored.append(list)
      desk.feed(.members(ChannelID(rawValue: 1)))
      desk.settle()
      #expect(Self.requests(desk).count == number + 2 && Self.told(desk).last == "1 members alice (1)")
    }
    desk.pass(ticks: 20)
    #expect(Self.requests(desk).count == 4)
  }

  @Test func channelThatIsReadAgainIsAskedForAgain() {
    var desk = FollowingDesk.following([Self.group(1)], stored: [Self.list(39_002, [[Saying.bob.publicKey]])])
    desk.pass(ticks: 2)
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.settle()
    #expect(Self.requests(desk).count == 2 && Self.told(desk).count == 2)
    desk.lose()
    desk.fire(.reconnect)
    desk.connect()
    desk.settle()
    #expect(Self.requests(desk).count == 3, "someone may have come meanwhile")
  }

  @Test func onlyWhatTheRelaySignedCounts() {
    let good = Self.list(39_002, [[Saying.alice.publicKey]])
    let forged = NostrEvent(
      id: good.id, publicKey: good.publicKey, createdAt: FollowingDesk.noon, kind: 39_002,
      tags: [["d", "club1"], ["p", Saying.bob.publicKey]], content: "", signature: good.signature)
    var desk = FollowingDesk()
    desk.feed(.follow(Self.group(1)))
    desk.connect()
    desk.isMute = true
    desk.settle()
    desk.isMute = false
    while let next = desk.pending.first, !next.name.hasPrefix("fg") { desk.answerFirst(next) }
    guard let request = desk.pending.first else { return #expect(Bool(false)) }
    desk.answerFirst(
      request,
      with: [
        good, forged, Self.list(39_002, [[Saying.bob.publicKey]], by: Saying.bob),
        Self.list(39_002, [[Saying.bob.publicKey]], of: 2), Self.list(39_002, [[Saying.bob.publicKey]], at: 5),
        Saying.event(9, [["d", "club1"], ["h", "club1"]], "no list"),
      ])
    #expect(Self.told(desk) == ["1 members alice (1)"])
  }

  @Test func relayThatDoesNotSayIsAskedAgainLater() throws {
    var desk = FollowingDesk()
    desk.refusal = { $0.name.hasPrefix("fg") ? "restricted: no" : nil }
    desk.stored = [Saying.event(9, [["h", "club1"]], "hello")]
    desk.feed(.follow(Self.group(1)))
    desk.connect()
    desk.settle()
    #expect(Self.requests(desk).count == 1 && desk.texts == ["hello"] && desk.syncs.map(\.outcome) == [.complete])
    desk.pass(ticks: MemberReader.retryTicks - 1)
    #expect(Self.requests(desk).count == 1)
    desk.pass(ticks: 2)
    #expect(Self.requests(desk).count == 2)
    // Silence is the same, and no reason to leave.
    desk.refusal = { _ in nil }
    desk.pass(ticks: MemberReader.retryTicks - 2)
    #expect(Self.requests(desk).count == 2)
    desk.isMute = true
    desk.pass(ticks: 2)
    #expect(Self.requests(desk).count == 3)
    desk.fire(.answerMembers)
    #expect(desk.isOpen)
    desk.isMute = false
    desk.pass(ticks: MemberReader.retryTicks + 1)
    #expect(Self.requests(desk).count == 4)
  }

  /// A request for so many groups may be too long for a relay.
  @Test func shorterRequestFollowsOneThatIsRefused() {
    var desk = FollowingDesk()
    desk.refusal = { $0.values("d").count > 8 ? "invalid: filter too long" : nil }
    for number in 1...40 as ClosedRange<Int64> {
      desk.stored.append(Self.list(39_002, [[Saying.bob.publicKey]], of: number))
      desk.feed(.follow(Self.group(number)))
    }
    desk.connect()
    desk.settle()
    desk.pass(ticks: 12)
    #expect(Self.told(desk).count == 40)
    #expect(Self.requests(desk).prefix(4).map { $0.values("d").count } == [40, 20, 10, 5])
    #expect(Self.requests(desk).dropFirst(3).allSatisfy { $0.values("d").count <= 8 })
  }

  @Test func largeListIsCutAndCounted() {
    let people = (0..<ReadMembers.entriesMax + 7).map { [Saying.name(Int64($0))] }
    let desk = FollowingDesk.following([Self.group(1)], stored: [Self.list(39_002, people)])
    let list = desk.news.lazy.compactMap { if case .members(let list) = $0.what { list } else { nil } }.first
    #expect(list?.entries.count == ReadMembers.entriesMax && list?.count == ReadMembers.entriesMax + 7)
  }

  @Test func hostileRolesAreLeftOut() {
    let long = String(repeating: "r", count: ReadMembers.roleBytesMax + 1)
    let many = (0..<30).map { "role\($0)" }
    let desk = FollowingDesk.following(
      [Self.group(1)],
      stored: [Self.list(39_001, [[Saying.alice.publicKey, "", "a\nb", long, "ok"], [Saying.bob.publicKey] + many])])
    let lists = desk.news.compactMap { if case .members(let list) = $0.what { list.entries.map(\.roles) } else { nil } }
    #expect(lists == [[["ok"], Array(many.prefix(ReadMembers.rolesMax))]])
  }

  @Test func namesOfMembersAreAskedFor() {
    var desk = FollowingDesk.following(
      [Self.group(1)],
      stored: [
        Self.list(39_002, [[Saying.bob.publicKey], [sessionKey.publicKey]]),
        Saying.event(0, [], #"{"name":"Bob"}"#, by: Saying.bob), Saying.event(0, [], #"{"name":"us"}"#, by: sessionKey),
      ])
    desk.pass(ticks: 3)
    let names = desk.news.compactMap { if case .profile(let profile) = $0.what { profile.name } else { nil } }
    #expect(names == ["Bob"])
  }

  @Test func requestsToJoinAreTold() {
    let text = String(repeating: "é", count: 300)
    let desk = FollowingDesk.following(
      [Self.group(1)],
      stored: [
        Saying.event(9_021, [["h", "club1"], ["code", "x"]], text), Saying.event(9_021, [["h", "club2"]], "elsewhere"),
      ])
    let asked = desk.news.compactMap { if case .joinRequest(let request) = $0.what { request } else { nil } }
    #expect(asked.map(\.author) == [Saying.alice.publicKey])
    #expect(asked.first?.text == String(repeating: "é", count: 250))
    #expect(asked.first?.createdAt == Timestamp(seconds: FollowingDesk.noon - 100))
  }
}
