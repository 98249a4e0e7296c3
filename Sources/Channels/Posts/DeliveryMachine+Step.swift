extension DeliveryMachine {
  /// One call of `handle`: the machine being changed and the actions collected so far.
  struct Step {
    var machine: DeliveryMachine
    let now: Timestamp
    let policy: DeliveryPolicy
    var actions: [Action] = []

    init(machine: DeliveryMachine, now: Timestamp, policy: DeliveryPolicy) {
      self.machine = machine
      self.now = now
      self.policy = policy
    }

    mutating func take(_ event: Event) {
      switch machine.state {
      case .pending(let work): whenPending(event, work)
      case .sent(let work): whenSent(event, work)
      case .accepted(let work): whenAccepted(event, work)
      case .verified: whenVerified(event)
      case .failed(let trouble, let work): whenFailed(event, trouble, work)
      case .skipped: whenSkipped(event)
      case .deleting(let work), .stillServed(_, let work): whenDeleting(event, work)
      case .deleted: whenDeleted(event)
      case .unsupported: whenUnsupported(event)
      }
    }

    /// Changes the state and records the transition.
    mutating func enter(_ state: State, cause: Cause? = nil, _ detail: String = "") {
      let from = machine.state.status
      let attempt = state.work?.attempt ?? machine.state.work?.attempt ?? 0
      machine.state = state
      if from != state.status { machine.since = now }
      actions.append(
        .record(
          Transition(from: from, to: state.status, cause: cause, detail: detail, attempt: attempt, at: now)))
    }

    mutating func enter(_ state: State, _ trouble: Trouble) {
      enter(state, cause: trouble.cause, trouble.detail)
    }

    mutating func unexpected(_ event: Event) { actions.append(.reportUnexpected(event)) }

    // MARK: - Operations

    /// Asks the network for `task` under a new operation number.
    mutating func perform(_ task: Work.Task) {
      machine.operation += 1
      switch task {
      case .publish: actions.append(.publish(operation: machine.operation))
      case .verify, .verifyWithdrawn, .verifyRefused: actions.append(.verify(operation: machine.operation))
      case .withdraw: actions.append(.withdraw(operation: machine.operation))
      }
    }

    /// Starts the next attempt of `work`, in the present status.
    mutating func start(_ work: Work) {
      machine.state = machine.state.with(work.with(queued(work.task)))
      perform(work.task)
    }

    /// Starts the next attempt if it is due or asked for, or lets the present one time out.
    mutating func pursue(_ event: Event, _ work: Work) {
      switch (work.progress, event) {
      case (.underWay(let timeoutAt), .timerFired) where now >= timeoutAt:
        take(.troubled(operation: machine.operation, timedOut(work), retryAfter: nil))
      case (.underWay, .restarted), (.waiting, .begun), (.waiting, .retryRequested): start(work)
      case (.waiting, .relayReturned) where work.lastTrouble?.cause.isOfConnection == true: start(work)
      case (.waiting(let until), .timerFired) where now >= until: start(work)
      case (.waiting(let until), .restarted): machine.state = machine.state.with(resumed(work, until))
      case (.underWay, _), (.waiting, _): unexpected(event)
      }
    }

    /// Whether an outcome belongs to the operation that is under way, and that has one of these tasks.
    func isCurrent(_ operation: Int, _ tasks: Work.Task...) -> Bool {
      guard let underWay = machine.underWay, operation == underWay.operation else { return false }
      return tasks.isEmpty || tasks.contains(underWay.task)
    }

    // MARK: - Work

    /// Work whose first attempt starts now. It may still have to queue.
    func fresh(_ task: Work.Task, repair: Int = 0) -> Work {
      Work(task, attempt: 1, repair: repair, startedAt: now, progress: queued(task))
    }

    /// An operation that is asked for now.
    func queued(_ task: Work.Task) -> Work.Progress { .underWay(timeoutAt: now + policy.queueAllowance + timeout(task)) }

    /// The next attempt of `work` after `trouble`, or `nil` if attempts or time are used up.
    func retry(_ work: Work, after trouble: Trouble, retryAfter: Duration?, attemptsMax: Int? = nil) -> Work? {
      guard work.attempt < attemptsMax ?? policy.attemptsMax else { return nil }
      // Time in the queue before the first attempt is not part of the effort.
      let failedAt = work.attempt == 1 ? now : work.startedAt
      guard
        let next = policy.next(
          afterAttempt: work.attempt, of: failedAt, asked: patient(retryAfter), now: now, salt: salt)
      else { return nil }
      return Work(
        work.task, attempt: work.attempt + 1, repair: work.repair, startedAt: next.startedAt,
        progress: .waiting(until: next.until), lastTrouble: trouble)
    }

    /// The next repair, after `work` was given up.
    /// - Parameters:
    ///   - atLeast: the wait that the relay asked for.
    ///   - isLongest: whether to wait as long as between repairs that failed many times.
    func repair(
      _ task: Work.Task, _ work: Work, after trouble: Trouble, atLeast: Duration? = nil, isLongest: Bool = false
    ) -> Work {
      let nominal = isLongest ? policy.repairMax : policy.wait(beforeRepair: work.repair + 1)
      return Work(
        task, attempt: work.attempt + 1, repair: work.repair + 1, startedAt: work.startedAt,
        progress: .waiting(until: now + max(jittered(nominal), patient(atLeast))), lastTrouble: trouble)
    }

    /// `work` as it continues after a restart: a clock that was set back by an unknown amount must not make it wait longer than it ever
    /// would have.
    private func resumed(_ work: Work, _ until: Timestamp) -> Work {
      let end = min(until, now + max(policy.patienceMax, policy.repairMax, policy.backOffMax))
      return Work(
        work.task, attempt: work.attempt, repair: work.repair, startedAt: min(work.startedAt, max(now, end)),
        progress: .waiting(until: end), lastTrouble: work.lastTrouble)
    }

    private func timedOut(_ work: Work) -> Trouble {
      if work.task == .publish, machine.state.status != .sent {
        let allowed = policy.queueAllowance + policy.publicationTimeout
        return Trouble(.timeout, "the post waited for its turn, and did not leave within \(allowed.wholeMilliseconds) ms")
      }
      let asked =
        switch work.task {
        case .publish: "the post"
        case .verify, .verifyWithdrawn, .verifyRefused: "reading the post back"
        case .withdraw: "the deletion"
        }
      return Trouble(.timeout, "no answer to \(asked) within \(timeout(work.task).wholeMilliseconds) ms")
    }

    func timeout(_ task: Work.Task) -> Duration {
      switch task {
      case .publish: policy.publicationTimeout
      case .verify, .verifyWithdrawn, .verifyRefused: policy.verificationTimeout
      case .withdraw: policy.withdrawalTimeout
      }
    }

    /// The wait that a relay asked for, as far as Baton has patience.
    private func patient(_ wait: Duration?) -> Duration { min(max(wait ?? .zero, .zero), policy.patienceMax) }

    private func jittered(_ wait: Duration) -> Duration { policy.jittered(wait, salt: salt) }

    private var salt: UInt64 { machine.salt &+ UInt64(truncatingIfNeeded: machine.operation) }
  }
}
