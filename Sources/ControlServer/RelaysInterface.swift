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
          try await ListPage.answer(call, stream, fields: relayFields, interface: name) { try relayPage($0, coordinator) }
        },
        "Get": { call, _ in
          struct Request: Decodable { let id: Int64?, name: String? }
          let request = try call.decode(Request.self)
          let row = try find(request.id, request.name, coordinator)
          let count = try context.store.channelCount(of: row.id)
          return ["relay": try Relay(row, channels: count).json]
        },
        "Add": { call, _ in
          let request = try call.decode(AddRelay.self)
          let row = try await coordinator.addRelay(
            network: try network(request.network) ?? .nostr, address: request.address, name: request.name,
            isEnabled: request.enabled ?? true)
          return ["relay": try Relay(row).json]
        },
        "Remove": { call, _ in
          struct Request: Decodable { let id: Int64, force: Bool? }
          let request = try call.decode(Request.self)
          let row = try await coordinator.removeRelay(RelayID(rawValue: request.id), force: request.force ?? false)
          return ["relay": try Relay(row).json]
        },
        "Test": { call, stream in
          let request = try call.decode(TestRequest.self)
          let steps =
            if let id = request.id {
              try coordinator.testRelay(RelayID(rawValue: id))
            } else if let address = request.address {
              try coordinator.testRelay(address: address, network: try network(request.network) ?? .nostr)
            } else {
              throw VarlinkError.invalidParameter("id")
            }
          var all: [ControlAPI.TestStep] = []
          for await step in steps {
            let step = ControlAPI.TestStep(step)
            all.append(step)
            if call.mode == .more { try await stream.send(["step": try step.json]) }
          }
          try Task.checkCancellation()
          let passed = !all.isEmpty && all.allSatisfy(\.passed)
          return ["steps": try all.json, "passed": .bool(passed)]
        },
      ])
  }

  private static let relayFields: Set<String> = [
    "id", "network", "address", "name", "operatorId", "enabled", "preset", "deleted", "tested", "testedAt", "health",
    "healthSince", "lastError", "roundTripMilliseconds", "revision",
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

  private static func relayPage(_ page: ListPage, _ coordinator: Coordinator) throws -> [String: JSONValue] {
    let revision = coordinator.hub.revision
    let asksForDeleted = page.filter.fields.contains("deleted")
    var rows = coordinator.relays.filter { asksForDeleted || !$0.isDeleted }
    if page.isDescending { rows.reverse() }
    var found: [JSONValue] = []
    var last: Int64 = 0
    for row in rows {
      if let after = page.after, page.isDescending ? row.id.rawValue >= after : row.id.rawValue <= after { continue }
      let json = try Relay(row).json
      guard page.filter.matches(json) else { continue }
      if found.count == page.limit {
        return ["relays": .array(found), "nextCursor": .string(page.cursor(after: last)), "revision": .integer(revision)]
      }
      found.append(json)
      last = row.id.rawValue
    }
    return ["relays": .array(found), "revision": .integer(revision)]
  }
}
