internal import Channels
internal import DequeModule
internal import RelayNetwork

/// Operations on their way to one relay: a few at the network, the rest in order behind them, so that one relay's pile never
/// stands in the way of another's.
struct RelayLane {
  /// Operations that may be at the network at once.
  static let outstandingMax = 256

  private var queue: Deque<RelayOperation> = []
  /// The latest operation of each channel at the network.
  private var outstanding: [ChannelID: Int] = [:]

  var isEmpty: Bool { queue.isEmpty && outstanding.isEmpty }

  mutating func add(_ operation: RelayOperation) { queue.append(operation) }

  /// An operation is over.
  mutating func finished(_ channel: ChannelID, number: Int) {
    if outstanding[channel] == number { outstanding[channel] = nil }
  }

  /// What may go to the network now.
  /// - Parameter isCurrent: whether an operation is still wanted; the others are dropped.
  mutating func next(isCurrent: (RelayOperation) -> Bool) -> [RelayOperation] {
    var ready: [RelayOperation] = []
    while outstanding.count < Self.outstandingMax, let operation = queue.popFirst() {
      guard isCurrent(operation) else { continue }
      outstanding[operation.channel] = operation.number
      ready.append(operation)
    }
    return ready
  }
}
