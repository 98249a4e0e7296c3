// Written by `make generate` from org.batond.Servers.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.Servers`.
public enum ServersMethod: String, InterfaceMethod {
  case list = "org.batond.Servers.List"
  case get = "org.batond.Servers.Get"
  case add = "org.batond.Servers.Add"
  case update = "org.batond.Servers.Update"
  case remove = "org.batond.Servers.Remove"
  case test = "org.batond.Servers.Test"
}

/// What a server of `org.batond.Servers` does.
public protocol ServersService: InterfaceService where Method == ServersMethod, Refusal == ServersRefusal {
  /// Lists servers. With 'more' it sends one page per reply until the list ends.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<ServersListReply>?
  ) async throws -> ServersListReply
  /// Returns one server, by its id, its address, or a host that only it has. If both are given, they must match.
  func get(_ request: ServersGetRequest) async throws -> ServerReply
  /// Adds a server. The address of a removed server restores that server with its id.
  func add(_ request: AddServer) async throws -> ServerReply
  /// Changes a server. Absent fields are unchanged.
  func update(_ request: UpdateServer) async throws -> ServerReply
  /// Removes a server. A server in a file returns when the files are loaded again.
  func remove(_ request: ServersRemoveRequest) async throws -> ServerReply
  /// Tests step by step whether a server is alive and is the server in its address. It leaves nothing on the server. With 'more' it sends
  /// each step as it ends. A failed step is the last, and its cause distinguishes network trouble (unreachable, timeout), another identity
  /// (wrongIdentity), an invalid date of a certificate (expired), no common version (incompatibleVersion) and the rest (protocol).
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func test(
    _ request: ServersTestRequest, _ stream: ReplyStream<TestReply>?
  ) async throws -> TestReply
}

extension ServersService {
  public func answer(
    _ method: ServersMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request(), call.replies(to: stream))
    case .get: return try await get(call.request())
    case .add: return try await add(call.request())
    case .update: return try await update(call.request())
    case .remove: return try await remove(call.request())
    case .test: return try await test(call.request(), call.replies(to: stream))
    }
  }
}
