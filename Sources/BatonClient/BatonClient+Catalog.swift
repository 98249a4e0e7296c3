public import ControlAPI
public import StrictJSON
internal import Varlink

// Operators, servers and relays.
extension BatonClient {
  /// The findings on operators, servers and relays as a whole.
  public func validate() async throws -> (errors: [Finding], warnings: [Finding]) {
    let reply = try await call(OperatorsMethod.validate)
    return (try [Finding](json: reply["errors"] ?? []), try [Finding](json: reply["warnings"] ?? []))
  }

  // MARK: - Operators

  /// All operators that match, removed ones left out unless the filter asks for them.
  /// - Parameters:
  ///   - filter: see `org.batond.Operators.List`.
  ///   - sort: see `org.batond.Operators.List`.
  public func operators(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Operator] {
    try await all(OperatorsMethod.list, "operators", Self.list(filter, sort))
  }

  /// An operator with its servers and relays.
  public func `operator`(
    id: Int64? = nil, name: String? = nil
  ) async throws -> (operator: Operator, servers: [Server], relays: [Relay]) {
    var parameters: [String: JSONValue] = [:]
    if let id { parameters["id"] = .integer(id) }
    if let name { parameters["name"] = .string(name) }
    let reply = try await call(OperatorsMethod.get, parameters)
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
    try await operatorReply(.add, try request.json.object ?? [:])
  }

  /// - Throws: `StaleRevision` when the operator changed since the revision that the request names.
  public func updateOperator(_ request: UpdateOperator) async throws -> Operator {
    try await operatorReply(.update, try request.json.object ?? [:])
  }

  public func removeOperator(id: Int64, force: Bool = false) async throws -> Operator {
    try await operatorReply(.remove, ["id": .integer(id), "force": .bool(force)])
  }

  // MARK: - Servers

  /// All servers that match, removed ones left out unless the filter asks for them.
  public func servers(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Server] {
    try await all(ServersMethod.list, "servers", Self.list(filter, sort))
  }

  public func server(id: Int64) async throws -> Server { try await serverReply(.get, ["id": .integer(id)]) }

  /// - Parameter name: the address, or a host that no other server has.
  public func server(name: String) async throws -> Server { try await serverReply(.get, ["name": .string(name)]) }

  public func addServer(_ request: AddServer) async throws -> Server {
    try await serverReply(.add, try request.json.object ?? [:])
  }

  /// - Throws: `StaleRevision` when the server changed since the revision that the request names.
  public func updateServer(_ request: UpdateServer) async throws -> Server {
    try await serverReply(.update, try request.json.object ?? [:])
  }

  public func removeServer(id: Int64, force: Bool = false) async throws -> Server {
    try await serverReply(.remove, ["id": .integer(id), "force": .bool(force)])
  }

  /// Tests a server. The steps arrive as they end.
  public func testServer(_ request: TestRequest) async throws -> some AsyncSequence<TestStep, any Error> & Sendable {
    try await steps(ServersMethod.test, request)
  }

  // MARK: - Relays

  /// All relays that match, removed ones left out unless the filter asks for them.
  public func relays(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Relay] {
    try await all(RelaysMethod.list, "relays", Self.list(filter, sort))
  }

  /// Channels by relay, status and cause: all lines.
  /// - Parameter filter: conditions on the fields of `ChannelsAtRelay`.
  public func relayCounts(matching filter: JSONValue? = nil) async throws -> [ChannelsAtRelay] {
    try await all(RelaysMethod.counts, "counts", Self.list(filter, nil))
  }

  /// How well relays perform, all of them.
  /// - Parameters:
  ///   - filter: conditions on the fields of `RelayFigures`.
  ///   - sort: keys such as `["field": "successRate", "direction": 1]`.
  public func relayFigures(
    matching filter: JSONValue? = nil, sort: [JSONValue]? = nil
  ) async throws -> [RelayFigures] {
    try await all(RelaysMethod.figures, "figures", Self.list(filter, sort))
  }

  public func relay(id: Int64) async throws -> Relay { try await relayReply(.get, ["id": .integer(id)]) }
  public func relay(name: String) async throws -> Relay { try await relayReply(.get, ["name": .string(name)]) }

  public func addRelay(_ request: AddRelay) async throws -> Relay {
    try await relayReply(.add, try request.json.object ?? [:])
  }

  /// - Throws: `StaleRevision` when the relay changed since the revision that the request names.
  public func updateRelay(_ request: UpdateRelay) async throws -> Relay {
    try await relayReply(.update, try request.json.object ?? [:])
  }

  public func removeRelay(id: Int64, force: Bool = false) async throws -> Relay {
    try await relayReply(.remove, ["id": .integer(id), "force": .bool(force)])
  }

  /// Tests a relay. The steps arrive as they end.
  public func testRelay(_ request: TestRequest) async throws -> some AsyncSequence<TestStep, any Error> & Sendable {
    try await steps(RelaysMethod.test, request)
  }

  // MARK: - Helpers

  static func list(_ filter: JSONValue?, _ sort: [JSONValue]?) -> [String: JSONValue] {
    var parameters: [String: JSONValue] = [:]
    parameters["filter"] = filter
    parameters["sort"] = sort.map(JSONValue.array)
    return parameters
  }

  private func steps(
    _ method: some InterfaceMethod, _ request: TestRequest
  ) async throws -> some AsyncSequence<TestStep, any Error> & Sendable {
    try await stream(method, try request.json.object ?? [:]).compactMap { try $0["step"].map { try TestStep(json: $0) } }
  }

  private func operatorReply(_ method: OperatorsMethod, _ parameters: [String: JSONValue]) async throws -> Operator {
    try Operator(json: try await call(method, parameters)["operator"] ?? .null)
  }

  private func serverReply(_ method: ServersMethod, _ parameters: [String: JSONValue]) async throws -> Server {
    try Server(json: try await call(method, parameters)["server"] ?? .null)
  }

  private func relayReply(_ method: RelaysMethod, _ parameters: [String: JSONValue]) async throws -> Relay {
    try Relay(json: try await call(method, parameters)["relay"] ?? .null)
  }
}
