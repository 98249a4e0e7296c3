import Channels
import Storage
import TestSupport
import Testing

@testable import Coordinator

/// The values that the engine for posts is made of, each by itself.
@Suite(.timeLimit(.minutes(10)))
struct PostValueTests {
  private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1_000) }
  private func post(_ id: Int) -> PostID { PostID(rawValue: Int64(id)) }

  // MARK: - Recovery

  @Test func upkeepThatIsRefusedIsInTheJournalOnce() {
    var decider = PostDecider(
      policy: DeliveryPolicy(), upkeep: UpkeepPolicy(), counters: PostCounters(post: 0, revision: 0), now: at(9))
    let full = CommitReceipt(forgotten: PostDecider.historyPerUpkeep)
    for outcome: Flight.Outcome in [
      .failure(.refused("a row is damaged")), .failure(.unavailable("database or disk is full")),
      .failure(.refused("a row is damaged")), .success(full), .failure(.refused("a row is damaged")),
    ] {
      let following: [PostInput] = outcome == .success(full) ? [.forgetHistory] : []
      #expect(decider.choreEnded(outcome) == following)
    }
    let words = "the removal of old post history could not be stored: a row is damaged"
    #expect(
      decider.open.effects.journal.map(\.message)
        == Array(repeating: "\(words). See batonctl check", count: 2), "it was stored in between")
    #expect(decider.trouble == nil)
  }

  @Test func whatIsPostponedIsDecidedAgainOnceAndALaterFailureDoesNotPutItOff() {
    var decider = PostDecider(
      policy: DeliveryPolicy(), upkeep: nil, counters: PostCounters(post: 0, revision: 0), now: at(9))
    _ = decider.failed(.unavailable("database or disk is full"), at: at(10))
    _ = decider.failed(.unavailable("database or disk is full"), at: Timestamp(milliseconds: 10_500))
    #expect(decider.alarms[.recovery] == at(11))
    let (one, other) = (PostInput.serve(RelayID(rawValue: 1)), PostInput.serve(RelayID(rawValue: 2)))
    decider.postpone([one, other, .recover([post(3)]), one])
    #expect(decider.unfold([.timersDue], at: at(11)) == [.recover([post(3)]), one, other])
    #expect(decider.postponed.isEmpty && decider.alarms[.recovery] == nil)
  }

  // MARK: - Lanes

  @Test func laneKeepsTheOrderAndOfferingTwiceIsOffering() {
    var lane = PostLane()
    for id in [3, 1, 3, 2] { lane.offer(post(id)) }
    #expect(lane.hasReady && lane.holds(post(3)) && !lane.holds(post(4)) && !lane.isHungry)
    #expect([lane.popReady(), lane.popReady(), lane.popReady(), lane.popReady()] == [post(3), post(1), post(2), nil])
    #expect(!lane.holds(post(3)) && !lane.hasReady)
  }

  @Test func whatALaneHasNoRoomForWaitsInStorage() {
    var lane = PostLane()
    for id in 1...PostLane.readyMax { lane.offer(post(id)) }
    #expect(!lane.isHungry && lane.holds(post(PostLane.readyMax)))
    lane.offer(post(1_000))
    #expect(lane.isHungry && !lane.holds(post(1_000)))
    _ = lane.popReady()
    lane.offer(post(1_001))
    #expect(!lane.holds(post(1_001)), "it does not overtake those in storage")
    lane.offer(post(1_000), inOrder: false)
    #expect(lane.holds(post(1_000)), "unless it comes from there")
  }

  @Test func forgottenPostIsLookedForAgain() {
    var lane = PostLane()
    lane.offer(post(1))
    lane.offer(post(2))
    lane.note(post(3), isUnderWay: true)
    lane.forget(post(3))
    #expect(!lane.isHungry && lane.underWay.isEmpty)
    lane.forget(post(1))
    #expect(lane.isHungry && lane.popReady() == post(2) && lane.popReady() == nil)
  }

  @Test func roomGrowsWithWhatIsTakenAndShrinksWithEveryRefusalToHurry() {
    var lane = PostLane()
    #expect(lane.room(at: at(0)) == PostLane.underWayFirst)
    for id in 1...20 { lane.note(post(id), isUnderWay: true) }
    #expect(lane.room(at: at(0)) == 0, "more may have been under way before")
    for _ in 1...100 { lane.accepted() }
    #expect(lane.capacity == PostLane.underWayMax && lane.room(at: at(0)) == PostLane.underWayMax - 20)
    for _ in 1...3 { lane.limited(at: at(0), for: .seconds(30)) }
    #expect(lane.capacity == PostLane.underWayMax / 2 && lane.pausedUntil == at(30), "what is under way together says it once")
    #expect(lane.room(at: at(29)) == 0)
    for round in 1...10 {
      let now = at(Int64(round) * 60)
      lane.awakened(at: now)
      lane.limited(at: now, for: .seconds(30))
    }
    #expect(lane.capacity == 1, "never nothing")
  }

  @Test func laneWaitsForTheFirstOfItsTimes() {
    var lane = PostLane()
    #expect(lane.alarm == nil && !lane.wantsMore)
    lane.sleeps(until: at(20))
    lane.sleeps(until: at(10))
    lane.sleeps(until: at(15))
    #expect(lane.alarm == at(10))
    lane.limited(at: at(0), for: .seconds(12))
    #expect(lane.alarm == at(12), "not before the relay wants more")
    lane.offer(post(1))
    #expect(lane.alarm == at(12))
    lane.awakened(at: at(12))
    #expect(lane.isHungry && lane.pausedUntil == nil && lane.nextDue == nil && lane.alarm == nil)
    lane.learned(next: at(40))
    #expect(lane.alarm == at(40))
  }

  // MARK: - Those who watch

  @Test func whoWaitsForARevisionIsWokenByANewerOne() async {
    let hub = PostHub()
    hub.publish(4)
    #expect(hub.revision == 4)
    #expect(await hub.wait(after: 3), "it is there already")
    async let later = hub.wait(after: 4)
    async let much = hub.wait(after: 6)
    hub.publish(2)
    #expect(hub.revision == 4, "revisions do not go back")
    hub.publish(5)
    #expect(await later)
    hub.publish(7)
    #expect(await much)
  }

  @Test func whoFollowsAPostIsWokenByItsChangesOnly() async {
    let hub = PostHub()
    let (mine, other) = (PostID(rawValue: 1), PostID(rawValue: 2))
    hub.publish(4)
    hub.follow(mine)
    defer { hub.unfollow(mine) }
    let waiter = Task { await hub.wait(after: 4, for: mine) }
    while hub.waiterCount == 0 { await Task.yield() }
    hub.publish(5, changing: [other])
    #expect(hub.waiterCount == 1 && hub.revision == 5)
    hub.publish(6, changing: [mine, other])
    #expect(hub.waiterCount == 0)
    #expect(await waiter.value)
    #expect(await hub.wait(after: 5, for: mine), "what was missed is not waited for")
    let doubtful = Task { await hub.wait(after: 6, for: mine) }
    while hub.waiterCount == 0 { await Task.yield() }
    hub.publish(7)
    #expect(hub.waiterCount == 0, "any post may have changed")
    #expect(await doubtful.value)
  }

  @Test func whoStopsWaitingIsLetGo() async {
    let hub = PostHub()
    let waiter = Task { await hub.wait(after: 9) }
    waiter.cancel()
    #expect(await waiter.value, "it is up to the one who waits what a cancellation means")
    let another = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await hub.wait(after: 9)
    }
    #expect(await another.value)
  }

  @Test func nobodyWaitsForAHubThatIsFinished() async {
    let hub = PostHub()
    let waiter = Task { await hub.wait(after: 9) }
    hub.finish()
    #expect(await waiter.value == false)
    #expect(await hub.wait(after: 0) == false)
  }
}
