// Written by `make generate` from org.batond.Channels.varlink.

public import StrictJSON

/// What readers see of a channel.
public struct Profile: Codable, Hashable, Sendable {
  /// Name, 1 to 50 characters, without . , ; / \ # @ quotes and ~; kept with composed letters (NFC) and single spaces.
  public var displayName: String
  /// Longer name, at most 160 characters.
  public var fullName: String?
  /// What the channel is about, at most 2,000 bytes.
  public var description: String?
  /// A data URL of a PNG, JPEG or WebP image, at most 12,500 bytes.
  public var image: String?
  /// Preferences of the network, at most 16 KiB of JSON; "history": "on" unless it says otherwise.
  public var preferences: JSONValue?

  public init(
    displayName: String,
    fullName: String? = nil,
    description: String? = nil,
    image: String? = nil,
    preferences: JSONValue? = nil
  ) {
    self.displayName = displayName
    self.fullName = fullName
    self.description = description
    self.image = image
    self.preferences = preferences
  }
}

/// One relay of a channel.
public struct ChannelRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay. A new name comes with an event of the relay, not of its channels.
  public var relayName: String
  /// Identifier of the relay's operator; absent if it has none. Another operator comes with an event of the relay, not of its channels.
  public var operatorId: Int64?
  /// Where it stands.
  public var status: String
  /// Why it is not further on, as a stable word. While the network as a whole cannot be used and nothing else went wrong, that is the
  /// reason; this is not live, see Daemon.Status.
  public var cause: String?
  /// The same for people, in the relay's words where it spoke.
  public var detail: String?
  /// Number of the present attempt; 0 when there is none. Reading back an active relay is none as long as nothing is wrong.
  public var attempt: Int
  /// Where the relay serves the channel.
  public var relayLink: String?
  /// Since when the status is what it is, RFC 3339 in UTC.
  public var since: String
  /// When the next attempt begins, RFC 3339 in UTC; absent while one is under way, and when none waits.
  public var nextAttemptAt: String?
  /// The edition of the profile that a reader found there the last time; 0 before the first time. As long as it is less than the
  /// channel's, the relay is on its way to it: cause and nextAttemptAt say how. With the cause onePerAuthor it is not: the channel shares its
  /// key with others, and the relay keeps the profile of one channel per author.
  public var edition: Int

  public init(
    relayId: Int64,
    relayName: String,
    operatorId: Int64? = nil,
    status: String,
    cause: String? = nil,
    detail: String? = nil,
    attempt: Int,
    relayLink: String? = nil,
    since: String,
    nextAttemptAt: String? = nil,
    edition: Int
  ) {
    self.relayId = relayId
    self.relayName = relayName
    self.operatorId = operatorId
    self.status = status
    self.cause = cause
    self.detail = detail
    self.attempt = attempt
    self.relayLink = relayLink
    self.since = since
    self.nextAttemptAt = nextAttemptAt
    self.edition = edition
  }
}

/// A channel.
public struct Channel: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// Channel or group.
  public var kind: String
  /// The protocol it lives on.
  public var network: String
  /// Whether it is Baton's own. One that others run is only read: see Follow.
  public var owned: Bool
  /// Name of the identity that owns it, or on whose behalf a channel of others is read.
  public var identity: String
  /// Which key signs it; absent on networks that keep the keys themselves. Where channels share the identity's, a relay that keeps the
  /// profile of one channel per author shows the one that was changed last.
  public var key: String?
  /// What readers see.
  public var profile: Profile
  /// The state as a whole.
  public var phase: String
  /// The same in plain words, for example "Channel works with 2 of 3 relays. 1 does not serve it."
  public var summary: String
  /// Number of the newest edition of the profile, with the relays that it names; 1 is what the channel was created with.
  public var edition: Int
  /// What a reader opens to join; absent before the first relay is active.
  public var link: String?
  /// Whether a reader gets in with the link: at least one relay is active. Baton does not know that of channels of others, and supposes it.
  public var linkUsable: Bool
  /// All relays, removed ones too, in the order in which they joined.
  public var relays: [ChannelRelay]
  /// The relays from which a channel of others is read, by identifier; empty in Baton's own, which are read from their relays.
  public var readRelayIds: [Int64]
  /// What only members of a group may do; empty where anyone may join and write, as far as Baton has asked for it. Lists are not filtered by
  /// this.
  public var access: [String]
  /// How many active relays the channel is meant to have; 0 in channels of others.
  public var wantedRelays: Int
  /// Whether relays that fail for good are replaced.
  public var heal: Bool
  /// Whatever the owner keeps with the channel.
  public var custom: JSONValue?
  /// When the channel was created, RFC 3339 in UTC.
  public var createdAt: String
  /// When it last changed, RFC 3339 in UTC. A post is no change of its channel.
  public var updatedAt: String
  /// When its newest post was created, RFC 3339 in UTC; absent when there is none. Posts that were deleted, or are not published yet, do
  /// not count. Not live: a post that is published or deleted comes with org.batond.Posts.Watch, and not with an event of the channel.
  /// Every channel that is sent has this as it is then.
  public var lastPostAt: String?
  /// The beginning of that post's text on one line, at most 100 characters, the last of them an ellipsis if something is left out; absent,
  /// too, if the post was forgotten, or cannot be read because the database is damaged. Not live either.
  public var lastPost: String?
  /// When the last message in it was written, by anyone, RFC 3339 in UTC; absent when there is none, and when its messages are not read.
  /// Not live, as the next five are not: what is said comes with org.batond.Messages.Watch. Every channel that is sent has it as it is then.
  public var lastMessageAt: String?
  /// The beginning of that message's text on one line, at most 100 characters. Anyone may have written it.
  public var lastMessage: String?
  /// How many messages are unread; 0 when messages are not read.
  public var unread: Int
  /// How many of these speak to whoever runs the channel.
  public var unreadMentions: Int
  /// How many people belong to it, as its network says: the relay of a group, or on SimpleX the relays, which count readers. Absent if it does
  /// not, and in public channels on Nostr, where anyone may write. Networks may count too few.
  public var memberCount: Int?
  /// Whether it is left out of the inbox, until something new is said in it. Lists of channels have it all the same.
  public var hidden: Bool
  /// Whether its unread messages are no reason to look: the inbox does not list it among those with unread messages.
  public var muted: Bool
  /// Whether it is to be in front of others. Lists do that if they are sorted by it.
  public var pinned: Bool
  /// Whether nothing is published in it. Posts that were accepted before go on to its relays.
  public var frozen: Bool
  /// Whether the network keeps others from writing as well, frozen or not: on simplex readers only read. On nostr anyone may go on writing.
  public var frozenEnforced: Bool
  /// Whether its messages are read, where the daemon reads messages; see SetFollowing.
  public var followed: Bool
  /// How old messages may be when they are read back, in days, 0 for any age; absent if that is what the option messages.days says.
  public var followDays: Int?
  /// How many of the newest messages are read back from one relay; absent if that is what the option messages.count says.
  public var followCount: Int?
  /// How many messages of others are kept, the last ones; absent if that is what the option messages.keep says.
  public var followKeep: Int?
  /// Messages that were written then or before are not shown any more, RFC 3339 in UTC; absent if all are shown.
  public var truncatedAt: String?
  /// Revision of the latest change.
  public var revision: Int64

  public init(
    id: Int64,
    kind: String,
    network: String,
    owned: Bool,
    identity: String,
    key: String? = nil,
    profile: Profile,
    phase: String,
    summary: String,
    edition: Int,
    link: String? = nil,
    linkUsable: Bool,
    relays: [ChannelRelay],
    readRelayIds: [Int64],
    access: [String],
    wantedRelays: Int,
    heal: Bool,
    custom: JSONValue? = nil,
    createdAt: String,
    updatedAt: String,
    lastPostAt: String? = nil,
    lastPost: String? = nil,
    lastMessageAt: String? = nil,
    lastMessage: String? = nil,
    unread: Int,
    unreadMentions: Int,
    memberCount: Int? = nil,
    hidden: Bool,
    muted: Bool,
    pinned: Bool,
    frozen: Bool,
    frozenEnforced: Bool,
    followed: Bool,
    followDays: Int? = nil,
    followCount: Int? = nil,
    followKeep: Int? = nil,
    truncatedAt: String? = nil,
    revision: Int64
  ) {
    self.id = id
    self.kind = kind
    self.network = network
    self.owned = owned
    self.identity = identity
    self.key = key
    self.profile = profile
    self.phase = phase
    self.summary = summary
    self.edition = edition
    self.link = link
    self.linkUsable = linkUsable
    self.relays = relays
    self.readRelayIds = readRelayIds
    self.access = access
    self.wantedRelays = wantedRelays
    self.heal = heal
    self.custom = custom
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.lastPostAt = lastPostAt
    self.lastPost = lastPost
    self.lastMessageAt = lastMessageAt
    self.lastMessage = lastMessage
    self.unread = unread
    self.unreadMentions = unreadMentions
    self.memberCount = memberCount
    self.hidden = hidden
    self.muted = muted
    self.pinned = pinned
    self.frozen = frozen
    self.frozenEnforced = frozenEnforced
    self.followed = followed
    self.followDays = followDays
    self.followCount = followCount
    self.followKeep = followKeep
    self.truncatedAt = truncatedAt
    self.revision = revision
  }
}

/// One line of a channel's history. Equal statuses record a retry.
public struct Transition: Codable, Hashable, Sendable {
  /// Revision of the change.
  public var revision: Int64
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
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
    relayId: Int64,
    relayName: String,
    from: String,
    to: String,
    cause: String? = nil,
    detail: String,
    attempt: Int,
    time: String
  ) {
    self.revision = revision
    self.relayId = relayId
    self.relayName = relayName
    self.from = from
    self.to = to
    self.cause = cause
    self.detail = detail
    self.attempt = attempt
    self.time = time
  }
}

/// Parameters of org.batond.Channels.Create.
public struct CreateChannel: Codable, Hashable, Sendable {
  /// What readers will see.
  public var profile: Profile
  /// A channel, when absent, or a group: that lives on exactly one relay, which must offer groups (on Nostr, NIP-29), and is never
  /// recreated automatically.
  public var kind: String?
  /// What only members of a group may do; in closed groups no one joins without being let in, in restricted ones only members write. Anyone
  /// may read both. Refused with NotSupported for channels, and the group fails at a relay that does not show these flags.
  public var access: [String]?
  /// Who is to belong to a group, at most 100, in the network's notation, or on Nostr as npub1… or nprofile1…. The group is closed and restricted.
  /// The same people, in any order, and the same identity give the same group, whatever the other parameters are, unless it was deleted; so
  /// idempotencyKey must be absent. Each of them is let in as Add of org.batond.Members does. Refused with NotSupported for channels.
  public var members: [String]?
  /// The protocol; follows from the relays when absent, else nostr.
  public var network: String?
  /// Name of the identity that will own it; main when absent.
  public var identity: String?
  /// Which key signs it, on Nostr. When absent a channel gets a key of its own, unless one of its relays says (NIP-11) that it takes events of
  /// known authors only: then, and for groups, the identity signs.
  public var key: String?
  /// The relays, by identifier.
  public var relayIds: [Int64]?
  /// How many relays to pick, 1 to 32, when none are named; 3, or all if there are fewer, when absent. Not together with relayIds.
  public var pick: Int?
  /// Whether relays that fail for good are replaced; true when absent.
  public var heal: Bool?
  /// Whatever the owner keeps with the channel, at most 16 KiB of JSON.
  public var custom: JSONValue?
  /// The same key with the same parameters gives the same channel, however often it is asked for; 1 to 200 bytes.
  public var idempotencyKey: String?

  public init(
    profile: Profile,
    kind: String? = nil,
    access: [String]? = nil,
    members: [String]? = nil,
    network: String? = nil,
    identity: String? = nil,
    key: String? = nil,
    relayIds: [Int64]? = nil,
    pick: Int? = nil,
    heal: Bool? = nil,
    custom: JSONValue? = nil,
    idempotencyKey: String? = nil
  ) {
    self.profile = profile
    self.kind = kind
    self.access = access
    self.members = members
    self.network = network
    self.identity = identity
    self.key = key
    self.relayIds = relayIds
    self.pick = pick
    self.heal = heal
    self.custom = custom
    self.idempotencyKey = idempotencyKey
  }
}

/// Parameters of org.batond.Channels.List.
public struct ListRequest: Codable, Hashable, Sendable {
  /// Conditions on any field and on custom data, for example {"phase": {"$in": ["active", "partial"]}, "custom.team": "news"}, with
  /// $eq $ne $gt $gte $lt $lte $in $nin $exists $contains $q $autocomplete $and $or $nor; a bare value means $eq. Texts are compared
  /// by their UTF-8 bytes, $q and $autocomplete whatever their case and accents. Times are compared in the form in which they come out; for $gt
  /// $gte $lt $lte the beginning of one will do, for example 2026-01-31. What can never hold is refused: fields, values and operators
  /// that do not exist, and values of another type. Deleted channels are left out unless phase is asked for.
  /// One relay of a channel meets several conditions with $elemMatch: {"relays": {"$elemMatch": {"relayId": 3, "status": "failed"}}}.
  public var filter: JSONValue?
  /// Keys like [{"field": "updatedAt", "direction": -1}, {"field": "custom.team"}], at most 8, then the id. What is absent comes first,
  /// then booleans, numbers, texts, the rest. There is no order by link, lastPost,
  /// lastMessage, frozenEnforced, profile, profile.preferences or custom themselves.
  public var sort: [JSONValue]?
  /// Most channels per reply, 1 to 1000; 100 when absent. A page of large channels may hold fewer: only nextCursor says whether
  /// there are more.
  public var limit: Int?
  /// Where the page before ended.
  public var cursor: String?

  public init(
    filter: JSONValue? = nil,
    sort: [JSONValue]? = nil,
    limit: Int? = nil,
    cursor: String? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.cursor = cursor
  }
}

/// Parameters of org.batond.Channels.Update.
public struct UpdateChannel: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var id: Int64
  /// The revision of the channel that the change is based on; when absent it is made whatever the channel has become.
  public var revision: Int64?
  /// The new name.
  public var displayName: String?
  /// The new longer name; empty takes it away.
  public var fullName: String?
  /// What the channel is about; empty takes it away.
  public var description: String?
  /// A data URL; empty takes the image away.
  public var image: String?
  /// Preferences in place of all present ones.
  public var preferences: JSONValue?
  /// Whether relays that fail for good are replaced.
  public var heal: Bool?
  /// Data in place of all that the owner keeps with the channel.
  public var custom: JSONValue?

  public init(
    id: Int64,
    revision: Int64? = nil,
    displayName: String? = nil,
    fullName: String? = nil,
    description: String? = nil,
    image: String? = nil,
    preferences: JSONValue? = nil,
    heal: Bool? = nil,
    custom: JSONValue? = nil
  ) {
    self.id = id
    self.revision = revision
    self.displayName = displayName
    self.fullName = fullName
    self.description = description
    self.image = image
    self.preferences = preferences
    self.heal = heal
    self.custom = custom
  }
}

/// How many channels of one network are in one phase.
public struct ChannelCount: Codable, Hashable, Sendable {
  /// The protocol.
  public var network: String
  /// The phase.
  public var phase: String
  /// How many there are.
  public var channels: Int

  public init(
    network: String,
    phase: String,
    channels: Int
  ) {
    self.network = network
    self.phase = phase
    self.channels = channels
  }
}
