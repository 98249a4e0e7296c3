internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Servers`.
  static func servers(_ context: ControlContext) -> ControlInterface {
    let coordinator = context.coordinator
    let name = Interfaces.servers.name
    return ControlInterface(
      definition: Interfaces.servers, context: context,
      methods: [
        "List": { call, stream in
          try await ListQuery.answer(call, stream, "servers", fields: serverFields, context, interface: name) {
            let revision = coordinator.hub.revision
            return (revision, try await context.slowly { try coordinator.servers.map { try Server($0, coordinator).json } })
          }
        },
        "Get": { call, _ in
          let row = try find(try call.decode(Naming.self), coordinator)
          let roundTrips = try await context.store.roundTrips(of: .server(row.id))
          return ["server": try Server(row, coordinator, roundTrips: roundTrips).json]
        },
        "Add": { call, _ in
          let request = try call.decode(AddServer.self)
          let edit = ServerEdit(
            address: request.address, password: request.password, assignment: Assignment(request.operatorId),
            isEnabled: request.enabled, roles: request.roles?.domain)
          return ["server": try Server(try await coordinator.addServer(edit, force: request.force ?? false), coordinator).json]
        },
        "Update": { call, _ in
          let request = try call.decode(UpdateServer.self)
          let edit = ServerEdit(
            address: request.address, password: request.password, assignment: Assignment(request.operatorId),
            isEnabled: request.enabled, roles: request.roles?.domain)
          let row = try await coordinator.updateServer(
            ServerID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
          return ["server": try Server(row, coordinator).json]
        },
        "Remove": { call, _ in
          let request = try call.decode(Removal.self)
          let row = try await coordinator.removeServer(ServerID(rawValue: request.id), force: request.force ?? false)
          return ["server": try Server(row, coordinator).json]
        },
        "Test": { call, stream in
          let request = try call.decode(TestRequest.self)
          if let id = request.id {
            return try await answer(call, stream, try coordinator.testServer(ServerID(rawValue: id)))
          }
          guard let address = request.address else { throw VarlinkError.invalidParameter("id") }
          return try await answer(call, stream, try coordinator.testServer(address: address))
        },
      ])
  }

  /// Sends the steps of a test as they end, and then the verdict.
  static func answer(
    _ call: VarlinkCall, _ stream: VarlinkStream, _ steps: AsyncStream<ProbeStep>
  ) async throws -> [String: JSONValue] {
    var all: [ControlAPI.TestStep] = []
    for await step in steps {
      let step = ControlAPI.TestStep(step)
      all.append(step)
      if call.mode == .more { try await stream.send(["step": try step.json]) }
    }
    try Task.checkCancellation()
    return ["steps": try all.json, "passed": .bool(!all.isEmpty && all.allSatisfy(\.passed))]
  }

  static let serverFields = ListFields(of: Interfaces.servers, without: ["roundTrips"])

  private static func find(_ naming: Naming, _ coordinator: Coordinator) throws -> ServerRow {
    func none() -> VarlinkError {
      // An address that can be read is shown without its password, and one that cannot is refused with it hidden.
      let isAddress = naming.name?.contains("://") == true
      return Naming(id: naming.id, name: isAddress ? "at this address" : naming.name)
        .none("\(Interfaces.servers.name).NoSuchServer")
    }
    guard let name = naming.name else {
      guard let row = try naming.only(of: coordinator.servers, id: \.id.rawValue, name: { _ in nil }) else { throw none() }
      return row
    }
    let found = try coordinator.servers(named: name).filter { naming.id == nil || naming.id == $0.id.rawValue }
    guard found.count < 2 else {
      throw VarlinkError(
        "\(Interfaces.servers.name).AmbiguousName",
        ["name": .string(name), "serverIds": .array(found.map { .integer($0.id.rawValue) })])
    }
    guard let row = found.first else { throw none() }
    return row
  }
}
