internal import DequeModule
internal import Storage

/// Peers whose test is due and waits for others to end, in order, each once.
struct TestQueue {
  private var order: Deque<Probed> = []
  private var members: Set<Probed> = []

  mutating func add(_ peer: Probed) {
    if members.insert(peer).inserted { order.append(peer) }
  }

  mutating func next() -> Probed? {
    guard let peer = order.popFirst() else { return nil }
    members.remove(peer)
    return peer
  }
}
