internal import Channels
internal import DequeModule
internal import RelayNetwork

// The queues of the publisher: operations for channels, and behind them operations for posts.
extension PublisherMachine {
  /// The time within which posts must be able to leave to be asked for.
  private static let aheadMax = Duration.seconds(5)

  var hasWaiting: Bool { !queue.isEmpty || !posts.isEmpty }

  mutating func submitted(_ item: SessionOperation) -> [Action] {
    guard (item.delivery == nil ? queue.count : posts.count) < limits.queueMax else {
      return [report(item, .troubled(Trouble(.timeout, "too many operations wait for this relay"), retryAfter: .seconds(30)))]
    }
    if let hold = keeper.hold { return [.postpone(item, hold)] }
    if item.delivery == nil { queue.append(item) } else { posts.append(item) }
    return keeper.state == .open ? sendNext() + giveBackTheLate() : keeper.need()
  }

  mutating func cancelled(_ channel: ChannelID) -> [Action] {
    func isStale(_ item: SessionOperation) -> Bool { item.order == .channel(channel) && item.channelTask == .invite }
    let stale = queue.filter(isStale)
    queue.removeAll(where: isStale)
    return stale.map { report($0, .troubled(Trouble(.cancelled, "taken back before it was sent"), retryAfter: nil)) }
  }

  /// Forgets operations for channels for which another daemon acts now. If one is under way, the connection ends, so that none of its
  /// further events is sent and no answer is mistaken for another operation's. Operations for other channels are sent again.
  mutating func abandoned(_ slots: SlotSet) -> [Action] {
    func isGone(_ item: SessionOperation) -> Bool { slots.contains(item.channel) }
    overdue = overdue.filter { !isGone($0.value) }
    let isUnderWay = inFlight.all.contains { isGone($0.item) }
    let ends: [Action] = isUnderWay ? [.own(.cut)] + takeBack() : []
    queue.removeAll(where: isGone)
    posts.removeAll(where: isGone)
    return ends + (isUnderWay ? reconnect() : sendNext())
  }

  /// Gives back operations that could not be sent for a long time because the relay limits the rate, to return when there may be room.
  mutating func giveBackTheLate() -> [Action] {
    guard let room = window.capacity(within: limits.holdMax).map({ max(1, $0) }), queue.count + posts.count > room else {
      return []
    }
    let late = queue.dropFirst(room).map { (item: $0, wasSent: false) }
    queue.removeLast(late.count)
    let latePosts = posts.removeAll(after: room - queue.count)
    let distance = window.distance
    let words = "the relay limits the rate of events, so Baton sends one every \(distance.wholeMilliseconds) ms"
    return (late + latePosts).enumerated().map { place, late in
      let outcome = RelayOutcome.troubled(Trouble(.rateLimited, words), retryAfter: distance * (room + place + 1))
      return report(late.item, outcome, isDoubtful: late.wasSent)
    }
  }

  /// Returns everything under way to the queue, in order, to be sent again: relays accept an event twice.
  mutating func takeBack() -> [Action] {
    var actions = stopReadingBack() + stopReadingPins()
    actions += [.cancelTimer(.answer), .cancelTimer(.readBack), .cancelTimer(.authentication)]
    (authenticationID, nameless, awaited) = (nil, [], nil)
    for event in inFlight.removeAll().reversed() {
      // The relay has accepted all the events that it must.
      guard !event.isExtra else {
        actions.append(report(event.item, success(event.item)))
        continue
      }
      // A relay that demands AUTH has not accepted the event, and a list that was being read did not leave.
      putBack(event, wasSent: event.wasSent || !event.awaitsAuthentication && !event.isUnsentList)
    }
    return actions
  }

  /// Returns an operation to the head of its queue.
  /// - Parameter wasSent: whether the relay may have the event.
  mutating func putBack(_ event: EventInFlight, wasSent: Bool) {
    if event.item.delivery == nil { queue.prepend(event.item) } else { posts.prepend(event.item, wasSent: wasSent) }
  }

  /// Ends everything that waits.
  mutating func endWaiting(_ outcome: RelayOutcome) -> [Action] {
    let ended = queue.map { report($0, outcome) }
    queue = []
    return ended + posts.removeAll().map { report($0.item, outcome, isDoubtful: $0.wasSent) }
  }

  // MARK: - Posts

  /// Sends the posts at the head that may leave, as many as the window has room for, and asks whether the next ones may. As long as an
  /// operation for a channel waits, posts do neither.
  mutating func sendPosts() -> [Action] {
    var actions: [Action] = []
    guard queue.isEmpty else { return actions }
    while mayAnother, let next = posts.next, inFlight.mayBeJoined(by: next.item) {
      posts.removeFirst()
      let event = EventInFlight(item: next.item, serial: nextSerial(), wasSent: next.wasSent)
      actions += [.cancelTimer(.idle)] + send(event)
    }
    return actions + posts.ask(ahead).map(ask)
  }

  /// Asks whether a post may leave. One of a group needs its date first, because its event is named when that is asked.
  private func ask(_ item: SessionOperation) -> Action {
    guard item.isUndated, let post = item.delivery else { return report(item, .handedOver) }
    return .own(.date(post.post, number: post.number))
  }

  /// The number of posts that should be asked for by now: as many as the window has room for, and another full window, so that it does not
  /// run dry while the answers are made durable. A post of a group is dated when it is asked for, so that waits until it may leave soon:
  /// its date would be stale otherwise, each time.
  private var ahead: Int {
    if isPaced, window.distance > Self.aheadMax, posts.needsDate { return 0 }
    let ahead = max(0, window.size - inFlight.count) + window.size
    return min(ahead, window.capacity(within: Self.aheadMax).map { max(1, $0) } ?? ahead)
  }
}
