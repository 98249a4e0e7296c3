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
  /// Lists servers. With 'more' it sends one page per reply until there are no more.
  /// - Parameter stream: takes all replies but the last one; nil when the client takes one only.
  func list(
    _ request: ListRequest, _ stream: ReplyStream<ServersListReply>?
  ) async throws -> ServersListReply
  /// One server, named by id, by address, or by a host that only it has. With both, they must be those of one server.
  func get(_ request: ServersGetRequest) async throws -> ServerReply
  /// Adds a server. The address of a removed one brings it back with its id.
  func add(_ request: AddServer) async throws -> ServerReply
  /// Changes a server. What is absent stays as it is.
  func update(_ request: UpdateServer) async throws -> ServerReply
  /// Removes a server. One that a file declares comes back when the files are loaded again.
  func remove(_ request: ServersRemoveRequest) async throws -> ServerReply
  /// Tests step by step whether a server is alive and is who its address says; leaves nothing on it. With 'more' each step is sent as it
  /// ends. The step that fails is the last; its cause tells network trouble (unreachable, timeout), another identity (wrongIdentity),
  /// a certificate out of its time (expired), no common version (incompatibleVersion) and everything else (protocol) apart.
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
