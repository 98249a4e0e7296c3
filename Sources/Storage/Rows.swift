public import Channels
public import StrictJSON

/// An identity as stored, with its key sealed.
public struct IdentityRow: Hashable, Sendable {
  public var id: IdentityID
  public var name: String
  public var network: NetworkKind
  /// Its public name: its public key, or words where the network keeps the keys. Its column is `public_key`.
  public var publicName: String
  /// The secret key, encrypted by `SecretBox`.
  public var sealedKey: [UInt8]
  public var createdAt: Timestamp

  public init(
    id: IdentityID, name: String, network: NetworkKind, publicName: String, sealedKey: [UInt8], createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.network = network
    self.publicName = publicName
    self.sealedKey = sealedKey
    self.createdAt = createdAt
  }
}

/// How the messages of a channel are read, where messages are read at all.
public struct FollowingChoice: Hashable, Sendable {
  /// Whether they are read.
  public var isOn: Bool
  /// How old they may be when they are read back, in days, 0 for any age. `nil` for the setting for all channels.
  public var days: Int?
  /// How many of the newest are read back from one relay. `nil` for the setting for all channels.
  public var count: Int?
  /// How many of other people's messages are kept. `nil` for the setting for all channels.
  public var keep: Int?

  public init(isOn: Bool = true, days: Int? = nil, count: Int? = nil, keep: Int? = nil) {
    self.keep = keep
    self.isOn = isOn
    self.days = days
    self.count = count
  }

  /// The days and the numbers that may be chosen.
  public static let daysAllowed = 0...36_500
  public static let countsAllowed = 1...100_000
}

/// Decisions about a channel that its readers never see.
public struct ChannelMarks: Hashable, Sendable {
  /// Whether its unread messages need no attention.
  public var isMuted: Bool
  /// Whether lists put it in front.
  public var isPinned: Bool
  /// Whether nothing is published in it.
  public var isFrozen: Bool
  /// Messages from that time and before are not shown any more. `nil` if all are.
  public var truncatedAt: Timestamp?
  /// How its messages are read.
  public var following: FollowingChoice

  public init(
    isMuted: Bool = false, isPinned: Bool = false, isFrozen: Bool = false, truncatedAt: Timestamp? = nil,
    following: FollowingChoice = FollowingChoice()
  ) {
    self.following = following
    self.isMuted = isMuted
    self.isPinned = isPinned
    self.isFrozen = isFrozen
    self.truncatedAt = truncatedAt
  }
}

/// A channel as stored, without its relays.
public struct ChannelRow: Hashable, Sendable {
  public var id: ChannelID
  public var kind: ChannelKind
  public var network: NetworkKind
  public var identity: IdentityID
  public var profile: Profile
  public var preferences: JSONValue?
  /// How the network names the channel, for example the id of its event.
  public var networkID: String
  /// The key whose signature readers check, or the link that holds that key. Its column is `author`.
  public var trustAnchor: String
  /// The document that every relay gets, byte for byte.
  public var document: String
  /// Number of the newest edition of the profile that readers see. 1 is `document`.
  public var edition: Int
  /// The newest edition, or `nil` while that is the first, which is `document`.
  public var newestEdition: ChannelEdition?
  /// The relays that the newest edition names, or from which a followed channel is read. `nil` if they were not kept.
  public var namedRelays: [RelayID]?
  public var wantedRelays: Int
  public var heal: Bool
  public var custom: JSONValue?
  public var idempotencyKey: String?
  public var createdAt: Timestamp
  public var updatedAt: Timestamp
  /// When deletion was requested.
  public var deletedAt: Timestamp?
  /// Revision of the latest change to the channel or one of its relays.
  public var revision: Int64
  /// How many relays it has, including removed ones, so that a missing one is noticed. `nil` if that is not known.
  public var relayCount: Int?
  /// The key of the request that created it. `nil` without one, or if it was not kept.
  public var requestDigest: String?
  /// The channel's own key follows from this and the identity's secret. `nil` if the identity's key signs or the network keeps the keys.
  public var keySalt: [UInt8]?
  public var marks: ChannelMarks

  /// Whether the identity signs this channel and others with one key.
  public var sharesKey: Bool { kind == .channel && key == .identity }

  /// Whether it is owned. A followed channel is only read: it is meant to have no relays, and `namedRelays` are the relays from which it is
  /// read.
  public var isOwned: Bool { wantedRelays > 0 }

  /// The relays from which a followed channel is read. Empty for owned channels, which are read from their relays.
  public var readFrom: [RelayID] { isOwned ? [] : namedRelays ?? [] }

  /// Which key signs. `nil` where the network keeps the keys, and in followed channels.
  public var key: ChannelKey? {
    guard isOwned else { return nil }
    switch network {
    case .nostr: return keySalt == nil ? .identity : .own
    case .simplex: return nil
    }
  }

  public init(
    id: ChannelID, kind: ChannelKind, network: NetworkKind, identity: IdentityID, profile: Profile,
    preferences: JSONValue?, networkID: String, trustAnchor: String, document: String, edition: Int = 1,
    newestEdition: ChannelEdition? = nil, namedRelays: [RelayID]? = nil, wantedRelays: Int, heal: Bool, custom: JSONValue?,
    idempotencyKey: String?, createdAt: Timestamp, updatedAt: Timestamp, deletedAt: Timestamp? = nil,
    revision: Int64, relayCount: Int? = nil, requestDigest: String? = nil, keySalt: [UInt8]? = nil,
    marks: ChannelMarks = ChannelMarks()
  ) {
    self.keySalt = keySalt
    self.marks = marks
    self.id = id
    self.kind = kind
    self.network = network
    self.identity = identity
    self.profile = profile
    self.preferences = preferences
    self.networkID = networkID
    self.trustAnchor = trustAnchor
    self.document = document
    self.edition = edition
    self.newestEdition = newestEdition
    self.namedRelays = namedRelays
    self.wantedRelays = wantedRelays
    self.heal = heal
    self.custom = custom
    self.idempotencyKey = idempotencyKey
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.deletedAt = deletedAt
    self.revision = revision
    self.relayCount = relayCount
    self.requestDigest = requestDigest
  }
}

/// One relay of a channel as stored.
public struct ChannelRelayRow: Hashable, Sendable {
  public var relay: RelayID
  public var record: ChannelRelayRecord

  public init(relay: RelayID, record: ChannelRelayRecord) {
    self.relay = relay
    self.record = record
  }
}

/// A channel with all of its relays, including removed ones, in the order in which they joined.
public struct StoredChannel: Hashable, Sendable {
  public var row: ChannelRow
  public var relays: [ChannelRelayRow]

  public init(row: ChannelRow, relays: [ChannelRelayRow]) {
    self.row = row
    self.relays = relays
  }
}

/// One line of a channel's history.
public struct TransitionRow: Hashable, Sendable {
  public var revision: Int64
  public var channel: ChannelID
  public var relay: RelayID
  public var transition: ChannelRelayMachine.Transition

  public init(revision: Int64, channel: ChannelID, relay: RelayID, transition: ChannelRelayMachine.Transition) {
    self.revision = revision
    self.channel = channel
    self.relay = relay
    self.transition = transition
  }
}

/// A record that something changed. Its current form is in its own table.
public struct ChangeRow: Hashable, Sendable {
  public enum Object: Hashable, Sendable {
    case channel(ChannelID)
    case `operator`(OperatorID)
    case server(ServerID)
    case relay(RelayID)
    case channelRelay(TransitionRow)

    /// The channel that it is, or of which it is a relay. `nil` for other objects.
    public var channel: ChannelID? {
      switch self {
      case .operator, .server, .relay: nil
      case .channel(let id): id
      case .channelRelay(let transition): transition.channel
      }
    }
  }
  public var revision: Int64
  public var at: Timestamp
  public var object: Object

  public init(revision: Int64, at: Timestamp, object: Object) {
    self.revision = revision
    self.at = at
    self.object = object
  }
}
