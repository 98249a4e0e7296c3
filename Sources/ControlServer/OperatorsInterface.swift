internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage
internal import StrictJSON
internal import Varlink

/// `org.batond.Operators`.
struct OperatorsInterface: OperatorsService, ControlService {
  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func list(_ request: ListRequest, _ stream: ReplyStream<OperatorsListReply>?) async throws -> OperatorsListReply {
    if let stream { return try await Self.eachOperator(request, stream, context) }
    return try await ListQuery.answer(
      request, stream, fields: Self.fields, context, refusal: OperatorsRefusal.self,
      reply: { OperatorsListReply(operators: $0, nextCursor: $1, revision: $2) }
    ) {
      let revision = coordinator.hub.revision
      return (revision, try await context.slowly { coordinator.operators.map { Operator($0) } })
    }
  }

  func get(_ request: OperatorsGetRequest) async throws -> OperatorsGetReply {
    let row = try Self.find(request, coordinator)
    let servers = coordinator.servers.filter { $0.serverOperator == row.id && !$0.isDeleted }
    let relays = coordinator.relays.filter { $0.relayOperator == row.id && !$0.isDeleted }
    return OperatorsGetReply(
      operator: Operator(row), servers: servers.map { Server($0, coordinator) }, relays: relays.map { Relay($0, coordinator) })
  }

  func add(_ request: AddOperator) async throws -> OperatorReply {
    let row = try await coordinator.addOperator(
      OperatorEdit(
        name: request.name, legalName: request.legalName, domains: request.domains, isEnabled: request.enabled,
        smpRoles: request.smpRoles?.domain ?? .init(), xftpRoles: request.xftpRoles?.domain ?? .init(),
        conditionsAcceptedAt: try Self.accepted(request.conditionsAcceptedAt)), force: request.force ?? false)
    return OperatorReply(operator: Operator(row))
  }

  func update(_ request: UpdateOperator) async throws -> OperatorReply {
    let edit = OperatorEdit(
      name: request.name, legalName: request.legalName, domains: request.domains, isEnabled: request.enabled,
      smpRoles: request.smpRoles?.domain ?? .init(), xftpRoles: request.xftpRoles?.domain ?? .init(),
      conditionsAcceptedAt: try Self.accepted(request.conditionsAcceptedAt))
    let row = try await coordinator.updateOperator(
      OperatorID(rawValue: request.id), revision: request.revision, edit, force: request.force ?? false)
    return OperatorReply(operator: Operator(row))
  }

  func remove(_ request: OperatorsRemoveRequest) async throws -> OperatorReply {
    let row = try await coordinator.removeOperator(OperatorID(rawValue: request.id), force: request.force ?? false)
    return OperatorReply(operator: Operator(row))
  }

  func validate() async throws -> OperatorsValidateReply {
    let findings = coordinator.findings
    let channels = try await ChannelFindings(context.store, coordinator)
    let cluster = if let sharing = context.sharing { await ClusterFindings.warnings(of: sharing) } else { [Finding]() }
    return OperatorsValidateReply(
      errors: findings.filter(\.kind.isError).map(Finding.init) + channels.errors,
      warnings: findings.filter { !$0.kind.isError }.map(Finding.init) + channels.warnings + cluster
        + context.configurationWarnings())
  }

  static let fields = ListFields(of: Interfaces.operators, without: [])

  /// Each operator with its servers and relays, then one's own.
  private static func eachOperator(
    _ request: ListRequest, _ stream: ReplyStream<OperatorsListReply>, _ context: ControlContext
  ) async throws -> OperatorsListReply {
    let coordinator = context.coordinator
    var request = request
    let revision = coordinator.hub.revision
    let all = coordinator.operators.map { Operator($0) }
    let servers = Dictionary(grouping: coordinator.servers.filter { !$0.isDeleted }, by: \.serverOperator)
    let relays = Dictionary(grouping: coordinator.relays.filter { !$0.isDeleted }, by: \.relayOperator)
    /// A reply with the objects of an operator, or without objects if it is `nil`.
    func reply(_ operators: [Operator], of id: OperatorID?) -> OperatorsListReply {
      OperatorsListReply(
        operators: operators, servers: (servers[id] ?? []).map { Server($0, coordinator) },
        relays: (relays[id] ?? []).map { Relay($0, coordinator) }, revision: revision)
    }
    while true {
      let list = try ListQuery(request, fields: fields, context, refusal: OperatorsRefusal.self)
      let (page, next) = list.page(of: all)
      for found in page { try await stream.send(reply([found], of: OperatorID(rawValue: found.id))) }
      guard let next else { break }
      request.cursor = next
    }
    return reply([], of: nil)
  }

  private static func accepted(_ text: String?) throws -> Timestamp?? {
    guard let text else { return .none }
    if text.isEmpty { return .some(nil) }
    guard let milliseconds = RFC3339.milliseconds(text) else { throw VarlinkError.invalidParameter("conditionsAcceptedAt") }
    return .some(Timestamp(milliseconds: milliseconds))
  }

  private static func find(_ naming: OperatorsGetRequest, _ coordinator: Coordinator) throws -> OperatorRow {
    // A removed operator is still there under its id, but not under its name.
    let known = coordinator.operators.filter { naming.id != nil || !$0.isDeleted }
    guard let row = try naming.only(of: known, id: \.id.rawValue, name: \.name) else {
      throw OperatorsRefusal.noSuchOperator(id: naming.id, name: naming.name)
    }
    return row
  }
}
