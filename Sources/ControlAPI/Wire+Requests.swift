public import StrictJSON

/// Parameters of the List methods. The `.varlink` file documents the fields.
public struct ListRequest: Codable, Hashable, Sendable {
  public var filter: JSONValue?
  public var sort: [JSONValue]?
  public var limit: Int?
  public var cursor: String?

  public init(filter: JSONValue? = nil, sort: [JSONValue]? = nil, limit: Int? = nil, cursor: String? = nil) {
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.cursor = cursor
  }
}

/// Parameters of org.batond.Monitor.Watch. The `.varlink` file documents the fields.
public struct WatchRequest: Codable, Hashable, Sendable {
  public var since: Int64?
  public var kinds: [String]?
  public var channelIds: [Int64]?
  public var relayIds: [Int64]?

  public init(since: Int64? = nil, kinds: [String]? = nil, channelIds: [Int64]? = nil, relayIds: [Int64]? = nil) {
    self.since = since
    self.kinds = kinds
    self.channelIds = channelIds
    self.relayIds = relayIds
  }
}

/// One reply of org.batond.Monitor.Watch. The `.varlink` file documents the fields.
public struct ChangeMessage: Codable, Hashable, Sendable {
  public var revision: Int64
  public var time: String
  public var kind: String
  public var before: JSONValue?
  public var after: JSONValue?
  public var transition: JSONValue?

  public init(
    revision: Int64, time: String, kind: String, before: JSONValue? = nil, after: JSONValue? = nil, transition: JSONValue? = nil
  ) {
    self.revision = revision
    self.time = time
    self.kind = kind
    self.before = before
    self.after = after
    self.transition = transition
  }
}
