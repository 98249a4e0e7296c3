internal import DequeModule
internal import Storage

/// Peers whose tests are due and wait for other tests to end, in order, each once.
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

/// The tests in the background that are due or running. `TestSchedule` decides when they are due.
struct TestBench {
  private var waiting = TestQueue()
  private var running: Set<Probed> = []

  func isRunning(_ peer: Probed) -> Bool { running.contains(peer) }

  /// Records that a peer's test is due.
  mutating func add(_ peer: Probed) { waiting.add(peer) }

  /// Drops all waiting tests.
  mutating func forgetWaiting() { waiting = TestQueue() }

  /// Drops all tests.
  /// - Returns: the peers whose tests were running.
  mutating func stop() -> Set<Probed> {
    defer { (running, waiting) = ([], TestQueue()) }
    return running
  }

  /// The next peer whose test may begin: one that is not being tested, while fewer than `atOnceMax` tests run.
  mutating func next(atOnceMax: Int) -> Probed? {
    while running.count < atOnceMax, let peer = waiting.next() {
      if !running.contains(peer) { return peer }
    }
    return nil
  }

  mutating func began(_ peer: Probed) { running.insert(peer) }

  /// Records that a test ended, or was given up.
  /// - Returns: whether it was running. The result of a test that was given up comes too late.
  mutating func ended(_ peer: Probed) -> Bool { running.remove(peer) != nil }
}
