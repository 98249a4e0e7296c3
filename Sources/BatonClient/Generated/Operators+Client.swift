// Written by `make generate` from org.batond.Operators.varlink.

public import ControlAPI
public import StrictJSON

extension BatonClient {
  /// The calls of `org.batond.Operators`.
  public var operators: OperatorsClient { OperatorsClient(client: self) }
}

/// Calls the methods of `org.batond.Operators`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `OperatorsRefusal` turns into a case with fields.
public struct OperatorsClient: Sendable {
  let client: BatonClient

  /// Lists operators. With 'more' each reply has one operator with its servers and relays. The last has your own servers and relays, and no
  /// operator.
  public func list(_ request: ListRequest = ListRequest()) async throws -> OperatorsListReply {
    try await client.reply(to: OperatorsMethod.list, request)
  }

  /// Lists operators. With 'more' each reply has one operator with its servers and relays. The last has your own servers and relays, and no
  /// operator.
  public func listAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    OperatorsListReply, any Error
  > & Sendable {
    try await client.replies(to: OperatorsMethod.list, request, of: OperatorsListReply.self)
  }

  /// All pages of `list`.
  public func all(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Operator] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: list) { ($0.operators, $0.nextCursor) }
  }

  /// Returns one operator by its id or name. If both are given, they must match.
  public func get(_ request: OperatorsGetRequest) async throws -> OperatorsGetReply {
    try await client.reply(to: OperatorsMethod.get, request)
  }

  /// Returns one operator by its id or name. If both are given, they must match.
  public func get(id: Int64? = nil, name: String? = nil) async throws -> OperatorsGetReply {
    try await get(OperatorsGetRequest(id: id, name: name))
  }

  /// Adds an operator. The name of a removed operator restores that operator with its id.
  public func add(_ request: AddOperator) async throws -> Operator {
    let reply: OperatorReply = try await client.reply(to: OperatorsMethod.add, request)
    return reply.`operator`
  }

  /// Changes an operator. Absent fields are unchanged.
  public func update(_ request: UpdateOperator) async throws -> Operator {
    let reply: OperatorReply = try await client.reply(to: OperatorsMethod.update, request)
    return reply.`operator`
  }

  /// Removes an operator. Refused while servers or relays belong to it.
  public func remove(_ request: OperatorsRemoveRequest) async throws -> Operator {
    let reply: OperatorReply = try await client.reply(to: OperatorsMethod.remove, request)
    return reply.`operator`
  }

  /// Removes an operator. Refused while servers or relays belong to it.
  public func remove(id: Int64, force: Bool? = nil) async throws -> Operator {
    try await remove(OperatorsRemoveRequest(id: id, force: force))
  }

  /// Returns problems of operators, servers and relays as a whole, of channels without a working relay, of relays that channels lack, of
  /// daemons that share a database, and of a database that would be lost with its machine.
  public func validate() async throws -> OperatorsValidateReply {
    try await client.reply(to: OperatorsMethod.validate, Nothing())
  }
}
