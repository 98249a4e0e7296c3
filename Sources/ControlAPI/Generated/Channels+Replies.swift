// Written by `make generate` from org.batond.Channels.varlink.

/// A reply that is one `Channel`.
public struct ChannelReply: Codable, Hashable, Sendable {
  /// The channel as stored.
  public var channel: Channel

  public init(
    channel: Channel
  ) {
    self.channel = channel
  }
}

/// A reply of org.batond.Channels.List.
public struct ChannelsListReply: Codable, Hashable, Sendable {
  /// The channels.
  public var channels: [Channel]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// Channels that belong on this page, or may belong on it, but are unreadable because the database is damaged. Absent if there are none.
  public var unreadable: [Int]?
  /// The revision to which the reply corresponds.
  public var revision: Int64

  public init(
    channels: [Channel],
    nextCursor: String? = nil,
    unreadable: [Int]? = nil,
    revision: Int64
  ) {
    self.channels = channels
    self.nextCursor = nextCursor
    self.unreadable = unreadable
    self.revision = revision
  }
}

/// A reply of org.batond.Channels.Link.
public struct ChannelsLinkReply: Codable, Hashable, Sendable {
  /// The link.
  public var link: String
  /// Whether at least one relay is active.
  public var usable: Bool
  /// Number of active relays.
  public var activeRelays: Int
  /// Number of relays that should be active.
  public var wantedRelays: Int

  public init(
    link: String,
    usable: Bool,
    activeRelays: Int,
    wantedRelays: Int
  ) {
    self.link = link
    self.usable = usable
    self.activeRelays = activeRelays
    self.wantedRelays = wantedRelays
  }
}

/// A reply of org.batond.Channels.Truncate.
public struct ChannelsTruncateReply: Codable, Hashable, Sendable {
  /// The channel as stored.
  public var channel: Channel
  /// Number of posts that are being deleted.
  public var deletedPosts: Int
  /// The first post whose deletion failed, absent if there is none. Older posts were not tried.
  public var failedPostId: Int64?
  /// Cause of that failure, as text for people.
  public var failure: String?

  public init(
    channel: Channel,
    deletedPosts: Int,
    failedPostId: Int64? = nil,
    failure: String? = nil
  ) {
    self.channel = channel
    self.deletedPosts = deletedPosts
    self.failedPostId = failedPostId
    self.failure = failure
  }
}

/// A reply of org.batond.Channels.Transitions.
public struct ChannelsTransitionsReply: Codable, Hashable, Sendable {
  /// The lines.
  public var transitions: [Transition]

  public init(
    transitions: [Transition]
  ) {
    self.transitions = transitions
  }
}

/// A reply of org.batond.Channels.Counts.
public struct ChannelsCountsReply: Codable, Hashable, Sendable {
  /// Numbers by network and phase, without zeros.
  public var counts: [ChannelCount]
  /// The revision to which the numbers correspond.
  public var revision: Int64
  /// Time of the count, RFC 3339 in UTC.
  public var countedAt: String

  public init(
    counts: [ChannelCount],
    revision: Int64,
    countedAt: String
  ) {
    self.counts = counts
    self.revision = revision
    self.countedAt = countedAt
  }
}
