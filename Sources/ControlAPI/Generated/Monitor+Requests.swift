// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

/// Parameters of org.batond.Monitor.Transitions.
public struct MonitorTransitionsRequest: Codable, Hashable, Sendable {
  /// Conditions on fields, for example {"relayId": 3, "cause": {"$in": ["timeout", "unreachable"]}}, with the operators of
  /// org.batond.Channels.List. Names are as they are now. With a condition {"time": {"$gte": ...}} or $gt, by
  /// itself or within $and, the list stops at lines more than a day older than that time.
  public var filter: JSONValue?
  /// Most lines per reply, 1 to 1000; 100 when absent. A page may hold fewer, and even none, while it looks for the next ones: only
  /// nextCursor says whether there are more.
  public var limit: Int?
  /// Where the page before ended.
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
  /// Most lines per reply, 1 to 1000; 100 when absent. A page may hold fewer, and even none, while it looks for the next ones: only
  /// nextCursor says whether there are more.
  public var limit: Int?
  /// Where the page before ended.
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
