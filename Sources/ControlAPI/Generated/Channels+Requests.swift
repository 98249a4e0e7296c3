// Written by `make generate` from org.batond.Channels.varlink.

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

/// Parameters of org.batond.Channels.Follow.
public struct ChannelsFollowRequest: Codable, Hashable, Sendable {
  /// The link: on nostr nostr:nevent1 or note1 for a public channel, nostr:naddr1 for a group, with or without nostr: in front; on simplex
  /// the short link of a channel.
  public var link: String
  /// The relays from which it is read, at most 32; exactly one for a group. When absent those that the link names, as far as Baton has
  /// them: a link alone makes Baton connect to no one. On simplex it must be absent: the channel says which they are.
  public var relayIds: [Int64]?
  /// What it is called here; when absent what it calls itself, as far as names of channels allow.
  public var displayName: String?
  /// Name of the identity on whose behalf it is read: messages that name its key are mentions. When absent the main one.
  public var identity: String?
  /// Whether it may be joined, which reading needs on simplex: there its relays count one more reader, under a random name, and the link says
  /// which servers the chat core asks. When absent it may not, and links on simplex are refused with NotFollowable, also those of channels that
  /// are followed already: only the core knows which channel a link is.
  public var join: Bool?

  public init(
    link: String,
    relayIds: [Int64]? = nil,
    displayName: String? = nil,
    identity: String? = nil,
    join: Bool? = nil
  ) {
    self.link = link
    self.relayIds = relayIds
    self.displayName = displayName
    self.identity = identity
    self.join = join
  }
}

/// Parameters of org.batond.Channels.Unfollow.
public struct ChannelsUnfollowRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether the chat core stays a member, where reading needed that. When absent it does not.
  public var keepMembership: Bool?

  public init(
    id: Int64,
    keepMembership: Bool? = nil
  ) {
    self.id = id
    self.keepMembership = keepMembership
  }
}

/// Parameters of org.batond.Channels.SetMuted.
public struct ChannelsSetMutedRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether it is muted.
  public var muted: Bool

  public init(
    id: Int64,
    muted: Bool
  ) {
    self.id = id
    self.muted = muted
  }
}

/// Parameters of org.batond.Channels.SetPinned.
public struct ChannelsSetPinnedRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether it is pinned.
  public var pinned: Bool

  public init(
    id: Int64,
    pinned: Bool
  ) {
    self.id = id
    self.pinned = pinned
  }
}

/// Parameters of org.batond.Channels.SetFollowing.
public struct ChannelsSetFollowingRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether they are read.
  public var followed: Bool
  /// How old messages may be when they are read back, in days, 0 to 36,500, 0 for any age; when absent as the option messages.days says.
  public var days: Int?
  /// How many of the newest messages are read back from one relay, 1 to 100,000; when absent as the option messages.count says.
  public var count: Int?
  /// How many messages of others are kept, the last ones, 1 to 100,000; when absent as the option messages.keep says. What is more is dropped at
  /// once.
  public var keep: Int?

  public init(
    id: Int64,
    followed: Bool,
    days: Int? = nil,
    count: Int? = nil,
    keep: Int? = nil
  ) {
    self.id = id
    self.followed = followed
    self.days = days
    self.count = count
    self.keep = keep
  }
}

/// Parameters of org.batond.Channels.SetFrozen.
public struct ChannelsSetFrozenRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether it is frozen.
  public var frozen: Bool

  public init(
    id: Int64,
    frozen: Bool
  ) {
    self.id = id
    self.frozen = frozen
  }
}

/// Parameters of org.batond.Channels.SetHidden.
public struct ChannelsSetHiddenRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether it is hidden.
  public var hidden: Bool
  /// Whether its messages up to now go, as with Truncate; only together with hidden. False when absent.
  public var clearHistory: Bool?

  public init(
    id: Int64,
    hidden: Bool,
    clearHistory: Bool? = nil
  ) {
    self.id = id
    self.hidden = hidden
    self.clearHistory = clearHistory
  }
}

/// Parameters of org.batond.Channels.Truncate.
public struct ChannelsTruncateRequest: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// Whether the channel's own posts are deleted on its relays, too, as with org.batond.Posts.Delete; false when absent. Whatever a network
  /// says about deleting one of them holds here.
  public var posts: Bool?

  public init(
    id: Int64,
    posts: Bool? = nil
  ) {
    self.id = id
    self.posts = posts
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
