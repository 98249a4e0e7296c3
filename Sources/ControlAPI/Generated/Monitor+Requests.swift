// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

/// Parameters of org.batond.Monitor.Transitions.
public struct MonitorTransitionsRequest: Codable, Hashable, Sendable {
  /// Conditions on fields, for example {"relayId": 3, "cause": {"$in": ["timeout", "unreachable"]}}, as for org.batond.Channels.List. Names
  /// are the current ones. With a condition {"time": {"$gte": ...}} or $gt, alone or within $and, the list ends at lines more than a day
  /// older than that time.
  public var filter: JSONValue?
  /// Maximum number per reply, 1 to 1000, 100 if absent. A page may have fewer lines, or none: only nextCursor shows whether there are
  /// more.
  public var limit: Int?
  /// The nextCursor of the previous page.
  public var cursor: String?

  public init(
    filter: JSONValue? = nil,
    limit: Int? = nil,
    cursor: String? = nil
  ) {
    self.filter = filter
    self.limit = limit
    self.cursor = cursor
  }
}

/// Parameters of org.batond.Monitor.HealthChanges.
public struct MonitorHealthChangesRequest: Codable, Hashable, Sendable {
  /// Conditions on fields, for example {"relayId": 3, "to": "down"}, as for Transitions.
  public var filter: JSONValue?
  /// Maximum number per reply, as for Transitions.
  public var limit: Int?
  /// The nextCursor of the previous page.
  public var cursor: String?

  public init(
    filter: JSONValue? = nil,
    limit: Int? = nil,
    cursor: String? = nil
  ) {
    self.filter = filter
    self.limit = limit
    self.cursor = cursor
  }
}
