/// Drives one channel relay: one channel on one relay.
///
/// It is a value: an event and the time go in, the new state and a list of actions come out. It performs nothing itself. The driver must,
/// in this order:
/// 1. make the new state and every recorded transition durable,
/// 2. perform the network actions,
/// 3. call `handle(.timerFired)` when `timer` has passed.
///
/// Performing an action twice does no harm. After a restart, `handle(.restarted)` yields the action that was under way.
///
/// Each status has these successors and no others. Where a status is its own successor, the transition records a failed attempt, or
/// something else worth knowing that leaves the status unchanged.
///
/// | status     | successors                                                       |
/// |------------|------------------------------------------------------------------|
/// | `new`      | `new`, `invited`, `failed`, `removed`                            |
/// | `invited`  | `invited`, `accepted`, `failed`, `removed`                       |
/// | `accepted` | `accepted`, `active`, `failed`, `removed`                        |
/// | `active`   | `active`, `inactive`, `failed`, `removed`                        |
/// | `inactive` | `inactive`, `invited`, `accepted`, `active`, `failed`, `removed` |
/// | `failed`   | `invited`, `accepted`, `removed`                                 |
/// | `removed`  | `removed`, `new`                                                 |
///
/// Every channel relay begins as `new`. `removed` ends it, unless an operator adds the relay again.
/// `Tests/ChannelsTests/Transcripts/table.txt` lists the transitions of each state by event.
public struct ChannelRelayMachine: Hashable, Sendable {
  public internal(set) var state: State
  /// The time at which the present status was entered.
  public internal(set) var since: Timestamp
  /// The number of the latest operation that the network was asked for, which outcomes carry back. 0 for none yet.
  public internal(set) var operation: Int
  /// The time at which an active relay should be read back again. This is not a timer of the machine: the driver decides when to ask.
  public internal(set) var verifyDue: Timestamp?
  /// The kind of channel: the relay has one of many copies of a channel, or the only one of a group.
  public let kind: ChannelKind
  /// The number of the channel's newest edition: it was created with edition 1, and each change of the profile adds one.
  public internal(set) var edition: Int
  /// The edition that a reader last found at the relay, or 0 for none yet.
  public internal(set) var shown: Int
  /// The reason why an active relay does not show the newest edition, if nothing is done about that before it is read back again.
  public internal(set) var complaint: Trouble?
  /// Makes the jitter of different channel relays differ.
  let salt: UInt64

  /// Creates a channel relay for which nothing has been done yet.
  /// - Parameters:
  ///   - salt: any number that differs between channel relays. It spreads their retries.
  ///   - now: time of creation.
  ///   - kind: of the channel.
  ///   - edition: the channel's newest one.
  public init(salt: UInt64, now: Timestamp, kind: ChannelKind = .channel, edition: Int = 1) {
    self.init(
      state: .new(Work(.invite, attempt: 1, startedAt: now, progress: .waiting(until: now))), since: now, operation: 0,
      kind: kind, edition: edition, salt: salt)
  }

  init(
    state: State, since: Timestamp, operation: Int, verifyDue: Timestamp? = nil, kind: ChannelKind = .channel,
    edition: Int = 1, shown: Int = 0, complaint: Trouble? = nil, salt: UInt64
  ) {
    self.complaint = complaint
    self.verifyDue = verifyDue
    self.kind = kind
    self.edition = edition
    self.shown = shown
    self.state = state
    self.since = since
    self.operation = operation
    self.salt = salt
  }

  /// The time at which the next `timerFired` is due, or `nil` if nothing is awaited. It is derived, so it always agrees with the state.
  public var timer: Timestamp? { state.work?.progress.due }

  /// The network operation under way, if any.
  public var underWay: (task: Work.Task, operation: Int)? {
    guard let work = state.work, work.progress.isUnderWay else { return nil }
    return (work.task, operation)
  }

  /// Whether nothing is left to do: no operation, no timer.
  public var isSettled: Bool { state.work == nil }

  /// Whether the relay was removed for good, and got the withdrawal as far as that was possible.
  public var isGone: Bool { state == .removed(farewell: nil) }

  /// Processes one event and returns what to do.
  /// - Parameters:
  ///   - event: what happened.
  ///   - now: the present time. It may jump either way.
  ///   - policy: timers and limits.
  /// - Returns: the actions in the order in which they must be carried out. Events that make no sense in the present state
  ///   change nothing and are returned as `.reportUnexpected`.
  public mutating func handle(_ event: Event, now: Timestamp, policy: RelayPolicy) -> [Action] {
    var step = Step(machine: self, now: now, policy: policy)
    if case .revised(let edition, _) = event { step.machine.edition = max(edition, self.edition) }
    switch state {
    case .new(let work): step.whenNew(event, work)
    case .invited(let work): step.whenInvited(event, work)
    case .accepted(let work, let link): step.whenAccepted(event, work, link)
    case .active(let link, let work): step.whenActive(event, link, work)
    case .inactive(let trouble, let link, let work): step.whenInactive(event, trouble, link, work)
    case .failed(let trouble, let link): step.whenFailed(event, trouble, link)
    case .removed(let farewell): step.whenRemoved(event, farewell)
    }
    self = step.machine
    return step.actions
  }
}
