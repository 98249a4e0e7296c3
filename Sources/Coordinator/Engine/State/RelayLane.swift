internal import Channels
internal import DequeModule
internal import RelayNetwork

/// Operations on their way to one relay: a few at the network, and the rest in order behind them. So the backlog of one relay never delays
/// another.
struct RelayLane {
  /// The maximum number of simultaneous operations at the network.
  static let outstandingMax = 256

  private var queue: Deque<RelayOperation> = []
  /// The latest operation of each channel at the network.
  private var outstanding: [ChannelID: Int] = [:]

  var isEmpty: Bool { queue.isEmpty && outstanding.isEmpty }

  mutating func add(_ operation: RelayOperation) { queue.append(operation) }

  /// Records that an operation is over.
  mutating func finished(_ channel: ChannelID, number: Int) {
    if outstanding[channel] == number { outstanding[channel] = nil }
  }

  /// The operations that may go to the network now.
  /// - Parameter isCurrent: whether an operation of a channel is still wanted. Other operations are dropped, and give up their place.
  mutating func next(isCurrent: (ChannelID, _ number: Int) -> Bool) -> [RelayOperation] {
    var ready: [RelayOperation] = []
    // Operations that the network never answered have timed out by now, and must not occupy places forever.
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
