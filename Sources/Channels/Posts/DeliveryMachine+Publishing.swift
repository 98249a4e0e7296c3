// The states on the way to `verified`: pending, sent, accepted.
extension DeliveryMachine.Step {
  typealias Event = DeliveryMachine.Event
  typealias Work = DeliveryMachine.Work

  mutating func whenPending(_ event: Event, _ work: Work) {
    switch event {
    case .begun, .timerFired, .restarted, .retryRequested, .relayReturned: pursue(event, work)
    case .handedOver(let operation):
      guard isCurrent(operation) else { return unexpected(event) }
      leave(work)
    case .accepted: acceptLate(event, work)
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      publishLater(work, trouble, retryAfter)
    case .edited(let edition): _ = isNewer(edition, event)
    case .cancelRequested: cancel(event)
    case .verified, .refused, .skipped, .reconciled, .deletionRequested, .relayLeft: whenUnfinished(event, work)
    case .foundMissing, .withdrawn, .forgotten: unexpected(event)
    }
  }

  mutating func whenSent(_ event: Event, _ work: Work) {
    switch event {
    case .restarted where work.task == .publish:
      readBack(work, Trouble(.timeout, "the daemon stopped before the relay answered"), nil)
    case .timerFired, .restarted, .retryRequested, .relayReturned: pursue(event, work)
    case .accepted(let operation):
      if isCurrent(operation, .publish) { accept(work) } else { acceptLate(event, work) }
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      if work.task == .verify {
        readBackLater(work, trouble, retryAfter)
      } else if Self.meansNotTaken(trouble.cause) {
        publishLater(work, trouble, retryAfter)
      } else {
        readBack(work, trouble, retryAfter)
      }
    case .skipped(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      if work.task == .publish { machine.left = machine.shown }
      skip(trouble)
    case .edited(let edition): _ = isNewer(edition, event)
    case .verified, .foundMissing, .refused, .reconciled, .deletionRequested, .relayLeft: whenUnfinished(event, work)
    case .begun, .handedOver, .withdrawn, .cancelRequested, .forgotten: unexpected(event)
    }
  }

  mutating func whenAccepted(_ event: Event, _ work: Work) {
    switch event {
    case .timerFired, .restarted, .retryRequested, .relayReturned: pursue(event, work)
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      readBackLater(work, trouble, retryAfter)
    case .edited(let edition): _ = isNewer(edition, event)
    case .verified, .foundMissing, .refused, .skipped, .reconciled, .deletionRequested, .relayLeft: whenUnfinished(event, work)
    case .begun, .handedOver, .accepted, .withdrawn, .cancelRequested, .forgotten: unexpected(event)
    }
  }

  /// Handles what means the same in every state on the way to `verified`, and in `failed`.
  mutating func whenUnfinished(_ event: Event, _ work: Work) {
    switch event {
    case .verified(let operation, let edition): foundOrLate(operation, edition, event, work)
    case .foundMissing(let operation):
      guard isCurrent(operation, .verify) else { return unexpected(event) }
      found(0, work)
    case .refused(let operation, let refusal):
      guard isCurrent(operation) else { return unexpected(event) }
      refuse(work, refusal)
    case .skipped(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      skip(trouble)
    case .reconciled(let isServed): reconcile(isServed)
    case .deletionRequested: delete()
    case .relayLeft: skip(Trouble(.left, "the channel left the relay"))
    case .begun, .timerFired, .restarted, .handedOver, .accepted, .withdrawn, .troubled, .relayReturned, .edited,
      .retryRequested, .cancelRequested, .forgotten:
      unexpected(event)
    }
  }

  // MARK: - On the way out

  /// Records that the newest edition leaves.
  mutating func leave(_ work: Work) {
    machine.left = machine.edition
    enter(.sent(work.with(.underWay(timeoutAt: now + policy.publicationTimeout))))
  }

  /// Starts to read the post back, after the relay accepted it.
  private mutating func accept(_ work: Work) {
    machine.left = max(machine.left, 1)
    enter(.accepted(fresh(.verify, repair: work.repair)))
    perform(.verify)
  }

  /// Handles an acceptance of an edition that left earlier. It does not name the edition: where there are several, readers find out.
  mutating func acceptLate(_ event: Event, _ work: Work) {
    if machine.edition == 1 { return accept(work) }
    if work.task == .verify, work.progress.isUnderWay {
      // The reading under way may be from before the relay accepted it.
      start(work)
    } else if machine.left == 0 {
      machine.left = 1
      enter(.sent(fresh(.verify, repair: work.repair)), "the relay took an edition late")
      perform(.verify)
    } else {
      unexpected(event)
    }
  }

  /// Whether this cause from the relay means that it did not accept the post.
  private static func meansNotTaken(_ cause: Cause) -> Bool { [.rateLimited, .authRequired].contains(cause) }

  /// Waits and publishes the post again, because the relay does not have it. Fails if attempts or time are used up.
  private mutating func publishLater(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?) {
    machine.left = machine.shown
    if let next = retry(work.with(.publish, work.progress, after: trouble), after: trouble, retryAfter: retryAfter) {
      enter(.pending(next), trouble)
    } else {
      giveUp(.publish, work, trouble, retryAfter)
    }
  }

  /// Reads the relay back, in the same attempt, because the answer to the post was lost.
  private mutating func readBack(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?) {
    guard let retryAfter, retryAfter > .zero else {
      enter(.sent(work.with(.verify, queued(.verify), after: trouble)), trouble)
      return perform(.verify)
    }
    let until = now + min(retryAfter, policy.patienceMax)
    enter(.sent(work.with(.verify, .waiting(until: until), after: trouble)), trouble)
  }

  /// Waits and reads the relay back again, in the present status. Fails if attempts or time are used up.
  private mutating func readBackLater(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?) {
    if let next = retry(work, after: trouble, retryAfter: retryAfter) {
      enter(machine.state.with(next), trouble)
    } else {
      giveUp(.verify, work, trouble, retryAfter)
    }
  }

  private mutating func giveUp(_ task: Work.Task, _ work: Work, _ trouble: Trouble, _ retryAfter: Duration?) {
    let attempts = work.attempt == 1 ? "1 attempt" : "\(work.attempt) attempts"
    fail(task, work, Trouble(trouble.cause, "no success after \(attempts): \(trouble.detail)"), atLeast: retryAfter)
  }

  // MARK: - What readers find

  /// Handles a reader's result: of the reading back under way, or of an earlier one if it found the newest edition.
  private mutating func foundOrLate(_ operation: Int, _ edition: Int, _ event: Event, _ work: Work) {
    if isCurrent(operation, .verify) {
      found(edition, work)
    } else if edition >= machine.edition {
      settle(edition)
    } else {
      unexpected(event)
    }
  }

  /// Handles the result of the reading back under way, or 0 for nothing.
  private mutating func found(_ edition: Int, _ work: Work) {
    guard edition < machine.left else { return settle(edition) }
    let missing = notFound(edition)
    // A relay may show an accepted post late.
    if case .accepted = machine.state,
      let next = retry(work, after: missing, retryAfter: nil, attemptsMax: policy.verifyAttemptsMax)
    {
      return enter(.accepted(next), missing)
    }
    machine.shown = max(edition, 0)
    switch machine.state {
    case .sent: publishLater(work, missing, nil)
    case .failed:
      // This was the first half of a repair.
      machine.left = machine.shown
      enter(.failed(missing, work.with(.publish, queued(.publish), after: missing)), missing)
      perform(.publish)
    case .pending, .accepted, .verified, .skipped, .deleting, .deleted, .stillServed, .unsupported:
      // The relay accepted it, so it may still show it: a repair looks again before it publishes, and a deletion is sent.
      fail(.verify, work, missing)
    }
  }

  private func notFound(_ edition: Int) -> Trouble {
    let (shown, expected) = ("edition \(edition)", "edition \(machine.left)")
    if case .accepted = machine.state {
      let words = edition > 0 ? "\(expected), but shows \(shown)" : "the post, but does not serve it"
      return Trouble(.missing, "the relay took \(words)")
    }
    return Trouble(.missing, edition > 0 ? "the relay shows \(shown), not \(expected)" : "the relay does not have the post")
  }

  /// Records that a reader found an edition that is at least as new as the one that left.
  private mutating func settle(_ edition: Int) {
    machine.shown = min(edition, machine.edition)
    machine.left = machine.shown
    guard machine.shown < machine.edition else { return enter(.verified) }
    enter(.pending(fresh(.publish)), "readers find edition \(machine.shown) of \(machine.edition)")
    perform(.publish)
  }

  /// Handles the result of a comparison of the relay's posts for a post that is on its way. The comparison does not distinguish editions,
  /// and a post that it misses may have come later.
  private mutating func reconcile(_ isServed: Bool) {
    if isServed, machine.edition == 1 { settle(1) }
  }
}
