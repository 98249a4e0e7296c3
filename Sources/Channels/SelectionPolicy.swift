/// Chooses relays for a channel. It is pure: candidates, their loads and a seed go in, an order comes out.
///
/// Relays are of three classes: sound ones (`good` and `untested`), `degraded` ones, `failing` ones. A class gets places only when no relay
/// of an earlier class is left. Within a class:
/// 1. A random own relay leads, once per channel.
/// 2. Operators take turns: none gets another place while an operator with fewer places has a relay of this class left. Each further own
///    relay counts as a separate operator.
/// 3. For each place, two of the relays whose turn it is are drawn at random, and the one that carries fewer channels gets it.
///
/// Untested relays are as eligible as good ones, with one exception: the first place goes to a good one if there is any, so that no channel
/// depends on untested relays alone. An untested own relay then gets the second place.
public enum SelectionPolicy {
  /// A relay's reliability, as far as it is known.
  public enum Reliability: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// Up, or its latest test passed.
    case good
    /// Neither tested nor connected yet.
    case untested
    /// Degraded, or it failed a short time ago.
    case degraded
    /// Down.
    case failing
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Whether nothing speaks against the relay.
    public var isSound: Bool { self <= .untested }
  }

  /// A relay of the channel's network.
  public struct Candidate: Hashable, Sendable {
    public let relay: RelayID
    /// The relay's operator, or `nil` for an own relay.
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

  /// The relays that a channel has already when it gets further ones.
  public struct Members: Hashable, Sendable {
    /// The number of them that each operator runs.
    private(set) var operators: [OperatorID: Int] = [:]
    private(set) var hasOwn = false
    private(set) var hasGood = false

    /// No relays: the channel is new.
    public init() {}

    /// - Parameters:
    ///   - relayOperator: the relay's operator, or `nil` for an own relay.
    ///   - isGood: whether the relay is known to work.
    public mutating func add(of relayOperator: OperatorID?, isGood: Bool) {
      if let relayOperator { operators[relayOperator, default: 0] += 1 } else { hasOwn = true }
      hasGood = hasGood || isGood
    }
  }
}
