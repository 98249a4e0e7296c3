// Written by `make generate` from org.batond.Monitor.varlink.

/// A reply of org.batond.Monitor.Transitions.
public struct MonitorTransitionsReply: Codable, Hashable, Sendable {
  /// The lines.
  public var transitions: [ChannelTransition]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the reply corresponds.
  public var revision: Int64

  public init(
    transitions: [ChannelTransition],
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.transitions = transitions
    self.nextCursor = nextCursor
    self.revision = revision
  }
}

/// A reply of org.batond.Monitor.HealthChanges.
public struct MonitorHealthChangesReply: Codable, Hashable, Sendable {
  /// The lines.
  public var healthChanges: [HealthChange]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the reply corresponds.
  public var revision: Int64

  public init(
    healthChanges: [HealthChange],
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.healthChanges = healthChanges
    self.nextCursor = nextCursor
    self.revision = revision
  }
}
