internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Operators`.
  static func operators(_ context: ControlContext) -> ControlInterface {
    let coordinator = context.coordinator
    let name = Interfaces.operators.name
    return ControlInterface(
      definition: Interfaces.operators, context: context,
      methods: [
        "List": { call, stream in
          if call.mode == .more { return try await eachOperator(call, stream, context) }
          return try await ListQuery.answer(
            call, stream, "operators", fields: operatorFields, context, interface: name
          ) {
            let revision = coordinator.hub.revision
            return (revision, try await context.slowly { try coordinator.operators.map { try Operator($0).json } })
          }
        },
        "Get": { call, _ in
          let row = try find(try call.decode(Naming.self), coordinator)
          return ["operator": try Operator(row).json].merging(try belongings(of: row.id, coordinator)) { own, _ in own }
        },
        "Add": { call, _ in
          let request = try call.decode(AddOperator.self)
          let row = try await coordinator.addOperator(
            OperatorEdit(
              name: request.name, legalName: request.legalName, domains: request.domains, isEnabled: request.enabled,
              smpRoles: request.smpRoles?.domain ?? .init(), xftpRoles: request.xftpRoles?.domain ?? .init(),
              conditionsAcceptedAt: try accepted(request.conditionsAcceptedAt)), force: request.force ?? false)
          return ["operator": try Operator(row).json]
        },
        "Update": { call, _ in
          let request = try call.decode(UpdateOperator.self)
          let edit = OperatorEdit(
            name: request.name, legalName: request.legalName, domains: request.domains, isEnabled: request.enabled,
            smpRoles: request.smpRoles?.domain ?? .init(), xftpRoles: request.xftpRoles?.domain ?? .init(),
            conditionsAcceptedAt: try accepted(request.conditionsAcceptedAt))
          let row = try await coordinator.updateOperator(
            OperatorID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
          return ["operator": try Operator(row).json]
        },
        "Remove": { call, _ in
          let request = try call.decode(Removal.self)
          let row = try await coordinator.removeOperator(OperatorID(rawValue: request.id), force: request.force ?? false)
          return ["operator": try Operator(row).json]
        },
        "Validate": { _, _ in
          let findings = coordinator.findings
          let channels = try await ChannelFindings(context.store, coordinator)
          return [
            "errors": try (findings.filter(\.kind.isError).map(Finding.init) + channels.errors).json,
            "warnings": try (findings.filter { !$0.kind.isError }.map(Finding.init) + channels.warnings).json,
          ]
        },
      ])
  }

  struct Removal: Decodable {
    let id: Int64
    let force: Bool?
  }

  static let operatorFields = ListFields(of: Interfaces.operators, without: [])

  /// Each operator with its servers and relays, then those that are one's own.
  private static func eachOperator(
    _ call: VarlinkCall, _ stream: VarlinkStream, _ context: ControlContext
  ) async throws -> [String: JSONValue] {
    let coordinator = context.coordinator
    var request = try call.decode(ListRequest.self)
    let revision = coordinator.hub.revision
    let all = try coordinator.operators.map { try Operator($0).json }
    let servers = Dictionary(grouping: coordinator.servers.filter { !$0.isDeleted }, by: \.serverOperator)
    let relays = Dictionary(grouping: coordinator.relays.filter { !$0.isDeleted }, by: \.relayOperator)
    func belongings(of id: OperatorID?) throws -> [String: JSONValue] {
      [
        "servers": try (servers[id] ?? []).map { Server($0, coordinator) }.json,
        "relays": try (relays[id] ?? []).map { Relay($0, coordinator) }.json,
      ]
    }
    while true {
      let list = try ListQuery(
        request, fields: operatorFields, interface: Interfaces.operators.name, context)
      let (page, next) = list.page(of: all)
      for json in page {
        var reply: [String: JSONValue] = ["operators": [json], "revision": .integer(revision)]
        let id = OperatorID(rawValue: json["id"]?.integer ?? 0)
        reply.merge(try belongings(of: id)) { own, _ in own }
        try await stream.send(reply)
      }
      guard let next else { break }
      request.cursor = next
    }
    var last: [String: JSONValue] = ["operators": [], "revision": .integer(revision)]
    last.merge(try belongings(of: nil)) { own, _ in own }
    return last
  }

  private static func belongings(of id: OperatorID?, _ coordinator: Coordinator) throws -> [String: JSONValue] {
    let servers = coordinator.servers.filter { $0.serverOperator == id && !$0.isDeleted }
    let relays = coordinator.relays.filter { $0.relayOperator == id && !$0.isDeleted }
    return [
      "servers": try servers.map { Server($0, coordinator) }.json, "relays": try relays.map { Relay($0, coordinator) }.json,
    ]
  }

  private static func accepted(_ text: String?) throws -> Timestamp?? {
    guard let text else { return .none }
    if text.isEmpty { return .some(nil) }
    guard let milliseconds = RFC3339.milliseconds(text) else { throw VarlinkError.invalidParameter("conditionsAcceptedAt") }
    return .some(Timestamp(milliseconds: milliseconds))
  }

  private static func find(_ naming: Naming, _ coordinator: Coordinator) throws -> OperatorRow {
    // A removed operator is still there under its id, but not under its name.
    let known = coordinator.operators.filter { naming.id != nil || !$0.isDeleted }
    guard let row = try naming.only(of: known, id: \.id.rawValue, name: \.name) else {
      throw naming.none("\(Interfaces.operators.name).NoSuchOperator")
    }
    return row
  }
}
