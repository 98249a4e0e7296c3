/// Chooses relays for a channel. Pure: candidates and a seed in, an order out.
public enum SelectionPolicy {
  /// What is known of a relay's reliability.
  public enum Reliability: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// Tested and up.
    case good
    case untested
    /// Down, degraded, or its last test failed.
    case failing
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// A relay of the channel's network.
  public struct Candidate: Hashable, Sendable {
    public let relay: RelayID
    /// nil: one's own relay.
    public let relayOperator: OperatorID?
    public let reliability: Reliability
    /// Whether it may be chosen at all: enabled, not deleted, and its operator enabled.
    public let isEligible: Bool

    public init(
      relay: RelayID, relayOperator: OperatorID?, reliability: Reliability, isEnabled: Bool = true, isDeleted: Bool = false,
      isOperatorEnabled: Bool = true
    ) {
      self.relay = relay
      self.relayOperator = relayOperator
      self.reliability = reliability
      isEligible = isEnabled && !isDeleted && isOperatorEnabled
    }
  }

  /// Puts the eligible candidates into the order in which they should be used: the first N are the choice for N.
  ///
  /// The more reliable come first. Among equals a random own relay leads, once; then operators take turns in a random order, so that
  /// the outage of one operator does not take the channel. Each further own relay counts as an operator of its own. (SimpleX 7.0,
  /// `chooseRandomRelays`; the order by reliability is Baton's.)
  /// - Parameters:
  ///   - candidates: in any order; the result does not depend on it.
  ///   - seed: the same seed gives the same order.
  ///   - limit: how many are needed.
  public static func order(_ candidates: [Candidate], seed: UInt64, limit: Int = .max) -> [RelayID] {
    var random = SplitMix64(seed: seed)
    let eligible = Dictionary(grouping: candidates.filter(\.isEligible), by: \.reliability)
    var used: [Group: Int] = [:]
    var ordered: [RelayID] = []
    var ownIsPlaced = false
    for reliability in Reliability.allCases {
      var rest = (eligible[reliability] ?? []).sorted { $0.relay < $1.relay }
      rest.shuffle(using: &random)
      if !ownIsPlaced, let leader = rest.firstIndex(where: { $0.relayOperator == nil }) {
        ownIsPlaced = true
        ordered.append(rest.remove(at: leader).relay)
      }
      // Shuffled without the leader: whom chance made lead says nothing about the others.
      var groups = Dictionary(grouping: rest, by: group).map { (name: $0.key, relays: $0.value) }.sorted { $0.name < $1.name }
      groups.shuffle(using: &random)
      while !groups.isEmpty, ordered.count < limit {
        let next = groups.indices.min { (used[groups[$0].name] ?? 0, $0) < (used[groups[$1].name] ?? 0, $1) }
        guard let next, let relay = groups[next].relays.popLast() else { break }
        used[groups[next].name, default: 0] += 1
        ordered.append(relay.relay)
        if groups[next].relays.isEmpty { groups.remove(at: next) }
      }
    }
    return Array(ordered.prefix(limit))
  }

  /// Relays that fail together: those of one operator.
  private struct Group: Hashable, Comparable {
    let relayOperator: Int64
    let own: Int64
    static func < (a: Self, b: Self) -> Bool { (a.relayOperator, a.own) < (b.relayOperator, b.own) }
  }

  private static func group(_ candidate: Candidate) -> Group {
    candidate.relayOperator.map { Group(relayOperator: $0.rawValue, own: 0) }
      ?? Group(relayOperator: 0, own: candidate.relay.rawValue)
  }
}
