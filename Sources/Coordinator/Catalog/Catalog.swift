internal import Channels
internal import RelayNetwork
internal import Storage

/// Operators, servers and relays as a whole. It is a value without any I/O: a change produces a new catalog or a refusal.
struct Catalog: Hashable, Sendable {
  var operators: [OperatorID: OperatorRow] = [:]
  var servers: [ServerID: ServerRow] = [:]
  var relays: [RelayID: RelayRow] = [:]

  subscript(_ reference: CatalogReference) -> CatalogObject? {
    switch reference {
    case .operator(let id): operators[id].map(CatalogObject.operator)
    case .server(let id): servers[id].map(CatalogObject.server)
    case .relay(let id): relays[id].map(CatalogObject.relay)
    }
  }

  mutating func put(_ object: CatalogObject) {
    switch object {
    case .operator(let row): operators[row.id] = row
    case .server(let row): servers[row.id] = row
    case .relay(let row): relays[row.id] = row
    }
  }

  /// The objects of this catalog that differ in `other`: operators first, because servers and relays refer to them.
  func changes(from other: Catalog) -> [CatalogObject] {
    let operators = operators.values.filter { other.operators[$0.id] != $0 }.sorted { $0.id < $1.id }
    let servers = servers.values.filter { other.servers[$0.id] != $0 }.sorted { $0.id < $1.id }
    let relays = relays.values.filter { other.relays[$0.id] != $0 }.sorted { $0.id < $1.id }
    return operators.map(CatalogObject.operator) + servers.map(CatalogObject.server) + relays.map(CatalogObject.relay)
  }

  /// Whether the operator of an object allows its use. Objects without an operator may always be used.
  func isOperatorEnabled(_ id: OperatorID?) -> Bool {
    id.map { operators[$0].map { $0.isEnabled && !$0.isDeleted } ?? true } ?? true
  }

  /// Whether a relay may be used: it and its operator are enabled. Other relays are not tested, and get no new channels.
  func isEnabled(_ row: RelayRow) -> Bool { row.isEnabled && !row.isDeleted && isOperatorEnabled(row.relayOperator) }

  /// The same for a server.
  func isEnabled(_ row: ServerRow) -> Bool { row.isEnabled && !row.isDeleted && isOperatorEnabled(row.serverOperator) }

  /// Candidates for channels on `network`, including ineligible ones.
  func candidates(on network: NetworkKind, at now: Timestamp) -> some Sequence<SelectionPolicy.Candidate> {
    relays.values.lazy.filter { $0.network == network }.map { candidate($0, at: now) }
  }

  func candidate(_ row: RelayRow, at now: Timestamp) -> SelectionPolicy.Candidate {
    SelectionPolicy.Candidate(
      relay: row.id, relayOperator: row.relayOperator, reliability: row.condition.reliability(at: now),
      isEnabled: row.isEnabled, isDeleted: row.isDeleted, isOperatorEnabled: isOperatorEnabled(row.relayOperator))
  }

  /// The problems of the catalog as a whole.
  /// - Parameter includesUnused: report missing servers even if nothing belongs to SimpleX.
  func findings(includesUnused: Bool = false) -> [CatalogCheck.Finding] {
    CatalogCheck.findings(
      operators: operators.values.filter { !$0.isDeleted }.map {
        .init(id: $0.id, isEnabled: $0.isEnabled, smpRoles: $0.smpRoles, xftpRoles: $0.xftpRoles)
      },
      servers: servers.values.filter { !$0.isDeleted }.sorted { $0.id < $1.id }.map {
        .init(
          id: $0.id, transport: $0.transport, hosts: $0.hosts, serverOperator: $0.serverOperator, isEnabled: $0.isEnabled,
          override: $0.roles)
      },
      relays: relays.values.filter { !$0.isDeleted }.sorted { $0.id < $1.id }.map {
        .init(
          id: $0.id, network: $0.network, relayOperator: $0.relayOperator, isEnabled: $0.isEnabled,
          comparisonKey: $0.comparisonKey)
      }, includesUnused: includesUnused)
  }

  /// Errors that `earlier` did not have. Adding the very first server does not count as a lack of other servers.
  func errors(since earlier: Catalog) -> [CatalogCheck.Finding] {
    let errors = findings().filter(\.kind.isError)
    guard !errors.isEmpty else { return [] }
    let known = earlier.findings(includesUnused: true)
    return errors.filter { error in !known.contains { error.isCovered(by: $0) } }
  }

  /// The effective roles of a server.
  func roles(of server: ServerRow) -> ServerRoles {
    let known = server.serverOperator.flatMap { operators[$0] }
    let base = known.map { server.transport == .smp ? $0.smpRoles : $0.xftpRoles } ?? .own
    return base.with(server.roles, on: server.transport)
  }

  // MARK: - Ownership

  /// Assigns objects without a chosen operator by their domains. If several operators have a domain, the first by id owns it, and
  /// undeclared operators come last.
  mutating func assignByDomain() {
    var owners: [String: OperatorID] = [:]
    let alive = operators.values.filter { !$0.isDeleted }
    for row in alive.sorted(by: { ($0.origin.isUndeclared ? 1 : 0, $0.id) < ($1.origin.isUndeclared ? 1 : 0, $1.id) }) {
      for domain in row.domains where owners[domain] == nil { owners[domain] = row.id }
    }
    // The most specific domain wins. Among several names, the first with an owner wins.
    func owner(of names: [String]) -> OperatorID? {
      guard !owners.isEmpty else { return nil }
      for name in names where !name.hasSuffix(".onion") {
        var rest = Substring(name)
        while true {
          if let owner = owners[String(rest)] { return owner }
          guard let dot = rest.firstIndex(of: ".") else { break }
          rest = rest[rest.index(after: dot)...]
        }
      }
      return nil
    }
    for (id, row) in servers {
      if row.isOperatorAssigned, let owner = row.serverOperator, operators[owner]?.isDeleted == false { continue }
      let owner = owner(of: row.hosts)
      guard row.serverOperator != owner || row.isOperatorAssigned else { continue }
      servers[id]?.isOperatorAssigned = false
      servers[id]?.serverOperator = owner
    }
    for (id, row) in relays {
      if row.isOperatorAssigned, let owner = row.relayOperator, operators[owner]?.isDeleted == false { continue }
      let owner = owner(of: row.domains + [row.host])
      guard row.relayOperator != owner || row.isOperatorAssigned else { continue }
      relays[id]?.isOperatorAssigned = false
      relays[id]?.relayOperator = owner
    }
  }

  // MARK: - Names

  func checkName(ofRelay name: String, except id: RelayID?) throws(BatonError) {
    let key = ObjectName.key(name)
    let other = relays.values.first { !$0.isDeleted && $0.id != id && ObjectName.key($0.name) == key }
    if let other { throw .duplicateName(other.name) }
  }

  func checkName(ofOperator name: String, except id: OperatorID?) throws(BatonError) {
    let key = ObjectName.key(name)
    let other = operators.values.first { !$0.isDeleted && $0.id != id && ObjectName.key($0.name) == key }
    if let other { throw .duplicateName(other.name) }
  }

  /// A name for a relay without one: its host, with a number if that name exists already.
  func freeName(_ host: String, except id: RelayID?) -> String {
    Self.freeName(host, taken: Set(relays.values.filter { !$0.isDeleted && $0.id != id }.map(\.name)))
  }

  static func freeName(_ host: String, taken: Set<String>) -> String {
    // A host may be longer than a name, or look like an identifier.
    let wanted = (try? ObjectName.validated(host)) ?? "relay \(host.prefix(ObjectName.charactersMax - 20))"
    guard taken.contains(wanted) else { return wanted }
    var number = 2
    while taken.contains("\(wanted.prefix(ObjectName.charactersMax - 8)) (\(number))") { number += 1 }
    return "\(wanted.prefix(ObjectName.charactersMax - 8)) (\(number))"
  }
}
