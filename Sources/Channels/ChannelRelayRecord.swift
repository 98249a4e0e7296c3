/// A `ChannelRelayMachine` as one flat row, for storage.
public struct ChannelRelayRecord: Hashable, Sendable {
  public var status: RelayStatus
  public var since: Timestamp
  public var operation: Int
  public var relayLink: String?
  /// The trouble. For states under way, the latest one.
  public var trouble: Trouble?
  public var task: ChannelRelayMachine.Work.Task?
  public var attempt: Int
  public var startedAt: Timestamp?
  public var isUnderWay: Bool
  public var timer: Timestamp?
  /// The time at which an active relay should be read back again.
  public var verifyDue: Timestamp?
  /// The edition that a reader last found at the relay, or 0 for none yet.
  public var shown: Int

  public init(
    status: RelayStatus, since: Timestamp, operation: Int, relayLink: String?, trouble: Trouble?,
    task: ChannelRelayMachine.Work.Task?, attempt: Int, startedAt: Timestamp?, isUnderWay: Bool, timer: Timestamp?,
    verifyDue: Timestamp? = nil, shown: Int = 0
  ) {
    self.verifyDue = verifyDue
    self.shown = shown
    self.status = status
    self.since = since
    self.operation = operation
    self.relayLink = relayLink
    self.trouble = trouble
    self.task = task
    self.attempt = attempt
    self.startedAt = startedAt
    self.isUnderWay = isUnderWay
    self.timer = timer
  }

  /// The row of `machine`.
  public init(_ machine: ChannelRelayMachine) {
    let state = machine.state
    let work = state.work
    self.init(
      status: state.status, since: machine.since, operation: machine.operation, relayLink: state.relayLink,
      trouble: state.trouble ?? work?.lastTrouble ?? machine.complaint, task: work?.task, attempt: work?.attempt ?? 0,
      startedAt: work?.startedAt, isUnderWay: machine.underWay != nil, timer: machine.timer,
      verifyDue: machine.verifyDue, shown: machine.shown)
  }

  /// The machine that this row describes, or `nil` if the row contradicts itself.
  /// - Parameters:
  ///   - kind: of the channel.
  ///   - edition: the channel's newest one.
  public func machine(salt: UInt64, kind: ChannelKind = .channel, edition: Int = 1) -> ChannelRelayMachine? {
    guard let state = state, operation >= 0, shown >= 0 else { return nil }
    return ChannelRelayMachine(
      state: state, since: since, operation: operation, verifyDue: verifyDue, kind: kind, edition: edition, shown: shown,
      complaint: status == .active && task == nil ? trouble : nil, salt: salt)
  }

  private var state: ChannelRelayMachine.State? {
    let work = self.work
    switch status {
    case .new: return work.map { .new($0) }
    case .invited: return work.map { .invited($0) }
    case .accepted:
      guard let work, let relayLink else { return nil }
      return .accepted(work, link: relayLink)
    case .active:
      guard let relayLink else { return nil }
      return .active(link: relayLink, work: work)
    case .inactive:
      guard let work, let trouble, let relayLink else { return nil }
      return .inactive(trouble, link: relayLink, work)
    case .failed: return trouble.map { .failed($0, link: relayLink ?? "") }
    case .removed: return .removed(farewell: work)
    }
  }

  private var work: ChannelRelayMachine.Work? {
    guard let task, let timer, let startedAt, attempt > 0 else { return nil }
    return ChannelRelayMachine.Work(
      task, attempt: attempt, startedAt: startedAt,
      progress: isUnderWay ? .underWay(timeoutAt: timer) : .waiting(until: timer),
      lastTrouble: trouble)
  }
}
