// Written by `make generate` from org.batond.Identities.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Identities`.
public enum IdentitiesMethod: String, InterfaceMethod {
  case list = "org.batond.Identities.List"
  case get = "org.batond.Identities.Get"
  case add = "org.batond.Identities.Add"
  case remove = "org.batond.Identities.Remove"
}

/// What a server of `org.batond.Identities` does.
public protocol IdentitiesService: InterfaceService where Method == IdentitiesMethod, Refusal == IdentitiesRefusal {
  /// Lists identities. With 'more' it sends one page per reply until the list ends.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<IdentitiesListReply>?
  ) async throws -> IdentitiesListReply
  /// Returns one identity, by its id or a name that only it has. If both are given, they must match.
  func get(_ request: IdentitiesGetRequest) async throws -> IdentityReply
  /// Creates an identity with a new key, or with a key that the service manager holds for the daemon.
  func add(_ request: IdentitiesAddRequest) async throws -> IdentityReply
  /// Removes an identity without channels, and erases its secret key. Refused for the identity main.
  func remove(_ request: IdentitiesRemoveRequest) async throws -> IdentityReply
}

extension IdentitiesService {
  public func answer(
    _ method: IdentitiesMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request(), call.replies(to: stream))
    case .get: return try await get(call.request())
    case .add: return try await add(call.request())
    case .remove: return try await remove(call.request())
    }
  }
}
