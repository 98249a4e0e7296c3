internal import Channels
internal import RelayNetwork
internal import Storage

extension Catalog {
  /// Makes one change.
  /// - Parameter counters: the source of new identifiers.
  /// - Returns: the changed object. `nil` if there are many.
  /// - Throws: `BatonError`. The catalog must then not be used any longer.
  mutating func apply(
    _ change: CatalogChange, counters: inout StoreCounters
  ) throws(BatonError) -> CatalogReference? {
    let reference: CatalogReference?
    switch change {
    case .addOperator(let edit): reference = try add(edit, &counters)
    case .updateOperator(let id, let revision, let edit): reference = try update(id, revision, edit)
    case .removeOperator(let id): reference = try remove(id)
    case .addServer(let place, let edit): reference = try add(place, edit, &counters)
    case .updateServer(let id, let revision, let place, let edit): reference = try update(id, revision, place, edit)
    case .removeServer(let id):
      guard servers[id]?.isDeleted == false else { throw .noSuchServer(id) }
      servers[id]?.isDeleted = true
      servers[id]?.isEnabled = false
      reference = .server(id)
    case .addRelay(let network, let address, let edit): reference = try add(network, address, edit, &counters)
    case .updateRelay(let id, let revision, let address, let edit): reference = try update(id, revision, address, edit)
    case .removeRelay(let id):
      guard relays[id]?.isDeleted == false else { throw .noSuchRelay(id) }
      relays[id]?.isDeleted = true
      relays[id]?.isEnabled = false
      reference = .relay(id)
    case .declare(let declarations, let passwords):
      try declare(declarations, passwords, &counters)
      reference = nil
    case .importPresets(let network, let presets):
      try importPresets(network, presets, &counters)
      reference = nil
    }
    assignByDomain()
    return reference
  }

  // MARK: - Operators

  mutating func add(_ edit: OperatorEdit, _ counters: inout StoreCounters) throws(BatonError) -> CatalogReference {
    guard let name = edit.name else { throw .invalidDisplayName(reason: "the name is missing") }
    try checkName(ofOperator: name, except: nil)
    // The operator returns with its name, and keeps its id.
    let known = operators.values.filter { $0.name == name && $0.isDeleted }.map(\.id).min()
    let id = known ?? OperatorID(rawValue: counters.operator + 1)
    counters.operator = max(counters.operator, id.rawValue)
    var row = OperatorRow(id: id, name: name)
    row.revision = operators[id]?.revision ?? 0
    Self.change(&row, edit)
    operators[id] = row
    return .operator(id)
  }

  private mutating func update(
    _ id: OperatorID, _ revision: Int64, _ edit: OperatorEdit
  ) throws(BatonError) -> CatalogReference {
    guard var row = operators[id], !row.isDeleted else { throw .noSuchOperator(id) }
    guard row.revision == revision else { throw .staleRevision(current: .operator(row)) }
    if let name = edit.name, name != row.name {
      guard !row.origin.isDeclared else { throw .declaredByFile(field: "name", file: row.origin.file ?? "") }
      try checkName(ofOperator: name, except: id)
    }
    Self.change(&row, edit)
    Self.adopt(&row.origin, edit.isEnabled)
    operators[id] = row
    return .operator(id)
  }

  private static func change(_ row: inout OperatorRow, _ edit: OperatorEdit) {
    if let name = edit.name { row.name = name }
    if let legalName = edit.legalName { row.legalName = legalName.isEmpty ? nil : legalName }
    if let domains = edit.domains { row.domains = domains }
    if let isEnabled = edit.isEnabled { row.isEnabled = isEnabled }
    row.smpRoles = row.smpRoles.with(edit.smpRoles, on: .smp)
    row.xftpRoles = row.xftpRoles.with(edit.xftpRoles, on: .xftp)
    if let accepted = edit.conditionsAcceptedAt { row.conditionsAcceptedAt = accepted }
  }

  /// Removes the origin of an undeclared object when a person enables it again.
  private static func adopt(_ origin: inout Origin, _ isEnabled: Bool?) {
    guard isEnabled == true, origin.isUndeclared else { return }
    origin = Origin()
  }

  /// Returns the servers and relays that still belong to an operator.
  func belongings(of id: OperatorID) -> (servers: [ServerID], relays: [RelayID]) {
    (
      servers.values.filter { $0.serverOperator == id && !$0.isDeleted }.map(\.id).sorted(),
      relays.values.filter { $0.relayOperator == id && !$0.isDeleted }.map(\.id).sorted()
    )
  }

  /// Removes the operator and everything that belongs to it.
  private mutating func remove(_ id: OperatorID) throws(BatonError) -> CatalogReference {
    guard operators[id]?.isDeleted == false else { throw .noSuchOperator(id) }
    let belongings = belongings(of: id)
    for server in belongings.servers {
      servers[server]?.isDeleted = true
      servers[server]?.isEnabled = false
    }
    for relay in belongings.relays {
      relays[relay]?.isDeleted = true
      relays[relay]?.isEnabled = false
    }
    operators[id]?.isDeleted = true
    operators[id]?.isEnabled = false
    return .operator(id)
  }

  private func assigned(_ assignment: Assignment?) throws(BatonError) -> OperatorID? {
    guard case .to(let id)? = assignment else { return nil }
    guard operators[id]?.isDeleted == false else { throw .noSuchOperator(id) }
    return id
  }

  // MARK: - Servers

  mutating func add(
    _ place: CatalogChange.ServerPlace, _ edit: ServerEdit, _ counters: inout StoreCounters
  ) throws(BatonError) -> CatalogReference {
    let same = servers.values.first { $0.address == place.address.text }
    if let same, !same.isDeleted { throw .duplicateAddress(same.id.rawValue) }
    let id = same?.id ?? ServerID(rawValue: counters.server + 1)
    counters.server = max(counters.server, id.rawValue)
    let address = place.address
    var row = ServerRow(
      id: id, transport: address.transport, address: address.text, fingerprint: address.fingerprint, hosts: address.hosts,
      port: address.port, sealedPassword: place.sealedPassword)
    row.revision = same?.revision ?? 0
    row.condition = same?.condition ?? PeerCondition()
    try change(&row, edit)
    servers[id] = row
    return .server(id)
  }

  private mutating func update(
    _ id: ServerID, _ revision: Int64, _ place: CatalogChange.ServerPlace?, _ edit: ServerEdit
  ) throws(BatonError) -> CatalogReference {
    guard var row = servers[id], !row.isDeleted else { throw .noSuchServer(id) }
    guard row.revision == revision else { throw .staleRevision(current: .server(row)) }
    if let place {
      if place.address.text != row.address {
        guard !row.origin.isDeclared else { throw .declaredByFile(field: "address", file: row.origin.file ?? "") }
        if let same = servers.values.first(where: { $0.address == place.address.text && $0.id != id }) {
          throw .duplicateAddress(same.id.rawValue)
        }
        (row.transport, row.address) = (place.address.transport, place.address.text)
        (row.fingerprint, row.hosts, row.port) = (place.address.fingerprint, place.address.hosts, place.address.port)
        row.condition = PeerCondition()
      }
      row.sealedPassword = place.sealedPassword
    }
    try change(&row, edit)
    Self.adopt(&row.origin, edit.isEnabled)
    servers[id] = row
    return .server(id)
  }

  private func change(_ row: inout ServerRow, _ edit: ServerEdit) throws(BatonError) {
    if let assignment = edit.assignment {
      row.serverOperator = try assigned(assignment)
      row.isOperatorAssigned = row.serverOperator != nil
    }
    if let isEnabled = edit.isEnabled { row.isEnabled = isEnabled }
    if let roles = edit.roles { row.roles = roles }
    if row.transport == .xftp { row.roles.names = nil }
  }

  // MARK: - Relays

  mutating func add(
    _ network: NetworkKind, _ address: RelayAddress, _ edit: RelayEdit, _ counters: inout StoreCounters
  ) throws(BatonError) -> CatalogReference {
    let same = relay(network, address)
    if let same, !same.isDeleted { throw .duplicateAddress(same.id.rawValue) }
    let id = same?.id ?? RelayID(rawValue: counters.relay + 1)
    if let name = edit.name { try checkName(ofRelay: name, except: id) }
    counters.relay = max(counters.relay, id.rawValue)
    // The relay returns with its address, and keeps its id, channels and history.
    var row = RelayRow(
      id: id, network: network, address: address.text, host: address.host, comparisonKey: address.comparisonKey,
      name: edit.name ?? freeName(address.displayHost, except: id), revision: same?.revision ?? 0)
    row.condition = same?.condition ?? PeerCondition()
    (row.profile, row.capabilities) = (same?.profile, same?.capabilities ?? [])
    try change(&row, edit)
    relays[id] = row
    return .relay(id)
  }

  /// The relay with this address in any spelling, preferably one that is not deleted.
  func relay(_ network: NetworkKind, _ address: RelayAddress) -> RelayRow? {
    relays.values.filter { $0.network == network && ($0.address == address.text || $0.comparisonKey == address.comparisonKey) }
      .min { ($0.isDeleted ? 1 : 0, $0.id) < ($1.isDeleted ? 1 : 0, $1.id) }
  }

  private mutating func update(
    _ id: RelayID, _ revision: Int64, _ address: RelayAddress?, _ edit: RelayEdit
  ) throws(BatonError) -> CatalogReference {
    guard var row = relays[id], !row.isDeleted else { throw .noSuchRelay(id) }
    guard row.revision == revision else { throw .staleRevision(current: .relay(row)) }
    if let address, address.text != row.address {
      guard !row.origin.isDeclared else { throw .declaredByFile(field: "address", file: row.origin.file ?? "") }
      if let same = relay(row.network, address), same.id != id { throw .duplicateAddress(same.id.rawValue) }
      (row.address, row.host, row.comparisonKey) = (address.text, address.host, address.comparisonKey)
      (row.condition, row.profile, row.capabilities) = (PeerCondition(), nil, [])
    }
    if let name = edit.name { try checkName(ofRelay: name, except: id) }
    try change(&row, edit)
    Self.adopt(&row.origin, edit.isEnabled)
    relays[id] = row
    return .relay(id)
  }

  private func change(_ row: inout RelayRow, _ edit: RelayEdit) throws(BatonError) {
    if let name = edit.name { row.name = name }
    if let domains = edit.domains { row.domains = domains }
    if let assignment = edit.assignment {
      row.relayOperator = try assigned(assignment)
      row.isOperatorAssigned = row.relayOperator != nil
    }
    if let isEnabled = edit.isEnabled { row.isEnabled = isEnabled }
  }
}
