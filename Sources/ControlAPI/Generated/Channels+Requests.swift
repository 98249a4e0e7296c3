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
  /// Identifier of the relay, all if absent.
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
  /// The relays, on the channel's network. A relay that the channel has is refused. A relay that it had is refused too, but on simplex only
  /// until the relay has been told of its removal.
  public var relayIds: [Int64]?
  /// Number of relays to pick, 1 to 32, instead of listing them. Relays that the channel ever had are not picked.
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
  /// The link: on nostr nostr:nevent1 or note1 for a public channel, nostr:naddr1 for a group, with or without nostr: in front. On simplex the
  /// short link of a channel.
  public var link: String
  /// The relays from which it is read, at most 32, and exactly one for a group. If absent, the relays in the link that are configured in Baton:
  /// a link alone never makes Baton connect to a relay. On simplex it must be absent, because the channel itself lists its relays.
  public var relayIds: [Int64]?
  /// Local name. If absent, the channel's own name, as far as names of channels allow it.
  public var displayName: String?
  /// Name of the identity on whose behalf it is read: messages that name the identity's key are mentions. The main identity if absent.
  public var identity: String?
  /// Whether Baton may join it, which reading requires on simplex: its relays then count one more reader, under a random name, and the link
  /// determines which servers the chat core contacts. If absent, Baton may not join, and links on simplex are refused with NotFollowable, even
  /// links to channels that are followed already: only the core can find out to which channel a link leads.
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
  /// Whether the chat core remains a member, where reading required membership. False if absent.
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
  /// Whether messages are read.
  public var followed: Bool
  /// Greatest age in days of messages that are read back, 0 to 36,500, 0 for any age. If absent, the option messages.days applies.
  public var days: Int?
  /// Number of newest messages that are read back from one relay, 1 to 100,000. If absent, the option messages.count applies.
  public var count: Int?
  /// Number of other people's latest messages that are kept, 1 to 100,000. If absent, the option messages.keep applies. Older messages are
  /// dropped immediately.
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
  /// Whether its existing messages are removed, as with Truncate. Only together with hidden. False if absent.
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
  /// Whether the channel's own posts are also deleted on its relays, as with org.batond.Posts.Delete. False if absent. The rules of a network
  /// on deleting a post apply.
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
  /// Maximum number of lines, 1 to 1000, 100 if absent. The latest lines are returned.
  public var limit: Int?

  public init(
    id: Int64,
    limit: Int? = nil
  ) {
    self.id = id
    self.limit = limit
  }
}
