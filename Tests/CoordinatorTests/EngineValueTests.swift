import Channels
import RelayNetwork
import Storage
import Testing

@testable import Coordinator

/// The values that the engine is made of, each by itself.
struct EngineValueTests {
  private func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1_000) }
  private func channel(_ id: Int64) -> ChannelID { ChannelID(rawValue: id) }
  private func relay(_ id: Int64) -> RelayID { RelayID(rawValue: id) }

  // MARK: - Alarms

  @Test func alarmsGoOffByTimeAndThenByKind() {
    var alarms = Alarms()
    alarms.set(.digest, at: at(2))
    alarms.set(.recovery, at: at(2))
    alarms.set(.testOverdue(.relay(relay(1))), at: at(2))
    alarms.set(.channel(channel(9)), at: at(2))
    alarms.set(.channel(channel(3)), at: at(2))
    alarms.set(.upkeep, at: at(1))
    alarms.set(.grace(relay(1)), at: at(3))
    #expect(alarms.next() == at(1))
    #expect(
      alarms.take(at: at(2)) == [
        .upkeep, .channel(channel(3)), .channel(channel(9)), .testOverdue(.relay(relay(1))), .recovery, .digest,
      ])
    #expect(alarms.take(at: at(2)).isEmpty, "each goes off once")
    #expect(alarms.next() == at(3) && alarms[.grace(relay(1))] == at(3) && alarms[.upkeep] == nil)
  }

  @Test func rescheduledAndCancelledAlarmsDoNotGoOff() {
    var alarms = Alarms()
    alarms.set(.upkeep, at: at(1))
    alarms.set(.upkeep, at: at(5))
    alarms.set(.recovery, at: at(2))
    alarms.set(.recovery, at: nil)
    #expect(alarms.next() == at(5))
    #expect(alarms.take(at: at(4)).isEmpty)
    // Back to the first time: the old entry may still be there, and the alarm goes off once all the same.
    alarms.set(.digest, at: at(6))
    alarms.set(.digest, at: at(7))
    alarms.set(.digest, at: at(6))
    #expect(alarms.take(at: at(8)) == [.upkeep, .digest])
    #expect(alarms.next() == nil)
  }

  @Test func alarmThatIsSetNoLaterThanATimeIsNotPutOff() {
    var alarms = Alarms()
    alarms.set(.upkeep, noLaterThan: at(3))
    alarms.set(.upkeep, noLaterThan: at(5))
    #expect(alarms[.upkeep] == at(3))
    alarms.set(.upkeep, noLaterThan: at(2))
    #expect(alarms[.upkeep] == at(2))
  }

  @Test func alarmsThatAreRescheduledAgainAndAgainTakeNoMemory() {
    var alarms = Alarms()
    for second in 1...10_000 { alarms.set(.channel(channel(Int64(second % 3))), at: at(Int64(20_000 - second))) }
    #expect(alarms.times.count == 3 && alarms.entryCount <= Alarms.replacedMax + 1)
    #expect(alarms.take(at: at(30_000)).count == 3)
  }

  // MARK: - Lanes

  private func operation(_ id: Int64, at relay: RelayID, number: Int = 1) -> RelayOperation {
    RelayOperation(
      task: .invite, channel: channel(id), relay: relay, address: "ws://r", number: number,
      content: ChannelContent(identity: IdentityID(rawValue: 1), networkID: "id", trustAnchor: "key", document: ""))
  }

  @Test func lanesKeepTheirOrderAndTheirBoundsAndEndWhenTheyAreEmpty() {
    var lanes = Lanes()
    let count = Int64(RelayLane.outstandingMax + 10)
    for id in 1...count { lanes.add(operation(id, at: relay(1))) }
    lanes.add(operation(1, at: relay(2)))
    #expect(lanes.byRelay.count == 2)
    let first = lanes.next(at: relay(1)) { _, _ in true }
    #expect(first.map(\.channel.rawValue) == Array(1...Int64(RelayLane.outstandingMax)))
    #expect(lanes.next(at: relay(1)) { _, _ in true }.isEmpty, "the network has as many as it may")
    #expect(lanes.next(at: relay(2)) { _, _ in true }.count == 1, "another relay does not wait for that")
    lanes.finished(channel(1), at: relay(1), number: 7)
    #expect(lanes.next(at: relay(1)) { _, _ in true }.isEmpty, "that was an older operation")
    for id in 1...Int64(RelayLane.outstandingMax) { lanes.finished(channel(id), at: relay(1), number: 1) }
    #expect(lanes.next(at: relay(1)) { _, _ in true }.count == 10)
    for id in 1...count { lanes.finished(channel(id), at: relay(1), number: 1) }
    lanes.finished(channel(1), at: relay(2), number: 1)
    for number in 1...2 { #expect(lanes.next(at: relay(Int64(number))) { _, _ in true }.isEmpty) }
    #expect(lanes.byRelay.isEmpty)
  }

  @Test func lanesDropWhatIsNotWantedAnyMore() {
    var lanes = Lanes()
    for id in 1...4 { lanes.add(operation(Int64(id), at: relay(1), number: id)) }
    let ready = lanes.next(at: relay(1)) { _, number in number.isMultiple(of: 2) }
    #expect(ready.map(\.number) == [2, 4])
    #expect(lanes.next(at: relay(3)) { _, _ in true }.isEmpty && lanes.byRelay.count == 1)
  }

  // MARK: - Tests in the background

  @Test func testsAreLimitedAndNoneRunsTwiceAtOnce() {
    var tests = TestBench()
    let peers = (1...4).map { Probed.relay(RelayID(rawValue: $0)) }
    for peer in peers + peers { tests.add(peer) }
    for peer in peers.prefix(2) {
      #expect(tests.next(atOnceMax: 2) == peer)
      tests.began(peer)
    }
    #expect(tests.next(atOnceMax: 2) == nil)
    // If it falls due again while it runs, it is skipped.
    tests.add(peers[1])
    #expect(tests.ended(peers[0]) && !tests.ended(peers[0]), "what is said of a test that was given up is too late")
    #expect(tests.next(atOnceMax: 2) == peers[2])
    #expect(tests.next(atOnceMax: 3) == peers[3])
    #expect(tests.next(atOnceMax: 3) == nil && tests.isRunning(peers[1]))
    tests.add(peers[0])
    tests.forgetWaiting()
    #expect(tests.next(atOnceMax: 9) == nil)
  }

  // MARK: - Watched relays

  @Test func whatIsKnownOfAConnectionEndsWithTheAddress() {
    var watched = WatchedRelays([relay(1)])
    #expect(!watched.add(relay(1)) && watched.add(relay(2)) && watched.all == [relay(1), relay(2)])
    #expect(!watched.contains(relay(3)) && watched.cause(of: relay(1)) == .unreachable)
    watched.down(relay(1), .timeout)
    #expect(watched.cause(of: relay(1)) == .timeout && !watched.isConnected(relay(1)))
    watched.up(relay(1))
    #expect(watched.isConnected(relay(1)) && watched.cause(of: relay(1)) == .unreachable)
    watched.moved(relay(1))
    #expect(!watched.isConnected(relay(1)) && watched.contains(relay(1)))
  }

  // MARK: - Healing

  @Test func replacementsCountForAnHour() {
    var healing = Healing()
    healing.replaced(at: at(0))
    healing.replaced(at: at(1_800))
    #expect(!healing.mayReplace(perHour: 2) && healing.mayReplace(perHour: 3))
    healing.begin(at: at(3_599))
    #expect(!healing.mayReplace(perHour: 2))
    healing.begin(at: at(3_600))
    #expect(healing.mayReplace(perHour: 2) && !healing.mayReplace(perHour: 1))
    // The clock was ahead: replacements dated in the future do not count.
    healing.begin(at: at(60))
    #expect(healing.mayReplace(perHour: 1))
  }

  @Test func roundsGoOnWhereTheLastOneStopped() {
    var healing = Healing()
    let page = [
      ChannelRelayPlace(channel: channel(1), relay: relay(1)), ChannelRelayPlace(channel: channel(2), relay: relay(3)),
    ]
    healing.looked(at: page, isFull: true)
    #expect(healing.cursor == page[1])
    healing.looked(at: page, isFull: false)
    #expect(healing.cursor == nil)
    healing.stopped(at: channel(7), of: relay(1))
    #expect(healing.place(at: relay(1)) == channel(7) && healing.place(at: relay(2)) == nil)
    healing.stopped(at: nil, of: relay(1))
    #expect(healing.place(at: relay(1)) == nil)
  }

  // MARK: - When storage fails

  @Test func storageWorksAgainOnceChannelsWereRead() {
    var recovery = Recovery()
    #expect(recovery.isOver && recovery.failed("full") && !recovery.failed("still full"))
    #expect(recovery.trouble == "still full")
    recovery.owe((1...5).map { channel($0) })
    recovery.owe(.relay(relay(2)))
    recovery.owe(.relay(relay(1)))
    #expect(!recovery.succeeded() && recovery.trouble != nil)
    // Channels that the doubtful commit would have created do not exist.
    recovery.settle(latest: 4)
    #expect(recovery.channels.count == 4)
    let some = recovery.takeChannels(3)
    #expect(some.count == 3 && some == some.sorted() && recovery.channels.isDisjoint(with: some))
    #expect(recovery.succeeded() == false)
    #expect(recovery.takeChannels(3).count == 1 && recovery.succeeded() && !recovery.isOver)
    #expect(recovery.takeObjects() == [.relay(relay(1)), .relay(relay(2))] && recovery.isOver)
  }

  // MARK: - Chores

  @Test func choresThatFailedComeAgainIfNothingElseBringsThem() {
    var chores = Chores()
    chores.add(.quarantine(channel(1), reason: "damaged", at: at(1)))
    for second in 1...3 { chores.forgetHistory(before: at(Int64(second)), rowsMax: 10, limit: 5) }
    let due = chores.take()
    #expect(due.count == 2, "history is forgotten once")
    if case .forgetHistory(let end, _, _)? = due.last { #expect(end == at(3)) }
    #expect(chores.take().isEmpty)
    chores.failed(due)
    #expect(chores.take().isEmpty, "not before the next round")
    chores.tryAgain()
    let again = chores.take()
    #expect(again.count == 1)
    guard case .quarantine? = again.first else {
      Issue.record("\(again)")
      return
    }
  }

  @Test func choresSayOnceWhyTheyAreRefused() {
    var chores = Chores()
    let (first, second) = (StoreMutation.compactChanges(through: 5), StoreMutation.compactChanges(through: 9))
    #expect(chores.refused(first, "damaged") == "the removal of old changes" && chores.refused(second, "damaged") == nil)
    #expect(chores.refused(.quarantine(channel(1), reason: "r", at: at(1)), "damaged") == "the note that channel 1 is skipped")
    #expect(chores.refused(second, "too large") != nil && chores.refused(second, "too large") == nil)
    chores.stored(first)
    #expect(chores.refused(second, "too large") != nil)
  }

  @Test func listOfChangesIsTrimmedToItsWindowFromTimeToTime() {
    var chores = Chores()
    let latest = Chores.changesKeptMax + 5
    chores.compactIfDue(through: 1)
    chores.compactIfDue(through: Chores.changesKeptMax)
    #expect(chores.take().isEmpty, "nothing is outside of it")
    chores.compactIfDue(through: latest)
    guard case .compactChanges(through: 5)? = chores.take().first else {
      Issue.record("the list is not compacted")
      return
    }
    chores.compactIfDue(through: latest + Chores.compactEvery - 1)
    #expect(chores.take().isEmpty)
  }
}
