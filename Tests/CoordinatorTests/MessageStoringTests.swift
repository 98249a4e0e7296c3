import Channels
import Meters
import RelayNetwork
import Storage
import TestSupport
import Testing

@testable import Coordinator

/// What was read is stored, and relays are asked for everything.
@Suite(.timeLimit(.minutes(10)))
struct MessageStoringTests {
  private let messages = FakeMessages()

  private func names(_ channel: ChannelID) -> [String?] { messages.messages(of: channel).map(\.networkID) }

  // MARK: - News

  @Test func whatWasReadIsStoredAndThenTakenAndWatchersAreTold() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    messages.hold()
    let before = bench.coordinator.messageHub.revision
    let first = bench.network.read(["a", "b"], in: channel, from: relays[0])
    while !messages.isWaiting { await Task.yield() }
    #expect(bench.network.following.taken.isEmpty && bench.coordinator.messageHub.revision == before, "nothing is stored yet")
    messages.release()
    let second = bench.network.read(["b", "c"], in: channel, from: relays[1])
    try await bench.settleMessages()
    #expect(bench.network.following.taken == [first, second] && names(channel) == ["a", "b", "c"])
    let rows = messages.messages(of: channel)
    #expect(messages.relays(of: rows[1].id) == Set(relays) && rows[0].receivedAt == bench.clock.now)
    #expect(bench.coordinator.messageHub.revision == (try messages.messageCounters().revision))
    let empty = bench.network.read([String](), in: channel)
    try await bench.settleMessages()
    #expect(bench.network.following.taken.last == empty && bench.network.following.violations.isEmpty)
    try await bench.stop()
  }

  @Test func whatIsLeftOutForALimitIsCounted() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    messages.isFull = true
    bench.network.read(["a", "b"], in: channel, from: relays[0])
    try await bench.settleMessages()
    let sample = bench.coordinator.metrics.samples.first { $0.family.name == "baton_messages_left_out_total" }
    #expect(sample?.value == .number(2))
    try await bench.stop()
  }

  @Test func timeOfDayDatesWhatArrives() async throws {
    let bench = try await Bench(messages: messages)
    bench.clock.set(ahead: .seconds(3_600))
    let start = bench.clock.now
    let (channel, relays) = try await bench.followedChannel()
    bench.network.read(["a"], in: channel, from: relays[0])
    try await bench.settleMessages()
    #expect(messages.messages(of: channel).map(\.receivedAt) == [bench.clock.now + .seconds(3_600)])
    #expect(try #require(messages.conversations[channel]?.since) >= start + .seconds(3_600))
    try await bench.stop()
  }

  @Test func outageLosesNothingKeepsTheOrderAndIsInTheJournalOnce() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    messages.isBroken = true
    let before = messages.attempts
    for number in 1...5 {
      bench.network.read(["\(number)"], in: channel, from: relays[0])
      try await bench.settleMessages()
    }
    #expect(messages.attempts == before + 1, "it is not tried again with each batch")
    #expect(bench.network.following.taken.isEmpty && bench.count(.messagesNotStored) == 1)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.markRead(channel, through: nil) }
        == .storageUnavailable(reason: "messages.db: database or disk is full"))
    // It is tried again at longer and longer intervals.
    for (round, seconds) in [1, 2, 4].enumerated() {
      let next = bench.clock.now + .seconds(seconds)
      try await bench.waitForMessages { bench.clock.nextWake == next }
      bench.clock.advance(by: .seconds(seconds))
      try await bench.waitForMessages { messages.attempts == before + 3 + round }
    }
    #expect(bench.network.following.taken.isEmpty && bench.count(.messagesNotStored) == 1)
    messages.isBroken = false
    try await bench.moveMessages { bench.network.following.taken == [1, 2, 3, 4, 5] }
    #expect(names(channel) == ["1", "2", "3", "4", "5"])
    #expect(bench.count(.messagesNotStored) == 1 && bench.count(.messagesStoredAgain) == 1)
    // The next one is another.
    messages.isBroken = true
    bench.network.read(["6"], in: channel, from: relays[0])
    try await bench.settleMessages()
    #expect(bench.count(.messagesNotStored) == 2)
    messages.isBroken = false
    try await bench.moveMessages { names(channel).last == "6" }
    #expect(bench.network.following.violations.isEmpty)
    try await bench.stop()
  }

  @Test func whatIsLeftIsStoredBeforeTheEnd() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    messages.hold()
    bench.network.read(["first"], in: channel, from: relays[0])
    while !messages.isWaiting { await Task.yield() }
    let count = MessageKeeper.newsMax / 100 * 3
    for batch in 1...count { bench.network.read((1...100).map { "\(batch) \($0)" }, in: channel, from: relays[0]) }
    bench.coordinator.stop()
    messages.release()
    try await bench.stop()
    #expect(messages.messages(of: channel).count == 1 + count * 100)
  }

  @Test func floodHoldsUpNoRequest() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    messages.hold()
    bench.network.read(["first"], in: channel, from: relays[0])
    while !messages.isWaiting { await Task.yield() }
    let batches = 60
    for batch in 1...batches { bench.network.read((1...64).map { "\(batch) \($0)" }, in: channel, from: relays[0]) }
    async let marked = bench.coordinator.markRead(channel, through: MessageID(rawValue: 1))
    while bench.coordinator.messageInbox.count <= batches { await Task.yield() }
    messages.release()
    let row = try await marked
    try await bench.settleMessages()
    let writes = messages.writes
    let mark = try #require(writes.firstIndex(of: .markRead(channel)))
    let before = writes[..<mark].reduce(0) { sum, write in if case .take(let count) = write { sum + count } else { sum } }
    #expect(before <= 1 + MessageKeeper.newsMax && row.readThrough == MessageID(rawValue: 1))
    for case .take(let count) in writes { #expect(count <= MessageKeeper.newsMax) }
    #expect(messages.messages(of: channel).count == 1 + batches * 64 && bench.network.following.taken.count == 1 + batches)
    try await bench.stop()
  }

  @Test func messagesAreMarkedAsReadAndUnread() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    bench.network.read(["a", "b", "c"], in: channel, from: relays[0])
    try await bench.settleMessages()
    let ids = messages.messages(of: channel).map(\.id)
    let read = try await bench.coordinator.markRead(channel, through: ids[1])
    #expect(read.unread == 1 && read.readThrough == ids[1] && bench.coordinator.messageHub.revision == read.revision)
    #expect(try await bench.coordinator.markRead(channel, through: nil).unread == 0)
    let unread = try await bench.coordinator.markUnread(ids[0], in: channel)
    #expect(unread.unread == 3 && bench.coordinator.messageHub.revision == unread.revision)
    let other = ChannelID(rawValue: 99)
    #expect(
      await bench.refusal { () throws(BatonError) in try await bench.coordinator.markUnread(ids[0], in: other) }
        == .message(.notFollowed(other)))
    try await bench.stop()
  }

  // MARK: - Asking relays for everything

  /// Asks the relays, and waits until they were asked.
  private func sync(_ bench: Bench, _ channel: ChannelID) async -> Task<Bool, any Error> {
    let count = bench.network.following.syncs.count
    let task = Task { try await bench.coordinator.syncMessages(of: channel, within: .seconds(30)) }
    while bench.network.following.syncs.count == count { await Task.yield() }
    return task
  }

  private let silence = Trouble(.unreachable, "connection refused")

  /// Whichever relay they are from: another one may hold deletions of them and reactions to them.
  @Test func networksLearnWhichMessagesAreNotServed() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    bench.network.read(["one", "two", "three"], in: channel, from: relays[0])
    bench.network.read(["two", "four"], in: channel, from: relays[1])
    func ask(_ number: Int, _ relay: Int, _ served: Set<String>) -> MessageInventory {
      let inventory = MessageInventory(
        network: .nostr, channel: channel, relay: relays[relay], number: number, served: served)
      bench.network.send(.served(inventory))
      return inventory
    }
    let asked = ask(1, 0, ["two", "five"])
    try await bench.settleMessages()
    #expect(bench.network.following.missing == [asked: StoredNames(messages: ["four", "three", "one"])])

    // A storage that fails delays the answer, and does not lose it.
    messages.isBroken = true
    let later = ask(2, 1, [])
    try await bench.settleMessages()
    #expect(bench.network.following.missing[later] == nil)
    messages.isBroken = false
    try await bench.moveMessages { bench.network.following.missing[later] != nil }
    #expect(bench.network.following.missing[later] == StoredNames(messages: ["four", "three", "two", "one"]))
    let none = ask(3, 1, ["one", "two", "three", "four"])
    try await bench.settleMessages()
    #expect(bench.network.following.missing[none] == StoredNames() && bench.network.following.violations.isEmpty)
    try await bench.stop()
  }

  @Test func syncIsAnsweredOnceEachRelayHasAnswered() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    let asked = await sync(bench, channel)
    #expect(bench.network.following.syncs == [channel])
    bench.network.send(.synced(channel: channel, relay: relays[0], .complete))
    try await bench.settleMessages()
    let now = bench.clock.now
    #expect(messages.syncs(of: channel).count == 1, "the other has not answered")
    bench.network.send(.synced(channel: channel, relay: relays[1], .complete))
    #expect(try await asked.value)
    #expect(messages.syncs(of: channel).values.allSatisfy { $0.completeAt == now && $0.askedAt == now && $0.trouble == nil })

    bench.clock.advance(by: .seconds(1))
    let again = await sync(bench, channel)
    bench.network.send(.synced(channel: channel, relay: relays[0], .failed(silence)))
    bench.network.send(.synced(channel: channel, relay: relays[1], .complete))
    #expect(try await again.value == false, "one of them was not read")
    let row = try #require(messages.syncs(of: channel)[relays[0]])
    #expect(row.trouble == silence && row.completeAt == now && row.askedAt == now + .seconds(1))
    // It needs no request.
    bench.network.send(.synced(channel: channel, relay: relays[0], .complete))
    try await bench.settleMessages()
    #expect(messages.syncs(of: channel)[relays[0]]?.trouble == nil)
    try await bench.stop()
  }

  /// A relay that was read first may have deletions of what the other one served later.
  @Test func syncAsksAgainUntilRelaysServeNothingNew() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    func answer(_ round: Int, _ names: [String], isLive: Bool = false) async throws {
      while bench.network.following.syncs.count < round { await Task.yield() }
      bench.network.send(.synced(channel: channel, relay: relays[0], .complete))
      bench.network.read(names, in: channel, from: relays[1], isLive: isLive)
      bench.network.send(.synced(channel: channel, relay: relays[1], .complete))
    }
    let asked = await sync(bench, channel)
    try await answer(1, ["one", "two"])
    try await answer(2, ["one", "two"])
    #expect(try await asked.value)
    // News are heard at every relay. Nor does it go on without end.
    let again = await sync(bench, channel)
    try await answer(3, ["three"], isLive: true)
    #expect(try await again.value)
    let endless = await sync(bench, channel)
    for round in 4...6 { try await answer(round, ["\(round)"]) }
    #expect(try await endless.value && bench.network.following.syncs.count == 6)
    try await bench.stop()
  }

  @Test func syncEndsWhenTimeIsUp() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    let start = bench.clock.now
    let asked = await sync(bench, channel)
    bench.network.send(.synced(channel: channel, relay: relays[0], .complete))
    try await bench.settleMessages()
    try await bench.waitForMessages { bench.clock.nextWake == start + .seconds(30) }
    bench.clock.advance(by: .seconds(30))
    #expect(try await asked.value == false)
    // An answer that comes later does no harm.
    bench.network.send(.synced(channel: channel, relay: relays[1], .complete))
    try await bench.settleMessages()
    #expect(messages.syncs(of: channel)[relays[1]]?.completeAt == bench.clock.now)
    try await bench.stop()
  }

  @Test func syncDoesNotWaitForARelayThatTheChannelHasLeft() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    let asked = await sync(bench, channel)
    bench.network.send(.synced(channel: channel, relay: relays[0], .complete))
    _ = try await bench.coordinator.removeRelay(relays[1], from: channel)
    #expect(try await asked.value)
    let other = await sync(bench, channel)
    _ = try await bench.coordinator.delete(channel)
    await #expect(throws: BatonError.message(.notFollowed(channel))) { try await other.value }
    try await bench.stop()
  }

  @Test func syncIsNotAnsweredBeforeItIsStored() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel()
    let asked = await sync(bench, channel)
    messages.isBroken = true
    bench.network.send(.synced(channel: channel, relay: relays[0], .complete))
    await #expect(throws: BatonError.storageUnavailable(reason: "messages.db: database or disk is full")) {
      try await asked.value
    }
    let at = bench.clock.now
    messages.isBroken = false
    try await bench.moveMessages { messages.syncs(of: channel)[relays[0]]?.completeAt == at }
    try await bench.stop()
  }

  private func search(_ bench: Bench, _ channel: ChannelID) async -> Task<[RelayID: RelaySearchOutcome], any Error> {
    let before = bench.network.following.searches.count
    let asked = Task { try await bench.coordinator.searchRelays(of: channel, for: "bridge", within: .seconds(30)) }
    while bench.network.following.searches.count == before { await Task.yield() }
    return asked
  }

  @Test func searchIsAnsweredOnceEachRelayHasAnswered() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 3)
    let (one, two) = (await search(bench, channel), await search(bench, channel))
    let numbers = bench.network.following.searches.map(\.number)
    #expect(bench.network.following.searches.allSatisfy { $0.channel == channel && $0.text == "bridge" })
    #expect(Set(numbers).count == 2)
    func report(_ relay: Int, _ number: Int, _ outcome: RelaySearchOutcome) {
      bench.network.send(.searched(channel: channel, relay: relays[relay], number: number, outcome))
    }
    report(0, numbers[0], .complete)
    report(0, numbers[0], .notOffered)
    report(1, numbers[0], .failed(silence))
    report(0, 999, .complete)
    for relay in 0...2 { report(relay, numbers[1], .notOffered) }
    #expect(try await two.value == [relays[0]: .notOffered, relays[1]: .notOffered, relays[2]: .notOffered])
    // No one waits for a relay that the channel has left.
    _ = try await bench.coordinator.removeRelay(relays[2], from: channel)
    #expect(try await one.value == [relays[0]: .complete, relays[1]: .failed(silence)])
    let last = await search(bench, channel)
    _ = try await bench.coordinator.delete(channel)
    await #expect(throws: BatonError.message(.notFollowed(channel))) { try await last.value }
    await #expect(throws: BatonError.message(.notFollowed(channel))) {
      try await bench.coordinator.searchRelays(of: channel, for: "bridge", within: .seconds(30))
    }
    try await bench.stop()
  }

  @Test func searchEndsWhenTimeIsUp() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, relays) = try await bench.followedChannel(on: 2)
    for isBroken in [false, true] {
      let start = bench.clock.now
      let asked = await search(bench, channel)
      let number = try #require(bench.network.following.searches.last?.number)
      bench.network.send(.searched(channel: channel, relay: relays[0], number: number, .complete))
      try await bench.settleMessages()
      messages.isBroken = isBroken
      if isBroken {
        bench.network.read(["one"], in: channel, from: relays[1])
        try await bench.settleMessages()
      }
      try await bench.waitForMessages { (bench.clock.nextWake ?? start) <= start + .seconds(30) }
      bench.clock.advance(by: .seconds(30))
      if isBroken {
        // What was found cannot be stored.
        await #expect(throws: BatonError.self) { try await asked.value }
      } else {
        let outcomes = try await asked.value
        #expect(outcomes[relays[0]] == .complete)
        guard case .failed(let trouble)? = outcomes[relays[1]] else { return #expect(Bool(false), "\(outcomes)") }
        #expect(trouble.cause == .timeout)
      }
    }
    messages.isBroken = false
    try await bench.stop()
  }

  @Test func requestsThatWaitAreRefusedAtTheEnd() async throws {
    let bench = try await Bench(messages: messages)
    let (channel, _) = try await bench.followedChannel()
    let asked = await sync(bench, channel)
    try await bench.stop()
    await #expect(throws: BatonError.busy) { try await asked.value }
  }
}
