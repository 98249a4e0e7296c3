import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Posts that are read back, beside channels.
struct PostReaderTests {
  private func machine(_ items: [SessionOperation]) -> ReaderMachine {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    _ = machine.handle(.opened(roundTrip: .zero))
    return machine
  }

  private func posts(_ range: ClosedRange<Int64>) -> [SessionOperation] { range.map { makeDelivery(.verify, $0) } }

  private func request(_ name: String, _ posts: [Int64]) -> String {
    ClientMessage.request(name, [["ids": .array(posts.map { .string(makePost($0).id) })]])
  }

  private func served(_ event: NostrEvent, _ name: String) -> ReaderMachine.Event {
    .received(.event(subscription: name, event))
  }

  private func end(_ name: String) -> ReaderMachine.Event { .received(.endOfStored(subscription: name)) }

  private func closed(_ name: String, _ text: String) -> ReaderMachine.Event {
    .received(.closed(subscription: name, text: text))
  }

  @Test func manyPostsAreReadInOneRequest() {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    #expect(machine.handle(.submitted(makeDelivery(.verify, 1))).contains(.dial))
    for post in posts(2...70) { #expect(machine.handle(.submitted(post)).isEmpty) }
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(texts(opened) == [request("bp1", Array(1...64))])
    #expect(opened.contains(.setTimer(.answerPosts, after: NostrLimits().readTimeout)))
    for post in 1...64 as ClosedRange<Int64> {
      #expect(words(machine.handle(served(makePost(post), "bp1"))) == [DeliveryWord(post, .verified(edition: 1))])
    }
    #expect(words(machine.handle(served(makePost(1), "bp1"))).isEmpty, "once is enough")
    // The rest waits for company, and then goes.
    let ended = machine.handle(end("bp1"))
    #expect(texts(ended) == [ClientMessage.close("bp1")] && ended.contains(.setTimer(.gatherPosts, after: .milliseconds(50))))
    #expect(texts(machine.handle(.submitted(makeDelivery(.verify, 71)))).isEmpty)
    #expect(texts(machine.handle(.timerFired(.gatherPosts))) == [request("bp2", Array(65...71))])
    #expect(machine.handle(end("bp1")).isEmpty, "that one is over")
  }

  @Test func lonePostDoesNotWait() {
    var machine = machine(posts(1...1))
    _ = machine.handle(served(makePost(1), "bp1"))
    #expect(texts(machine.handle(end("bp1"))) == [ClientMessage.close("bp1")])
    #expect(texts(machine.handle(.submitted(makeDelivery(.verify, 2)))) == [request("bp2", [2])])
  }

  /// Large posts would come in larger numbers of frames than a relay gets credit for.
  @Test func requestAsksForSoManyBytesOnly() {
    let text = String(repeating: "x", count: 100_000)
    let items = (1...7).map { makeDelivery(.verify, $0, text: text) }
    #expect(PostReader.batchBytesMax == 524_288)
    var machine = machine(items)
    let ids = items.compactMap { $0.delivery?.document.networkID }
    // Five were asked for; none of them comes, so each is asked for alone, and then the rest.
    var asked: [String] = []
    for number in 1...6 { asked += texts(machine.handle(end("bp\(number)"))).filter { $0.contains("REQ") } }
    #expect(asked.map { text in ids.filter { text.contains($0) } } == ids.prefix(5).map { [$0] })
    let rest = texts(machine.handle(.timerFired(.gatherPosts)))
    #expect(rest.map { text in ids.filter { text.contains($0) } } == [Array(ids.suffix(2))])
  }

  @Test func missingPostIsAskedForAlone() {
    var machine = machine(posts(1...3))
    _ = machine.handle(served(makePost(2), "bp1"))
    let ended = machine.handle(end("bp1"))
    #expect(words(ended).isEmpty && texts(ended) == [ClientMessage.close("bp1"), request("bp2", [1])])
    #expect(words(machine.handle(served(makePost(1), "bp2"))) == [DeliveryWord(1, .verified(edition: 1))])
    #expect(texts(machine.handle(end("bp2"))) == [ClientMessage.close("bp2"), request("bp3", [3])])
    #expect(words(machine.handle(end("bp3"))) == [DeliveryWord(3, .missing)])
  }

  @Test func postThatIsAskedForTwiceIsFoundTwice() {
    var machine = machine([makeDelivery(.verify, 1), makeDelivery(.verify, 1, number: 2)])
    #expect(
      words(machine.handle(served(makePost(1), "bp1"))) == [
        DeliveryWord(1, .verified(edition: 1)), DeliveryWord(1, .verified(edition: 1), number: 2),
      ])
    var other = self.machine([makeDelivery(.verify, 1), makeDelivery(.verify, 1, number: 2)])
    #expect(
      words(other.handle(end("bp1"))) == [DeliveryWord(1, .missing), DeliveryWord(1, .missing, number: 2)],
      "it was the only one that was asked for")
  }

  @Test func onlyThePostThatWasSignedCounts() {
    let good = makePost(1)
    let other = makePost(2)
    var machine = machine(posts(1...1))
    #expect(machine.handle(served(good, "b1")).isEmpty, "under another name")
    #expect(machine.handle(served(other, "bp1")).isEmpty, "another post")
    let forged = [
      NostrEvent(
        id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: 42, tags: good.tags, content: "x",
        signature: good.signature),
      NostrEvent(
        id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: 42, tags: good.tags, content: good.content,
        signature: other.signature),
    ]
    for event in forged {
      machine = self.machine(posts(1...1))
      guard case .refused(let trouble)? = words(machine.handle(served(event, "bp1"))).first?.outcome else {
        return #expect(Bool(false))
      }
      #expect(trouble.cause == .wrongIdentity)
      #expect(words(machine.handle(end("bp1"))).isEmpty)
    }
    // Another signature of the author over the same bytes is as good.
    guard
      let again = NostrEvent(
        signedBy: sessionKey, createdAt: good.createdAt, kind: 42, tags: good.tags, content: good.content,
        auxiliary: [UInt8](repeating: 9, count: 32))
    else { return #expect(Bool(false)) }
    #expect(again.id == good.id && again.signature != good.signature)
    machine = self.machine(posts(1...1))
    #expect(words(machine.handle(served(again, "bp1"))) == [DeliveryWord(1, .verified(edition: 1))])
  }

  @Test func relayMayRefuseRequests() {
    var machine = machine(posts(1...2))
    let demand = "auth-required: members only"
    let refusal = DeliveryOutcome.refused(Trouble(.authRequired, demand))
    #expect(words(machine.handle(closed("bp1", demand))) == [DeliveryWord(1, refusal), DeliveryWord(2, refusal)])

    machine = self.machine(posts(1...2))
    let busy = DeliveryOutcome.troubled(Trouble(.rateLimited, "rate-limited: slow"), retryAfter: .seconds(30))
    #expect(words(machine.handle(closed("bp1", "rate-limited: slow"))) == [DeliveryWord(1, busy), DeliveryWord(2, busy)])
    _ = machine.handle(.submitted(makeDelivery(.verify, 3)))
    _ = machine.handle(.timerFired(.gatherPosts))
    #expect(
      words(machine.handle(closed("bp2", "error: full")))
        == [DeliveryWord(3, .troubled(Trouble(.storage, "error: full"), retryAfter: .seconds(5)))])

    // A request for several may be too large for it.
    machine = self.machine(posts(1...2))
    let refused = machine.handle(closed("bp1", "invalid: too many ids"))
    #expect(words(refused).isEmpty && texts(refused) == [request("bp2", [1])])
    let alone = machine.handle(closed("bp2", "blocked: no"))
    #expect(words(alone) == [DeliveryWord(1, .refused(Trouble(.rejected, "blocked: no")))])
    #expect(texts(alone) == [request("bp3", [2])])
    #expect(
      words(machine.handle(closed("bp3", "")))
        == [DeliveryWord(2, .troubled(Trouble(.rejected, "the relay ended the request"), retryAfter: .seconds(30)))])
  }

  @Test func wordsAboutSizesDoNotEndADelivery() {
    var machine = machine(posts(1...1))
    let text = "invalid: filter too large"
    #expect(words(machine.handle(closed("bp1", text))) == [DeliveryWord(1, .refused(Trouble(.rejected, text)))])
  }

  // MARK: - Silence

  /// It may say nothing to a request that is too long for it.
  @Test func postsThatWereAskedForTogetherInVainAreAskedForAlone() {
    var machine = machine(posts(1...4))
    let silent = machine.handle(.timerFired(.answerPosts))
    #expect(words(silent).isEmpty && texts(silent) == [ClientMessage.close("bp1"), request("bp2", [1])])
    for number in 1...4 {
      #expect(
        words(machine.handle(served(makePost(Int64(number)), "bp\(number + 1)"))).map(\.outcome) == [.verified(edition: 1)])
      #expect(!machine.handle(end("bp\(number + 1)")).contains(.hangUp))
    }
    // From then on there are half as many in each.
    for number in 5...8 { _ = machine.handle(.submitted(makeDelivery(.verify, Int64(number)))) }
    for number in 5...6 { _ = machine.handle(served(makePost(Int64(number)), "bp6")) }
    #expect(texts(machine.handle(end("bp6"))) == [ClientMessage.close("bp6"), request("bp7", [7, 8])])
  }

  @Test func twoRequestsWithoutAnAnswerEndTheConnection() {
    var machine = machine(posts(1...1))
    let first = machine.handle(.timerFired(.answerPosts))
    guard case .troubled(let trouble, nil)? = words(first).first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout && !first.contains(.hangUp))
    #expect(texts(first) == [ClientMessage.close("bp1")])
    _ = machine.handle(.submitted(makeDelivery(.verify, 2)))
    let second = machine.handle(.timerFired(.answerPosts))
    #expect(words(second).map(\.post) == [2] && second.contains(.hangUp))
  }

  @Test func connectionIsNotJudgedTwice() {
    let channel = makeOperation(.verify)
    var machine = machine([channel] + posts(1...1))
    // Both were under way and got no answer: that is one silence.
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp))
    #expect(!machine.handle(.timerFired(.answerPosts)).contains(.hangUp))
    _ = machine.handle(.submitted(channel))
    _ = machine.handle(.submitted(makeDelivery(.verify, 2)))
    let left = machine.handle(.timerFired(.answer))
    #expect(left.contains(.hangUp) && outcomes(left).count == 1)
    #expect(words(left).map(\.post) == [2], "its connection is gone")
    #expect(machine.handle(.timerFired(.answerPosts)).isEmpty)
  }

  @Test func relayThatAnswersAboutChannelsIsNotLeft() {
    let channel = makeOperation(.verify)
    var machine = machine(posts(1...1))
    _ = machine.handle(.timerFired(.answerPosts))
    _ = machine.handle(.submitted(channel))
    #expect(outcomes(machine.handle(end("b1"))) == [.missing])
    _ = machine.handle(.submitted(makeDelivery(.verify, 2)))
    #expect(!machine.handle(.timerFired(.answerPosts)).contains(.hangUp))
    _ = machine.handle(.submitted(channel))
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp))
    _ = machine.handle(.submitted(makeDelivery(.verify, 3)))
    #expect(words(machine.handle(end("bp3"))) == [DeliveryWord(3, .missing)])
    _ = machine.handle(.submitted(channel))
    #expect(!machine.handle(.timerFired(.answer)).contains(.hangUp))
  }

  // MARK: - Connections

  @Test func channelsAndPostsDoNotWaitForEachOther() {
    let channel = makeOperation(.verify)
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makeDelivery(.verify, 1)))
    _ = machine.handle(.submitted(channel))
    #expect(
      texts(machine.handle(.opened(roundTrip: .zero))) == [
        ClientMessage.request("b1", [["ids": [.string(channel.eventID)]]]), request("bp1", [1]),
      ])
    let found = machine.handle(end("bp1"))
    #expect(words(found) == [DeliveryWord(1, .missing)])
    #expect(!found.contains(.setTimer(.idle, after: NostrLimits().idleTimeout)), "the channel is still asked for")
    #expect(outcomes(machine.handle(end("b1"))) == [.missing])
  }

  @Test func connectionRestsOnceThePostsAreRead() {
    var machine = machine(posts(1...1))
    #expect(machine.handle(.timerFired(.idle)).isEmpty)
    #expect(machine.handle(end("bp1")).contains(.setTimer(.idle, after: NostrLimits().idleTimeout)))
    #expect(machine.handle(.timerFired(.idle)) == [.hangUp])
  }

  @Test func whatWaitsIsReadOverTheNextConnection() {
    var machine = machine(posts(1...1))
    _ = machine.handle(.submitted(makeDelivery(.verify, 2)))
    let lost = words(machine.handle(.closed(code: 1006, reason: "")))
    guard lost.map(\.post) == [1], case .troubled(let trouble, nil)? = lost.first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .unreachable)
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
    #expect(texts(machine.handle(.opened(roundTrip: .zero))) == [request("bp2", [2])])
  }

  @Test func failedDialAndFloodEndEverything() {
    let failure = DialFailure.unreachable("refused")
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for post in posts(1...2) { _ = machine.handle(.submitted(post)) }
    let failed = DeliveryOutcome.troubled(failure.trouble, retryAfter: nil)
    #expect(words(machine.handle(.dialFailed(failure))) == [DeliveryWord(1, failed), DeliveryWord(2, failed)])

    machine = self.machine(posts(1...1))
    _ = machine.handle(.submitted(makeDelivery(.verify, 2)))
    let flooded = DeliveryOutcome.troubled(Trouble(.misbehaving, "too much"), retryAfter: .seconds(60))
    let actions = machine.handle(.flooded("too much"))
    #expect(words(actions) == [DeliveryWord(1, flooded), DeliveryWord(2, flooded)] && actions.contains(.hangUp))
    let item = makeDelivery(.verify, 3)
    #expect(machine.handle(.submitted(item)) == [.postpone(item, Trouble(.misbehaving, "too much"))])
  }

  @Test func relayThatBreaksTheProtocolIsRefused() {
    var machine = machine(posts(1...1))
    #expect(words(machine.handle(.violated("binary"))) == [DeliveryWord(1, .refused(Trouble(.protocol, "binary")))])
  }

  /// What NIP-67 adds to the end changes nothing.
  @Test func endMayHaveThreeElements() throws {
    var machine = machine(posts(1...1))
    let message = try #require(RelayMessage(Array("[\"EOSE\",\"bp1\",[\"finish\"]]".utf8)))
    #expect(words(machine.handle(.received(message))) == [DeliveryWord(1, .missing)])
  }
}
