import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What relays say to a post.
struct PostAnswerTests {
  private func sent(_ task: DeliveryOperation.Task = .publish, keySalt: [UInt8]? = nil) -> PublisherMachine {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.submitted(makeDelivery(task, 1, keySalt: keySalt)))
    _ = machine.handle(.opened(roundTrip: .zero))
    _ = machine.handle(release(1))
    return machine
  }

  private func outcome(_ text: String, accepted: Bool = false, to task: DeliveryOperation.Task = .publish) -> DeliveryOutcome? {
    var machine = sent(task)
    let said = words(machine.handle(ok(task == .withdraw ? makeDeletion(1) : makePost(1), text, accepted: accepted)))
    #expect(said.count == 1 && said.first?.post == 1)
    return said.first?.outcome
  }

  @Test func relayTakesIt() {
    #expect(outcome("", accepted: true) == .accepted)
    #expect(outcome("duplicate: have it") == .accepted)
    #expect(outcome("", accepted: true, to: .withdraw) == .withdrawn)
  }

  @Test(arguments: ["blocked: no", "invalid: bad", "pow: 28 bits", "replaced: have newer event", "restricted: members only"])
  func relayRefusesIt(_ text: String) {
    #expect(outcome(text) == .refused(Trouble(.rejected, text)))
    #expect(outcome(text, to: .withdraw) == .refused(Trouble(.rejected, text)))
  }

  @Test(arguments: [
    ("invalid: event too large: 70000", Cause.tooLarge), ("blocked: Content is too big", .tooLarge),
    ("rejected: max message length is 65536", .tooLarge), ("invalid: maximum event size exceeded", .tooLarge),
    ("invalid: created_at too early", .tooOld), ("rejected: event is too old", .tooOld),
    ("invalid: created_at is 94608000 s in the past", .tooOld),
  ])
  func relayCannotTakeIt(_ text: String, _ cause: Cause) {
    #expect(outcome(text) == .skipped(Trouble(cause, text)))
  }

  /// What relays say of a date that is ahead, some without saying on which side it is. The event is dated 5,001.
  private static let ahead = [
    "invalid: created_at too late", "invalid: event is dated in the future (created_at)", "event too far in the future",
    "invalid: event creation date is too far off from the current time", "blocked: created_at is out of the acceptable range",
    "rejected: created_at must not be later than 3 seconds from the current time", "invalid: timestamp too far ahead",
  ]

  @Test(arguments: ahead) func dateInTheFutureIsRightLater(_ text: String) {
    var machine = sent()
    let actions = machine.handle(ok(makePost(1), text, accepted: false))
    guard case .troubled(let trouble, let wait)? = words(actions, at: 4_990).first?.outcome else {
      return #expect(Bool(false), "\(actions)")
    }
    #expect(trouble.cause == .rejected && trouble.detail.hasSuffix(text) && trouble.detail.contains("11 s ahead"))
    #expect(wait == .seconds(6), "half of its lead is over then")
    // The next one goes on.
    #expect(turns(machine.handle(.submitted(makeDelivery(.publish, 2)))) == [2])
  }

  /// By this machine's clock the date is right.
  @Test(arguments: ahead + ["blocked: event too old", "invalid: created_at too early"])
  func rightDateThatIsRefusedIsAMatterOfClocks(_ text: String) {
    var machine = sent()
    let actions = machine.handle(ok(makePost(1), text, accepted: false))
    guard case .troubled(let trouble, nil)? = words(actions, at: 5_001).first?.outcome else {
      return #expect(Bool(false), "\(actions)")
    }
    #expect(trouble.cause == .rejected && trouble.detail.contains("clock") && trouble.detail.hasSuffix(text))
  }

  /// The clock is two minutes fast: by now the event is a minute old, and at the relay it is still ahead.
  @Test func wordsThatDoNotSayBehindAreNotFinalAtOnce() throws {
    let refusal = try #require(DateRefusal("invalid: event creation date is too far off from the current time"))
    for lead in [-63, -899] as [Int64] {
      guard case .troubled(_, nil) = refusal.outcome(at: lead, isFresh: false) else { return #expect(Bool(false), "\(lead)") }
    }
    #expect(refusal.outcome(at: -900, isFresh: false) == .refused(Trouble(.rejected, refusal.text)))
    let old = try #require(DateRefusal("invalid: created_at too early"))
    #expect(old.outcome(at: -63, isFresh: false) == .refused(Trouble(.rejected, old.text)))
  }

  /// Channels and their editions are refused with the same words.
  @Test(arguments: ahead) func dateOfAChannelIsReadInTheSameWay(_ text: String) {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    let item = makeOperation(.announce)
    _ = machine.handle(.submitted(item))
    _ = machine.handle(.opened(roundTrip: .zero))
    let actions = machine.handle(.received(.ok(id: item.eventID, accepted: false, text: text)))
    guard case .troubled(_, let wait)? = outcomes(actions, at: 991).first else { return #expect(Bool(false), "\(actions)") }
    #expect(wait == .seconds(5))
    var other = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = other.handle(.submitted(item))
    _ = other.handle(.opened(roundTrip: .zero))
    let old = other.handle(.received(.ok(id: item.eventID, accepted: false, text: "invalid: created_at too early")))
    #expect(outcomes(old) == [.refused(Trouble(.rejected, "invalid: created_at too early"))], "it gets no younger")
  }

  @Test(arguments: ["restricted: created_at", "pow: 20 bits until the current time", "blocked: spam", "invalid: bad update"])
  func otherRefusalsAreNotAboutDates(_ text: String) { #expect(DateRefusal(text) == nil) }

  @Test func troublePasses() {
    #expect(
      outcome("rate-limited: slow") == .troubled(Trouble(.rateLimited, "rate-limited: slow"), retryAfter: .seconds(30)))
    #expect(outcome("error: full") == .troubled(Trouble(.storage, "error: full"), retryAfter: .seconds(5)))
    #expect(outcome("go away") == .troubled(Trouble(.rejected, "go away"), retryAfter: .seconds(60)))
    #expect(
      outcome("") == .troubled(Trouble(.rejected, "the relay refused without a reason"), retryAfter: .seconds(60)))
  }

  @Test func connectionThatEndsMayBeAboutThePost() {
    var machine = sent()
    let large = words(machine.handle(.closed(code: 1009, reason: "")))
    #expect(large == [DeliveryWord(1, .skipped(Trouble(.tooLarge, "the relay finds the event too big")))])
    machine = sent()
    guard case .refused(let trouble)? = words(machine.handle(.closed(code: 1008, reason: "no"))).first?.outcome else {
      return #expect(Bool(false))
    }
    #expect(trouble.cause == .rejected)
    machine = sent()
    #expect(words(machine.handle(.violated("binary"))) == [DeliveryWord(1, .refused(Trouble(.protocol, "binary")))])
  }

  @Test func relayThatNeverAnswersIsReadBack() throws {
    var machine = sent()
    let name = "p-" + makePost(1).id.prefix(16)
    #expect(texts(machine.handle(.timerFired(.answer))) == [ClientMessage.request(name, [["ids": [.string(makePost(1).id)]]])])
    #expect(
      words(machine.handle(.received(.event(subscription: name, makePost(1))))) == [DeliveryWord(1, .accepted)])
  }

  @Test func lateAnswerCounts() {
    var machine = sent()
    guard case .troubled(let trouble, nil)? = words(machine.timeOut()).first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout)
    #expect(words(machine.handle(ok(makePost(1)))) == [DeliveryWord(1, .accepted)])
    #expect(machine.handle(ok(makePost(1))).isEmpty)
  }

  @Test func authenticationIsDoneAsTheIdentityAndThenAsTheChannel() throws {
    let salt = [UInt8](repeating: 1, count: 32)
    let content = makeDelivery(.publish, 1, keySalt: salt).content
    var machine = sent(keySalt: salt)
    _ = machine.handle(.received(.challenge("c1")))
    let demand = ok(makePost(1), "auth-required: who?", accepted: false)
    #expect(machine.handle(demand).contains(.own(.authenticate(challenge: "c1"))))
    _ = machine.handle(.authenticationSent(id: "auth1"))
    #expect(texts(machine.handle(.received(.ok(id: "auth1", accepted: true, text: "")))) == [message(makePost(1))])
    #expect(machine.handle(demand).contains(.own(.authenticate(challenge: "c1", author: content))))
    _ = machine.handle(.authenticationSent(id: "auth2"))
    #expect(texts(machine.handle(.received(.ok(id: "auth2", accepted: true, text: "")))) == [message(makePost(1))])
    #expect(words(machine.handle(demand)) == [DeliveryWord(1, .refused(Trouble(.authRequired, "auth-required: who?")))])
  }

  /// Sent to a relay, lost with its connection, and sent again.
  @Test func answerToASecondSendingIsInDoubt() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for post in 1...3 as ClosedRange<Int64> { _ = machine.handle(.submitted(makeDelivery(.publish, post))) }
    _ = machine.handle(.opened(roundTrip: .zero))
    for post in 1...2 as ClosedRange<Int64> { _ = machine.handle(release(post)) }
    _ = machine.handle(ok(makePost(1)))
    #expect(texts(machine.handle(release(3))) == [message(makePost(3))], "two are under way")
    _ = machine.handle(.closed(code: 1006, reason: ""))
    _ = machine.handle(.timerFired(.reconnect))
    _ = machine.handle(.opened(roundTrip: .zero))
    let limited = words(machine.handle(ok(makePost(2), "rate-limited: slow", accepted: false))).first?.outcome
    guard case .troubled(let trouble, .seconds(30))? = limited else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout && trouble.detail.contains("rate-limited: slow"))
    #expect(texts(machine.handle(.timerFired(.pace))) == [message(makePost(3))])
    let old = words(machine.handle(ok(makePost(3), "invalid: too old", accepted: false))).first?.outcome
    guard case .troubled(let doubt, nil)? = old else { return #expect(Bool(false)) }
    #expect(doubt.cause == .timeout && doubt.detail.contains("too old"))
  }

  /// A relay that demands AUTH has not taken the event.
  @Test func demandForAuthenticationLeavesNoDoubt() {
    var machine = sent()
    _ = machine.handle(.received(.challenge("c1")))
    _ = machine.handle(ok(makePost(1), "auth-required: who?", accepted: false))
    _ = machine.handle(.authenticationSent(id: "auth"))
    _ = machine.handle(.received(.ok(id: "auth", accepted: true, text: "")))
    #expect(
      words(machine.handle(ok(makePost(1), "rate-limited: slow", accepted: false)))
        == [DeliveryWord(1, .troubled(Trouble(.rateLimited, "rate-limited: slow"), retryAfter: .seconds(30)))])
  }

  @Test func postsThatWouldWaitTooLongAreGivenBack() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    _ = machine.handle(.opened(roundTrip: .zero))
    for post in 1...10 as ClosedRange<Int64> {
      _ = machine.handle(.submitted(makeDelivery(.publish, post)))
      _ = machine.handle(release(post))
      _ = machine.handle(.timerFired(.pace))
      #expect(words(machine.handle(ok(makePost(post), "rate-limited: slow", accepted: false))).count == 1)
    }
    // One every 51.2 s by now.
    #expect(words(machine.handle(.submitted(makeDelivery(.publish, 11)))) == [DeliveryWord(11, .handedOver)])
    let late = words(machine.handle(.submitted(makeDelivery(.publish, 12))))
    let detail = "the relay limits the rate of events, so Baton sends one every 51200 ms"
    #expect(late == [DeliveryWord(12, .troubled(Trouble(.rateLimited, detail), retryAfter: .milliseconds(102_400)))])
  }
}
