// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

/// Parameters of org.batond.Monitor.Watch.
public struct WatchRequest: Codable, Hashable, Sendable {
  /// Send what changed after this revision, for example that of a list.
  public var since: Int64?
  /// Only these kinds: operator, server, relay, channel, channelRelay.
  public var kinds: [String]?
  /// Only these channels and their relays.
  public var channelIds: [Int64]?
  /// Only these relays, and channels' dealings with them.
  public var relayIds: [Int64]?

  public init(
    since: Int64? = nil,
    kinds: [String]? = nil,
    channelIds: [Int64]? = nil,
    relayIds: [Int64]? = nil
  ) {
    self.since = since
    self.kinds = kinds
    self.channelIds = channelIds
    self.relayIds = relayIds
  }
}

/// A reply of org.batond.Monitor.Watch.
public struct ChangeMessage: Codable, Hashable, Sendable {
  /// Revision of the change.
  public var revision: Int64
  /// When it was made, RFC 3339 in UTC.
  public var time: String
  /// What changed: operator, server, relay, channel or channelRelay; snapshot at the beginning; end, in the last reply, when the daemon stops.
  public var kind: String
  /// What is known of the object before the change: a channelRelay's status; an operator, server or relay as it was, unless it is new or the
  /// change is caught up with.
  public var before: JSONValue?
  /// The object; when changes are caught up with, as it is now, which may be newer than the revision.
  public var after: JSONValue?
  /// For a channelRelay, the transition: channelId, relayId, relayName, from, to, cause, detail, attempt, time.
  public var transition: JSONValue?
  /// True: the subscriber had fallen behind, and of what it missed this is the newest change of its object. Earlier ones were left out.
  /// The object is as it is now. Whoever replaces what is known of each object by the newest of it has it right.
  public var merged: Bool?

  public init(
    revision: Int64,
    time: String,
    kind: String,
    before: JSONValue? = nil,
    after: JSONValue? = nil,
    transition: JSONValue? = nil,
    merged: Bool? = nil
  ) {
    self.revision = revision
    self.time = time
    self.kind = kind
    self.before = before
    self.after = after
    self.transition = transition
    self.merged = merged
  }
}
