// Written by `make generate` from org.batond.Members.varlink.

/// Parameters of org.batond.Members.List.
public struct MembersListRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// Only people with this standing. If absent, members, or authors where the network does not list members.
  public var standing: String?
  /// Only people with this role, 1 to 50 bytes.
  public var role: String?
  /// Only people whose name contains this, regardless of case and accents, whose author begins with it, or whose key it encodes
  /// (on Nostr npub1… or nprofile1…). 1 to 1,000 bytes.
  public var text: String?
  /// The order, role if absent.
  public var order: String?
  /// The nextCursor of the previous page. Refused with InvalidParameter if Baton no longer has the last person of that page.
  public var cursor: String?
  /// Maximum number of people on the page, 1 to 100, 30 if absent.
  public var limit: Int?

  public init(
    channelId: Int64,
    standing: String? = nil,
    role: String? = nil,
    text: String? = nil,
    order: String? = nil,
    cursor: String? = nil,
    limit: Int? = nil
  ) {
    self.channelId = channelId
    self.standing = standing
    self.role = role
    self.text = text
    self.order = order
    self.cursor = cursor
    self.limit = limit
  }
}

/// Parameters of org.batond.Members.Watch.
public struct MembersWatchRequest: Codable, Hashable, Sendable {
  /// Only these channels, at most 1,000.
  public var channelIds: [Int64]?
  /// Send everything that changed after this revision first. Of the people who left a channel, Baton keeps the last 1,000. A revision that
  /// lies ahead is refused with InvalidParameter: the members have been lost since, and Baton reads them again.
  public var since: Int64?

  public init(
    channelIds: [Int64]? = nil,
    since: Int64? = nil
  ) {
    self.channelIds = channelIds
    self.since = since
  }
}

/// Parameters of org.batond.Members.Add.
public struct MembersAddRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person in the network's notation. On Nostr npub1… and nprofile1… work as well. Own keys are refused.
  public var author: String
  /// At most 10 roles of 1 to 50 bytes each, without commas and control characters. Empty or absent for a plain member. The relay defines
  /// their meaning. On Nostr 'admin' is common.
  public var roles: [String]?

  public init(
    channelId: Int64,
    author: String,
    roles: [String]? = nil
  ) {
    self.channelId = channelId
    self.author = author
    self.roles = roles
  }
}

/// Parameters of org.batond.Members.SetRole.
public struct MembersSetRoleRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person, as for Add. Anyone but a member is refused with NoSuchMember.
  public var author: String
  /// The role, as for Add. Absent for a plain member. On SimpleX, plain members can only read.
  public var role: String?

  public init(
    channelId: Int64,
    author: String,
    role: String? = nil
  ) {
    self.channelId = channelId
    self.author = author
    self.role = role
  }
}

/// Parameters of org.batond.Members.Remove.
public struct MembersRemoveRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person, as for Add.
  public var author: String
  /// Reason for the relay and the readers of its history, at most 500 bytes. Refused on SimpleX, which has no reasons.
  public var reason: String?

  public init(
    channelId: Int64,
    author: String,
    reason: String? = nil
  ) {
    self.channelId = channelId
    self.author = author
    self.reason = reason
  }
}

/// Parameters of org.batond.Members.Decline.
public struct MembersDeclineRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person, as for Add.
  public var author: String

  public init(
    channelId: Int64,
    author: String
  ) {
    self.channelId = channelId
    self.author = author
  }
}

/// Parameters of org.batond.Members.Ban.
public struct MembersBanRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person, as for Add.
  public var author: String

  public init(
    channelId: Int64,
    author: String
  ) {
    self.channelId = channelId
    self.author = author
  }
}

/// Parameters of org.batond.Members.Unban.
public struct MembersUnbanRequest: Codable, Hashable, Sendable {
  /// The channel.
  public var channelId: Int64
  /// The person, as for Add.
  public var author: String

  public init(
    channelId: Int64,
    author: String
  ) {
    self.channelId = channelId
    self.author = author
  }
}
