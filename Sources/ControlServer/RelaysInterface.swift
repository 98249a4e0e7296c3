internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import RelayNetwork
internal import Storage
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
          try await ListQuery.answer(
            call, stream, "relays", fields: relayFields, context, interface: name,
            complete: { await withChannels($0, context.store) }
          ) {
            let revision = coordinator.hub.revision
            return (revision, try await context.slowly { try coordinator.relays.map { try Relay($0, coordinator).json } })
          }
        },
        "Get": { call, _ in
          let row = try find(try call.decode(Naming.self), coordinator)
          let count = try await context.store.channelCount(of: row.id)
          let roundTrips = try await context.store.roundTrips(of: .relay(row.id))
          return ["relay": try Relay(row, coordinator, channels: count, roundTrips: roundTrips).json]
        },
        "Add": { call, _ in
          let request = try call.decode(AddRelay.self)
          let edit = RelayEdit(
            address: request.address, name: request.name, domains: request.domains,
            assignment: Assignment(request.operatorId), isEnabled: request.enabled)
          let row = try await coordinator.addRelay(
            network: try network(request.network) ?? .nostr, edit, force: request.force ?? false)
          return ["relay": try Relay(row, coordinator).json]
        },
        "Update": { call, _ in
          let request = try call.decode(UpdateRelay.self)
          let edit = RelayEdit(
            address: request.address, name: request.name, domains: request.domains,
            assignment: Assignment(request.operatorId), isEnabled: request.enabled)
          let row = try await coordinator.updateRelay(
            RelayID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
          return ["relay": try Relay(row, coordinator).json]
        },
        "Remove": { call, _ in
          let request = try call.decode(Removal.self)
          let row = try await coordinator.removeRelay(RelayID(rawValue: request.id), force: request.force ?? false)
          return ["relay": try Relay(row, coordinator).json]
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

  static let relayFields = ListFields(of: Interfaces.relays, without: ["roundTrips", "channels"])

  /// The relays, with how many channels each has. A list of relays does not fail because channels cannot be counted.
  private static func withChannels(_ relays: [JSONValue], _ store: any ControlStorage) async -> [JSONValue] {
    let ids = relays.compactMap { $0["id"]?.integer }.map(RelayID.init(rawValue:))
    guard let counts = try? await store.channelCounts(of: ids) else { return relays }
    return zip(relays, ids).map { relay, id in
      var members = relay.object ?? [:]
      members["channels"] = .integer(Int64(counts[id] ?? 0))
      return .object(members)
    }
  }

  /// The network that a request names; nil when it names none.
  static func network(_ name: String?) throws -> NetworkKind? {
    guard let name else { return nil }
    guard let kind = NetworkKind(rawValue: name) else { throw VarlinkError.invalidParameter("network") }
    return kind
  }

  private static func find(_ naming: Naming, _ coordinator: Coordinator) throws -> RelayRow {
    // A removed relay is still there under its id, but not under its name.
    let known = coordinator.relays.filter { naming.id != nil || !$0.isDeleted }
    guard let row = try naming.only(of: known, id: \.id.rawValue, name: \.name) else {
      // Somebody may have taken an address for a name.
      let name = naming.name.map { $0.contains("@") || $0.contains("://") ? PasswordEcho.hiding($0) : $0 }
      throw Naming(id: naming.id, name: name).none("\(Interfaces.relays.name).NoSuchRelay")
    }
    return row
  }
}
