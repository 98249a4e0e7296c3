internal import Channels
internal import Storage

// The next operations at relays.
extension PostDecider {
  /// Updates the addresses of relays. Operations at an old address do not report any longer.
  mutating func follow(_ places: [RelayID: RelayRow]) {
    func hasMoved(_ relay: RelayID) -> Bool { relays[relay].map { $0.address != places[relay]?.address } ?? false }
    let moved = lanes.keys.filter { lanes[$0]?.isIdle == false && hasMoved($0) }
    relays = places
    // It is committed like the consequences of an input.
    if !moved.isEmpty { open.inputCount += 1 }
    for relay in moved.sorted() {
      for id in (lanes[relay]?.underWay ?? []).sorted() {
        guard let operation = awake[id]?.machine(at: relay)?.underWay?.operation else { continue }
        let trouble = Trouble(.unreachable, "the relay moved to another address")
        feed(.troubled(operation: operation, trouble, retryAfter: nil), to: id, at: relay)
      }
    }
  }

  /// Adds the due posts of a relay that storage returned.
  mutating func serve(_ relay: RelayID, _ facts: PostFacts) {
    open.touchedLanes.insert(relay)
    lanes[relay, default: PostLane()].awakened(at: now)
    if let due = facts.due[relay] { take(due.posts, next: due.next, limit: due.limit, for: relay) }
    if let page = facts.returned[relay] { tellReturned(page, relay) }
  }

  /// - Parameter limit: the number of posts that were requested.
  private mutating func take(_ posts: [PostID], next: Timestamp?, limit: Int, for relay: RelayID) {
    let isFull = posts.count >= limit
    lanes[relay]?.learned(next: next)
    lanes[relay]?.isHungry = isFull
    var offered = 0
    for id in posts {
      guard let machine = awake[id]?.machine(at: relay), let due = due(machine), due <= now else { continue }
      lanes[relay]?.offer(id, inOrder: false)
      offered += 1
    }
    // Unreadable posts come before others, and there are too many to read beyond them now.
    if isFull, offered == 0, limit >= dueLimit {
      lanes[relay]?.isHungry = false
      lanes[relay]?.sleeps(until: now + Self.upkeepInterval)
    }
  }

  /// Informs posts that had trouble with the connection to a relay that it is back.
  private mutating func tellReturned(_ page: (posts: [PostID], isLast: Bool), _ relay: RelayID) {
    for id in page.posts { feed(.relayReturned, to: id, at: relay) }
    lanes[relay]?.returning = page.isLast ? (false, nil) : (true, page.posts.last)
  }

  /// Starts the operations that wait for a relay while its lane has room.
  mutating func serve(_ relay: RelayID) {
    while lanes[relay].map({ $0.room(at: now) > 0 && $0.hasReady }) == true, let id = lanes[relay]?.popReady() {
      open.seen.insert(id)
      guard let machine = awake[id]?.machine(at: relay), let due = due(machine), due <= now else { continue }
      feed(.timerFired, to: id, at: relay)
    }
    guard let lane = lanes[relay] else { return }
    let asksStorage = lane.room(at: now) > 0 && !lane.hasReady && lane.wantsMore
    let asks = PostInput.serve(relay)
    if asksStorage, !open.effects.inputs.contains(asks) { open.effects.inputs.append(asks) }
    alarms.set(.lane(relay), at: lane.alarm)
    goOnComparing(relay)
  }
}
