internal import Channels
internal import RelayNetwork

/// The lanes of all relays that have operations under way. Those of the others take no memory.
struct Lanes {
  private var lanes: [RelayID: RelayLane] = [:]

  /// Relays with operations that wait or are at the network.
  var count: Int { lanes.count }

  mutating func add(_ operation: RelayOperation) { lanes[operation.relay, default: RelayLane()].add(operation) }

  /// Notes that an operation is over.
  mutating func finished(_ channel: ChannelID, at relay: RelayID, number: Int) {
    lanes[relay]?.finished(channel, number: number)
  }

  /// The operations that may go to the network now.
  /// - Parameter isCurrent: whether an operation of a channel is still wanted; the others are dropped, and give up their place.
  mutating func next(at relay: RelayID, isCurrent: (ChannelID, _ number: Int) -> Bool) -> [RelayOperation] {
    // The lane is changed in place: one that is taken out copies its whole queue.
    guard let ready = lanes[relay]?.next(isCurrent: isCurrent) else { return [] }
    if lanes[relay]?.isEmpty == true { lanes[relay] = nil }
    return ready
  }
}
