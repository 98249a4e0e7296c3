internal import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

extension Catalog {
  /// Brings the catalog in line with the files.
  ///
  /// A person's change lasts until the file differs from its last load. A declared object that was removed comes back. An object that is no
  /// longer declared is disabled and marked.
  /// - Parameter passwords: the passwords of servers, by address.
  mutating func declare(
    _ declarations: Declarations, _ passwords: [String: CatalogChange.Password], _ counters: inout StoreCounters
  ) throws(BatonError) {
    var declaration = Declaring(catalog: self, passwords: passwords, counters: counters)
    try declaration.apply(declarations)
    (self, counters) = (declaration.catalog, declaration.counters)
  }
}

/// One load of the files on its way into a catalog.
private struct Declaring {
  var catalog: Catalog
  let passwords: [String: CatalogChange.Password]
  var counters: StoreCounters

  private struct RelayKey: Hashable {
    let network: NetworkKind
    let text: String
  }
  private var operatorsByName: [String: OperatorID] = [:]
  private var serversByAddress: [String: ServerID] = [:]
  private var relaysByAddress: [RelayKey: RelayID] = [:]
  private var relaysByKey: [RelayKey: RelayID] = [:]
  private var seen: Set<CatalogReference> = []
  /// Relays with a name in their file, and relays that are named after their host.
  private var named: [(id: RelayID, item: Declarations.Relay)] = []
  private var unnamed: [(id: RelayID, host: String)] = []

  init(catalog: Catalog, passwords: [String: CatalogChange.Password], counters: StoreCounters) {
    self.catalog = catalog
    self.passwords = passwords
    self.counters = counters
    // If objects share a name or address, the index has the one that is not deleted, then the oldest.
    for row in catalog.operators.values.sorted(by: { ($0.isDeleted ? 0 : 1, $1.id) < ($1.isDeleted ? 0 : 1, $0.id) }) {
      operatorsByName[row.name] = row.id
    }
    for row in catalog.servers.values { serversByAddress[row.address] = row.id }
    for row in catalog.relays.values.sorted(by: { ($0.isDeleted ? 0 : 1, $1.id) < ($1.isDeleted ? 0 : 1, $0.id) }) {
      relaysByAddress[RelayKey(network: row.network, text: row.address)] = row.id
      relaysByKey[RelayKey(network: row.network, text: row.comparisonKey)] = row.id
    }
  }

  mutating func apply(_ declarations: Declarations) throws(BatonError) {
    for item in declarations.operators {
      let id = declare(item)
      for server in item.servers { declare(server, id) }
      for relay in item.relays { declare(relay, id) }
    }
    for server in declarations.servers { declare(server, nil) }
    for relay in declarations.relays { declare(relay, nil) }
    markUndeclared()
    try nameRelays()
  }

  /// Finds the members of a declaration that must be applied.
  private struct News {
    let old: JSONValue?
    let new: JSONValue

    /// - Parameter isFresh: whether all of it counts as new.
    init(_ origin: Origin, _ new: JSONValue, isFresh: Bool) {
      old = isFresh || !origin.isDeclared ? nil : origin.declaration
      self.new = new
    }

    func says(_ member: String) -> Bool { old == nil || old?[member] != new[member] }
  }

  private mutating func declare(_ item: Declarations.Operator) -> OperatorID {
    let same = operatorsByName[item.name].flatMap { catalog.operators[$0] }
    let id = same?.id ?? OperatorID(rawValue: counters.operator + 1)
    counters.operator = max(counters.operator, id.rawValue)
    var row = same ?? OperatorRow(id: id, name: item.name)
    let declaration: JSONValue = [
      "legalName": item.legalName.map(JSONValue.string) ?? .null, "domains": .array(item.domains.map(JSONValue.string)),
      "enabled": .bool(item.isEnabled), "smp": Self.json(item.smpRoles), "xftp": Self.json(item.xftpRoles),
      "conditionsAcceptedAt": item.conditionsAcceptedAt.map { .integer($0.milliseconds) } ?? .null,
    ]
    let news = News(row.origin, declaration, isFresh: same == nil || row.isDeleted)
    if news.says("legalName") { row.legalName = item.legalName }
    if news.says("domains") { row.domains = item.domains }
    if news.says("enabled") { row.isEnabled = item.isEnabled }
    if news.says("smp") { row.smpRoles = item.smpRoles }
    if news.says("xftp") { row.xftpRoles = item.xftpRoles }
    // The file may state that the conditions were accepted. Without a statement, a person's acceptance is unchanged.
    if news.says("conditionsAcceptedAt"), let accepted = item.conditionsAcceptedAt { row.conditionsAcceptedAt = accepted }
    row.isDeleted = false
    row.origin = Origin(isPreset: true, file: item.file, declaration: declaration)
    catalog.operators[id] = row
    seen.insert(.operator(id))
    return id
  }

  private mutating func declare(_ item: Declarations.Server, _ owner: OperatorID?) {
    let address = item.address
    let same = serversByAddress[address.text].flatMap { catalog.servers[$0] }
    let id = same?.id ?? ServerID(rawValue: counters.server + 1)
    counters.server = max(counters.server, id.rawValue)
    var row =
      same
      ?? ServerRow(
        id: id, transport: address.transport, address: address.text, fingerprint: address.fingerprint,
        hosts: address.hosts, port: address.port)
    let password = passwords[address.text]
    let declaration: JSONValue = [
      "enabled": .bool(item.isEnabled), "roles": Self.json(item.roles),
      "operator": owner.map { .integer($0.rawValue) } ?? .null,
      // A keyed digest shows whether the password in the file differs from the previous one.
      "password": password.map { .string($0.digest) } ?? .null,
    ]
    let news = News(row.origin, declaration, isFresh: same == nil || row.isDeleted)
    if news.says("enabled") { row.isEnabled = item.isEnabled }
    if news.says("roles") { row.roles = item.roles }
    if news.says("operator") { (row.serverOperator, row.isOperatorAssigned) = (owner, owner != nil) }
    if news.says("password") { row.sealedPassword = password?.sealed }
    row.isDeleted = false
    row.origin = Origin(isPreset: true, file: item.file, declaration: declaration)
    catalog.servers[id] = row
    seen.insert(.server(id))
  }

  private mutating func declare(_ item: Declarations.Relay, _ owner: OperatorID?) {
    let address = item.address
    let known =
      relaysByAddress[RelayKey(network: item.network, text: address.text)]
      ?? relaysByKey[RelayKey(network: item.network, text: address.comparisonKey)]
    let same = known.flatMap { catalog.relays[$0] }
    let id = same?.id ?? RelayID(rawValue: counters.relay + 1)
    counters.relay = max(counters.relay, id.rawValue)
    var row =
      same
      ?? RelayRow(
        id: id, network: item.network, address: address.text, host: address.host, comparisonKey: address.comparisonKey,
        name: "", revision: 0)
    if row.address != address.text {
      // The same relay in another spelling, for example with a corrected fingerprint of its server.
      (row.address, row.host, row.comparisonKey) = (address.text, address.host, address.comparisonKey)
      row.condition = PeerCondition()
    }
    let declaration: JSONValue = [
      "name": item.name.map(JSONValue.string) ?? .null, "enabled": .bool(item.isEnabled),
      "domains": .array(item.domains.map(JSONValue.string)), "operator": owner.map { .integer($0.rawValue) } ?? .null,
    ]
    let news = News(row.origin, declaration, isFresh: same == nil || row.isDeleted)
    if let name = item.name {
      if news.says("name") { row.name = name }
      named.append((id, item))
    } else {
      if row.isDeleted { row.name = "" }
      unnamed.append((id, address.displayHost))
    }
    if news.says("enabled") { row.isEnabled = item.isEnabled }
    if news.says("domains") { row.domains = item.domains }
    if news.says("operator") { (row.relayOperator, row.isOperatorAssigned) = (owner, owner != nil) }
    row.isDeleted = false
    row.origin = Origin(isPreset: true, file: item.file, declaration: declaration)
    catalog.relays[id] = row
    seen.insert(.relay(id))
  }

  /// Disables and marks objects that the files no longer declare. They are never removed.
  private mutating func markUndeclared() {
    for (id, row) in catalog.operators where row.origin.isDeclared && !seen.contains(.operator(id)) {
      catalog.operators[id]?.isEnabled = false
      catalog.operators[id]?.origin.isUndeclared = true
    }
    for (id, row) in catalog.servers where row.origin.isDeclared && !seen.contains(.server(id)) {
      catalog.servers[id]?.isEnabled = false
      catalog.servers[id]?.origin.isUndeclared = true
    }
    for (id, row) in catalog.relays where row.origin.isDeclared && !seen.contains(.relay(id)) {
      catalog.relays[id]?.isEnabled = false
      catalog.relays[id]?.origin.isUndeclared = true
    }
  }

  /// Names are set once all are known: files may swap the names of two relays, or give the name of a vanished relay to another.
  private mutating func nameRelays() throws(BatonError) {
    let alive = catalog.relays.values.filter { !$0.isDeleted }
    let byName = Dictionary(grouping: alive) { ObjectName.key($0.name) }
    let unnamedIDs = Set(unnamed.map(\.id))
    var yielding: [(id: RelayID, host: String)] = []
    var flaws: [FileFlaw] = []
    for (id, item) in named {
      guard let row = catalog.relays[id] else { continue }
      for other in byName[ObjectName.key(row.name)] ?? [] where other.id != id {
        if other.origin.isUndeclared || unnamedIDs.contains(other.id) {
          yielding.append((other.id, other.host))
        } else {
          flaws.append(
            FileFlaw(
              file: item.file, line: item.line, column: nil,
              text: "the name '\(row.name)' of relay \(row.address) is in use by relay \(other.id.rawValue), \(other.address)"))
        }
      }
    }
    guard flaws.isEmpty else { throw .invalidFiles(flaws) }
    for (id, _) in yielding { catalog.relays[id]?.name = "" }
    var taken = Set(catalog.relays.values.filter { !$0.isDeleted }.map(\.name))
    for (id, host) in yielding + unnamed where catalog.relays[id]?.name.isEmpty == true {
      let name = Catalog.freeName(host, taken: taken)
      taken.insert(name)
      catalog.relays[id]?.name = name
    }
  }

  private static func json(_ roles: ServerRoles) -> JSONValue {
    ["storage": .bool(roles.storage), "proxy": .bool(roles.proxy), "names": .bool(roles.names)]
  }

  private static func json(_ roles: ServerRoles.Override) -> JSONValue {
    let members = ["storage": roles.storage, "proxy": roles.proxy, "names": roles.names]
    return .object(members.compactMapValues { $0.map(JSONValue.bool) })
  }
}
