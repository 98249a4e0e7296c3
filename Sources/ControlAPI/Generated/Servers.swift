// Written by `make generate` from org.batond.Servers.varlink.

/// Roles of servers.
public struct Roles: Codable, Hashable, Sendable {
  /// Storage of messages or files.
  public var storage: Bool
  /// Forwarding to servers that should not see the client.
  public var proxy: Bool
  /// Resolution of names. Message servers only.
  public var names: Bool

  public init(
    storage: Bool,
    proxy: Bool,
    names: Bool
  ) {
    self.storage = storage
    self.proxy = proxy
    self.names = names
  }
}

/// Deviations from roles. An absent role does not deviate.
public struct RoleOverrides: Codable, Hashable, Sendable {
  /// Storage of messages or files.
  public var storage: Bool?
  /// Forwarding to servers that should not see the client.
  public var proxy: Bool?
  /// Resolution of names. Message servers only.
  public var names: Bool?

  public init(
    storage: Bool? = nil,
    proxy: Bool? = nil,
    names: Bool? = nil
  ) {
    self.storage = storage
    self.proxy = proxy
    self.names = names
  }
}

/// One measured connection.
public struct RoundTrip: Codable, Hashable, Sendable {
  /// Time of the measurement, RFC 3339 in UTC.
  public var time: String
  /// Time from the lookup of the name to the open connection, in milliseconds.
  public var milliseconds: Int

  public init(
    time: String,
    milliseconds: Int
  ) {
    self.time = time
    self.milliseconds = milliseconds
  }
}

/// A message or file server.
public struct Server: Codable, Hashable, Sendable {
  /// Identifier, never reused.
  public var id: Int64
  /// Its protocol.
  public var `protocol`: String
  /// Its address in normal form, without the password.
  public var address: String
  /// SHA-256 of its certificate authority in base64url, part of the address.
  public var fingerprint: String
  /// Its host names.
  public var hosts: [String]
  /// Its port, absent if it is the protocol's default.
  public var port: Int?
  /// Whether a password is stored for it. It is never returned.
  public var hasPassword: Bool
  /// Identifier of its operator, absent for your own servers.
  public var operatorId: Int64?
  /// Whether it may be used, if its operator is enabled.
  public var enabled: Bool
  /// Whether a file declared it.
  public var preset: Bool
  /// Whether the loaded files no longer declare it, which disables it until someone enables it.
  public var undeclared: Bool
  /// Name of the file that declares it.
  public var declaredIn: String?
  /// Whether it was removed.
  public var deleted: Bool
  /// Its operator's roles with its own deviations.
  public var roles: Roles
  /// Its own deviations.
  public var roleOverrides: RoleOverrides
  /// Whether the latest test passed, absent before the first.
  public var tested: Bool?
  /// End of the latest test, RFC 3339 in UTC. Not live: a test without a new result causes no event.
  public var testedAt: String?
  /// Whether it can be reached and is the server in its address.
  public var health: String
  /// Time of the latest change of health, RFC 3339 in UTC.
  public var healthSince: String?
  /// The latest trouble, for people.
  public var lastError: String?
  /// Duration of the latest connection, in milliseconds. Not live.
  public var roundTripMilliseconds: Int?
  /// Latest connections, oldest first, at most 100. Only in replies of Get.
  public var roundTrips: [RoundTrip]?
  /// Revision of the latest change, required for an update. Tests without a new result do not change it.
  public var revision: Int64

  public init(
    id: Int64,
    protocol: String,
    address: String,
    fingerprint: String,
    hosts: [String],
    port: Int? = nil,
    hasPassword: Bool,
    operatorId: Int64? = nil,
    enabled: Bool,
    preset: Bool,
    undeclared: Bool,
    declaredIn: String? = nil,
    deleted: Bool,
    roles: Roles,
    roleOverrides: RoleOverrides,
    tested: Bool? = nil,
    testedAt: String? = nil,
    health: String,
    healthSince: String? = nil,
    lastError: String? = nil,
    roundTripMilliseconds: Int? = nil,
    roundTrips: [RoundTrip]? = nil,
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

/// One step of a server test.
public struct TestStep: Codable, Hashable, Sendable {
  /// Name of the step: resolve, connect, tls, identity, hello, version.
  public var name: String
  /// Duration of the step in milliseconds.
  public var durationMilliseconds: Double
  /// Whether it passed.
  public var passed: Bool
  /// Cause of the failure, as a stable word. Absent if it passed.
  public var cause: String?
  /// The result, as text for people.
  public var detail: String

  public init(
    name: String,
    durationMilliseconds: Double,
    passed: Bool,
    cause: String? = nil,
    detail: String
  ) {
    self.name = name
    self.durationMilliseconds = durationMilliseconds
    self.passed = passed
    self.cause = cause
    self.detail = detail
  }
}

/// A problem of operators, servers, relays and channels as a whole.
public struct Finding: Codable, Hashable, Sendable {
  /// Stable word for the problem: noServers, storageMissing, proxyMissing, duplicateServer, duplicateRelayAddress, noEnabledRelays,
  /// noNamesServers, networkUnusable. For channels channelsFailed, relayLost. For relays relaysDown.
  public var kind: String
  /// Its severity.
  public var severity: String
  /// The servers concerned, as a protocol.
  public var `protocol`: String?
  /// The relays concerned, as a network.
  public var network: String?
  /// The host that servers share.
  public var host: String?
  /// Identifiers of the servers concerned.
  public var serverIds: [Int64]
  /// Identifiers of the relays concerned.
  public var relayIds: [Int64]
  /// The problem and its remedy, for people.
  public var message: String

  public init(
    kind: String,
    severity: String,
    protocol: String? = nil,
    network: String? = nil,
    host: String? = nil,
    serverIds: [Int64],
    relayIds: [Int64],
    message: String
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

/// Parameters of org.batond.Servers.Add.
public struct AddServer: Codable, Hashable, Sendable {
  /// An smp or xftp address, which may contain a password.
  public var address: String
  /// The password, unless the address contains it.
  public var password: String?
  /// Identifier of its operator. Derived from its hosts if absent or 0.
  public var operatorId: Int64?
  /// Whether it may be used, true if absent.
  public var enabled: Bool?
  /// Deviations from the operator's roles.
  public var roles: RoleOverrides?
  /// Whether to ignore new errors. False if absent.
  public var force: Bool?

  public init(
    address: String,
    password: String? = nil,
    operatorId: Int64? = nil,
    enabled: Bool? = nil,
    roles: RoleOverrides? = nil,
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

/// Parameters of org.batond.Servers.Update.
public struct UpdateServer: Codable, Hashable, Sendable {
  /// Identifier of the server.
  public var id: Int64
  /// The revision on which the change is based.
  public var revision: Int64
  /// Its address. Refused for servers that a file declares.
  public var address: String?
  /// Its password, empty for none. A new address drops the stored one.
  public var password: String?
  /// Identifier of its operator. 0 derives it from its hosts.
  public var operatorId: Int64?
  /// Whether it may be used.
  public var enabled: Bool?
  /// All of its deviations from the operator's roles.
  public var roles: RoleOverrides?
  /// Whether to ignore new errors. False if absent.
  public var force: Bool?

  public init(
    id: Int64,
    revision: Int64,
    address: String? = nil,
    password: String? = nil,
    operatorId: Int64? = nil,
    enabled: Bool? = nil,
    roles: RoleOverrides? = nil,
    force: Bool? = nil
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

/// A reply of org.batond.Servers.Test.
public struct TestReply: Codable, Hashable, Sendable {
  /// The step that just ended. Absent in the last reply.
  public var step: TestStep?
  /// All steps. Only in the last reply.
  public var steps: [TestStep]?
  /// Whether the test passed. Only in the last reply.
  public var passed: Bool?

  public init(
    step: TestStep? = nil,
    steps: [TestStep]? = nil,
    passed: Bool? = nil
  ) {
    self.step = step
    self.steps = steps
    self.passed = passed
  }
}
