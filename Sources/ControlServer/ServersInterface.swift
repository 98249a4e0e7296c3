internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import RelayNetwork
internal import Storage
internal import Varlink

/// `org.batond.Servers`.
struct ServersInterface: ServersService, ControlService {
  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func list(_ request: ListRequest, _ stream: ReplyStream<ServersListReply>?) async throws -> ServersListReply {
    try await ListQuery.answer(
      request, stream, fields: Self.fields, context, refusal: ServersRefusal.self,
      reply: { ServersListReply(servers: $0, nextCursor: $1, revision: $2) }
    ) {
      let revision = coordinator.hub.revision
      return (revision, try await context.slowly { coordinator.servers.map { Server($0, coordinator) } })
    }
  }

  func get(_ request: ServersGetRequest) async throws -> ServerReply {
    let row = try Self.find(request, coordinator)
    let roundTrips = try await context.store.roundTrips(of: .server(row.id))
    return ServerReply(server: Server(row, coordinator, roundTrips: roundTrips))
  }

  func add(_ request: AddServer) async throws -> ServerReply {
    let edit = ServerEdit(
      address: request.address, password: request.password, assignment: Assignment(request.operatorId),
      isEnabled: request.enabled, roles: request.roles?.domain)
    return ServerReply(server: Server(try await coordinator.addServer(edit, force: request.force ?? false), coordinator))
  }

  func update(_ request: UpdateServer) async throws -> ServerReply {
    let edit = ServerEdit(
      address: request.address, password: request.password, assignment: Assignment(request.operatorId),
      isEnabled: request.enabled, roles: request.roles?.domain)
    let row = try await coordinator.updateServer(
      ServerID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
    return ServerReply(server: Server(row, coordinator))
  }

  func remove(_ request: ServersRemoveRequest) async throws -> ServerReply {
    let row = try await coordinator.removeServer(ServerID(rawValue: request.id), force: request.force ?? false)
    return ServerReply(server: Server(row, coordinator))
  }

  func test(_ request: ServersTestRequest, _ stream: ReplyStream<TestReply>?) async throws -> TestReply {
    if let id = request.id { return try await TestReply(of: try coordinator.testServer(ServerID(rawValue: id)), stream) }
    guard let address = request.address else { throw VarlinkError.invalidParameter("id") }
    return try await TestReply(of: try coordinator.testServer(address: address), stream)
  }

  static let fields = ListFields(of: Interfaces.servers, without: ["roundTrips"])

  private static func find(_ naming: ServersGetRequest, _ coordinator: Coordinator) throws -> ServerRow {
    func none() -> ServersRefusal { .noSuchServer(id: naming.id, name: naming.echoedName) }
    guard let name = naming.name else {
      guard let row = try naming.only(of: coordinator.servers, id: \.id.rawValue, name: { _ in nil }) else { throw none() }
      return row
    }
    let found = try coordinator.servers(named: name).filter { naming.id == nil || naming.id == $0.id.rawValue }
    guard found.count < 2 else {
      throw ServersRefusal.ambiguousName(name: name, serverIds: found.map(\.id.rawValue))
    }
    guard let row = found.first else { throw none() }
    return row
  }
}

extension TestReply {
  /// Sends the steps of a test as they end. The result is the verdict.
  init(of steps: AsyncStream<ProbeStep>, _ stream: ReplyStream<TestReply>?) async throws {
    var all: [ControlAPI.TestStep] = []
    for await step in steps {
      let step = ControlAPI.TestStep(step)
      all.append(step)
      if let stream { try await stream.send(TestReply(step: step)) }
    }
    try Task.checkCancellation()
    self.init(steps: all, passed: !all.isEmpty && all.allSatisfy(\.passed))
  }
}
