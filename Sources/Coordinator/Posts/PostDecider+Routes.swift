internal import Channels
internal import Storage

// The relays that the posts of a channel go to.
extension PostDecider {
  /// The routes of a channel, including open decisions.
  func routes(of channel: ChannelID, _ facts: PostFacts) -> [RelayID: PostRouteRow] {
    let stored = Dictionary((facts.routes[channel] ?? []).map { ($0.relay, $0) }) { _, new in new }
    return stored.merging(open.routes[channel] ?? [:]) { _, new in new }
  }

  /// The relays that a channel has.
  static func members(of channel: StoredChannel) -> [RelayID] {
    channel.relays.filter { $0.record.status != .removed }.map(\.relay).sorted()
  }

  /// Aligns the routes of a channel with its relays.
  mutating func align(_ channel: ChannelID, _ facts: PostFacts) {
    guard slots.contains(channel), let stored = facts.channels[channel] else { return }
    let routes = routes(of: channel, facts)
    guard !routes.isEmpty else { return }
    align(channel, Self.members(of: stored), routes, from: PostID(rawValue: counters.post + 1))
  }

  /// - Parameter cursor: the first post with complete deliveries.
  mutating func align(
    _ channel: ChannelID, _ members: [RelayID], _ routes: [RelayID: PostRouteRow], from cursor: PostID
  ) {
    func set(_ relay: RelayID, _ status: PostRouteRow.Status) {
      open.save(PostRouteRow(channel: channel, relay: relay, status: status, cursor: cursor))
      open.effects.inputs.append(.walk(channel, relay))
    }
    for relay in members {
      switch routes[relay]?.status {
      case .joining, .joined: break
      case .leaving, .left, nil: set(relay, .joining)
      }
    }
    for (relay, route) in routes.sorted(by: { $0.key < $1.key }) where !members.contains(relay) {
      switch route.status {
      case .joining, .joined: set(relay, .leaving)
      case .leaving, .left: break
      }
    }
  }

  /// Handles a page of earlier posts.
  mutating func walk(_ channel: ChannelID, _ relay: RelayID, _ facts: PostFacts) {
    guard slots.contains(channel), let page = facts.pages[PostReads.Page(channel: channel, relay: relay)],
      // The route may have changed since.
      open.routes[channel]?[relay] == nil
    else { return }
    var route = page.route
    switch route.status {
    case .joining: for id in page.posts { join(id, relay) }
    case .leaving: for id in page.posts { leave(id, relay) }
    // It is complete already.
    case .joined, .left: return
    }
    if page.posts.count < PostReads.pageMax {
      route.status = route.status == .joining ? .joined : .left
      route.cursor = PostID(rawValue: 0)
      route.compareAt = nextComparison(of: channel, at: relay)
    } else {
      route.cursor = page.posts.last ?? route.cursor
      open.effects.inputs.append(.walk(channel, relay))
    }
    open.save(route)
  }

  /// Gives a post a delivery for a relay that its channel has now.
  private mutating func join(_ id: PostID, _ relay: RelayID) {
    guard let post = awake[id], post.row.deletedAt == nil, post.row.forgottenAt == nil, post.row.isPublished else { return }
    open.seen.insert(id)
    // A request about a member may have been superseded since.
    guard post.row.about?.act != .membership else { return }
    guard let place = post.place(of: relay) else {
      addDelivery(to: id, relay)
      // The delivery exists so that it can be requested, like the ones at other relays.
      if post.isTakenBack { feed(.cancelRequested, to: id, at: relay) }
      return
    }
    guard post.deliveries[place].hasDeparted else { return }
    awake[id]?.deliveries[place].hasDeparted = false
    open.save(id, relay)
    open.show(id)
    if !post.isTakenBack { feed(.retryRequested, to: id, at: relay) }
  }

  private mutating func addDelivery(to id: PostID, _ relay: RelayID) {
    guard let post = awake[id] else { return }
    let machine = DeliveryMachine(salt: Self.salt(id, relay), now: now, edition: post.row.edition)
    let place = post.deliveries.firstIndex { $0.relay > relay } ?? post.deliveries.count
    awake[id]?.deliveries.insert(Awake.Delivery(relay: relay, machine: machine, hasDeparted: false), at: place)
    awake[id]?.row.deliveryCount += 1
    open.revised.insert(id)
    open.save(id, relay)
    open.show(id)
    lanes[relay, default: PostLane()].offer(id)
    open.touchedLanes.insert(relay)
  }

  /// Informs a delivery that its channel left the relay.
  private mutating func leave(_ id: PostID, _ relay: RelayID) {
    guard let place = awake[id]?.place(of: relay), awake[id]?.deliveries[place].hasDeparted == false else { return }
    feed(.relayLeft, to: id, at: relay)
    awake[id]?.deliveries[place].hasDeparted = true
    lanes[relay]?.note(id, isUnderWay: false)
    open.save(id, relay)
    open.show(id)
  }
}

extension PostDecider.Awake {
  /// Whether the post was cancelled before any relay could have it, so that relays that the channel gets later do not get it either.
  fileprivate var isTakenBack: Bool {
    func isOut(_ machine: DeliveryMachine) -> Bool { machine.state.status == .skipped && machine.left == 0 }
    return deliveries.allSatisfy { isOut($0.machine) }
      && deliveries.contains { $0.machine.state.trouble?.cause == .cancelled }
  }
}
