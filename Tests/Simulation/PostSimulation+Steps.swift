import Channels
import RelayNetwork
import Storage
import Store
import TestSupport

@testable import Coordinator

// What may happen next.
extension PostSimulation {
  /// One thing, as the seed wants it.
  func step() async throws {
    guard engine != nil else { return try await restart() }
    wakeIfDue()
    if chance(plan.moves) { try await moveChannel() }
    if chance(plan.handovers) { move() }
    if chance(plan.losses) { losePost() }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<28: try await process(Int.random(in: 1...plan.batchMax, using: &random))
    case 28..<53: try hearOfOperation()
    case 53..<55: hearOfComparison()
    case 55..<58: hearOfComposition()
    case 58..<68:
      // The usual course of things, in one go.
      for _ in 0..<6 { try hearOfOperation() }
      try await drain()
    case 68..<80: try await pass(anyDuration())
    case 80..<92: request()
    default:
      if chance(plan.flaps) { flap() }
      hearOfConnections()
      breakOrMendStorage()
      if chance(plan.crashes) { try kill() }
    }
  }

  private func anyDuration() -> Duration {
    let longest: Int64 =
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45: 2_000
      case 45..<75: 60_000
      case 75..<90: 1_200_000
      default: 6 * 3_600_000
      }
    return .milliseconds(Int64.random(in: 0...longest, using: &random))
  }

  private func restart() async throws {
    world.clock.now = now + .milliseconds(Int64.random(in: 0...20_000, using: &random))
    if isStorageBroken, chance(500) { mendStorage() }
    try await start()
  }

  func wakeIfDue() {
    guard let due = engine?.wakeAt, due <= now else { return }
    if !world.read({ $0.inbox.contains(.timersDue) }) { world.post(.timersDue) }
  }

  // MARK: - What people ask for

  private func request() {
    guard world.read({ $0.isAlive }) else { return }
    let known = world.read { $0.ledger.order }
    let post = known.randomElement(using: &random) ?? PostID(rawValue: 999)
    let reply = world.reply(about: post)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45: order()
    case 45..<60:
      let relay = Bool.random(using: &random) ? relay(Int.random(in: 1...plan.relays, using: &random)) : nil
      world.post(.retry(post, relay, reply))
    case 60..<75: world.post(.cancel(post, reply))
    case 75..<79: keep()
    case 79..<88: release()
    default: delete(post)
    }
  }

  /// A post that is not published yet is to be, now or at another time.
  private func release() {
    let waiting = world.read { state in state.ledger.order.filter { state.ledger.posts[$0]?.isPublished == false } }
    guard let post = waiting.randomElement(using: &random) else { return }
    let time = chance(500) ? now + .seconds(Int64.random(in: -60...7_200, using: &random)) : nil
    let release = PostRelease(post: post, at: time, tolerance: Int.random(in: 60...3_600, using: &random))
    world.write { $0.tally.releases += 1 }
    world.post(.release(release, world.reply(about: post)))
  }

  /// A channel is to keep some of its posts, or all from now on.
  private func keep() {
    let channel = ChannelID(rawValue: Int64.random(in: 1...Int64(plan.channels), using: &random))
    let retention = PostRetention(
      channel: channel, days: chance(300) ? 1 : nil, count: chance(800) ? Int.random(in: 1...5, using: &random) : nil)
    world.post(.setRetention(retention, world.reply(toRetention: retention)))
  }

  func delete(_ post: PostID) {
    let deletion = anyDeletion()
    // What is not published needs no deletion. Its time may have come meanwhile.
    let isPublished = world.read { $0.ledger.posts[post]?.isPublished ?? true }
    world.write { state in
      state.tally.deletions += 1
      state.ledger.unwanted.insert(post)
    }
    world.post(.delete(post, isPublished ? deletion : nil, world.reply(about: post)))
  }

  private func anyDeletion() -> PostDocument {
    documents += 1
    return PostDocument(networkID: "deletion \(documents)", author: "key", text: "gone")
  }

  /// A post is asked for, sometimes again.
  private func order() {
    let again = orders.filter { $0.key != nil }.randomElement(using: &random)
    if let again, orders.count >= plan.postsMax || chance(250) { return place(again) }
    guard orders.count < plan.postsMax else { return }
    // Where there are many, they come in crowds.
    for _ in 0..<(plan.postsMax > 50 ? 30 : 1) {
      let number = orders.count + 1
      let channel = ChannelID(rawValue: Int64.random(in: 1...Int64(plan.channels), using: &random))
      var order = Order(number: number, key: chance(500) ? "key \(number)" : nil, channel: channel)
      if chance(plan.edits * 10) {
        order.replaces = world.read { state in
          state.ledger.order.filter { state.ledger.posts[$0]?.channel == channel }
        }.randomElement(using: &random)
      }
      if order.replaces == nil, chance(plan.schedules * 10) {
        order.at = (now + .seconds(Int64.random(in: 1...7_200, using: &random)), Int.random(in: 60...3_600, using: &random))
      }
      if order.replaces == nil, order.at == nil { order.isDraft = chance(plan.schedules * 10) }
      orders.append(order)
      place(order)
      if order.key != nil, chance(150) { place(order) }
    }
  }

  private func place(_ order: Order) {
    // Each time it is asked for, the network makes another document.
    documents += 1
    let name = "post \(documents)"
    var request = PostRequest(channel: order.channel, text: order.text, idempotencyKey: order.key)
    (request.replaces, request.at, request.tolerance) = (order.replaces, order.at?.time, order.at?.tolerance)
    request.isDraft = order.isDraft
    let document = PostDocument(networkID: name, author: "key", text: order.text)
    let schedule = request.schedule(at: now)
    let new = NewPost(
      request: request, document: schedule == nil ? document : .none, digest: request.digest, schedule: schedule,
      deletion: order.replaces == nil ? nil : anyDeletion())
    world.write { state in
      state.tally.edits += new.request.replaces == nil ? 0 : 1
      state.tally.schedules += new.schedule == nil ? 0 : 1
    }
    world.post(
      .publish(
        new,
        world.reply(
          toOrder: order.key == nil ? -documents : order.number, text: order.text, name: schedule == nil ? name : nil)))
  }

  /// A channel gets a relay or leaves one; who delivers posts is told, if it runs.
  private func moveChannel() async throws {
    let id = ChannelID(rawValue: Int64.random(in: 1...Int64(plan.channels), using: &random))
    let relay = relay(Int.random(in: 1...plan.relays, using: &random))
    guard let channel = try store.channel(id) else { return }
    let members = channel.relays.filter { $0.record.status != .removed }.map(\.relay)
    let isMember = members.contains(relay)
    // A channel cannot be without a relay.
    if isMember, members.count == 1 { return }
    world.note("channel \(id.rawValue) \(isMember ? "leaves" : "gets") relay \(relay.rawValue)")
    try await channels.write(ChannelRows.change(channel, relay, isMember: !isMember, at: now))
    world.post(.membershipChanged(id))
  }

  // MARK: - Faults

  private func flap() {
    let address = "ws://r\(Int.random(in: 1...plan.relays, using: &random))"
    world.note("\(address) goes up or down")
    world.write { $0.relays.relays[address, default: PostSimRelays.Relay()].isReachable.toggle() }
  }

  /// A relay loses a post, and says nothing.
  private func losePost() {
    let relay = Int.random(in: 1...plan.relays, using: &random)
    let held = world.read { $0.relays.relays["ws://r\(relay)"]?.posts.keys.sorted() ?? [] }
    guard let post = held.randomElement(using: &random) else { return }
    world.note("relay \(relay) loses post \(post.rawValue)")
    world.write { state in
      state.relays.relays["ws://r\(relay)"]?.posts[post] = nil
      state.relays.lies.insert(PostLedger.Pair(post: post, relay: self.relay(relay)))
    }
  }

  // MARK: - What the network says

  /// Connections that came back are reported; sometimes the daemon hears of the same twice.
  func hearOfConnections() {
    let saysTwice = hasFaults && chance(100)
    world.write { state in
      guard state.isAlive else { return }
      for number in 1...plan.relays {
        let address = "ws://r\(number)"
        let isUp = state.relays.relays[address]?.isReachable ?? true
        guard state.relays.reported[address] != isUp || saysTwice else { continue }
        state.relays.reported[address] = isUp
        if isUp { state.inbox.append(.relayUp(relay(number))) }
      }
    }
  }

  /// One operation goes on: any of them, as it should or not.
  private func hearOfOperation() throws {
    let count = world.read { $0.relays.pending.count }
    guard count > 0 else { return }
    let index = Int.random(in: 0..<count, using: &random)
    let (isLost, isDone) = (chance(plan.lost * 10), chance(500))
    let (isKept, isLie, isTrouble) = (chance(plan.doubled * 10), chance(plan.lies * 10), chance(plan.troubles * 10))
    let (isLimited, lie) = (chance(plan.limits * 10), anyLie())
    world.attempt { state in
      let waiting = state.relays.pending[index]
      let operation = waiting.operation
      switch waiting.stage {
      case .queued:
        // Now and then a post is forgotten before its turn comes.
        if isLost {
          state.relays.pending.remove(at: index)
        } else {
          state.relays.pending[index].stage = .offered
          state.say(.handedOver, of: operation)
        }
        return
      case .offered: return
      case .left: break
      }
      if isKept, !isLost { state.relays.pending[index].isRepeated = true } else { state.relays.pending.remove(at: index) }
      if isLost {
        if isDone { try state.relays.carryOutUnheard(waiting) }
      } else if isLie {
        state.relays.lies.insert(PostSimRelays.pair(operation))
        state.say(lie, of: operation)
      } else if isLimited, operation.task == .publish, !isKept {
        // It certainly did not take the post.
        state.say(.troubled(Trouble(.rateLimited, "slow down"), retryAfter: .seconds(30)), of: operation)
      } else if isTrouble {
        if isDone { try state.relays.carryOutUnheard(waiting) }
        state.say(.troubled(Trouble(.timeout, "no answer"), retryAfter: nil), of: operation)
      } else {
        state.say(try state.relays.carryOut(waiting), of: operation)
      }
    }
    if let violation = world.read({ $0.violation }) { throw violation }
  }

  /// A relay lists what it has, or had when it was asked; sometimes not all of it, or more.
  private func hearOfComparison() {
    let (isLost, isLie, isOld) = (chance(plan.lost * 10), chance(plan.lies * 10), chance(300))
    let lies = (0..<3).map { _ in Int.random(in: 0..<1_000, using: &random) }
    world.write { state in
      guard !state.comparisons.isEmpty else { return }
      let waiting = state.comparisons.removeFirst()
      if !isLost { state.say(waiting, isOld: isOld, lies: isLie ? lies : []) }
    }
  }

  /// A scheduled post that was due gets its form, or does not.
  private func hearOfComposition() {
    let trouble: BatonError? =
      chance(plan.troubles * 10) ? chance(700) ? .busy : .post(.invalidPost(field: "replyTo", reason: "it was deleted")) : nil
    compose(trouble)
  }

  /// - Parameter trouble: why it gets no form; `nil` if it gets one.
  func compose(_ trouble: BatonError? = nil) {
    documents += 1
    let name = "post \(documents)"
    world.write { state in
      guard !state.compositions.isEmpty else { return }
      let composition = state.compositions.removeFirst()
      guard state.isAlive else { return }
      let document = PostDocument(networkID: name, author: "key", text: composition.request.text)
      state.inbox.append(
        .composed(composition.post, in: composition.channel, trouble.map { .failure($0) } ?? .success(document)))
    }
  }

  private func anyLie() -> DeliveryOutcome {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .accepted
    case 1: .verified(edition: 1)
    case 2: .missing
    case 3: .withdrawn
    case 4: .refused(Trouble(.rejected, "no"))
    case 5: .skipped(Trouble(.tooLarge, "too large"))
    case 6: .troubled(Trouble(.authRequired, "who are you"), retryAfter: nil)
    default: .handedOver
    }
  }

  // MARK: - Words

  static func isRequest(_ input: PostInput) -> Bool {
    switch input {
    case .publish, .delete, .edit, .retry, .cancel, .release, .rewrite, .lost, .barrier, .setRetention: true
    case .outcome, .relayUp, .timersDue, .membershipChanged, .walk, .replace, .serve, .gained, .resumed, .takeUp, .composed,
      .lookAtSchedules,
      .timeout, .recover, .forgetHistory, .doubted, .compare, .compared, .reconcile, .forgetPosts:
      false
    }
  }

  static func words(_ input: PostInput) -> String {
    switch input {
    case .outcome(let post, let relay, let number, let outcome, _): "\(post.rawValue)@\(relay.rawValue) #\(number) \(outcome)"
    case .replace(let old, let new): "replace \(old.rawValue) by \(new.rawValue)"
    case .relayUp(let relay): "relay \(relay.rawValue) up"
    case .timersDue: "timers"
    case .publish(let new, _): "publish '\(new.document.networkID)'"
    case .delete(let post, _, _): "delete \(post.rawValue)"
    case .edit(let revision, _): "edit \(revision.post.rawValue)"
    case .retry(let post, let relay, _): "retry \(post.rawValue)@\(relay.map { "\($0.rawValue)" } ?? "all")"
    case .cancel(let post, _): "cancel \(post.rawValue)"
    case .release(let release, _): "release \(release.post.rawValue)"
    case .rewrite(let post, _, _): "rewrite \(post.rawValue)"
    case .membershipChanged(let channel): "channel \(channel.rawValue) moved"
    case .walk(let channel, let relay): "walk \(channel.rawValue)@\(relay.rawValue)"
    case .serve(let relay): "serve \(relay.rawValue)"
    case .resumed: "networks may send again"
    case .gained(let slots): "gain \(Elsewhere.words(slots))"
    case .lost(let slots, _): "lose \(Elsewhere.words(slots))"
    case .takeUp(let posts): "take up \(posts.map(\.rawValue))"
    case .recover(let posts): "recover \(posts.map(\.rawValue))"
    case .composed(let post, _, _): "composed \(post.rawValue)"
    case .lookAtSchedules: "look at schedules"
    case .doubted(let channel, let relay): "doubt \(channel.rawValue)@\(relay.map { "\($0.rawValue)" } ?? "all")"
    case .compare: "compare"
    case .compared(let channel, let relay, _, _): "compared \(channel.rawValue)@\(relay.rawValue)"
    case .reconcile(let relay): "reconcile \(relay.rawValue)"
    case .barrier: "barrier"
    case .timeout(let post, let relay): "timeout of \(post.rawValue)@\(relay.rawValue)"
    case .forgetHistory: "forget history"
    case .setRetention(let retention, _):
      "keep \(retention.count.map { "\($0)" } ?? "all") posts of \(retention.channel.rawValue)"
    case .forgetPosts: "forget posts"
    }
  }
}

extension PostWorld.State {
  mutating func say(_ outcome: DeliveryOutcome, of operation: DeliveryOperation) {
    guard isAlive else { return }
    inbox.append(.outcome(operation.post, operation.relay, number: operation.number, outcome))
  }

  /// The answer to a comparison.
  /// - Parameters:
  ///   - isOld: whether it says what the relay had when it was asked.
  ///   - lies: which posts it is wrong about, counted round and round through those of the channel.
  mutating func say(_ waiting: PostWorld.WaitingComparison, isOld: Bool, lies: [Int]) {
    guard isAlive else { return }
    let comparison = waiting.comparison
    let outcome: PostComparisonOutcome
    if relays.relays[comparison.address]?.isReachable == false {
      outcome = .failed(Trouble(.unreachable, "connection refused"))
    } else {
      var names = isOld ? waiting.names : held(comparison)
      let posts = ledger.order.filter { ledger.posts[$0]?.channel == comparison.channel }
      for lie in lies where !posts.isEmpty {
        let post = posts[lie % posts.count]
        guard let name = ledger.posts[post]?.document.networkID, !name.isEmpty else { continue }
        if names.remove(name) == nil { names.insert(name) }
        self.relays.lies.insert(PostLedger.Pair(post: post, relay: comparison.relay))
      }
      outcome = .served(ServedPosts(ids: names, from: Timestamp(milliseconds: 0), until: Timestamp(milliseconds: 2)))
    }
    inbox.append(.compared(comparison.channel, comparison.relay, number: comparison.number, outcome))
  }

  /// The names of the channel's posts that a relay has.
  func held(_ comparison: PostComparison) -> Set<String> {
    let posts = relays.relays[comparison.address]?.posts ?? [:]
    return Set(posts.filter { ledger.posts[$0.key]?.channel == comparison.channel }.values)
  }
}
