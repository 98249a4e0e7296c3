extension ChannelRelayMachine {
  /// The state of a channel relay. Each case carries the values that exist only then.
  public enum State: Hashable, Sendable {
    case new(Work)
    case invited(Work)
    case accepted(Work, link: String)
    /// `work` is the verification or announcement that is under way or awaited, if any.
    case active(link: String, work: Work?)
    case inactive(Trouble, link: String, Work)
    /// `link` is empty when the relay never accepted.
    case failed(Trouble, link: String)
    /// `farewell` is the withdrawal that the relay must still get, if there is one, or the reading back before it.
    case removed(farewell: Work?)

    public var status: RelayStatus {
      switch self {
      case .new: .new
      case .invited: .invited
      case .accepted: .accepted
      case .active: .active
      case .inactive: .inactive
      case .failed: .failed
      case .removed: .removed
      }
    }

    /// The work that remains, if there is any.
    public var work: Work? {
      switch self {
      case .new(let work), .invited(let work), .accepted(let work, _), .inactive(_, _, let work): work
      case .active(_, let work): work
      case .removed(let farewell): farewell
      case .failed: nil
      }
    }

    /// Address at which the relay serves the channel, once known.
    public var relayLink: String? {
      switch self {
      case .accepted(_, let link), .active(let link, _): link
      case .inactive(_, let link, _), .failed(_, let link): link.isEmpty ? nil : link
      case .new, .invited, .removed: nil
      }
    }

    /// The reason why the channel relay is not active yet, if there is one.
    public var trouble: Trouble? {
      switch self {
      case .inactive(let trouble, _, _), .failed(let trouble, _): trouble
      case .new(let work), .invited(let work), .accepted(let work, _): work.lastTrouble
      case .active(_, let work): work?.lastTrouble
      case .removed(let farewell): farewell?.lastTrouble
      }
    }
  }

  /// A task that is tried with as many attempts as the policy allows.
  public struct Work: Hashable, Sendable {
    public enum Task: String, Sendable, CaseIterable {
      /// Hand the channel to the relay.
      case invite
      /// Read the channel back as a reader would.
      case verify
      /// Ask the relay to delete the channel, which leaves it.
      case withdraw
      /// Hand the newest edition to a relay that shows an older one.
      case announce
      /// Read back the edition that was announced: the network is asked to verify. It is stored under an older name.
      case verifyAnnounced = "confirm"
    }

    /// How far the present attempt is.
    public typealias Progress = WorkProgress

    public let task: Task
    /// The number of the present attempt, counted from 1.
    public let attempt: Int
    /// The time at which the first attempt of this effort began. Its deadline counts from here.
    public let startedAt: Timestamp
    public let progress: Progress
    public let lastTrouble: Trouble?

    init(_ task: Task, attempt: Int, startedAt: Timestamp, progress: Progress, lastTrouble: Trouble? = nil) {
      self.task = task
      self.attempt = attempt
      self.startedAt = startedAt
      self.progress = progress
      self.lastTrouble = lastTrouble
    }

    func after(_ trouble: Trouble) -> Self {
      Self(task, attempt: attempt, startedAt: startedAt, progress: progress, lastTrouble: trouble)
    }

    func with(_ progress: Progress) -> Self {
      Self(task, attempt: attempt, startedAt: startedAt, progress: progress, lastTrouble: lastTrouble)
    }
  }

  /// An event of a channel relay. Outcomes carry the number of the operation that they answer.
  public enum Event: Hashable, Sendable {
    /// The channel is durable. Work may begin.
    case begun
    /// The daemon started again. All operations under way are lost.
    case restarted
    /// The time in `timer` has passed.
    case timerFired
    /// The invitation left for the relay.
    case handedOver(operation: Int)
    /// The relay accepted the channel and serves it at `link`.
    case relayAccepted(operation: Int, link: String)
    /// A reader can fetch the channel at the relay, signed by its owner, and finds this edition of it, or 0 for none.
    /// - others: the editions of other channels that it finds if this edition is not the newest.
    case verified(operation: Int, edition: Int = 1, others: OtherEditions = .unknown)
    /// The relay answered that it does not have the channel.
    case foundMissing(operation: Int)
    /// The relay accepted that the channel leaves it.
    case withdrawn(operation: Int)
    /// The relay accepted the newest edition.
    case announced(operation: Int)
    /// The channel has a new edition.
    /// - isSpared: whether to skip the relay, because there the edition would replace another channel's, and it only names other relays.
    case revised(edition: Int, isSpared: Bool = false)
    /// The relay refused for good.
    case refused(operation: Int, Trouble)
    /// The relay served another identity than expected, or broke the protocol.
    case misbehaved(operation: Int, Trouble)
    /// The operation failed for a reason that may pass. `retryAfter` is the wait that the relay asked for.
    case troubled(operation: Int, Trouble, retryAfter: Duration?)
    /// The relay is down for longer than the grace time, dropped the channel, or left it.
    case relayLost(Trouble)
    /// The relay can be reached again.
    case relayReturned
    case retryRequested
    case verifyRequested
    case removalRequested
    /// Another relay replaces this one. The text is recorded as the detail.
    case replaced(String)
    /// An operator adds a relay again that had been removed, on a network where that works.
    case rejoinRequested
  }

  /// Something that the driver must do.
  public enum Action: Hashable, Sendable {
    /// Append to the history, together with the new state.
    case record(Transition)
    case invite(operation: Int)
    case verify(operation: Int)
    case withdraw(operation: Int)
    case announce(operation: Int)
    /// The event made no sense in this state. Nothing changed. Log it at debug level.
    case reportUnexpected(Event)
  }

  /// One recorded change of the status of a channel relay.
  public typealias Transition = StatusTransition<RelayStatus>
}
