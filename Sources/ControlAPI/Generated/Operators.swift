// Written by `make generate` from org.batond.Operators.varlink.

/// An organisation that runs servers and relays.
public struct Operator: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// Trade name, unique among operators.
  public var name: String
  /// Name of the legal entity.
  public var legalName: String?
  /// Its domains. Servers and relays at or below them belong to it, unless assigned otherwise.
  public var domains: [String]
  /// Whether its servers and relays may be used.
  public var enabled: Bool
  /// Whether a file declared it.
  public var preset: Bool
  /// Whether the loaded files no longer declare it, which disables it until someone enables it.
  public var undeclared: Bool
  /// Name of the file that declares it.
  public var declaredIn: String?
  /// Whether it was removed.
  public var deleted: Bool
  /// Roles of its message servers.
  public var smpRoles: Roles
  /// Roles of its file servers.
  public var xftpRoles: Roles
  /// Time at which its conditions of use were accepted, RFC 3339 in UTC.
  public var conditionsAcceptedAt: String?
  /// Revision of the latest change, required for an update.
  public var revision: Int64

  public init(
    id: Int64,
    name: String,
    legalName: String? = nil,
    domains: [String],
    enabled: Bool,
    preset: Bool,
    undeclared: Bool,
    declaredIn: String? = nil,
    deleted: Bool,
    smpRoles: Roles,
    xftpRoles: Roles,
    conditionsAcceptedAt: String? = nil,
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

/// Parameters of org.batond.Operators.Add.
public struct AddOperator: Codable, Hashable, Sendable {
  /// Trade name.
  public var name: String
  /// Name of the legal entity.
  public var legalName: String?
  /// Its domains, for example example.org.
  public var domains: [String]?
  /// Whether its servers and relays may be used, true if absent.
  public var enabled: Bool?
  /// Roles of its message servers, all if absent.
  public var smpRoles: RoleOverrides?
  /// Roles of its file servers, all if absent.
  public var xftpRoles: RoleOverrides?
  /// Time at which its conditions of use were accepted, RFC 3339.
  public var conditionsAcceptedAt: String?
  /// Whether to ignore new errors. False if absent.
  public var force: Bool?

  public init(
    name: String,
    legalName: String? = nil,
    domains: [String]? = nil,
    enabled: Bool? = nil,
    smpRoles: RoleOverrides? = nil,
    xftpRoles: RoleOverrides? = nil,
    conditionsAcceptedAt: String? = nil,
    force: Bool? = nil
  ) {
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

/// Parameters of org.batond.Operators.Update.
public struct UpdateOperator: Codable, Hashable, Sendable {
  /// Identifier of the operator.
  public var id: Int64
  /// The revision on which the change is based.
  public var revision: Int64
  /// Trade name.
  public var name: String?
  /// Name of the legal entity, empty for none.
  public var legalName: String?
  /// All of its domains.
  public var domains: [String]?
  /// Whether its servers and relays may be used.
  public var enabled: Bool?
  /// Changes to the roles of its message servers.
  public var smpRoles: RoleOverrides?
  /// Changes to the roles of its file servers.
  public var xftpRoles: RoleOverrides?
  /// Time at which its conditions of use were accepted, RFC 3339. Empty revokes the acceptance.
  public var conditionsAcceptedAt: String?
  /// Whether to ignore new errors. False if absent.
  public var force: Bool?

  public init(
    id: Int64,
    revision: Int64,
    name: String? = nil,
    legalName: String? = nil,
    domains: [String]? = nil,
    enabled: Bool? = nil,
    smpRoles: RoleOverrides? = nil,
    xftpRoles: RoleOverrides? = nil,
    conditionsAcceptedAt: String? = nil,
    force: Bool? = nil
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
