/// Chooses relays for a channel (DESIGN §5). Pure: candidates and a seed in, an order out.
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

  /// Puts all eligible candidates into the order in which they should be used: the first N are the choice for N.
  ///
  /// The more reliable come first; among equals one's own relay leads, then operators take turns in an order that the seed
  /// shuffles, so that the outage of one operator does not take the channel. Each own relay counts as an operator of its own.
  /// - Parameters:
  ///   - candidates: in any order; the result does not depend on it.
  ///   - seed: the same seed gives the same order.
  public static func order(_ candidates: [Candidate], seed: UInt64) -> [RelayID] {
    var random = SplitMix64(seed: seed)
    var rest = candidates.filter(\.isEligible).sorted { $0.relay < $1.relay }
    rest.shuffle(using: &random)
    var groups = Set(rest.map(group)).sorted()
    groups.shuffle(using: &random)
    let rank = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($1, $0) })

    var used: [Group: Int] = [:]
    var ordered: [RelayID] = []
    var ownIsPlaced = false
    while !rest.isEmpty {
      let best = rest.indices.min { a, b in
        key(rest[a], used, rank, ownIsPlaced) < key(rest[b], used, rank, ownIsPlaced)
      }
      guard let best else { break }
      let chosen = rest.remove(at: best)
      used[group(chosen), default: 0] += 1
      ownIsPlaced = ownIsPlaced || chosen.relayOperator == nil
      ordered.append(chosen.relay)
    }
    return ordered
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

  private static func key(
    _ candidate: Candidate, _ used: [Group: Int], _ rank: [Group: Int], _ ownIsPlaced: Bool
  ) -> (Int, Int, Int, Int) {
    let group = group(candidate)
    let leads = !ownIsPlaced && candidate.relayOperator == nil
    return (candidate.reliability.rawValue, leads ? 0 : 1, used[group] ?? 0, rank[group] ?? 0)
  }
}
