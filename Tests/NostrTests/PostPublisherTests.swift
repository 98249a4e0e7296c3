import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Posts on their way to a relay: nothing leaves unless it may, and channels go first.
struct PostPublisherTests {
  private func machine(_ items: [SessionOperation], isOpen: Bool = true) -> PublisherMachine {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for item in items { _ = machine.handle(.submitted(item)) }
    if isOpen { _ = machine.handle(.opened(roundTrip: .zero)) }
    return machine
  }

  /// A machine with this many posts, of which the relay has taken the first ones; so many are under way at once by now.
  private func machine(posts: Int64, taken: Int64) -> PublisherMachine {
    var machine = machine((1...posts).map { makeDelivery(.publish, $0) })
    for post in 1...posts { _ = machine.handle(release(post)) }
    for post in 1...max(taken, 1) where taken > 0 {
      let actions = machine.handle(ok(makePost(post)))
      for turn in turns(actions) { _ = machine.handle(release(turn)) }
    }
    return machine
  }

  @Test func postLeavesOnlyOnceItMay() {
    var machine = machine([makeDelivery(.publish, 1)], isOpen: false)
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(turns(opened) == [1] && sends(opened) == 0)
    #expect(machine.handle(release(1, number: 2)).isEmpty, "that is about another operation")
    #expect(machine.handle(release(2)).isEmpty)
    #expect(texts(machine.handle(release(1))) == [message(makePost(1))])
    #expect(sends(machine.handle(release(1))) == 0, "once")
    #expect(words(machine.handle(ok(makePost(1)))) == [DeliveryWord(1, .accepted)])
  }

  @Test func postThatMayNotLeaveIsDroppedWithoutAnOutcome() {
    var machine = machine([makeDelivery(.publish, 1), makeDelivery(.publish, 2)])
    let dropped = machine.handle(release(1, false))
    #expect(words(dropped).isEmpty && sends(dropped) == 0)
    #expect(texts(machine.handle(release(2))) == [message(makePost(2))])
    #expect(sends(machine.handle(release(1))) == 0, "it is not there any more")
    let idle = machine.handle(ok(makePost(2)))
    #expect(idle.contains(.setTimer(.idle, after: NostrLimits().idleTimeout)))
  }

  @Test func connectionRestsAfterTheLastPostIsDropped() {
    var machine = machine([makeDelivery(.publish, 1)])
    #expect(machine.handle(.timerFired(.idle)).isEmpty, "someone may answer")
    #expect(machine.handle(release(1, false)) == [.setTimer(.idle, after: NostrLimits().idleTimeout)])
    #expect(machine.handle(.timerFired(.idle)) == [.hangUp])
  }

  @Test func postsLeaveInTheirOrder() {
    var machine = machine([makeDelivery(.publish, 1), makeDelivery(.publish, 2)])
    #expect(sends(machine.handle(release(2))) == 0, "the first one has not been answered")
    #expect(texts(machine.handle(release(1))) == [message(makePost(1))])
    #expect(texts(machine.handle(ok(makePost(1)))) == [message(makePost(2))])
  }

  @Test func asManyAreAskedForAsTheWindowTakesTwice() {
    var machine = machine((1...10).map { makeDelivery(.publish, $0) }, isOpen: false)
    #expect(turns(machine.handle(.opened(roundTrip: .zero))) == [1, 2])
    #expect(turns(machine.handle(release(1))).isEmpty, "one is under way, one is known, and the window has one place")
    // With the answer the window opens to two.
    let answered = machine.handle(ok(makePost(1)))
    #expect(words(answered).first == DeliveryWord(1, .accepted) && turns(answered) == [3, 4, 5])
    #expect(texts(machine.handle(release(2))) == [message(makePost(2))])
    #expect(texts(machine.handle(release(3))) == [message(makePost(3))])
    #expect(sends(machine.handle(release(4))) == 0)
  }

  @Test func neverAreMoreThanSoManyAskedFor() {
    // The window is as large as it gets: 64 posts are under way, and 64 more may leave. From now on no one answers.
    var machine = machine(posts: 300, taken: 63)
    var asked: [Int64] = []
    for post in 64...140 as ClosedRange<Int64> { asked += turns(machine.handle(ok(makePost(post)))) }
    #expect(asked == Array(192...255), "each once, in order")
  }

  @Test func channelsGoFirst() {
    let channel = makeOperation(.invite)
    var machine = machine((1...3).map { makeDelivery(.publish, $0) })
    _ = machine.handle(release(1))
    _ = machine.handle(release(2))
    #expect(sends(machine.handle(.submitted(channel))) == 0, "one is under way")
    let answered = machine.handle(ok(makePost(1)))
    #expect(outcomes(answered) == [.handedOver])
    #expect(texts(answered).first == ClientMessage.event(channel.operation.content.document))
    #expect(texts(answered).dropFirst() == [message(makePost(2))], "the window has two places by now")
  }

  @Test func postsNeitherLeaveNorAskWhileAChannelWaits() {
    let channels = (1...3).map { makeOperation(.invite, channel: $0) }
    var machine = machine(channels + [makeDelivery(.publish, 1), makeDelivery(.withdraw, 2)])
    let first = machine.handle(.received(.ok(id: channels[0].eventID, accepted: true, text: "")))
    #expect(outcomes(first) == [.accepted(link: "ws://r"), .handedOver, .handedOver])
    #expect(turns(first) == [1], "now only posts wait")
    #expect(sends(first) == 2)
  }

  @Test func postIsAskedForThoughItsChannelIsBusy() {
    // Operations on one channel follow each other; its posts do not wait for them.
    let operation = makeOperation(.announce)
    var machine = machine([makeDelivery(.publish, 1)])
    _ = machine.handle(release(1))
    _ = machine.handle(.submitted(makeDelivery(.publish, 2)))
    let answered = machine.handle(ok(makePost(1)))
    #expect(sends(answered) == 0)
    #expect(sends(machine.handle(.submitted(operation))) == 1)
    #expect(texts(machine.handle(release(2))) == [message(makePost(2))])
  }

  @Test func deletionNeedsNoGateAndFollowsItsPost() {
    var machine = machine(posts: 8, taken: 8)
    _ = machine.handle(.submitted(makeDelivery(.publish, 9)))
    _ = machine.handle(.submitted(makeDelivery(.withdraw, 9, number: 2)))
    #expect(texts(machine.handle(release(9))) == [message(makePost(9))], "the window has room, but they are of one post")
    let taken = machine.handle(ok(makePost(9)))
    #expect(words(taken) == [DeliveryWord(9, .accepted)] && texts(taken) == [message(makeDeletion(9))])
    #expect(words(machine.handle(ok(makeDeletion(9)))) == [DeliveryWord(9, .withdrawn, number: 2)])
    #expect(texts(machine.handle(.submitted(makeDelivery(.withdraw, 10)))) == [message(makeDeletion(10))])
    #expect(
      words(machine.handle(ok(makeDeletion(10), "duplicate: have it", accepted: false))) == [DeliveryWord(10, .withdrawn)])
  }

  @Test func severalPostsOfOneChannelAreUnderWayTogether() {
    var machine = machine(posts: 8, taken: 3)
    // Four places: the answers may come in any order.
    #expect(words(machine.handle(ok(makePost(6)))).first == DeliveryWord(6, .accepted))
    #expect(words(machine.handle(ok(makePost(4)))).first == DeliveryWord(4, .accepted))
  }

  @Test func newerOperationTakesThePlaceOfOneThatWaits() {
    var machine = machine([makeDelivery(.publish, 1), makeDelivery(.publish, 2)])
    // No one answered in an hour.
    let again = machine.handle(.submitted(makeDelivery(.publish, 1, number: 3)))
    #expect(words(again) == [DeliveryWord(1, .handedOver, number: 3)])
    #expect(sends(machine.handle(release(1))) == 0)
    #expect(texts(machine.handle(release(2))) == [message(makePost(2))])
    #expect(texts(machine.handle(ok(makePost(2)))).isEmpty)
    #expect(texts(machine.handle(release(1, number: 3))) == [message(makePost(1))])
  }

  // MARK: - Connections

  @Test func whatWasAskedForSurvivesTheConnection() {
    var machine = machine((1...3).map { makeDelivery(.publish, $0) })
    #expect(
      machine.handle(.closed(code: 1006, reason: "")).contains { if case .setTimer(.reconnect, _) = $0 { true } else { false } }
    )
    #expect(machine.handle(release(1)).isEmpty, "there is no connection")
    #expect(machine.handle(.timerFired(.reconnect)).contains(.dial))
    let opened = machine.handle(.opened(roundTrip: .zero))
    #expect(texts(opened) == [message(makePost(1))], "it may leave already")
    #expect(turns(opened).isEmpty, "no one is asked twice")
    #expect(texts(machine.handle(release(2))).isEmpty)
    let answered = machine.handle(ok(makePost(1)))
    #expect(texts(answered) == [message(makePost(2))] && turns(answered) == [3])
  }

  @Test func lostConnectionIsTheOutcomeOfThePostThatWasAlone() {
    var machine = machine([makeDelivery(.publish, 1), makeDelivery(.publish, 2)])
    _ = machine.handle(release(1))
    let lost = words(machine.handle(.closed(code: 1006, reason: "")))
    #expect(lost.map(\.post) == [1])
    guard case .troubled(let trouble, nil)? = lost.first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .unreachable)
  }

  @Test func severalThatWereUnderWayAreSentAgainOneByOne() {
    var machine = machine(posts: 8, taken: 3)
    #expect(words(machine.handle(.closed(code: 1006, reason: ""))).isEmpty)
    _ = machine.handle(.timerFired(.reconnect))
    #expect(texts(machine.handle(.opened(roundTrip: .zero))) == [message(makePost(4))])
    #expect(words(machine.handle(ok(makePost(4), "duplicate: have it"))).first == DeliveryWord(4, .accepted))
  }

  /// `rateLimited` says that the relay certainly does not have the post. Of one that was sent before and not answered, no one knows that.
  @Test func refusalForTheRateProvesNothingOfWhatWasSentBefore() {
    let busy = DialFailure.status(429, retryAfter: .seconds(40))
    var machine = machine(posts: 6, taken: 3)
    _ = machine.handle(.closed(code: 1006, reason: ""))
    _ = machine.handle(.submitted(makeDelivery(.publish, 7)))
    _ = machine.handle(.timerFired(.reconnect))
    let failed = words(machine.handle(.dialFailed(busy)))
    #expect(failed.map(\.post) == [4, 5, 6, 7])
    let causes = failed.map { word -> Cause? in
      if case .troubled(let trouble, .seconds(40)) = word.outcome { trouble.cause } else { nil }
    }
    #expect(causes == [.timeout, .timeout, .timeout, .rateLimited])
  }

  @Test func failedDialEndsEverythingThatWaits() {
    var machine = machine(
      [makeOperation(.invite), makeDelivery(.publish, 1), makeDelivery(.withdraw, 2)], isOpen: false)
    let failure = DialFailure.unreachable("no connection in time")
    let failed = machine.handle(.dialFailed(failure))
    #expect(outcomes(failed) == [.troubled(failure.trouble, retryAfter: nil)])
    let trouble = DeliveryOutcome.troubled(failure.trouble, retryAfter: nil)
    #expect(words(failed) == [DeliveryWord(1, trouble), DeliveryWord(2, trouble)])
    #expect(machine.handle(release(1)).isEmpty)
  }

  @Test func relayThatWantsToBeLeftAloneGetsNoPosts() {
    let busy = DialFailure.status(503, retryAfter: .seconds(7_200))
    var machine = machine([makeDelivery(.publish, 1)], isOpen: false)
    #expect(words(machine.handle(.dialFailed(busy))) == [DeliveryWord(1, .troubled(busy.trouble, retryAfter: .seconds(7_200)))])
    let item = makeDelivery(.publish, 2)
    #expect(machine.handle(.submitted(item)) == [.postpone(item, busy.trouble)])
  }

  @Test func floodEndsEverythingThatWaits() {
    var machine = machine(posts: 5, taken: 3)
    let flooded = machine.handle(.flooded("too much"))
    let outcome = DeliveryOutcome.troubled(Trouble(.misbehaving, "too much"), retryAfter: .seconds(60))
    #expect(words(flooded) == [DeliveryWord(4, outcome), DeliveryWord(5, outcome)])
  }

  @Test func tooManyAreSentBack() {
    var machine = PublisherMachine(address: "ws://r", limits: NostrLimits(), salt: 1)
    for post in 1...Int64(NostrLimits().queueMax) { _ = machine.handle(.submitted(makeDelivery(.publish, post))) }
    let last = words(machine.handle(.submitted(makeDelivery(.publish, 5_000))))
    guard case .troubled(let trouble, .seconds(30))? = last.first?.outcome else { return #expect(Bool(false)) }
    #expect(trouble.cause == .timeout)
    #expect(outcomes(machine.handle(.submitted(makeOperation(.invite)))).isEmpty, "channels have a queue of their own")
  }
}
