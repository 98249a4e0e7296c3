/// A `DeliveryMachine` as one flat row, for storage.
public struct DeliveryRecord: Hashable, Sendable {
  public var status: DeliveryStatus
  public var since: Timestamp
  public var operation: Int
  /// The newest edition that may be at the relay, or 0 for none.
  public var left: Int
  /// The edition that a reader last found at the relay, or 0 for none.
  public var shown: Int
  public var isDeletionRequested: Bool
  /// The trouble. For states under way, the latest one.
  public var trouble: Trouble?
  public var task: DeliveryMachine.Work.Task?
  public var attempt: Int
  public var repair: Int
  public var startedAt: Timestamp?
  public var isUnderWay: Bool
  public var timer: Timestamp?

  public init(
    status: DeliveryStatus, since: Timestamp, operation: Int, left: Int, shown: Int, isDeletionRequested: Bool,
    trouble: Trouble?, task: DeliveryMachine.Work.Task?, attempt: Int, repair: Int, startedAt: Timestamp?, isUnderWay: Bool,
    timer: Timestamp?
  ) {
    self.status = status
    self.since = since
    self.operation = operation
    self.left = left
    self.shown = shown
    self.isDeletionRequested = isDeletionRequested
    self.trouble = trouble
    self.task = task
    self.attempt = attempt
    self.repair = repair
    self.startedAt = startedAt
    self.isUnderWay = isUnderWay
    self.timer = timer
  }

  /// The row of `machine`.
  public init(_ machine: DeliveryMachine) {
    let state = machine.state
    let work = state.work
    self.init(
      status: state.status, since: machine.since, operation: machine.operation, left: machine.left, shown: machine.shown,
      isDeletionRequested: machine.isDeletionRequested, trouble: state.trouble, task: work?.task, attempt: work?.attempt ?? 0,
      repair: work?.repair ?? 0, startedAt: work?.startedAt, isUnderWay: machine.underWay != nil, timer: machine.timer)
  }

  /// The machine that this row describes, or `nil` if the row contradicts itself.
  /// - Parameters:
  ///   - salt: any number that differs between deliveries.
  ///   - edition: the post's newest one.
  public func machine(salt: UInt64, edition: Int = 1) -> DeliveryMachine? {
    guard let state, operation >= 0, shown >= 0, shown <= left, left <= edition else { return nil }
    guard isDeletionRequested || !status.isAfterDeletion else { return nil }
    return DeliveryMachine(
      state: state, since: since, operation: operation, edition: edition, left: left, shown: shown,
      isDeletionRequested: isDeletionRequested, salt: salt)
  }

  private var state: DeliveryMachine.State? {
    switch status {
    case .pending: return work(.publish).map { .pending($0) }
    case .sent: return work(.publish, .verify).map { .sent($0) }
    case .accepted: return work(.verify).map { .accepted($0) }
    case .verified: return task == nil ? .verified : nil
    case .failed:
      guard let work = work(.publish, .verify), let trouble else { return nil }
      return .failed(trouble, work)
    case .skipped: return task == nil ? trouble.map { .skipped($0) } : nil
    case .deleting: return work(.withdraw, .verifyWithdrawn, .verifyRefused).map { .deleting($0) }
    case .deleted: return task == nil ? .deleted : nil
    case .stillServed:
      guard let work = work(.withdraw, .verifyWithdrawn, .verifyRefused), let trouble else { return nil }
      return .stillServed(trouble, work)
    case .unsupported: return task == nil ? trouble.map { .unsupported($0) } : nil
    }
  }

  /// The work, if it is one of these tasks.
  private func work(_ tasks: DeliveryMachine.Work.Task...) -> DeliveryMachine.Work? {
    guard let task, tasks.contains(task), let timer, let startedAt, attempt > 0, repair >= 0 else { return nil }
    return DeliveryMachine.Work(
      task, attempt: attempt, repair: repair, startedAt: startedAt,
      progress: isUnderWay ? .underWay(timeoutAt: timer) : .waiting(until: timer), lastTrouble: trouble)
  }
}
