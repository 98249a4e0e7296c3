public import ControlAPI
public import StrictJSON
internal import Varlink

// Operators, servers and relays.
extension BatonClient {
  /// The findings on operators, servers and relays as a whole.
  public func validate() async throws -> (errors: [Finding], warnings: [Finding]) {
    let reply = try await call("org.batond.Operators.Validate")
    return (try [Finding](json: reply["errors"] ?? []), try [Finding](json: reply["warnings"] ?? []))
  }

  // MARK: - Operators

  /// All operators that match, removed ones left out unless the filter asks for them.
  /// - Parameters:
  ///   - filter: see `org.batond.Operators.List`.
  ///   - sort: see `org.batond.Operators.List`.
  public func operators(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Operator] {
    try await all("org.batond.Operators.List", "operators", Self.list(filter, sort))
  }

  /// An operator with its servers and relays.
  public func `operator`(
    id: Int64? = nil, name: String? = nil
  ) async throws -> (operator: Operator, servers: [Server], relays: [Relay]) {
    var parameters: [String: JSONValue] = [:]
    if let id { parameters["id"] = .integer(id) }
    if let name { parameters["name"] = .string(name) }
    let reply = try await call("org.batond.Operators.Get", parameters)
    return (
      try Operator(json: reply["operator"] ?? .null), try [Server](json: reply["servers"] ?? []),
      try [Relay](json: reply["relays"] ?? [])
    )
  }

  /// Servers and relays that belong to no operator.
  public func ownServersAndRelays() async throws -> (servers: [Server], relays: [Relay]) {
    let filter: JSONValue = ["operatorId": ["$exists": false]]
    return (try await servers(filter: filter), try await relays(filter: filter))
  }

  public func addOperator(_ request: AddOperator) async throws -> Operator {
    try await operatorReply("Add", try request.json.object ?? [:])
  }

  /// - Throws: `StaleRevision` when the operator changed since the revision that the request names.
  public func updateOperator(_ request: UpdateOperator) async throws -> Operator {
    try await operatorReply("Update", try request.json.object ?? [:])
  }

  public func removeOperator(id: Int64, force: Bool = false) async throws -> Operator {
    try await operatorReply("Remove", ["id": .integer(id), "force": .bool(force)])
  }

  // MARK: - Servers

  /// All servers that match, removed ones left out unless the filter asks for them.
  public func servers(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Server] {
    try await all("org.batond.Servers.List", "servers", Self.list(filter, sort))
  }

  public func server(id: Int64) async throws -> Server { try await serverReply("Get", ["id": .integer(id)]) }

  /// - Parameter name: the address, or a host that no other server has.
  public func server(name: String) async throws -> Server { try await serverReply("Get", ["name": .string(name)]) }

  public func addServer(_ request: AddServer) async throws -> Server {
    try await serverReply("Add", try request.json.object ?? [:])
  }

  /// - Throws: `StaleRevision` when the server changed since the revision that the request names.
  public func updateServer(_ request: UpdateServer) async throws -> Server {
    try await serverReply("Update", try request.json.object ?? [:])
  }

  public func removeServer(id: Int64, force: Bool = false) async throws -> Server {
    try await serverReply("Remove", ["id": .integer(id), "force": .bool(force)])
  }

  /// Tests a server; the steps arrive as they end.
  public func testServer(_ request: TestRequest) async throws -> some AsyncSequence<TestStep, any Error> & Sendable {
    try await steps("org.batond.Servers.Test", request)
  }

  // MARK: - Relays

  /// All relays that match, removed ones left out unless the filter asks for them.
  public func relays(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Relay] {
    try await all("org.batond.Relays.List", "relays", Self.list(filter, sort))
  }

  public func relay(id: Int64) async throws -> Relay { try await relayReply("Get", ["id": .integer(id)]) }
  public func relay(name: String) async throws -> Relay { try await relayReply("Get", ["name": .string(name)]) }

  public func addRelay(_ request: AddRelay) async throws -> Relay {
    try await relayReply("Add", try request.json.object ?? [:])
  }

  /// - Throws: `StaleRevision` when the relay changed since the revision that the request names.
  public func updateRelay(_ request: UpdateRelay) async throws -> Relay {
    try await relayReply("Update", try request.json.object ?? [:])
  }

  public func removeRelay(id: Int64, force: Bool = false) async throws -> Relay {
    try await relayReply("Remove", ["id": .integer(id), "force": .bool(force)])
  }

  /// Tests a relay; the steps arrive as they end.
  public func testRelay(_ request: TestRequest) async throws -> some AsyncSequence<TestStep, any Error> & Sendable {
    try await steps("org.batond.Relays.Test", request)
  }

  // MARK: - Helpers

  static func list(_ filter: JSONValue?, _ sort: [JSONValue]?) -> [String: JSONValue] {
    var parameters: [String: JSONValue] = [:]
    parameters["filter"] = filter
    parameters["sort"] = sort.map(JSONValue.array)
    return parameters
  }

  private func steps(
    _ method: String, _ request: TestRequest
  ) async throws -> some AsyncSequence<TestStep, any Error> & Sendable {
    try await stream(method, try request.json.object ?? [:]).compactMap { try $0["step"].map { try TestStep(json: $0) } }
  }

  private func operatorReply(_ method: String, _ parameters: [String: JSONValue]) async throws -> Operator {
    try Operator(json: try await call("org.batond.Operators.\(method)", parameters)["operator"] ?? .null)
  }

  private func serverReply(_ method: String, _ parameters: [String: JSONValue]) async throws -> Server {
    try Server(json: try await call("org.batond.Servers.\(method)", parameters)["server"] ?? .null)
  }

  private func relayReply(_ method: String, _ parameters: [String: JSONValue]) async throws -> Relay {
    try Relay(json: try await call("org.batond.Relays.\(method)", parameters)["relay"] ?? .null)
  }
}
