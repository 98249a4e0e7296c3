// The states after a deletion: deleting, stillServed, deleted, unsupported.
extension DeliveryMachine.Step {
  mutating func whenDeleting(_ event: Event, _ work: Work) {
    switch event {
    case .timerFired, .restarted, .retryRequested, .relayReturned: pursue(event, work)
    case .withdrawn(let operation):
      guard isCurrent(operation, .withdraw) else { return unexpected(event) }
      readBackWithdrawn(.verifyWithdrawn, work, work.lastTrouble)
    case .verified(let operation, _):
      guard isCurrent(operation, .verifyWithdrawn, .verifyRefused) else { return unexpected(event) }
      foundServed(work)
    case .foundMissing(let operation):
      guard isCurrent(operation, .verifyWithdrawn, .verifyRefused) else { return unexpected(event) }
      foundGone()
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      insist(work, trouble, retryAfter)
    case .refused(let operation, let trouble), .skipped(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      refuseDeletion(work, trouble)
    case .accepted:
      // The post may have come after the deletion, and a reading from before that does not count.
      guard work.task != .withdraw else { return unexpected(event) }
      machine.state = machine.state.with(work.with(.withdraw, queued(.withdraw), after: work.lastTrouble))
      perform(.withdraw)
    case .reconciled(let isServed):
      // While it is being deleted, the relay is read back anyway.
      if !isServed, case .stillServed = machine.state { foundGone() }
    case .relayLeft:
      enter(.unsupported(Self.leftBehind), Self.leftBehind)
    case .begun, .handedOver, .edited, .cancelRequested, .deletionRequested, .forgotten: unexpected(event)
    }
  }

  mutating func whenDeleted(_ event: Event) {
    switch event {
    case .accepted: deleteAgain("the relay took the post after the deletion")
    case .reconciled(let isServed): if isServed { deleteAgain("the relay serves the post again") }
    case .restarted, .relayLeft: break
    case .begun, .timerFired, .handedOver, .verified, .foundMissing, .withdrawn, .refused, .skipped, .troubled, .relayReturned,
      .edited, .retryRequested, .cancelRequested, .deletionRequested, .forgotten:
      unexpected(event)
    }
  }

  mutating func whenUnsupported(_ event: Event) {
    switch event {
    case .retryRequested: deleteAgain("retry by request")
    case .reconciled(let isServed): if !isServed { foundGone() }
    case .restarted, .relayLeft: break
    case .begun, .timerFired, .handedOver, .accepted, .verified, .foundMissing, .withdrawn, .refused, .skipped, .troubled,
      .relayReturned, .edited, .cancelRequested, .deletionRequested, .forgotten:
      unexpected(event)
    }
  }

  // MARK: - Steps shared by several states

  /// Deletes the post for good. A relay that cannot have it is not asked.
  mutating func delete() {
    machine.isDeletionRequested = true
    guard machine.left > 0 else { return skip(Trouble(.cancelled, "deleted before the relay had it")) }
    enter(.deleting(fresh(.withdraw)), "deleted by request")
    perform(.withdraw)
  }

  /// Asks a relay once more that has the post although it was deleted.
  mutating func deleteAgain(_ why: String) {
    machine.left = machine.edition
    enter(.deleting(fresh(.withdraw)), why)
    perform(.withdraw)
  }

  private mutating func foundGone() {
    (machine.left, machine.shown) = (0, 0)
    enter(.deleted)
  }

  /// Handles a post that a reader still finds after the deletion.
  private mutating func foundServed(_ work: Work) {
    if work.task == .verifyRefused, let refusal = work.lastTrouble { return enter(.unsupported(refusal), refusal) }
    let trouble = Trouble(.stillServed, "the relay took the deletion, but still serves the post")
    if case .deleting = machine.state,
      let next = retry(work, after: trouble, retryAfter: nil, attemptsMax: policy.verifyAttemptsMax)
    {
      enter(.deleting(next), trouble)
    } else {
      enter(.stillServed(trouble, repair(.withdraw, work, after: trouble)), trouble)
    }
  }

  /// Handles a deletion that the relay refuses, or a reading back that it does not allow.
  private mutating func refuseDeletion(_ work: Work, _ trouble: Trouble) {
    switch work.task {
    case .withdraw:
      let refusal = Trouble(trouble.cause, "the relay does not delete the post: \(trouble.detail)")
      readBackWithdrawn(.verifyRefused, work, refusal)
    case .verifyRefused:
      let refusal = work.lastTrouble ?? trouble
      enter(.unsupported(refusal), refusal)
    case .verifyWithdrawn, .publish, .verify:
      let refusal = Trouble(trouble.cause, "the relay took the deletion, but readers are refused: \(trouble.detail)")
      enter(.unsupported(refusal), refusal)
    }
  }

  /// Starts to read the relay back, after it answered to the deletion.
  private mutating func readBackWithdrawn(_ task: Work.Task, _ work: Work, _ trouble: Trouble?) {
    let next: Work
    switch machine.state {
    case .stillServed: next = work.with(task, queued(task), after: trouble)
    case .pending, .sent, .accepted, .verified, .failed, .skipped, .deleting, .deleted, .unsupported:
      next = fresh(task, repair: work.repair).with(task, queued(task), after: trouble)
    }
    if task == .verifyRefused, let trouble {
      enter(machine.state.with(next), trouble)
    } else {
      machine.state = machine.state.with(next)
    }
    perform(task)
  }

  /// Handles trouble that may pass: a deletion is tried for as long as the channel has the relay.
  private mutating func insist(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?) {
    // The refusal becomes the detail in the end.
    let known = work.task == .verifyRefused ? work.lastTrouble ?? trouble : trouble
    var next: Work?
    if case .deleting = machine.state { next = retry(work, after: known, retryAfter: retryAfter) }
    enter(machine.state.with(next ?? repair(work.task, work, after: known, atLeast: retryAfter)), trouble)
  }

  private static let leftBehind = Trouble(.left, "the channel left the relay before the post was gone")
}
