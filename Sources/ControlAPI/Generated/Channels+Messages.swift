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

/// Parameters of org.batond.Channels.Get.
public struct ChannelsGetRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64?
  /// Name of the channel.
  public var name: String?

  public init(
    id: Int64? = nil,
    name: String? = nil
  ) {
    self.id = id
    self.name = name
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

/// Parameters of org.batond.Channels.Link.
public struct ChannelsLinkRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
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

/// Parameters of org.batond.Channels.RetryRelay.
public struct ChannelsRetryRelayRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Identifier of the relay; all when absent.
  public var relayId: Int64?

  public init(
    id: Int64,
    relayId: Int64? = nil
  ) {
    self.id = id
    self.relayId = relayId
  }
}

/// Parameters of org.batond.Channels.AddRelays.
public struct ChannelsAddRelaysRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// The relays, on the channel's network. A relay that the channel has is refused; one that it had too, but on simplex only until it was told.
  public var relayIds: [Int64]?
  /// How many relays to pick that the channel never had, 1 to 32, instead of naming them.
  public var pick: Int?

  public init(
    id: Int64,
    relayIds: [Int64]? = nil,
    pick: Int? = nil
  ) {
    self.id = id
    self.relayIds = relayIds
    self.pick = pick
  }
}

/// Parameters of org.batond.Channels.RemoveRelay.
public struct ChannelsRemoveRelayRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// The relay.
  public var relayId: Int64

  public init(
    id: Int64,
    relayId: Int64
  ) {
    self.id = id
    self.relayId = relayId
  }
}

/// Parameters of org.batond.Channels.Verify.
public struct ChannelsVerifyRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Channels.Delete.
public struct ChannelsDeleteRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64

  public init(
    id: Int64
  ) {
    self.id = id
  }
}

/// Parameters of org.batond.Channels.Transitions.
public struct ChannelsTransitionsRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Most lines, 1 to 1000, from the latest back; 100 when absent.
  public var limit: Int?

  public init(
    id: Int64,
    limit: Int? = nil
  ) {
    self.id = id
    self.limit = limit
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
