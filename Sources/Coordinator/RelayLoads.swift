internal import Channels

/// The number of channels that each relay carries: the channels that have it and have not removed it.
///
/// Committed channels count, and so do the relays of unanswered creations, from the moment of their choice. Thus simultaneous creations see
/// each other's choices. Between its commit and its answer, a new channel briefly counts twice. Other decisions of the engine, such as
/// healing channels, count once they are committed.
struct RelayLoads {
  /// The durable counts. Relays without channels are missing.
  private(set) var carried: [RelayID: Int] = [:]
  /// The choices of unanswered creations. Relays that none of them has chosen are missing.
  private(set) var chosen: [RelayID: Int] = [:]

  subscript(relay: RelayID) -> Int { carried[relay, default: 0] + chosen[relay, default: 0] }

  /// Begins with the stored counts.
  mutating func begin(with carried: [RelayID: Int]) { self.carried = carried }

  /// Applies a commit.
  /// - Parameter changes: how many more or fewer channels each relay carries.
  mutating func carry(_ changes: [RelayID: Int]) {
    for (relay, change) in changes { carried.add(change, to: relay) }
  }

  /// Counts the relays of a creation until `release`.
  mutating func hold(_ relays: [RelayID]) {
    for relay in relays { chosen.add(1, to: relay) }
  }

  /// Stops counting them.
  mutating func release(_ relays: [RelayID]) {
    for relay in relays { chosen.add(-1, to: relay) }
  }
}

extension [RelayID: Int] {
  fileprivate mutating func add(_ change: Int, to relay: RelayID) {
    let sum = self[relay, default: 0] + change
    self[relay] = sum == 0 ? nil : sum
  }
}
