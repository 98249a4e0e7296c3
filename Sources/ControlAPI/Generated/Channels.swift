// Written by `make generate` from org.batond.Channels.varlink.

public import StrictJSON

/// The part of a channel that readers see.
public struct Profile: Codable, Hashable, Sendable {
  /// Name, 1 to 50 characters, without . , ; / \ # @ quotes and ~. It is kept with composed letters (NFC) and single spaces.
  public var displayName: String
  /// Longer name, at most 160 characters.
  public var fullName: String?
  /// Description of the channel, at most 2,000 bytes.
  public var description: String?
  /// A data URL of a PNG, JPEG or WebP image, at most 12,500 bytes.
  public var image: String?
  /// Preferences of the network, at most 16 KiB of JSON. They include "history": "on" unless they set it otherwise.
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
  /// Name of the relay. Renaming a relay causes an event of the relay, not of its channels.
  public var relayName: String
  /// Identifier of the relay's operator, absent if it has none. A change of operator causes an event of the relay, not of its channels.
  public var operatorId: Int64?
  /// Status of the channel on this relay.
  public var status: String
  /// Cause that holds it up, as a stable word. While the network as a whole is unusable and nothing else went wrong, that is the cause. This
  /// is not live, see Daemon.Status.
  public var cause: String?
  /// The cause as text for people, in the relay's words where the relay gave any.
  public var detail: String?
  /// Number of the current attempt, 0 if there is none. Routine reading back of an active relay does not count as an attempt while nothing is
  /// wrong.
  public var attempt: Int
  /// Address at which the relay serves the channel.
  public var relayLink: String?
  /// Time since which it has this status, RFC 3339 in UTC.
  public var since: String
  /// Start of the next attempt, RFC 3339 in UTC. Absent while an attempt is under way, and if none is planned.
  public var nextAttemptAt: String?
  /// Edition of the profile that a reader last found on the relay, 0 before the first time. While it is lower than the channel's edition, the
  /// relay still has to receive the newer one: cause and nextAttemptAt show the progress. With the cause onePerAuthor the relay will not
  /// receive it: the channel shares its key with other channels, and the relay keeps the profile of one channel per author.
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
  /// The protocol of its relays.
  public var network: String
  /// Whether it is Baton's own. A channel that someone else runs is only read, see Follow.
  public var owned: Bool
  /// Name of the identity that owns it, or on whose behalf a followed channel is read.
  public var identity: String
  /// The key that signs it. Absent on networks that keep the keys themselves. If several channels share the identity's key, a relay that keeps
  /// the profile of one channel per author shows the channel that was changed last.
  public var key: String?
  /// The part that readers see.
  public var profile: Profile
  /// The state as a whole.
  public var phase: String
  /// The state in plain words, for example "Channel works with 2 of 3 relays. 1 does not serve it."
  public var summary: String
  /// Number of the newest edition of the profile, which includes the relays that it lists. A channel is created with edition 1.
  public var edition: Int
  /// Link that a reader opens to join, absent before the first relay is active.
  public var link: String?
  /// Whether a reader can join with the link: at least one relay is active. For followed channels Baton does not know, and assumes that it
  /// works.
  public var linkUsable: Bool
  /// All relays, including removed ones, in the order in which they joined.
  public var relays: [ChannelRelay]
  /// Identifiers of the relays from which a followed channel is read. Empty for Baton's own channels, which are read from their relays.
  public var readRelayIds: [Int64]
  /// Actions that only members of a group may perform. Empty where anyone may join and write, as far as Baton has requested it. Lists cannot be
  /// filtered by this.
  public var access: [String]
  /// Number of active relays that the channel should have, 0 for followed channels.
  public var wantedRelays: Int
  /// Whether relays that fail permanently are replaced.
  public var heal: Bool
  /// Custom data that the owner stores with the channel.
  public var custom: JSONValue?
  /// Time at which the channel was created, RFC 3339 in UTC.
  public var createdAt: String
  /// Time of the last change, RFC 3339 in UTC. A post does not change its channel.
  public var updatedAt: String
  /// Time at which its newest post was created, RFC 3339 in UTC, absent if there is none. Deleted and unpublished posts do not count. Not live:
  /// publishing or deleting a post causes an event of org.batond.Posts.Watch, not of the channel. Each reply with a channel has the value at
  /// that time.
  public var lastPostAt: String?
  /// Beginning of that post's text on one line, at most 100 characters. If something is left out, the last character is an ellipsis. Also
  /// absent if the post was forgotten, or is unreadable because the database is damaged. Not live either.
  public var lastPost: String?
  /// Time at which the last message was written, by anyone, RFC 3339 in UTC. Absent if there is none, and if the channel's messages are not
  /// read. This field and the next five are not live: new messages cause events of org.batond.Messages.Watch. Each reply with a channel has the
  /// values at that time.
  public var lastMessageAt: String?
  /// Beginning of that message's text on one line, at most 100 characters. Anyone may have written it.
  public var lastMessage: String?
  /// Number of unread messages, 0 if messages are not read.
  public var unread: Int
  /// Number of unread messages that address the channel's owner.
  public var unreadMentions: Int
  /// Number of people who belong to it, as its network reports: the relay of a group, or on SimpleX the relays, which count readers. Absent if
  /// the network does not report it, and in public channels on Nostr, where anyone may write. Networks may report too few.
  public var memberCount: Int?
  /// Whether it is left out of the inbox until a new message arrives. Lists of channels still include it.
  public var hidden: Bool
  /// Whether it is muted: the inbox does not list it among channels with unread messages.
  public var muted: Bool
  /// Whether it is pinned. Lists put it first if they are sorted by this field.
  public var pinned: Bool
  /// Whether it is frozen: nothing new is published in it. Posts that were accepted earlier are still delivered to its relays.
  public var frozen: Bool
  /// Whether the network prevents other people from writing as well, frozen or not. On simplex readers can only read. On nostr anyone can still
  /// write.
  public var frozenEnforced: Bool
  /// Whether its messages are read, provided that the daemon reads messages. See SetFollowing.
  public var followed: Bool
  /// Greatest age in days of messages that are read back, 0 for any age. Absent if the option messages.days applies.
  public var followDays: Int?
  /// Number of newest messages that are read back from one relay. Absent if the option messages.count applies.
  public var followCount: Int?
  /// Number of other people's latest messages that are kept. Absent if the option messages.keep applies.
  public var followKeep: Int?
  /// Messages written at or before this time are no longer shown, RFC 3339 in UTC. Absent if all are shown.
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
  /// The part that readers will see.
  public var profile: Profile
  /// A channel if absent, or a group. A group uses exactly one relay, which must offer groups (on Nostr, NIP-29), and is never recreated
  /// automatically.
  public var kind: String?
  /// Restrictions of a group. No one can join a closed group without being let in. Only members can write in a restricted group. Anyone can
  /// read both. Refused with NotSupported for channels. The group fails at a relay that does not show these flags.
  public var access: [String]?
  /// Members of the new group, at most 100, in the network's notation, or on Nostr as npub1… or nprofile1…. The group is closed and restricted.
  /// The same people, in any order, and the same identity return the same group, regardless of the other parameters, unless it was
  /// deleted. For this reason idempotencyKey must be absent. Each member is let in as with Add of org.batond.Members. Refused with
  /// NotSupported for channels.
  public var members: [String]?
  /// The protocol. If absent, the protocol of the relays, or nostr if no relays are given.
  public var network: String?
  /// Name of the identity that will own it, main if absent.
  public var identity: String?
  /// The key that signs it on Nostr. If absent, a channel gets its own key, unless one of its relays states (NIP-11) that it accepts events of
  /// known authors only: then the identity signs. The identity also signs groups if absent.
  public var key: String?
  /// The relays, by identifier.
  public var relayIds: [Int64]?
  /// Number of relays to pick, 1 to 32, if relayIds is absent. If this is absent too, 3 are picked, or all if there are fewer. Do not combine
  /// it with relayIds.
  public var pick: Int?
  /// Whether relays that fail permanently are replaced, true if absent.
  public var heal: Bool?
  /// Custom data that the owner stores with the channel, at most 16 KiB of JSON.
  public var custom: JSONValue?
  /// Key of 1 to 200 bytes. Every call with the same key and the same parameters returns the same channel.
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
  /// Conditions on any field and on custom data, for example {"phase": {"$in": ["active", "partial"]}, "custom.team": "news"}, with $eq $ne $gt
  /// $gte $lt $lte $in $nin $exists $contains $q $autocomplete $and $or $nor. A bare value means $eq. Texts are compared by their UTF-8 bytes,
  /// but $q and $autocomplete ignore case and accents. Times are compared in the form in which replies have them. For $gt $gte $lt $lte the
  /// beginning of a time is enough, for example 2026-01-31. Conditions that can never hold are refused: fields, values and operators that do
  /// not exist, and values of another type. Deleted channels are left out unless the filter has a condition on phase. To require that one relay
  /// of a channel meets several conditions, use $elemMatch: {"relays": {"$elemMatch": {"relayId": 3, "status": "failed"}}}.
  public var filter: JSONValue?
  /// Keys like [{"field": "updatedAt", "direction": -1}, {"field": "custom.team"}], at most 8, then the id. Absent values come first, then
  /// booleans, numbers, texts and the rest. Lists cannot be sorted by link, lastPost, lastMessage, frozenEnforced, profile, profile.preferences
  /// or custom themselves.
  public var sort: [JSONValue]?
  /// Maximum number of channels per reply, 1 to 1000, 100 if absent. A page of large channels may have fewer: only nextCursor shows whether
  /// there are more.
  public var limit: Int?
  /// The nextCursor of the previous page.
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
  /// The revision of the channel on which the change is based. If absent, the change is made to any revision.
  public var revision: Int64?
  /// The new name.
  public var displayName: String?
  /// The new longer name. An empty text removes it.
  public var fullName: String?
  /// The new description. An empty text removes it.
  public var description: String?
  /// A data URL. An empty text removes the image.
  public var image: String?
  /// Preferences that replace all current ones.
  public var preferences: JSONValue?
  /// Whether relays that fail permanently are replaced.
  public var heal: Bool?
  /// Custom data that replaces all of the owner's current data.
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

/// Number of channels of one network in one phase.
public struct ChannelCount: Codable, Hashable, Sendable {
  /// The protocol.
  public var network: String
  /// The phase.
  public var phase: String
  /// The number that exists.
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
