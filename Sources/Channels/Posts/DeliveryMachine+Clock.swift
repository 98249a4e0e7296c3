// Waiting times count only while the daemon runs, as those of a channel relay do.
extension DeliveryMachine {
  /// Adapts to a clock that moved while the daemon did not run, because time passed or because it was set.
  /// - Parameters:
  ///   - distance: how far it moved, from the last sign of life to the start; negative if it was set back.
  ///   - now: the present time.
  ///   - policy: timers and limits.
  public mutating func clockMoved(by distance: Duration, now: Timestamp, policy: DeliveryPolicy) {
    guard let work = state.work else { return }
    // A deadline that could not be met starts again.
    let isOver = now >= work.startedAt + policy.effortMax
    let progress: Work.Progress
    // An effort begins now at the latest, or after a wait that the relay asked for, because such a wait is not part of the effort.
    var latest = now
    switch work.progress {
    case .underWay(let timeoutAt): progress = .underWay(timeoutAt: timeoutAt + distance)
    case .waiting(let until):
      progress = .waiting(until: until + distance)
      latest = max(now, until + distance)
    }
    state = state.with(
      Work(
        work.task, attempt: work.attempt, repair: work.repair,
        startedAt: isOver ? now : min(work.startedAt + distance, latest), progress: progress, lastTrouble: work.lastTrouble))
  }
}
