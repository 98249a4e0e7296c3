// Written by `make generate` from org.batond.Operators.varlink.

/// An organisation that runs servers and relays.
public struct Operator: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// The trade name, unique among operators.
  public var name: String
  /// The name of the legal entity.
  public var legalName: String?
  /// Its domains: servers and relays at or below them are its own, unless they were assigned otherwise.
  public var domains: [String]
  /// Whether its servers and relays may be used.
  public var enabled: Bool
  /// Whether a file declared it.
  public var preset: Bool
  /// Whether the files that are loaded do not declare it any more; it is then disabled until someone enables it.
  public var undeclared: Bool
  /// Name of the file that declares it.
  public var declaredIn: String?
  /// Whether it was removed.
  public var deleted: Bool
  /// What its message servers are used for.
  public var smpRoles: Roles
  /// What its file servers are used for.
  public var xftpRoles: Roles
  /// When its conditions of use were accepted, RFC 3339 in UTC.
  public var conditionsAcceptedAt: String?
  /// Revision of the latest change; an update names it.
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
  /// The trade name.
  public var name: String
  /// The name of the legal entity.
  public var legalName: String?
  /// Its domains, such as example.org.
  public var domains: [String]?
  /// Whether its servers and relays may be used at once; true when absent.
  public var enabled: Bool?
  /// What its message servers are used for; everything when absent.
  public var smpRoles: RoleOverrides?
  /// What its file servers are used for; everything when absent.
  public var xftpRoles: RoleOverrides?
  /// When its conditions of use were accepted, RFC 3339.
  public var conditionsAcceptedAt: String?
  /// Do it although it adds errors to the whole. False when absent.
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
  /// The revision that the change is based on.
  public var revision: Int64
  /// The trade name.
  public var name: String?
  /// The name of the legal entity; empty for none.
  public var legalName: String?
  /// All of its domains.
  public var domains: [String]?
  /// Whether its servers and relays may be used.
  public var enabled: Bool?
  /// What its message servers are used for.
  public var smpRoles: RoleOverrides?
  /// What its file servers are used for.
  public var xftpRoles: RoleOverrides?
  /// When its conditions of use were accepted, RFC 3339; empty takes it back.
  public var conditionsAcceptedAt: String?
  /// Do it although it adds errors to the whole. False when absent.
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
