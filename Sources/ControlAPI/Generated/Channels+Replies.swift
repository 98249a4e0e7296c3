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
  /// Where the next page begins; absent on the last.
  public var nextCursor: String?
  /// Channels that would be on this page, or might be, and cannot be read because the database is damaged; absent when there are none.
  public var unreadable: [Int]?
  /// The revision at which this is true.
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
  /// How many relays are active.
  public var activeRelays: Int
  /// How many are meant to be.
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
  /// How many posts are being deleted.
  public var deletedPosts: Int
  /// The first post that could not be deleted; absent if there is none. Older posts were not tried.
  public var failedPostId: Int64?
  /// Why it could not be deleted, for people.
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
  /// By network and phase, only where there are some.
  public var counts: [ChannelCount]
  /// The revision at which this was true.
  public var revision: Int64
  /// When that was, RFC 3339 in UTC.
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
