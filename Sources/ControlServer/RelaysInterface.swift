internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Store
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Relays`.
  static func relays(_ context: ControlContext) -> ControlInterface {
    let coordinator = context.coordinator
    let name = Interfaces.relays.name
    return ControlInterface(
      definition: Interfaces.relays, context: context,
      methods: [
        "List": { call, stream in
          try await ListQuery.answer(call, stream, "relays", fields: relayFields, context, interface: name) {
            let revision = coordinator.hub.revision
            return (revision, try coordinator.relays.map { try Relay($0).json })
          }
        },
        "Get": { call, _ in
          struct Request: Decodable { let id: Int64?, name: String? }
          let request = try call.decode(Request.self)
          let row = try find(request.id, request.name, coordinator)
          let count = try context.store.channelCount(of: row.id)
          let roundTrips = try context.store.roundTrips(of: .relay(row.id))
          return ["relay": try Relay(row, channels: count, roundTrips: roundTrips).json]
        },
        "Add": { call, _ in
          let request = try call.decode(AddRelay.self)
          let edit = RelayEdit(
            address: request.address, name: request.name, domains: request.domains,
            assignment: Assignment(request.operatorId), isEnabled: request.enabled)
          let row = try await coordinator.addRelay(
            network: try network(request.network) ?? .nostr, edit, force: request.force ?? false)
          return ["relay": try Relay(row).json]
        },
        "Update": { call, _ in
          let request = try call.decode(UpdateRelay.self)
          let edit = RelayEdit(
            address: request.address, name: request.name, domains: request.domains,
            assignment: Assignment(request.operatorId), isEnabled: request.enabled)
          let row = try await coordinator.updateRelay(
            RelayID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
          return ["relay": try Relay(row).json]
        },
        "Remove": { call, _ in
          let request = try call.decode(Removal.self)
          let row = try await coordinator.removeRelay(RelayID(rawValue: request.id), force: request.force ?? false)
          return ["relay": try Relay(row).json]
        },
        "Test": { call, stream in
          let request = try call.decode(TestRequest.self)
          if let id = request.id {
            return try await answer(call, stream, try coordinator.testRelay(RelayID(rawValue: id)))
          }
          guard let address = request.address else { throw VarlinkError.invalidParameter("id") }
          return try await answer(
            call, stream, try coordinator.testRelay(address: address, network: try network(request.network) ?? .nostr))
        },
      ])
  }

  private static let relayFields: Set<String> = [
    "id", "network", "address", "name", "profile", "domains", "operatorId", "enabled", "preset", "undeclared",
    "declaredIn", "deleted", "capabilities", "tested", "testedAt", "health", "healthSince", "lastError",
    "roundTripMilliseconds", "revision",
  ]

  /// The network that a request names; nil when it names none.
  static func network(_ name: String?) throws -> NetworkKind? {
    guard let name else { return nil }
    guard let kind = NetworkKind(rawValue: name) else { throw VarlinkError.invalidParameter("network") }
    return kind
  }

  private static func find(_ id: Int64?, _ name: String?, _ coordinator: Coordinator) throws -> RelayRow {
    if let id {
      guard let row = coordinator.relays.first(where: { $0.id.rawValue == id }) else {
        throw BatonError.noSuchRelay(RelayID(rawValue: id))
      }
      return row
    }
    guard let name else { throw VarlinkError.invalidParameter("id") }
    guard let row = coordinator.relays.first(where: { $0.name == name && !$0.isDeleted }) else {
      throw VarlinkError("\(Interfaces.relays.name).NoSuchRelay", ["name": .string(name)])
    }
    return row
  }
}
