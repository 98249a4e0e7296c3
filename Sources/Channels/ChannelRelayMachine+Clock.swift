extension ChannelRelayMachine {
  /// Adapts to a clock that moved while the daemon did not run, because time passed or because it was set.
  /// - Parameters:
  ///   - distance: how far it moved, from the last sign of life to the start. Negative if it was set back.
  ///   - now: the present time.
  mutating func clockMoved(by distance: Duration, now: Timestamp, policy: RelayPolicy) {
    guard let work = state.work else { return }
    let effort = state.status == .removed ? policy.farewellMax : policy.effortMax
    let (startedAt, progress) = work.progress.moved(by: distance, startedAt: work.startedAt, effort: effort, now: now)
    state = state.with(
      Work(work.task, attempt: work.attempt, startedAt: startedAt, progress: progress, lastTrouble: work.lastTrouble))
  }
}

extension ChannelRelayMachine.State {
  /// The same state with other work. A state without work is returned unchanged.
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
