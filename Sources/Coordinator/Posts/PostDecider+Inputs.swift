internal import Channels
internal import RelayNetwork
internal import Storage

extension PostDecider {
  /// - Parameter input: as returned by `unfold`.
  mutating func handle(_ input: PostInput, _ facts: PostFacts) {
    if facts.trouble != nil, input.isBackground { return retryLater(input) }
    if input.isBackground { open.background.append(input) }
    switch input {
    case .outcome(let id, let relay, let number, let outcome, let form):
      if let form { take(form, of: id, at: relay, number, outcome) }
      heard(outcome, number, of: id, at: relay)
    case .relayUp(let relay):
      lanes[relay, default: PostLane()].returning = (true, nil)
      open.touchedLanes.insert(relay)
      mayHaveForgotten(relay)
    case .timersDue: break
    case .publish(let new, let reply): publish(new, reply, facts)
    case .delete(let id, let deletion, let reply): delete(id, deletion, reply, facts)
    case .edit(let revision, let reply): edit(revision, reply, facts)
    case .retry(let id, let relay, let reply): retry(id, at: relay, reply, facts)
    case .cancel(let id, let reply): cancel(id, reply, facts)
    case .release(let wanted, let reply): release(wanted, reply, facts)
    case .rewrite(let id, let request, let reply): rewrite(id, as: request, reply, facts)
    case .composed(let id, let channel, let result): composed(id, in: channel, result, facts)
    case .lookAtSchedules: lookAtSchedules(facts)
    case .membershipChanged(let channel): align(channel, facts)
    case .walk(let channel, let relay): walk(channel, relay, facts)
    case .replace(let old, let new): settleReplacement(of: old, by: new)
    case .serve(let relay): serve(relay, facts)
    case .gained(let some): gained(some, facts)
    case .lost(let some, let reply): lost(some, reply)
    case .resumed: for id in awake.keys.sorted() { takeUp(id) }
    case .takeUp(let ids): for id in ids { takeUp(id) }
    case .recover(let ids):
      recovering.subtract(ids)
      for id in ids { takeUp(id) }
    case .doubted(let channel, let relay): doubt(channel, relay, facts)
    case .compare: compare(facts)
    case .compared(let channel, let relay, let number, let outcome): compared(channel, relay, number, outcome, facts)
    case .reconcile(let relay): reconcile(relay, facts)
    case .timeout(let id, let relay): feed(.timerFired, to: id, at: relay)
    case .forgetHistory:
      isUpkeepDue = slots.hasCatalog
      alarms.set(.upkeep, at: now + Self.upkeepInterval)
    case .barrier(let reply): open.answers.append(PostDecision.Answer(asker: .nothing(reply)))
    case .setRetention(let retention, let reply): setRetention(retention, reply, facts)
    case .forgetPosts: forgetPosts(facts)
    }
  }

  /// Postpones an input that could not be decided because storage does not work.
  private mutating func retryLater(_ input: PostInput) {
    postpone([input])
    alarms.set(.recovery, noLaterThan: now + Self.recoveryWait)
  }

  /// Keeps inputs until storage works again.
  mutating func postpone(_ inputs: [PostInput]) {
    for input in inputs {
      if case .recover(let ids) = input {
        recovering.formUnion(ids)
      } else {
        postponed.append(input)
      }
    }
  }

  /// Resumes a post whose operations under way are lost, and whose waiting times are not in memory.
  private mutating func takeUp(_ id: PostID) {
    for delivery in awake[id]?.deliveries ?? [] where !delivery.hasDeparted {
      guard delivery.machine.underWay != nil else {
        watch(id, delivery.relay, delivery.machine)
        continue
      }
      if let absence, let place = awake[id]?.place(of: delivery.relay) {
        awake[id]?.deliveries[place].machine.clockMoved(by: absence.span, now: now, policy: policy)
      }
      feed(.restarted, to: id, at: delivery.relay)
    }
  }

  // MARK: - Outcomes

  /// Stores the form that a post's network returned, if it belongs to the operation under way, or to the latest operation that found the
  /// post, which may have been found under an earlier number since. The author never changes.
  private mutating func take(
    _ form: PostDocument, of id: PostID, at relay: RelayID, _ number: Int, _ outcome: DeliveryOutcome
  ) {
    guard let post = awake[id], let machine = post.machine(at: relay), machine.operation == number,
      machine.underWay != nil || outcome.isVerified
    else { return }
    // A forgotten text does not return. The progress of its deletion concerns its remnant.
    guard post.row.forgottenAt == nil || post.row.deletedAt != nil && machine.underWay != nil else { return }
    guard form != post.row.document, form.author == post.row.document.author else { return }
    // A post that was edited in place may have a newer text than the operation. After that only a deletion changes it.
    let isEdited = post.row.edition > 1 && post.row.deletedAt == nil
    let document =
      isEdited ? PostDocument(networkID: form.networkID, author: form.author, text: post.row.document.text) : form
    guard document != post.row.document else { return }
    awake[id]?.row.document = document
    open.rewritten.insert(id)
    open.show(id)
  }

  private mutating func heard(_ outcome: DeliveryOutcome, _ number: Int, of id: PostID, at relay: RelayID) {
    let event: DeliveryMachine.Event
    switch outcome {
    case .handedOver: return handedOver(id, at: relay, number)
    case .accepted:
      lanes[relay]?.accepted()
      event = .accepted(operation: number)
    case .verified(let edition): event = .verified(operation: number, edition: edition)
    case .missing: event = .foundMissing(operation: number)
    case .withdrawn:
      lanes[relay]?.accepted()
      event = .withdrawn(operation: number)
    case .refused(let trouble): event = .refused(operation: number, trouble)
    case .skipped(let trouble): event = .skipped(operation: number, trouble)
    case .troubled(let trouble, let wait):
      if trouble.cause == .rateLimited {
        lanes[relay]?.limited(at: now, for: min(wait ?? Self.paceWait, policy.patienceMax))
      }
      event = .troubled(operation: number, trouble, retryAfter: wait)
    }
    feed(event, to: id, at: relay)
    open.touchedLanes.insert(relay)
  }

  /// How long a relay is paused if it limits the rate without a duration.
  private static let paceWait = Duration.seconds(30)

  /// Decides whether a post whose turn has come may leave.
  private mutating func handedOver(_ id: PostID, at relay: RelayID, _ number: Int) {
    let actions = feed(.handedOver(operation: number), to: id, at: relay)
    let isExpected = actions.map { !$0.contains { if case .reportUnexpected = $0 { true } else { false } } } ?? false
    guard let network = relays[relay]?.network else { return }
    open.turns.append(
      PostEffects.Turn(
        network: network,
        turn: DeliveryTurn(
          post: id, relay: relay, number: number, mayLeave: isExpected,
          document: awake[id].flatMap { $0.row.edition > 1 ? $0.row.document : nil })))
  }

  // MARK: - Machines

  /// Feeds an event to one delivery, unless its channel left the relay, and adds the consequences to the decision.
  /// - Returns: the actions of the machine. `nil` if there is no machine.
  @discardableResult
  mutating func feed(_ event: DeliveryMachine.Event, to id: PostID, at relay: RelayID) -> [DeliveryMachine.Action]? {
    guard let place = awake[id]?.place(of: relay), awake[id]?.deliveries[place].hasDeparted == false else { return nil }
    let before = awake[id]?.deliveries[place].machine
    guard let actions = awake[id]?.deliveries[place].machine.handle(event, now: now, policy: policy),
      let after = awake[id]?.deliveries[place].machine
    else { return nil }
    open.seen.insert(id)
    if before != after { open.save(id, relay) }
    for action in actions { perform(action, id, relay) }
    watch(id, relay, after)
    return actions
  }

  /// When the delivery's wait ends.
  func due(_ machine: DeliveryMachine) -> Timestamp? { machine.underWay == nil ? machine.timer : nil }

  private mutating func watch(_ id: PostID, _ relay: RelayID, _ machine: DeliveryMachine) {
    let isUnderWay = machine.underWay != nil
    lanes[relay, default: PostLane()].note(id, isUnderWay: isUnderWay)
    alarms.set(.timeout(id, relay), at: isUnderWay ? machine.timer : nil)
    if let due = due(machine) { lanes[relay]?.sleeps(until: due) }
    open.touchedLanes.insert(relay)
  }

  private mutating func perform(_ action: DeliveryMachine.Action, _ id: PostID, _ relay: RelayID) {
    switch action {
    case .record(let transition):
      open.append(transition, of: id, at: relay)
      note(transition, id, relay)
    case .publish(let number): ask(.publish, id, relay, number)
    case .verify(let number): ask(.verify, id, relay, number)
    case .withdraw(let number): ask(.withdraw, id, relay, number)
    case .reportUnexpected: break
    }
  }

  private mutating func ask(_ task: DeliveryOperation.Task, _ id: PostID, _ relay: RelayID, _ number: Int) {
    guard let row = awake[id]?.row, let channel = known[row.channel], let place = relays[relay] else { return }
    // No event of a forgotten post leads here.
    if task == .publish, row.forgottenAt != nil { return }
    let operation = DeliveryOperation(
      task: task, post: id, channel: row.channel, relay: relay, address: place.address, number: number,
      content: channel.content, document: row.document, deletion: row.deletion)
    open.effects.operations.append(PostEffects.Performance(network: place.network, operation: operation))
  }

  /// Writes into the journal when posts stop reaching a relay, and when they reach it again.
  private mutating func note(_ transition: DeliveryMachine.Transition, _ id: PostID, _ relay: RelayID) {
    let name = relays[relay]?.name ?? "relay \(relay.rawValue)"
    if transition.to == .failed, transition.from != .failed {
      lanes[relay, default: PostLane()].failures += 1
      guard lanes[relay]?.failures == 1 else { return }
      open.effects.journal.append(
        JournalEntry(
          event: .deliveryFailed, level: .warning,
          message: "post \(id.rawValue) could not be delivered to '\(name)': \(transition.detail). Baton retries it slowly",
          fields: [
            "BATON_POST": "\(id.rawValue)", "BATON_RELAY": "\(relay.rawValue)",
            "BATON_CHANNEL": "\(awake[id]?.row.channel.rawValue ?? 0)", "BATON_CAUSE": transition.cause?.rawValue ?? "",
          ]))
    } else if transition.to == .verified, let count = lanes[relay]?.failures, count > 0 {
      lanes[relay]?.failures = 0
      open.effects.journal.append(
        JournalEntry(
          event: .deliveryRecovered, level: .notice,
          message: "posts reach '\(name)' again (failed deliveries: \(count))",
          fields: ["BATON_POST": "\(id.rawValue)", "BATON_RELAY": "\(relay.rawValue)", "BATON_COUNT": "\(count)"]))
    }
  }
}

extension DeliveryOutcome {
  fileprivate var isVerified: Bool { if case .verified = self { true } else { false } }
}

extension PostInput {
  /// Whether it carries storage's list of due posts.
  var isServing: Bool {
    switch self {
    case .serve, .lookAtSchedules: true
    case .outcome, .relayUp, .timersDue, .publish, .delete, .edit, .retry, .cancel, .release, .rewrite, .membershipChanged,
      .walk, .replace,
      .gained, .lost, .resumed, .takeUp,
      .composed, .barrier, .timeout, .recover, .forgetHistory, .doubted, .compare, .compared, .reconcile, .setRetention,
      .forgetPosts:
      false
    }
  }

  /// Whether no request waits for it, so that it must not be lost when storage does not work.
  var isBackground: Bool {
    switch self {
    case .relayUp, .membershipChanged, .walk, .replace, .serve, .gained, .takeUp, .composed, .lookAtSchedules, .recover,
      .doubted, .compare,
      .compared, .reconcile:
      true
    case .outcome, .timersDue, .publish, .delete, .edit, .retry, .cancel, .release, .rewrite, .lost, .resumed, .barrier,
      .timeout,
      .forgetHistory,
      .setRetention,
      .forgetPosts:
      false
    }
  }
}
