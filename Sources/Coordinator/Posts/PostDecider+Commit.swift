internal import Channels
internal import RelayNetwork
internal import Storage

// Commits of decisions, and their consequences.
extension PostDecider {
  mutating func close() -> CommitRequest? {
    guard isOpen else { return nil }
    var decision = open
    open = PostDecision()
    let request = decision.storesNothing ? nil : self.request(&decision)
    flight = decision
    return request
  }

  /// Turns the decision into a request to storage, with one part for each post.
  private mutating func request(_ decision: inout PostDecision) -> CommitRequest {
    var parts: [CommitPart] = []
    let routes = decision.routes.values.flatMap(\.values).sorted { ($0.channel, $0.relay) < ($1.channel, $1.relay) }
    if !routes.isEmpty {
      parts.append(CommitPart(routes.map { .savePostRoute($0) }))
      decision.parts.append(nil)
    }
    var places = 0
    let replaced = Set(decision.companions.values)
    for id in decision.order where !replaced.contains(id) {
      var writes = writes(of: id, &decision, from: &places)
      // The new post comes first, because the old one refers to it.
      if let old = decision.companions[id] { writes += self.writes(of: old, &decision, from: &places) }
      guard !writes.isEmpty else { continue }
      parts.append(CommitPart(writes))
      decision.parts.append(id)
    }
    parts += decision.retentions.map { CommitPart([.savePostRetention($0)]) }
    return CommitRequest(parts)
  }

  /// The writes for a post, which gets its revision.
  private mutating func writes(of id: PostID, _ decision: inout PostDecision, from places: inout Int) -> [StoreMutation] {
    let transitions = decision.place(transitionsOf: id, from: &places)
    if decision.visible.contains(id) {
      if transitions.isEmpty { places += 1 }
      awake[id]?.row.revision = PendingRevision.at(places)
    }
    guard let post = awake[id] else { return [] }
    var writes: [StoreMutation] = []
    if decision.created.contains(id) {
      writes.append(.insertPost(post.row))
    } else if decision.rewritten.contains(id) {
      writes.append(.rewritePost(post.row))
    } else if decision.visible.contains(id) || decision.revised.contains(id) {
      writes.append(.updatePost(post.row))
    }
    let relays = decision.deliveries[id] ?? []
    for delivery in post.stored.deliveries where relays.contains(delivery.relay) {
      writes.append(.saveDelivery(id, delivery))
    }
    return writes + transitions.map { .appendPostTransition($0) }
  }

  // MARK: - It is durable

  mutating func landed(_ receipt: CommitReceipt?, at now: Timestamp) -> (decision: PostDecision, effects: PostEffects) {
    self.now = now
    var decision = flight ?? PostDecision()
    flight = nil
    var effects = decision.effects
    if let receipt {
      for id in decision.order {
        guard let revision = awake[id]?.row.revision else { continue }
        awake[id]?.row.revision = PendingRevision.settled(revision, base: receipt.postBase)
      }
      counters.revision = max(counters.revision, receipt.postRevision)
      let entries = reject(receipt.rejections, &decision, &effects)
      effects.journal += entries + storageWorked()
      if !decision.visible.isEmpty { (effects.revision, effects.changed) = (counters.revision, decision.visible) }
    }
    durable = counters
    // The same decision may have continued: a post must not leave if it was deleted since, or if its channel left the relay.
    effects.turns += decision.turns.map { isCurrent($0.turn.post, $0.turn.relay, $0.turn.number) ? $0 : $0.withheld }
    effects.operations = effects.operations.filter {
      isCurrent($0.operation.post, $0.operation.relay, $0.operation.number)
    }
    // A form that came late, because it could not be stored at first, makes another one unnecessary.
    effects.compositions = effects.compositions.filter { composing.contains($0.post) }
    return (decision, effects)
  }

  /// Whether a delivery waits for the outcome of this operation.
  private func isCurrent(_ post: PostID, _ relay: RelayID, _ number: Int) -> Bool {
    awake[post]?.machine(at: relay)?.underWay?.operation == number
  }

  /// Removes the parts that were not stored.
  /// - Returns: journal entries about them.
  private mutating func reject(
    _ rejections: [Int: CommitReceipt.Rejection], _ decision: inout PostDecision, _ effects: inout PostEffects
  ) -> [JournalEntry] {
    var entries: [JournalEntry] = []
    for (place, rejection) in rejections.sorted(by: { $0.key < $1.key }) {
      var reason = "another process changed it"
      if case .refused(let words) = rejection { reason = words }
      guard decision.parts.indices.contains(place) else {
        decision.keepBack(retention: place - decision.parts.count, .storageUnavailable(reason: reason))
        continue
      }
      guard let id = decision.parts[place] else {
        postpone(decision.background)
        alarms.set(.recovery, noLaterThan: now + Self.upkeepInterval)
        entries.append(
          JournalEntry(level: .error, message: "the relays that posts go to could not be stored: \(reason)", isHeard: true))
        continue
      }
      entries.append(giveUp(id, isNew: decision.created.contains(id), reason, &effects))
      decision.keepBack(id, .storageUnavailable(reason: "post \(id.rawValue) could not be stored: \(reason)"))
      effects.operations.removeAll { $0.operation.post == id }
      effects.compositions.removeAll { $0.post == id }
      guard let old = decision.companions[id] else { continue }
      readAgain(old)
      decision.keepBack(old, .storageUnavailable(reason: "post \(old.rawValue) could not be stored: \(reason)"))
      effects.operations.removeAll { $0.operation.post == old }
    }
    return entries
  }

  /// Skips a post that cannot be stored. Its relays may get other posts.
  /// - Returns: A journal entry about it.
  private mutating func giveUp(
    _ id: PostID, isNew: Bool, _ reason: String, _ effects: inout PostEffects
  ) -> JournalEntry {
    for delivery in awake[id]?.deliveries ?? [] where !effects.inputs.contains(.serve(delivery.relay)) {
      effects.inputs.append(.serve(delivery.relay))
    }
    if !isNew { leftAlone[id] = .some(awake[id]?.row.channel) }
    forget(id)
    return JournalEntry(
      event: .storageFailed, level: .error,
      message: "post \(id.rawValue) could not be stored and is skipped: \(reason)",
      fields: ["BATON_POST": "\(id.rawValue)"], isHeard: true)
  }

  // MARK: - It failed

  mutating func failed(_ failure: CommitFailure, at now: Timestamp) -> (effects: PostEffects, answers: [PostDecision.Answer]) {
    self.now = now
    let decision = flight ?? open
    if flight == nil { open = PostDecision() }
    flight = nil
    var effects = PostEffects()
    // A request with a single part is refused as a whole.
    if case .refused(let reason) = failure, decision.parts.count == 1, let id = decision.parts[0] {
      let entry = giveUp(id, isNew: decision.created.contains(id), reason, &effects)
      effects.journal.append(entry)
      if let old = decision.companions[id] { readAgain(old) }
    } else {
      effects.journal += takeBack(decision, failure)
    }
    composing.subtract(decision.effects.compositions.map(\.post))
    letSleep(decision.seen)
    dropComparisons(decision.compared)
    counters = durable
    postpone(decision.background + decision.effects.inputs)
    alarms.set(.recovery, noLaterThan: now + Self.recoveryWait)
    effects.journal += decision.effects.journal.filter(\.isHeard)
    effects.turns = decision.turns.map { $0.withheld }
    return (effects, decision.answers)
  }

  /// Forgets the changed posts, which are read again.
  /// - Returns: A journal entry with the reason, if it is news.
  private mutating func takeBack(_ decision: PostDecision, _ failure: CommitFailure) -> [JournalEntry] {
    if case .inDoubt = failure { isDoubtful = true }
    for id in decision.order {
      forget(id)
      // New posts do not exist, unless that is in doubt.
      if isDoubtful || !decision.created.contains(id) { recovering.insert(id) }
    }
    return storageFailed(failure.description)
  }

  /// The durable state is known again.
  mutating func settleDoubt(_ counters: PostCounters) {
    self.counters = counters
    durable = counters
    isDoubtful = false
    // New posts that were not stored do not exist, and their ids may be assigned again.
    recovering = recovering.filter { $0.rawValue <= counters.post }
  }

  /// Forgets the decisions about a post, which is intact as far as is known, and reads it again.
  private mutating func readAgain(_ id: PostID) {
    forget(id)
    recovering.insert(id)
    alarms.set(.recovery, noLaterThan: now + Self.recoveryWait)
  }

  /// Forgets a post whose state in memory differs from the store.
  mutating func forget(_ id: PostID) {
    for delivery in awake[id]?.deliveries ?? [] {
      lanes[delivery.relay]?.forget(id)
      alarms.set(.timeout(id, delivery.relay), at: nil)
    }
    awake[id] = nil
    composing.remove(id)
  }

  /// - Returns: A journal entry about it, if it is news.
  mutating func storageFailed(_ reason: String) -> [JournalEntry] {
    guard trouble == nil else { return [] }
    trouble = reason
    return [JournalEntry(event: .storageFailed, level: .error, message: "posts cannot be stored: \(reason)", isHeard: true)]
  }

  private mutating func storageWorked() -> [JournalEntry] {
    guard trouble != nil, recovering.isEmpty, postponed.isEmpty else { return [] }
    trouble = nil
    return [JournalEntry(event: .storageRecovered, level: .notice, message: "posts can be stored again", isHeard: true)]
  }

  // MARK: - Upkeep

  mutating func takeChore() -> CommitRequest? {
    guard isUpkeepDue, let upkeep else { return nil }
    isUpkeepDue = false
    return CommitRequest([
      .forgetPostHistory(before: now + (.zero - upkeep.keepHistory), rowsMax: upkeep.keepRows, limit: Self.historyPerUpkeep)
    ])
  }

  mutating func choreEnded(_ outcome: Flight.Outcome) -> [PostInput] {
    switch outcome {
    case .success(let receipt):
      upkeepRefusal = nil
      return receipt.forgotten >= Self.historyPerUpkeep ? [.forgetHistory] : []
    case .failure(.refused(let reason)): upkeepRefused(reason)
    // It returns with the next round, and requests are informed.
    case .failure: break
    }
    return []
  }

  /// A refusal is no failure of storage, which stores everything else. It is reported once, although the chore returns again and again.
  private mutating func upkeepRefused(_ reason: String) {
    guard upkeepRefusal != reason else { return }
    upkeepRefusal = reason
    let words = "the removal of old post history could not be stored: \(reason)"
    open.effects.journal.append(
      JournalEntry(level: .error, message: "\(words). See batonctl check", isHeard: true))
  }
}

extension PostDecision {
  /// Gives the transitions of a post their revisions.
  fileprivate mutating func place(transitionsOf id: PostID, from places: inout Int) -> [PostTransitionRow] {
    guard var rows = transitions[id] else { return [] }
    for index in rows.indices {
      places += 1
      rows[index].revision = PendingRevision.at(places)
    }
    transitions[id] = rows
    return rows
  }

  /// Removes a post that was not stored.
  fileprivate mutating func keepBack(_ id: PostID, _ error: BatonError) {
    answers = answers.map { answer in
      guard answer.post == id else { return answer }
      return Answer(asker: answer.asker, error: error)
    }
    turns = turns.map { $0.turn.post == id ? $0.withheld : $0 }
  }

  /// Removes a retention that was not stored.
  /// - Parameter index: its place among the retentions.
  fileprivate mutating func keepBack(retention index: Int, _ error: BatonError) {
    guard retentions.indices.contains(index) else { return }
    answers = answers.map { answer in
      guard case .retention(_, retentions[index]) = answer.asker else { return answer }
      return Answer(asker: answer.asker, error: error)
    }
  }
}

extension PostEffects.Turn {
  /// The same turn for a post that must not leave.
  fileprivate var withheld: Self {
    Self(network: network, turn: DeliveryTurn(post: turn.post, relay: turn.relay, number: turn.number, mayLeave: false))
  }
}
