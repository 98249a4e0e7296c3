import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr
@testable import Sandbox

struct ReaderMachineTests {
  private func opened(_ items: [SessionOperation]) -> ReaderMachine {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    return machine
  }

  private func event(_ item: SessionOperation) -> NostrEvent {
    let content = PublicChannel.content(name: "c\(item.operation.channel.rawValue)", about: "", picture: "", relays: [])
    guard
      let event = NostrEvent(
        signedBy: sessionKey, createdAt: 1000 + item.operation.channel.rawValue, kind: 40, content: content)
    else { preconditionFailure("the event must be signable") }
    return event
  }

  @Test func manyChannelsAreReadInOneRequest() {
    let items = (1...3).map { makeOperation(.verify, channel: $0) }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    #expect(sends(machine.handle(.opened(roundTrip: .zero))) == 1)
    #expect(outcomes(machine.handle(.received(.event(subscription: "b1", event(items[1]))))) == [.verified(edition: 1)])
    // Two did not come: each is asked for alone before it counts as missing.
    let first = machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(outcomes(first).isEmpty && first.contains(.send(request("b2", items[0]))))
    #expect(outcomes(machine.handle(.received(.event(subscription: "b2", event(items[0]))))) == [.verified(edition: 1)])
    let second = machine.handle(.received(.endOfStored(subscription: "b2")))
    #expect(outcomes(second).isEmpty && second.contains(.send(request("b3", items[2]))))
    let rest = machine.handle(.received(.endOfStored(subscription: "b3")))
    #expect(outcomes(rest) == [.missing] && sends(rest) == 1)
  }

  private func request(_ name: String, _ item: SessionOperation) -> String {
    ClientMessage.request(name, [["ids": [.string(item.eventID)]]])
  }

  @Test func editionThatDoesNotComeWithItsChannelIsAskedForAlone() throws {
    let item = makeOperation(.verify)
    let edited = try #require(NostrEvent(signedBy: sessionKey, createdAt: 2000, kind: 41, content: "{}"))
    let content = item.operation.content
    let operation = RelayOperation(
      task: .verify, channel: item.operation.channel, relay: item.operation.relay, address: "ws://r", number: 1,
      content: ChannelContent(
        identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
        edition: 2,
        newestEdition: ChannelEdition(networkID: edited.id, document: edited.text, signedAt: 2000)))
    for isServed in [true, false] {
      var machine = opened([SessionOperation(operation: operation)])
      _ = machine.handle(.received(.event(subscription: "b1", event(item))))
      _ = machine.handle(.received(.endOfStored(subscription: "b1")))
      // What is later than the edition has a request of its own.
      let alone = machine.handle(.received(.endOfStored(subscription: "b2")))
      #expect(outcomes(alone).isEmpty)
      #expect(alone.contains(.send(ClientMessage.request("b3", [["ids": [.string(edited.id)]]]))))
      if isServed {
        #expect(outcomes(machine.handle(.received(.event(subscription: "b3", edited)))) == [.verified(edition: 2)])
      } else {
        // Before the edition counts as missing, the relay is asked for other events of this author.
        #expect(outcomes(machine.handle(.received(.endOfStored(subscription: "b3")))).isEmpty)
        #expect(
          outcomes(machine.handle(.received(.endOfStored(subscription: "b4")))) == [.verified(edition: 1, others: .none)])
      }
    }
  }

  /// A relay that normalizes texts: Swift's strings are equal, but for everyone else the signature is wrong.
  @Test func channelThatIsServedInOtherBytesIsNotOurs() throws {
    let content = PublicChannel.content(name: "Caf\u{e9}", about: "", picture: "", relays: [])
    let event = try #require(NostrEvent(signedBy: sessionKey, createdAt: 1000, kind: 40, content: content))
    let other = NostrEvent(
      id: event.id, publicKey: event.publicKey, createdAt: event.createdAt, kind: event.kind, tags: event.tags,
      content: PublicChannel.content(name: "Cafe\u{301}", about: "", picture: "", relays: []), signature: event.signature)
    #expect(other.text == event.text && !other.text.utf8.elementsEqual(event.text.utf8))
    let operation = RelayOperation(
      task: .verify, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r", number: 1,
      content: ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: event.id, trustAnchor: event.publicKey, document: event.text))
    for (served, isRight) in [(event, true), (other, false)] {
      var machine = opened([SessionOperation(operation: operation)])
      let judged = outcomes(machine.handle(.received(.event(subscription: "b1", served))))
      guard !isRight else {
        #expect(judged == [.verified(edition: 1)])
        continue
      }
      guard case .misbehaved(let trouble)? = judged.first else { return #expect(Bool(false)) }
      #expect(trouble.cause == .wrongIdentity)
    }
  }

  @Test func refusalOfOneRequestDoesNotRefuseTheOthers() {
    let items = (1...2).map { makeOperation(.verify, channel: $0) }
    var machine = opened(items)
    _ = machine.handle(.received(.endOfStored(subscription: "b1")))
    let refused = machine.handle(.received(.closed(subscription: "b2", text: "restricted: members only")))
    #expect(outcomes(refused) == [.refused(Trouble(.rejected, "restricted: members only"))])
    #expect(refused.contains(.send(request("b3", items[1]))))
    #expect(outcomes(machine.handle(.received(.event(subscription: "b3", event(items[1]))))) == [.verified(edition: 1)])
    #expect(outcomes(machine.handle(.received(.endOfStored(subscription: "b3")))).isEmpty)
  }

  @Test func readingGathersUnderLoadAndALoneChannelDoesNotWait() {
    var machine = opened([makeOperation(.verify)])
    #expect(machine.handle(.received(.endOfStored(subscription: "b1"))).contains { if case .send = $0 { true } else { false } })
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 2)))) == 1)
    let items = (3...5).map { makeOperation(.verify, channel: $0) }
    for item in items { #expect(sends(machine.handle(.submitted(item))) == 0) }
    // The second REQ is over, three wait: they go at once, because the one before was alone.
    #expect(sends(machine.handle(.received(.endOfStored(subscription: "b2")))) == 2)
    _ = machine.handle(.submitted(makeOperation(.verify, channel: 6)))
    for item in items { _ = machine.handle(.received(.event(subscription: "b3", event(item)))) }
    let gathering = machine.handle(.received(.endOfStored(subscription: "b3")))
    #expect(sends(gathering) == 1 && gathering.contains(.setTimer(.gather, after: .milliseconds(50))))
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 7)))) == 0)
    #expect(sends(machine.handle(.timerFired(.gather))) == 1)
  }

  @Test func liesAreFound() {
    let item = makeOperation(.verify)
    let good = event(item)
    let forgedID = NostrEvent(
      id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: 40, tags: [], content: "x",
      signature: good.signature)
    let forgedSignature = NostrEvent(
      id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: 40, tags: [], content: good.content,
      signature: String(repeating: "0", count: 128))
    for forged in [forgedID, forgedSignature] {
      var machine = opened([item])
      guard case .misbehaved(let trouble)? = outcomes(machine.handle(.received(.event(subscription: "b1", forged)))).first
      else {
        #expect(Bool(false))
        continue
      }
      #expect(trouble.cause == .wrongIdentity)
    }
  }

  @Test func watchedRelayReportsUpAndDownOnceEach() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    #expect(machine.handle(.watched(true)).contains(.dial))
    let up = machine.handle(.opened(roundTrip: .milliseconds(3)))
    #expect(up.contains(.report(.relayUp(RelayID(rawValue: 1), roundTrip: .milliseconds(3)))))
    func downs(_ actions: [ReaderMachine.Action]) -> Int {
      actions.filter { if case .report(.relayDown) = $0 { true } else { false } }.count
    }
    #expect(downs(machine.handle(.closed(code: nil, reason: ""))) == 1)
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
    #expect(downs(machine.handle(.dialFailed(.unreachable("refused")))) == 0)
    // A new reason is reported.
    let expired = Trouble(.expired, "the certificate of r expired on 2026-11-21")
    #expect(machine.handle(.dialFailed(.insecure(expired))).contains(.report(.relayDown(RelayID(rawValue: 1), expired))))
    #expect(downs(machine.handle(.dialFailed(.insecure(expired)))) == 0)
    _ = machine.handle(.opened(roundTrip: .zero))
    #expect(downs(machine.handle(.dialFailed(.insecure(expired)))) == 1)
  }

  /// Baton leaves only a relay that answers nothing at all.
  @Test(arguments: [
    RelayMessage.endOfStored(subscription: "b2"), .closed(subscription: "b2", text: "error: too busy"),
  ])
  func relayThatAnswersNowAndThenIsNotLeft(_ answer: RelayMessage) {
    var machine = opened([makeOperation(.verify)])
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp))
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 2)))) == 1)
    #expect(outcomes(machine.handle(.received(answer))).count == 1)
    #expect(sends(machine.handle(.submitted(makeOperation(.verify, channel: 3)))) == 1)
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp), "one in a row")
    _ = machine.handle(.submitted(makeOperation(.verify, channel: 4)))
    #expect(machine.handle(.timerFired(.answer)).contains(.hangUp), "two in a row")
  }

  @Test func refusedReadIsARefusal() {
    var machine = opened([makeOperation(.verify)])
    #expect(
      outcomes(machine.handle(.received(.closed(subscription: "b1", text: "auth-required: members only")))) == [
        .refused(Trouble(.authRequired, "auth-required: members only"))
      ])
  }

  @Test func duplicateRequestSaysNothingAboutTheChannel() {
    var machine = opened([makeOperation(.verify)])
    let text = "duplicate: b1 already opened"
    #expect(
      outcomes(machine.handle(.received(.closed(subscription: "b1", text: text)))) == [
        .troubled(Trouble(.rejected, text), retryAfter: .seconds(30))
      ])
  }

  @Test func emptyClosedAfterTheEndIsNotAnError() {
    let item = makeOperation(.verify)
    var machine = opened([item])
    _ = machine.handle(.received(.event(subscription: "b1", event(item))))
    _ = machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(machine.handle(.received(.closed(subscription: "b1", text: ""))).isEmpty)
  }
}

/// The events that a relay has of an author who signs several channels.
struct SharedKeyReaderTests {
  private static let salt = [UInt8](repeating: 1, count: 32)
  private static let other = String(repeating: "a", count: 64)

  private func edition(of channel: String, at time: Int64, name: String = "") throws -> NostrEvent {
    try #require(
      NostrEvent(
        signedBy: sessionKey, createdAt: time, kind: 41, tags: [["e", channel, "", "root"]], content: "{\"name\":\"\(name)\"}"))
  }

  private struct Look {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    let channel: NostrEvent
    let newest: NostrEvent
    let operation: RelayOperation
  }

  /// A look at a channel whose newest edition is of the time 2000; the relay is asked and has not answered yet.
  private func look(keySalt: [UInt8]? = nil) throws -> Look {
    let content = PublicChannel.content(name: "c1", about: "", picture: "", relays: [])
    let channel = try #require(NostrEvent(signedBy: sessionKey, createdAt: 1001, kind: 40, content: content))
    let newest = try edition(of: channel.id, at: 2000, name: "newest")
    let operation = RelayOperation(
      task: .verify, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r", number: 1,
      content: ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: channel.id, trustAnchor: sessionKey.publicKey, document: channel.text,
        edition: 2,
        newestEdition: ChannelEdition(networkID: newest.id, document: newest.text, signedAt: 2000), keySalt: keySalt))
    var seen = Look(channel: channel, newest: newest, operation: operation)
    _ = seen.machine.handle(.submitted(SessionOperation(operation: operation)))
    #expect(sends(seen.machine.handle(.opened(roundTrip: .zero))) == 1)
    return seen
  }

  /// The same after the relay has served the channel without its newest edition and was asked for other events of the author.
  private func asking() throws -> Look {
    var seen = try look()
    _ = seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))
    #expect(outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b1")))).isEmpty)
    // First it is asked for what is later, and for the edition alone.
    #expect(outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b2")))).isEmpty)
    let actions = seen.machine.handle(.received(.endOfStored(subscription: "b3")))
    #expect(outcomes(actions).isEmpty)
    let filter = "{\"authors\":[\"\(sessionKey.publicKey)\"],\"kinds\":[41],\"limit\":2}"
    #expect(actions.contains { if case .send(let text) = $0 { Self.isRequest(text, filter) } else { false } }, "\(actions)")
    return seen
  }

  private static func isRequest(_ text: String, _ filter: String) -> Bool {
    (try? JSONParser.parse(text)) == (try? JSONParser.parse("[\"REQ\",\"b4\",\(filter)]"))
  }

  /// The outcome when the relay serves `events` of the author.
  private func found(_ events: (String) throws -> [NostrEvent]) throws -> [RelayOutcome] {
    var seen = try asking()
    for event in try events(seen.channel.id) {
      #expect(outcomes(seen.machine.handle(.received(.event(subscription: "b4", event)))).isEmpty)
    }
    return outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b4"))))
  }

  @Test func otherChannelsOfTheAuthorAreReported() throws {
    #expect(try found { _ in [] } == [.verified(edition: 1, others: .none)])
    #expect(try found { _ in [try edition(of: Self.other, at: 3000)] } == [.verified(edition: 1, others: .newer)])
    #expect(try found { _ in [try edition(of: Self.other, at: 1500)] } == [.verified(edition: 1, others: .older)])
    #expect(try found { [try edition(of: $0, at: 1500)] } == [.verified(edition: 1, others: .none)], "an older one of its own")
    let two = try found { [try edition(of: Self.other, at: 3000), try edition(of: $0, at: 1500)] }
    #expect(two == [.verified(edition: 1, others: .several)])
    let one = try edition(of: Self.other, at: 3000)
    #expect(try found { _ in [one, one] } == [.verified(edition: 1, others: .newer)])
    let forged = NostrEvent(
      id: one.id, publicKey: one.publicKey, createdAt: one.createdAt, kind: 41, tags: one.tags, content: one.content,
      signature: String(repeating: "0", count: 128))
    #expect(try found { _ in [forged] } == [.verified(edition: 1, others: .none)])
  }

  @Test func ofTwoEventsInOneSecondTheLowerIDWins() throws {
    let newest = try look().newest
    for name in ["a", "b", "c", "d", "e", "f"] {
      let other = try edition(of: Self.other, at: 2000, name: name)
      let expected: OtherEditions = other.id < newest.id ? .newer : .older
      #expect(try found { _ in [other] } == [.verified(edition: 1, others: expected)])
    }
  }

  /// A channel is not reported as missing because the relay refuses requests by author.
  @Test(arguments: [
    ReaderMachine.Event.received(.closed(subscription: "b4", text: "blocked: no")), .timerFired(.answer),
    .closed(code: nil, reason: ""),
  ])
  func channelCountsThoughTheRelayDoesNotAnswerTheNextRequest(_ event: ReaderMachine.Event) throws {
    var seen = try asking()
    #expect(outcomes(seen.machine.handle(event)) == [.verified(edition: 1)])
  }

  @Test func channelWithAKeyOfItsOwnIsAloneUnderIt() throws {
    var seen = try look(keySalt: Self.salt)
    _ = seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))
    for name in ["b1", "b2"] { _ = seen.machine.handle(.received(.endOfStored(subscription: name))) }
    #expect(outcomes(seen.machine.handle(.received(.endOfStored(subscription: "b3")))) == [.verified(edition: 1)])
  }

  /// The relay serves the channel, and refuses another request.
  @Test func refusalOfTheEditionIsNotOneOfTheChannel() throws {
    var seen = try look(keySalt: Self.salt)
    _ = seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))
    for name in ["b1", "b2"] { _ = seen.machine.handle(.received(.endOfStored(subscription: name))) }
    let refused = seen.machine.handle(.received(.closed(subscription: "b3", text: "blocked: kind not allowed")))
    #expect(outcomes(refused) == [.verified(edition: 1)])
  }

  /// A relay that does not answer a request for later editions is not asked that again over this connection.
  @Test func silenceAboutLaterEditionsSaysNothing() throws {
    var seen = try look(keySalt: Self.salt)
    for event in [seen.channel, seen.newest] { _ = seen.machine.handle(.received(.event(subscription: "b1", event))) }
    _ = seen.machine.handle(.received(.endOfStored(subscription: "b1")))
    let silent = seen.machine.handle(.timerFired(.answer))
    #expect(outcomes(silent).isEmpty && !silent.contains(.hangUp))
    let again = try look(keySalt: Self.salt)
    _ = seen.machine.handle(.submitted(SessionOperation(operation: again.operation)))
    for event in [again.channel, again.newest] { _ = seen.machine.handle(.received(.event(subscription: "b3", event))) }
    #expect(sends(seen.machine.handle(.received(.endOfStored(subscription: "b3")))) == 1)
  }

  @Test func newestEditionEndsTheLook() throws {
    var seen = try look()
    #expect(outcomes(seen.machine.handle(.received(.event(subscription: "b1", seen.channel)))).isEmpty)
    #expect(outcomes(seen.machine.handle(.received(.event(subscription: "b1", seen.newest)))) == [.verified(edition: 2)])
    // It is asked for what is later, and for nothing more.
    let end = seen.machine.handle(.received(.endOfStored(subscription: "b1")))
    #expect(outcomes(end).isEmpty && sends(end) == 2)
    #expect(sends(seen.machine.handle(.received(.endOfStored(subscription: "b2")))) == 1)
  }
}

/// Relays that refuse requests because of their form, or do not answer them: that says nothing about channels.
struct RequestFormTests {
  /// A channel whose second edition is its newest.
  private static func edited(_ number: Int64) throws -> (item: SessionOperation, events: [NostrEvent]) {
    let content = PublicChannel.content(name: "c\(number)", about: "", picture: "", relays: [])
    let channel = try #require(NostrEvent(signedBy: sessionKey, createdAt: number, kind: 40, content: content))
    let tags = [["e", channel.id, "", "root"]]
    let newest = try #require(NostrEvent(signedBy: sessionKey, createdAt: 5_000 + number, kind: 41, tags: tags, content: "{}"))
    let operation = RelayOperation(
      task: .verify, channel: ChannelID(rawValue: number), relay: RelayID(rawValue: 1), address: "ws://r", number: 1,
      content: ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: channel.id, trustAnchor: channel.publicKey, document: channel.text,
        edition: 2, newestEdition: ChannelEdition(networkID: newest.id, document: newest.text, signedAt: 5_000 + number),
        keySalt: [UInt8](repeating: 1, count: 32)))
    return (SessionOperation(operation: operation), [channel, newest])
  }

  /// Lets the relay answer until nothing is under way.
  /// - Parameters:
  ///   - most: the number of ids, or of groups, that a REQ may have.
  ///   - refusal: the relay's words about one that has more; `nil` if it says nothing.
  /// - Returns: what was reported, and the number of ids in each REQ.
  private static func settle(
    _ machine: inout ReaderMachine, _ first: [ReaderMachine.Action], _ stored: [NostrEvent], most: Int, refusal: String?
  ) throws -> (outcomes: [RelayOutcome], ids: [Int]) {
    var (actions, found, sizes) = (first, outcomes(first), [Int]())
    while let request = try actions.compactMap(Self.request).last {
      #expect(request.count == 3, "one filter")
      let (name, filter) = (try #require(request[1].string), request[2])
      let count = filter["ids"]?.array?.count ?? 0
      sizes.append(count)
      if max(count, filter["#d"]?.array?.count ?? 0) > most {
        actions = machine.handle(refusal.map { .received(.closed(subscription: name, text: $0)) } ?? .timerFired(.answer))
      } else {
        let wanted = try #require(EventFilter(filter))
        actions = stored.filter(wanted.matches).flatMap { machine.handle(.received(.event(subscription: name, $0))) }
        actions += machine.handle(.received(.endOfStored(subscription: name)))
      }
      #expect(!actions.contains(.hangUp))
      found += outcomes(actions)
    }
    return (found, sizes)
  }

  private static func request(_ action: ReaderMachine.Action) throws -> [JSONValue]? {
    guard case .send(let text) = action, let parts = try JSONParser.parse(text).array, parts.first == "REQ" else { return nil }
    return parts
  }

  private static let refusals = ["invalid: too many ids", "error: filter too complex", "too many filters", nil]

  @Test(arguments: refusals)
  func channelIsAskedForAloneBeforeAnythingCounts(_ refusal: String?) throws {
    let (item, events) = try Self.edited(1)
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(item))
    let opened = machine.handle(.opened(roundTrip: .zero))
    let first = try Self.settle(&machine, opened, events, most: 1, refusal: refusal)
    #expect(first.outcomes == [.verified(edition: 2)] && first.ids == (refusal == nil ? [2, 1, 1] : [2, 0, 1, 1]))
    // It is known now that this relay takes one.
    let second = try Self.settle(&machine, machine.handle(.submitted(item)), events, most: 1, refusal: refusal)
    #expect(second.outcomes == [.verified(edition: 2)] && second.ids == [0, 1, 1])
    let gone = try Self.settle(&machine, machine.handle(.submitted(item)), [], most: 1, refusal: refusal)
    #expect(gone.outcomes == [.missing])
  }

  @Test(arguments: refusals)
  func numberThatTheRelayTakesIsRemembered(_ refusal: String?) throws {
    let items = (1...40).map { makeOperation(.verify, channel: $0) }
    let stored = try items.map { try #require(NostrEvent(json: JSONParser.parse($0.operation.content.document))) }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    var start = machine.handle(.opened(roundTrip: .zero))
    var sizes: [Int] = []
    for _ in 1...3 {
      let look = try Self.settle(&machine, start, stored, most: 10, refusal: refusal)
      #expect(look.outcomes.count == 40 && look.outcomes.allSatisfy { $0 == .verified(edition: 1) })
      sizes = look.ids
      start = items.flatMap { machine.handle(.submitted($0)) } + machine.handle(.timerFired(.gather))
    }
    #expect(sizes == [10, 10, 10, 10], "what it takes is known by then")
  }

  /// Two requests in a row that are not answered would be the end of the connection.
  @Test func relayThatIgnoresLongRequestsIsAskedThePlainestQuestionNext() throws {
    let channels = (1...2).map { makeOperation(.verify, channel: $0) }
    let groups = ([3, 4] as [Int64]).map { number in
      let content = ChannelContent(
        kind: .group, identity: IdentityID(rawValue: 1), networkID: "club\(number)", trustAnchor: PostSamples.carol,
        document: "{}")
      return SessionOperation(
        operation: RelayOperation(
          task: .verify, channel: ChannelID(rawValue: number), relay: RelayID(rawValue: 1), address: "ws://r", number: 1,
          content: content))
    }
    let stored = try channels.map { try #require(NostrEvent(json: JSONParser.parse($0.operation.content.document))) }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in channels + groups { _ = machine.handle(.submitted(item)) }
    let look = try Self.settle(&machine, machine.handle(.opened(roundTrip: .zero)), stored, most: 1, refusal: nil)
    #expect(look.outcomes == [.verified(edition: 1), .verified(edition: 1), .missing, .missing])
  }

  /// Readers are anonymous: what is demanded of them for one channel is demanded for all.
  @Test func demandForAUTHEndsTheWholeLook() throws {
    let (first, second) = (try Self.edited(1), try Self.edited(2))
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in [first.item, second.item] { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(.received(.event(subscription: "b1", first.events[0])))
    let text = "auth-required: members only"
    let actions = machine.handle(.received(.closed(subscription: "b1", text: text)))
    // A channel that was served is there.
    #expect(outcomes(actions) == [.verified(edition: 1), .refused(Trouble(.authRequired, text))] && sends(actions) == 0)
    // Later editions are another matter.
    _ = machine.handle(.submitted(second.item))
    _ = machine.handle(.timerFired(.gather))
    for event in second.events { _ = machine.handle(.received(.event(subscription: "b2", event))) }
    _ = machine.handle(.received(.endOfStored(subscription: "b2")))
    #expect(outcomes(machine.handle(.received(.closed(subscription: "b3", text: text)))).isEmpty)
  }

  @Test func sizeIsLearnedFromWhatIsAnsweredOnly() {
    var size = RequestSize(most: 250)
    for count in [250, 125, 62] { size.refused(count) }
    #expect(size.most == 250 && size.next == 31, "perhaps it answers nothing")
    size.connected()
    #expect(size.next == 250)
    size.refused(250)
    size.took(1)
    #expect(size.most == 125 && size.next == 125)
    size.took(125)
    // The number is not the reason.
    size.refused(125)
    size.took(1)
    #expect(size.most == 125)
    size.took(200)
    #expect(size.most == 200)
  }
}
