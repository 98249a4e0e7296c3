extension DeliveryMachine {
  /// Adapts to a clock that moved while the daemon did not run, because time passed or because it was set.
  /// - Parameters:
  ///   - distance: how far it moved, from the last sign of life to the start. Negative if it was set back.
  ///   - now: the present time.
  ///   - policy: timers and limits.
  public mutating func clockMoved(by distance: Duration, now: Timestamp, policy: DeliveryPolicy) {
    guard let work = state.work else { return }
    let (startedAt, progress) = work.progress.moved(
      by: distance, startedAt: work.startedAt, effort: policy.effortMax, now: now)
    state = state.with(
      Work(
        work.task, attempt: work.attempt, repair: work.repair, startedAt: startedAt, progress: progress,
        lastTrouble: work.lastTrouble))
  }
}
