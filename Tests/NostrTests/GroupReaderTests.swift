import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Posts of a group are read back by the ids of all attempts.
struct GroupReaderTests {
  private func machine(_ items: SessionOperation...) -> (ReaderMachine, [ReaderMachine.Action]) {
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    let actions = machine.handle(.opened(roundTrip: .zero))
    return (machine, actions)
  }

  private func request(_ name: String, _ ids: [String]) -> String {
    ClientMessage.request(name, [["ids": .array(ids.map(JSONValue.string))]])
  }

  private func served(_ event: NostrEvent, _ name: String = "bp1") -> ReaderMachine.Event {
    .received(.event(subscription: name, event))
  }

  private func end(_ name: String = "bp1") -> ReaderMachine.Event { .received(.endOfStored(subscription: name)) }

  private func forged(_ event: NostrEvent) -> NostrEvent {
    NostrEvent(
      id: event.id, publicKey: event.publicKey, createdAt: event.createdAt, kind: event.kind, tags: event.tags,
      content: "other words", signature: event.signature)
  }

  private let three = makeGroupPost(1, datedAt: 100, 107, 109)

  @Test func newestAttemptIsThePost() {
    var (machine, actions) = machine(makeGroupDelivery(.verify, 1, three))
    #expect(texts(actions) == [request("bp1", three.attempts.map(\.id))])
    #expect(words(machine.handle(served(makeGroupEvent(1, at: 107)))).isEmpty, "a later one may follow")
    let found = machine.handle(served(makeGroupEvent(1, at: 109)))
    #expect(words(found) == [DeliveryWord(1, .verified(edition: 1))])
    #expect(forms(found) == [three.found(three.attempts[2].id)])
    #expect(words(machine.handle(end())).isEmpty)
  }

  @Test func earlierAttemptIsThePostIfThereIsNoLater() {
    var (machine, _) = machine(makeGroupDelivery(.verify, 1, three))
    _ = machine.handle(served(makeGroupEvent(1, at: 107)))
    _ = machine.handle(served(makeGroupEvent(1, at: 100)))
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .verified(edition: 1))])
    #expect(forms(ended) == [three.found(three.attempts[1].id)])
  }

  @Test func postIsMissingOnlyIfNoAttemptIsThere() {
    var (machine, _) = machine(makeGroupDelivery(.verify, 1, three))
    #expect(machine.handle(served(makeGroupEvent(2, at: 109))).isEmpty, "no one asked for that")
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .missing)] && forms(ended).isEmpty)
  }

  @Test func forgeryCountsOnlyIfNothingElseIsThere() {
    for isThere in [true, false] {
      var (machine, _) = machine(makeGroupDelivery(.verify, 1, three))
      #expect(words(machine.handle(served(forged(makeGroupEvent(1, at: 109))))).isEmpty)
      if isThere { _ = machine.handle(served(makeGroupEvent(1, at: 100))) }
      let ended = machine.handle(end())
      switch words(ended).first?.outcome {
      case .verified: #expect(isThere && forms(ended) == [three.found(three.attempts[0].id)])
      case .refused(let trouble): #expect(!isThere && trouble.cause == .wrongIdentity)
      case let other: #expect(Bool(false), "\(String(describing: other))")
      }
    }
  }

  @Test func whatWasFoundCountsThoughTheRelayGoesSilent() {
    var (machine, _) = machine(makeGroupDelivery(.verify, 1, three))
    _ = machine.handle(served(makeGroupEvent(1, at: 100)))
    #expect(words(machine.handle(.timerFired(.answerPosts))) == [DeliveryWord(1, .verified(edition: 1))])
  }

  /// A relay may take one id: its refusal of three, or its silence, says nothing about the post.
  @Test(arguments: ["invalid: too many ids", nil]) func attemptsAreAskedForOneByOneBeforeAnythingCounts(_ refusal: String?) {
    let ids = three.attempts.map(\.id)
    let refused: ReaderMachine.Event =
      refusal.map { .received(.closed(subscription: "bp1", text: $0)) } ?? .timerFired(.answerPosts)
    for isThere in [true, false] {
      var (machine, _) = machine(makeGroupDelivery(.verify, 1, three))
      let first = machine.handle(refused)
      #expect(words(first).isEmpty && texts(first).last == request("bp2", [ids[2]]), "the latest comes first")
      #expect(texts(machine.handle(end("bp2"))).last == request("bp3", [ids[1]]))
      if isThere { _ = machine.handle(served(makeGroupEvent(1, at: 107), "bp3")) }
      let second = machine.handle(end("bp3"))
      guard !isThere else {
        #expect(words(second) == [DeliveryWord(1, .verified(edition: 1))] && forms(second) == [three.found(ids[1])])
        continue
      }
      #expect(words(second).isEmpty && texts(second).last == request("bp4", [ids[0]]))
      #expect(words(machine.handle(end("bp4"))) == [DeliveryWord(1, .missing)])
    }
  }

  @Test func whatARequestForSeveralDidNotBringIsAskedForAlone() {
    let two = makeGroupPost(2, datedAt: 200, 201)
    var (machine, actions) = machine(makeGroupDelivery(.verify, 1, three), makeGroupDelivery(.verify, 2, two))
    #expect(texts(actions) == [request("bp1", (three.attempts + two.attempts).map(\.id))])
    _ = machine.handle(served(makeGroupEvent(1, at: 107)))
    let ended = machine.handle(end())
    #expect(words(ended) == [DeliveryWord(1, .verified(edition: 1))])
    #expect(texts(ended) == [ClientMessage.close("bp1"), request("bp2", two.attempts.map(\.id))])
    #expect(words(machine.handle(end("bp2"))) == [DeliveryWord(2, .missing)])
  }

  @Test func requestAsksForSoManyIDsOnly() {
    let posts = (1...5 as ClosedRange<Int64>).map { number in
      (number, (1...20 as ClosedRange<Int64>).reduce(makeGroupPost(number)) { $0.dated(at: $1).post })
    }
    var machine = ReaderMachine(relay: RelayID(rawValue: 1), limits: NostrLimits(), salt: 1)
    for (number, post) in posts { _ = machine.handle(.submitted(makeGroupDelivery(.verify, number, post))) }
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(texts(opened) == [request("bp1", posts.prefix(3).flatMap { $0.1.attempts.map(\.id) })])
  }

  @Test func comparisonAsksForTheGroupsPostsByItsOwner() {
    let comparison = PostComparison(
      channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r", number: 1, content: sessionGroup,
      depth: .all)
    let question = HistoryQuestion(comparison: comparison, until: 9_000, author: sessionKey.publicKey)
    #expect(question.filter == HistoryFilter(authors: [sessionKey.publicKey], kinds: [9], tags: ["h": ["club"]]))
    #expect(question.filter.matches(makeGroupEvent(1, at: 100)) && !question.filter.matches(makePost(1)))
    let reaction = NostrEvent(signedBy: sessionKey, createdAt: 100, kind: 7, tags: [["h", "club"]], content: "+")
    #expect(reaction.map(question.filter.matches) == false, "reactions are not compared")
  }

  // MARK: - Forgotten posts

  @Test func forgottenPostIsFoundByTheNamesThatStay() {
    for (date, isLatest) in [(109, true), (100, false)] as [(Int64, Bool)] {
      var (machine, actions) = machine(makeForgottenDelivery(.verify, 1, GroupRemnant(three)))
      #expect(texts(actions) == [request("bp1", three.attempts.map(\.id))])
      let answer = machine.handle(served(makeGroupEvent(1, at: date)))
      #expect(words(answer).isEmpty != isLatest)
      let all = answer + machine.handle(end())
      #expect(words(all) == [DeliveryWord(1, .verified(edition: 1))] && forms(all).isEmpty, "there is no form to take")
    }
  }

  @Test func forgottenPostIsMissingIfNoAttemptIsThere() {
    var (machine, _) = machine(makeForgottenDelivery(.verify, 1, GroupRemnant(three)))
    #expect(words(machine.handle(end())) == [DeliveryWord(1, .missing)])
  }

  /// The text cannot be compared any more, but an id is that of one text only.
  @Test func whatIsNotTheForgottenPostIsNoneWhateverItsName() throws {
    let strange = try #require(NostrEvent(signedBy: .random(), createdAt: 100, kind: 9, tags: [["h", "club"]], content: "x"))
    let ours = makeGroupEvent(1, at: 100)
    let unsigned = DatedEvent(makeGroupPost(1).post, createdAt: 100).unsigned
    func names(_ id: String, _ kind: Int) -> GroupRemnant {
      GroupRemnant(author: sessionKey.publicKey, kind: kind, attempts: [GroupPost.Attempt(id: id, createdAt: 100)])
    }
    for (event, names, isPost) in [
      (ours, names(ours.id, 9), true), (ours, names(ours.id, 7), false), (strange, names(strange.id, 9), false),
      (forged(ours), names(ours.id, 9), false), (unsigned, names(ours.id, 9), false),
    ] {
      var (machine, _) = machine(makeForgottenDelivery(.verify, 1, names))
      let actions = machine.handle(served(event)) + machine.handle(end())
      switch words(actions).first?.outcome {
      case .verified: #expect(isPost, "\(names)")
      case .refused(let trouble): #expect(!isPost && trouble.cause == .wrongIdentity, "\(names)")
      case let other: #expect(Bool(false), "\(names): \(String(describing: other))")
      }
    }
  }
}
