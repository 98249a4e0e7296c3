import Channels
import Testing

/// The spread of channels over relays that already carry some.
struct LoadSelectionTests {
  private typealias Candidate = SelectionPolicy.Candidate

  private func candidate(_ id: Int, _ owner: Int? = nil, _ reliability: SelectionPolicy.Reliability = .good) -> Candidate {
    Candidate(
      relay: RelayID(rawValue: Int64(id)), relayOperator: owner.map { OperatorID(rawValue: Int64($0)) },
      reliability: reliability)
  }

  /// - Parameters:
  ///   - owners: the number of operators that share the relays; 0 makes them own relays.
  ///   - interval: the number of channels after which those relays that carry channels are found to be up again.
  @Test(arguments: [0, 40], [4_000, 400, 50]) func equalRelaysCarryAboutTheSame(owners: Int, interval: Int) {
    let relays = 2_000
    var loads = [Int](repeating: 0, count: relays + 1)
    var pool = SelectionPolicy.Pool([])
    for number in 0..<4_000 {
      if number.isMultiple(of: interval) {
        pool = SelectionPolicy.Pool(
          (1...relays).map { candidate($0, owners == 0 ? nil : $0 % owners + 1, loads[$0] > 0 ? .good : .untested) })
      }
      let chosen = pool.order(seed: UInt64(number), limit: 3) { loads[Int($0.rawValue)] }
      #expect(Set(chosen).count == 3)
      for relay in chosen { loads[Int(relay.rawValue)] += 1 }
    }
    // At most three times the mean, and hardly a relay without a channel.
    #expect(loads.max() ?? 0 <= 18)
    #expect(loads.dropFirst().count { $0 > 0 } >= relays * 9 / 10)
  }

  @Test func lessLoadedOfTwoIsChosenAndTheSeedDecidesBetweenEquals() {
    let candidates = [candidate(1, 1), candidate(2, 2)]
    var firsts = 0
    for seed in 0..<200 as Range<UInt64> {
      #expect(SelectionPolicy.order(candidates, seed: seed, limit: 1) { $0.rawValue == 1 ? 8 : 7 } == [RelayID(rawValue: 2)])
      if SelectionPolicy.order(candidates, seed: seed, limit: 1, load: { _ in 7 }) == [RelayID(rawValue: 1)] { firsts += 1 }
    }
    // By chance: 5 standard deviations are 35.
    #expect((65...135).contains(firsts), "\(firsts) of 200")
  }

  @Test func mostLoadedRelayGetsNothingAsLongAsOthersAreLeft() {
    let candidates = (1...10).map { candidate($0, $0) }
    for seed in 0..<500 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed) { $0.rawValue == 3 ? 1 : 0 }
      #expect(order.last == RelayID(rawValue: 3), "seed \(seed)")
    }
  }

  @Test func ownRelaysShareTheLeadByLoad() {
    let candidates = [candidate(1), candidate(2), candidate(3, 1)]
    for seed in 0..<200 as Range<UInt64> {
      #expect(
        SelectionPolicy.order(candidates, seed: seed, limit: 1) { [0, 5, 4, 0][Int($0.rawValue)] } == [RelayID(rawValue: 2)])
    }
  }

  // MARK: - Untested relays

  @Test func untestedRelaysGetChannelsAndNoChannelDependsOnThemAlone() {
    let candidates = (1...5).map { candidate($0, $0) } + (6...25).map { candidate($0, $0, .untested) }
    var untested = 0
    for seed in 0..<500 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed, limit: 3)
      #expect((1...5).contains(order[0].rawValue), "seed \(seed)")
      untested += order.count { $0.rawValue > 5 }
    }
    // Two of three places are for all alike: 20 of 24 are untested, and 5 standard deviations of 833 are 59.
    #expect((774...892).contains(untested), "\(untested)")
  }

  @Test func channelThatHasAGoodRelayMayGetAnUntestedOneFirst() {
    let candidates = [candidate(1, 1), candidate(2, 2, .untested)]
    var members = SelectionPolicy.Members()
    members.add(of: OperatorID(rawValue: 3), isGood: true)
    for seed in 0..<100 as Range<UInt64> {
      let load = { (relay: RelayID) in relay.rawValue == 1 ? 1 : 0 }
      #expect(SelectionPolicy.order(candidates, seed: seed, beside: members, load: load).map(\.rawValue) == [2, 1])
      #expect(SelectionPolicy.order(candidates, seed: seed, load: load).map(\.rawValue) == [1, 2])
    }
  }

  @Test func untestedOwnRelayComesBehindAnotherThatIsKnownToWork() {
    let candidates = [candidate(1, nil, .untested), candidate(2, 1), candidate(3, 2), candidate(4, 3, .untested)]
    for seed in 0..<200 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed).map(\.rawValue)
      #expect([2, 3].contains(order[0]) && order[1] == 1, "seed \(seed)")
      // It leads if no relay is known to work.
      #expect(SelectionPolicy.order([candidates[0], candidates[3]], seed: seed).map(\.rawValue) == [1, 4])
    }
  }

  // MARK: - Operators

  /// Whatever the relays carry: no operator has two more places than another that still has a sound relay to give.
  @Test func loadsDoNotUndoTheTurnsOfOperators() {
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 2...15, using: &random)
      let candidates = (1...count).map {
        candidate($0, Int.random(in: 1...4, using: &random), Bool.random(using: &random) ? .good : .untested)
      }
      let loads = (0...count).map { _ in Int.random(in: 0...9, using: &random) }
      let owner = Dictionary(uniqueKeysWithValues: candidates.map { ($0.relay, $0.relayOperator) })
      let order = SelectionPolicy.order(candidates, seed: seed &* 7) { loads[Int($0.rawValue)] }
      #expect(Set(order) == Set(candidates.map(\.relay)) && order.count == count, "seed \(seed)")
      for length in 1...count {
        let used = Dictionary(grouping: order.prefix(length)) { owner[$0] }.mapValues(\.count)
        for other in Set(order.dropFirst(length).map { owner[$0] }) {
          #expect((used[other] ?? 0) >= (used.values.max() ?? 0) - 1, "seed \(seed), \(length) chosen")
        }
      }
    }
  }

  @Test func operatorsThatTheChannelDependsOnComeLast() {
    let candidates = [candidate(1, 1), candidate(2, 1), candidate(3, 2), candidate(4, 3), candidate(5)]
    var members = SelectionPolicy.Members()
    members.add(of: OperatorID(rawValue: 1), isGood: true)
    members.add(of: OperatorID(rawValue: 1), isGood: false)
    members.add(of: OperatorID(rawValue: 2), isGood: false)
    for seed in 0..<200 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed, beside: members) { [0, 0, 0, 9, 9, 9][Int($0.rawValue)] }
      #expect(order.prefix(3).map(\.rawValue) == [5, 4, 3], "seed \(seed)")
    }
    members.add(of: nil, isGood: false)
    let firsts = Set((0..<100).map { SelectionPolicy.order(candidates, seed: $0, beside: members).first?.rawValue })
    #expect(firsts == [4, 5], "an own relay leads once, and the channel has one")
  }

  // MARK: - Seeds

  @Test func orderFollowsFromSeedAndLoads() {
    let candidates = (1...40).map { candidate($0, $0 % 7 == 0 ? nil : $0 % 5 + 1, $0 % 3 == 0 ? .untested : .good) }
    let load = { (relay: RelayID) in Int(relay.rawValue * 31 % 11) }
    var orders: Set<[RelayID]> = []
    for seed in 0..<100 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed, load: load)
      #expect(SelectionPolicy.order(candidates.reversed(), seed: seed, load: load) == order)
      let few = SelectionPolicy.Pool(candidates).order(seed: seed, limit: 4, load: load)
      #expect(few == Array(order.prefix(4)), "fewer are the first of more")
      orders.insert(order)
    }
    #expect(orders.count == 100)
  }
}

/// The reliability of a relay, as it follows from its health.
struct ReliabilityTests {
  private static let now = Timestamp(milliseconds: 1_750_000_000_000)

  private func reliability(_ condition: PeerCondition, after seconds: Int = 0) -> SelectionPolicy.Reliability {
    condition.reliability(at: Self.now + .seconds(seconds))
  }

  @Test func classesFollowFromHealth() {
    var relay = PeerCondition()
    #expect(reliability(relay) == .untested)
    relay.connected(roundTrip: .milliseconds(3), at: Self.now)
    #expect(reliability(relay) == .good, "its connection stands")
    relay.testPassed(isFull: true, roundTrip: nil, at: Self.now)
    #expect(reliability(relay) == .good)
    relay.testFailed(.timeout, "connect: no answer", isConnected: false, at: Self.now)
    #expect(relay.health == .degraded && reliability(relay, after: 3_600) == .degraded, "until a test passes")
    relay.testFailed(.timeout, "connect: no answer", isConnected: false, at: Self.now)
    #expect(relay.health == .down && reliability(relay, after: 3_600) == .failing)
    relay.testPassed(isFull: true, roundTrip: nil, at: Self.now)
    #expect(reliability(relay, after: 599) == .degraded && reliability(relay, after: 600) == .good)
  }

  /// It ends at the announced time, and not before.
  @Test func reliabilityEndsWhenItSays() {
    for offset in [-700, -600, -599, -1, 0, 1, 5] {
      var relay = PeerCondition(tested: true)
      relay.failedAt = Self.now + .seconds(offset)
      var ends: [Int] = []
      var last = reliability(relay)
      for second in 1...700 {
        let next = reliability(relay, after: second)
        if next != last { ends.append(second) }
        last = next
      }
      let said = relay.reliabilityEnds(after: Self.now)
      #expect(said == ends.first.map { Self.now + .seconds($0) }, "failed at \(offset) s")
    }
    #expect(PeerCondition().reliabilityEnds(after: Self.now) == nil)
  }
}
