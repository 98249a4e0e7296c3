internal import Channels

// The common columns of the histories of channels and of posts.
extension RowSink {
  /// Binds the columns `from_status`, `to_status`, `cause`, `detail`, `attempt` and `at`.
  mutating func bind<Status: RawRepresentable<String>>(_ transition: StatusTransition<Status>) {
    bind(transition.from.rawValue)
    bind(transition.to.rawValue)
    bind(transition.cause?.rawValue)
    bind(transition.detail)
    bind(transition.attempt)
    bind(transition.at.milliseconds)
  }
}

extension RowSource {
  /// Reads the same columns.
  /// - Returns: `nil` if a status is unknown.
  mutating func transition<Status: RawRepresentable<String>>() -> StatusTransition<Status>? {
    let (before, after, cause) = (text(), text(), textIfAny())
    let (detail, attempt, at) = (text(), count(), integer())
    guard let from = Status(rawValue: before), let to = Status(rawValue: after) else { return nil }
    return StatusTransition(
      from: from, to: to, cause: cause.flatMap(Cause.init(rawValue:)), detail: detail, attempt: attempt,
      at: Timestamp(milliseconds: at))
  }
}
