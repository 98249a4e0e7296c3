import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// What is said in followed channels comes as it is said, over few subscriptions, whatever happens to connection and relay.
struct FollowerLiveTests {
  private static let two = [Saying.channel(1), Saying.channel(2)]

  private func failures(_ desk: FollowingDesk) -> [Int64: Cause] {
    desk.syncs.reduce(into: [:]) { if case .failed(let trouble) = $1.outcome { $0[$1.channel] = trouble.cause } }
  }

  private func complete(_ desk: FollowingDesk) -> Set<Int64> {
    Set(desk.syncs.filter { $0.outcome == .complete }.map(\.channel))
  }

  @Test func manyChannelsShareASubscription() {
    let desk = FollowingDesk.following((1...300).map { Saying.channel($0) } + [Saying.group(301)])
    let live = desk.requests.filter(\.isLive)
    #expect(live.map { $0.values("e").count } == [250, 50, 0] && live.flatMap { $0.values("h") } == ["club301"])
    // Relays leave out what is dated back if they are asked for what is newer.
    #expect(live.allSatisfy { $0.filters.allSatisfy { $0["limit"] == 1 && $0["since"] == nil } })
    #expect(Set(live.flatMap(\.filters).compactMap { $0["kinds"] }) == [[42], [5, 7, 9, 9000, 9001, 9005, 9021, 9022]])
    #expect(Set(desk.subscriptions.keys) == Set(live.map(\.name)))
  }

  @Test func whatStrangersSayComesAsItIsSaid() {
    var desk = FollowingDesk.following([Saying.channel(1), Saying.group(2)])
    desk.publish(Saying.message("one", at: FollowingDesk.noon))
    // Whatever its date is: no one who was away is overheard.
    desk.publish(Saying.message("old", at: 5))
    desk.publish(Saying.message("early", at: FollowingDesk.noon + 1_000_000))
    desk.publish(Saying.event(9, [["h", "club2"]], "in a group"))
    desk.settle()
    #expect(desk.texts == ["one", "old", "early", "in a group"] && desk.news.allSatisfy(\.isLive))
    #expect(desk.news.map(\.channel.rawValue) == [1, 1, 1, 2] && desk.batches.allSatisfy { $0.relay == FollowingDesk.relay })
  }

  @Test func whatIsForgedOrSaidElsewhereDoesNotCome() {
    var desk = FollowingDesk.following(Self.two)
    guard let name = desk.requests.first(where: \.isLive)?.name else { return #expect(Bool(false)) }
    let good = Saying.message("good")
    func altered(_ content: String, _ signature: String) -> NostrEvent {
      NostrEvent(
        id: good.id, publicKey: good.publicKey, createdAt: good.createdAt, kind: good.kind, tags: good.tags, content: content,
        signature: signature)
    }
    for event in [
      altered("bad", good.signature), altered("good", String(repeating: "0", count: 128)), Saying.message("elsewhere", in: 3),
      Saying.event(1, [["e", Saying.name(1), "", "root"]], "a note"), Saying.event(42, [], "nowhere"),
    ] {
      desk.feed(.received(.event(subscription: name, event)))
    }
    desk.feed(.received(.event(subscription: "mine", good)))
    #expect(desk.news.isEmpty)
    // What was forged does not keep out what is not.
    desk.feed(.received(.event(subscription: name, good)))
    desk.feed(.received(.event(subscription: name, good)))
    desk.settle()
    #expect(desk.texts == ["good"])
  }

  @Test func newChannelsAreGatheredAndNothingIsMissedMeanwhile() {
    var desk = FollowingDesk.following([Saying.channel(1)])
    let before = desk.requests.count
    for number in 2...3 as ClosedRange<Int64> { desk.feed(.follow(Saying.channel(number))) }
    desk.settle()
    #expect(desk.requests.count == before && desk.timers[.gather] == .milliseconds(500))
    desk.isMute = true
    desk.fire(.gather)
    #expect(desk.requests.last?.values("e") == [1, 2, 3].map { Saying.name($0) })
    #expect(Set(desk.subscriptions.keys) == ["fl1", "fl2"])
    desk.publish(Saying.message("meanwhile"))
    desk.isMute = false
    desk.settle()
    #expect(Set(desk.subscriptions.keys.filter { $0.hasPrefix("fl") }) == ["fl2"])
    desk.publish(Saying.message("later", in: 3))
    desk.settle()
    #expect(desk.texts == ["meanwhile", "later"] && complete(desk) == [1, 2, 3])
  }

  @Test func fullSubscriptionsGetNoMore() {
    var desk = FollowingDesk.following((1...250).map { Saying.channel($0) })
    desk.feed(.follow(Saying.channel(251)))
    desk.fire(.gather)
    desk.settle()
    #expect(desk.requests.filter(\.isLive).map { $0.values("e").count } == [250, 1])
    #expect(desk.subscriptions["fl1"] != nil && desk.subscriptions["fl2"] != nil)
  }

  @Test func channelIsHeardNoMoreOnceItIsNotFollowed() {
    var desk = FollowingDesk.following(Self.two)
    desk.feed(.unfollow(ChannelID(rawValue: 1)))
    desk.publish(Saying.message("unheard"))
    desk.fire(.gather)
    desk.settle()
    #expect(desk.texts.isEmpty && desk.subscriptions["fl1"] == nil)
    #expect(desk.subscriptions["fl2"]?.first?["#e"] == [.string(Saying.name(2))])
    desk.feed(.unfollow(ChannelID(rawValue: 2)))
    desk.fire(.gather)
    desk.settle()
    #expect(desk.subscriptions.isEmpty && desk.isOpen)
    desk.fire(.idle)
    #expect(!desk.isOpen)
    desk.fire(.tick)
    #expect(desk.timers[.tick] == nil, "nothing is left to wait for")
    // It can be followed again.
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.settle()
    desk.publish(Saying.message("heard"))
    desk.settle()
    #expect(desk.texts == ["unheard", "heard"] && desk.news.map(\.isLive) == [false, true])
  }

  @Test func sameChannelAgainChangesNothing() {
    var desk = FollowingDesk.following(Self.two)
    let before = desk.requests.count
    desk.feed(.follow(Saying.channel(1)))
    desk.settle()
    #expect(desk.requests.count == before && desk.timers[.gather] == nil && desk.syncs.count == 2)
  }

  // MARK: - Refusals

  @Test func channelThatTheRelayHidesDoesNotHideOthers() {
    var desk = FollowingDesk()
    desk.refusal = { $0.values("e").contains(Saying.name(3)) ? "auth-required: who are you?" : nil }
    for number in 1...7 as ClosedRange<Int64> { desk.feed(.follow(Saying.channel(number))) }
    desk.connect()
    desk.settle()
    for number in 1...7 as ClosedRange<Int64> { desk.publish(Saying.message("\(number)", in: number)) }
    desk.settle()
    #expect(desk.texts == ["1", "2", "4", "5", "6", "7"])
    #expect(failures(desk) == [3: .authRequired] && complete(desk) == [1, 2, 4, 5, 6, 7])
    #expect(desk.requests.contains { $0.isLive && $0.values("e").count == 4 }, "their number is not the reason")
    // It is asked for again, less and less often.
    func asked() -> Int { desk.requests.count { $0.isLive && $0.values("e") == [Saying.name(3)] } }
    #expect(asked() == 1)
    desk.pass(ticks: LiveReader.retryTicksFirst)
    #expect(asked() == 2)
    desk.pass(ticks: LiveReader.retryTicksFirst)
    #expect(asked() == 2)
    desk.pass(ticks: LiveReader.retryTicksFirst)
    #expect(asked() == 3)
    desk.refusal = { _ in nil }
    desk.pass(ticks: 4 * LiveReader.retryTicksFirst)
    #expect(desk.texts.suffix(1) == ["3"], "what was missed is asked for")
  }

  @Test func relayThatRefusesEverythingIsNotAskedForEver() {
    var desk = FollowingDesk()
    desk.refusal = { _ in "blocked: go away" }
    for number in 1...250 as ClosedRange<Int64> { desk.feed(.follow(Saying.channel(number))) }
    desk.connect()
    desk.settle()
    #expect(desk.requests.count { $0.isLive } <= 2 * LiveReader.divisionsMax + 1)
    #expect(failures(desk).count == 250 && failures(desk).values.allSatisfy { $0 == .rejected })
  }

  /// Those that were not divided are divided later.
  @Test func relayThatTakesFewChannelsAfterItTookNoneGetsAll() {
    var desk = FollowingDesk()
    desk.refusal = { _ in "blocked: go away" }
    for number in 1...250 as ClosedRange<Int64> { desk.feed(.follow(Saying.channel(number))) }
    desk.connect()
    desk.settle()
    desk.refusal = { $0.values("e").count > 20 ? "invalid: too many values" : nil }
    desk.pass(ticks: 200)
    let heard = desk.subscriptions.filter { $0.key.hasPrefix("fl") }.values.joined().flatMap {
      $0["#e"]?.array?.compactMap(\.string) ?? []
    }
    #expect(Set(heard).count == 250)
  }

  @Test(arguments: ["blocked: too many subscriptions", "rate-limited: slow down", "error: try later"])
  func moreSubscriptionsAreNoRemedyForTooMany(_ text: String) {
    var desk = FollowingDesk()
    desk.refusal = { $0.isLive ? text : nil }
    for channel in Self.two { desk.feed(.follow(channel)) }
    desk.connect()
    desk.settle()
    #expect(desk.requests.count { $0.isLive } == 1)
    #expect(complete(desk) == [1, 2], "they can be read all the same")
  }

  /// Some relays say nothing, or only a NOTICE, to a request that is too long for them.
  @Test func requestThatIsTooLongForTheRelayIsDividedAndItsSizeRemembered() {
    var desk = FollowingDesk()
    desk.ignores = { $0.values("e").count > 20 }
    for number in 1...100 as ClosedRange<Int64> { desk.feed(.follow(Saying.channel(number))) }
    desk.connect()
    desk.settle()
    for _ in 0..<100 where desk.timers[.answer] != nil {
      desk.fire(.answer)
      desk.settle()
    }
    #expect(desk.isOpen && complete(desk).count == 100 && failures(desk).isEmpty)
    for number in 1...100 as ClosedRange<Int64> { desk.publish(Saying.message("\(number)", in: number)) }
    desk.settle()
    #expect(Set(desk.texts).count == 100)
    let before = desk.requests.count
    desk.lose()
    desk.fire(.reconnect)
    desk.connect()
    desk.settle()
    let sizes = desk.requests.dropFirst(before).filter { $0.isLive || $0.isPage }.map { $0.values("e").count }
    #expect(desk.timers[.answer] == nil && sizes.allSatisfy { $0 <= 20 } && (sizes.max() ?? 0) > 5, "\(sizes)")
  }

  /// Several filters in one request are refused by some relays, and others heed only the first.
  @Test func eachRequestHasOneFilter() {
    let one = Saying.message("one")
    let stored = [one, Saying.reaction("+", to: one), Saying.event(9, [["h", "club2"]], "two")]
    var desk = FollowingDesk.following([Saying.channel(1), Saying.group(2)], stored: stored)
    desk.pass(ticks: MarkReader.renewalTicks)
    desk.feed(.follow(Saying.group(3)))
    desk.feed(.follow(Saying.channel(4)))
    desk.fire(.gather)
    desk.settle()
    #expect(desk.requests.allSatisfy { $0.filters.count == 1 })
    #expect(complete(desk) == [1, 2, 3, 4] && desk.subscriptions.keys.count { $0.hasPrefix("fl") } == 2)
    desk.publish(Saying.event(9, [["h", "club3"]], "three"))
    desk.publish(Saying.message("four", in: 4))
    desk.settle()
    #expect(desk.texts.suffix(2) == ["three", "four"])
  }

  @Test func subscriptionThatTheRelayEndsIsAskedForAgain() {
    var desk = FollowingDesk.following(Self.two)
    desk.feed(.received(.closed(subscription: "fl1", text: "error: shutting down idle subscription")))
    desk.stored.append(Saying.message("unheard", at: FollowingDesk.noon))
    desk.settle()
    #expect(desk.texts.isEmpty && failures(desk).count == 2)
    desk.pass(ticks: LiveReader.retryTicksFirst)
    #expect(desk.texts == ["unheard"] && desk.news.allSatisfy { !$0.isLive })
    desk.publish(Saying.message("heard"))
    desk.settle()
    #expect(desk.texts == ["unheard", "heard"])
  }

  // MARK: - Connection

  @Test func whatWasMissedWithoutAConnectionIsAskedForTogether() throws {
    var desk = FollowingDesk.following(Self.two, stored: [Saying.message("before", at: FollowingDesk.noon - 5_000)])
    desk.lose()
    #expect(desk.timers[.reconnect] != nil && desk.timers[.answer] == nil)
    desk.now += 10_000
    desk.stored.append(Saying.message("meanwhile", in: 2, at: desk.now))
    let before = desk.requests.count
    desk.fire(.reconnect)
    desk.connect()
    desk.settle()
    #expect(desk.texts == ["before", "meanwhile"])
    let page = try #require(desk.requests.dropFirst(before).first { $0.isPage })
    #expect(page.values("e").sorted() == [Saying.name(1), Saying.name(2)])
    #expect(page.filters.first?["since"] == .integer(FollowingDesk.noon - PageReader.overlap - 1))
    #expect(desk.syncs.count == 2, "no one asked for everything")
  }

  @Test func relayThatCannotBeReachedIsReportedOnceForEachWish() {
    var desk = FollowingDesk()
    for channel in Self.two { desk.feed(.follow(channel)) }
    desk.feed(.dialFailed(.unreachable("refused")))
    #expect(failures(desk) == [1: .unreachable, 2: .unreachable] && desk.timers[.reconnect] != nil)
    desk.fire(.reconnect)
    desk.feed(.dialFailed(.unreachable("refused")))
    #expect(desk.syncs.count == 2)
    desk.feed(.sync(ChannelID(rawValue: 2)))
    desk.fire(.reconnect)
    desk.feed(.dialFailed(.unreachable("refused")))
    #expect(desk.syncs.map(\.channel) == [1, 2, 2])
    desk.fire(.reconnect)
    desk.feed(.opened(roundTrip: .zero))
    #expect(desk.timers[.stable] != nil)
  }

  @Test func relayThatAnswersNothingIsLeft() {
    var desk = FollowingDesk()
    desk.isMute = true
    desk.feed(.follow(Saying.channel(1)))
    desk.connect()
    desk.fire(.answer)
    #expect(desk.isOpen, "perhaps it does not answer this")
    desk.fire(.answerHistory)
    #expect(!desk.isOpen && failures(desk) == [1: .timeout] && desk.timers[.reconnect] != nil)
  }

  @Test func relayThatFloodsIsLeftAlone() {
    var desk = FollowingDesk.following(Self.two)
    desk.feed(.flooded("too much"))
    #expect(!desk.isOpen && desk.timers[.reconnect] == NostrLimits().floodWaitFirst)
    desk.feed(.sync(ChannelID(rawValue: 1)))
    #expect(failures(desk) == [1: .misbehaving], "no one waits for it")
    #expect(!desk.isDialing)
  }

  @Test func relayThatDoesNotSpeakNostrIsLeft() {
    var desk = FollowingDesk.following(Self.two)
    for _ in 0..<NostrLimits().rubbishMax { desk.feed(.received(nil)) }
    #expect(!desk.isOpen && desk.timers[.reconnect] != nil)
  }

  @Test func messagesThatCannotBeReadCostNothingButThemselves() {
    var desk = FollowingDesk.following(Self.two)
    for name in desk.subscriptions.keys.map(Optional.some) + [nil] {
      for _ in 0..<20 { desk.feed(.received(.unreadable(subscription: name, createdAt: desk.now, bytes: 300))) }
    }
    desk.publish(Saying.message("good", at: desk.now))
    #expect(desk.isOpen && desk.texts == ["good"])
    desk.feed(.sync(ChannelID(rawValue: 1)))
    desk.settle()
    #expect(desk.syncs.last?.outcome == .complete)
  }

  @Test func relayMaySendWhatIsSaid() {
    var desk = FollowingDesk()
    desk.feed(.follow(Saying.channel(1)))
    desk.isMute = true
    desk.connect()
    let limits = NostrLimits()
    #expect(desk.credit == limits.followedMax - limits.unaskedMax)
    desk.fire(.tick)
    #expect(desk.credit == limits.followedMax - limits.unaskedMax + 5 * (limits.followedPerSecond - limits.unaskedPerSecond))
  }
}
