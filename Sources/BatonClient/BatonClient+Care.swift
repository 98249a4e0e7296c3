public import ControlAPI
public import StrictJSON

// Identities and maintenance of the daemon.
extension BatonClient {
  /// All identities, by id unless `sort` is given.
  public func identities(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Identity] {
    try await all(IdentitiesMethod.list, "identities", Self.list(filter, sort))
  }

  public func identity(id: Int64) async throws -> Identity { try await identity(.get, ["id": .integer(id)]) }
  public func identity(name: String) async throws -> Identity { try await identity(.get, ["name": .string(name)]) }

  /// Creates an identity.
  /// - Parameter credential: the name of a credential of the daemon with the secret key. `nil` generates a new key.
  public func addIdentity(name: String, network: String? = nil, credential: String? = nil) async throws -> Identity {
    var parameters: [String: JSONValue] = ["name": .string(name)]
    parameters["network"] = network.map(JSONValue.string)
    parameters["credential"] = credential.map(JSONValue.string)
    return try await identity(.add, parameters)
  }

  public func removeIdentity(id: Int64) async throws -> Identity { try await identity(.remove, ["id": .integer(id)]) }

  private func identity(_ method: IdentitiesMethod, _ parameters: [String: JSONValue]) async throws -> Identity {
    try Identity(json: try await call(method, parameters)["identity"] ?? .null)
  }

  public func metrics() async throws -> [Metric] {
    try [Metric](json: try await call(DaemonMethod.metrics)["metrics"] ?? [])
  }

  /// The daemons that share a store with this one.
  /// - Returns: whether the store is shared, and if so, the daemons and the chat cores by name.
  public func cluster() async throws -> (isShared: Bool, daemons: [SharingDaemon], cores: [SharedCore]) {
    let reply = try DaemonClusterReply(json: .object(try await call(DaemonMethod.cluster)))
    return (reply.shared, reply.daemons, reply.cores)
  }

  /// Makes a daemon that shares the store hand over its channels to the others, or undoes that.
  /// - Throws: the refusals of `org.batond.Daemon.Drain`.
  public func drain(name: String, undo: Bool = false) async throws {
    _ = try await call(DaemonMethod.drain, ["name": .string(name), "undo": .bool(undo)])
  }

  /// Looks for damage in the database.
  /// - Returns: the number of channels checked, and descriptions of all problems.
  public func check() async throws -> (channels: Int64, problems: [String]) {
    let reply = try await call(DaemonMethod.check, timeout: nil)
    return (reply["channels"]?.integer ?? 0, reply["problems"]?.array?.compactMap(\.string) ?? [])
  }

  /// The least severe level that the daemon logs, as a syslog priority.
  public func logLevel() async throws -> Int64 {
    try await call(ServiceMethod.getLogLevel)["level"]?.integer ?? 6
  }

  /// - Parameter level: 0 to 7, or `nil` for the configured level.
  public func setLogLevel(_ level: Int64?) async throws {
    _ = try await call(ServiceMethod.setLogLevel, level.map { ["level": .integer($0)] } ?? [:])
  }
}
