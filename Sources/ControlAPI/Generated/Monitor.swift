// Written by `make generate` from org.batond.Monitor.varlink.

public import StrictJSON

/// Parameters of org.batond.Monitor.Watch.
public struct WatchRequest: Codable, Hashable, Sendable {
  /// Send everything that changed after this revision first, for example the revision of a list.
  public var since: Int64?
  /// Only these kinds: operator, server, relay, channel, channelRelay.
  public var kinds: [String]?
  /// Only these channels and their relays.
  public var channelIds: [Int64]?
  /// Only these relays, and channels that have them.
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
  /// Time of the change, RFC 3339 in UTC.
  public var time: String
  /// Kind of the object: operator, server, relay, channel or channelRelay. Or snapshot at the beginning, and end in the last reply, when
  /// the daemon stops.
  public var kind: String
  /// The object before the change, if known: the status of a channelRelay, or an operator, server or relay, unless it is new, or the change
  /// is sent late, because of since or merged.
  public var before: JSONValue?
  /// The object after the change. If the change is sent late, its current state, which may be newer than the revision.
  public var after: JSONValue?
  /// The transition of a channelRelay: channelId, relayId, relayName, from, to, cause, detail, attempt, time.
  public var transition: JSONValue?
  /// True if the subscriber fell behind, and this is the newest of the changes of its object that it missed. The object is the current one.
  /// Replace each known object with the newest.
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
  /// Name of the channel now. Absent if the channel is unreadable.
  public var channelName: String?
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay now.
  public var relayName: String
  /// Identifier of the relay's operator now, absent if it has none.
  public var operatorId: Int64?
  /// Status before.
  public var from: String
  /// Status after.
  public var to: String
  /// Cause, as a stable word.
  public var cause: String?
  /// Cause, as text for people.
  public var detail: String
  /// Number of the attempt.
  public var attempt: Int
  /// Time of the change, RFC 3339 in UTC.
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
  /// Identifier of the relay, absent for a server.
  public var relayId: Int64?
  /// Identifier of the server, absent for a relay.
  public var serverId: Int64?
  /// Name of the relay, or host of the server, now.
  public var name: String
  /// Identifier of its operator now, absent if it has none.
  public var operatorId: Int64?
  /// Health before.
  public var from: String
  /// Health after.
  public var to: String
  /// Cause, as a stable word. Absent if it is up, or if the cause is unknown.
  public var cause: String?
  /// Cause, as text for people. Empty if it is up.
  public var detail: String
  /// Time of the change, RFC 3339 in UTC.
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
