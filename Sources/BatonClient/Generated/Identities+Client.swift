// Written by `make generate` from org.batond.Identities.varlink.

public import ControlAPI
public import StrictJSON

extension BatonClient {
  /// The calls of `org.batond.Identities`.
  public var identities: IdentitiesClient { IdentitiesClient(client: self) }
}

/// Calls the methods of `org.batond.Identities`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `IdentitiesRefusal` turns into a case with fields.
public struct IdentitiesClient: Sendable {
  let client: BatonClient

  /// Lists identities. With 'more' it sends one page per reply until the list ends.
  public func list(_ request: ListRequest = ListRequest()) async throws -> IdentitiesListReply {
    try await client.reply(to: IdentitiesMethod.list, request)
  }

  /// Lists identities. With 'more' it sends one page per reply until the list ends.
  public func listAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    IdentitiesListReply, any Error
  > & Sendable {
    try await client.replies(to: IdentitiesMethod.list, request, of: IdentitiesListReply.self)
  }

  /// All pages of `list`.
  public func all(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Identity] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: list) { ($0.identities, $0.nextCursor) }
  }

  /// Returns one identity, by its id or a name that only it has. If both are given, they must match.
  public func get(_ request: IdentitiesGetRequest) async throws -> Identity {
    let reply: IdentityReply = try await client.reply(to: IdentitiesMethod.get, request)
    return reply.identity
  }

  /// Returns one identity, by its id or a name that only it has. If both are given, they must match.
  public func get(id: Int64? = nil, name: String? = nil) async throws -> Identity {
    try await get(IdentitiesGetRequest(id: id, name: name))
  }

  /// Creates an identity with a new key, or with a key that the service manager holds for the daemon.
  public func add(_ request: IdentitiesAddRequest) async throws -> Identity {
    let reply: IdentityReply = try await client.reply(to: IdentitiesMethod.add, request)
    return reply.identity
  }

  /// Creates an identity with a new key, or with a key that the service manager holds for the daemon.
  public func add(name: String, network: String? = nil, credential: String? = nil) async throws -> Identity {
    try await add(IdentitiesAddRequest(name: name, network: network, credential: credential))
  }

  /// Removes an identity without channels, and erases its secret key. Refused for the identity main.
  public func remove(_ request: IdentitiesRemoveRequest) async throws -> Identity {
    let reply: IdentityReply = try await client.reply(to: IdentitiesMethod.remove, request)
    return reply.identity
  }

  /// Removes an identity without channels, and erases its secret key. Refused for the identity main.
  public func remove(id: Int64) async throws -> Identity {
    try await remove(IdentitiesRemoveRequest(id: id))
  }
}
