public import Channels

/// A line of the history of a relay's or server's health.
public struct HealthRow: Hashable, Sendable {
  /// The revision of the change of the relay or server.
  public var revision: Int64
  public var peer: Probed
  public var from: PeerCondition.Health
  public var to: PeerCondition.Health
  /// Why it is not up. `nil` if it is up, or the cause is not known.
  public var cause: Cause?
  /// The cause in words for people. May be empty.
  public var detail: String
  public var at: Timestamp

  public init(
    revision: Int64, peer: Probed, from: PeerCondition.Health, to: PeerCondition.Health, cause: Cause?, detail: String,
    at: Timestamp
  ) {
    self.revision = revision
    self.peer = peer
    self.from = from
    self.to = to
    self.cause = cause
    self.detail = detail
    self.at = at
  }

  /// How many lines are kept of each relay and server, the latest ones.
  public static let keptMax = 1_000

  /// The same row with its revision.
  /// - Parameter base: the receipt's base.
  public func settled(base: Int64) -> HealthRow {
    var row = self
    row.revision = PendingRevision.settled(revision, base: base)
    return row
  }
}

/// Some lines of the history of health, the latest first.
public struct HealthPart: Hashable, Sendable {
  public var rows: [HealthRow]
  /// The revision before which the next part begins, or `nil` without earlier lines.
  public var next: Int64?

  public init(_ rows: [HealthRow], next: Int64?) {
    self.rows = rows
    self.next = next
  }
}
