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

/// One line of the history of all channels. Equal statuses record a retry.
public struct ChannelTransition: Codable, Hashable, Sendable {
  /// Revision of the change.
  public var revision: Int64
  /// Identifier of the channel.
  public var channelId: Int64
  /// Name of the channel as it is now; absent if the channel cannot be read.
  public var channelName: String?
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay as it is now.
  public var relayName: String
  /// Identifier of the relay's operator as it is now; absent if it has none.
  public var operatorId: Int64?
  /// Status before.
  public var from: String
  /// Status after.
  public var to: String
  /// Why, as a stable word.
  public var cause: String?
  /// Why, for people.
  public var detail: String
  /// Number of the attempt.
  public var attempt: Int
  /// When, RFC 3339 in UTC.
  public var time: String

  public init(
    revision: Int64,
    channelId: Int64,
    channelName: String? = nil,
    relayId: Int64,
    relayName: String,
    operatorId: Int64? = nil,
    from: String,
    to: String,
    cause: String? = nil,
    detail: String,
    attempt: Int,
    time: String
  ) {
    self.revision = revision
    self.channelId = channelId
    self.channelName = channelName
    self.relayId = relayId
    self.relayName = relayName
    self.operatorId = operatorId
    self.from = from
    self.to = to
    self.cause = cause
    self.detail = detail
    self.attempt = attempt
    self.time = time
  }
}

/// One line of the history of a relay's or server's health.
public struct HealthChange: Codable, Hashable, Sendable {
  /// Revision of the change.
  public var revision: Int64
  /// Identifier of the relay; absent if it is a server.
  public var relayId: Int64?
  /// Identifier of the server; absent if it is a relay.
  public var serverId: Int64?
  /// Name of the relay, or host of the server, as it is now.
  public var name: String
  /// Identifier of its operator as it is now; absent if it has none.
  public var operatorId: Int64?
  /// Health before.
  public var from: String
  /// Health from then on.
  public var to: String
  /// Why it is not up, as a stable word; absent if it is, and if that is not known.
  public var cause: String?
  /// Why, for people; empty if it is up.
  public var detail: String
  /// When, RFC 3339 in UTC.
  public var time: String

  public init(
    revision: Int64,
    relayId: Int64? = nil,
    serverId: Int64? = nil,
    name: String,
    operatorId: Int64? = nil,
    from: String,
    to: String,
    cause: String? = nil,
    detail: String,
    time: String
  ) {
    self.revision = revision
    self.relayId = relayId
    self.serverId = serverId
    self.name = name
    self.operatorId = operatorId
    self.from = from
    self.to = to
    self.cause = cause
    self.detail = detail
    self.time = time
  }
}
