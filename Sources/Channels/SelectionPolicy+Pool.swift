extension SelectionPolicy {
  /// The eligible relays of a network, arranged so that choosing a few of them does not go through all.
  ///
  /// Arranging takes time in proportion to n log n for n relays. Choosing k of them takes k² log n, for any loads.
  public struct Pool: Sendable {
    /// The relays that are known to work. They are in `sound` too.
    private let good: Tier
    private let sound: Tier
    private let degraded: Tier
    private let failing: Tier

    /// - Parameter candidates: the relays, in any order. Relays that are not eligible are left out.
    public init(_ candidates: [Candidate]) {
      // They are sorted, so that nothing depends on the order in which they came.
      let entries = candidates.filter(\.isEligible).map(Entry.init).sorted { $0.key < $1.key }
      good = Tier(entries.filter { $0.reliability == .good })
      sound = Tier(entries.filter(\.reliability.isSound))
      degraded = Tier(entries.filter { $0.reliability == .degraded })
      failing = Tier(entries.filter { $0.reliability == .failing })
    }

    /// The number of relays.
    public var count: Int { sound.entries.count + degraded.entries.count + failing.entries.count }
    public var isEmpty: Bool { count == 0 }

    /// The relays that a channel should get, in the order in which they should be used.
    /// - Parameters:
    ///   - seed: the same seed and loads give the same order.
    ///   - limit: how many are needed. Fewer are returned if there are not enough.
    ///   - members: the relays that the channel has already.
    ///   - load: returns how many channels a relay carries. It is called for two relays per place.
    public func order(
      seed: UInt64, limit: Int, beside members: Members = Members(), load: (RelayID) -> Int
    ) -> [RelayID] {
      var choice = Choice(seed: seed, limit: limit, beside: members)
      choice.takeOwn(from: good, load)
      choice.takeGood(from: good, load)
      choice.takeAll(from: sound, load)
      choice.takeAll(from: degraded, load)
      choice.takeAll(from: failing, load)
      return choice.taken.map(\.relay)
    }
  }

  /// A relay, with what matters when it is chosen.
  private struct Entry: Sendable {
    let relay: RelayID
    /// The owner's number, equal for relays that fail together because of one operator. Each own relay has its own number below zero.
    let owner: Int64
    let reliability: Reliability

    init(_ candidate: Candidate) {
      relay = candidate.relay
      owner = candidate.relayOperator?.rawValue ?? -candidate.relay.rawValue
      reliability = candidate.reliability
    }

    var isOwn: Bool { owner < 0 }
    var key: (Int64, RelayID) { (owner, relay) }
  }

  /// Relays of one class in the order of their keys: own ones first, relays of one operator side by side.
  private struct Tier: Sendable {
    let entries: [Entry]
    let ownCount: Int

    init(_ entries: [Entry]) {
      self.entries = entries
      ownCount = entries.count(where: \.isOwn)
    }

    /// The positions of the relays of `owner`.
    func places(of owner: Int64) -> Range<Int> { firstPlace { $0.owner >= owner }..<firstPlace { $0.owner > owner } }

    /// The position of `entry`, if it is in this class.
    func place(of entry: Entry) -> Int? {
      let place = firstPlace { $0.key >= entry.key }
      return place < entries.count && entries[place].relay == entry.relay ? place : nil
    }

    /// The first position from which `isBeyond` holds.
    private func firstPlace(where isBeyond: (Entry) -> Bool) -> Int {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if isBeyond(entries[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }

    /// The relay with this number among those outside of `gaps`, which are in order and do not overlap.
    func entry(_ number: Int, outside gaps: [Range<Int>]) -> Entry {
      var place = number
      for gap in gaps where gap.lowerBound <= place { place += gap.count }
      return entries[place]
    }
  }

  /// A choice in progress.
  private struct Choice {
    private(set) var taken: [Entry] = []
    private let limit: Int
    private var random: SplitMix64
    private var hasOwn: Bool
    private var hasGood: Bool
    /// The number of relays that the channel has of each owner. Owners without any are missing.
    private var used: [Int64: Int]

    init(seed: UInt64, limit: Int, beside members: Members) {
      random = SplitMix64(seed: seed)
      self.limit = limit
      hasOwn = members.hasOwn
      hasGood = members.hasGood
      used = Dictionary(uniqueKeysWithValues: members.operators.map { ($0.key.rawValue, $0.value) })
    }

    /// Gives an own relay a place, unless the channel has one.
    mutating func takeOwn(from tier: Tier, _ load: (RelayID) -> Int) {
      guard !hasOwn, taken.count < limit, tier.ownCount > 0 else { return }
      take(draw(from: tier, tier.ownCount, outside: [], load))
    }

    /// Gives a relay that is known to work a place, unless the channel has one.
    mutating func takeGood(from tier: Tier, _ load: (RelayID) -> Int) {
      guard !hasGood, taken.count < limit else { return }
      takeInTurns(from: tier, upTo: taken.count + 1, load)
    }

    /// Gives relays of one class places until the limit is reached or none are left.
    mutating func takeAll(from tier: Tier, _ load: (RelayID) -> Int) {
      takeOwn(from: tier, load)
      takeInTurns(from: tier, upTo: limit, load)
    }

    /// Gives relays places until `end` of them are used or none are left.
    private mutating func takeInTurns(from tier: Tier, upTo end: Int, _ load: (RelayID) -> Int) {
      var turn = 0
      while taken.count < end {
        let gaps = gaps(in: tier, turn)
        let left = gaps.reduce(tier.entries.count) { $0 - $1.count }
        if left > 0 {
          take(draw(from: tier, left, outside: gaps, load))
        } else if turn < used.values.max() ?? 0 {
          turn += 1
        } else {
          return
        }
      }
    }

    /// The positions of relays that may not be drawn: their owners have had this turn, or they are chosen already.
    private func gaps(in tier: Tier, _ turn: Int) -> [Range<Int>] {
      var gaps: [Range<Int>] = []
      for (owner, count) in used where count > turn { gaps.append(tier.places(of: owner)) }
      for entry in taken where used[entry.owner, default: 0] <= turn {
        if let place = tier.place(of: entry) { gaps.append(place..<place + 1) }
      }
      gaps.sort { $0.lowerBound < $1.lowerBound }
      return gaps
    }

    /// The one of two random relays that carries fewer channels, or the first if both carry the same number.
    /// - Parameter count: how many relays of `tier` stand outside of `gaps`, or how many of the first ones to draw from.
    private mutating func draw(
      from tier: Tier, _ count: Int, outside gaps: [Range<Int>], _ load: (RelayID) -> Int
    ) -> Entry {
      let number = Int.random(in: 0..<count, using: &random)
      let first = tier.entry(number, outside: gaps)
      guard count > 1 else { return first }
      let other = Int.random(in: 0..<count - 1, using: &random)
      let second = tier.entry(other < number ? other : other + 1, outside: gaps)
      return load(second.relay) < load(first.relay) ? second : first
    }

    private mutating func take(_ entry: Entry) {
      taken.append(entry)
      used[entry.owner, default: 0] += 1
      hasOwn = hasOwn || entry.isOwn
      hasGood = hasGood || entry.reliability == .good
    }
  }
}
