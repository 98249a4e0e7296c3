/// What servers are used for. The `.varlink` file documents the fields.
public struct Roles: Codable, Hashable, Sendable {
  public var storage: Bool
  public var proxy: Bool
  public var names: Bool

  public init(storage: Bool, proxy: Bool, names: Bool) {
    self.storage = storage
    self.proxy = proxy
    self.names = names
  }
}

/// Deviations from roles. The `.varlink` file documents the fields.
public struct RoleOverrides: Codable, Hashable, Sendable {
  public var storage: Bool?
  public var proxy: Bool?
  public var names: Bool?

  public init(storage: Bool? = nil, proxy: Bool? = nil, names: Bool? = nil) {
    self.storage = storage
    self.proxy = proxy
    self.names = names
  }
}

/// An operator, as in org.batond.Operators. The `.varlink` file documents the fields.
public struct Operator: Codable, Hashable, Sendable {
  public var id: Int64
  public var name: String
  public var legalName: String?
  public var domains: [String]
  public var enabled: Bool
  public var preset: Bool
  public var undeclared: Bool
  public var declaredIn: String?
  public var deleted: Bool
  public var smpRoles: Roles
  public var xftpRoles: Roles
  public var conditionsAcceptedAt: String?
  public var revision: Int64

  public init(
    id: Int64, name: String, legalName: String? = nil, domains: [String], enabled: Bool, preset: Bool, undeclared: Bool,
    declaredIn: String? = nil, deleted: Bool, smpRoles: Roles, xftpRoles: Roles, conditionsAcceptedAt: String? = nil,
    revision: Int64
  ) {
    self.id = id
    self.name = name
    self.legalName = legalName
    self.domains = domains
    self.enabled = enabled
    self.preset = preset
    self.undeclared = undeclared
    self.declaredIn = declaredIn
    self.deleted = deleted
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
    self.conditionsAcceptedAt = conditionsAcceptedAt
    self.revision = revision
  }
}

/// Something wrong with the whole, as in org.batond.Operators. The `.varlink` file documents the fields.
public struct Finding: Codable, Hashable, Sendable {
  public var kind: String
  public var severity: String
  public var `protocol`: String?
  public var network: String?
  public var host: String?
  public var serverIds: [Int64]
  public var relayIds: [Int64]
  public var message: String

  public init(
    kind: String, severity: String, `protocol`: String? = nil, network: String? = nil, host: String? = nil, serverIds: [Int64],
    relayIds: [Int64], message: String
  ) {
    self.kind = kind
    self.severity = severity
    self.protocol = `protocol`
    self.network = network
    self.host = host
    self.serverIds = serverIds
    self.relayIds = relayIds
    self.message = message
  }
}

/// Parameters of org.batond.Operators.Add. The `.varlink` file documents the fields.
public struct AddOperator: Codable, Hashable, Sendable {
  public var name: String
  public var legalName: String?
  public var domains: [String]?
  public var enabled: Bool?
  public var smpRoles: RoleOverrides?
  public var xftpRoles: RoleOverrides?
  public var conditionsAcceptedAt: String?
  public var force: Bool?

  public init(
    name: String, legalName: String? = nil, domains: [String]? = nil, enabled: Bool? = nil, smpRoles: RoleOverrides? = nil,
    xftpRoles: RoleOverrides? = nil, conditionsAcceptedAt: String? = nil, force: Bool? = nil
  ) {
    self.force = force
    self.name = name
    self.legalName = legalName
    self.domains = domains
    self.enabled = enabled
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
    self.conditionsAcceptedAt = conditionsAcceptedAt
  }
}

/// Parameters of org.batond.Operators.Update. The `.varlink` file documents the fields.
public struct UpdateOperator: Codable, Hashable, Sendable {
  public var id: Int64
  public var revision: Int64
  public var name: String?
  public var legalName: String?
  public var domains: [String]?
  public var enabled: Bool?
  public var smpRoles: RoleOverrides?
  public var xftpRoles: RoleOverrides?
  public var conditionsAcceptedAt: String?
  public var force: Bool?

  public init(
    id: Int64, revision: Int64, name: String? = nil, legalName: String? = nil, domains: [String]? = nil, enabled: Bool? = nil,
    smpRoles: RoleOverrides? = nil, xftpRoles: RoleOverrides? = nil, conditionsAcceptedAt: String? = nil, force: Bool? = nil
  ) {
    self.id = id
    self.revision = revision
    self.name = name
    self.legalName = legalName
    self.domains = domains
    self.enabled = enabled
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
    self.conditionsAcceptedAt = conditionsAcceptedAt
    self.force = force
  }
}
