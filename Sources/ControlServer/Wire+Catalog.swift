internal import Channels
internal import ControlAPI
internal import Coordinator
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

// Operators, servers and relays: from the domain to the wire and back.

extension CatalogObject {
  /// The object as its interface shows it.
  func wire(_ coordinator: Coordinator) -> any JSONWritable {
    switch self {
    case .operator(let row): Operator(row)
    case .server(let row): Server(row, coordinator)
    case .relay(let row): Relay(row, coordinator)
    }
  }
}

extension Roles {
  init(_ roles: ServerRoles) { self.init(storage: roles.storage, proxy: roles.proxy, names: roles.names) }
}

extension RoleOverrides {
  init(_ roles: ServerRoles.Override) { self.init(storage: roles.storage, proxy: roles.proxy, names: roles.names) }
  var domain: ServerRoles.Override { .init(storage: storage, proxy: proxy, names: names) }
}

extension Operator {
  init(_ row: OperatorRow) {
    self.init(
      id: row.id.rawValue, name: row.name, legalName: row.legalName, domains: row.domains, enabled: row.isEnabled,
      preset: row.origin.isPreset, undeclared: row.origin.isUndeclared, declaredIn: row.origin.file,
      deleted: row.isDeleted, smpRoles: Roles(row.smpRoles), xftpRoles: Roles(row.xftpRoles),
      conditionsAcceptedAt: row.conditionsAcceptedAt?.text, revision: row.revision)
  }
}

extension RoundTrip {
  init(_ roundTrip: MeasuredConnection) { self.init(time: roundTrip.at.text, milliseconds: Int(roundTrip.milliseconds)) }
}

extension Server {
  init(_ row: ServerRow, _ coordinator: Coordinator, roundTrips: [MeasuredConnection]? = nil) {
    let condition = row.condition
    self.init(
      id: row.id.rawValue, protocol: row.transport.rawValue, address: row.address, fingerprint: row.fingerprint,
      hosts: row.hosts, port: row.port, hasPassword: row.sealedPassword != nil,
      operatorId: row.serverOperator?.rawValue, enabled: row.isEnabled, preset: row.origin.isPreset,
      undeclared: row.origin.isUndeclared, declaredIn: row.origin.file, deleted: row.isDeleted,
      roles: Roles(coordinator.roles(of: row)), roleOverrides: RoleOverrides(row.roles), tested: condition.tested,
      testedAt: condition.testedAt?.text, health: condition.health.rawValue, healthSince: condition.healthSince?.text,
      lastError: condition.lastError, roundTripMilliseconds: condition.roundTripMilliseconds.map(Int.init),
      roundTrips: roundTrips?.map(RoundTrip.init), revision: row.revision)
  }
}

extension Relay {
  init(_ row: RelayRow, _ coordinator: Coordinator, channels: Int? = nil, roundTrips: [MeasuredConnection]? = nil) {
    let condition = row.condition
    self.init(
      id: row.id.rawValue, network: row.network.rawValue, address: row.address, name: row.name,
      profile: row.profile.map { RelayProfile(name: $0.name, description: $0.text, software: $0.software) },
      domains: row.domains, operatorId: row.relayOperator?.rawValue, enabled: row.isEnabled, preset: row.origin.isPreset,
      undeclared: row.origin.isUndeclared, declaredIn: row.origin.file, deleted: row.isDeleted,
      capabilities: row.capabilities, tested: condition.tested, testedAt: condition.testedAt?.text,
      health: condition.health.rawValue, healthSince: condition.healthSince?.text, lastError: condition.lastError,
      networkTrouble: coordinator.trouble(of: row.network)?.trouble.detail,
      roundTripMilliseconds: condition.roundTripMilliseconds.map(Int.init), roundTrips: roundTrips?.map(RoundTrip.init),
      channels: channels, revision: row.revision)
  }
}

extension Finding {
  init(_ finding: CatalogCheck.Finding) {
    self.init(
      kind: finding.kind.rawValue, severity: finding.kind.isError ? "error" : "warning",
      protocol: finding.transport?.rawValue, network: finding.network?.rawValue, host: finding.host,
      serverIds: finding.servers.map(\.rawValue), relayIds: finding.relays.map(\.rawValue), message: finding.message)
  }
}

extension Problem {
  init(_ flaw: FileFlaw) {
    self.init(file: flaw.file, line: flaw.line, column: flaw.column, text: flaw.text)
  }
}

extension Assignment {
  /// - Parameter id: the id in a request: `nil` changes nothing, 0 lets the domains decide.
  init?(_ id: Int64?) {
    guard let id else { return nil }
    self = id == 0 ? .byDomain : .to(OperatorID(rawValue: id))
  }
}
