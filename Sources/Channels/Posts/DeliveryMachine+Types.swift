extension DeliveryMachine {
  /// The state of a delivery. Each case carries the values that exist only then.
  public enum State: Hashable, Sendable {
    case pending(Work)
    /// `work` is the publication whose answer is awaited, or the reading back after that answer was lost.
    case sent(Work)
    case accepted(Work)
    case verified
    /// `work` is the next repair.
    case failed(Trouble, Work)
    case skipped(Trouble)
    case deleting(Work)
    case deleted
    case stillServed(Trouble, Work)
    case unsupported(Trouble)

    public var status: DeliveryStatus {
      switch self {
      case .pending: .pending
      case .sent: .sent
      case .accepted: .accepted
      case .verified: .verified
      case .failed: .failed
      case .skipped: .skipped
      case .deleting: .deleting
      case .deleted: .deleted
      case .stillServed: .stillServed
      case .unsupported: .unsupported
      }
    }

    /// The work that remains, if there is any.
    public var work: Work? {
      switch self {
      case .pending(let work), .sent(let work), .accepted(let work), .deleting(let work): work
      case .failed(_, let work), .stillServed(_, let work): work
      case .verified, .skipped, .deleted, .unsupported: nil
      }
    }

    /// The reason why the delivery is not where it should be, if there is one.
    public var trouble: Trouble? {
      switch self {
      case .failed(let trouble, _), .skipped(let trouble), .stillServed(let trouble, _), .unsupported(let trouble): trouble
      case .pending(let work), .sent(let work), .accepted(let work), .deleting(let work): work.lastTrouble
      case .verified, .deleted: nil
      }
    }

    /// The same state with other work. Only the latest trouble is kept. A state without work is returned unchanged.
    func with(_ work: Work) -> Self {
      switch self {
      case .pending: .pending(work)
      case .sent: .sent(work)
      case .accepted: .accepted(work)
      case .failed(let trouble, _): .failed(work.lastTrouble ?? trouble, work)
      case .deleting: .deleting(work)
      case .stillServed(let trouble, _): .stillServed(work.lastTrouble ?? trouble, work)
      case .verified, .skipped, .deleted, .unsupported: self
      }
    }
  }

  /// A task that is tried with as many attempts as the policy allows, and slowly after that.
  public struct Work: Hashable, Sendable {
    public enum Task: String, Sendable, CaseIterable {
      /// Hand the newest edition to the relay.
      case publish
      /// Read the post back as a reader would.
      case verify
      /// Ask the relay to delete the post.
      case withdraw
      /// Read back whether the post is gone: the network is asked to verify.
      case verifyWithdrawn
      /// Read back whether the post is gone although the relay refused the deletion: the network is asked to verify.
      case verifyRefused
    }

    /// How far the present attempt is.
    public typealias Progress = WorkProgress

    public let task: Task
    /// The number of the present attempt, counted from 1. Each repair is one more.
    public let attempt: Int
    /// The number of the present repair, or 0 while the first effort lasts.
    public let repair: Int
    /// The time at which this effort began, or, once an attempt failed, at which the first one did. Its deadline counts from here.
    public let startedAt: Timestamp
    public let progress: Progress
    /// For `verifyRefused`, the refusal.
    public let lastTrouble: Trouble?

    init(
      _ task: Task, attempt: Int, repair: Int = 0, startedAt: Timestamp, progress: Progress, lastTrouble: Trouble? = nil
    ) {
      self.task = task
      self.attempt = attempt
      self.repair = repair
      self.startedAt = startedAt
      self.progress = progress
      self.lastTrouble = lastTrouble
    }

    func with(_ progress: Progress) -> Self {
      Self(task, attempt: attempt, repair: repair, startedAt: startedAt, progress: progress, lastTrouble: lastTrouble)
    }

    /// The same attempt, with another task that is under way.
    func with(_ task: Task, _ progress: Progress, after trouble: Trouble?) -> Self {
      Self(task, attempt: attempt, repair: repair, startedAt: startedAt, progress: progress, lastTrouble: trouble)
    }
  }

  /// An event of a delivery. Outcomes carry the number of the operation that they answer.
  public enum Event: Hashable, Sendable {
    /// The post and its deliveries are durable. Work may begin.
    case begun
    /// The daemon started again. All operations under way are lost.
    case restarted
    /// The time in `timer` has passed.
    case timerFired
    /// The post is about to leave for the relay. `DeliveryMachine` describes when it may.
    case handedOver(operation: Int)
    /// The relay reported that it accepted the post, or that it has it already.
    case accepted(operation: Int)
    /// A reader can fetch the post at the relay, signed by its author, in this edition.
    case verified(operation: Int, edition: Int = 1)
    /// The relay answered that it does not have the post.
    case foundMissing(operation: Int)
    /// The relay accepted the deletion.
    case withdrawn(operation: Int)
    /// The relay refused for good, or broke the protocol.
    case refused(operation: Int, Trouble)
    /// The relay cannot accept this post at all, or cannot do this operation: too old, too large, not supported.
    case skipped(operation: Int, Trouble)
    /// The operation failed for a reason that may pass. `retryAfter` is the wait that the relay asked for. The causes `rateLimited` and
    /// `authRequired` mean that the relay did not accept the post. After any other trouble it may have it, once it left.
    case troubled(operation: Int, Trouble, retryAfter: Duration?)
    /// The relay's posts were compared with the posts that should be there.
    case reconciled(isServed: Bool)
    /// The relay can be reached again.
    case relayReturned
    /// The channel no longer has the relay.
    case relayLeft
    /// The post has a new edition, on a network that supports edits.
    case edited(edition: Int)
    case retryRequested
    case cancelRequested
    case deletionRequested
    /// The text of the post was deleted in Baton, so it cannot be sent again. An attempt under way is not affected.
    case forgotten
  }

  /// Something that the driver must do.
  public enum Action: Hashable, Sendable {
    /// Append to the history, together with the new state.
    case record(Transition)
    case publish(operation: Int)
    case verify(operation: Int)
    case withdraw(operation: Int)
    /// The event made no sense in this state. Nothing changed. Log it at debug level.
    case reportUnexpected(Event)
  }

  /// One recorded change of the status of a delivery.
  public typealias Transition = StatusTransition<DeliveryStatus>
}
