// The states that last: active, inactive, failed, removed.
extension ChannelRelayMachine.Step {
  mutating func whenActive(_ event: Event, _ link: String, _ work: Work?) {
    switch event {
    case .verifyRequested:
      guard work == nil || isWaitingToAnnounce(work) else { return unexpected(event) }
      var next = fresh(.verify)
      // The relay counts as keeping one profile per author until reading back shows otherwise.
      if let known = machine.complaint, known.cause == .onePerAuthor { next = next.after(known) }
      machine.complaint = nil
      machine.state = .active(link: link, work: next)
      perform(.verify)
    case .revised(_, let isSpared):
      if let work, work.task == .verify {
        // A reading back that is under way continues. Its result decides what to do.
        if isSpared { machine.state = .active(link: link, work: work.after(Self.spared)) }
      } else if isSpared, work == nil {
        spare(link)
      } else {
        catchUp(link)
      }
    case .announced(let operation):
      guard let work, work.task == .announce, isCurrent(operation) else { return unexpected(event) }
      machine.state = .active(link: link, work: fresh(.verifyAnnounced))
      perform(.verifyAnnounced)
    case .retryRequested:
      guard isWaitingToAnnounce(work) || work == nil && machine.complaint != nil else { return unexpected(event) }
      catchUp(link)
    case .relayReturned:
      // A new connection does not change the relay's refusal or postponement.
      guard isWaitingToAnnounce(work), let cause = work?.lastTrouble?.cause, cause.isOfConnection else {
        return unexpected(event)
      }
      catchUp(link)
    case .timerFired, .restarted:
      guard let work else {
        if event != .restarted { unexpected(event) }
        return
      }
      pursueWhenActive(event, work, link)
    case .verified(let operation, let edition, let others):
      guard let work, isCurrent(operation) || edition >= machine.edition else { return unexpected(event) }
      found(edition, others, work, link)
    case .foundMissing(let operation):
      guard isCurrent(operation) else { return unexpected(event) }
      deactivate(Trouble(.missing, "the relay does not have the \(machine.kind) any more"), link)
    case .troubled(let operation, let trouble, let retryAfter):
      guard let work, isCurrent(operation) else { return unexpected(event) }
      troubledWhenActive(work, trouble, retryAfter, link)
    case .refused(let operation, let refusal):
      guard let work, isCurrent(operation) else { return unexpected(event) }
      guard work.task != .announce else {
        let words = "the relay refuses the new profile: \(refusal.detail)"
        return complain(
          refusal.cause == .onePerAuthor ? Self.crowdedOut(refusal.detail) : Trouble(refusal.cause, words), link)
      }
      deactivate(Trouble(refusal.cause, "readers are refused: \(refusal.detail)"), link)
    case .misbehaved(let operation, let trouble):
      guard let work, isCurrent(operation) else { return unexpected(event) }
      // Only reading back shows whether readers still get the channel there.
      if work.task == .announce { return troubledWhenActive(work, trouble, nil, link) }
      fail(trouble)
    case .relayLost(let trouble): deactivate(trouble, link)
    case .removalRequested: remove()
    case .begun, .handedOver, .relayAccepted, .withdrawn, .replaced, .rejoinRequested: unexpected(event)
    }
  }

  mutating func whenInactive(_ event: Event, _ trouble: Trouble, _ link: String, _ work: Work) {
    switch event {
    case .timerFired, .restarted:
      switch (work.progress, event) {
      case (.underWay(let timeoutAt), .timerFired) where now >= timeoutAt:
        stay(timedOut(work), link, slow(.verify, after: timedOut(work), attempt: work.attempt + 1))
      case (.waiting(let until), .timerFired) where now >= until: tryAgain(trouble, link, work)
      case (.underWay, .restarted): tryAgain(trouble, link, work)
      case (.waiting, .restarted): machine.state = .inactive(trouble, link: link, resumed(work))
      case (.underWay, _), (.waiting, _): unexpected(event)
      }
    case .relayReturned, .verifyRequested:
      guard case .waiting = work.progress else { return unexpected(event) }
      tryAgain(trouble, link, work)
    case .verified(let operation, let edition, let others):
      guard edition > 0 else {
        guard isCurrent(operation) else { return unexpected(event) }
        let missing = Trouble(.missing, "the relay does not show the profile of the \(machine.kind)")
        return stay(missing, link, slow(.verify, after: missing, attempt: work.attempt + 1))
      }
      becomeActive(link, shows: edition, others)
    case .relayAccepted(_, let link): accept(link: link)
    case .foundMissing(let operation):
      guard isCurrent(operation) else { return unexpected(event) }
      let missing = Trouble(.missing, "the relay does not have the \(machine.kind) any more")
      // The relay may have lost its store: invite it again, without a wait the first time and slowly afterwards. A group that is created
      // again is another one, without its members. Users decide about that.
      if machine.kind == .group {
        stay(missing, link, slow(.verify, after: missing, attempt: work.attempt + 1))
      } else if work.attempt == 1 {
        let invite = Work(.invite, attempt: 2, startedAt: now, progress: fresh(.invite).progress, lastTrouble: missing)
        enter(.inactive(missing, link: link, invite), missing)
        perform(.invite)
      } else {
        stay(missing, link, slow(.invite, after: missing, attempt: work.attempt + 1))
      }
    case .troubled(let operation, let latest, let retryAfter):
      guard isCurrent(operation) else { return unexpected(event) }
      stay(latest, link, slow(.verify, after: latest, attempt: work.attempt + 1, atLeast: retryAfter))
    case .refused(let operation, let refusal):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(refusal)
    case .misbehaved(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      fail(trouble)
    case .retryRequested: reinvite()
    case .removalRequested: remove()
    case .replaced(let words): giveWay(words)
    case .handedOver:
      guard isCurrent(event) else { return unexpected(event) }
    case .revised: break
    case .begun, .withdrawn, .announced, .relayLost, .rejoinRequested: unexpected(event)
    }
  }

  mutating func whenFailed(_ event: Event, _ trouble: Trouble, _ link: String) {
    switch event {
    case .relayAccepted(_, let link):
      switch trouble.cause {
      case .timeout, .unreachable, .rateLimited, .storage, .authRequired, .missing, .expired, .wrongName, .untrusted,
        .misbehaving,
        .incompatibleVersion:
        accept(link: link)
      case .rejected, .wrongIdentity, .protocol, .left, .replaced, .onePerAuthor, .cancelled, .tooOld, .tooLarge, .notSupported,
        .stillServed:
        unexpected(event)
      }
    case .retryRequested: reinvite()
    case .relayReturned:
      // The relay would refuse the channel again.
      guard trouble.cause.mayPass else { return unexpected(event) }
      reinvite("the relay is back")
    case .removalRequested: remove()
    case .replaced(let words): giveWay(words)
    case .restarted, .revised: break
    case .begun, .timerFired, .handedOver, .verified, .foundMissing, .withdrawn, .announced, .refused, .misbehaved, .troubled,
      .relayLost, .verifyRequested, .rejoinRequested:
      unexpected(event)
    }
  }

  mutating func whenRemoved(_ event: Event, _ farewell: Work?) {
    switch event {
    case .timerFired, .restarted:
      guard let farewell else {
        if event != .restarted { unexpected(event) }
        return
      }
      switch (farewell.progress, event) {
      case (.underWay(let timeoutAt), .timerFired) where now >= timeoutAt: insist(farewell, timedOut(farewell), nil)
      case (.waiting(let until), .timerFired) where now >= until: tellAgain(farewell)
      case (.underWay, .restarted): tellAgain(farewell)
      case (.waiting, .restarted): machine.state = .removed(farewell: resumed(farewell))
      case (.underWay, _), (.waiting, _): unexpected(event)
      }
    case .withdrawn(let operation):
      guard let farewell, farewell.task == .withdraw, isCurrent(operation) else { return unexpected(event) }
      told(farewell)
    case .troubled(let operation, let trouble, let retryAfter):
      guard let farewell, isCurrent(operation) else { return unexpected(event) }
      insist(farewell, trouble, retryAfter)
    case .verified(let operation, _, _), .foundMissing(let operation):
      guard farewell?.task == .verify, isCurrent(operation) else { return unexpected(event) }
      dismiss()
    case .refused(let operation, let refusal):
      guard isCurrent(operation) else { return unexpected(event) }
      if farewell?.task == .verify { return dismiss() }
      enter(.removed(farewell: nil), Trouble(refusal.cause, "the relay refused the withdrawal: \(refusal.detail)"))
    case .misbehaved(let operation, let trouble):
      guard isCurrent(operation) else { return unexpected(event) }
      if farewell?.task == .verify, trouble.cause == .wrongIdentity { return dismiss() }
      enter(.removed(farewell: nil), trouble)
    case .relayReturned:
      guard let farewell, case .waiting = farewell.progress else { return unexpected(event) }
      tellAgain(farewell)
    case .removalRequested:
      // A user's request does not wait until the relay has answered.
      guard farewell?.task == .verify else { return unexpected(event) }
      dismiss()
    case .relayAccepted:
      // An invitation from before the removal arrived late, so the removal must be sent again.
      guard farewell == nil else { return unexpected(event) }
      enter(.removed(farewell: fresh(.withdraw)), "the relay accepted after the removal")
      perform(.withdraw)
    case .rejoinRequested:
      // The removal must be sent before the relay is invited again.
      guard farewell == nil else { return unexpected(event) }
      machine.shown = 0
      enter(.new(fresh(.invite)), "added again")
      perform(.invite)
    case .revised: break
    case .begun, .handedOver, .announced, .relayLost, .retryRequested, .verifyRequested, .replaced: unexpected(event)
    }
  }

  // MARK: - Steps shared by the cells above

  private mutating func pursueWhenActive(_ event: Event, _ work: Work, _ link: String) {
    switch (work.progress, event) {
    case (.underWay(let timeoutAt), .timerFired) where now >= timeoutAt:
      troubledWhenActive(work, timedOut(work), nil, link)
    case (.waiting(let until), .timerFired) where now >= until:
      machine.state = .active(link: link, work: started(work))
      perform(work.task)
    case (.underWay, .restarted):
      machine.state = .active(link: link, work: started(work))
      perform(work.task)
    case (.waiting, .restarted): machine.state = .active(link: link, work: resumed(work))
    case (.underWay, _), (.waiting, _): unexpected(event)
    }
  }

  /// Handles a failed verification of an active relay: asks again a few times, for at least the grace time, before it counts as inactive.
  mutating func doubt(_ work: Work, _ trouble: Trouble, _ retryAfter: Duration?, _ link: String) {
    // A start in the future was dated by a clock that was ahead.
    let isLong = now >= work.startedAt + policy.inactiveGrace || work.startedAt > now
    let isOver = work.attempt >= policy.verifyAttemptsMax && isLong
    if !isOver, let next = retry(work, after: trouble, retryAfter: retryAfter, attemptsMax: .max) {
      enter(.active(link: link, work: next), trouble)
    } else {
      deactivate(trouble, link)
    }
  }

  private mutating func deactivate(_ trouble: Trouble, _ link: String) {
    let work: Work
    switch trouble.cause {
    case .missing where machine.kind == .channel: work = fresh(.invite)
    case .missing, .timeout, .unreachable, .rejected, .rateLimited, .authRequired, .wrongIdentity, .protocol, .left, .replaced,
      .onePerAuthor, .storage, .cancelled, .expired, .wrongName, .untrusted, .misbehaving, .incompatibleVersion, .tooOld,
      .tooLarge, .notSupported, .stillServed:
      work = slow(.verify, after: trouble, attempt: 1)
    }
    enter(inactive(trouble, link, work), trouble)
    if case .underWay = work.progress { perform(work.task) }
  }

  private mutating func tryAgain(_ trouble: Trouble, _ link: String, _ work: Work) {
    machine.state = .inactive(trouble, link: link, started(work))
    perform(work.task)
  }

  private mutating func stay(_ trouble: Trouble, _ link: String, _ work: Work) {
    enter(inactive(trouble, link, work), trouble)
  }

  /// Replaces the reason for which it is inactive: the latest trouble is the only one kept.
  private func inactive(_ trouble: Trouble, _ link: String, _ work: Work) -> ChannelRelayMachine.State {
    .inactive(trouble, link: link, work.after(trouble))
  }

  private mutating func reinvite(_ why: String = "retry by request") {
    enter(.invited(fresh(.invite)), why)
    perform(.invite)
  }

  /// Makes room for another relay. A relay that had the channel is asked to delete it only once it has answered whether it has it: until it
  /// answers, readers may find the channel there.
  private mutating func giveWay(_ words: String) {
    let hadChannel = machine.state.relayLink != nil
    remove(Trouble(.replaced, words), beginning: hadChannel && policy.readsReplaced ? .verify : .withdraw)
  }

  /// Asks a relay that was replaced, and has answered, to delete the channel.
  private mutating func dismiss() {
    machine.state = .removed(farewell: fresh(.withdraw))
    perform(.withdraw)
  }

  private mutating func tellAgain(_ farewell: Work) {
    machine.state = .removed(farewell: started(farewell))
    perform(farewell.task)
  }

  private mutating func insist(_ farewell: Work, _ trouble: Trouble, _ retryAfter: Duration?) {
    if let next = retry(farewell, after: trouble, retryAfter: retryAfter) ?? lateFarewell(farewell, trouble) {
      enter(.removed(farewell: next), trouble)
    } else {
      enter(.removed(farewell: nil), Trouble(trouble.cause, "the relay could not be told: \(trouble.detail)"))
    }
  }

  /// Handles a withdrawal that the relay accepted. While an invitation of another daemon may still arrive, it is sent once more later.
  private mutating func told(_ farewell: Work) {
    // A start in the future was dated by a clock that was ahead.
    let startedAt = min(farewell.startedAt, now)
    let again = startedAt + policy.lateArrival
    guard machine.kind == .channel, now < again else { return enter(.removed(farewell: nil), "the relay was told") }
    let work = Work(.withdraw, attempt: farewell.attempt, startedAt: startedAt, progress: .waiting(until: again))
    enter(.removed(farewell: work), "the relay was told, and is told once more when nothing can arrive late")
  }

  /// Sends the withdrawal once an absent relay is back. Otherwise it would serve the removed channel forever.
  private func lateFarewell(_ farewell: Work, _ trouble: Trouble) -> Work? {
    guard trouble.cause.mayPass else { return nil }
    let wait = policy.slowRetry * min(3, max(1, farewell.attempt - policy.attemptsMax + 1))
    let until = now + policy.jittered(wait, salt: machine.salt &+ UInt64(truncatingIfNeeded: machine.operation))
    guard until < farewell.startedAt + policy.farewellMax else { return nil }
    return Work(
      farewell.task, attempt: farewell.attempt + 1, startedAt: farewell.startedAt, progress: .waiting(until: until),
      lastTrouble: trouble)
  }

  private func isCurrent(_ event: Event) -> Bool {
    if case .handedOver(let operation) = event { isCurrent(operation) } else { false }
  }
}
