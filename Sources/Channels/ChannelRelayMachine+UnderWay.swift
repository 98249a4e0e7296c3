// The states on the way to `active`: new, invited, accepted.
extension ChannelRelayMachine.Step {
  typealias Event = ChannelRelayMachine.Event
  typealias Work = ChannelRelayMachine.Work

  mutating func whenNew(_ event: Event, _ work: Work) {
    switch event {
    case .begun, .timerFired, .restarted, .retryRequested: pursue(event, work) { .new($0) }
    case .handedOver(let operation):
      guard isCurrent(operation) else { return unexpected(event) }
      enter(.invited(handedOver(work)))
    case .relayAccepted(_, let link):
      enter(.invited(work))
      accept(link: link)
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      struggle(work, trouble, retryAfter) { .new($0) }
    case .refused(let operation, let refusal):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(refusal)
    case .misbehaved(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(trouble)
    case .removalRequested: remove()
    case .revised: break
    case .verified, .foundMissing, .withdrawn, .announced, .relayLost, .relayReturned, .verifyRequested, .replaced,
      .rejoinRequested:
      unexpected(event)
    }
  }

  mutating func whenInvited(_ event: Event, _ work: Work) {
    switch event {
    case .timerFired, .restarted, .retryRequested: pursue(event, work) { .invited($0) }
    case .relayAccepted(_, let link): accept(link: link)
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      struggle(work, trouble, retryAfter) { .invited($0) }
    case .refused(let operation, let refusal):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(refusal)
    case .misbehaved(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(trouble)
    case .removalRequested: remove()
    case .handedOver(let operation):
      guard isCurrent(operation) else { return unexpected(event) }
      machine.state = .invited(handedOver(work))
    case .revised: break
    case .begun, .verified, .foundMissing, .withdrawn, .announced, .relayLost, .relayReturned, .verifyRequested, .replaced,
      .rejoinRequested:
      unexpected(event)
    }
  }

  mutating func whenAccepted(_ event: Event, _ work: Work, _ link: String) {
    switch event {
    case .timerFired, .restarted, .retryRequested, .verifyRequested:
      pursue(event, work) { .accepted($0, link: link) }
    case .verified(let operation, let edition, let others):
      guard edition > 0 else {
        guard isCurrent(operation) else { return unexpected(event) }
        return verifyAgain(work, link, Trouble(.missing, "the relay took the \(machine.kind) but does not show its profile"))
      }
      becomeActive(link, shows: edition, others)
    case .foundMissing(let operation):
      guard isCurrent(operation) else { return unexpected(event) }
      verifyAgain(work, link, Trouble(.missing, "the relay took the \(machine.kind) but does not serve it"))
    case .troubled(let operation, let trouble, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      struggle(work, trouble, retryAfter) { .accepted($0, link: link) }
    case .refused(let operation, let refusal):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(Trouble(refusal.cause, "readers are refused: \(refusal.detail)"))
    case .misbehaved(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(trouble)
    case .removalRequested: remove()
    case .revised: break
    case .begun, .handedOver, .relayAccepted, .withdrawn, .announced, .relayLost, .relayReturned, .replaced,
      .rejoinRequested:
      unexpected(event)
    }
  }

  /// Handles an accepted channel that is not there yet: it is read back a few more times before the relay fails.
  private mutating func verifyAgain(_ work: Work, _ link: String, _ trouble: Trouble) {
    if let next = retry(work, after: trouble, retryAfter: nil, attemptsMax: policy.verifyAttemptsMax) {
      enter(.accepted(next, link: link), trouble)
    } else {
      fail(trouble)
    }
  }

  /// Starts the next attempt if it is due or requested, or lets the present one time out.
  mutating func pursue(_ event: Event, _ work: Work, _ state: (Work) -> ChannelRelayMachine.State) {
    switch (work.progress, event) {
    case (.underWay(let timeoutAt), .timerFired) where now >= timeoutAt:
      struggle(work, timedOut(work), nil, state)
    case (.underWay, .restarted), (.waiting, .begun):
      machine.state = state(started(work))
      perform(work.task)
    case (.waiting, .retryRequested), (.waiting, .verifyRequested):
      // Someone asked for it: the next attempt starts now instead of after the back-off.
      machine.state = state(started(work))
      perform(work.task)
    case (.waiting(let until), .timerFired) where now >= until:
      machine.state = state(started(work))
      perform(work.task)
    case (.waiting, .restarted): machine.state = state(resumed(work))
    case (.underWay, _), (.waiting, _):
      unexpected(event)
    }
  }

  /// Handles transient trouble: waits and retries, or fails if attempts or time are used up.
  mutating func struggle(
    _ work: Work, _ trouble: Trouble, _ retryAfter: Duration?, _ state: (Work) -> ChannelRelayMachine.State
  ) {
    if let next = retry(work, after: trouble, retryAfter: retryAfter) {
      enter(state(next), trouble)
    } else {
      fail(Trouble(trouble.cause, "gave up after \(work.attempt) attempts: \(trouble.detail)"))
    }
  }

  mutating func fail(_ trouble: Trouble) {
    enter(.failed(trouble, link: machine.state.relayLink ?? ""), trouble)
  }
}
