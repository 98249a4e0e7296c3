// Written by `make generate` from org.batond.Servers.varlink.

/// What servers are used for.
public struct Roles: Codable, Hashable, Sendable {
  /// Keeps messages or files.
  public var storage: Bool
  /// Passes on to servers that readers should not see directly.
  public var proxy: Bool
  /// Resolves names; message servers only.
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

/// Deviations from roles; what is absent deviates in nothing.
public struct RoleOverrides: Codable, Hashable, Sendable {
  /// Keeps messages or files.
  public var storage: Bool?
  /// Passes on to servers that readers should not see directly.
  public var proxy: Bool?
  /// Resolves names; message servers only.
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
  /// When, RFC 3339 in UTC.
  public var time: String
  /// How long it took from the name to the open connection, in milliseconds.
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
  /// What it is for.
  public var `protocol`: String
  /// Its address in normal form, without the password.
  public var address: String
  /// SHA-256 of its certificate authority, in base64url; part of the address.
  public var fingerprint: String
  /// Host names under which it can be reached.
  public var hosts: [String]
  /// Its port; absent when it is the protocol's own.
  public var port: Int?
  /// Whether a password is stored for it. The password itself never comes out.
  public var hasPassword: Bool
  /// The operator that runs it; absent for one's own.
  public var operatorId: Int64?
  /// Whether it may be used, as far as it goes itself; its operator must be enabled too.
  public var enabled: Bool
  /// Whether a file declared it.
  public var preset: Bool
  /// Whether the files that are loaded do not declare it any more; it is then disabled until someone enables it.
  public var undeclared: Bool
  /// Name of the file that declares it.
  public var declaredIn: String?
  /// Whether it was removed.
  public var deleted: Bool
  /// What it is used for: its operator's roles with its own deviations.
  public var roles: Roles
  /// Its own deviations.
  public var roleOverrides: RoleOverrides
  /// Whether the latest test passed; absent when there was none.
  public var tested: Bool?
  /// When the latest test ended, RFC 3339 in UTC. Not live: a test that finds nothing new causes no event.
  public var testedAt: String?
  /// Whether it can be reached and is who its address says.
  public var health: String
  /// Since when the health is what it is, RFC 3339 in UTC.
  public var healthSince: String?
  /// What went wrong latest, for people.
  public var lastError: String?
  /// How long the latest connection took, in milliseconds. Not live: it changes without an event.
  public var roundTripMilliseconds: Int?
  /// The latest connections, oldest first, at most 100. Only in replies of Get.
  public var roundTrips: [RoundTrip]?
  /// Revision of the latest change; an update names it. Routine tests that find nothing new do not change it.
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
  /// How long the step took, in milliseconds.
  public var durationMilliseconds: Double
  /// Whether the step passed.
  public var passed: Bool
  /// Why it failed, as a stable word; absent when it passed.
  public var cause: String?
  /// What was learned or went wrong, for people.
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

/// Something that is wrong, or may be, with operators, servers, relays and channels as a whole.
public struct Finding: Codable, Hashable, Sendable {
  /// What it is, as a stable word: noServers, storageMissing, proxyMissing, duplicateServer, duplicateRelayAddress,
  /// noEnabledRelays, noNamesServers, networkUnusable; of channels channelsFailed, relayLost.
  public var kind: String
  /// How much it matters.
  public var severity: String
  /// The servers that it is about, as a protocol.
  public var `protocol`: String?
  /// The relays that it is about, as a network.
  public var network: String?
  /// The host that servers share.
  public var host: String?
  /// The servers concerned.
  public var serverIds: [Int64]
  /// The relays concerned.
  public var relayIds: [Int64]
  /// One sentence for people: what is wrong and what to do.
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
  /// An smp or xftp address; it may carry a password.
  public var address: String
  /// The password, unless the address carries it.
  public var password: String?
  /// The operator that runs it; follows from its hosts when absent or 0.
  public var operatorId: Int64?
  /// Whether it may be used at once; true when absent.
  public var enabled: Bool?
  /// Deviations from the operator's roles.
  public var roles: RoleOverrides?
  /// Do it although it adds errors to the whole. False when absent.
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
  /// The revision that the change is based on.
  public var revision: Int64
  /// Its address; not for servers that a file declares.
  public var address: String?
  /// Its password; empty for none.
  public var password: String?
  /// The operator that runs it; 0 lets it follow from its hosts.
  public var operatorId: Int64?
  /// Whether it may be used.
  public var enabled: Bool?
  /// All of its deviations from the operator's roles.
  public var roles: RoleOverrides?
  /// Do it although it adds errors to the whole. False when absent.
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
  /// The step that just ended; absent in the last reply.
  public var step: TestStep?
  /// All steps; only in the last reply.
  public var steps: [TestStep]?
  /// The verdict; only in the last reply.
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
