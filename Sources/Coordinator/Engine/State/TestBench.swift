internal import DequeModule
internal import Storage

/// Peers whose tests are due and wait for others to end, in order, each once.
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

/// The tests in the background: which are due, and which run. It does not decide when they are due.
struct TestBench {
  private var waiting = TestQueue()
  private var running: Set<Probed> = []

  func isRunning(_ peer: Probed) -> Bool { running.contains(peer) }

  /// Notes that a peer's test is due.
  mutating func add(_ peer: Probed) { waiting.add(peer) }

  /// Drops all waiting tests.
  mutating func forgetWaiting() { waiting = TestQueue() }

  /// Drops all tests.
  /// - Returns: those that were running.
  mutating func stop() -> Set<Probed> {
    defer { (running, waiting) = ([], TestQueue()) }
    return running
  }

  /// The next peer whose test may begin: not one that is being tested, and no more at once than `atOnceMax`.
  mutating func next(atOnceMax: Int) -> Probed? {
    while running.count < atOnceMax, let peer = waiting.next() {
      if !running.contains(peer) { return peer }
    }
    return nil
  }

  mutating func began(_ peer: Probed) { running.insert(peer) }

  /// Notes that a test ended, or was given up.
  /// - Returns: whether it was running; a result of a test that was given up before comes too late.
  mutating func ended(_ peer: Probed) -> Bool { running.remove(peer) != nil }
}
