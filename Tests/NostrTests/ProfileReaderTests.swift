import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// The profiles of those who write in followed channels.
struct ProfileReaderTests {
  private static func profile(
    _ content: String, at date: Int64 = FollowingDesk.noon - 500, by key: SecretKey = Saying.alice
  ) -> NostrEvent { Saying.event(0, [], content, at: date, by: key) }

  private static func names(_ desk: FollowingDesk) -> [String: String] {
    desk.news.reduce(into: [:]) { if case .profile(let profile) = $1.what { $0[profile.author] = profile.name } }
  }

  private static func requests(_ desk: FollowingDesk) -> [FollowingDesk.Request] {
    desk.requests.filter { $0.name.hasPrefix("fp") }
  }

  /// A desk on which alice and bob have said something, with these profiles at the relay.
  private static func desk(_ profiles: [NostrEvent]) -> FollowingDesk {
    var desk = FollowingDesk.following(
      [Saying.channel(1)], stored: [Saying.message("a"), Saying.message("b", by: Saying.bob)] + profiles)
    desk.pass(ticks: 3)
    return desk
  }

  @Test func authorsAreAskedForOnceAfterEverythingElse() throws {
    var desk = FollowingDesk.following(
      [Saying.channel(1), Saying.group(2)],
      stored: [
        Saying.message("a"), Saying.message("again"), Saying.event(9, [["h", "club2"]], "b", by: Saying.bob),
        Saying.event(42, [["e", Saying.name(1), "", "root"]], "own", by: sessionKey),
        Self.profile(#"{"name":"alice"}"#), Self.profile(#"{"name":"bobby","display_name":"Bob"}"#, by: Saying.bob),
        Self.profile(#"{"name":"us"}"#, by: sessionKey),
      ])
    #expect(Self.requests(desk).isEmpty, "others may follow")
    desk.pass(ticks: 3)
    let request = try #require(Self.requests(desk).first)
    #expect(Self.requests(desk).count == 1 && request.filters.count == 1)
    let authors = [Saying.alice.publicKey, Saying.bob.publicKey].sorted()
    #expect(request.filters[0] == ["kinds": [0], "authors": .array(authors.map(JSONValue.string)), "limit": 2])
    #expect(Self.names(desk) == [Saying.alice.publicKey: "alice", Saying.bob.publicKey: "Bob"])
    #expect(!desk.subscriptions.keys.contains(request.name), "nothing stays open")
    desk.publish(Saying.message("more"))
    desk.pass(ticks: 12)
    #expect(Self.requests(desk).count == 1)
    let carol = SecretKey.random()
    desk.stored.append(Self.profile(#"{"name":"carol"}"#, by: carol))
    desk.publish(Saying.message("hello", by: carol))
    desk.pass(ticks: 2)
    #expect(Self.names(desk)[carol.publicKey] == "carol" && Self.requests(desk).count == 2)
  }

  /// Some people publish their profile after their first message. Those who never do must not cost a request a minute.
  @Test func authorWithoutAProfileIsAskedForAgainLessAndLessOften() {
    var desk = Self.desk([])
    #expect(Self.requests(desk).count == 1)
    desk.stored.append(Self.profile(#"{"name":"alice"}"#))
    desk.pass(ticks: ProfileReader.namelessTicks + 3)
    #expect(Self.names(desk) == [Saying.alice.publicKey: "alice"])
    desk.pass(ticks: 720)
    #expect(Self.requests(desk).count <= 8, "bob is asked for after 1, 2, 4 … minutes")
    #expect(Self.requests(desk).dropFirst(2).allSatisfy { $0.filters[0]["authors"]?.array?.count == 1 })
  }

  @Test func newestThatIsGenuineCounts() {
    let good = Self.profile(#"{"name":"new"}"#, at: FollowingDesk.noon - 10)
    func forged(_ content: String, at date: Int64) -> NostrEvent {
      NostrEvent(
        id: good.id, publicKey: good.publicKey, createdAt: date, kind: 0, tags: [], content: content, signature: good.signature)
    }
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Saying.message("a")])
    desk.isMute = true
    desk.pass(ticks: 2)
    guard let request = Self.requests(desk).first else { return #expect(Bool(false)) }
    desk.answerFirst(
      request,
      with: [
        Self.profile(#"{"name":"old"}"#), good, Self.profile(#"{"name":"older"}"#, at: 5),
        forged(#"{"name":"forged"}"#, at: FollowingDesk.noon), Self.profile(#"{"name":"bob"}"#, by: Saying.bob),
        Saying.event(1, [], #"{"name":"a note"}"#, at: FollowingDesk.noon),
      ])
    #expect(Self.names(desk) == [Saying.alice.publicKey: "new"])
  }

  @Test(arguments: [
    #"{"name":""}"#, #"{"name":" ","display_name":"\n"}"#, #"{"about":"x"}"#, "[]", "", "{", #"{"name":7}"#, "alice",
    #"{"name":"\#(String(repeating: "a", count: 65_536))"}"#,
  ])
  func profileWithoutANameSaysNothing(_ content: String) {
    #expect(Self.names(Self.desk([Self.profile(content)])).isEmpty)
  }

  @Test func longNamesAreCutAndNothingElseIsChanged() {
    let name = "  é\u{1B}[2J" + String(repeating: "ß", count: 80)
    let desk = Self.desk([Self.profile(JSONValue.object(["name": .string(name)]).text)])
    let read = Self.names(desk)[Saying.alice.publicKey]
    #expect(read?.utf8.count == 100 && read?.hasPrefix("é\u{1B}[2Jß") == true)
  }

  @Test(arguments: [
    ("ada@example.com", "ada@example.com"), (" Ada@Example.com ", "ada@example.com"), ("_@example.com", "example.com"),
    ("example.com", "example.com"), ("", nil), ("ada", nil), ("ada@", nil), ("@example.com", nil), ("a@b@c.com", nil),
    ("a b@c.com", nil), ("ädä@example.com", nil), ("a\u{1B}[2J@c.com", nil),
    (String(repeating: "a", count: 200) + "@x.org", nil),
  ])
  func claimsOfNamesAtDomainsAreReadIfTheyCanBeOne(claim: String, name: String?) {
    let content = JSONValue.object(["name": "Ada", "nip05": .string(claim)]).text
    #expect(ReadProfile(Self.profile(content))?.domainName == name)
    #expect(ReadProfile(Self.profile(#"{"name":"Ada","nip05":7}"#))?.name == "Ada")
  }

  @Test func relayThatRefusesProfilesIsReadAllTheSame() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    desk.refusal = { $0.name.hasPrefix("fp") ? "blocked: no profiles" : nil }
    desk.publish(Saying.message("a"))
    desk.pass(ticks: 3)
    desk.publish(Saying.message("b", by: Saying.bob))
    desk.pass(ticks: 20)
    #expect(Self.requests(desk).count == 1 && desk.texts == ["a", "b"])
    #expect(desk.syncs.allSatisfy { $0.outcome == .complete })
    // Someone may have meant that for a moment.
    desk.refusal = { _ in nil }
    desk.stored += [Self.profile(#"{"name":"alice"}"#), Self.profile(#"{"name":"bob"}"#, by: Saying.bob)]
    desk.pass(ticks: FollowerMachine.retryTicks)
    #expect(Set(Self.names(desk).values) == ["alice", "bob"])
  }

  @Test func relayThatDoesNotAnswerIsNotLeft() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    desk.publish(Saying.message("a"))
    desk.settle()
    desk.isMute = true
    desk.pass(ticks: 2)
    #expect(Self.requests(desk).count == 1)
    desk.fire(.answerProfiles)
    #expect(desk.isOpen && !desk.subscriptions.keys.contains { $0.hasPrefix("fp") })
  }

  /// What was asked for when the connection was lost is asked for again.
  @Test func lostConnectionLosesNoNames() {
    var desk = FollowingDesk.following([Saying.channel(1)], stored: [Self.profile(#"{"name":"alice"}"#)])
    desk.publish(Saying.message("a"))
    desk.settle()
    desk.isMute = true
    desk.pass(ticks: 2)
    desk.lose()
    desk.isMute = false
    desk.fire(.reconnect)
    desk.connect()
    desk.settle()
    desk.pass(ticks: 3)
    #expect(Self.names(desk) == [Saying.alice.publicKey: "alice"])
  }

  /// Those who do not fit are asked for once there is room; no one is left out because so many wrote.
  @Test func namesComeBeforeTheRestOfALongHistory() {
    let keys = (0..<700).map { _ in SecretKey.random() }
    var desk = FollowingDesk.following(
      [Saying.channel(1, window: MessageWindow(count: 1_000))],
      stored: keys.enumerated().map { Saying.message("hi", at: FollowingDesk.noon - 100 - Int64($0), by: $1) }
        + keys.map { Self.profile(#"{"name":"n"}"#, by: $0) })
    desk.pass(ticks: 30)
    #expect(Self.names(desk).count >= ProfileReader.waitingMax)
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.settle()
    desk.pass(ticks: 30)
    #expect(Self.names(desk).count == 700)
  }

  @Test func manyAuthorsAreAskedForInTurn() {
    let keys = (0..<120).map { _ in SecretKey.random() }
    var desk = FollowingDesk.following(
      [Saying.channel(1)],
      stored: keys.map { Saying.message("hi", by: $0) } + keys.map { Self.profile(#"{"name":"n"}"#, by: $0) })
    desk.pass(ticks: 6)
    #expect(Self.requests(desk).map { $0.filters[0]["authors"]?.array?.count } == [50, 50, 20])
    #expect(Self.names(desk).count == 120)
    // A day later, names may have changed.
    desk.pass(ticks: FollowerMachine.wholeTicks)
    #expect(Self.requests(desk).count == 6, "all of them are asked for when the channel is read as a whole")
  }
}
