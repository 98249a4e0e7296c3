// Written by `make generate` from org.batond.Relays.varlink.

/// A reply of org.batond.Relays.List.
public struct RelaysListReply: Codable, Hashable, Sendable {
  /// The relays.
  public var relays: [Relay]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the reply corresponds.
  public var revision: Int64

  public init(
    relays: [Relay],
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.relays = relays
    self.nextCursor = nextCursor
    self.revision = revision
  }
}

/// A reply that is one `Relay`.
public struct RelayReply: Codable, Hashable, Sendable {
  /// The relay.
  public var relay: Relay

  public init(
    relay: Relay
  ) {
    self.relay = relay
  }
}

/// A reply of org.batond.Relays.Counts.
public struct RelaysCountsReply: Codable, Hashable, Sendable {
  /// The lines, without zeros.
  public var counts: [ChannelsAtRelay]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the numbers correspond.
  public var revision: Int64
  /// Time of the count, RFC 3339 in UTC.
  public var countedAt: String

  public init(
    counts: [ChannelsAtRelay],
    nextCursor: String? = nil,
    revision: Int64,
    countedAt: String
  ) {
    self.counts = counts
    self.nextCursor = nextCursor
    self.revision = revision
    self.countedAt = countedAt
  }
}

/// A reply of org.batond.Relays.Figures.
public struct RelaysFiguresReply: Codable, Hashable, Sendable {
  /// The relays, without removed ones.
  public var figures: [RelayFigures]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the figures correspond.
  public var revision: Int64
  /// Time of the count, RFC 3339 in UTC.
  public var countedAt: String
  /// Time from which outcomes count, RFC 3339 in UTC. Absent if there is no history.
  public var since: String?

  public init(
    figures: [RelayFigures],
    nextCursor: String? = nil,
    revision: Int64,
    countedAt: String,
    since: String? = nil
  ) {
    self.figures = figures
    self.nextCursor = nextCursor
    self.revision = revision
    self.countedAt = countedAt
    self.since = since
  }
}
