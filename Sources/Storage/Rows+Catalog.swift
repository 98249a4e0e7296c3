public import Channels
public import StrictJSON

/// Where an operator, server or relay comes from: a file that declares it, or a person.
public struct Origin: Hashable, Sendable {
  /// Whether a file declared it.
  public var isPreset: Bool
  /// Whether the files that are loaded no longer declare it.
  public var isUndeclared: Bool
  /// Name of the file that declares it.
  public var file: String?
  /// The content of the file when it was last loaded. Only later changes in the file are applied, so that a person's changes last.
  public var declaration: JSONValue?

  public init(isPreset: Bool = false, isUndeclared: Bool = false, file: String? = nil, declaration: JSONValue? = nil) {
    self.isPreset = isPreset
    self.isUndeclared = isUndeclared
    self.file = file
    self.declaration = declaration
  }

  /// Whether a file that is loaded declares it now.
  public var isDeclared: Bool { isPreset && !isUndeclared }
}

/// An operator as stored.
public struct OperatorRow: Hashable, Sendable {
  public var id: OperatorID
  /// The trade name, which is unique.
  public var name: String
  public var legalName: String?
  /// The domains, as `Domain.validated` returns them.
  public var domains: [String]
  public var isEnabled: Bool
  public var isDeleted: Bool
  public var smpRoles: ServerRoles
  public var xftpRoles: ServerRoles
  /// When the operator's conditions of use were accepted.
  public var conditionsAcceptedAt: Timestamp?
  public var origin: Origin
  public var revision: Int64

  public init(
    id: OperatorID, name: String, legalName: String? = nil, domains: [String] = [], isEnabled: Bool = true,
    isDeleted: Bool = false, smpRoles: ServerRoles = ServerRoles(storage: true, proxy: true, names: true),
    xftpRoles: ServerRoles = ServerRoles(storage: true, proxy: true, names: false), conditionsAcceptedAt: Timestamp? = nil,
    origin: Origin = Origin(), revision: Int64 = 0
  ) {
    self.id = id
    self.name = name
    self.legalName = legalName
    self.domains = domains
    self.isEnabled = isEnabled
    self.isDeleted = isDeleted
    self.smpRoles = smpRoles
    self.xftpRoles = xftpRoles
    self.conditionsAcceptedAt = conditionsAcceptedAt
    self.origin = origin
    self.revision = revision
  }
}

/// A message or file server as stored.
public struct ServerRow: Hashable, Sendable {
  public var id: ServerID
  public var transport: ServerProtocol
  /// The address in normal form, without the password. It is unique.
  public var address: String
  public var fingerprint: String
  public var hosts: [String]
  /// `nil` for the protocol's own port.
  public var port: Int?
  /// The password, encrypted by `SecretBox`.
  public var sealedPassword: [UInt8]?
  /// The operator that runs it, or `nil` if it is one's own.
  public var serverOperator: OperatorID?
  /// Whether a person chose the operator. Otherwise it follows from the domains.
  public var isOperatorAssigned: Bool
  public var isEnabled: Bool
  public var isDeleted: Bool
  public var roles: ServerRoles.Override
  public var condition: PeerCondition
  public var origin: Origin
  public var revision: Int64

  public init(
    id: ServerID, transport: ServerProtocol, address: String, fingerprint: String, hosts: [String], port: Int? = nil,
    sealedPassword: [UInt8]? = nil, serverOperator: OperatorID? = nil, isOperatorAssigned: Bool = false,
    isEnabled: Bool = true, isDeleted: Bool = false, roles: ServerRoles.Override = .init(),
    condition: PeerCondition = PeerCondition(), origin: Origin = Origin(), revision: Int64 = 0
  ) {
    self.id = id
    self.transport = transport
    self.address = address
    self.fingerprint = fingerprint
    self.hosts = hosts
    self.port = port
    self.sealedPassword = sealedPassword
    self.serverOperator = serverOperator
    self.isOperatorAssigned = isOperatorAssigned
    self.isEnabled = isEnabled
    self.isDeleted = isDeleted
    self.roles = roles
    self.condition = condition
    self.origin = origin
    self.revision = revision
  }
}

/// A relay as stored.
public struct RelayRow: Hashable, Sendable {
  /// The relay's description of itself in its latest test.
  public struct Description: Hashable, Sendable {
    public var name: String?
    public var text: String?
    public var software: String?

    public init(name: String? = nil, text: String? = nil, software: String? = nil) {
      self.name = name
      self.text = text
      self.software = software
    }
  }

  public var id: RelayID
  public var network: NetworkKind
  /// The address in normal form.
  public var address: String
  /// The host alone. Empty in rows of older versions until they are read.
  public var host: String
  /// A text that is equal for two addresses of one relay. Empty in rows of older versions until they are read.
  public var comparisonKey: String
  /// The name, unique among relays that are not deleted.
  public var name: String
  /// Domains of the operator in addition to the host.
  public var domains: [String]
  /// The operator that runs it, or `nil` if it is one's own.
  public var relayOperator: OperatorID?
  /// Whether a person chose the operator. Otherwise it follows from the domains.
  public var isOperatorAssigned: Bool
  public var isEnabled: Bool
  public var isDeleted: Bool
  public var profile: Description?
  /// Stable words, sorted, from the latest test.
  public var capabilities: [String]
  public var condition: PeerCondition
  public var origin: Origin
  public var revision: Int64

  public init(
    id: RelayID, network: NetworkKind, address: String, host: String = "", comparisonKey: String = "", name: String,
    domains: [String] = [], relayOperator: OperatorID? = nil, isOperatorAssigned: Bool = false, isEnabled: Bool = true,
    isDeleted: Bool = false, profile: Description? = nil, capabilities: [String] = [],
    condition: PeerCondition = PeerCondition(), origin: Origin = Origin(), revision: Int64
  ) {
    self.id = id
    self.network = network
    self.address = address
    self.host = host
    self.comparisonKey = comparisonKey
    self.name = name
    self.domains = domains
    self.relayOperator = relayOperator
    self.isOperatorAssigned = isOperatorAssigned
    self.isEnabled = isEnabled
    self.isDeleted = isDeleted
    self.profile = profile
    self.capabilities = capabilities
    self.condition = condition
    self.origin = origin
    self.revision = revision
  }
}

/// The relay or server that was tested.
public enum Probed: Hashable, Sendable {
  case relay(RelayID)
  case server(ServerID)
}

/// One measured connection.
public struct MeasuredConnection: Hashable, Sendable {
  public let at: Timestamp
  public let milliseconds: Int64

  public init(at: Timestamp, milliseconds: Int64) {
    self.at = at
    self.milliseconds = milliseconds
  }
}
