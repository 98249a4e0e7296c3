// Written by `make generate` from org.batond.Operators.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Operators`.
public enum OperatorsMethod: String, InterfaceMethod {
  case list = "org.batond.Operators.List"
  case get = "org.batond.Operators.Get"
  case add = "org.batond.Operators.Add"
  case update = "org.batond.Operators.Update"
  case remove = "org.batond.Operators.Remove"
  case validate = "org.batond.Operators.Validate"
}

/// What a server of `org.batond.Operators` does.
public protocol OperatorsService: InterfaceService where Method == OperatorsMethod, Refusal == OperatorsRefusal {
  /// Lists operators. With 'more' each reply has one operator with its servers and relays. The last has your own servers and relays, and no
  /// operator.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<OperatorsListReply>?
  ) async throws -> OperatorsListReply
  /// Returns one operator by its id or name. If both are given, they must match.
  func get(_ request: OperatorsGetRequest) async throws -> OperatorsGetReply
  /// Adds an operator. The name of a removed operator restores that operator with its id.
  func add(_ request: AddOperator) async throws -> OperatorReply
  /// Changes an operator. Absent fields are unchanged.
  func update(_ request: UpdateOperator) async throws -> OperatorReply
  /// Removes an operator. Refused while servers or relays belong to it.
  func remove(_ request: OperatorsRemoveRequest) async throws -> OperatorReply
  /// Returns problems of operators, servers and relays as a whole, of channels without a working relay, of relays that channels lack, of
  /// daemons that share a database, and of a database that would be lost with its machine.
  func validate() async throws -> OperatorsValidateReply
}

extension OperatorsService {
  public func answer(
    _ method: OperatorsMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request(), call.replies(to: stream))
    case .get: return try await get(call.request())
    case .add: return try await add(call.request())
    case .update: return try await update(call.request())
    case .remove: return try await remove(call.request())
    case .validate: return try await validate()
    }
  }
}
