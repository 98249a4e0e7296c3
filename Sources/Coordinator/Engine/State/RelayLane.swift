internal import Channels
internal import DequeModule
internal import RelayNetwork

/// Operations on their way to one relay: a few at the network, the rest in order behind them, so that one relay's backlog never
/// stands in the way of another's.
struct RelayLane {
  /// The number of operations that may be at the network at once.
  static let outstandingMax = 256

  private var queue: Deque<RelayOperation> = []
  /// The latest operation of each channel at the network.
  private var outstanding: [ChannelID: Int] = [:]

  var isEmpty: Bool { queue.isEmpty && outstanding.isEmpty }

  mutating func add(_ operation: RelayOperation) { queue.append(operation) }

  /// Notes that an operation is over.
  mutating func finished(_ channel: ChannelID, number: Int) {
    if outstanding[channel] == number { outstanding[channel] = nil }
  }

  /// The operations that may go to the network now.
  /// - Parameter isCurrent: whether an operation of a channel is still wanted; the others are dropped, and give up their place.
  mutating func next(isCurrent: (ChannelID, _ number: Int) -> Bool) -> [RelayOperation] {
    var ready: [RelayOperation] = []
    // What the network never answered has timed out by now; it must not hold the places forever.
    if outstanding.count >= Self.outstandingMax, !queue.isEmpty {
      outstanding = outstanding.filter { isCurrent($0.key, $0.value) }
    }
    while outstanding.count < Self.outstandingMax, let operation = queue.popFirst() {
      guard isCurrent(operation.channel, operation.number) else { continue }
      outstanding[operation.channel] = operation.number
      ready.append(operation)
    }
    return ready
  }
}
