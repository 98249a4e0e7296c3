/// How far an attempt of some work is.
public enum WorkProgress: Hashable, Sendable {
  /// The network is performing the operation; at `timeoutAt` it counts as failed.
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
