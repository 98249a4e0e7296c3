// Written by `make generate` from org.batond.Members.varlink.

/// A reply of org.batond.Members.List.
public struct MembersListReply: Codable, Hashable, Sendable {
  /// The people.
  public var members: [Member]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// Whether the network lists the members of the channel.
  public var listed: Bool
  /// Number of members that the network reports, absent if it reports none. Networks may leave people out.
  public var count: Int?
  /// Time at which the network was last asked, RFC 3339 in UTC. Absent if it was never asked.
  public var readAt: String?
  /// The revision of messages to which the reply corresponds, for Watch.
  public var revision: Int64

  public init(
    members: [Member],
    nextCursor: String? = nil,
    listed: Bool,
    count: Int? = nil,
    readAt: String? = nil,
    revision: Int64
  ) {
    self.members = members
    self.nextCursor = nextCursor
    self.listed = listed
    self.count = count
    self.readAt = readAt
    self.revision = revision
  }
}

/// A reply of org.batond.Members.Watch.
public struct MembersWatchReply: Codable, Hashable, Sendable {
  /// Everything up to this revision was sent.
  public var revision: Int64
  /// The current member, absent if only the revision is new.
  public var member: Member?

  public init(
    revision: Int64,
    member: Member? = nil
  ) {
    self.revision = revision
    self.member = member
  }
}

/// A reply of org.batond.Members.Add.
public struct MembersAddReply: Codable, Hashable, Sendable {
  /// The change as stored.
  public var change: MemberChange
  /// False: the same change is under way.
  public var isNew: Bool

  public init(
    change: MemberChange,
    isNew: Bool
  ) {
    self.change = change
    self.isNew = isNew
  }
}

/// A reply of org.batond.Members.SetRole.
public struct MembersSetRoleReply: Codable, Hashable, Sendable {
  /// The change as stored.
  public var change: MemberChange
  /// False: the same change is under way.
  public var isNew: Bool

  public init(
    change: MemberChange,
    isNew: Bool
  ) {
    self.change = change
    self.isNew = isNew
  }
}

/// A reply of org.batond.Members.Remove.
public struct MembersRemoveReply: Codable, Hashable, Sendable {
  /// The change as stored.
  public var change: MemberChange
  /// False: the same change is under way.
  public var isNew: Bool

  public init(
    change: MemberChange,
    isNew: Bool
  ) {
    self.change = change
    self.isNew = isNew
  }
}

/// A reply that is one `Member`.
public struct MemberReply: Codable, Hashable, Sendable {
  /// The current member.
  public var member: Member

  public init(
    member: Member
  ) {
    self.member = member
  }
}

/// A reply of org.batond.Members.Ban.
public struct MembersBanReply: Codable, Hashable, Sendable {
  /// The change as stored.
  public var change: MemberChange
  /// False: the same change is under way.
  public var isNew: Bool

  public init(
    change: MemberChange,
    isNew: Bool
  ) {
    self.change = change
    self.isNew = isNew
  }
}

/// A reply of org.batond.Members.Unban.
public struct MembersUnbanReply: Codable, Hashable, Sendable {
  /// The change as stored.
  public var change: MemberChange
  /// False: the same change is under way.
  public var isNew: Bool

  public init(
    change: MemberChange,
    isNew: Bool
  ) {
    self.change = change
    self.isNew = isNew
  }
}
