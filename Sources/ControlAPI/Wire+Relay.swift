/// What a relay says of itself. The `.varlink` file documents the fields.
public struct RelayProfile: Codable, Hashable, Sendable {
  public var name: String?
  public var description: String?
  public var software: String?

  public init(name: String? = nil, description: String? = nil, software: String? = nil) {
    self.name = name
    self.description = description
    self.software = software
  }
}

/// A chat relay, as in org.batond.Relays. The `.varlink` file documents the fields.
public struct Relay: Codable, Hashable, Sendable {
  public var id: Int64
  public var network: String
  public var address: String
  public var name: String
  public var profile: RelayProfile?
  public var domains: [String]
  public var operatorId: Int64?
  public var enabled: Bool
  public var preset: Bool
  public var undeclared: Bool
  public var declaredIn: String?
  public var deleted: Bool
  public var capabilities: [String]
  public var tested: Bool?
  public var testedAt: String?
  public var health: String
  public var healthSince: String?
  public var lastError: String?
  public var roundTripMilliseconds: Int64?
  public var roundTrips: [RoundTrip]?
  public var channels: Int64?
  public var revision: Int64

  public init(
    id: Int64, network: String, address: String, name: String, profile: RelayProfile? = nil, domains: [String],
    operatorId: Int64? = nil, enabled: Bool, preset: Bool, undeclared: Bool, declaredIn: String? = nil, deleted: Bool,
    capabilities: [String], tested: Bool? = nil, testedAt: String? = nil, health: String, healthSince: String? = nil,
    lastError: String? = nil, roundTripMilliseconds: Int64? = nil, roundTrips: [RoundTrip]? = nil, channels: Int64? = nil,
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
    self.roundTripMilliseconds = roundTripMilliseconds
    self.roundTrips = roundTrips
    self.channels = channels
    self.revision = revision
  }
}

/// One step of a test of a relay or server. The `.varlink` file documents the fields.
public struct TestStep: Codable, Hashable, Sendable {
  public var name: String
  public var durationMilliseconds: Double
  public var passed: Bool
  public var cause: String?
  public var detail: String

  public init(name: String, durationMilliseconds: Double, passed: Bool, cause: String? = nil, detail: String) {
    self.name = name
    self.durationMilliseconds = durationMilliseconds
    self.passed = passed
    self.cause = cause
    self.detail = detail
  }
}

/// Parameters of the Test methods. The `.varlink` file documents the fields.
public struct TestRequest: Codable, Hashable, Sendable {
  public var id: Int64?
  public var address: String?
  public var network: String?

  public init(id: Int64? = nil, address: String? = nil, network: String? = nil) {
    self.id = id
    self.address = address
    self.network = network
  }
}

/// Parameters of org.batond.Relays.Add. The `.varlink` file documents the fields.
public struct AddRelay: Codable, Hashable, Sendable {
  public var address: String
  public var name: String?
  public var network: String?
  public var enabled: Bool?
  public var domains: [String]?
  public var operatorId: Int64?
  public var force: Bool?

  public init(
    address: String, name: String? = nil, network: String? = nil, enabled: Bool? = nil, domains: [String]? = nil,
    operatorId: Int64? = nil, force: Bool? = nil
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

/// Parameters of org.batond.Relays.Update. The `.varlink` file documents the fields.
public struct UpdateRelay: Codable, Hashable, Sendable {
  public var id: Int64
  public var revision: Int64
  public var address: String?
  public var name: String?
  public var enabled: Bool?
  public var domains: [String]?
  public var operatorId: Int64?
  public var force: Bool?

  public init(
    id: Int64, revision: Int64, address: String? = nil, name: String? = nil, enabled: Bool? = nil, domains: [String]? = nil,
    operatorId: Int64? = nil, force: Bool? = nil
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
