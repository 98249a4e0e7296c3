// Written by `make generate` from org.batond.Relays.varlink.

/// What a relay says of itself.
public struct RelayProfile: Codable, Hashable, Sendable {
  /// The name that it gives itself.
  public var name: String?
  /// Its description.
  public var description: String?
  /// What it runs.
  public var software: String?

  public init(
    name: String? = nil,
    description: String? = nil,
    software: String? = nil
  ) {
    self.name = name
    self.description = description
    self.software = software
  }
}

/// A chat relay.
public struct Relay: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// The protocol that the relay speaks.
  public var network: String
  /// The relay's address in normal form.
  public var address: String
  /// The name that people use, unique among relays.
  public var name: String
  /// What the relay says of itself, from its latest test.
  public var profile: RelayProfile?
  /// Domains that it belongs to, besides its host.
  public var domains: [String]
  /// The operator that runs the relay; absent for one's own.
  public var operatorId: Int64?
  /// Whether the relay may be picked for new channels, as far as it goes itself; its operator must be enabled too.
  public var enabled: Bool
  /// Whether a file declared it.
  public var preset: Bool
  /// Whether the files that are loaded do not declare it any more; it is then disabled until someone enables it.
  public var undeclared: Bool
  /// Name of the file that declares it.
  public var declaredIn: String?
  /// Whether the relay was removed; channels that had it keep it.
  public var deleted: Bool
  /// What it can do or demands, from its latest test, sorted: nip42 and the like, authRequired, paymentRequired, restrictedWrites.
  /// And onePerAuthor, learned while channels use it: it keeps the profile of one channel per author.
  public var capabilities: [String]
  /// Whether the latest test passed; absent when there was none.
  public var tested: Bool?
  /// When the latest test ended, RFC 3339 in UTC. Not live: a test that finds nothing new causes no event.
  public var testedAt: String?
  /// Whether the relay can be reached and does what is asked of it.
  public var health: String
  /// Since when the health is what it is, RFC 3339 in UTC.
  public var healthSince: String?
  /// What went wrong latest, for people.
  public var lastError: String?
  /// Why its network cannot be used at all at present, whatever the relay does; absent when it can. Not live: it is no change of the relay,
  /// so it has no revision; Daemon.Status and the journal say when it changes.
  public var networkTrouble: String?
  /// How long the latest connection took, in milliseconds. Not live: it changes without an event.
  public var roundTripMilliseconds: Int?
  /// The latest connections that tests measured, oldest first, at most 100. Only in replies of Get.
  public var roundTrips: [RoundTrip]?
  /// Channels that have this relay, removed pairings left out. Only in replies of org.batond.Relays.Get and List, and there not when the
  /// database cannot be read. Not live: it changes without an event, and lists do not filter or sort by it.
  public var channels: Int?
  /// Revision of the latest change; an update names it. Routine tests that find nothing new do not change it.
  public var revision: Int64

  public init(
    id: Int64,
    network: String,
    address: String,
    name: String,
    profile: RelayProfile? = nil,
    domains: [String],
    operatorId: Int64? = nil,
    enabled: Bool,
    preset: Bool,
    undeclared: Bool,
    declaredIn: String? = nil,
    deleted: Bool,
    capabilities: [String],
    tested: Bool? = nil,
    testedAt: String? = nil,
    health: String,
    healthSince: String? = nil,
    lastError: String? = nil,
    networkTrouble: String? = nil,
    roundTripMilliseconds: Int? = nil,
    roundTrips: [RoundTrip]? = nil,
    channels: Int? = nil,
    revision: Int64
  ) {
    self.id = id
    self.network = network
    self.address = address
    self.name = name
    self.profile = profile
    self.domains = domains
    self.operatorId = operatorId
    self.enabled = enabled
    self.preset = preset
    self.undeclared = undeclared
    self.declaredIn = declaredIn
    self.deleted = deleted
    self.capabilities = capabilities
    self.tested = tested
    self.testedAt = testedAt
    self.health = health
    self.healthSince = healthSince
    self.lastError = lastError
    self.networkTrouble = networkTrouble
    self.roundTripMilliseconds = roundTripMilliseconds
    self.roundTrips = roundTrips
    self.channels = channels
    self.revision = revision
  }
}

/// Parameters of org.batond.Relays.Add.
public struct AddRelay: Codable, Hashable, Sendable {
  /// For nostr a ws or wss URL, for simplex the address of a relay.
  public var address: String
  /// The name that people will use; the host when absent.
  public var name: String?
  /// The protocol; nostr when absent.
  public var network: String?
  /// Whether the relay may be picked at once; true when absent.
  public var enabled: Bool?
  /// Domains that it belongs to, besides its host.
  public var domains: [String]?
  /// The operator that runs it; follows from its domains when absent or 0.
  public var operatorId: Int64?
  /// Do it although it adds errors to the whole. False when absent.
  public var force: Bool?

  public init(
    address: String,
    name: String? = nil,
    network: String? = nil,
    enabled: Bool? = nil,
    domains: [String]? = nil,
    operatorId: Int64? = nil,
    force: Bool? = nil
  ) {
    self.address = address
    self.name = name
    self.network = network
    self.enabled = enabled
    self.domains = domains
    self.operatorId = operatorId
    self.force = force
  }
}

/// Parameters of org.batond.Relays.Update.
public struct UpdateRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var id: Int64
  /// The revision that the change is based on.
  public var revision: Int64
  /// Its address; not for relays that a file declares or that channels use.
  public var address: String?
  /// The name that people will use.
  public var name: String?
  /// Whether the relay may be picked for new channels.
  public var enabled: Bool?
  /// All of its domains.
  public var domains: [String]?
  /// The operator that runs it; 0 lets it follow from its domains.
  public var operatorId: Int64?
  /// Do it although it adds errors to the whole. False when absent.
  public var force: Bool?

  public init(
    id: Int64,
    revision: Int64,
    address: String? = nil,
    name: String? = nil,
    enabled: Bool? = nil,
    domains: [String]? = nil,
    operatorId: Int64? = nil,
    force: Bool? = nil
  ) {
    self.id = id
    self.revision = revision
    self.address = address
    self.name = name
    self.enabled = enabled
    self.domains = domains
    self.operatorId = operatorId
    self.force = force
  }
}

/// Parameters of org.batond.Relays.Test.
public struct TestRequest: Codable, Hashable, Sendable {
  /// Identifier of a known relay; its record keeps the verdict.
  public var id: Int64?
  /// An address instead, known or not.
  public var address: String?
  /// The protocol of the address; nostr when absent.
  public var network: String?

  public init(
    id: Int64? = nil,
    address: String? = nil,
    network: String? = nil
  ) {
    self.id = id
    self.address = address
    self.network = network
  }
}

/// How many channels have one relay with one status, for one reason.
public struct ChannelsAtRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// The protocol that it speaks.
  public var network: String
  /// The operator that runs it; absent for one's own.
  public var operatorId: Int64?
  /// Where the channels stand there: new, invited, accepted, active, inactive or failed.
  public var status: String
  /// Why they are not further on, as a stable word; absent if nothing went wrong. While a network as a whole cannot be used, channels show
  /// that as their cause; here they have none.
  public var cause: String?
  /// How many channels there are.
  public var channels: Int

  public init(
    relayId: Int64,
    relayName: String,
    network: String,
    operatorId: Int64? = nil,
    status: String,
    cause: String? = nil,
    channels: Int
  ) {
    self.relayId = relayId
    self.relayName = relayName
    self.network = network
    self.operatorId = operatorId
    self.status = status
    self.cause = cause
    self.channels = channels
  }
}

/// How durations are spread, in milliseconds.
public struct Spread: Codable, Hashable, Sendable {
  /// How many there are.
  public var count: Int
  /// Half of them are this or less.
  public var p50: Int
  /// Nine of ten are this or less.
  public var p90: Int
  /// The longest.
  public var max: Int

  public init(
    count: Int,
    p50: Int,
    p90: Int,
    max: Int
  ) {
    self.count = count
    self.p50 = p50
    self.p90 = p90
    self.max = max
  }
}

/// How well a relay performs.
public struct RelayFigures: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// The protocol that it speaks.
  public var network: String
  /// The operator that runs it; absent for one's own.
  public var operatorId: Int64?
  /// Whether the relay can be reached and does what is asked of it.
  public var health: String
  /// Channels that have it, removed pairings left out.
  public var channels: Int
  /// Those that can be read there.
  public var active: Int
  /// Those on the way there: new, invited or accepted.
  public var underWay: Int
  /// Those that could be read there once, and cannot at present.
  public var inactive: Int
  /// Those that were given up there.
  public var failed: Int
  /// How many channels became active there, as far back as since says.
  public var reached: Int
  /// How many were given up there before they were active, as far back.
  public var missed: Int
  /// The part of these that became active, 0 to 1; absent where there are none.
  public var successRate: Double?
  /// How long it took from the hand-over to the relay until a reader found the channel there, retries included; absent where none became
  /// active.
  public var timeToActive: Spread?
  /// How long the latest connections took that tests measured, a hundred at most; absent where none was.
  public var roundTrips: Spread?

  public init(
    relayId: Int64,
    relayName: String,
    network: String,
    operatorId: Int64? = nil,
    health: String,
    channels: Int,
    active: Int,
    underWay: Int,
    inactive: Int,
    failed: Int,
    reached: Int,
    missed: Int,
    successRate: Double? = nil,
    timeToActive: Spread? = nil,
    roundTrips: Spread? = nil
  ) {
    self.relayId = relayId
    self.relayName = relayName
    self.network = network
    self.operatorId = operatorId
    self.health = health
    self.channels = channels
    self.active = active
    self.underWay = underWay
    self.inactive = inactive
    self.failed = failed
    self.reached = reached
    self.missed = missed
    self.successRate = successRate
    self.timeToActive = timeToActive
    self.roundTrips = roundTrips
  }
}
