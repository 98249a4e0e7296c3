public import StrictJSON

/// What readers see of a channel. The `.varlink` file documents the fields.
public struct Profile: Codable, Hashable, Sendable {
  public var displayName: String
  public var fullName: String?
  public var description: String?
  public var image: String?
  public var preferences: JSONValue?

  public init(
    displayName: String, fullName: String? = nil, description: String? = nil, image: String? = nil,
    preferences: JSONValue? = nil
  ) {
    self.displayName = displayName
    self.fullName = fullName
    self.description = description
    self.image = image
    self.preferences = preferences
  }
}

/// One relay of a channel. The `.varlink` file documents the fields.
public struct ChannelRelay: Codable, Hashable, Sendable {
  public var relayId: Int64
  public var relayName: String
  public var status: String
  public var cause: String?
  public var detail: String?
  public var attempt: Int
  public var relayLink: String?
  public var since: String
  public var nextAttemptAt: String?
  public var edition: Int

  public init(
    relayId: Int64, relayName: String, status: String, cause: String? = nil, detail: String? = nil, attempt: Int,
    relayLink: String? = nil, since: String, nextAttemptAt: String? = nil, edition: Int
  ) {
    self.relayId = relayId
    self.relayName = relayName
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

/// A channel, as in org.batond.Channels. The `.varlink` file documents the fields.
public struct Channel: Codable, Hashable, Sendable {
  public var id: Int64
  public var kind: String
  public var network: String
  public var identity: String
  public var profile: Profile
  public var phase: String
  public var summary: String
  public var edition: Int
  public var link: String?
  public var linkUsable: Bool
  public var relays: [ChannelRelay]
  public var wantedRelays: Int
  public var heal: Bool
  public var custom: JSONValue?
  public var createdAt: String
  public var updatedAt: String
  public var revision: Int64

  public init(
    id: Int64, kind: String, network: String, identity: String, profile: Profile, phase: String, summary: String,
    edition: Int, link: String? = nil, linkUsable: Bool, relays: [ChannelRelay], wantedRelays: Int, heal: Bool,
    custom: JSONValue? = nil, createdAt: String,
    updatedAt: String, revision: Int64
  ) {
    self.id = id
    self.kind = kind
    self.network = network
    self.identity = identity
    self.profile = profile
    self.phase = phase
    self.summary = summary
    self.edition = edition
    self.link = link
    self.linkUsable = linkUsable
    self.relays = relays
    self.wantedRelays = wantedRelays
    self.heal = heal
    self.custom = custom
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.revision = revision
  }
}

/// One line of a channel's history. The `.varlink` file documents the fields.
public struct Transition: Codable, Hashable, Sendable {
  public var revision: Int64
  public var relayId: Int64
  public var relayName: String
  public var from: String
  public var to: String
  public var cause: String?
  public var detail: String
  public var attempt: Int
  public var time: String

  public init(
    revision: Int64, relayId: Int64, relayName: String, from: String, to: String, cause: String? = nil, detail: String,
    attempt: Int, time: String
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

/// Parameters of org.batond.Channels.Create. The `.varlink` file documents the fields.
public struct CreateChannel: Codable, Hashable, Sendable {
  public var profile: Profile
  public var kind: String?
  public var network: String?
  public var identity: String?
  public var relayIds: [Int64]?
  public var pick: Int?
  public var heal: Bool?
  public var custom: JSONValue?
  public var idempotencyKey: String?

  public init(
    profile: Profile, kind: String? = nil, network: String? = nil, identity: String? = nil, relayIds: [Int64]? = nil,
    pick: Int? = nil, heal: Bool? = nil, custom: JSONValue? = nil, idempotencyKey: String? = nil
  ) {
    self.profile = profile
    self.kind = kind
    self.network = network
    self.identity = identity
    self.relayIds = relayIds
    self.pick = pick
    self.heal = heal
    self.custom = custom
    self.idempotencyKey = idempotencyKey
  }
}

/// Parameters of org.batond.Channels.Update. The `.varlink` file documents the fields.
public struct UpdateChannel: Codable, Hashable, Sendable {
  public var id: Int64
  public var revision: Int64?
  public var displayName: String?
  public var fullName: String?
  public var description: String?
  public var image: String?
  public var preferences: JSONValue?
  public var heal: Bool?
  public var custom: JSONValue?

  public init(
    id: Int64, revision: Int64? = nil, displayName: String? = nil, fullName: String? = nil, description: String? = nil,
    image: String? = nil, preferences: JSONValue? = nil, heal: Bool? = nil, custom: JSONValue? = nil
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
