// Written by `make generate` from org.batond.Relays.varlink.

/// A relay's description of itself.
public struct RelayProfile: Codable, Hashable, Sendable {
  /// Its own name for itself.
  public var name: String?
  /// Its description.
  public var description: String?
  /// Its software.
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
  /// Its protocol.
  public var network: String
  /// Its address in normal form.
  public var address: String
  /// Its name in Baton, unique among relays.
  public var name: String
  /// Its description of itself, from the latest test.
  public var profile: RelayProfile?
  /// Its domains, besides its host.
  public var domains: [String]
  /// Identifier of its operator, absent for your own relays.
  public var operatorId: Int64?
  /// Whether it may be picked for new channels, if its operator is enabled.
  public var enabled: Bool
  /// Whether a file declared it.
  public var preset: Bool
  /// Whether the loaded files no longer declare it, which disables it until someone enables it.
  public var undeclared: Bool
  /// Name of the file that declares it.
  public var declaredIn: String?
  /// Whether it was removed. Channels that had it keep it.
  public var deleted: Bool
  /// Its abilities and demands, sorted. From the latest test: nip42 and the like, authRequired, paymentRequired, restrictedWrites. From its
  /// use by channels: onePerAuthor, if it keeps the profile of one channel per author.
  public var capabilities: [String]
  /// Whether the latest test passed, absent before the first.
  public var tested: Bool?
  /// End of the latest test, RFC 3339 in UTC. Not live: a test without a new result causes no event.
  public var testedAt: String?
  /// Whether it is reachable and works as Baton needs it to.
  public var health: String
  /// Time of the latest change of health, RFC 3339 in UTC.
  public var healthSince: String?
  /// The latest trouble, for people.
  public var lastError: String?
  /// The reason why its network as a whole is unusable. Not live: Daemon.Status and the journal show changes, which have no revision.
  public var networkTrouble: String?
  /// Duration of the latest connection, in milliseconds. Not live.
  public var roundTripMilliseconds: Int?
  /// Connections in the latest tests, oldest first, at most 100. Only in replies of Get.
  public var roundTrips: [RoundTrip]?
  /// Number of channels that have this relay. Only in replies of org.batond.Relays.Get, and of List if the database can be read. Not live.
  /// Lists do not filter or sort by it.
  public var channels: Int?
  /// Revision of the latest change, required for an update. Tests without a new result do not change it.
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
  /// Its name in Baton, the host if absent.
  public var name: String?
  /// The protocol, nostr if absent.
  public var network: String?
  /// Whether it may be picked for new channels, true if absent.
  public var enabled: Bool?
  /// Its domains, besides its host.
  public var domains: [String]?
  /// Identifier of its operator. Derived from its domains if absent or 0.
  public var operatorId: Int64?
  /// Whether to ignore new errors. False if absent.
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
  /// The revision on which the change is based.
  public var revision: Int64
  /// Its address. Refused for relays that a file declares or that channels use.
  public var address: String?
  /// Its name in Baton.
  public var name: String?
  /// Whether it may be picked for new channels.
  public var enabled: Bool?
  /// All of its domains.
  public var domains: [String]?
  /// Identifier of its operator. 0 derives it from its domains.
  public var operatorId: Int64?
  /// Whether to ignore new errors. False if absent.
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
  /// Identifier of a known relay, which stores the verdict.
  public var id: Int64?
  /// An address instead, known or not.
  public var address: String?
  /// The protocol of the address, nostr if absent.
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

/// Number of channels that have one relay, with one status and one cause.
public struct ChannelsAtRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// Its protocol.
  public var network: String
  /// Identifier of its operator, absent for your own relays.
  public var operatorId: Int64?
  /// Status of the channels on the relay: new, invited, accepted, active, inactive or failed.
  public var status: String
  /// Cause that holds them up, as a stable word. Absent if nothing went wrong. Unlike for channels, an unusable network is not a cause
  /// here.
  public var cause: String?
  /// The number.
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

/// Distribution of durations.
public struct Spread: Codable, Hashable, Sendable {
  /// Number of durations.
  public var count: Int
  /// Median in milliseconds.
  public var p50: Int
  /// 90th percentile in milliseconds.
  public var p90: Int
  /// Maximum in milliseconds.
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

/// Performance of a relay.
public struct RelayFigures: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// Its protocol.
  public var network: String
  /// Identifier of its operator, absent for your own relays.
  public var operatorId: Int64?
  /// Whether it is reachable and works as Baton needs it to.
  public var health: String
  /// Number of channels that have it.
  public var channels: Int
  /// Number of these that readers can read there.
  public var active: Int
  /// Number of these on the way there: new, invited or accepted.
  public var underWay: Int
  /// Number of these that readers could read there before, but not now.
  public var inactive: Int
  /// Number of these that were given up there.
  public var failed: Int
  /// Number of channels that became active there since the time in since.
  public var reached: Int
  /// Number of channels that were given up there before they became active, since the same time.
  public var missed: Int
  /// Share of reached among reached and missed, 0 to 1. Absent if both are 0.
  public var successRate: Double?
  /// Time from the hand-over to the relay until a reader found the channel there, including retries. Absent if no channel became active.
  public var timeToActive: Spread?
  /// Durations of the latest connections in tests, at most 100. Absent without any.
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
