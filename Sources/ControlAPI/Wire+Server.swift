/// One measured connection. The `.varlink` file documents the fields.
public struct RoundTrip: Codable, Hashable, Sendable {
  public var time: String
  public var milliseconds: Int64

  public init(time: String, milliseconds: Int64) {
    self.time = time
    self.milliseconds = milliseconds
  }
}

/// A message or file server, as in org.batond.Servers. The `.varlink` file documents the fields.
public struct Server: Codable, Hashable, Sendable {
  public var id: Int64
  public var `protocol`: String
  public var address: String
  public var fingerprint: String
  public var hosts: [String]
  public var port: Int64?
  public var hasPassword: Bool
  public var operatorId: Int64?
  public var enabled: Bool
  public var preset: Bool
  public var undeclared: Bool
  public var declaredIn: String?
  public var deleted: Bool
  public var roles: Roles
  public var roleOverrides: RoleOverrides
  public var tested: Bool?
  public var testedAt: String?
  public var health: String
  public var healthSince: String?
  public var lastError: String?
  public var roundTripMilliseconds: Int64?
  public var roundTrips: [RoundTrip]?
  public var revision: Int64

  public init(
    id: Int64, `protocol`: String, address: String, fingerprint: String, hosts: [String], port: Int64? = nil, hasPassword: Bool,
    operatorId: Int64? = nil, enabled: Bool, preset: Bool, undeclared: Bool, declaredIn: String? = nil, deleted: Bool,
    roles: Roles, roleOverrides: RoleOverrides, tested: Bool? = nil, testedAt: String? = nil, health: String,
    healthSince: String? = nil, lastError: String? = nil, roundTripMilliseconds: Int64? = nil, roundTrips: [RoundTrip]? = nil,
    revision: Int64
  ) {
    self.id = id
    self.protocol = `protocol`
    self.address = address
    self.fingerprint = fingerprint
    self.hosts = hosts
    self.port = port
    self.hasPassword = hasPassword
    self.operatorId = operatorId
    self.enabled = enabled
    self.preset = preset
    self.undeclared = undeclared
    self.declaredIn = declaredIn
    self.deleted = deleted
    self.roles = roles
    self.roleOverrides = roleOverrides
    self.tested = tested
    self.testedAt = testedAt
    self.health = health
    self.healthSince = healthSince
    self.lastError = lastError
    self.roundTripMilliseconds = roundTripMilliseconds
    self.roundTrips = roundTrips
    self.revision = revision
  }
}

/// Parameters of org.batond.Servers.Add. The `.varlink` file documents the fields.
public struct AddServer: Codable, Hashable, Sendable {
  public var address: String
  public var password: String?
  public var operatorId: Int64?
  public var enabled: Bool?
  public var roles: RoleOverrides?
  public var force: Bool?

  public init(
    address: String, password: String? = nil, operatorId: Int64? = nil, enabled: Bool? = nil, roles: RoleOverrides? = nil,
    force: Bool? = nil
  ) {
    self.address = address
    self.password = password
    self.operatorId = operatorId
    self.enabled = enabled
    self.roles = roles
    self.force = force
  }
}

/// Parameters of org.batond.Servers.Update. The `.varlink` file documents the fields.
public struct UpdateServer: Codable, Hashable, Sendable {
  public var id: Int64
  public var revision: Int64
  public var address: String?
  public var password: String?
  public var operatorId: Int64?
  public var enabled: Bool?
  public var roles: RoleOverrides?
  public var force: Bool?

  public init(
    id: Int64, revision: Int64, address: String? = nil, password: String? = nil, operatorId: Int64? = nil, enabled: Bool? = nil,
    roles: RoleOverrides? = nil, force: Bool? = nil
  ) {
    self.id = id
    self.revision = revision
    self.address = address
    self.password = password
    self.operatorId = operatorId
    self.enabled = enabled
    self.roles = roles
    self.force = force
  }
}
