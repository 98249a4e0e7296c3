internal import Channels
internal import RelayNetwork

/// The lanes of all relays that have operations under way. Other relays use no memory.
struct Lanes {
  /// The lanes of relays with operations that wait or are at the network.
  private(set) var byRelay: [RelayID: RelayLane] = [:]

  mutating func add(_ operation: RelayOperation) { byRelay[operation.relay, default: RelayLane()].add(operation) }

  /// Records that an operation is over.
  mutating func finished(_ channel: ChannelID, at relay: RelayID, number: Int) {
    byRelay[relay]?.finished(channel, number: number)
  }

  /// The operations that may go to the network now.
  /// - Parameter isCurrent: whether an operation of a channel is still wanted. Other operations are dropped, and give up their place.
  mutating func next(at relay: RelayID, isCurrent: (ChannelID, _ number: Int) -> Bool) -> [RelayOperation] {
    // The lane is changed in place, because taking it out would copy its whole queue.
    guard let ready = byRelay[relay]?.next(isCurrent: isCurrent) else { return [] }
    if byRelay[relay]?.isEmpty == true { byRelay[relay] = nil }
    return ready
  }
}
