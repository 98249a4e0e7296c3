internal import Channels
internal import RelayNetwork
internal import Storage

// Comparisons find relays that lose posts they have shown, or show posts they have deleted.
extension PostDecider {
  /// A relay is reachable again. It may have lost posts since.
  mutating func mayHaveForgotten(_ relay: RelayID) {
    comparisons.cameBack(relay, at: now)
    askToCompare()
  }

  /// Compares the posts of a channel soon, because the relay lacks something else of it, or at a client's request.
  /// - Parameter relay: `nil` means all of the channel's relays.
  mutating func doubt(_ channel: ChannelID, _ relay: RelayID?, _ facts: PostFacts) {
    guard slots.contains(channel) else { return }
    for (id, var route) in routes(of: channel, facts) where relay == nil || id == relay {
      guard route.status == .joined, let due = route.compareAt, due > now else { continue }
      // A comparison of a moment ago may be the reason for this one.
      if relay != nil, let last = route.comparedAt, now < last + PostComparisons.recent { continue }
      route.compareAt = now
      open.save(route)
      comparisons.mayAsk(id)
      askToCompare()
    }
  }

  private mutating func askToCompare() {
    if !open.effects.inputs.contains(.compare) { open.effects.inputs.append(.compare) }
  }

  /// The next comparison of a route with all posts of its channel. Due comparisons are read regularly from now on.
  mutating func nextComparison(of channel: ChannelID, at relay: RelayID) -> Timestamp {
    expectComparisons()
    return PostComparisons.next(channel, relay, seed: policy.jitterSeed, after: now)
  }

  /// Begins to read due comparisons every minute. Without posts there are none.
  mutating func expectComparisons() {
    guard upkeep != nil, !comparisons.isExpected else { return }
    comparisons.isExpected = true
    alarms.set(.compare, at: now + PostComparisons.round)
  }

  // MARK: - Begin

  /// Begins as many due comparisons as there is room for. Relays that are back come first.
  mutating func compare(_ facts: PostFacts) {
    if comparisons.isExpected { alarms.set(.compare, at: now + PostComparisons.round) }
    for (relay, answer) in facts.returnedRoutes.sorted(by: { $0.key < $1.key }) {
      guard comparisons.room > 0, comparisons.returned[relay] == answer.asked, comparisons.underWay[relay] == nil else {
        continue
      }
      guard let route = answer.next else {
        comparisons.returned[relay] = nil
        continue
      }
      comparisons.returned[relay]?.after = route.channel
      if !postpone(route) { begin(route, .newest) }
      // A channel that is unreadable, or compared later, is passed over.
      if comparisons.underWay[relay] == nil { askToCompare() }
    }
    for route in facts.routesToCompare {
      guard comparisons.room > 0, !comparisons.unavailable(at: now).contains(route.relay) else { continue }
      begin(route, .all)
    }
    // Not all relays that are back may have been handled.
    let isLeft = comparisons.waiting(at: now).keys.contains { facts.returnedRoutes[$0] == nil }
    if comparisons.room > 0, isLeft { askToCompare() }
  }

  /// Postpones a route that was compared a moment ago. That is stored, so repeated losses are found too.
  /// - Returns: whether it was.
  private mutating func postpone(_ route: PostRouteRow) -> Bool {
    guard let last = route.comparedAt, now < last + PostComparisons.recent else { return false }
    // Its comparison may have been decided since it was read.
    guard open.routes[route.channel]?[route.relay] == nil else { return true }
    var route = route
    route.compareAt = route.compareAt.map { min($0, last + PostComparisons.recent) }
    open.save(route)
    open.compared.insert(route.relay)
    return true
  }

  private mutating func begin(_ route: PostRouteRow, _ depth: PostComparison.Depth) {
    let relay = route.relay
    guard let channel = known[route.channel], let place = relays[relay] else { return }
    let number = comparisons.begin(route.channel, relay, depth, at: now)
    let comparison = PostComparison(
      channel: route.channel, relay: relay, address: place.address, number: number, content: channel.content, depth: depth)
    open.effects.comparisons.append(PostEffects.Comparison(network: place.network, comparison: comparison))
    open.compared.insert(relay)
    alarms.set(.comparison(relay), at: now + PostComparisons.patience)
  }

  // MARK: - Outcomes

  mutating func compared(
    _ channel: ChannelID, _ relay: RelayID, _ number: Int, _ outcome: PostComparisonOutcome, _ facts: PostFacts
  ) {
    guard let current = comparisons.underWay[relay], current.number == number, current.channel == channel,
      current.served == nil
    else { return }
    open.compared.insert(relay)
    switch outcome {
    case .served(let served):
      comparisons.underWay[relay]?.served = served
      comparisons.underWay[relay]?.cursor = PostID(rawValue: counters.post + 1)
      alarms.set(.comparison(relay), at: now + PostComparisons.patience)
      open.effects.inputs.append(.reconcile(relay))
    case .failed(let trouble): comparisonFailed(relay, current, trouble, facts)
    }
  }

  private mutating func comparisonFailed(
    _ relay: RelayID, _ current: PostComparisons.UnderWay, _ trouble: Trouble, _ facts: PostFacts
  ) {
    comparisons.failed(relay, isHopeless: trouble.cause == .notSupported, at: now)
    alarms.set(.comparison(relay), at: nil)
    askToCompare()
    // An unreachable relay fails all of its routes. Otherwise the next route may succeed.
    guard !trouble.cause.isOfConnection || trouble.cause == .timeout,
      var route = joinedRoute(current.channel, relay, facts)
    else { return }
    // Relays without lists are not compared again.
    route.compareAt = trouble.cause == .notSupported ? nil : now + PostComparisons.afterFailure
    open.save(route)
  }

  private func joinedRoute(_ channel: ChannelID, _ relay: RelayID, _ facts: PostFacts) -> PostRouteRow? {
    guard let route = routes(of: channel, facts)[relay], route.status == .joined else { return nil }
    return route
  }

  // MARK: - Differences

  /// Compares the next page of a channel's posts with the posts on a relay.
  mutating func reconcile(_ relay: RelayID, _ facts: PostFacts) {
    guard let current = comparisons.underWay[relay] else { return }
    open.compared.insert(relay)
    guard let served = current.served else {
      guard now >= current.startedAt + PostComparisons.patience else { return }
      return comparisonFailed(relay, current, Trouble(.timeout, "the comparison takes too long"), facts)
    }
    guard let page = facts.reconciled[PostReads.Page(channel: current.channel, relay: relay)], page.cursor == current.cursor
    else { return }
    comparisons.underWay[relay]?.isHeld = false
    alarms.set(.comparison(relay), at: now + PostComparisons.patience)
    for id in page.posts {
      if let event = difference(id, relay, current, served, page.dates[id]) {
        guard lanes[relay, default: PostLane()].room(at: now) > 0 else { return hold(relay, current, facts) }
        feed(event, to: id, at: relay)
        if event == .reconciled(isServed: false), awake[id]?.row.isAside == false { comparisons.underWay[relay]?.lost += 1 }
      }
      comparisons.underWay[relay]?.cursor = id
    }
    let isBeforeAll = page.posts.allSatisfy { id in page.dates[id].map { $0 < served.from } ?? false }
    if page.posts.count < PostReads.pageMax || isBeforeAll {
      guard comparisons.underWay[relay]?.doubtsMore(from: PostID(rawValue: counters.post + 1)) == true else {
        return finish(relay, served, facts)
      }
      open.effects.inputs.append(.reconcile(relay))
    } else {
      open.effects.inputs.append(.reconcile(relay))
    }
  }

  /// Waits until the relay's lane has room, for a limited time, because other relays may be due.
  private mutating func hold(_ relay: RelayID, _ current: PostComparisons.UnderWay, _ facts: PostFacts) {
    guard now < current.startedAt + PostComparisons.patience else {
      return comparisonFailed(relay, current, Trouble(.timeout, "the relay does not accept the posts that it has lost"), facts)
    }
    comparisons.underWay[relay]?.isHeld = true
    alarms.set(.comparison(relay), at: now + PostComparisons.roomWait)
  }

  /// Continues a comparison that waits for room, if there is some.
  mutating func goOnComparing(_ relay: RelayID) {
    guard comparisons.underWay[relay]?.isHeld == true, let lane = lanes[relay], !lane.hasReady, lane.room(at: now) > 0
    else { return }
    comparisons.underWay[relay]?.isHeld = false
    let input = PostInput.reconcile(relay)
    if !open.effects.inputs.contains(input) { open.effects.inputs.append(input) }
  }

  /// The event for the machine of a post, if there is one. Later changes of the post take precedence over the comparison. Relays do not
  /// list reactions and reports. Where posts are missing, each of these is read back.
  private func difference(
    _ id: PostID, _ relay: RelayID, _ current: PostComparisons.UnderWay, _ served: ServedPosts, _ date: Timestamp?
  ) -> DeliveryMachine.Event? {
    guard let post = awake[id], post.row.edition == 1, let place = post.place(of: relay), !post.deliveries[place].hasDeparted
    else { return nil }
    let machine = post.deliveries[place].machine
    guard machine.since < current.startedAt else { return nil }
    if post.row.isAside {
      // A request about a member may have been superseded since.
      let mayBeSentAgain = post.row.forgottenAt == nil && post.row.about?.act != .membership
      return current.doubtsAsides && machine.state.status == .verified && mayBeSentAgain ? .reconciled(isServed: false) : nil
    }
    guard let isServed = served.holds(post.row.document.networkID, of: date) else { return nil }
    switch machine.state.status {
    // A forgotten post cannot be sent again.
    case .verified: return isServed || post.row.forgottenAt != nil ? nil : .reconciled(isServed: false)
    case .stillServed, .unsupported: return isServed ? nil : .reconciled(isServed: false)
    case .failed, .deleted: return isServed ? .reconciled(isServed: true) : nil
    case .skipped: return isServed && machine.isDeletionRequested ? .reconciled(isServed: true) : nil
    case .pending, .sent, .accepted, .deleting: return nil
    }
  }

  private mutating func finish(_ relay: RelayID, _ served: ServedPosts, _ facts: PostFacts) {
    guard let current = comparisons.underWay.removeValue(forKey: relay) else { return }
    alarms.set(.comparison(relay), at: nil)
    askToCompare()
    if var route = joinedRoute(current.channel, relay, facts) {
      route.comparedAt = current.startedAt
      let sawAll = current.depth == .all || served.from.milliseconds <= 0
      if sawAll || route.compareAt == nil {
        route.compareAt = nextComparison(of: current.channel, at: relay)
      } else if current.lost > 0 {
        // Older posts may be missing, too.
        route.compareAt = now
      }
      open.save(route)
    }
    guard current.lost > 0 else { return }
    open.effects.doubted.insert(current.channel)
    let name = relays[relay]?.name ?? "relay \(relay.rawValue)"
    open.effects.journal.append(
      JournalEntry(
        event: .postsNotFound, level: .warning,
        message: """
          \(current.lost) posts of channel \(current.channel.rawValue) are missing at '\(name)', where readers had found them. \
          Each is read back, and published again if it is gone
          """,
        fields: [
          "BATON_CHANNEL": "\(current.channel.rawValue)", "BATON_RELAY": "\(relay.rawValue)", "BATON_COUNT": "\(current.lost)",
        ]))
  }

  /// Forgets comparisons whose decision was not stored.
  mutating func dropComparisons(_ relays: Set<RelayID>) {
    for relay in relays {
      comparisons.drop(relay)
      alarms.set(.comparison(relay), at: nil)
    }
    if !relays.isEmpty { alarms.set(.compare, at: now + PostComparisons.round) }
  }
}
