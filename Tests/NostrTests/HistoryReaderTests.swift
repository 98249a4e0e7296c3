import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What a relay holds of a channel's own posts is found out beside everything else that is read there.
struct HistoryReaderTests {
  private static let until: Int64 = 9_000

  private static func question(_ depth: PostComparison.Depth = .all, number: Int = 1) -> HistoryQuestion {
    guard let content = makeDelivery(.verify, 1).delivery?.content else { preconditionFailure("there must be a channel") }
    return HistoryQuestion(
      comparison: PostComparison(
        channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r", number: number, content: content,
        depth: depth),
      until: until)
  }

  private static func post(_ content: String, at date: Int64) -> NostrEvent {
    let root = ["e", String(repeating: "1", count: 64), "", "root"]
    guard let event = NostrEvent(signedBy: sessionKey, createdAt: date, kind: 42, tags: [root], content: content) else {
      preconditionFailure("the event must be signable")
    }
    return event
  }

  /// A machine with an open connection that was asked to compare, and what it does.
  private func begun(_ questions: HistoryQuestion...) -> (ReaderMachine, [ReaderMachine.Action]) {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makeDelivery(.verify, 1)))
    _ = machine.handle(.opened(roundTrip: .zero))
    let actions = questions.flatMap { machine.handle(.compare($0)) }
    return (machine, actions)
  }

  private func outcomes(_ actions: [ReaderMachine.Action]) -> [PostComparisonOutcome] {
    actions.compactMap { if case .report(.compared(_, _, _, let outcome)) = $0 { outcome } else { nil } }
  }

  private func served(_ actions: [ReaderMachine.Action]) -> ServedPosts? {
    guard case .served(let posts)? = outcomes(actions).first else { return nil }
    return posts
  }

  private func trouble(_ actions: [ReaderMachine.Action]) -> Trouble? {
    guard case .failed(let trouble)? = outcomes(actions).first else { return nil }
    return trouble
  }

  /// The name and the filter of the last REQ.
  private func request(_ actions: [ReaderMachine.Action]) -> (name: String, filter: JSONValue)? {
    guard let text = texts(actions).last(where: { $0.contains("REQ") }), let parts = try? JSONParser.parse(text).array,
      parts.count == 3, let name = parts[1].string
    else { return nil }
    return (name, parts[2])
  }

  /// Answers as a relay that has these events and serves so many at once, until the comparison is over.
  private func answer(
    _ machine: inout ReaderMachine, _ first: [ReaderMachine.Action], _ events: [NostrEvent], cap: Int = 500
  ) -> (actions: [ReaderMachine.Action], requests: Int) {
    var (actions, requests) = (first, 0)
    let sorted = events.sorted { ($0.createdAt, $1.id) > ($1.createdAt, $0.id) }
    while outcomes(actions).isEmpty, let (name, filter) = request(actions), requests < 3_000 {
      requests += 1
      actions = []
      let (until, limit) = (filter["until"]?.integer ?? 0, filter["limit"]?.integer ?? 0)
      for event in sorted.filter({ $0.createdAt <= until }).prefix(min(cap, Int(limit))) {
        actions += machine.handle(.received(.event(subscription: name, event)))
      }
      actions += machine.handle(.received(.endOfStored(subscription: name)))
    }
    return (actions, requests)
  }

  @Test func oneQuestionIsAskedForTheChannelsOwnPosts() throws {
    let (_, actions) = begun(Self.question())
    let (name, filter) = try #require(request(actions))
    #expect(name == "bh1" && filter["authors"] == [.string(sessionKey.publicKey)] && filter["kinds"] == [42])
    #expect(filter["#e"] == [.string(String(repeating: "1", count: 64))] && filter["until"] == 9_001)
    // What it asks for is no flood.
    #expect(actions.contains(.expect(frames: 500, bytes: HistoryReader.pageBytesMax)))
    #expect(actions.contains(.setTimer(.answerHistory, after: NostrLimits().readTimeout)))
  }

  @Test func everythingIsFoundPageByPage() throws {
    let posts = (1...30).map { Self.post("\($0)", at: 5_000 + $0) }
    var (machine, actions) = begun(Self.question())
    let (last, requests) = answer(&machine, actions, posts, cap: 12)
    let found = try #require(served(last))
    #expect(found.ids == Set(posts.map(\.id)) && found.unsure.isEmpty && requests > 2)
    #expect(found.from == Timestamp(seconds: 0) && found.until == Timestamp(seconds: Self.until))
    #expect(found.holds("x", of: Timestamp(seconds: 5_005)) == false && found.holds(posts[0].id, of: nil) == true)
    #expect(found.holds("x", of: Timestamp(seconds: Self.until + 1)) == nil && found.holds("x", of: nil) == nil)
    // The connection stays for what else is read there.
    #expect(!last.contains(.hangUp))
    actions = machine.handle(.compare(Self.question(number: 2)))
    #expect(request(actions) != nil)
  }

  @Test func newestPageIsOneQuestion() throws {
    let posts = (1...30).map { Self.post("\($0)", at: 5_000 + $0) }
    var (machine, actions) = begun(Self.question(.newest))
    let (last, requests) = answer(&machine, actions, posts, cap: 12)
    let found = try #require(served(last))
    #expect(requests == 1 && found.ids == Set(posts.suffix(12).map(\.id)))
    // The second of the oldest one may have others.
    #expect(found.from == Timestamp(seconds: 5_020))
    #expect(found.holds(posts[17].id, of: Timestamp(seconds: 5_018)) == nil, "no one looked there")
    #expect(found.holds("x", of: Timestamp(seconds: 5_020)) == false)
    (machine, actions) = begun(Self.question(.newest))
    let all = try #require(served(answer(&machine, actions, []).actions))
    #expect(all.ids.isEmpty && all.from == Timestamp(seconds: 0), "the relay has nothing at all")
  }

  @Test func secondWithMoreThanAPageIsNotSure() throws {
    let posts = (1...40).map { Self.post("\($0)", at: $0 <= 25 ? 6_000 : 6_000 + $0) }
    var (machine, actions) = begun(Self.question())
    let found = try #require(served(answer(&machine, actions, posts, cap: 12).actions))
    #expect(found.unsure == [Timestamp(seconds: 6_000)] && found.ids.count < 40)
    #expect(found.holds("x", of: Timestamp(seconds: 6_000)) == nil && found.holds("x", of: Timestamp(seconds: 6_001)) == false)
  }

  @Test func whatIsForgedOrOthersDoesNotCount() throws {
    let good = Self.post("good", at: 5_000)
    let altered = NostrEvent(
      id: Self.post("altered", at: 5_001).id, publicKey: good.publicKey, createdAt: 5_001, kind: 42, tags: good.tags,
      content: "x", signature: good.signature)
    let unsigned = Self.post("unsigned", at: 5_002)
    let stolen = NostrEvent(
      id: unsigned.id, publicKey: unsigned.publicKey, createdAt: 5_002, kind: 42, tags: unsigned.tags, content: "unsigned",
      signature: good.signature)
    let stranger = try #require(
      NostrEvent(signedBy: .random(), createdAt: 5_003, kind: 42, tags: good.tags, content: "stranger"))
    let elsewhere = try #require(
      NostrEvent(
        signedBy: sessionKey, createdAt: 5_004, kind: 42, tags: [["e", String(repeating: "2", count: 64), "", "root"]],
        content: "elsewhere"))
    var (machine, actions) = begun(Self.question())
    let found = try #require(served(answer(&machine, actions, [good, altered, stolen, stranger, elsewhere]).actions))
    #expect(found.ids == [good.id])
    actions = machine.handle(.received(.event(subscription: "bh1", good)))
    #expect(actions.isEmpty, "that one is over")
  }

  @Test(arguments: [("auth-required: who are you", Cause.authRequired), ("blocked: no", .rejected), ("", .rejected)])
  func refusalFails(_ text: String, _ cause: Cause) {
    var (machine, _) = begun(Self.question(), Self.question(number: 2))
    let actions = machine.handle(.received(.closed(subscription: "bh1", text: text)))
    #expect(trouble(actions)?.cause == cause && actions.contains(.cancelTimer(.answerHistory)))
    #expect(request(actions)?.name == "bh2", "the next may be taken")
  }

  @Test func silenceFailsAndSoDoesALostConnection() {
    var (machine, actions) = begun(Self.question(), Self.question(number: 2), Self.question(number: 3))
    actions = machine.handle(.timerFired(.answerHistory))
    #expect(trouble(actions)?.cause == .timeout && texts(actions).first == ClientMessage.close("bh1"))
    #expect(request(actions)?.name == "bh2" && !actions.contains(.hangUp))
    actions = machine.handle(.closed(code: nil, reason: "gone"))
    #expect(outcomes(actions).count == 1 && trouble(actions)?.cause == .unreachable)
    // What waits is asked for over the next connection.
    _ = machine.handle(.timerFired(.reconnect))
    #expect(request(machine.handle(.opened(roundTrip: .zero)))?.name == "bh3")
  }

  @Test func relayThatCannotBeReachedFailsAll() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    #expect(machine.handle(.compare(Self.question())).contains(.dial))
    _ = machine.handle(.compare(Self.question(number: 2)))
    let actions = machine.handle(.dialFailed(.unreachable("refused")))
    #expect(outcomes(actions).count == 2 && trouble(actions)?.cause == .unreachable)
  }

  @Test func onlySoManyWait() {
    var (machine, _) = begun(Self.question())
    for number in 2...(HistoryReader.queueMax + 1) {
      #expect(outcomes(machine.handle(.compare(Self.question(number: number)))).isEmpty)
    }
    #expect(trouble(machine.handle(.compare(Self.question(number: 99))))?.cause == .timeout)
  }

  @Test func connectionRestsAfterwards() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.compare(Self.question()))
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(machine.handle(.timerFired(.idle)).isEmpty, "it is under way")
    let (last, _) = answer(&machine, opened, [])
    #expect(last.contains(.setTimer(.idle, after: NostrLimits().idleTimeout)))
    #expect(machine.handle(.timerFired(.idle)) == [.hangUp])
  }
}
