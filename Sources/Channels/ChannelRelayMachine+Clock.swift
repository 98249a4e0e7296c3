// Waiting times count only while the daemon runs. A change of the clock in between neither prolongs a wait nor uses up an effort.
extension ChannelRelayMachine {
  /// Adapts to a clock that moved while the daemon did not run, because time passed or because it was set.
  /// - Parameters:
  ///   - distance: how far it moved, from the last sign of life to the start; negative if it was set back.
  ///   - now: the present time.
  mutating func clockMoved(by distance: Duration, now: Timestamp, policy: RelayPolicy) {
    guard let work = state.work else { return }
    let effort = work.task == .withdraw ? policy.farewellMax : policy.effortMax
    // A deadline that could not be met starts again.
    let isOver = now >= work.startedAt + effort
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
        work.task, attempt: work.attempt, startedAt: isOver ? now : min(work.startedAt + distance, latest), progress: progress,
        lastTrouble: work.lastTrouble))
  }
}

extension ChannelRelayMachine.State {
  /// The same state with other work; a state without work is returned unchanged.
  fileprivate func with(_ work: ChannelRelayMachine.Work) -> Self {
    switch self {
    case .new: .new(work)
    case .invited: .invited(work)
    case .accepted(_, let link): .accepted(work, link: link)
    case .active(let link, let old): .active(link: link, work: old.map { _ in work })
    case .inactive(let trouble, let link, _): .inactive(trouble, link: link, work)
    case .removed(let farewell): .removed(farewell: farewell.map { _ in work })
    case .failed: self
    }
  }
}
