/// How far an attempt of some work is.
public enum WorkProgress: Hashable, Sendable {
  /// The network is performing the operation. At `timeoutAt` it counts as failed.
  case underWay(timeoutAt: Timestamp)
  /// The next attempt starts at `until`.
  case waiting(until: Timestamp)

  var due: Timestamp {
    switch self {
    case .underWay(let timeoutAt): timeoutAt
    case .waiting(let until): until
    }
  }

  var isUnderWay: Bool {
    switch self {
    case .underWay: true
    case .waiting: false
    }
  }
}

// Waiting times count only while the daemon runs. A clock that was changed while it did not run neither prolongs a wait nor uses up an
// effort.
extension WorkProgress {
  /// Adapts to a clock that moved while the daemon did not run.
  /// - Parameters:
  ///   - distance: how far it moved. Negative if it was set back.
  ///   - startedAt: when the effort began.
  ///   - effort: how long the effort may last.
  ///   - now: the present time.
  /// - Returns: when the effort began and how far its attempt is, by the present clock.
  func moved(
    by distance: Duration, startedAt: Timestamp, effort: Duration, now: Timestamp
  ) -> (startedAt: Timestamp, progress: Self) {
    // A deadline that could not be met starts again.
    let isOver = now >= startedAt + effort
    let progress: Self
    // An effort begins now at the latest, or after a wait that the relay asked for, because such a wait is not part of the effort.
    var latest = now
    switch self {
    case .underWay(let timeoutAt): progress = .underWay(timeoutAt: timeoutAt + distance)
    case .waiting(let until):
      progress = .waiting(until: until + distance)
      latest = max(now, until + distance)
    }
    return (isOver ? now : min(startedAt + distance, latest), progress)
  }
}
