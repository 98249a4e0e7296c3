import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Posts of a group on their way to its relay: each is dated when its turn comes, is named before it leaves, and leaves only while it is
/// fresh.
struct GroupPublisherTests {
  private func machine(_ items: [SessionOperation]) -> PublisherMachine {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    return machine
  }

  /// A machine with a post that was dated at 1,000 and may leave.
  private func released() -> PublisherMachine {
    var machine = machine([makeGroupDelivery(.publish, 1)])
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(dated(1, at: 1_000))
    _ = machine.handle(release(1))
    return machine
  }

  private func trouble(_ actions: [PublisherMachine.Action]) -> Trouble? {
    guard case .troubled(let trouble, _)? = words(actions).first?.outcome else { return nil }
    return trouble
  }

  @Test func eventIsNamedBeforeThePostMayLeaveAndThenSent() {
    var machine = machine([makeGroupDelivery(.publish, 1)])
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(undated(opened) == [1] && words(opened).isEmpty && sends(opened) == 0)
    #expect(machine.handle(release(1)).isEmpty, "it was not asked yet")
    #expect(machine.handle(dated(1, at: 1, number: 2)).isEmpty && machine.handle(dated(2, at: 1)).isEmpty)
    let asked = machine.handle(dated(1, at: 1_000))
    #expect(words(asked) == [DeliveryWord(1, .handedOver)] && sends(asked) == 0)
    #expect(forms(asked) == [makeGroupPost(1, datedAt: 1_000)])
    #expect(machine.handle(dated(1, at: 1_001)).isEmpty, "once")

    let event = makeGroupEvent(1, at: 1_000)
    let leaving = machine.handle(release(1))
    #expect(toSign(leaving) == [DatedEvent(makeGroupPost(1).post, createdAt: 1_000)] && sends(leaving) == 0)
    #expect(leaving.contains(.setTimer(.answer, after: NostrLimits().publishTimeout)))
    #expect(machine.handle(signed(event, at: 1_030)) == [.send(message(event))])
    let taken = machine.handle(ok(event))
    #expect(words(taken) == [DeliveryWord(1, .accepted)] && forms(taken).isEmpty)
  }

  @Test func anotherAttemptIsAnotherEvent() {
    let before = makeGroupPost(1, datedAt: 1_000)
    var machine = machine([makeGroupDelivery(.publish, 1, number: 3, before)])
    _ = machine.handle(.opened(roundTrip: .zero))
    #expect(forms(machine.handle(dated(1, at: 1_090, number: 3))) == [makeGroupPost(1, datedAt: 1_000, 1_090)])
  }

  /// Posts of one second are in order for readers, within what relays of groups take as fresh.
  @Test(
    arguments: [
      (60, [1_000, 1_000, 1_000, 1_005, 1_005, 900], [1_000, 1_001, 1_002, 1_005, 1_006, 900]),
      (1, [1_000, 1_000, 1_000], [1_000, 1_001, 1_001]), (0, [1_000, 1_000], [1_000, 1_000]),
    ] as [(Int64, [Int64], [Int64])])
  func eventIsDatedAfterTheOneBefore(_ ahead: Int64, _ times: [Int64], _ expected: [Int64]) {
    var machine = machine([])
    var dates: [Int64] = []
    for (index, time) in times.enumerated() {
      let post = Int64(index + 1)
      var asked = machine.handle(.submitted(makeGroupDelivery(.publish, post)))
      if index == 0 { asked = machine.handle(.opened(roundTrip: .zero)) }
      #expect(undated(asked) == [post])
      dates += forms(machine.handle(dated(post, at: time, ahead: ahead))).flatMap { $0.attempts.map(\.createdAt) }
      _ = machine.handle(release(post, false))
    }
    #expect(dates == expected)
  }

  /// The commit took long, or the post waited behind others, or someone set the clock.
  @Test(arguments: [1_031, 2_000, 969, .max, .min] as [Int64])
  func postWhoseDateIsNotFreshDoesNotLeave(_ time: Int64) {
    var machine = released()
    let stale = machine.handle(signed(makeGroupEvent(1, at: 1_000), at: time))
    #expect(sends(stale) == 0 && trouble(stale)?.cause == .timeout)
    // The next one has its turn.
    #expect(undated(machine.handle(.submitted(makeGroupDelivery(.publish, 2)))) == [2])
  }

  @Test func postThatCannotBeSignedIsRefused() {
    var machine = released()
    let actions = machine.handle(.signed(id: makeGroupEvent(1, at: 1_000).id, text: nil, at: 1_000))
    guard case .refused(let refusal)? = words(actions).first?.outcome else { return #expect(Bool(false)) }
    #expect(sends(actions) == 0 && refusal.cause == .authRequired)
  }

  @Test func postThatMayNotLeaveIsNeverSigned() {
    var machine = machine([makeGroupDelivery(.publish, 1)])
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(dated(1, at: 1_000))
    let dropped = machine.handle(release(1, false))
    #expect(toSign(dropped).isEmpty && words(dropped).isEmpty)
    #expect(toSign(machine.handle(release(1))).isEmpty)
    #expect(machine.handle(signed(makeGroupEvent(1, at: 1_000), at: 1_000)).isEmpty)
  }

  @Test func eventIsTheSameAfterAuthentication() {
    var machine = released()
    let event = makeGroupEvent(1, at: 1_000)
    _ = machine.handle(signed(event, at: 1_000))
    _ = machine.handle(.received(.challenge("c")))
    _ = machine.handle(ok(event, "auth-required: who?", accepted: false))
    _ = machine.handle(.authenticationSent(id: "auth"))
    let again = machine.handle(.received(.ok(id: "auth", accepted: true, text: "")))
    #expect(toSign(again).map(\.id) == [event.id])
    #expect(texts(machine.handle(signed(event, at: 1_002))) == [message(event)])
    #expect(words(machine.handle(ok(event))) == [DeliveryWord(1, .accepted)])
  }

  /// Signs whatever is to be signed, one event after the other.
  /// - Returns: the actions, with those that followed.
  private func sign(_ actions: [PublisherMachine.Action], _ machine: inout PublisherMachine) -> [PublisherMachine.Action] {
    toSign(actions).reduce(actions) { all, event in
      all + sign(machine.handle(.signed(id: event.id, text: "{}", at: event.createdAt)), &machine)
    }
  }

  /// An event that is being signed is not overtaken by those behind it, which need no signature any more.
  @Test func eventsLeaveInOrder() {
    var machine = released()
    _ = machine.handle(.submitted(makeDelivery(.publish, 2)))
    #expect(sends(machine.handle(release(2))) == 0)
    let event = makeGroupEvent(1, at: 1_000)
    #expect(texts(machine.handle(signed(event, at: 1_000))).first == message(event))
  }

  /// What was being signed when the connection was lost holds nothing up on the next one.
  @Test func signatureThatNeverComesHoldsNothingUp() {
    var machine = released()
    #expect(trouble(machine.handle(.closed(code: 1006, reason: "")))?.cause == .unreachable)
    _ = machine.handle(.timerFired(.reconnect))
    _ = machine.handle(.submitted(makeDelivery(.publish, 2)))
    #expect(turns(machine.handle(.opened(roundTrip: .zero))) == [2])
    #expect(texts(machine.handle(release(2))) == [message(makePost(2))])
    #expect(machine.handle(signed(makeGroupEvent(1, at: 1_000), at: 1_000)).isEmpty, "it is too late")
  }

  /// What may be at the relay is sent as the same event or not at all.
  @Test func eventThatWasSentIsSentAgainOnlyWhileItIsFresh() {
    var machine = machine((1...4).map { makeGroupDelivery(.publish, $0) })
    var actions = machine.handle(.opened(roundTrip: .zero))
    var asked: Set<Int64> = []
    func letGo() {
      for post in undated(actions) where asked.insert(post).inserted {
        _ = machine.handle(dated(post, at: 1_000))
        actions += sign(machine.handle(release(post)), &machine)
      }
    }
    for _ in 0..<4 { letGo() }
    actions = sign(machine.handle(ok(makeGroupEvent(1, at: 1_000))), &machine)
    for _ in 0..<4 { letGo() }
    // Two are under way when the connection is lost.
    #expect(asked.isSuperset(of: [1, 2, 3]))
    _ = machine.handle(.closed(code: 1006, reason: ""))
    _ = machine.handle(.timerFired(.reconnect))
    let again = machine.handle(.opened(roundTrip: .zero))
    #expect(toSign(again).map(\.id) == [makeGroupEvent(2, at: 1_000).id] && undated(again).filter { $0 < 4 }.isEmpty)
    let late = machine.handle(signed(makeGroupEvent(2, at: 1_000), at: 1_031))
    #expect(trouble(late)?.cause == .timeout && words(late).first?.post == 2)
  }

  /// A date that is drawn a minute before the turn of its post is stale by then, and so is that of the next one.
  @Test func postIsDatedOnlyOnceItMayLeaveSoon() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.opened(roundTrip: .zero))
    for post in 1...10 as ClosedRange<Int64> {
      _ = machine.handle(.submitted(makeDelivery(.publish, post)))
      _ = machine.handle(release(post))
      _ = machine.handle(.timerFired(.pace))
      _ = machine.handle(ok(makePost(post), "rate-limited: slow", accepted: false))
    }
    // One every 51.2 s by now.
    #expect(undated(machine.handle(.submitted(makeGroupDelivery(.publish, 11)))).isEmpty)
    #expect(undated(machine.handle(.timerFired(.pace))) == [11])
    _ = machine.handle(dated(11, at: 1_000))
    #expect(toSign(machine.handle(release(11))).map(\.id) == [makeGroupEvent(11, at: 1_000).id])
  }

  @Test func severalAreUnderWayTogether() {
    var machine = machine((1...6).map { makeGroupDelivery(.publish, $0) })
    var open = undated(machine.handle(.opened(roundTrip: .zero)))
    var underWay: [Int64] = []
    for _ in 1...3 {
      for post in open {
        _ = machine.handle(dated(post, at: 1_000))
        let actions = sign(machine.handle(release(post)), &machine)
        underWay += toSign(actions).compactMap { Int64($0.post.content.dropFirst(5)) }
      }
      guard let first = underWay.first else { break }
      underWay.removeFirst()
      let actions = sign(machine.handle(ok(makeGroupEvent(first, at: 1_000))), &machine)
      open = undated(actions)
      underWay += toSign(actions).compactMap { Int64($0.post.content.dropFirst(5)) }
    }
    #expect(underWay.count > 1)
  }

  /// Each attempt has a date of its own, so none is too old for good.
  @Test(arguments: ["blocked: event too old", "invalid: created_at too early"])
  func refusedDateIsAMatterOfClocks(_ refusal: String) {
    var machine = released()
    let actions = machine.handle(ok(makeGroupEvent(1, at: 1_000), refusal, accepted: false))
    #expect(trouble(actions)?.cause == .rejected && trouble(actions)?.detail.contains("clock") == true)
    #expect(trouble(actions)?.detail.hasSuffix(refusal) == true)
  }

  @Test func sizeIsAsGoodAReasonAsInChannels() {
    var machine = released()
    let actions = machine.handle(ok(makeGroupEvent(1, at: 1_000), "invalid: event too large", accepted: false))
    guard case .skipped(let trouble)? = words(actions).first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .tooLarge)
  }

  // MARK: - New groups

  private func makeInvitation() -> SessionOperation {
    let operation = RelayOperation(
      task: .invite, channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r", number: 1,
      content: sessionGroup)
    let metadata = RelayGroup.Metadata(name: "Club", about: "", picture: "")
    return SessionOperation(
      operation: operation, events: [RelayGroup.creation(of: "g"), RelayGroup.edition(of: "g", metadata)])
  }

  /// The outcome of an invitation whose events get these answers.
  private func invite(
    _ machine: inout PublisherMachine, _ answers: (isTaken: Bool, text: String)...
  ) -> RelayOutcome? {
    var actions = machine.handle(.submitted(makeInvitation()))
    if actions.contains(.dial) { actions = machine.handle(.opened(roundTrip: .zero)) }
    for (number, (isTaken, text)) in answers.enumerated() {
      _ = machine.handle(.published(id: "e\(number)"))
      actions = machine.handle(answer("e\(number)", isTaken, text))
    }
    return outcomes(actions).last
  }

  /// A relay takes a group before it lets anyone change it, whatever it says until then.
  @Test(arguments: ["restricted: you are not an admin", "blocked: group 'g' doesn't exist", "you are not an admin"])
  func relayNeedsAMomentForANewGroup(_ refusal: String) {
    var machine = machine([])
    var answers = (creation: (true, ""), again: (false, "duplicate: group already exists"))
    for seconds in [1, 2, 4, 8, 16] {
      guard case .troubled(let trouble, let wait)? = invite(&machine, answers.creation, (false, refusal)) else {
        Issue.record("a refusal after \(seconds) s is no verdict")
        return
      }
      #expect(wait == .seconds(seconds) && trouble.cause == .rejected && trouble.detail.hasSuffix(refusal))
      #expect(!trouble.detail.contains("already"), "the group is ours")
      answers.creation = answers.again
      // Some relays refuse to create what is there.
      answers.again = (false, "blocked: no such group can be created")
    }
    #expect(invite(&machine, answers.creation, (true, "")) == .accepted(link: "ws://r"))
  }

  @Test func relayThatNeverLetsItsCreatorChangeTheGroupRefusesIt() {
    var machine = machine([])
    let refusal = (false, "restricted: you are not an admin")
    _ = invite(&machine, (true, ""), refusal)
    for _ in 2...5 { _ = invite(&machine, (false, "duplicate: it exists"), refusal) }
    let words = "the relay took the group, and does not let this identity edit it: \(refusal.1)"
    #expect(invite(&machine, (false, "duplicate: it exists"), refusal) == .refused(Trouble(.rejected, words)))
    // It may be asked again later, and needs a moment then, too.
    guard case .troubled(_, .seconds(1))? = invite(&machine, (true, ""), refusal) else {
      Issue.record("a refusal is no verdict at once")
      return
    }
  }

  /// The answer to the first request may have been lost, or someone else has the group.
  @Test func groupThatWasThereMayBeOurs() {
    var machine = machine([])
    let answers = ((false, "duplicate: it exists"), (false, "restricted: you are not an admin"))
    for seconds in [1, 2, 4, 8, 16] {
      guard case .troubled(_, let wait)? = invite(&machine, answers.0, answers.1), wait == .seconds(seconds) else {
        Issue.record("a refusal after \(seconds) s is no verdict")
        return
      }
    }
    guard case .refused(let trouble)? = invite(&machine, answers.0, answers.1) else {
      Issue.record("the relay must refuse")
      return
    }
    #expect(trouble.detail.contains("from an earlier attempt or of someone else"))
    // Whether another group may be created is no question of time.
    guard case .refused? = invite(&machine, (false, "restricted: no more groups")) else {
      Issue.record("the relay must refuse")
      return
    }
  }

  // MARK: - Deletions

  /// A machine that has sent the first request to delete a post.
  private func deleting() -> PublisherMachine {
    var machine = machine([makeGroupDelivery(.withdraw, 1, makeGroupPost(1, datedAt: 1_000))])
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(drafts(opened) == [5] && opened.contains(.setTimer(.answer, after: NostrLimits().extraTimeout)))
    _ = machine.handle(.published(id: "own"))
    return machine
  }

  private func answer(_ id: String, _ accepted: Bool, _ text: String = "") -> PublisherMachine.Event {
    .received(.ok(id: id, accepted: accepted, text: text))
  }

  @Test(arguments: [
    (true, ""), (false, "blocked: no kind 5"), (false, "no"), (false, "error: later"), (false, "invalid: kind"),
  ])
  func adminAsksInAnyCase(_ isTaken: Bool, _ text: String) {
    var machine = deleting()
    let next = machine.handle(answer("own", isTaken, text))
    #expect(drafts(next) == [9_005] && words(next).isEmpty)
    _ = machine.handle(.published(id: "admin"))
    #expect(words(machine.handle(answer("admin", true))) == [DeliveryWord(1, .withdrawn)])
  }

  @Test func oneOfBothIsEnough() {
    for text in ["blocked: no such event", "what is that?"] {
      var machine = deleting()
      _ = machine.handle(answer("own", true))
      _ = machine.handle(.published(id: "admin"))
      #expect(words(machine.handle(answer("admin", false, text))) == [DeliveryWord(1, .withdrawn)])
    }
  }

  @Test func refusalOfBothIsARefusal() {
    var machine = deleting()
    _ = machine.handle(answer("own", false, "blocked: no kind 5"))
    _ = machine.handle(.published(id: "admin"))
    let refused = machine.handle(answer("admin", false, "restricted: insufficient permissions"))
    #expect(words(refused) == [DeliveryWord(1, .refused(Trouble(.rejected, "restricted: insufficient permissions")))])
  }

  @Test func silenceToTheFirstDoesNotKeepTheSecondBack() {
    var machine = deleting()
    let next = machine.handle(.timerFired(.answer))
    #expect(drafts(next) == [9_005] && words(next).isEmpty)
    _ = machine.handle(.published(id: "admin"))
    #expect(machine.handle(answer("own", true)).isEmpty, "that is known no more")
    #expect(words(machine.handle(answer("admin", true))) == [DeliveryWord(1, .withdrawn)])
  }

  @Test func troubleWithTheSecondIsTrouble() {
    for isTaken in [true, false] {
      var machine = deleting()
      _ = machine.handle(answer("own", isTaken, isTaken ? "" : "blocked: no"))
      _ = machine.handle(.published(id: "admin"))
      #expect(trouble(machine.handle(answer("admin", false, "rate-limited: slow down")))?.cause == .rateLimited)
    }
    var machine = deleting()
    _ = machine.handle(answer("own", true))
    _ = machine.handle(.published(id: "admin"))
    #expect(trouble(machine.handle(.closed(code: 1006, reason: "")))?.cause == .unreachable)
  }
}
