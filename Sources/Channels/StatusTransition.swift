/// One recorded change of one status. `from == to` records a failed attempt, or something else worth knowing that leaves the status
/// unchanged.
public struct StatusTransition<Status: Hashable & Sendable>: Hashable, Sendable {
  public let from: Status
  public let to: Status
  public let cause: Cause?
  public let detail: String
  public let attempt: Int
  public let at: Timestamp

  public init(from: Status, to: Status, cause: Cause?, detail: String, attempt: Int, at: Timestamp) {
    self.from = from
    self.to = to
    self.cause = cause
    self.detail = detail
    self.attempt = attempt
    self.at = at
  }
}
