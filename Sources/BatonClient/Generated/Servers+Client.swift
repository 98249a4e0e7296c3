// Written by `make generate` from org.batond.Servers.varlink.

public import ControlAPI
public import StrictJSON

extension BatonClient {
  /// The calls of `org.batond.Servers`.
  public var servers: ServersClient { ServersClient(client: self) }
}

/// Calls the methods of `org.batond.Servers`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `ServersRefusal` turns into a case with fields.
public struct ServersClient: Sendable {
  let client: BatonClient

  /// Lists servers. With 'more' it sends one page per reply until the list ends.
  public func list(_ request: ListRequest = ListRequest()) async throws -> ServersListReply {
    try await client.reply(to: ServersMethod.list, request)
  }

  /// Lists servers. With 'more' it sends one page per reply until the list ends.
  public func listAndFollow(_ request: ListRequest = ListRequest()) async throws -> some AsyncSequence<
    ServersListReply, any Error
  > & Sendable {
    try await client.replies(to: ServersMethod.list, request, of: ServersListReply.self)
  }

  /// All pages of `list`.
  public func all(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> [Server] {
    try await client.pages(ListRequest(filter: filter, sort: sort), of: list) { ($0.servers, $0.nextCursor) }
  }

  /// Returns one server, by its id, its address, or a host that only it has. If both are given, they must match.
  public func get(_ request: ServersGetRequest) async throws -> Server {
    let reply: ServerReply = try await client.reply(to: ServersMethod.get, request)
    return reply.server
  }

  /// Returns one server, by its id, its address, or a host that only it has. If both are given, they must match.
  public func get(id: Int64? = nil, name: String? = nil) async throws -> Server {
    try await get(ServersGetRequest(id: id, name: name))
  }

  /// Adds a server. The address of a removed server restores that server with its id.
  public func add(_ request: AddServer) async throws -> Server {
    let reply: ServerReply = try await client.reply(to: ServersMethod.add, request)
    return reply.server
  }

  /// Changes a server. Absent fields are unchanged.
  public func update(_ request: UpdateServer) async throws -> Server {
    let reply: ServerReply = try await client.reply(to: ServersMethod.update, request)
    return reply.server
  }

  /// Removes a server. A server in a file returns when the files are loaded again.
  public func remove(_ request: ServersRemoveRequest) async throws -> Server {
    let reply: ServerReply = try await client.reply(to: ServersMethod.remove, request)
    return reply.server
  }

  /// Removes a server. A server in a file returns when the files are loaded again.
  public func remove(id: Int64, force: Bool? = nil) async throws -> Server {
    try await remove(ServersRemoveRequest(id: id, force: force))
  }

  /// Tests step by step whether a server is alive and is the server in its address. It leaves nothing on the server. With 'more' it sends
  /// each step as it ends. A failed step is the last, and its cause distinguishes network trouble (unreachable, timeout), another identity
  /// (wrongIdentity), an invalid date of a certificate (expired), no common version (incompatibleVersion) and the rest (protocol).
  public func test(_ request: ServersTestRequest) async throws -> TestReply {
    try await client.reply(to: ServersMethod.test, request)
  }

  /// Tests step by step whether a server is alive and is the server in its address. It leaves nothing on the server. With 'more' it sends
  /// each step as it ends. A failed step is the last, and its cause distinguishes network trouble (unreachable, timeout), another identity
  /// (wrongIdentity), an invalid date of a certificate (expired), no common version (incompatibleVersion) and the rest (protocol).
  public func test(id: Int64? = nil, address: String? = nil) async throws -> TestReply {
    try await test(ServersTestRequest(id: id, address: address))
  }

  /// Tests step by step whether a server is alive and is the server in its address. It leaves nothing on the server. With 'more' it sends
  /// each step as it ends. A failed step is the last, and its cause distinguishes network trouble (unreachable, timeout), another identity
  /// (wrongIdentity), an invalid date of a certificate (expired), no common version (incompatibleVersion) and the rest (protocol).
  public func testAndFollow(_ request: ServersTestRequest) async throws -> some AsyncSequence<TestReply, any Error> & Sendable {
    try await client.replies(to: ServersMethod.test, request, of: TestReply.self)
  }

  /// Tests step by step whether a server is alive and is the server in its address. It leaves nothing on the server. With 'more' it sends
  /// each step as it ends. A failed step is the last, and its cause distinguishes network trouble (unreachable, timeout), another identity
  /// (wrongIdentity), an invalid date of a certificate (expired), no common version (incompatibleVersion) and the rest (protocol).
  public func testAndFollow(id: Int64? = nil, address: String? = nil) async throws -> some AsyncSequence<TestReply, any Error>
    & Sendable
  {
    try await testAndFollow(ServersTestRequest(id: id, address: address))
  }
}
