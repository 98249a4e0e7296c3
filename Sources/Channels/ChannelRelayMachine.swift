/// Drives one channel relay: one channel on one relay.
///
/// A value: an event and the time go in, the new state and a list of actions come out. It performs nothing itself.
/// Whoever drives it must, in this order:
/// 1. make the new state and every recorded transition durable,
/// 2. perform the network actions,
/// 3. call `handle(.timerFired)` when `timer` has passed.
/// Doing an action twice does no harm. After a restart, `handle(.restarted)` yields the action that was under way.
public struct ChannelRelayMachine: Hashable, Sendable {
  public internal(set) var state: State
  /// When the present status was entered.
  public internal(set) var since: Timestamp
  /// Number of the latest operation that the network was asked for; outcomes carry it back. 0: none yet.
  public internal(set) var operation: Int
  /// While it is active: when it should be read back again. Not a timer of this machine; whoever drives it asks in its time.
  public internal(set) var checkDue: Timestamp?
  /// Whether the relay has one of many copies of a channel, or the only one of a group.
  public let kind: ChannelKind
  /// Number of the channel's newest edition: 1 is what it was created with, each change of what readers see is one more.
  public internal(set) var edition: Int
  /// The edition that a reader found at the relay the last time; 0: none yet.
  public internal(set) var shown: Int
  /// While it is active: why it does not show the newest edition, when nothing is done about that before it is read back again.
  public internal(set) var complaint: Trouble?
  /// Keeps the jitter of different channel relays apart.
  let salt: UInt64

  /// A channel relay that nothing was done for yet.
  /// - Parameters:
  ///   - salt: any number that differs between channel relays; spreads their retries.
  ///   - now: time of creation.
  ///   - kind: of the channel.
  ///   - edition: the channel's newest one.
  public init(salt: UInt64, now: Timestamp, kind: ChannelKind = .channel, edition: Int = 1) {
    self.init(
      state: .new(Work(.invite, attempt: 1, startedAt: now, progress: .waiting(until: now))), since: now, operation: 0,
      kind: kind, edition: edition, salt: salt)
  }

  init(
    state: State, since: Timestamp, operation: Int, checkDue: Timestamp? = nil, kind: ChannelKind = .channel,
    edition: Int = 1, shown: Int = 0, complaint: Trouble? = nil, salt: UInt64
  ) {
    self.complaint = complaint
    self.checkDue = checkDue
    self.kind = kind
    self.edition = edition
    self.shown = shown
    self.state = state
    self.since = since
    self.operation = operation
    self.salt = salt
  }

  /// When the next `timerFired` is due; nil when nothing is awaited. Derived, so it cannot fall out of step.
  public var timer: Timestamp? { state.work?.progress.due }

  /// The network operation under way, if any.
  public var underWay: (task: Work.Task, operation: Int)? {
    guard let work = state.work, case .underWay = work.progress else { return nil }
    return (work.task, operation)
  }

  /// Whether nothing is left to do: no operation, no timer.
  public var isSettled: Bool { state.work == nil }

  /// Whether it was taken off for good, and the relay was told as far as that was possible.
  public var isGone: Bool { state == .removed(farewell: nil) }

  /// Takes one event in and says what is to be done.
  /// - Parameters:
  ///   - event: what happened.
  ///   - now: the present time; it may jump either way.
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
    case .active(let link, let check): step.whenActive(event, link, check)
    case .inactive(let trouble, let link, let work): step.whenInactive(event, trouble, link, work)
    case .failed(let trouble, let link): step.whenFailed(event, trouble, link)
    case .removed(let farewell): step.whenRemoved(event, farewell)
    }
    self = step.machine
    return step.actions
  }
}
