extension ChannelRelayMachine {
  /// One call of `handle`: the machine being changed and the actions collected so far.
  struct Step {
    var machine: ChannelRelayMachine
    let now: Timestamp
    let policy: RelayPolicy
    var actions: [Action] = []

    init(machine: ChannelRelayMachine, now: Timestamp, policy: RelayPolicy) {
      self.machine = machine
      self.now = now
      self.policy = policy
    }

    /// Changes the state and records the transition.
    mutating func enter(_ state: State, cause: Cause? = nil, _ detail: String = "") {
      let from = machine.state.status
      let attempt = state.work?.attempt ?? machine.state.work?.attempt ?? 0
      machine.state = state
      if from != state.status { machine.since = now }
      if state.status != .active { (machine.verifyDue, machine.complaint) = (nil, nil) }
      actions.append(
        .record(
          Transition(from: from, to: state.status, cause: cause, detail: detail, attempt: attempt, at: now)))
    }

    mutating func enter(_ state: State, _ trouble: Trouble) {
      enter(state, cause: trouble.cause, trouble.detail)
    }

    /// Work whose first attempt starts now.
    func fresh(_ task: Work.Task) -> Work {
      Work(
        task, attempt: 1, startedAt: now, progress: .underWay(timeoutAt: now + policy.queueAllowance + timeout(task)))
    }

    /// `work` with its next attempt under way. The attempt may still have to queue.
    func started(_ work: Work) -> Work {
      work.with(.underWay(timeoutAt: now + policy.queueAllowance + timeout(work.task)))
    }

    /// `work` as it continues after a restart: a clock that was set back by an unknown amount must not make it wait longer than it ever
    /// would have.
    func resumed(_ work: Work) -> Work {
      guard case .waiting(let until) = work.progress else { return started(work) }
      let isAskedFor = work.lastTrouble.map { [Cause.rateLimited, .misbehaving].contains($0.cause) } ?? false
      let longest = isAskedFor ? policy.patienceMax : max(policy.slowRetry, policy.backOffMax) * 4
      let end = min(until, now + longest)
      return Work(
        work.task, attempt: work.attempt, startedAt: min(work.startedAt, max(now, end)), progress: .waiting(until: end),
        lastTrouble: work.lastTrouble)
    }

    /// `work` after it left the queue. Its own timeout begins now.
    func handedOver(_ work: Work) -> Work {
      work.with(.underWay(timeoutAt: now + timeout(work.task)))
    }

    /// Asks the network for `task` under a new operation number.
    mutating func perform(_ task: Work.Task) {
      machine.operation += 1
      switch task {
      case .invite: actions.append(.invite(operation: machine.operation))
      case .verify, .verifyAnnounced: actions.append(.verify(operation: machine.operation))
      case .announce: actions.append(.announce(operation: machine.operation))
      case .withdraw: actions.append(.withdraw(operation: machine.operation))
      }
    }

    /// The next attempt of `work` after `trouble`, or `nil` if attempts or time are used up.
    func retry(_ work: Work, after trouble: Trouble, retryAfter: Duration?, attemptsMax: Int? = nil) -> Work? {
      guard work.attempt < attemptsMax ?? policy.attemptsMax else { return nil }
      let salt = machine.salt &+ UInt64(truncatingIfNeeded: machine.operation)
      guard
        let next = policy.next(
          afterAttempt: work.attempt, of: work.startedAt, asked: retryAfter ?? .zero, now: now, salt: salt)
      else { return nil }
      return Work(
        work.task, attempt: work.attempt + 1, startedAt: next.startedAt, progress: .waiting(until: next.until),
        lastTrouble: trouble)
    }

    /// The slow retry, without limit, of a relay that is inactive or does not show the newest edition.
    /// - Parameter atLeast: the wait that the relay asked for.
    func slow(_ task: Work.Task, after trouble: Trouble, attempt: Int, atLeast: Duration? = nil) -> Work {
      let salt = machine.salt &+ UInt64(truncatingIfNeeded: machine.operation)
      let until = now + max(policy.jittered(policy.slowRetry, salt: salt), atLeast ?? .zero)
      return Work(task, attempt: attempt, startedAt: now, progress: .waiting(until: until), lastTrouble: trouble)
    }

    /// Whether an outcome belongs to the operation that is under way.
    func isCurrent(_ operation: Int) -> Bool {
      operation == machine.operation && machine.underWay != nil
    }

    mutating func unexpected(_ event: Event) { actions.append(.reportUnexpected(event)) }

    /// Starts to verify the channel, after the relay accepted it.
    mutating func accept(link: String) {
      enter(.accepted(fresh(.verify), link: link))
      perform(.verify)
    }

    /// Makes the channel relay active, after a reader got the channel. The next reading back is due after a while.
    mutating func foundTrue() {
      let salt = machine.salt &+ UInt64(truncatingIfNeeded: machine.operation)
      machine.verifyDue = now + policy.jittered(policy.verifyInterval, salt: salt)
    }

    /// Removes the relay for good, and sends it a withdrawal if it may have the channel.
    /// - Parameter task: the first operation of the farewell.
    mutating func remove(
      _ reason: Trouble = Trouble(.cancelled, "removed by request"), beginning task: Work.Task = .withdraw
    ) {
      guard machine.operation > 0 else {
        enter(.removed(farewell: nil), cause: .cancelled, "removed before the relay was asked")
        return
      }
      enter(.removed(farewell: fresh(task)), reason)
      perform(task)
    }

    func timedOut(_ work: Work) -> Trouble {
      Trouble(.timeout, "no answer to \(work.task.rawValue) within \(timeout(work.task).wholeMilliseconds) ms")
    }

    private func timeout(_ task: Work.Task) -> Duration {
      switch task {
      case .invite, .announce: policy.invitationTimeout
      case .verify, .verifyAnnounced: policy.verificationTimeout
      case .withdraw: policy.withdrawalTimeout
      }
    }
  }
}
