// The states in which nothing is under way to the relay, or only slowly: verified, failed, skipped.
extension DeliveryMachine.Step {
  mutating func whenVerified(_ event: Event) {
    switch event {
    case .edited(let edition):
      guard isNewer(edition, event) else { return }
      publish("edition \(edition)")
    case .reconciled(let isServed):
      guard !isServed else { return }
      // The comparison may have begun before the post came, or have seen a part only: a reader looks before the post leaves again.
      machine.shown = 0
      enter(.sent(fresh(.verify)), Trouble(.missing, "a comparison did not find the post"))
      perform(.verify)
    case .deletionRequested: delete()
    case .restarted, .relayLeft: break
    case .begun, .timerFired, .handedOver, .accepted, .verified, .foundMissing, .withdrawn, .refused, .skipped, .troubled,
      .relayReturned, .retryRequested, .cancelRequested, .forgotten:
      unexpected(event)
    }
  }

  mutating func whenFailed(_ event: Event, _ trouble: Trouble, _ work: Work) {
    switch event {
    case .timerFired, .restarted: pursue(event, work)
    case .retryRequested:
      guard !work.progress.isUnderWay else { return unexpected(event) }
      begin("retry by request")
    case .relayReturned:
      // A new connection does not change the relay's refusal or postponement.
      guard !work.progress.isUnderWay, trouble.cause.isOfConnection || trouble.cause == .missing else {
        return unexpected(event)
      }
      begin("the relay is back")
    case .handedOver(let operation):
      guard isCurrent(operation, .publish) else { return unexpected(event) }
      leave(work)
    case .accepted: acceptLate(event, work)
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(work.task, work, trouble, atLeast: retryAfter)
    case .edited(let edition):
      guard isNewer(edition, event) else { return }
      begin("edition \(edition)")
    case .cancelRequested: cancel(event)
    case .forgotten:
      guard !work.progress.isUnderWay else { return unexpected(event) }
      skip(Trouble(trouble.cause, "forgotten here before the relay had it: \(trouble.detail)"))
    case .verified, .foundMissing, .refused, .skipped, .reconciled, .deletionRequested, .relayLeft: whenUnfinished(event, work)
    case .begun, .withdrawn: unexpected(event)
    }
  }

  mutating func whenSkipped(_ event: Event) {
    switch event {
    case .retryRequested:
      guard !machine.isDeletionRequested else { return unexpected(event) }
      begin("retry by request")
    case .accepted:
      // From before it was skipped: if it is ever tried again, that begins with reading back.
      guard machine.isDeletionRequested else { return machine.left = max(machine.left, 1) }
      deleteAgain("the relay took the post after the deletion")
    case .reconciled(let isServed):
      guard isServed else { return }
      guard machine.isDeletionRequested else { return machine.left = max(machine.left, 1) }
      deleteAgain("the relay serves the post")
    case .edited(let edition): if !machine.isDeletionRequested { _ = isNewer(edition, event) } else { unexpected(event) }
    case .deletionRequested:
      guard !machine.isDeletionRequested else { return unexpected(event) }
      delete()
    case .restarted, .relayLeft: break
    case .begun, .timerFired, .handedOver, .verified, .foundMissing, .withdrawn, .refused, .skipped, .troubled, .relayReturned,
      .cancelRequested, .forgotten:
      unexpected(event)
    }
  }

  // MARK: - Steps shared by several states

  /// Starts a new effort: with reading back if the newest edition may be there.
  private mutating func begin(_ why: String) {
    guard machine.left > machine.shown else { return publish(why) }
    enter(.sent(fresh(.verify)), why)
    perform(.verify)
  }

  private mutating func publish(_ why: String) {
    enter(.pending(fresh(.publish)), why)
    perform(.publish)
  }

  /// Fails. The next repair follows after a while, without limit.
  mutating func fail(
    _ task: Work.Task, _ work: Work, _ trouble: Trouble, atLeast: Duration? = nil, isLongest: Bool = false
  ) {
    let next = repair(task, work, after: trouble, atLeast: atLeast, isLongest: isLongest)
    enter(.failed(trouble, next), trouble)
  }

  /// Fails after a refusal of the post, or of its readers.
  mutating func refuse(_ work: Work, _ refusal: Trouble) {
    if work.task == .publish {
      machine.left = machine.shown
      fail(.publish, work, refusal, isLongest: true)
    } else {
      fail(work.task, work, Trouble(refusal.cause, "readers are refused: \(refusal.detail)"), isLongest: true)
    }
  }

  mutating func skip(_ trouble: Trouble) { enter(.skipped(trouble), trouble) }

  /// Takes the post back, if nothing of it may be at the relay.
  mutating func cancel(_ event: Event) {
    guard machine.left == 0 else { return unexpected(event) }
    skip(Trouble(.cancelled, "cancelled before the relay had it"))
  }

  /// Whether an edition is newer than all others. If so, it becomes the newest one.
  mutating func isNewer(_ edition: Int, _ event: Event) -> Bool {
    guard edition > machine.edition else {
      unexpected(event)
      return false
    }
    machine.edition = edition
    return true
  }
}
