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

/// The tests in the background: which are due, and which run. It says nothing of when they are due.
struct TestBench {
  private var waiting = TestQueue()
  private var running: Set<Probed> = []

  func isRunning(_ peer: Probed) -> Bool { running.contains(peer) }

  /// The time of a peer's test has come.
  mutating func add(_ peer: Probed) { waiting.add(peer) }

  /// Nothing that waits is tested after all.
  mutating func forgetWaiting() { waiting = TestQueue() }

  /// The next peer whose test may begin: not one that is being tested, and no more at once than `atOnceMax`.
  mutating func next(atOnceMax: Int) -> Probed? {
    while running.count < atOnceMax, let peer = waiting.next() {
      if !running.contains(peer) { return peer }
    }
    return nil
  }

  mutating func began(_ peer: Probed) { running.insert(peer) }

  /// A test ended, or was given up.
  /// - Returns: whether it ran at all; what is said of one that was given up before comes too late.
  mutating func ended(_ peer: Probed) -> Bool { running.remove(peer) != nil }
}
